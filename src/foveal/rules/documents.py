"""Cutting documents into chunks along their structure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from html.parser import HTMLParser

from msgspec import Struct

from foveal.rules.text import chunks

SIZE = 1_500
# The longest heading, and the longest first line that counts as a title.
LONGEST_HEADING, LONGEST_TITLE = 200, 80
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
# The underline of a heading, and the level that each character stands for.
_UNDERLINE = re.compile(r"(?:([=^-])\1{2,}|~{4,})\s*$")
_LEVELS = {"=": "#", "-": "##", "~": "###", "^": "####"}
# The most characters of front matter that are read.
LONGEST_FRONT = 4_000
_FENCE = re.compile(r"\s*(```+|~~~+)")
# A page with more unclosed tags than this is broken, or meant to make parsing slow.
MOST_UNCLOSED = 100
_UNCLOSED = re.compile(r"<(?=[^<>]*(?:<|$))")
_BREAKS = frozenset(
    "p div section article header footer main aside ul ol table tr blockquote figure hr dl dt dd".split()
)
_SILENT = frozenset("script style head template noscript svg nav iframe".split())


class Chunk(Struct, frozen=True, kw_only=True):
    """A chunk of a document: the headings above it, its number under them, and its text.

    `document` is the title of the document, if that is not among the headings.
    """

    trail: tuple[str, ...]
    number: int
    text: str
    document: str = ""

    @property
    def title(self) -> str:
        """The title of the document and the headings above the chunk, in one line."""
        return " / ".join([self.document, *self.trail] if self.document else self.trail)

    @property
    def place(self) -> str:
        """A name for the chunk that stays the same while the text around it changes."""
        return "\n".join([*self.trail, str(self.number)])

    @property
    def digest(self) -> str:
        """A hash of the text."""
        return blake2b(self.text.encode(), digest_size=12).hexdigest()


def cut(text: str, size: int = SIZE) -> list[Chunk]:
    """The chunks of a Markdown or plain text, cut at headings and between paragraphs; code blocks stay whole.

    >>> [(chunk.title, chunk.text) for chunk in cut("# Tea\\nHot.\\n\\n## Green\\nMild.\\n\\nAt 70 degrees.")]
    [('Tea', 'Hot.'), ('Tea / Green', 'Mild.\\n\\nAt 70 degrees.')]
    """
    pieces: list[Chunk] = []
    counts: dict[tuple[str, ...], int] = {}
    blocks = _blocks(text)
    named, first = _front_title(text), _first_title(blocks)
    for trail, under in _sections(blocks):
        document = named if trail else named or first
        for part in _packed(under, size):
            number = counts.get(trail, 0)
            counts[trail] = number + 1
            pieces.append(
                Chunk(trail=trail, number=number, text=part, document="" if document in trail else document)
            )
    return pieces


def filed_under(kind: str, metadata: Mapping[str, object]) -> str:
    """The searchable context of a document chunk: the words of its file name, and the headings above it.

    It is empty for records of another kind.

    >>> filed_under("knowledge", {"title": "green-tea.md: Tea / How hot", "source": "drinks/green-tea.md"})
    'green tea: Tea / How hot'
    """
    title = str(metadata.get("title") or "") if kind == "knowledge" else ""
    file = str(metadata.get("source") or "").rpartition("/")[2]
    if not file or not (title == file or title.startswith(f"{file}: ")):
        return title
    words = " ".join(re.split(r"[\W_]+", file.rpartition(".")[0] or file))
    trail = title[len(file) + 2 :]
    return f"{words}: {trail}" if trail else words


def _front_title(text: str) -> str:
    """The title in the front matter of a document, or ""."""
    front, end, _ = text[:LONGEST_FRONT].removeprefix("---\n").partition("\n---")
    if not end or not text.startswith("---\n"):
        return ""
    named = (line.partition(":")[2] for line in front.splitlines() if line.lower().startswith("title:"))
    return next(named, "").strip().strip("\"'")[:LONGEST_HEADING]


def _first_title(blocks: list[str]) -> str:
    """The first heading, or the first line if it is a paragraph of its own and not a sentence."""
    for block in blocks:
        if heading := _HEADING.match(block):
            return _heading_text(heading)
    line = blocks[0].strip() if len(blocks) > 1 else ""
    short = len(line) <= LONGEST_TITLE and "\n" not in line and line[:1].isalnum()
    return line if short and not line.endswith((".", "!", "?", ":", ";", ",", "。")) else ""


def _heading_text(heading: re.Match[str]) -> str:
    return (heading[2].rstrip().rstrip("#").rstrip() or heading[2])[:LONGEST_HEADING]


def _sections(blocks: list[str]) -> list[tuple[tuple[str, ...], list[str]]]:
    """The blocks of a text, grouped under the headings above them."""
    sections: list[tuple[tuple[str, ...], list[str]]] = [((), [])]
    trail: list[tuple[int, str]] = []
    for block in blocks:
        heading = _HEADING.match(block)
        if heading is None:
            sections[-1][1].append(block)
            continue
        level = len(heading[1])
        trail = [above for above in trail if above[0] < level] + [(level, _heading_text(heading))]
        sections.append((tuple(name for _, name in trail), []))
    return [(above, under) for above, under in sections if under]


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
        elif _underlined(blocks[-1], line):
            blocks[-1] = [f"{_LEVELS[line[0]]} {blocks[-1][-1].strip()}"]
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


def _underlined(block: list[str], line: str) -> bool:
    """Whether a line underlines the one before it as a heading, which may have the same line above it."""
    if not block or not _UNDERLINE.match(line) or block[:-1] not in ([], [line.rstrip()]):
        return False
    title = block[-1].strip()
    # A line with wide gaps is the head of a table.
    return len(title) <= len(line.rstrip()) and title[:1].isalnum() and "  " not in title and "|" not in title


def _packed(blocks: list[str], size: int) -> list[str]:
    """Blocks joined up to about `size` characters; a longer block is cut between sentences, unless it is code."""
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
        self.title = ""
        self.headed = False
        self._titling = False
        self._silent = 0
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Images have titles too; the title of the page comes before all text.
        self._titling = tag == "title" and not "".join(self.out).strip()
        if tag in _SILENT:
            self._silent += 1
        elif tag == "pre":
            self._pre += 1
            self.out.append("\n\n```\n")
        elif re.fullmatch(r"h[1-6]", tag):
            self.headed |= tag == "h1" and not self._silent
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
        self._titling = False
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "pre" and self._pre:
            self._pre -= 1
            self.out.append("\n```\n\n")
        elif tag in _BREAKS or re.fullmatch(r"h[1-6]", tag):
            self.out.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._titling:
            self.title += data
        elif not self._silent:
            # HTML treats a line break as a space, except in preformatted text.
            self.out.append(data if self._pre else re.sub(r"\s+", " ", data))


def html_text(page: str) -> str:
    """The text of a web page as Markdown, without scripts, styles and navigation.

    In a page without an h1 heading, the title of the page takes its place.

    >>> html_text("<h1>Tea</h1><script>x()</script><p>Hot &amp; <b>good</b>.</p>")
    '# Tea\\n\\nHot & good.'
    """
    if page.count("<") > page.count(">") + MOST_UNCLOSED:
        # For each unclosed tag the parser would scan the rest of the page.
        page = _UNCLOSED.sub("&lt;", page)
    parser = _Page()
    parser.feed(page)
    parser.close()
    title = "" if parser.headed else " ".join(parser.title.split())
    lines = [f"# {title}\n\n"] if title else []
    code = False
    for line in "".join(parser.out).split("\n"):
        code = code is not (line == "```")
        lines.append(line.rstrip() if code else line.strip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def decoded(data: bytes) -> str | None:
    """The text of a file, decoded by its byte order mark, as UTF-8, or else as Windows-1252; None if it is binary.

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
