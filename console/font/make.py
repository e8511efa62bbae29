"""Cuts the signs of glyphs out of Noto Sans CJK, as `README.md` says, into `src/style/glyphs.woff2`."""

import subprocess
import sys
from pathlib import Path

from fontTools.ttLib import TTFont

from foveal.rules.glyphs import ALPHABET

MADE = Path(__file__).parents[1] / "src" / "style" / "glyphs.woff2"
# The collection has one font for each region; the alphabet is that of mainland China.
SIMPLIFIED = 2

if __name__ == "__main__":
    subprocess.run(
        [
            *(sys.executable, "-m", "fontTools.subset", sys.argv[1], f"--font-number={SIMPLIFIED}"),
            *(f"--text={ALPHABET}", "--flavor=woff2", "--layout-features=", "--no-hinting", "--desubroutinize"),
            *("--name-IDs=0,1,2,3,4,5,6,13,14", "--drop-tables+=vhea,vmtx,VORG,BASE,GPOS,GSUB,GDEF"),
            f"--output-file={MADE}",
        ],
        check=True,
    )
    missing = set(ALPHABET) - {chr(one) for one in TTFont(MADE).getBestCmap()}
    if missing:
        sys.exit(f"the font lacks {''.join(missing)}")
    print(f"{MADE.name} has {MADE.stat().st_size:,} bytes")
