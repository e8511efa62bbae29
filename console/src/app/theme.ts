// Light, dark, or as the system says; kept in this browser.
export type Theme = "system" | "light" | "dark";
const NAME = "foveal.theme";

export const theme = (): Theme => (localStorage.getItem(NAME) as Theme | null) ?? "system";

export function applyTheme(to: Theme = theme()): void {
  localStorage.setItem(NAME, to);
  if (to === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = to;
}
