import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { takeToken } from "./api/session";
import { App } from "./app/App";
import { applyTheme } from "./app/theme";
import "./style/tokens.css";
import "./style/shell.css";
import "./style/parts.css";

applyTheme();
await takeToken();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
