"""A program that knows nothing of compatload: rapidocr_paddle as it is on PyPI reads a page.

python read_page.py page.png lines.json
"""

import json
import sys

from rapidocr_paddle import RapidOCR

if __name__ == "__main__":
    result, _ = RapidOCR()(sys.argv[1])
    with open(sys.argv[2], "w") as file:
        json.dump([[text, float(score)] for _, text, score in result], file)
