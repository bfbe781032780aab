"""Linear algebra, normalisation and embedding."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import IDS, IMAGE, ROWS, SEQUENCE, Family, convolution, linear

SQUARE = Input((None, 4, 4))
PAIR = Input((None, 4, 6))
OTHER = Input((None, 6, 3))


def definite(x: Any) -> Any:
    return paddle.matmul(x, x, transpose_y=True) + paddle.eye(4) * 2.0


algebra = Family("linear algebra")
algebra.op("matmul", paddle.matmul, PAIR, OTHER, before=linear)
algebra.op("matmul_transposed", lambda x, y: paddle.matmul(x, y, transpose_y=True), PAIR, PAIR)
algebra.op("matmul_first_transposed", lambda x, y: paddle.matmul(x, y, True), PAIR, PAIR)
algebra.op("matmul_scaled", lambda x, y: paddle.matmul(x, y) * 0.125, PAIR, OTHER)
algebra.op("bmm", paddle.bmm, PAIR, OTHER)
algebra.op("mv", paddle.mv, Input((5, 6)), Input((6,)))
algebra.op("dot", paddle.dot, ROWS, ROWS)
algebra.op("outer", paddle.outer, Input((4,)), Input((5,)))
algebra.op("cross", lambda x, y: paddle.cross(x, y, axis=1), Input((None, 3)), Input((None, 3)))
algebra.op("kron", paddle.kron, Input((2, 3)), Input((3, 2)))
algebra.op("addmm", lambda x, y, z: paddle.addmm(x, y, z, 0.5, 2.0),
           Input((4, 3)), Input((4, 6)), Input((6, 3)))  # fmt: skip
algebra.op("einsum", lambda x, y: paddle.einsum("bij,bjk->bik", x, y), PAIR, OTHER)
algebra.op("einsum_attention", lambda x, y: paddle.einsum("bid,bjd->bij", x, y), PAIR, PAIR)
algebra.op("tensordot", lambda x, y: paddle.tensordot(x, y, 1), Input((3, 4)), Input((4, 5)))
algebra.op("trace", lambda x: paddle.trace(x, 0, 1, 2), SQUARE)
algebra.op("inverse", lambda x: paddle.inverse(definite(x)), SQUARE, tolerance=1e-4)
algebra.op("determinant", lambda x: paddle.linalg.det(definite(x)), SQUARE, tolerance=1e-4)
algebra.op("slogdet", lambda x: paddle.linalg.slogdet(definite(x)), SQUARE, tolerance=1e-4)
algebra.op("cholesky", lambda x: paddle.linalg.cholesky(definite(x)), SQUARE, tolerance=1e-4)
algebra.op("solve", lambda x: paddle.linalg.solve(definite(x), x), SQUARE, tolerance=1e-4)
algebra.op("singular_values", lambda x: paddle.linalg.svd(x)[1], SQUARE, tolerance=1e-4)
algebra.op("eigenvalues", lambda x: paddle.linalg.eigvalsh(definite(x)), SQUARE, tolerance=1e-4)
algebra.op("matrix_power", lambda x: paddle.linalg.matrix_power(x, 3), Input((2, 4, 4)))
algebra.op(
    "triangular_solve",
    lambda x: paddle.linalg.triangular_solve(definite(x), x, upper=False),
    SQUARE,
    tolerance=1e-4,
)
algebra.op("distance", lambda x, y: paddle.dist(x, y, p=2), Input((4, 6)), Input((4, 6)))
algebra.op("cosine_similarity", F.cosine_similarity, ROWS, ROWS)
algebra.layer("bilinear_layer", lambda: Bilinear(), ROWS, ROWS)
algebra.layer("linear", linear, ROWS)
algebra.layer("linear_no_bias", lambda: nn.Linear(6, 4, bias_attr=False), SEQUENCE)
algebra.layer("linear_deep", lambda: nn.Linear(6, 4), SEQUENCE)


class Bilinear(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Bilinear(6, 6, 3)

    def forward(self, x: Any, y: Any) -> Any:
        return self.inner(x, y)


normalisation = Family("normalisation")
VOLUME = Input((None, 2, 4, 4, 4))
for name, build, one in [
    ("batch_norm1d", lambda: nn.BatchNorm1D(6), ROWS),
    ("batch_norm2d", lambda: nn.BatchNorm2D(3), IMAGE),
    ("batch_norm2d_last", lambda: nn.BatchNorm2D(6, data_format="NHWC"), IMAGE),
    ("batch_norm3d", lambda: nn.BatchNorm3D(2), VOLUME),
    ("batch_norm_legacy", lambda: nn.BatchNorm(3, act="relu"), IMAGE),
    ("conv_batch_norm", lambda: nn.Sequential(convolution(), nn.BatchNorm2D(4), nn.ReLU()), IMAGE),
    ("layer_norm", lambda: nn.LayerNorm(6), SEQUENCE),
    ("layer_norm_two", lambda: nn.LayerNorm([6, 6], epsilon=1e-3), IMAGE),
    ("layer_norm_plain", lambda: nn.LayerNorm(6, weight_attr=False, bias_attr=False), SEQUENCE),
    ("instance_norm", lambda: nn.InstanceNorm2D(3), IMAGE),
    ("group_norm", lambda: nn.GroupNorm(3, 3), IMAGE),
    ("group_norm_one", lambda: nn.GroupNorm(1, 3, epsilon=1e-3), IMAGE),
    ("conv_group_norm_silu",
     lambda: nn.Sequential(convolution(), nn.GroupNorm(2, 4), nn.Silu()), IMAGE),
    ("local_response_norm", lambda: nn.LocalResponseNorm(3), IMAGE),
]:  # fmt: skip
    normalisation.layer(name, build, one)
normalisation.op("normalize", lambda x: F.normalize(x, axis=1), IMAGE, before=convolution)
normalisation.op(
    "rms_norm", lambda x: x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6), SEQUENCE
)

embedding = Family("embedding")
embedding.layer("embedding", lambda: nn.Embedding(6, 4), IDS)
embedding.layer("embedding_padding", lambda: nn.Embedding(6, 4, padding_idx=0), IDS)
embedding.layer("embedding_int32", lambda: nn.Embedding(6, 4), Input((None, None), "int32", 0, 6))
embedding.layer("embedding_position", lambda: Positions(), Input((None, None), "int64", 0, 6))


class Positions(nn.Layer):
    """Words and positions, as language models have them."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(6, 4)
        self.positions = nn.Embedding(16, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x: Any) -> Any:
        places = paddle.cumsum(paddle.ones_like(x), axis=-1) - 1
        return self.norm(self.words(x) + self.positions(places))
