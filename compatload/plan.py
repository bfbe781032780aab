"""What a plan is, as data: how an artifact is loaded in a runtime, step by step."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from compatload.frozen import frozen
from compatload.runtime.predictor_config import PredictorConfig
from compatload.runtime.release import standing


class Api(str, enum.Enum):
    """Which of Paddle's loaders is meant."""

    LAYER = "layer"  # paddle.jit.load
    PROGRAM = "program"  # paddle.static.load_inference_model
    PREDICTOR = "predictor"  # paddle.inference.create_predictor


class Strategy(str, enum.Enum):
    """How one step loads the artifact."""

    NATIVE = "native"  # Paddle's own loader, on the files as they are (or repaired)
    TRANSLATE = "translate"  # legacy program → PIR in memory → Paddle's own loader
    LEGACY_MODE = "legacy-mode"  # Paddle's own loader with PIR switched off for the call
    PIR_MODE = "pir-mode"  # Paddle's own loader with PIR switched on for the call
    FILL_IN = "fill-in"  # attributes that the program leaves out are written, then as NATIVE
    CONVERT = "convert"  # converted (and cached), then Paddle's own loader
    LAYER = "layer"  # Paddle's own layer, where no predictor computes what it should
    OPENVINO = "openvino"  # OpenVINO, which runs the model in Paddle's place
    ONNXRUNTIME = "onnxruntime"  # onnxruntime, likewise


@frozen
class PredictorOptions:
    """What a predictor's Config is told. ``onednn_operators`` limits oneDNN to these types.

    ``add_parameter`` gives the program a parameter that nothing reads. Without ``ir_optim`` the
    program runs as it was saved, without any pass. What is True here stays as the Config has it.
    """

    delete_passes: tuple[str, ...] = ()
    onednn: bool = True
    onednn_operators: tuple[str, ...] | None = None
    memory_optim: bool = True
    add_parameter: bool = False
    ir_optim: bool = True
    new_ir: bool = True
    new_executor: bool = True


@frozen
class Step:
    """One way to load the artifact.

    ``target`` is the format that it is converted to; ``unrepaired`` are rules that were switched
    off, whose repairs of operators are left out; ``rewritten`` are those whose operators are
    written otherwise for a predictor.
    """

    strategy: Strategy
    reason: str
    rules: tuple[str, ...] = ()
    target: str | None = None
    options: PredictorOptions = PredictorOptions()
    unrepaired: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    variant: str = ""  # what sets it apart from the first step of the same strategy
    overrides: tuple[str, ...] = ()  # what the caller's Config asks for and does not get, and why

    @property
    def title(self) -> str:
        """A few words for logs and reports: ``"native, without oneDNN"``."""
        return f"{self.strategy.value}, {self.variant}" if self.variant else self.strategy.value


@frozen
class Refusal:
    """Why nothing will be tried. ``error`` is the name of a class in ``compatload.errors``."""

    error: str
    problem: str
    action: str
    rule: str | None = None


@frozen
class Plan:
    """How an artifact is loaded in a runtime through one of Paddle's three loaders.

    ``config`` is what the caller asks of a predictor; None: what Paddle does by itself.
    ``inferred_from`` is the measured release whose facts are taken to hold, where the runtime's own
    was not measured; ``notes`` are what else is to be known of the runtime; ``measured`` are the
    rules that the plan follows, or does not (with a ``-``), since `compatload selftest` found out;
    ``told`` is what callers of the model have to know.
    """

    artifact: str
    format: str
    saved_by: str | None
    runtime: str
    api: Api
    device: str
    steps: tuple[Step, ...] = ()
    refusal: Refusal | None = None
    config: PredictorConfig | None = None
    inferred_from: str | None = None
    notes: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a report says of the runtime and the model, a line each."""
        judged = f"{self.runtime} {standing(self.inferred_from)}" if self.inferred_from else ""
        gone = ", ".join(f"no {one[1:]}" for one in self.measured if one.startswith("-"))
        there = ", ".join(one for one in self.measured if not one.startswith("-"))
        here = ", ".join(filter(None, (there, gone)))
        measured = f"measured here by `compatload selftest`: {here}" if here else ""
        return (*filter(None, (judged, measured)), *self.notes, *self.told)

    @property
    def needed(self) -> tuple[Step, ...]:
        """The steps without conversions that stand before a native one: they only save time."""
        native = tuple(step for step in self.steps if step.strategy is Strategy.NATIVE)
        return native or self.steps

    def explain(self) -> str:
        """The plan in words, a line a step."""
        saved = f"saved by paddle {self.saved_by}" if self.saved_by else "release unknown"
        lines = [
            f"{self.artifact}: {self.format} program, {saved}",
            f"into {self.runtime}, as a {self.api.value}, on {self.device}",
            *self.remarks,
        ]
        if self.refusal:
            rule = f" [{self.refusal.rule}]" if self.refusal.rule else ""
            lines += [f"refused{rule}: {self.refusal.problem}", f"  {self.refusal.action}"]
        for number, step in enumerate(self.steps, 1):
            rules = f" [{', '.join(step.rules)}]" if step.rules else ""
            lines.append(f"{number}. {step.title}{rules}: {step.reason}")
            lines += [f"   {detail}" for detail in _details(step)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """The plan as plain data, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """The plan that ``to_dict`` told, once it went through JSON.

        Raises KeyError, TypeError or ValueError for anything else.
        """
        refusal, config = data["refusal"], data["config"]
        return cls(
            **{
                **data,
                "api": Api(data["api"]),
                "steps": tuple(map(_step, data["steps"])),
                "notes": tuple(data.get("notes", ())),
                "measured": tuple(data.get("measured", ())),
                "told": tuple(data.get("told", ())),
                "refusal": None if refusal is None else Refusal(**refusal),
                "config": None if config is None else PredictorConfig.from_dict(config),
            }
        )


def _step(data: Mapping[str, Any]) -> Step:
    options = {name: _immutable(value) for name, value in data["options"].items()}
    return Step(
        **{
            **{name: _immutable(value) for name, value in data.items()},
            "strategy": Strategy(data["strategy"]),
            "options": PredictorOptions(**options),
        }
    )


def _immutable(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _details(step: Step) -> list[str]:
    options = step.options
    details = []
    if step.target:
        details.append(f"converted to: {step.target}")
    if options.delete_passes:
        details.append(f"passes left out: {', '.join(options.delete_passes)}")
    if not options.onednn:
        details.append("oneDNN off")
    if not options.new_ir:
        details.append("new IR off")
    if not options.new_executor:
        details.append("new executor off")
    if not options.ir_optim:
        details.append("all passes left out")
    if options.onednn_operators is not None:
        details.append(f"oneDNN for {len(options.onednn_operators)} operator types only")
    if step.rewritten:
        details.append(f"operators written otherwise: {', '.join(step.rewritten)}")
    return [*details, *step.overrides]
