"""Runs inside a real Paddle: what a loaded layer learns, beside the layer that was saved.

python trained.py save FOLDER         the models, and each parameter's gradient of one step
python trained.py load FOLDER         the names of those whose gradients are others, and ``ok``
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle import nn  # noqa: E402
from paddle.static import InputSpec  # noqa: E402

from matrix.training import apart  # noqa: E402

ROWS = np.linspace(-1.0, 1.0, 12, dtype="float32").reshape(2, 6)


def written(rows):
    zeros = paddle.zeros([2, 6])
    zeros[:, 1:4] = rows[:, 1:4]
    return zeros


def chosen(rows, most):
    return paddle.static.nn.cond(rows.sum() > most, lambda: rows * 2.0, lambda: paddle.tanh(rows))


def nested(rows, most):
    """The inner one is chosen of where the outer one is: nothing got through it, in silence."""
    return paddle.static.nn.cond(rows.sum() > most, lambda: chosen(rows, 100.0), lambda: rows * 0.5)


def picked(rows):
    """Learns by what a loop picks, as suppression of boxes does, not through it."""
    scores, places = rows.sum(1), paddle.arange(2)

    def turn(alive, best):
        best = paddle.argmax(scores + (alive - 1.0) * 1e9).reshape([1])
        return [alive * (places != best).astype("float32"), best]

    begun = [paddle.ones_like(scores), paddle.zeros([1], "int64")]
    _, last = paddle.static.nn.while_loop(lambda alive, _: alive.sum() > 0, turn, begun)
    return paddle.gather(rows, last)


COMPUTED = {
    "multiplied": lambda rows: paddle.einsum("ij,kj->ik", rows, rows),
    "chosen": lambda rows: chosen(rows, -100.0),
    "chosen_otherwise": lambda rows: chosen(rows, 100.0),
    "nested": lambda rows: nested(rows, -100.0),
    "nested_otherwise": lambda rows: nested(rows, 100.0),
    "picked": picked,
    "added": lambda rows: paddle.add_n([rows, rows * 2.0]),
    "joined": lambda rows: paddle.concat([rows, rows * rows], 1),
    "stacked": lambda rows: paddle.stack([rows, rows * rows]),
    "split": lambda rows: paddle.split(rows, 2, 1)[0],
    "chunked": lambda rows: paddle.chunk(rows, 3, 1)[2] * paddle.chunk(rows, 3, 1)[0],
    "unbound": lambda rows: paddle.unbind(rows, 1)[1],
    "picked_twice": lambda rows: paddle.concat(paddle.split(rows, 3, 1)[:2] * 2, 1),
    "written": written,
    "sliced": lambda rows: rows[:, 1:5:2],
    "selected": lambda rows: paddle.index_select(rows, paddle.to_tensor([0, 3]), 1),
    "normed": lambda rows: nn.functional.layer_norm(rows, 6),
    "shaped": lambda rows: rows.reshape([3, 4]).transpose([1, 0]).unsqueeze(0),
    "expanded": lambda rows: paddle.expand(rows.unsqueeze(0), [3, 2, 6]) * rows,
    "expanded_by_sizes": lambda rows: rows.unsqueeze(1).expand([paddle.shape(rows)[0], 3, 6]),
    "leaking": lambda rows: nn.functional.rrelu(rows, 0.1, 0.3, training=False),
    "detached": lambda rows: rows * rows.detach(),
    "straight_through": lambda rows: rows + (paddle.round(rows * 4.0) - rows).detach(),
    "instances": lambda rows: nn.functional.instance_norm(rows.reshape([1, 2, 6])),
    "largest": lambda rows: paddle.topk(rows, 2)[0],
}


class Learning(nn.Layer):
    """A linear layer, a function of its rows, and buffers that do not learn."""

    def __init__(self, compute):
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.register_buffer("factor", paddle.full([6], 0.5))
        self.place = paddle.to_tensor([0.25])
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x):
        return self.compute(self.linear(x) * self.factor + self.place)


def learnt(layer):
    """Each learning parameter's gradient, by its shape."""
    layer.train()
    (layer(paddle.to_tensor(ROWS)) ** 2).sum().backward()
    learning = [one for one in layer.parameters() if not one.stop_gradient]
    return {str([*one.shape]): one.grad for one in learning}


def save(folder):
    for name, compute in COMPUTED.items():
        if name == "multiplied" and not paddle.__version__.startswith("2."):
            continue  # what 3.x saves of einsum is not trained by 3.x itself
        paddle.seed(3)
        layer = Learning(compute)
        paddle.jit.save(layer, str(folder / name), [InputSpec([2, 6], "float32", "x")])
        gradients = {shape: one.numpy() for shape, one in learnt(layer).items()}
        np.savez(folder / f"{name}.npz", **gradients)
        if paddle.__version__.startswith("2."):  # others call buffers parameters as well
            keys = [*paddle.jit.load(str(folder / name)).state_dict()]
            (folder / f"{name}.keys").write_text(json.dumps(keys))


def load(folder):
    for name in sorted(one.stem for one in folder.glob("*.npz")):
        outcome = apart(partial(tried, folder, name))
        if outcome != "ok":
            print(name, outcome)
    print("ok")


def tried(folder, name):
    import compatload

    try:
        layer = compatload.safe_load(str(folder / name))
        found = learnt(layer)
    except Exception as error:
        return f"{type(error).__name__} {str(error)[-200:]}"
    wanted = dict(np.load(folder / f"{name}.npz"))
    whole = found.keys() == wanted.keys() and not any(one is None for one in found.values())
    right = whole and all(
        np.allclose(found[shape].numpy(), gradient, 1e-4, 1e-5)
        for shape, gradient in wanted.items()
    )
    keys = folder / f"{name}.keys"
    if keys.exists() and [*layer.state_dict()] != json.loads(keys.read_text()):
        return str([*layer.state_dict()])
    return "ok" if right else str({shape: one is not None for shape, one in found.items()})


if __name__ == "__main__":
    {"save": save, "load": load}[sys.argv[1]](Path(sys.argv[2]))
