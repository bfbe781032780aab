"""What is a Tensor inside a converted function, as far as its text tells, and what a size.

Deliberately simple: each name has one kind in a function, the surest that any assignment gives
it. ``SURE`` comes from a call of Paddle's, ``PERHAPS`` from a parameter, which may be a flag.
A size is a dimension of a Tensor, or a number made of such; it is *free* if the dimension is.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from compatload.checking.python_source import PythonSource
from compatload.checking.source_rules.to_static.converted import Converted


class TensorKind(enum.IntEnum):
    OTHER = 0
    PERHAPS = 1
    SURE = 2


# Calls below paddle that give no Tensor, and packages of such.
_NO_TENSOR = frozenset(
    f"paddle.{name}"
    for name in (
        *("in_dynamic_mode", "in_dynamic_or_pir_mode", "is_tensor", "is_floating_point"),
        *("is_integer", "is_complex", "is_compiled_with_cuda", "get_device", "set_device"),
        *("get_default_dtype", "set_default_dtype", "iinfo", "finfo", "seed", "save", "load"),
        *("create_parameter", "get_flags", "set_flags", "no_grad", "grad"),
    )
)
_NO_TENSOR_BELOW = (
    *("paddle.jit.", "paddle.utils.", "paddle.device.", "paddle.framework.", "paddle.static."),
    *("paddle.amp.", "paddle.distributed.", "paddle.base.", "paddle.fluid.", "paddle.io."),
    *("paddle.version.", "paddle.nn.initializer."),
)
_FUNCTIONS_OF_NN = "paddle.nn.functional."
# Methods of a Tensor that give something else, and methods that hardly anything else has.
_NO_TENSOR_METHODS = frozenset(
    {"numpy", "item", "tolist", "dim", "ndimension", "element_size", "is_contiguous"}
    | {"register_hook"}
)
_TENSOR_METHODS = frozenset(
    {"sum", "mean", "max", "min", "any", "all", "prod", "argmax", "argmin", "astype", "cast"}
    | {"abs", "exp", "sqrt", "square", "matmul", "reshape", "transpose", "unsqueeze", "squeeze"}
    | {"flatten", "topk", "argsort", "cumsum", "norm", "clip", "detach", "sigmoid", "tanh"}
    | {"softmax", "gather", "scatter", "expand", "tile", "equal_all", "less_than"}
    | {"greater_than", "logical_and", "logical_or", "isnan", "isinf"}
)
# Functions and methods that give a list of Tensors.
_LISTS = frozenset(
    {"split", "chunk", "unbind", "unstack", "tensor_split", "hsplit", "vsplit", "dsplit"}
    | {"meshgrid", "broadcast_tensors"}
)
_Node = TypeVar("_Node", bound=ast.AST)
_NUMBERS = ("int", "bool", "str", "float")
_SPECIFICATIONS = ("paddle.static.InputSpec", "paddle.static.input.InputSpec")
_WHOLE = -1  # all dimensions of a Tensor


class Tensors:
    """Kinds of the names in one function, and the loops and branches that depend on Tensors."""

    def __init__(self, function: Converted, source: PythonSource) -> None:
        self.function = function
        self.source = source
        self._by_type: dict[type, list[Any]] = {}
        for node in inner(function.node.body):
            self._by_type.setdefault(type(node), []).append(node)
        self.kinds: dict[str, TensorKind] = self._parameters()
        self._least = dict(self.kinds)
        self._sizes: dict[str, set[int]] = {}
        self.arrays: set[str] = set()
        self.lists: set[str] = set()
        for _ in range(2):  # a name may get its kind from one that is assigned further down
            for kind in (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr):
                for node in self.nodes(kind):
                    self._learn(node)

    def nodes(self, kind: type[_Node]) -> list[_Node]:
        """The nodes of one type in the function's own body, in the order of the text."""
        return self._by_type.get(kind, [])

    @cached_property
    def loops(self) -> list[ast.While | ast.For]:
        """``while`` on a Tensor and ``for … in range(Tensor)``."""
        whiles = [node for node in self.nodes(ast.While) if self.decides(node.test)]
        return [*whiles, *(node for node in self.nodes(ast.For) if self._counts(node.iter))]

    @cached_property
    def branches(self) -> list[ast.If]:
        """``if`` on a Tensor."""
        return [node for node in self.nodes(ast.If) if self.decides(node.test)]

    @cached_property
    def parameters(self) -> set[str]:
        """Parameters that are inputs: nothing says that they are anything but Tensors."""
        return {name for name, kind in self._parameters().items() if kind > TensorKind.OTHER}

    @cached_property
    def inputs(self) -> set[str]:
        """Parameters that hold nothing else anywhere in the function."""
        stored = {n.id for n in self.nodes(ast.Name) if isinstance(n.ctx, ast.Store)}
        return self.parameters - stored

    @cached_property
    def bound_once(self) -> dict[str, ast.expr]:
        """Name → value, for names that one assignment binds."""
        stored = [n.id for n in self.nodes(ast.Name) if isinstance(n.ctx, ast.Store)]
        once = {name for name in stored if stored.count(name) == 1} - self._every_parameter
        return {
            target.id: node.value
            for node in self.nodes(ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and target.id in once
        }

    @cached_property
    def _every_parameter(self) -> set[str]:
        arguments = self.function.node.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return {argument.arg for argument in every}

    @property
    def free(self) -> frozenset[int]:
        """Dimensions that some InputSpec of the file leaves open; the first where none says."""
        return _free_dimensions(self.source)

    def sizes(self, node: ast.AST) -> set[int]:
        """The dimensions that a number, or a list of such, was made of."""
        if isinstance(node, ast.Name):
            return self._sizes.get(node.id, set())
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            return {_WHOLE} if self.kind(node.value) > TensorKind.OTHER else set()
        if isinstance(node, ast.Subscript):
            of = self.sizes(node.value)
            index = node.slice
            if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
                return set()  # counted from the end: which one is not known
            if isinstance(index, ast.Constant) and isinstance(index.value, int):
                return {index.value} if _WHOLE in of else of
            return of
        if isinstance(node, ast.BinOp):
            return self.sizes(node.left) | self.sizes(node.right)
        if isinstance(node, (ast.Tuple, ast.List)):
            return {size for item in node.elts for size in self.sizes(item)}
        if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Name):
            if node.func.id in ("int", "float", "list", "tuple"):
                return self.sizes(node.args[0])
            if node.func.id == "len" and self.surely(node.args[0]):
                return {0}
        return set()

    def is_free(self, node: ast.AST) -> bool:
        """Whether a number is made of a dimension that differs from call to call."""
        sizes = self.sizes(node)
        return not sizes.isdisjoint(self.free) or (_WHOLE in sizes and bool(self.free))

    def decides(self, test: ast.expr) -> bool:
        """Whether a condition is a Tensor: for sure, or by comparing what may be one."""
        kind = self.kind(test)
        if kind is TensorKind.SURE:
            return True
        return self._lenient and kind is TensorKind.PERHAPS and isinstance(test, ast.Compare)

    @property
    def _lenient(self) -> bool:
        return self.function.certain

    def surely(self, node: ast.expr) -> bool:
        """Whether every assignment gives a name a Tensor; what is no name is told by its kind."""
        if isinstance(node, ast.Name):
            return self._least.get(node.id) is TensorKind.SURE and node.id not in self.lists
        return self.kind(node) is TensorKind.SURE and not self._is_list(node)

    def _is_list(self, node: ast.expr | None) -> bool:
        """Whether it is a list of Tensors, as ``paddle.split`` gives, or a part of one."""
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._is_list(node.value)
        if isinstance(node, ast.Name):
            return node.id in self.lists
        if not isinstance(node, ast.Call):
            return False
        name = self.source.resolve(node.func, self.function.scope)
        last = getattr(node.func, "attr", "") if name is None else name
        return last.rpartition(".")[2] in _LISTS

    def _counts(self, iterable: ast.expr) -> bool:
        if not (isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name)):
            return False
        least = TensorKind.PERHAPS if self._lenient else TensorKind.SURE
        return iterable.func.id == "range" and any(
            self.kind(a) >= least or self._is_input_of_forward(a) for a in iterable.args
        )

    def _is_input_of_forward(self, node: ast.expr) -> bool:
        """What is counted to is a parameter of forward: as an export's input it is a Tensor."""
        return (
            self.function.node.name == "forward"
            and isinstance(node, ast.Name)
            and node.id in self.parameters
        )

    def kind(self, node: ast.expr | None) -> TensorKind:
        if isinstance(node, ast.Name):
            return self.kinds.get(node.id, TensorKind.OTHER)
        if isinstance(node, ast.Call):
            return self._kind_of_call(node)
        if isinstance(node, ast.BinOp):
            return max(self.kind(node.left), self.kind(node.right))
        if isinstance(node, ast.Compare):
            if any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops):
                return TensorKind.OTHER
            if any(
                isinstance(c, ast.Constant) and isinstance(c.value, str) for c in node.comparators
            ):
                return TensorKind.OTHER
            return max(self.kind(side) for side in (node.left, *node.comparators))
        if isinstance(node, ast.BoolOp):
            return max(self.kind(value) for value in node.values)
        if isinstance(node, ast.UnaryOp):
            return self.kind(node.operand)
        if isinstance(node, ast.IfExp):
            return max(self.kind(node.body), self.kind(node.orelse))
        if isinstance(node, ast.Subscript):
            return self.kind(node.value)
        if isinstance(node, ast.Attribute):
            return self.kind(node.value) if node.attr in ("T", "grad") else TensorKind.OTHER
        return TensorKind.OTHER

    def _kind_of_call(self, call: ast.Call) -> TensorKind:
        name = self.source.resolve(call.func, self.function.scope)
        if name is not None and name.startswith("paddle."):
            return TensorKind.SURE if _gives_tensor(name) else TensorKind.OTHER
        if name is not None:
            return TensorKind.OTHER
        given = max((self.kind(argument) for argument in call.args), default=TensorKind.OTHER)
        if isinstance(call.func, ast.Attribute):
            base = self.kind(call.func.value)
            method = call.func.attr
            if base is TensorKind.SURE:
                return TensorKind.OTHER if method in _NO_TENSOR_METHODS else TensorKind.SURE
            if base is TensorKind.PERHAPS:
                return TensorKind.SURE if method in _TENSOR_METHODS else TensorKind.OTHER
            return min(given, TensorKind.PERHAPS)  # self.layer(x), self.helper(x)
        return TensorKind.OTHER

    def _parameters(self) -> dict[str, TensorKind]:
        arguments = self.function.node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        defaults: dict[str, ast.expr | None] = {}
        positional = [*arguments.posonlyargs, *arguments.args]
        if arguments.defaults:
            for argument, default in zip(
                positional[-len(arguments.defaults) :], arguments.defaults
            ):
                defaults[argument.arg] = default
        for argument, given in zip(arguments.kwonlyargs, arguments.kw_defaults):
            defaults[argument.arg] = given
        return {
            argument.arg: self._kind_of_parameter(argument, defaults.get(argument.arg))
            for argument in every
            if argument.arg not in ("self", "cls") and argument is not self.function.instance
        }

    def _kind_of_parameter(self, argument: ast.arg, default: ast.expr | None) -> TensorKind:
        annotation = argument.annotation
        if isinstance(annotation, ast.Name) and annotation.id in _NUMBERS:
            return TensorKind.OTHER
        if (
            annotation is not None
            and self.source.resolve(annotation, self.function.scope) == "paddle.Tensor"
        ):
            return TensorKind.SURE
        if isinstance(default, ast.Constant) and default.value is not None:
            return TensorKind.OTHER
        return TensorKind.PERHAPS

    def _learn(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
            self._bind(node.target, node.value)

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self._raise(target.id, self.kind(value))
            if value is not None and (sizes := self.sizes(value)):
                self._sizes.setdefault(target.id, set()).update(sizes)
            if value is not None and self.is_array(value):
                self.arrays.add(target.id)
            if self._is_list(value):
                self.lists.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if value is not None and _WHOLE in self.sizes(value):  # b, c = x.shape
                for number, one in enumerate(target.elts):
                    if isinstance(one, ast.Name):
                        self._sizes.setdefault(one.id, set()).add(number)
                return
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for one, other in zip(target.elts, value.elts):
                    self._bind(one, other)
            elif isinstance(value, ast.Call):  # a, b = paddle.split(x, 2)
                for one in target.elts:
                    if isinstance(one, ast.Name):
                        self._raise(one.id, self.kind(value))

    def is_array(self, node: ast.AST) -> bool:
        """Whether it is a Tensor's ``numpy()``, or a name for one."""
        if isinstance(node, ast.Name):
            return node.id in self.arrays
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "numpy"
            and self.kind(node.func.value) > TensorKind.OTHER
        )

    def _raise(self, name: str, kind: TensorKind) -> None:
        self.kinds[name] = max(kind, self.kinds.get(name, TensorKind.OTHER))
        self._least[name] = min(kind, self._least.get(name, TensorKind.SURE))


def _gives_tensor(name: str) -> bool:
    if name in _NO_TENSOR or name.startswith(_NO_TENSOR_BELOW):
        return False
    if name.startswith("paddle.nn."):
        return name.startswith(_FUNCTIONS_OF_NN)  # the rest are Layers and what builds them
    last = name.rpartition(".")[2]
    return last[:1].islower()  # classes and dtypes aside


@lru_cache(maxsize=1)
def _free_dimensions(source: PythonSource) -> frozenset[int]:
    dimensions: set[int] = set()
    told = False
    for call, scope in source.calls:
        if source.resolve(call.func, scope) in _SPECIFICATIONS:
            shapes = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "shape")]
            for shape in shapes:
                if isinstance(shape, (ast.List, ast.Tuple)):
                    told = True
                    dimensions |= {n for n, d in enumerate(shape.elts) if _is_open(d)}
    return frozenset(dimensions) if told else frozenset({0})


def _is_open(dimension: ast.expr) -> bool:
    """``None`` or ``-1`` in the shape of an InputSpec."""
    if isinstance(dimension, ast.UnaryOp):
        return isinstance(dimension.op, ast.USub)
    return isinstance(dimension, ast.Constant) and dimension.value is None


def inner(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node below some statements but what stands in functions and classes of their own."""
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        yield node
        if type(node) in _OWN_BODY:
            continue
        children: list[ast.AST] = []
        for value in node.__dict__.values():
            if type(value) is list:
                children += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                children.append(value)
        children.reverse()
        pending += children


_OWN_BODY = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda})
