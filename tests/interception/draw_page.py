"""Draw the page that the OCR tests read: ``python draw_page.py page.png``.

The font is the one inside Pillow, so every machine draws the same page.
"""

from __future__ import annotations

import sys

LINES = (
    ("Quarterly report 2026", 44),
    ("Revenue rose by 12.5 percent to 48,310 units", 28),
    ("Any saved model loads in the installed Paddle", 28),
    ("Invoice No. 20261120-0047", 32),
    ("Total: 1,294.80 EUR", 36),
)


def draw(path: str) -> None:
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("RGB", (900, 480), "white")
    pen = ImageDraw.Draw(page)
    top = 40
    for text, size in LINES:
        pen.text((60, top), text, fill="black", font=ImageFont.load_default(size))
        top += size + 42
    page.save(path)


if __name__ == "__main__":
    draw(sys.argv[1])
