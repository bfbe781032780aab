"""Qwen2 of paddlenlp, a tiny random one, with batch and length free.

python -m matrix.exporters.language qwen2 PREFIX INTERPRETERS…
"""

from __future__ import annotations

import sys

from matrix.exporters.told import tell


def main(name: str, prefix: str, *interpreters: str) -> None:
    import paddle
    from paddle.static import InputSpec
    from paddlenlp.transformers import Qwen2Config, Qwen2ForCausalLM

    from compatload import safe_save

    paddle.seed(3)
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=100,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=64,
        )
    )
    model.eval()
    spec = [InputSpec([None, None], "int64", "input_ids")]
    tell(lambda: safe_save(model, prefix, spec, loadable_by=">=2.6.2", interpreters=interpreters))


if __name__ == "__main__":
    main(*sys.argv[1:])
