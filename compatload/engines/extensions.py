"""Operators that OpenVINO's reader of Paddle programs lacks, made of operations that it has.

Each function is called by the reader with one operator, and returns its outputs by slot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: What ``rnn`` is renamed to where it is no LSTM, which the reader knows itself.
RECURRENT = "compatload_rnn"

# Operation node of the reader → outputs by slot.
Extension = Callable[[Any], Mapping[str, Sequence[Any]]]


def extensions() -> list[Any]:
    """For ``Core.add_extension``."""
    from openvino.frontend.paddle import ConversionExtension

    return [ConversionExtension(name, make) for name, make in EXTENSIONS.items()]


def _opset() -> Any:
    from openvino import opset13

    return opset13


def _whole(*numbers: int) -> Any:
    import numpy

    return _opset().constant(numpy.array(numbers, "int64"))


def _gates(weight: Any, order: Sequence[int]) -> list[Any]:
    """Parts of the first axis in another order."""
    parts = _opset().split(weight, _zero(), len(order)).outputs()
    return [parts[place] for place in order]


def _zero() -> Any:
    import numpy

    return _opset().constant(numpy.int64(0))


def _recurrent(node: Any) -> Mapping[str, Sequence[Any]]:
    """GRU and plain recurrent layers, time first, any number of layers and both directions."""
    op = _opset()
    mode, hidden = node.get_attribute("mode"), node.get_attribute("hidden_size")
    layers = node.get_attribute("num_layers", 1)
    ways = 2 if node.get_attribute("is_bidirec", False) else 1
    x = op.transpose(node.get_input("Input"), _whole(1, 0, 2))
    states = op.split(node.get_input("PreState", 0), _zero(), layers).outputs()
    shape = op.shape_of(x)
    if _has(node, "SequenceLength"):
        lengths = op.convert(node.get_input("SequenceLength"), "i64")
    else:
        lengths = op.broadcast(
            op.gather(shape, _whole(1), _zero()), op.gather(shape, _whole(0), _zero())
        )
    direction = "bidirectional" if ways == 2 else "forward"
    last = []
    for layer in range(layers):
        first = 2 * ways * layer
        weights, biases = (
            [node.get_input("WeightList", start + first + one) for one in range(2 * ways)]
            for start in (0, 2 * ways * layers)
        )
        state = op.transpose(states[layer], _whole(1, 0, 2))
        if mode == "GRU":
            given = _gru_weights(weights, biases)
            made = op.gru_sequence(
                *(x, state, lengths, *given, hidden, direction),
                linear_before_reset=True,
            )
        else:
            given = _plain_weights(weights, biases)
            kind = "tanh" if mode == "RNN_TANH" else "relu"
            made = op.rnn_sequence(
                *(x, state, lengths, *given, hidden, direction), activations=[kind] * ways
            )
        every, final = made.outputs()
        # From N, ways, T, hidden to N, T, ways × hidden.
        turned = op.transpose(every, _whole(0, 2, 1, 3))
        x = op.reshape(turned, _whole(0, 0, ways * hidden), True)
        last.append(op.transpose(final, _whole(1, 0, 2)))
    found = op.transpose(x, _whole(1, 0, 2))
    state = op.concat(last, 0)
    nothing = op.constant(0.0).outputs()
    return {
        "Out": found.outputs(),
        "State": state.outputs(),
        "Reserve": nothing,
        "DropoutState": nothing,
    }


def _has(node: Any, slot: str) -> bool:
    try:
        return bool(node.get_input_size(slot))
    except (IndexError, RuntimeError):  # as it tells that there is none
        return False


def _stacked(parts: Sequence[Any]) -> Any:
    op = _opset()
    return op.concat([op.unsqueeze(part, _zero()) for part in parts], 0)


def _gru_weights(weights: Sequence[Any], biases: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Paddle has reset, update and candidate in that order, OpenVINO the update first."""
    op = _opset()
    order = (1, 0, 2)
    turned = [op.concat(_gates(weight, order), 0) for weight in weights]
    joined = []
    for of_input, of_state in zip(biases[::2], biases[1::2]):
        one, other = _gates(of_input, order), _gates(of_state, order)
        both = [op.add(one[gate], other[gate]) for gate in (0, 1)]
        joined.append(op.concat([*both, one[2], other[2]], 0))
    return _stacked(turned[::2]), _stacked(turned[1::2]), _stacked(joined)


def _plain_weights(weights: Sequence[Any], biases: Sequence[Any]) -> tuple[Any, Any, Any]:
    joined = [_opset().add(one, other) for one, other in zip(biases[::2], biases[1::2])]
    return _stacked(weights[::2]), _stacked(weights[1::2]), _stacked(joined)


def _convolution_3d(node: Any) -> Mapping[str, Sequence[Any]]:
    """With explicit paddings, channels first; in groups as well."""
    op = _opset()
    groups = node.get_attribute("groups", 1)
    begin, end = _paddings(node)
    strides, dilations = node.get_attribute("strides"), node.get_attribute("dilations")
    weight = node.get_input("Filter")
    if groups == 1:
        made = op.convolution(node.get_input("Input"), weight, strides, begin, end, dilations)
    else:
        shape = op.shape_of(weight)
        split = op.concat(
            [
                _whole(groups, -1),
                op.gather(shape, _whole(1, 2, 3, 4), _zero()),
            ],
            0,
        )
        grouped = op.reshape(weight, split, False)
        made = op.group_convolution(
            node.get_input("Input"), grouped, strides, begin, end, dilations
        )
    return {"Output": made.outputs()}


def _paddings(node: Any) -> tuple[list[int], list[int]]:
    paddings = list(node.get_attribute("paddings"))
    return (paddings, paddings) if len(paddings) == 3 else (paddings[::2], paddings[1::2])


def _bitwise(name: str) -> Extension:
    def form(node: Any) -> Mapping[str, Sequence[Any]]:
        slots = ("X",) if name == "not" else ("X", "Y")
        operands = [node.get_input(slot) for slot in slots]
        return {"Out": getattr(_opset(), f"bitwise_{name}")(*operands).outputs()}

    return form


def _inverse(node: Any) -> Mapping[str, Sequence[Any]]:
    from openvino import opset14

    return {"Output": opset14.inverse(node.get_input("Input"), adjoint=False).outputs()}


EXTENSIONS: Mapping[str, Extension] = {
    RECURRENT: _recurrent,
    "conv3d": _convolution_3d,
    "inverse": _inverse,
    **{f"bitwise_{name}": _bitwise(name) for name in ("and", "or", "xor", "not")},
}
