"""Paddle's public functions, as the installed release has them. Runs inside a Paddle."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

MODULES = (
    *("paddle", "paddle.nn.functional", "paddle.linalg", "paddle.fft", "paddle.signal"),
    *("paddle.geometric", "paddle.vision.ops", "paddle.incubate", "paddle.incubate.nn.functional"),
    *("paddle.nn.quant", "paddle.metric", "paddle.compat", "paddle.compat.nn.functional"),
)
# What only a program is made of; and of what else stands in such a module, only these.
STATIC = ("paddle.static.nn", "paddle.incubate.layers", "paddle.static", "paddle.tensor.array")
# Homes of classes of layers, and of what else stands there, only these.
CLASSES = (
    *("paddle.nn", "paddle.nn.quant.quant_layers", "paddle.nn.quant.format"),
    "paddle.quantization.quanters.abs_max",
)
ONLY: Mapping[str, tuple[str, ...]] = {
    "paddle.static": ("accuracy", "auc"),
    "paddle.nn.quant.quant_layers": (
        *("FakeQuantAbsMax", "FakeQuantChannelWiseAbsMax", "FakeQuantMovingAverageAbsMax"),
        *("MovingAverageAbsMaxScale", "QuantStub"),
    ),
    "paddle.quantization.quanters.abs_max": ("FakeQuanterWithAbsMaxObserverLayer",),
    "paddle.tensor.array": ("array_length", "array_read"),
    "paddle.nn.functional.loss": ("edit_distance",),
    "paddle.nn.quant.format": ("LinearQuanter", "LinearDequanter"),
    # Its other functions are of ``paddle`` too; it reads corpora besides.
    "paddle.text": ("viterbi_decode",),
    "paddle.nn.clip": ("clip_by_norm",),
    "paddle.incubate.nn.loss": ("identity_loss",),
}
METHODS = "paddle.Tensor"
# What Python writes as signs.
SIGNS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "neg", "invert"),
    *("and_", "or_", "xor", "lt", "le", "eq", "ne", "gt", "ge", "getitem", "setitem"),
)
# They compute nothing, or reach for what is not the model's own.
NO_COMPUTATION = frozenset(
    (
        *("save", "load", "summary", "flops", "grad", "batch", "seed", "to_dlpack", "from_dlpack"),
        *("DataParallel", "LazyGuard", "set_printoptions", "disable_signal_handler", "async_save"),
        *("enable_static", "disable_static", "set_flags", "get_flags", "set_device", "tolist"),
        *("set_default_dtype", "enable_compat", "disable_compat", "use_compat_guard", "numpy"),
        *(
            "empty",
            "empty_like",
            "create_parameter",
            "check_shape",
            "is_tensor",
            "set_grad_enabled",
        ),
        *("no_grad", "enable_grad", "in_dynamic_mode", "item", "backward", "cuda", "pin_memory"),
        *(
            "register_hook",
            "clear_grad",
            "clear_gradient",
            "set_value",
            "share_memory_",
            "data_ptr",
        ),
        *("set_rng_state", "get_rng_state", "set_cuda_rng_state", "get_cuda_rng_state", "detach_"),
        *("parameters_to_vector", "vector_to_parameters", "to", "cpu", "gpu", "xpu", "ndimension"),
        *("read_file", "decode_jpeg", "Layer", "LayerList", "ParameterList", "LayerDict", "apply"),
        *("Sequential", "ParameterDict", "BeamSearchDecoder", "RNNCellBase", "from_numpy"),
        *(
            "retain_grads",
            "get_tensor",
            "value",
            "set_string_list",
            "get_map_tensor",
            "reconstruct_from_",
        ),
        *(
            "set_vocab",
            "get_strings",
            "get_selected_rows",
            "register_reduce_hook",
            "clone_",
            "mkldnn",
        ),
        *(
            "coalesce",
            "to_sparse_coo",
            "to_sparse_csr",
            "values",
            "indices",
            "rows",
            "cols",
            "crows",
        ),
        *("nnz", "is_same_shape", "to_dense", "sparse_dim", "dense_dim", "dynamic_decode"),
        *("case", "cond", "switch_case", "while_loop", "py_func", "static_pylayer", "nce"),
        *("sparse_embedding", "search_pyramid_hash", "tdm_sampler", "shuffle_batch"),
    )
)


@cache
def functions() -> dict[str, Mapping[str, inspect.Parameter]]:
    """By full name, the parameters of every public function, class of layers, and method."""
    found: dict[str, Mapping[str, inspect.Parameter]] = {}
    known: set[object] = set()
    for module in dict.fromkeys((*MODULES, *CLASSES, *STATIC, *ONLY)):
        try:
            home = import_module(module)
        except ImportError:  # ``paddle.compat`` is of late releases
            continue
        for name in ONLY.get(module) or sorted(getattr(home, "__all__", None) or dir(home)):
            one = getattr(home, name, None)
            if name.startswith("_") or name in NO_COMPUTATION or not callable(one):
                continue
            if (module in CLASSES) != inspect.isclass(one) or id(one) in known:
                continue
            parameters = _parameters(one)
            if parameters is not None:
                known.add(id(one))
                found[f"{module}.{name}"] = parameters
    tensor = import_module("paddle").Tensor
    for name in dir(tensor):
        # What is no function of a module: forms in place, and what only tensors have.
        alone = not any(f"{module}.{name}" in found for module in MODULES)
        if not name.startswith("_") and name not in NO_COMPUTATION and alone:
            parameters = _parameters(getattr(tensor, name))
            if parameters:
                found[f"{METHODS}.{name}"] = parameters
    found.update({f"operator.{name}": _parameters(getattr(operator, name)) or {} for name in SIGNS})
    return found


def _parameters(function: Any) -> Mapping[str, inspect.Parameter] | None:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    named = {
        name: one
        for name, one in parameters.items()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    }
    several = [name for name, one in parameters.items() if one.kind is one.VAR_POSITIONAL]
    if not named and several:  # a list in the first place is as good
        return {several[0]: inspect.Parameter(several[0], inspect.Parameter.POSITIONAL_ONLY)}
    return named or None


@cache
def of_forward(name: str) -> Mapping[str, inspect.Parameter]:
    """What an instance of that class is called on."""
    parameters = _parameters(resolved(name).forward) or {}  # type: ignore[attr-defined]
    return {one: parameter for one, parameter in parameters.items() if one != "self"}


def resolved(name: str) -> Callable[..., Any]:
    """The function of that name; AttributeError if this release has none."""
    parts = name.split(".")
    found: Any = import_module(parts[0])
    for part in parts[1:]:
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def is_class(name: str) -> bool:
    home, _, bare = name.rpartition(".")
    return home in CLASSES and bare[0].isupper()


def is_method(name: str) -> bool:
    return name.startswith(f"{METHODS}.")


def is_static(name: str) -> bool:
    """Whether only programs are made of it: then no eager layer tells what is right."""
    return name.rpartition(".")[0] in STATIC
