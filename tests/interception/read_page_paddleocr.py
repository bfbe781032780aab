"""A program that knows nothing of compatload: PaddleOCR 3 as it is on PyPI reads a page.

python read_page_paddleocr.py FOLDERS[,FOLDERS…] page.png [--without-onednn]

Reads it with the models of each, into FOLDERS.json, and says which it comes to.
"""

import json
import logging
import sys

from paddleocr import PaddleOCR


def read(folders, page, options):
    ocr = PaddleOCR(
        text_detection_model_name="PP-OCRv4_mobile_det",
        text_detection_model_dir=f"{folders}/PP-OCRv4_mobile_det",
        text_recognition_model_name="PP-OCRv4_mobile_rec",
        text_recognition_model_dir=f"{folders}/PP-OCRv4_mobile_rec",
        use_doc_orientation_classify=False,
        use_doc_unwarping=False,
        use_textline_orientation=False,
        **({"enable_mkldnn": False} if "--without-onednn" in options else {}),
    )
    (result,) = ocr.predict(page)
    with open(f"{folders}.json", "w") as file:
        json.dump([[t, float(s)] for t, s in zip(result["rec_texts"], result["rec_scores"])], file)


if __name__ == "__main__":
    # PaddleX has taken the root logger's handlers away by now.
    logging.basicConfig(force=True)
    logging.getLogger("compatload").setLevel(logging.INFO)
    for each in sys.argv[1].split(","):
        print(f"models: {each}", file=sys.stderr, flush=True)
        read(each, sys.argv[2], sys.argv[3:])
