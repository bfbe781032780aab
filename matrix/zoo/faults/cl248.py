"""Bytes whose sum or multiple does not fit into a byte."""

from typing import Any

import paddle

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("onednn")
_BYTES = Input((None, 6), "uint8", 100, 250)
_SIGNED = Input((None, 6), "int8", 60, 120)


def _bytes_added(x: Any) -> Any:
    return paddle.add(x, paddle.concat([x[:, 1:], x[:, :1]], axis=1))


def _signed_bytes_added(x: Any) -> Any:
    return paddle.add(x, paddle.concat([x[:, 1:], x[:, :1]], axis=1))


def _bytes_scaled(x: Any) -> Any:
    return paddle.scale(x, 3.0)


def _signed_bytes_scaled(x: Any) -> Any:
    return paddle.scale(x, 2.0)


computed(family, _bytes_added, _BYTES, since="3.0")
computed(family, _signed_bytes_added, _SIGNED, since="3.0")
computed(family, _bytes_scaled, _BYTES)
computed(family, _signed_bytes_scaled, _SIGNED)
