"""What is added to a convolution without a bias."""

from typing import Any

from paddle import nn

from matrix.zoo.registry import IMAGE, Family

family = Family("onednn")


class Added(nn.Layer):
    """A convolution without a bias, and a number or a row that is added to it."""

    def __init__(self, filters: int, *shape: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, filters, 3, padding=1, bias_attr=False)
        self.added = self.create_parameter([*shape])

    def forward(self, x: Any) -> Any:
        return self.convolution(x) + self.added


family.layer("plain_convolution_plus_row", lambda: Added(6, 6), IMAGE)
family.layer("plain_convolution_plus_column", lambda: Added(6, 1, 6, 1), IMAGE)
family.layer("plain_convolution_plus_wider_row", lambda: Added(4, 6), IMAGE)
family.layer("plain_convolution_plus_number", lambda: Added(4, 1), IMAGE)
