"""Every operator is sorted by what it may do, and what reaches outside is never taken for less."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

import pytest

from compatload.artifact.inspection import inspect_whole
from compatload.operators.effects import Effect, effect_of, harmless_values, reaches
from compatload.operators.registry import known_releases, legacy_operators, pir_operators
from compatload.programs.legacy_repairs import (
    first_versions,
    removed_operators,
    removed_sequences,
)
from tests.fixtures.index import fixtures

TABLE: Mapping[str, Any] = json.loads(
    (resources.files("compatload.operators") / "data" / "effects.json").read_bytes()
)

# In no registry on file, and in programs nevertheless.
OF_FIRST_VERSIONS = {"expand_as", "flatten", "isfinite", "one_hot", "squeeze", "unsqueeze"}
OF_GPU_WHEELS = {
    "conv2d_fusion",
    "fused_attention",
    "fused_batch_norm_act",
    "fused_bn_add_activation",
    "fused_feedforward",
    "fused_gate_attention",
    "fused_gemm_epilogue",
    "sync_batch_norm",
    "tensorrt_engine",
}
OUTSIDE_OF_FIRST_VERSIONS = {
    *("c_gen_nccl_id", "checkpoint_notify", "gen_nccl_id", "lite_engine", "prefetch", "recv")
}

REACHERS = (
    *("save", "save_combine", "load", "load_combine", "read_file", "check_numerics", "py_func"),
    *("run_program", "read", "create_py_reader", "create_double_buffer_reader", "enqueue"),
    *("dequeue", "queue_generator", "send", "recv", "send_barrier", "fetch_barrier"),
    *("send_and_recv", "listen_and_serv", "heter_listen_and_serv", "checkpoint_notify"),
    *("c_comm_init", "c_gen_xccl_id", "c_allreduce_sum", "c_broadcast", "c_concat", "send_v2"),
    *("recv_v2", "p_send", "p_recv", "partial_send", "partial_recv", "barrier", "all_reduce"),
    *("alltoall", "global_gather", "global_scatter", "distributed_lookup_table", "pull_sparse"),
    *("push_dense", "pull_box_sparse", "push_gpups_sparse", "openvino_engine"),
    *("tensorrt_engine", "lite_engine", "fusion_group", "ap_facade", "ap_variadic"),
    *("copy_cross_scope", "delete_var", "as_strided", "set", "index_elementwise_put"),
    *("index_select_strided", "pd_op.save_combine", "pd_op.load_combine", "pd_op.read_file"),
    *("pd_op.check_numerics", "pd_op.tensorrt_engine", "pd_op.pylayer", "pd_op.ap_facade"),
    *("pd_op.ap_variadic", "pd_op.fusion_group", "pd_op.all_reduce", "pd_op.all_reduce_"),
    *("pd_op.barrier", "pd_op.send_v2", "pd_op.comm_init_all", "pd_op.send_and_recv_"),
    *("pd_op.push_sparse_v2_", "pd_op.push_box_sparse_", "pd_op.push_gpups_sparse_"),
    *("pd_op.as_strided", "pd_op.set_", "pd_op.index_elementwise_put_", "dist_op.reshard"),
    *("dist_op.shard_tensor",),
)

# A name of an attribute that has to be judged, whoever has it.
HINTS = re.compile(
    r"ring_ids?|nranks|peer|remote_prefetch|epmap|endpoints?|table_id|sync_stats|use_group"
    r"|output_dir|filename|\w*_path|\w*callable_id|\w*function_id|queue_name|engine_\w+|\w+_lambda"
    r"|program_id|cuda_graph_\w+"
)
# Of warprnnt: a number.
HARMLESS_HINTS = {"fastemit_lambda"}
# Statistics of other processes: its gradient alone asks for them.
HARMLESS_HERE = {"data_norm": {"sync_stats"}}


def registered() -> dict[str, list[Any]]:
    """Every operator of every release, as each release describes it."""
    found: dict[str, list[Any]] = {}
    for kind, operators in (("legacy", legacy_operators), ("pir", pir_operators)):
        for release in known_releases(kind):
            table = operators(release)
            for name in table:
                found.setdefault(name, []).append(table[name])
    return found


def unsorted(operators: Mapping[str, Iterable[Any]]) -> list[str]:
    """Operators that nobody has sorted, each with its attributes."""
    return [
        f"{name}({', '.join(sorted({item.name for one in kinds for item in one.attributes}))})"
        for name, kinds in operators.items()
        if effect_of(name) is None
    ]


def test_every_operator_of_every_release_is_sorted():
    missing = unsorted(registered())
    assert not missing, (
        "Nobody has sorted these operators, so programs with them are refused. Read the source of "
        "each and put it into compatload/operators/data/effects.json; in doubt under 'outside':\n"
        + "\n".join(missing)
    )


def test_a_new_operator_is_reported():
    release = pir_operators("3.3.1")
    sham = {"pd_op.conv2d": [release["pd_op.conv2d"]], "pd_op.upload": [release["pd_op.read_file"]]}
    assert unsorted(sham) == ["pd_op.upload(dtype, filename, place)"]


def test_nothing_is_sorted_twice_and_lines_are_in_order():
    counts = Counter(name for effect in Effect for name in TABLE[effect.value])
    assert {name for name, count in counts.items() if count > 1} == set()
    for section in TABLE.values():
        assert list(section) == sorted(section)
    assert set(TABLE) == {*(effect.value for effect in Effect), "conditional"}
    # A repeated key would be lost on reading.
    text = (resources.files("compatload.operators") / "data" / "effects.json").read_text("utf-8")
    for name in (*TABLE["outside"], *TABLE["conditional"]):
        sections = (name in TABLE["outside"]) + (name in TABLE["conditional"])
        assert text.count(f'"{name}":') == sections, name


def test_nothing_is_sorted_that_no_release_knows():
    names = {name for effect in Effect for name in TABLE[effect.value]}
    assert names - set(registered()) == (
        OF_FIRST_VERSIONS | OF_GPU_WHEELS | OUTSIDE_OF_FIRST_VERSIONS
    )


def test_operators_that_are_rewritten_before_paddle_sees_them_are_sorted():
    for name in (
        *first_versions.REPAIRS,
        *removed_operators.REPAIRS,
        *removed_sequences.REPAIRS,
    ):
        assert effect_of(name) is Effect.COMPUTES or harmless_values(name), name


@pytest.mark.parametrize("name", REACHERS)
def test_operators_that_reach_outside(name):
    assert effect_of(name) is Effect.OUTSIDE
    assert reaches(name)


def test_what_reaches_outside_says_what():
    assert reaches("save_combine") == "writes files"
    assert reaches("pd_op.relu") == ""
    assert all(TABLE["outside"].values())


def test_attributes_that_hint_at_the_outside_are_judged():
    unjudged = {
        name: hints
        for name, kinds in registered().items()
        if effect_of(name) is not Effect.OUTSIDE
        and not harmless_values(name)
        and (
            hints := {a.name for one in kinds for a in one.attributes if HINTS.fullmatch(a.name)}
            - HARMLESS_HINTS
            - HARMLESS_HERE.get(name, set())
        )
    }
    assert unjudged == {}


def test_harmless_values_are_of_operators_that_stay_inside_and_are_defaults():
    known = registered()
    for name, values in TABLE["conditional"].items():
        assert effect_of(name) in (Effect.COMPUTES, Effect.RANDOM), name
        described = [one for one in known.get(name, ()) if one.described]
        for attribute in values:
            found = [one.attribute(attribute) for one in described]
            assert all(found), (name, attribute)
            defaults = {getattr(item, "default", None) for item in found} - {None}
            assert defaults <= {harmless_values(name)[attribute]}, (name, attribute)


def test_harmless_values():
    assert harmless_values("pd_op.fused_attention") == {"ring_id": -1}
    assert harmless_values("hierarchical_sigmoid") == {"epmap": ()}
    assert harmless_values("relu") == {}


_TWIN = re.compile(
    r"(.+?)(?:_(?:double_grad|triple_grad|grad_grad|sparse_grad|grad2|grad))?(_sp|_sr)?(_?)"
)

# Gradients whose operator goes by another name or has none, and what exists in place only.
WITHOUT_BASE = {
    *("pd_op.straight_through_estimator_grad", "straight_through_estimator_grad"),
    *("stright_throuth_estimator_grad", "pd_op.divide_scalar_grad_sp", "pd_op.values_grad_sp"),
    *("pd_op.to_dense_grad_sp", "pd_op.to_sparse_coo_grad_sp", "pd_op.nce_sr_grad"),
    *("remainder_grad", "pd_op.array_write_", "pd_op.assign_out_", "pd_op.sync_batch_norm_"),
}
# The gradient communicates even where the operator does not.
UNLIKE_THEIR_BASE = {
    *("pd_op.sync_batch_norm_grad", "pd_op.sync_batch_norm_grad_sp", "sparse_sync_batch_norm_grad")
}


def test_gradients_and_twins_are_sorted_like_their_base():
    known = registered()
    baseless, unlike = set(), set()
    for name in known:
        match = _TWIN.fullmatch(name)
        assert match
        stem, suffix = match[1], match[2] or ""
        if stem + suffix == name:
            continue
        bare = stem.rpartition(".")[2].removesuffix("_dense_param").removesuffix("_sparse_param")
        candidates = (stem + suffix, f"{stem}{suffix}_", stem, f"{stem}_", bare)
        base = next((one for one in candidates if one in known and one != name), None)
        if base is None:
            baseless.add(name)
        # A gradient uses what its operator drew and draws nothing.
        elif effect_of(name) is not effect_of(base) and not (
            effect_of(base) is Effect.RANDOM and "_grad" in name
        ):
            unlike.add(name)
    assert unlike == UNLIKE_THEIR_BASE
    assert baseless == WITHOUT_BASE


def test_sound_models_are_let_in():
    demo = resources.files("compatload") / "demo" / "model"
    for path in (*(one.path for one in fixtures()), demo):
        for operator in inspect_whole(path).program.operators:
            assert effect_of(operator.name) not in (None, Effect.OUTSIDE), (path, operator.name)
            for attribute, value in harmless_values(operator.name).items():
                assert operator.attributes.get(attribute, value) == value, (path, operator.name)


def test_importing_opens_no_table():
    code = (
        "import sys; import compatload.operators.effects as e;"
        "assert e._sorted.cache_info().currsize == 0; assert 'paddle' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
