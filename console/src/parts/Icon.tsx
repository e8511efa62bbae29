// Drawings of 24 by 24, in the colour of the text beside them.
const PATHS = {
  home: "M4 11l8-7 8 7M6 10v10h12V10M10 20v-6h4v6",
  fact: "M6 3h9l4 4v14H6zM14 3v5h5M9 13l2 2 4-4",
  list: "M4 6h2M4 12h2M4 18h2M9 6h11M9 12h11M9 18h11",
  eye: "M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  lens: "M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l5 5M10 7v6M7 10h6",
  chat: "M4 5h16v11H9l-5 4z",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 3",
  glyph: "M5 4h14M12 4v16M6 20h12M7 10h10",
  layers: "M12 3l9 5-9 5-9-5zM3 13l9 5 9-5",
  tree: "M12 3v6M12 9H6v5M12 9h6v5M4 14h4v5H4zM16 14h4v5h-4zM10 3h4v4h-4z",
  crystal: "M12 2l7 7-7 13L5 9zM5 9h14M9 9l3 13M15 9l-3 13",
  flag: "M5 21V4h13l-3 4 3 4H5",
  pulse: "M2 12h5l2-6 4 12 3-8 1 2h5",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 2v4M12 18v4M2 12h4M18 12h4M5 5l3 3M16 16l3 3M19 5l-3 3M8 16l-3 3",
  search: "M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l6 6",
  pin: "M8 3h8l-1 7 3 3H6l3-3zM12 13v8",
  mute: "M4 9h4l5-4v14l-5-4H4zM16 9l5 6M21 9l-5 6",
  edit: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
  bin: "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6",
  copy: "M8 8h12v12H8zM4 16V4h12",
  down: "M12 4v11M7 11l5 5 5-5M4 20h16",
  up: "M12 20V9M7 13l5-5 5 5M4 4h16",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1 1M18 18l1 1M19 5l-1 1M6 18l-1 1",
  moon: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z",
  half: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l9-9M16 7l3 3",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-5 4-7 8-7s8 2 8 7",
  question: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18v.5",
  cross: "M6 6l12 12M18 6L6 18",
  check: "M5 13l4 4L19 7",
  right: "M9 5l7 7-7 7",
  undo: "M8 4L3 9l5 5M3 9h11a6 6 0 0 1 0 12h-3",
  alert: "M12 3l10 18H2zM12 10v5M12 18v.5",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  play: "M7 4l13 8-13 8z",
  pause: "M7 4v16M17 4v16",
  lasso: "M12 4c5 0 9 2 9 6s-4 6-9 6-9-2-9-6 4-6 9-6zM7 15c-2 1-2 4 1 4s2 3 0 3",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  menu: "M5 12h.5M12 12h.5M19 12h.5",
  whole: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
} as const;

export type IconName = keyof typeof PATHS;

/** Only a drawing: what it means is said by the text or the label around it. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
