"""PaddleDetection's exporter with ``safe_save`` in the place of ``paddle.jit.save``.

    python -m matrix.exporters.detection CONFIG PREFIX INTERPRETERS…

Run where ``configs`` lies. The trainer, its test reader's specification (a dict in a list) and the
model's configuration are theirs; weights are random, images small.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from matrix.exporters.told import tell

SIZE = 128


def main(config: str, prefix: str, *interpreters: str) -> None:
    import paddle
    from ppdet.core.workspace import load_config, merge_config
    from ppdet.engine import Trainer

    from compatload import safe_save

    settings: Any = load_config(f"configs/{config}.yml")
    nothing = {"use_gpu": False, "pretrain_weights": None, "weights": None}
    merge_config({**nothing, "eval_size": [SIZE, SIZE]})
    settings["TestReader"]["inputs_def"]["image_shape"] = [3, SIZE, SIZE]
    paddle.seed(3)
    trainer = Trainer(settings, mode="test")
    model = trainer.model
    model.eval()
    # What its ``export`` does but for the pruning, which wants a program before there is one.
    _, spec = trainer._get_infer_cfg_and_input_spec(
        str(Path(prefix).parent), prune_input=False, model=model
    )
    tell(lambda: safe_save(model, prefix, spec, loadable_by=">=2.6.2", interpreters=interpreters))


if __name__ == "__main__":
    main(*sys.argv[1:])
