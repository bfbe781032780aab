"""Row 12: a numpy function on a Tensor; which functions fail depends on the release."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [
    (np.arange(8, dtype="float32").reshape(2, 4),),
    (np.arange(8, dtype="float32").reshape(2, 4) + 5.0,),
]


class Said(paddle.nn.Layer):
    def forward(self, x):
        total = np.sum(x.numpy())
        return x * float(total)


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        total = paddle.sum(x)
        return x * total


class SaidMax(paddle.nn.Layer):
    def forward(self, x):
        return x * float(np.max(x.numpy()))


class RecommendedMax(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.max(x)


class SaidMean(paddle.nn.Layer):
    def forward(self, x):
        return x * float(np.mean(x.numpy()))


class RecommendedMean(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.mean(x)


class SaidArgmax(paddle.nn.Layer):
    def forward(self, x):
        return x * float(np.argmax(x.numpy()))


class RecommendedArgmax(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.argmax(x).astype("float32")


class SaidSort(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.sort(x.numpy()))


class RecommendedSort(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.sort(x)


class SaidWhere(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.where(x.numpy() > 1, 1.0, 0.0).astype("float32"))


class RecommendedWhere(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.where(x > 1, paddle.ones_like(x), paddle.zeros_like(x))


class SaidConcatenate(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.concatenate([x.numpy(), x.numpy()], axis=1))[:, 2:6]


class RecommendedConcatenate(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.concat([x, x], axis=1)[:, 2:6]


class SaidClip(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.clip(x.numpy(), 1, 3))


class RecommendedClip(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.clip(x, 1, 3)


class SaidRound(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.round(x.numpy() / 3))


class RecommendedRound(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.round(x / 3)


class SaidAbs(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.abs(x.numpy() - 4))


class RecommendedAbs(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.abs(x - 4)


class SaidMaximum(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.maximum(x.numpy(), 2))


class RecommendedMaximum(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.maximum(x, paddle.full_like(x, 2))


class SaidExp(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.exp(x.numpy() / 10))


class RecommendedExp(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.exp(x / 10)


class SaidArray(paddle.nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.array(x.numpy())[0:1])


class RecommendedArray(paddle.nn.Layer):
    def forward(self, x):
        return x * x[0:1]


class SaidTolist(paddle.nn.Layer):
    """Not numpy, but the same way out of the graph."""

    def forward(self, x):
        return x * sum(x.sum(axis=0).tolist())


class RecommendedTolist(paddle.nn.Layer):
    def forward(self, x):
        return x * x.sum(axis=0).sum()
