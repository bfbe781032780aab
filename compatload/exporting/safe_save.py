"""``safe_save``: a layer saved so that what was saved is known to load and to compute the same."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
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
from compatload.errors import ArtifactError, CompatLoadError, ExportError, UsageError
from compatload.exporting import kept_results
from compatload.exporting.arguments import is_traced, require_savable
from compatload.exporting.branches import Ways
from compatload.exporting.changes_in_place import changes_kept
from compatload.exporting.converted_formats import write_others
from compatload.exporting.copied_outputs import outputs_copied
from compatload.exporting.counted_sizes import sizes_counted
from compatload.exporting.diagnosis import cause_of, diagnosed, is_expected, unexplained
from compatload.exporting.forms_given import forms_given
from compatload.exporting.functions_in_programs import written_for_programs
from compatload.exporting.layer_state import LayerState
from compatload.exporting.loaders import doubts, loaders_of
from compatload.exporting.loop_states import states_copied
from compatload.exporting.model_code import Expectation, expectations, grows_lists
from compatload.exporting.other_formats import PROGRAMS
from compatload.exporting.returned_fields import TOLD as FIELDS
from compatload.exporting.returned_fields import fields_returned
from compatload.exporting.saving import (
    Saving,
    native_format,
    outputs_in_order,
    saved,
)
from compatload.exporting.side_by_side import interpreters as described
from compatload.exporting.verification import (
    Comparison,
    Samples,
    compared,
    first_outputs,
    kept,
    prepared_samples,
)
from compatload.exporting.wanted_formats import releases_in, wanted
from compatload.loading.modes import dynamic_mode
from compatload.loading.scratch import scratch_directory
from compatload.operators.admission import require_admissible
from compatload.trials.comparison import EXPORTED
from compatload.trials.fork import LIMIT_S, can_fork, dies_of, end_of

logger = logging.getLogger("compatload")

_FLAGS = ("FLAGS_enable_pir_api", "FLAGS_use_cinn", "FLAGS_prim_all", "FLAGS_cudnn_deterministic")
_EVAL = "saved in eval mode; the layer was training"
_FULL = "saved as a full graph; the layer was converted with full_graph=False"
_COPIED = (
    "outputs copied with paddle.assign, because the model came out wrong without: "
    "an addition of a constant was lost (CL421)"
)
_STATES = (
    "states of loops copied before them with paddle.assign, because the model came out wrong "
    "without: they begin as one Tensor or as one that is needed again, or change places (CL422)"
)
_CHANGES = (
    "what changes in place (y.exp_()) does so in the program as well, because the model came out "
    "wrong without: Paddle loses such changes (CL438)"
)
_SIZES = (
    "sizes that are not known are counted with where the program runs, because the model could not "
    "be saved, or came out wrong, without: Paddle counts with -1 for them (CL457)"
)
_FUNCTIONS = (
    "functions that Paddle has for Tensors only (view, as_strided, unfold, fill_, set_value …) are "
    "written as what a program has (CL458), and those of them that change in place do (CL438)"
)
_FORMS = (
    "code that Paddle cannot make a program of, or makes another of, is converted in a form that "
    "it knows, of the same meaning: comparisons in a chain (CL424), loops that begin with a truth "
    "of Python (CL403) or with None, whose first turn is always taken (CL404), return and else of "
    "a loop (CL427, CL435), comprehensions, extend and zip over free dimensions (CL433, CL436, "
    "CL437), update of a dict (CL410), None, a text or a function out of a branch (CL401, CL425), "
    "super() (CL415), parameters by name alone (CL423); hooks of gradients are left out (CL417)"
)
_STATEFUL = (
    "the layer keeps a state: a call gives other numbers than the one before it, or changes its "
    "buffers. It is saved as it was, and first calls were compared; from 3.0 on a saved model may "
    "not keep a state from call to call"
)
# A scope in which a layer is saved otherwise.
_Remedy = Callable[[Any], AbstractContextManager[None]]


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

    def save(subject: Any) -> Saving:
        try:
            saving = saved(subject, staged, input_spec, samples[0].arguments, configs)
        except Exception as error:
            raise diagnosed(error, prefix, runtime, expected) from error
        artifact = inspect_whole(staged)
        require_admissible(artifact, target.trusted_operators)
        return replace(saving, told=(*saving.told, *outputs_in_order(artifact)))

    def under(remedy: _Remedy) -> tuple[Comparison, tuple[str, ...]]:
        """Saved anew with it, and what else was done for it; where that fails, what was said. A
        program that Paddle was about to refuse may end the process when it is made otherwise."""

        def remedied() -> Saving:
            with remedy(layer):
                return save(layer)

        if can_fork():
            end = end_of(remedied, LIMIT_S)
            if end.status != 0:
                return Comparison(None, "saving fails as well"), ()
        try:
            saving = remedied()
        except (ExportError, ArtifactError) as error:
            return Comparison(None, str(error)), ()
        return compared(staged, samples, tolerance, configs), saving.told

    crash = next((entry for entry in expected if entry.happens == "crash"), None)

    def written() -> tuple[Comparison, tuple[str, ...], list[Expectation]]:
        failed: CompatLoadError | None = None
        saving = Saving(())
        is_risky = crash is not None or grows_lists(layer)
        signal_name = dies_of(lambda: save(layer)) if is_risky else ""
        try:
            if signal_name:
                raise unexplained("CL454", crash, prefix, runtime, f"saving ends in {signal_name}")
            saving = save(layer)
            found = compared(staged, samples, tolerance, configs)
        except (ExportError, ArtifactError) as error:
            failed, found = error, Comparison(None, str(error))
        # What the samples do not show may be wrong all the same.
        doubted = {entry.rule for entry in expected if entry.happens == "wrong"}
        is_endless = failed is not None and isinstance(failed.__cause__, RecursionError)
        for remedy, told, solves in () if is_endless else _remedies(layer):
            if not found.differs and not doubted & solves:
                continue
            mended, besides = under(remedy)
            if not mended.differs:
                others = [entry for entry in expected if entry.rule not in solves]
                return mended, (*told, *besides), others
        if not found.differs:
            if doubted:
                saving = save(layer)  # a remedy that did not help may have written over it
            return found, saving.told, expected
        if failed is not None:
            raise failed
        cause, doubt = cause_of(found.differs, expected), saving.doubt
        # An input that leads nowhere may be what is left of code that comes out wrong.
        if doubt is not None and (cause is None or is_expected(doubt, expected)):
            raise diagnosed(doubt, prefix, runtime, expected) from doubt
        raise unexplained("CL453", cause, prefix, runtime, found.differs)

    found, remedies, expected = _without_kept_results(results, written)
    remedies = (*known, *remedies)
    expected = [one for one in expected if not known or one.rule not in _rules_in(FIELDS)]
    record = _record(staged, samples[0], found.difference, remedies, target)
    record = replace(record, untried=ways.untaken())
    warnings = tuple(_warning(e) for e in expected if e.happens == "wrong")
    if any(one.stateful for one in samples):
        warnings += (_STATEFUL,)
    return replace(record, warnings=warnings), samples


def _run_anew(layer: Any, samples: Sequence[Samples], state: LayerState) -> list[Any]:
    with _random_state(), state.kept():
        return first_outputs(layer, samples)


def _without_kept_results(
    results: Collection[kept_results.KeptResult],
    written: Callable[[], tuple[Comparison, tuple[str, ...], list[Expectation]]],
) -> tuple[Comparison, tuple[str, ...], list[Expectation]]:
    """As ``written`` with nothing kept in the layer, or where that fails, with what it keeps."""
    if not results:
        return written()
    try:
        with kept_results.left_out(results):
            found, remedies, expected = written()
    except ExportError:
        return written()
    return found, (*kept_results.told(results), *remedies), expected


def _remedies(layer: Any) -> Iterator[tuple[_Remedy, tuple[str, ...], frozenset[str]]]:
    """What may help where the saved model differs or there is none, how it is told, and the rules
    that it answers: each by itself, and all at once."""
    known = [
        *([(outputs_copied, _COPIED)] if hasattr(layer, "register_forward_post_hook") else []),
        (states_copied, _STATES),
        (changes_kept, _CHANGES),
        (sizes_counted, _SIZES),
        (forms_given, _FORMS),
        (written_for_programs, _FUNCTIONS),
    ]
    for remedy, told in known:
        yield remedy, (told,), _rules_in(told)

    @contextmanager
    def together(subject: Any) -> Iterator[None]:
        with ExitStack() as scope:
            for remedy, _ in known:
                scope.enter_context(remedy(subject))
            yield

    everything = tuple(told for _, told in known)
    yield together, everything, frozenset().union(*map(_rules_in, everything))


def _rules_in(told: str) -> frozenset[str]:
    return frozenset(re.findall(r"CL\d+", told))


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
    sample = kept(samples, [spec.name for spec in inspect_whole(staged).inputs])
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
