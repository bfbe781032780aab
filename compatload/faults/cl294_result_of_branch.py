"""CL294: result of a branch or a loop that oneDNN made, read outside of oneDNN, PIR program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl120_kept_output import ENDS
from compatload.faults.cl232_overwritten import IN_PLACE, overwrites, runs_in_onednn
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import FLOW, LAYING_OUT, PIR_ON_CPU, PRODUCTS, is_laid_out
from compatload.releases import RELEASES

_NEWEST = RELEASES[-1].version  # where the fewest operators run in oneDNN
_LOOP = frozenset({"while"})
# What reads that as if it were plain, though it is oneDNN's as well.
_MISREADING = PRODUCTS | {"depthwise_conv2d_transpose"}
_YIELD = frozenset({"yield"})
_SQUEEZE, _UNSQUEEZE = frozenset({"squeeze"}), frozenset({"unsqueeze"})
_ENDS = ENDS - _YIELD
# What gives its result the description of its operand, and is found in none of oneDNN's kernels.
_DESCRIBED_ALIKE = frozenset(IN_PLACE) | {
    *("celu", "hard_shrink", "hardsigmoid", "instance_norm", "logsigmoid", "logsumexp", "maximum"),
    *("minimum", "prod", "selu", "sign", "softshrink", "softsign", "tanh_shrink"),
}


def _made_by_onednn(flow: Operator, graph: Graph) -> Iterator[bool]:
    """Of each tensor that its blocks yield, whether oneDNN made it."""
    for value in graph.yielded(flow):
        maker = graph.producer(value)
        if graph.dtype(value) == "float32":
            yield maker is not None and (
                bare_name(maker) in FLOW or _runs_there(maker, value, graph)
            )


def _runs_there(maker: Operator, value: str, graph: Graph) -> bool:
    """Whether it is one of oneDNN's: a squeeze is behind one, as that of a padding."""
    if bare_name(maker) not in _SQUEEZE:
        return runs_in_onednn(maker, value, graph, _NEWEST)
    source = operand(maker, FIRST)
    before = graph.producer(source)
    return before is not None and runs_in_onednn(before, source, graph, _NEWEST)


def _readers(values: Iterable[str], graph: Graph) -> Iterator[Operator]:
    """What reads them outside of oneDNN."""
    for value in values:
        if graph.dtype(value) != "float32":
            continue
        for user in graph.users.get(value, ()):
            results = (one for several in user.outputs.values() for one in several)
            if bare_name(user) not in _ENDS and not runs_in_onednn(
                user, next(results, None), graph, _NEWEST
            ):
                yield user


def _results(flow: Operator) -> Iterator[str]:
    for values in flow.outputs.values():
        yield from values


def _within(flow: Operator, graph: Graph) -> Iterator[Operator]:
    """The operators of its blocks, and of those within."""
    blocks = {*flow.sub_blocks}
    for one in graph.operators if blocks else ():
        if one.block in blocks:
            blocks.update(one.sub_blocks)
            yield one


def _carried(loop: Operator, graph: Graph) -> set[str]:
    """What a round of a loop gets from the one before: values in its blocks that nobody makes."""
    found: set[str] = set()
    for one in _within(loop, graph) if bare_name(loop) in _LOOP else ():
        if bare_name(one) not in _YIELD:
            read = (value for values in one.inputs.values() for value in values)
            found.update(value for value in read if graph.producer(value) is None)
    return found


def _lays_out_state(flow: Operator, graph: Graph) -> bool:
    """Whether rounds of a loop may give each other what a convolution has laid out in blocks."""
    return bare_name(flow) in _LOOP and any(
        bare_name(one) in LAYING_OUT for one in _within(flow, graph)
    )


def _is_misread(flow: Operator, graph: Graph) -> bool:
    """Whether what is laid out in blocks goes into a product."""
    users = (user for value in _results(flow) for user in graph.users.get(value, ()))
    return any(bare_name(user) in _MISREADING for user in users) and any(
        is_laid_out(value, graph) for value in graph.yielded(flow)
    )


def _is_read_outside(flow: Operator, graph: Graph) -> bool:
    if not any(_made_by_onednn(flow, graph)):
        return False
    values = (*_results(flow), *_carried(flow, graph))
    return (
        _lays_out_state(flow, graph)
        or _is_misread(flow, graph)
        or any(True for _ in _readers(values, graph))
    )


def _misdescribed(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(FLOW) if _is_misdescribed(one, graph))


def _is_misdescribed(flow: Operator, graph: Graph) -> bool:
    made = (*_made_by_onednn(flow, graph),)
    if not any(made):
        return False
    readers = (*_readers(_results(flow), graph),)
    if all(made):
        carried = _readers(_carried(flow, graph), graph)
        readers += tuple(one for one in carried if not _computes_there(one, graph))
    return any(
        bare_name(user) in _DESCRIBED_ALIKE or _is_unsqueezed(user, graph) for user in readers
    )


def _is_unsqueezed(reader: Operator, graph: Graph) -> bool:
    """Whether it gives one of oneDNN's an axis more than the description has."""
    return bare_name(reader) in _UNSQUEEZE and any(
        runs_in_onednn(user, next(_results(user), None), graph, _NEWEST)
        for value in _results(reader)
        for user in graph.users.get(value, ())
    )


def _computes_there(reader: Operator, graph: Graph) -> bool:
    """Whether it computes in the memory of what a round gets, as the last of several readers: one
    of oneDNN's among them has put that in order."""
    several = len(graph.users.get(operand(reader, FIRST) or "", ())) > 1
    return several and bare_name(reader) in IN_PLACE and not overwrites(reader, graph)


def _begins_plain(loop: Operator, graph: Graph) -> bool:
    """Whether its first round gets what is not laid out, of which its type is made."""
    return any(
        graph.dtype(value) == "float32" and not is_laid_out(value, graph)
        for values in loop.inputs.values()
        for value in values
    )


def _laid_out(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in graph.named(_LOOP)
        if _lays_out_state(one, graph)
        and _begins_plain(one, graph)
        and any(_made_by_onednn(one, graph))
    )


def _misread(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = (one for one in graph.named(FLOW) if all(_made_by_onednn(one, graph)))
    return tuple(one for one in found if _is_misread(one, graph))


RULE = Rule(
    id="CL294",
    title="result of a branch or a loop that is read outside of oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(FLOW, where=_is_read_outside),)),),
    action=Action.REWRITE,
    explanation=(
        "A branch or a loop gives back a tensor of oneDNN's where its last operator is one of "
        "oneDNN's, and its type says that it is plain. An operator outside of oneDNN takes it as "
        "it is and describes its own result alike: whoever reads that stops with `std::exception` "
        "or `could not create a primitive descriptor for a reorder primitive`. So it is with what "
        "a round of a loop takes from the one before: `x = cos(x) * 0.1`. What a convolution made "
        "is laid out in blocks, and is read as if it were plain, with other numbers and no error. "
        "A product behind a branch reads it so, too, though it is one of oneDNN's. "
        "What the blocks yield is copied within them, where Paddle knows what it is, and so is "
        "what a loop begins with. Legacy programs are right."
    ),
    without="error",
    evidence=(
        Evidence("measured", "cos(cond(…, lambda: x * 2, lambda: relu(x))): 3.0.0 and 3.3.1"),
        Evidence("measured", "45 of 291 operators behind a branch, 3.3.1; relu, conv …: right"),
        Evidence("measured", "the same behind while_loop; saved by 2.6.2: right"),
        Evidence("measured", "x = cos(x) * 0.1, x + asinh(x), x ** 2 + x in a loop: 3.0.0, 3.3.1"),
        Evidence("measured", "two images padded in branches, one after the other: 3.3.1"),
        Evidence(
            "measured", "linear(cond(…, lambda: y * 2, lambda: relu(y))), y = conv(x): off by 6"
        ),
        Evidence("measured", "h = conv(h + 1) in a loop: wrong by 13, 3.0.0, 3.2.2 and 3.3.1"),
    ),
    module="compatload.programs.rewritings.plain_results",
    alone=(
        Alone(465, sees=_misdescribed),
        Alone(650, "wrong", sees=_laid_out),
        Alone(772, "wrong", sees=_misread),
    ),
)
