"""CL628: a product that is transposed and reshaped, and read by others, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_PRODUCTS = frozenset({"matmul", "matmul_v2"})
_TRANSPOSED, _RESHAPED = ("transpose", "transpose2"), ("reshape", "reshape2")


def _is_shared(product: Operator, graph: Graph) -> bool:
    users = list(graph.users_of(product))
    return len(users) > 1 and any(
        bare_name(one) in _TRANSPOSED
        and any(bare_name(user) in _RESHAPED for user in graph.users_of(one))
        for one in users
    )


def _seen_by_pass(product: Operator, graph: Graph) -> bool:
    """The pass looks for outputs that 2.6 itself leaves out."""
    return _is_shared(product, graph) and any(
        bare_name(one) in _TRANSPOSED and bool(one.outputs.get("XShape"))
        for one in graph.users_of(product)
    )


RULE = Rule(
    id="CL628",
    title="product that is transposed and reshaped, and read by others, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(_PRODUCTS, where=_is_shared),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "A pass makes one operator of a product, its transposition and its shape, and takes the "
        "product away from whoever else reads it: `The Input Variable(X) of (transpose2) Operator "
        "used to determine kernel data type is empty`. It looks for outputs that 2.6 leaves out "
        "of its files and CL110 declares again. The pass is left out."
    ),
    without="error",
    evidence=(
        Evidence("measured", "two transpositions, an activation, the product as output: 2.6.2"),
        Evidence("measured", "the same on 3.3.1, with the outputs declared"),
        Evidence("measured", "a transposition that others read: right"),
    ),
    parameters=(
        "matmul_transpose_reshape_mkldnn_fuse_pass",
        "matmul_transpose_reshape_onednn_fuse_pass",
    ),
    alone=(
        Alone(
            476,
            when=replace(
                LEGACY_ON_CPU, operators=(OperatorPattern(_PRODUCTS, where=_seen_by_pass),)
            ),
        ),
    ),
)
