"""Encoders of PaddleNLP, two thin layers each."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from matrix.families.registry import Models
from matrix.network import Input
from matrix.zoo.packages import project

MODELS = Models()
_WORDS = {"input_ids": Input((None, None), "int64", 1, 64)}
_RUNS = [[(1, 8)], [(2, 12)]]
_THIN = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}


def _encoder(folder: str, name: str) -> Any:
    with project("paddlenlp"):
        module = import_module(f"paddlenlp.transformers.{folder}.modeling")
        config = import_module(f"paddlenlp.transformers.{folder}.configuration")
        return getattr(module, f"{name}Model")(getattr(config, f"{name}Config")(**_THIN))


for _folder, _name in {
    "bert": "Bert",
    "ernie": "Ernie",
    "roberta": "Roberta",
    "albert": "Albert",
    "electra": "Electra",
    "distilbert": "DistilBert",
    "tinybert": "TinyBert",
    "mpnet": "MPNet",
}.items():
    MODELS.add("PaddleNLP", _name, partial(_encoder, _folder, _name), _WORDS, _RUNS)
