"""Read from a ``paddle.inference.Config`` what it asks for.

Asked of 2.6.2, 3.0.0, 3.1.1, 3.2.2, 3.3.0 and 3.3.1: all have getters for the device, oneDNN and
its int8, IR optimisation, TensorRT and threads; 3.x has one for the new IR. Memory optimisation,
CINN and the precision on a GPU are told by ``summary()`` alone, bfloat16 by the list of passes.
Nothing tells of the new executor, the optimisation level, oneDNN's operators, or, on 3.x, of the
passes that were deleted; a copy of the Config keeps them.
"""

from __future__ import annotations

from typing import Any

from compatload.runtime.predictor_config import PredictorConfig

_BFLOAT16_PASS = "cpu_bfloat16_pass"  # noqa: S105  (of a predictor)
_MIXED = {"fp16": "float16", "bf16": "bfloat16"}


def read_config(config: Any) -> PredictorConfig:
    """What ``config`` asks for, as far as this release tells. Nothing in it is changed."""
    told = _summary(config)
    return PredictorConfig(
        device=device_of(config),
        onednn=config.mkldnn_enabled(),
        ir_optim=config.ir_optim(),
        memory_optim=told.get("memory_optim") == "true",
        new_ir=hasattr(config, "new_ir_enabled") and config.new_ir_enabled(),
        new_executor=None,
        precision=_precision(config, told),
        tensorrt=config.tensorrt_engine_enabled(),
        cinn=told.get("use_cinn_compiler") == "true",
        threads=config.cpu_math_library_num_threads(),
        in_memory=config.model_from_memory(),
    )


def device_of(config: Any) -> str:
    """In Paddle's own words: ``"cpu"``, ``"gpu:0"`` …"""
    if config.use_gpu():
        return f"gpu:{config.gpu_device_id()}"
    if config.use_xpu():
        return f"xpu:{config.xpu_device_id()}"
    return "cpu"


def _precision(config: Any, told: dict[str, str]) -> str:
    if config.mkldnn_int8_enabled():
        return "int8"
    if config.mkldnn_enabled() and _BFLOAT16_PASS in config.pass_builder().all_passes():
        return "bfloat16"
    return _MIXED.get(told.get("mixed_precision_mode", ""), "float32")


def _summary(config: Any) -> dict[str, str]:
    """The rows of ``| name | value |`` in a Config's summary."""
    if config.model_from_memory():
        # It shows the model's bytes, in a table that is as wide as they are many.
        config = type(config)(config)
        config.set_prog_file("")
        config.set_params_file("")
    rows = (line.strip().strip("|").split("|") for line in config.summary().splitlines())
    return {row[0].strip(): row[1].strip() for row in rows if len(row) == 2}
