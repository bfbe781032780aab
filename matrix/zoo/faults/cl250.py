"""Layer normalisation with a weight alone, a bias alone, both and neither."""

from paddle import nn

from matrix.zoo.registry import WIDE, Family

family = Family("activation")


def _normalised(**attributes: bool) -> nn.Layer:
    return nn.LayerNorm(WIDE.shape[-1], **attributes)


family.layer("layer_norm_weight_alone", lambda: _normalised(bias_attr=False), WIDE)
family.layer("layer_norm_bias_alone", lambda: _normalised(weight_attr=False), WIDE)
family.layer("layer_norm_of_neither", lambda: _normalised(weight_attr=False, bias_attr=False), WIDE)
