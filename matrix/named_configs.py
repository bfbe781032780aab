"""Configs of a predictor as programs make them on a CPU, read from their sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Call = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class NamedConfig:
    """Calls on a ``paddle.inference.Config`` in their order, and where they were read.

    A call that a release does not know is left out there, as the programs do. ``threads`` are
    left out, too: one thread is what every cell has.
    """

    name: str
    source: str
    calls: tuple[Call, ...] = ()

    def apply(self, config: Any) -> None:
        """Tell a Config all of it."""
        for method, arguments in self.calls:
            if hasattr(config, method):
                getattr(config, method)(*arguments)


_FEEDS: Call = ("switch_use_feed_fetch_ops", (False,))
_QUIET: Call = ("disable_glog_info", ())
_MEMORY: Call = ("enable_memory_optim", ())
_ONEDNN: tuple[Call, ...] = (("enable_mkldnn", ()), ("set_mkldnn_cache_capacity", (10,)))
_NEW: tuple[Call, ...] = (
    ("enable_new_ir", (True,)),
    ("enable_new_executor", ()),
    ("set_optimization_level", (3,)),
)
_CPU: Call = ("disable_gpu", ())
PADDLEX = "paddlex"
_RUNNER = "paddlex 3.7.2, inference/models/runners/paddle_static/runner.py, _create"
_PADDLEOCR = "paddleocr 2.10.0, tools/infer/utility.py, create_predictor"

NAMED = {
    one.name: one
    for one in (
        NamedConfig("default", "paddle.inference.Config(program, weights)"),
        NamedConfig(PADDLEX, _RUNNER, (_CPU, *_ONEDNN, *_NEW, _MEMORY, _QUIET)),
        NamedConfig(
            "paddlex-plain",
            f"{_RUNNER}, run mode paddle",
            (_CPU, ("disable_mkldnn", ()), *_NEW, _MEMORY, _QUIET),
        ),
        NamedConfig(
            "paddleocr-2",
            f"{_PADDLEOCR}, enable_mkldnn=True",
            (
                *(_CPU, *reversed(_ONEDNN), _MEMORY, _QUIET),
                ("delete_pass", ("conv_transpose_eltwiseadd_bn_fuse_pass",)),
                ("delete_pass", ("matmul_transpose_reshape_fuse_pass",)),
                *(_FEEDS, ("switch_ir_optim", (True,))),
            ),
        ),
        NamedConfig(
            "paddledetection",
            "PaddleDetection 005e0ff, deploy/python/infer.py, load_predictor, enable_mkldnn=True",
            (_CPU, *reversed(_ONEDNN), _QUIET, _MEMORY, _FEEDS),
        ),
        NamedConfig(
            "paddleseg",
            "PaddleSeg, deploy/python/infer.py at 02b1ed1, Predictor, device cpu",
            (_MEMORY, ("switch_ir_optim", (True,)), _CPU),
        ),
        NamedConfig(
            "paddleclas",
            "paddleclas 2.6.0, deploy/utils/predictor.py, enable_mkldnn=True",
            (_CPU, *reversed(_ONEDNN), _QUIET, ("switch_ir_optim", (True,)), _MEMORY, _FEEDS),
        ),
        NamedConfig(
            "paddlenlp",
            "paddlenlp 2.8.1, taskflow/task.py, _prepare_static_mode",
            (_CPU, ("enable_mkldnn", ()), _FEEDS, _QUIET, _MEMORY),
        ),
        NamedConfig(
            "paddlenlp-plain",
            "the same for document_intelligence and knowledge_mining",
            (
                *(_CPU, ("enable_mkldnn", ()), _FEEDS, _QUIET, _MEMORY),
                ("switch_ir_optim", (False,)),
            ),
        ),
        NamedConfig("no-onednn", "disable_mkldnn alone", (("disable_mkldnn", ()),)),
        NamedConfig("no-ir-optim", "switch_ir_optim alone", (("switch_ir_optim", (False,)),)),
        NamedConfig("neither", "both", (("switch_ir_optim", (False,)), ("disable_mkldnn", ()))),
        NamedConfig("memory-optim", "enable_memory_optim alone", (_MEMORY,)),
        NamedConfig("new-ir", "enable_new_ir alone", (("enable_new_ir", (True,)),)),
        NamedConfig("no-new-ir", "enable_new_ir(False) alone", (("enable_new_ir", (False,)),)),
        NamedConfig("new-executor", "enable_new_executor alone", (("enable_new_executor", ()),)),
        NamedConfig("level-3", "set_optimization_level alone", (("set_optimization_level", (3,)),)),
    )
}
