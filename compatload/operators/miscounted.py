"""Operators for which Paddle counts with −1, which stands for an unknown size.

What it declares then looks like a size and is none: `rfft` of an axis of unknown length is said to
have 1 place, and what comes back of it none. Measured by declaring some 400 calls with free sizes
(2.6.2, 3.3.1) and running them at two sizes.

The product of `[N, 1, L, 9]` and `[4, 9, 9]` is declared as `[N, 1, L, 9]`: 2.6 takes the batch of
the operand that has more axes.
"""

from __future__ import annotations

# Without their dialect, in the names of PIR and of legacy programs.
MISCOUNTING = frozenset(
    {
        *("conv2d_transpose", "conv2d_transpose_bias", "conv3d_transpose"),
        *("cumsum", "depthwise_conv2d_transpose", "diag", "diag_embed", "diag_v2", "diagonal"),
        *("fft_c2r", "fft_r2c", "logcumsumexp"),
    }
)
