"""How documents are cut into chunks along their structure."""

from __future__ import annotations

import re
from hashlib import blake2b
from html.parser import HTMLParser

from msgspec import Struct

from foveal.rules.splitting import chunks

SIZE = 1_500
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*$")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_BREAKS = frozenset(
    "p div section article header footer main aside ul ol table tr blockquote figure hr dl dt dd".split()
)
_SILENT = frozenset("script style head template noscript svg nav iframe".split())


class Chunk(Struct, frozen=True, kw_only=True):
    """A piece of a document: the headings above it, its number under them, and its text."""

    trail: tuple[str, ...]
    number: int
    text: str

    @property
    def title(self) -> str:
        """The headings above it, as one line."""
        return " / ".join(self.trail)

    @property
    def place(self) -> str:
        """What names it in its document while the text around it changes."""
        return "\n".join([*self.trail, str(self.number)])

    @property
    def digest(self) -> str:
        """What changes when its text does."""
        return blake2b(self.text.encode(), digest_size=12).hexdigest()


def cut(text: str, size: int = SIZE) -> list[Chunk]:
    """A Markdown or plain text in chunks: under its headings, between paragraphs, with code blocks whole.

    >>> [(one.title, one.text) for one in cut("# Tea\\nHot.\\n\\n## Green\\nMild.\\n\\nAt 70 degrees.")]
    [('Tea', 'Hot.'), ('Tea / Green', 'Mild.\\n\\nAt 70 degrees.')]
    """
    found: list[Chunk] = []
    counts: dict[tuple[str, ...], int] = {}
    for trail, blocks in _sections(text):
        for part in _packed(blocks, size):
            found.append(Chunk(trail=trail, number=counts.get(trail, 0), text=part))
            counts[trail] = counts.get(trail, 0) + 1
    return found


def _sections(text: str) -> list[tuple[tuple[str, ...], list[str]]]:
    """The blocks of a text under the headings that stand above them."""
    sections: list[tuple[tuple[str, ...], list[str]]] = [((), [])]
    trail: list[tuple[int, str]] = []
    for block in _blocks(text):
        heading = _HEADING.match(block)
        if heading is None:
            sections[-1][1].append(block)
            continue
        level = len(heading[1])
        trail = [one for one in trail if one[0] < level] + [(level, heading[2][:200])]
        sections.append((tuple(name for _, name in trail), []))
    return [(above, blocks) for above, blocks in sections if blocks]


def _blocks(text: str) -> list[str]:
    """The paragraphs, headings and code blocks of a text, in order."""
    blocks: list[list[str]] = [[]]
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            blocks[-1].append(line)
            if mark and mark[1].startswith(fence):
                fence = ""
                blocks.append([])
        elif mark:
            fence = mark[1]
            blocks.append([line])
        elif _HEADING.match(line):
            blocks += [[line], []]
        elif line.strip():
            blocks[-1].append(line.rstrip())
        else:
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]


def _packed(blocks: list[str], size: int) -> list[str]:
    """Blocks joined up to about `size` characters; a longer one is cut between sentences, unless it is code."""
    parts: list[str] = []
    for block in blocks:
        pieces = [block] if len(block) <= size or _FENCE.match(block) else chunks(block, size)
        for piece in pieces:
            if parts and len(parts[-1]) + 2 + len(piece) <= size:
                parts[-1] += "\n\n" + piece
            else:
                parts.append(piece)
    return parts


class _Page(HTMLParser):
    """Gathers the text of a page as Markdown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._silent = 0
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif tag == "pre":
            self._pre += 1
            self.out.append("\n\n```\n")
        elif re.fullmatch(r"h[1-6]", tag):
            self.out.append(f"\n\n{'#' * int(tag[1])} ")
        elif tag == "li":
            self.out.append("\n- ")
        elif tag == "br":
            self.out.append("\n")
        elif tag in _BREAKS:
            self.out.append("\n\n")
        elif tag in ("td", "th"):
            self.out.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "pre" and self._pre:
            self._pre -= 1
            self.out.append("\n```\n\n")
        elif tag in _BREAKS or re.fullmatch(r"h[1-6]", tag):
            self.out.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            # A line break in a page is a blank; only what is set as code keeps its lines.
            self.out.append(data if self._pre else re.sub(r"\s+", " ", data))


def html_text(page: str) -> str:
    """The text of a web page as Markdown, without scripts, styles and navigation.

    >>> html_text("<h1>Tea</h1><script>x()</script><p>Hot &amp; <b>good</b>.</p>")
    '# Tea\\n\\nHot & good.'
    """
    parser = _Page()
    parser.feed(page)
    parser.close()
    lines: list[str] = []
    code = False
    for line in "".join(parser.out).split("\n"):
        code = code is not (line == "```")
        lines.append(line.rstrip() if code else line.strip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def decoded(data: bytes) -> str | None:
    """The text of a file by its byte order mark, as UTF-8, or else as Windows wrote it; None if it is no text.

    >>> decoded("Zoë".encode("cp1252")), decoded(b"\\x00\\x01"), decoded(b"\\xef\\xbb\\xbfhi")
    ('Zoë', None, 'hi')
    """
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\x00" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
