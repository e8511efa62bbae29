"""The text of PDF files."""

from __future__ import annotations

import io
import logging
import re
from importlib import import_module
from typing import Any

from foveal.errors import Invalid, Unsupported

_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def pdf_text(data: bytes) -> str:
    """The text of a PDF as Markdown, each page under a heading of its own."""
    try:
        library = import_module("pypdf")
    except ImportError as error:
        raise Unsupported(f"PDF files need pypdf: pip install 'foveal[knowledge]' ({error})") from error
    # It logs every oddity of a file; a file that cannot be read is an error below.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        pages: list[Any] = list(library.PdfReader(io.BytesIO(data)).pages)
        texts = [str(page.extract_text() or "") for page in pages]
    except (library.errors.PyPdfError, ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        raise Invalid(f"not a PDF that can be read: {error}") from error
    found = [(number, _HYPHEN.sub("", text).strip()) for number, text in enumerate(texts, 1)]
    return "\n\n".join(f"# Page {number}\n\n{text}" for number, text in found if text)
