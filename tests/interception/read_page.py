"""A program that knows nothing of compatload: rapidocr_paddle as it is on PyPI reads a page.

python read_page.py page.png lines.json
"""

import json
import logging
import sys

from rapidocr_paddle import RapidOCR

if __name__ == "__main__":
    # Paddle puts a handler on the root logger; 3.0.0 leaves its level at WARNING.
    logging.getLogger("compatload").setLevel(logging.INFO)
    result, _ = RapidOCR()(sys.argv[1])
    with open(sys.argv[2], "w") as file:
        json.dump([[text, float(score)] for _, text, score in result], file)
