"""PaddleDetection's exporter with ``safe_save`` in the place of ``paddle.jit.save``.

    python -m matrix.exporters.detection CONFIG PREFIX INTERPRETERS…

Run where ``configs`` lies. The trainer, its test reader's specification (a dict in a list) and the
model's configuration are theirs; weights are random, images small. The heads that give scores get
weights as large as a trained model's, and the best boxes are asked for: with those that they begin
with all scores are the same to a millionth, and rounding decides which boxes come first.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from matrix.exporters.told import tell

SIZE = 128
BEST = 20


def main(config: str, prefix: str, *interpreters: str) -> None:
    import paddle
    from ppdet.core.workspace import load_config, merge_config
    from ppdet.engine import Trainer

    from compatload import safe_save

    settings: Any = load_config(f"configs/{config}.yml")
    nothing = {"use_gpu": False, "pretrain_weights": None, "weights": None}
    best = {"DETRPostProcess": {"num_top_queries": BEST}}
    merge_config({**nothing, **best, "eval_size": [SIZE, SIZE]})
    settings["TestReader"]["inputs_def"]["image_shape"] = [3, SIZE, SIZE]
    paddle.seed(3)
    trainer = Trainer(settings, mode="test")
    model = trainer.model
    for name, parameter in model.named_parameters():
        if "score_head" in name and len(parameter.shape) > 1:
            parameter.set_value(0.1 * paddle.randn(parameter.shape))
    model.eval()
    # What its ``export`` does but for the pruning, which wants a program before there is one.
    _, spec = trainer._get_infer_cfg_and_input_spec(
        str(Path(prefix).parent), prune_input=False, model=model
    )
    tell(lambda: safe_save(model, prefix, spec, loadable_by=">=2.6.2", interpreters=interpreters))


if __name__ == "__main__":
    main(*sys.argv[1:])
