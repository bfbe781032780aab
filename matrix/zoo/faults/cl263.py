"""Activations behind layers of five axes."""

from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
_FIVE = Input((None, 2, 3, 1, 6))

family.layer("tanh_of_five_axes", lambda: nn.Sequential(nn.Linear(6, 3), nn.Tanh()), _FIVE)
family.layer("sigmoid_of_five_axes", lambda: nn.Sequential(nn.Linear(6, 4), nn.Sigmoid()), _FIVE)
