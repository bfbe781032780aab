"""The layer of prepared programs: a pool of predictors or of Paddle's own layers, and names."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from packaging.specifiers import SpecifierSet

from compatload.artifact.model import Artifact, TensorSpec
from compatload.faults.cl153_list_of_the_run_before import fills_lists
from compatload.frozen import frozen
from compatload.loading.layer import make_layer
from compatload.loading.pipeline import Material, load
from compatload.loading.predictor import Wanted, create, make_predictor
from compatload.loading.report import load_report
from compatload.loading.request import Request
from compatload.loading.sequences import kept, sequences_of
from compatload.operators.racing import races
from compatload.plan import Api, Step, Strategy
from compatload.runtime.release import release_of
from compatload.serving.heap import keep_freed_memory
from compatload.serving.layer import InferenceLayer
from compatload.serving.options import InferenceOptions
from compatload.serving.pool import RunnerPool
from compatload.serving.runners import (
    LayerRunner,
    PredictorRunner,
    Runner,
    dies_of_nothing,
    dying_plainly,
    is_recurrent,
    leaves_inputs_alone,
    multiplies,
)
from compatload.serving.shapes import renamed
from compatload.serving.spare import SpareRunner
from compatload.serving.values import PaddleTensors

# Paddle's own example value, of which the pool grows on demand.
_GPU_MEMORY_MB = 100
_TENSORRT_WORKSPACE = 1 << 30
_UNTOLD = "0.0.0"
# Releases whose own kernels do not survive products of nothing.
_MULTIPLYING = SpecifierSet("<3.0")


def lending(artifact: Artifact) -> dict[str, object]:
    """What is kept of a load: whether its runners may be lent the caller's own arrays, what would
    kill the process where there are no elements, and which inputs may be sequences."""
    program = artifact.program
    return {
        "lend": leaves_inputs_alone(program),
        "dies": dies_of_nothing(program),
        "dying_plainly": dying_plainly(program),
        "multiplies": multiplies(artifact),
        "lists": fills_lists(program),
        "recurrent": is_recurrent(program),
        **kept(artifact),
    }


@frozen
class Pool:
    """Makes the layer that a request and its options ask for."""

    request: Request
    options: InferenceOptions

    def make(self, material: Material, step: Step) -> tuple[InferenceLayer, tuple[str, ...]]:
        """The layer that ``step`` leads to, and the rules by which operators were rewritten."""
        artifact, plan = material.artifact, material.plan
        lends = material.more or lending(artifact)
        make = self._layers if step.strategy is Strategy.LAYER else self._predictors
        runners, repairs = make(material, step, lends)
        inputs = named_inputs(artifact, runners[0].input_names)
        layer = InferenceLayer(
            RunnerPool(runners, name=artifact.path),
            inputs,
            tuple(spec.name for spec in artifact.outputs),
            path=artifact.path,
            values=PaddleTensors(plan.device, sequences_of(material)),
            acquire_timeout=self.options.acquire_timeout,
            shapes=renamed(artifact.inputs, [one.name for one in inputs], self.options.shapes),
        )
        return layer, repairs

    def _predictors(
        self, material: Material, step: Step, lends: Mapping[str, Any]
    ) -> tuple[list[Runner], tuple[str, ...]]:
        device = material.plan.device
        threads = 1 if races(material.artifact) else self.options.math_threads
        wanted = Wanted(None, device, threads, partial(self._configure, device))
        keep_freed_memory()
        count = self.options.pool_size
        predictors = create(material, step, wanted, count=count, cloned_later=False)
        make = partial(PredictorRunner, lend=lends["lend"], recurrent=lends["recurrent"])
        if step.options.onednn and device == "cpu":
            paddle = material.runtime.paddle
            release = release_of(paddle.version if paddle is not None else _UNTOLD)
            spare = SpareRunner(
                *(self.request, partial(make_predictor, wanted), make),
                dies=any(release in SpecifierSet(one) for one in lends["dying_plainly"]),
                multiplies=release in _MULTIPLYING and lends["multiplies"],
            )
            make = partial(make, spare=spare, dies=lends["dies"], lists=lends["lists"])
        return [*map(make, predictors)], material.prepared.repairs

    def _layers(
        self, material: Material, step: Step, lends: Mapping[str, Any]
    ) -> tuple[list[Runner], tuple[str, ...]]:
        artifact = material.artifact
        request = replace(
            self.request, api=Api.LAYER, pooled=False, device=material.plan.device, verify=False
        )

        def make(layer: Material, way: Step) -> tuple[_Layers, tuple[str, ...]]:
            made = [make_layer(request, layer, way) for _ in range(self.options.pool_size)]
            return _Layers(each for each, _ in made), made[0][1]

        layers = load(request, make, time.perf_counter(), found=artifact)
        names = tuple(spec.name for spec in artifact.inputs)
        for layer in layers:
            layer.eval()
        report = load_report(layers)
        runners = [LayerRunner(layer, names, lend=lends["lend"]) for layer in layers]
        return list(runners), report.repairs if report else ()

    def _configure(self, device: str, config: Any) -> None:
        """What suits a service and what the caller asked for; the plan's rules come after it."""
        if not config.prog_file().endswith(".json"):
            # Of legacy programs alone (CL204): PP-OCRv4 recognition takes 24 ms instead of 34.
            config.enable_memory_optim()
        kind, _, index = device.partition(":")
        if kind not in ("gpu", "dcu"):
            return
        config.enable_use_gpu(self.options.gpu_memory_mb or _GPU_MEMORY_MB, int(index or 0))
        if self.options.tensorrt is not None:
            from paddle.inference import PrecisionType

            precisions = {
                "fp32": PrecisionType.Float32,
                "fp16": PrecisionType.Half,
                "int8": PrecisionType.Int8,
            }
            config.enable_tensorrt_engine(
                workspace_size=_TENSORRT_WORKSPACE,
                precision_mode=precisions[self.options.tensorrt],
            )


class _Layers(list[Any]):
    """Layers of one load; a class of its own so that its report can be found."""


def named_inputs(artifact: Artifact, names: tuple[str, ...]) -> tuple[TensorSpec, ...]:
    """The inputs in the order of the layer's arguments, named as the predictor names them."""
    specs = artifact.inputs
    if {spec.name for spec in specs} >= set(names):
        return specs
    # A conversion may have renamed them; it keeps their order.
    return tuple(TensorSpec(name, spec.dtype, spec.shape) for name, spec in zip(names, specs))
