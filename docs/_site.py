"""The documentation as web pages, built into `site/` and served on this machine."""

from __future__ import annotations

import argparse
import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
SITE = ROOT / "site"
_STYLE = """
body { font: 17px/1.6 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1d2126; }
nav { font-size: .85rem; border-bottom: 1px solid #d8dde3; padding-bottom: .6rem; margin-bottom: 1.6rem; }
nav a { margin-right: 1rem; } a { color: #0b5fa5; } h1, h2, h3 { line-height: 1.25; }
code { font: .9em ui-monospace, monospace; background: #f2f4f6; padding: .1em .3em; border-radius: 3px; }
pre { background: #f2f4f6; padding: .9rem 1rem; overflow-x: auto; border-radius: 6px; } pre code { padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; } td, th { border: 1px solid #d8dde3;
padding: .3rem .6rem; vertical-align: top; text-align: left; }
"""
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<title>{title}</title><style>{style}</style>
<nav><a href="{up}index.html">Foveal</a><a href="{up}start.html">Start</a>
<a href="{up}glossary.html">Glossary</a><a href="{up}README.html">Readme</a></nav><main>{body}</main></html>
"""


def build() -> int:
    """Turn every page into HTML, with its links pointing at the HTML. Gives how many there are."""
    markdown = MarkdownIt("commonmark").enable("table")
    pages = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
    for page in pages:
        place = page.relative_to(ROOT / "docs") if page.is_relative_to(ROOT / "docs") else page.relative_to(ROOT)
        text = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        body = re.sub(r'(href="[^":]*?)\.md', r"\1.html", markdown.render(text))
        # Pages of the root and of docs/ lie side by side here.
        body = body.replace('href="docs/', 'href="')
        target = SITE / place.with_suffix(".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (len(place.parts) - 1)
        title = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("#")), "Foveal")
        target.write_text(_PAGE.format(title=title, style=_STYLE, up=up, body=body), encoding="utf-8")
    return len(pages)


def main() -> None:
    """Build the pages, and serve them unless told not to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--build-only", action="store_true")
    given = parser.parse_args()
    print(f"{build()} pages in {SITE}")
    if not given.build_only:
        print(f"http://127.0.0.1:{given.port}/index.html (Ctrl-C ends)")
        handler = partial(SimpleHTTPRequestHandler, directory=str(SITE))
        with ThreadingHTTPServer(("127.0.0.1", given.port), handler) as server:
            server.serve_forever()


if __name__ == "__main__":
    main()
