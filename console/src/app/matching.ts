// Whether what was typed means an entry: every typed word begins a word of it.
export function matches(name: string, typed: string): boolean {
  const words = name.toLowerCase().split(/\s+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
