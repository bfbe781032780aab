"""What lu tells of one matrix, and of two."""

from __future__ import annotations

import paddle

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("arithmetic")


def _infos_of_one_matrix(x):
    return paddle.linalg.lu(x, get_infos=True)[2] + 1


def _infos_of_two_matrices(x):
    return paddle.linalg.lu(x, get_infos=True)[2] + 1


computed(family, _infos_of_one_matrix, Input((3, 3)))
computed(family, _infos_of_two_matrices, Input((2, 3, 3)))
