"""Exporters and models of others, unmodified, through ``safe_save``.

Their code lies outside of every checkout: PaddleDetection's sources (no wheel holds RT-DETR) and
paddlenlp's wheel, each beside what they need, in a folder that is put on the path.

    python -m matrix.exporters.prove ENVIRONMENTS --detection FOLDER… --language FOLDER…
"""
