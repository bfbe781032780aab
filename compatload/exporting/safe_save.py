"""``safe_save``: a layer saved so that what was saved is known to load and to compute the same."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from compatload._version import __version__
from compatload.artifact.inspection import inspect_whole
from compatload.artifact.record import (
    SUFFIX,
    Record,
    record_path,
    stored_file,
    write_record,
)
from compatload.checking.target import Target, parse_target
from compatload.errors import (
    ExportError,
    UsageError,
)
from compatload.exporting import kept_results
from compatload.exporting.arguments import is_traced, require_savable
from compatload.exporting.attempts import Export
from compatload.exporting.branches import Ways
from compatload.exporting.converted_formats import write_others
from compatload.exporting.diagnosis import doubted_of, unexplained
from compatload.exporting.layer_state import LayerState
from compatload.exporting.loaders import doubts, loaders_of
from compatload.exporting.model_code import (
    Expectation,
    expectations,
    texts_of,
)
from compatload.exporting.other_formats import PROGRAMS
from compatload.exporting.remedies import Attempt, rules_in
from compatload.exporting.returned_fields import TOLD as FIELDS
from compatload.exporting.returned_fields import fields_returned
from compatload.exporting.saving import (
    native_format,
)
from compatload.exporting.side_by_side import interpreters as described
from compatload.exporting.verification import (
    Samples,
    first_outputs,
    kept,
    prepared_samples,
)
from compatload.exporting.wanted_formats import releases_in, wanted
from compatload.loading.modes import dynamic_mode
from compatload.loading.scratch import scratch_directory
from compatload.trials.comparison import EXPORTED

logger = logging.getLogger("compatload")

_FLAGS = ("FLAGS_enable_pir_api", "FLAGS_use_cinn", "FLAGS_prim_all", "FLAGS_cudnn_deterministic")
_EVAL = "saved in eval mode; the layer was training"
_FULL = "saved as a full graph; the layer was converted with full_graph=False"
_STATEFUL = (
    "the layer keeps a state: a call gives other numbers than the one before it, or changes its "
    "buffers. It is saved as it was, and first calls were compared; from 3.0 on a saved model may "
    "not keep a state from call to call"
)


def safe_save(
    layer: Any,
    path: str,
    input_spec: Sequence[Any] | None = None,
    *,
    formats: Iterable[str] | None = None,
    loadable_by: str | None = None,
    sample_inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    tolerance: float = EXPORTED,
    interpreters: Sequence[str] = (),
    trusted_operators: Collection[str] = (),
    **configs: Any,
) -> Record:
    """Save a layer as ``paddle.jit.save`` does: always a full graph, read back and compared.

    Nothing appears under ``path`` before the saved model has given the layer's own numbers, and
    afterwards everything global is as it was, the layer's mode and ``forward`` included. Code that
    Paddle cannot convert, or converts to something else, is converted in another form of the same
    meaning; the record says what was done (``remedies``). While it saves, other threads may see
    Paddle's functions and those of Tensors as it needs them.

    Args:
        path: prefix of the files, without suffix.
        formats: of ``"pir"`` and ``"legacy"``; by default what this Paddle writes. What it cannot
            write itself is converted, loaded back and compared as well.
        loadable_by: releases whose own loaders must be able to read it (``">=2.6"``). Each loader
            is tried on the releases that ``interpreters`` and this Python have, and predicted on
            the others; what does not give the layer's numbers is a warning.
        sample_inputs: arrays or Tensors to compare with, nested as ``input_spec`` or by name; made
            from ``input_spec`` otherwise: several sizes, both signs, large and zero.
        tolerance: largest difference allowed, relative to the largest value of the output.
        interpreters: Pythons with other Paddles; the first with 3.x writes PIR for 2.6.
        trusted_operators: exact names of operators that its loads will be told to let in.
        configs: handed on to ``paddle.jit.save``.

    Returns:
        The record that was written to ``PATH.compatload``.

    Raises:
        ExportError: Paddle cannot save it, or what it saved is wrong; names the line of the
            model's own code where that is known.
        UnsafeArtifactError, UnsupportedOperatorError: the layer holds operators that no load lets
            in unless they are named.
        UsageError: an argument makes no sense.
    """
    import paddle

    target = parse_target(paddle.__version__, trusted_operators=trusted_operators)
    prefix = _checked_prefix(path)
    require_savable(layer)
    native = native_format()
    written = _checked_formats(native, str(target.version), formats, loadable_by, prefix)
    known = described(interpreters)
    Path(prefix).parent.mkdir(parents=True, exist_ok=True)
    with scratch_directory(str(Path(prefix).parent), ".compatload-save-") as folder:
        staged = str(Path(folder, Path(prefix).name))
        with ExitStack() as hooks:
            hooks.enter_context(dynamic_mode(paddle))
            hooks.enter_context(_random_state())
            was_training = hooks.enter_context(_eval_mode(layer))
            record, samples = _saved_and_compared(
                layer,
                staged,
                input_spec,
                sample_inputs,
                tolerance,
                target,
                prefix,
                configs,
                hooks,
                elsewhere=loadable_by is not None,
            )
            others = [one for one in written if one != native]
            write_others(staged, others, samples, tolerance, configs, known)
        modes = [_EVAL] if was_training else []
        modes += [_FULL] if is_traced(layer) else []
        record = replace(record, remedies=(*modes, *record.remedies))
        if native not in written and not (native == "pir" and any("==" in one for one in written)):
            for left in Path(folder).glob(f"*{PROGRAMS[native]}"):
                left.unlink()
        loaders = loaders_of(
            staged,
            releases_in(loadable_by) or [str(target.version)],
            known if loadable_by else (),
            samples[0],
            target.device,
        )
        record = replace(
            record,
            files=_files(folder),
            formats=written,
            pir_version=_pir_version(staged),
            loaders=loaders,
            warnings=(*record.warnings, *doubts(loaders)),
        )
        _move(folder, prefix, record)
    for told in (*record.remedies, *record.warnings, *record.untried):
        logger.warning("safe_save %s: %s", path, told)
    return record


def _saved_and_compared(
    layer: Any,
    staged: str,
    input_spec: Sequence[Any] | None,
    sample_inputs: Sequence[Any] | Mapping[str, Any] | None,
    tolerance: float,
    target: Target,
    prefix: str,
    configs: dict[str, Any],
    hooks: ExitStack,
    *,
    elsewhere: bool,
) -> tuple[Record, tuple[Samples, ...]]:
    """Save to the staged prefix, compare, and take the remedy that is known if it differs."""
    import paddle

    runtime = f"paddlepaddle {target.version}, {paddle.device.get_device()}"
    expected = expectations(layer, target)
    ways, buffers = Ways(), kept_results.Buffers(layer)
    state = LayerState(layer, note=buffers.note)
    known: tuple[str, ...] = ()

    def prepared() -> tuple[Samples, ...]:
        limited = ways.limited
        return prepared_samples(layer, input_spec, sample_inputs, limited, state, elsewhere)

    with ways.watched():
        samples = prepared()
        if not samples[0].rounds[0].outputs and hasattr(layer, "register_forward_post_hook"):
            hooks.enter_context(fields_returned(layer))
            samples, known = prepared(), (FIELDS,)
        results = kept_results.unread(buffers.replaced(), partial(_run_anew, layer, samples, state))

    if not samples[0].rounds[0].outputs and not configs.get("skip_forward"):
        cause = next((entry for entry in expected if entry.rule == "CL431"), None)
        seen = "Paddle finds no Tensor in what forward returns"
        raise unexplained("CL431", cause, prefix, runtime, seen)
    if input_spec is None and sample_inputs is not None:
        input_spec = samples[0].arguments.spec

    export = Export(
        layer,
        staged,
        input_spec,
        samples,
        tolerance,
        configs,
        target,
        prefix,
        runtime,
        expected,
        code=texts_of(layer),
        assigns=state.assigns,
    )
    taken = _without_kept_results(results, export.written)
    found = taken.found
    record = _record(staged, samples[0], found.difference, (*known, *taken.told), target)
    solved = taken.solved | rules_in(*known)
    expected = [one for one in expected if one.rule not in solved]
    record = replace(record, untried=ways.untaken())
    warnings = tuple(_warning(e) for e in expected if e.happens == "wrong")
    if found.at_edges:
        warnings += (doubted_of("CL460", found.at_edges),)
    if any(one.stateful for one in samples):
        warnings += (_STATEFUL,)
    return replace(record, warnings=warnings), samples


def _run_anew(layer: Any, samples: Sequence[Samples], state: LayerState) -> list[Any]:
    with _random_state(), state.kept():
        return first_outputs(layer, samples)


def _without_kept_results(
    results: Collection[kept_results.KeptResult], written: Callable[[], Attempt]
) -> Attempt:
    """As ``written`` with nothing kept in the layer, or where that fails, with what it keeps."""
    if not results:
        return written()
    try:
        with kept_results.left_out(results):
            taken = written()
    except ExportError:
        return written()
    return replace(taken, told=(*kept_results.told(results), *taken.told))


def _warning(expectation: Expectation) -> str:
    return (
        f"{expectation.rule} at {expectation.place}: {expectation.title} was measured to come out "
        f"wrong on this release; the samples did not show it. {expectation.fix}"
    )


def _record(
    staged: str,
    samples: Samples,
    difference: float | None,
    remedies: tuple[str, ...],
    target: Target,
) -> Record:
    import paddle

    known = [name for name in _FLAGS if _flag(paddle, name) is not None]
    sample = kept(samples, inspect_whole(staged))
    return Record(
        release=str(target.version),
        format=native_format(),
        pir_version=_pir_version(staged),
        device=str(paddle.device.get_device()),
        flags={name: _flag(paddle, name) for name in known},
        inputs=sample.inputs,
        files={},
        outputs=sample.outputs,
        seed=sample.seed,
        sizes=sample.sizes,
        sample_inputs=sample.sample_inputs,
        difference=difference,
        remedies=remedies,
        compatload=__version__,
    )


def _pir_version(staged: str) -> int | None:
    """What Paddle has just written into the program's head; None for a legacy program."""
    try:
        with open(staged + PROGRAMS["pir"], "rb") as stream:
            return int(json.load(stream)["base_code"]["version"])
    except FileNotFoundError:
        return None


def _flag(paddle: Any, name: str) -> object:
    try:
        return paddle.get_flags(name)[name]
    except ValueError:  # a flag that this release does not have
        return None


@contextmanager
def _random_state() -> Iterator[None]:
    """Paddle's generators as they were: running a layer may draw from them."""
    import paddle

    before = paddle.get_rng_state()
    try:
        yield
    finally:
        paddle.set_rng_state(before)


class _eval_mode:  # noqa: N801 - used as a function
    """Every sublayer in eval mode for the scope, then in its own again; True if any trained."""

    def __init__(self, layer: Any) -> None:
        layers = layer.sublayers(include_self=True) if hasattr(layer, "sublayers") else []
        self._modes = [(part, part.training) for part in layers]

    def __enter__(self) -> bool:
        for part, _ in self._modes:
            part.training = False
        return any(training for _, training in self._modes)

    def __exit__(self, *_: object) -> None:
        for part, training in self._modes:
            part.training = training


def _checked_prefix(path: str) -> str:
    prefix = os.fspath(path)
    if not prefix or prefix.endswith(("/", os.sep)) or os.path.isdir(prefix):
        raise UsageError(
            f"{path!r} is a directory, not a prefix of file names.",
            action='Add a name: "DIRECTORY/model".',
        )
    for suffix in (*PROGRAMS.values(), ".pdiparams"):
        if prefix.endswith(suffix):
            raise UsageError(
                f"{path!r} has a suffix, which Paddle would add again.",
                action=f"Save to {prefix[: -len(suffix)]!r}.",
            )
    return prefix


def _checked_formats(
    native: str,
    release: str,
    formats: Iterable[str] | None,
    loadable_by: str | None,
    prefix: str,
) -> tuple[str, ...]:
    """What to write; the native format comes first, because the others are made from it."""
    targets = wanted(native, release, formats, loadable_by)
    kinds = {"legacy" if one == "legacy" else "pir" for one in targets}
    for name, suffix in PROGRAMS.items():
        if name not in kinds and os.path.exists(prefix + suffix):
            raise ExportError(
                f"{prefix}{suffix} shares its weights file with what is to be saved, and would "
                "be left with weights of another program.",
                action="Save under another name, or delete it first.",
                artifact=prefix,
            )
    return targets


def _files(folder: str) -> dict[str, Any]:
    return {name: stored_file(str(Path(folder, name))) for name in sorted(os.listdir(folder))}


def _move(folder: str, prefix: str, record: Record) -> None:
    """The staged files take their places: weights before programs, the record last of all."""
    place = Path(prefix).parent
    Path(record_path(prefix)).unlink(missing_ok=True)
    programs = tuple(PROGRAMS.values())
    for name in sorted(record.files, key=lambda name: (name.endswith(programs), name)):
        os.replace(Path(folder, name), place / name)
    write_record(record, record_path(prefix))


__all__ = ["SUFFIX", "safe_save"]
