"""Writes the description of the HTTP door beside the reference pages."""

from pathlib import Path

import msgspec

from foveal.doors.http.openapi import document

PATH = Path(__file__).parent / "reference" / "openapi.json"

if __name__ == "__main__":
    PATH.write_bytes(msgspec.json.format(msgspec.json.encode(document()), indent=1) + b"\n")
