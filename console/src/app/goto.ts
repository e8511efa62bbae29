// Keys that work in every view: Ctrl or Cmd and K open the palette, `g` and a letter go to a view.
import { useEffect } from "react";
import { isTyping, useNamedKeys } from "../parts/shortcuts";
import { go } from "../route/router";
import { VIEWS } from "../route/views";
import { openDialog } from "./dialogs";

/** How long the second key may take. */
const PATIENCE = 1_500;
const NAMES = { "Ctrl K": "Search, or go anywhere", ...Object.fromEntries(VIEWS.map((view) => [`g ${view.key}`, `Go to ${view.title}`])) };

export function useGoTo(): void {
  useNamedKeys(NAMES);
  useEffect(() => {
    let since = -Infinity;
    const heard = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        if (document.querySelector("[role=alertdialog]")) return;
        event.preventDefault();
        return openDialog("palette");
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("[role=dialog], [role=alertdialog]")) return;
      const view = event.timeStamp - since < PATIENCE ? VIEWS.find((one) => one.key === event.key) : undefined;
      since = event.key === "g" && !view ? event.timeStamp : -Infinity;
      if (!view) return;
      event.preventDefault();
      event.stopPropagation();
      go(view.path);
    };
    // Before the views hear it: after `g`, a letter is not theirs.
    addEventListener("keydown", heard, { capture: true });
    return () => removeEventListener("keydown", heard, { capture: true });
  }, []);
}
