// A table with a name. On a narrow screen its rows become cards, and each cell says which column it stands in.
import { useLayoutEffect, useRef, type ReactNode } from "react";

const ROLES: Record<string, string> = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };

/** What CSS takes away when it lays out rows as cards: that it is a table, and what each column is called. */
function told(table: HTMLTableElement): void {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => (head.textContent ?? "").replace("↓", "").trim());
  for (const one of [table, ...table.querySelectorAll("thead, tbody, tr, td, th")]) {
    const head = one.getAttribute("scope") === "row" ? "rowheader" : "columnheader";
    if (!one.hasAttribute("role")) one.setAttribute("role", one.tagName === "TH" ? head : (ROLES[one.tagName] ?? "cell"));
  }
  for (const body of table.tBodies)
    for (const row of body.rows) [...row.cells].forEach((cell, place) => cell.setAttribute("data-column", heads[place] ?? ""));
}

export function TableWrap({ label, className = "", children }: { label: string; className?: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  // After each drawing: rows come and go.
  useLayoutEffect(() => {
    const table = frame.current?.querySelector("table");
    if (table) told(table);
  });
  return (
    <div className={`table-wrap stacked ${className}`} role="region" aria-label={label} tabIndex={0} ref={frame}>
      {children}
    </div>
  );
}
