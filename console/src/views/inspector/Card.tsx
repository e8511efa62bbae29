// A part of the page with a title, which loads, fails and is empty by itself.
import type { UseQueryResult } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";

export function Card({ title, wide, children }: { title: string; wide?: boolean; children: ReactNode }) {
  const id = useId();
  return (
    <section className={wide ? "card part wide" : "card part"} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** What a question brought, once it did. */
export function Asked<T>({ of, lines = 3, empty, children }: { of: UseQueryResult<T>; lines?: number; empty?: ReactNode; children: (data: T) => ReactNode }) {
  if (of.error) return <ProblemNote error={of.error} retry={() => void of.refetch()} />;
  if (of.data === undefined) return <Loading lines={lines} />;
  if (empty && Array.isArray(of.data) && of.data.length === 0) return <p className="small">{empty}</p>;
  return <>{children(of.data)}</>;
}
