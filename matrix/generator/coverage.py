"""Which operators of the registries were tried, in which format, saved and loaded in which way."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from compatload.operators.effects import Effect, effect_of
from compatload.operators.registry import legacy_operators, pir_operators
from matrix.generator.searching import Search

# Marks in a name of what no user's program has in inference, or no CPU runs.
NOT_ASKED: Mapping[str, tuple[str, ...]] = {
    "gradients": ("_grad", "grad_"),
    "other devices or several machines": (
        *("fused_", "fusion_", "c_", "_xpu", "xpu_", "_npu", "cudnn", "tensorrt", "onednn_op."),
        *("send_v2", "recv_v2", "partial_", "global_", "p_", "all_", "reduce_scatter", "dist_op."),
        *(
            "quant_linear",
            "flash_attn",
            "block_multihead",
            "masked_multihead",
            "moe",
            "distributed",
        ),
    ),
    "optimisers": (
        *("adam", "sgd", "momentum", "lamb", "rmsprop", "adagrad", "adadelta", "ftrl", "dgc"),
        *("lars", "update_loss_scaling", "check_finite", "decayed", "dpsgd", "rprop", "nadam"),
    ),
}


# What a saved program does not hold: tensors of gradients, and forms that only passes write.
OF_PASSES = "a form in place, which passes write"
IN_PLACE = "tried by its form in place"
NOT_SAVED: Mapping[str, tuple[str, ...]] = {
    "sparse tensors": ("_sp", "_sp_"),
    "rows of a gradient": ("_sr", "_sr_", "_selected_rows"),
    "primitives of the differentiation of 2.x": ("_p",),
}
# Found out by trying: what Python makes while it traces nothing, and kernels that only say no.
FOUND_OUT: Mapping[str, Mapping[str, frozenset[str]]] = {
    "only eager code makes it": {
        "pir": frozenset(
            (
                *("pd_op.fill", "pd_op.fill_diagonal", "pd_op.view_dtype", "pd_op.view_shape"),
                *("pd_op.edit_distance", "pd_op.fake_quantize_dequantize_abs_max"),
                "pd_op.fake_channel_wise_quantize_dequantize_abs_max",
            )
        ),
        "legacy": frozenset(),
    },
    "no kernel for a CPU": {
        "pir": frozenset(("pd_op.margin_cross_entropy",)),
        "legacy": frozenset(("margin_cross_entropy", "correlation")),
    },
    "keeps a state between calls": {
        "pir": frozenset(),
        "legacy": frozenset(("auc",)),
    },
}
# Read out of wheels by ``matrix.generator.reach``.
REACH = Path(__file__).with_name("reach.json")


@dataclass(frozen=True)
class Coverage:
    """Of one format: what was tried how often in which way, what was not, and why not."""

    format: str
    ways: Mapping[str, Mapping[str, int]]
    absent: Mapping[str, tuple[str, ...]]

    @property
    def known(self) -> int:
        return len(self.ways) + sum(map(len, self.absent.values()))

    @property
    def share(self) -> float:
        """Of the operators that a function makes and a CPU runs, what part was tried."""
        return len(self.ways) / max(1, len(self.ways) + len(self.absent.get(NOT_MET, ())))


NOT_MET = "no drawn model has it"


REGISTRIES: Mapping[str, Callable[[], Iterable[str]]] = {
    "legacy": lambda: [*legacy_operators("2.6.2")],
    "pir": lambda: [*pir_operators("3.3.1")],
}


def coverage(search: Search) -> list[Coverage]:
    tried: dict[str, dict[str, dict[str, int]]] = {"legacy": {}, "pir": {}}
    for model in search.models.values():
        if model.refused:
            continue
        format_ = "pir" if any(name.startswith("pd_op.") for name in model.operators) else "legacy"
        for operator in model.operators:
            ways = tried[format_].setdefault(operator, {})
            ways[model.description.way] = ways.get(model.description.way, 0) + 1
    return [_of(kind, tried[kind], known()) for kind, known in REGISTRIES.items()]


def _of(kind: str, tried: Mapping[str, Mapping[str, int]], known: Iterable[str]) -> Coverage:
    absent: dict[str, list[str]] = {}
    for name in known:
        if name not in tried:
            absent.setdefault(why_not(name, kind, tried), []).append(name)
    return Coverage(kind, tried, {why: tuple(sorted(names)) for why, names in absent.items()})


def untried(seeds: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """By format, what a function makes and a CPU runs and none of those reports has tried."""
    several = [*seeds]
    left = {}
    for kind, known in REGISTRIES.items():
        tried = {name for one in several for name in one["operators"][kind]["tried"]}
        left[kind] = [
            name for name in known() if name not in tried and why_not(name, kind, tried) == NOT_MET
        ]
    return left


def why_not(name: str, kind: str, tried: Collection[str]) -> str:
    """Why no model has that operator."""
    if kind == "pir" and not name.endswith("_") and f"{name}_" in tried:
        return IN_PLACE
    effect = effect_of(name)
    if effect is Effect.OUTSIDE:
        return "refused: reaches outside"
    if effect is Effect.RANDOM:
        return "draws numbers"
    bare = name.rpartition(".")[2]
    for why, marks in NOT_ASKED.items():
        if any(
            mark in name if mark.endswith(".") or len(mark) > 3 else bare.startswith(mark)
            for mark in marks
        ):
            return why
    if bare.startswith("sparse_"):
        return "sparse tensors"
    for why, ends in NOT_SAVED.items():
        if bare.endswith(ends):
            return why
    if kind == "pir" and bare.endswith("_"):
        return OF_PASSES
    for why, names in FOUND_OUT.items():
        if name in names[kind]:
            return why
    return next((why for why, names in _reach(kind).items() if name in names), NOT_MET)


@cache
def _reach(kind: str) -> Mapping[str, frozenset[str]]:
    read = json.loads(REACH.read_text(encoding="utf-8"))[kind]
    return {why: frozenset(names) for why, names in read.items() if why != "release"}
