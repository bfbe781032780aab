"""Matrices."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.conversion.pir_to_legacy.rules import Conversion, Folded, rule

RULES: Mapping[str, Conversion] = {
    "matmul": rule("matmul_v2", "X Y", rename={"transpose_x": "trans_x", "transpose_y": "trans_y"}),
    "matmul_with_flatten": rule("mul", "X Y"),
    "bmm": rule("bmm", "X Y"),
    "mv": rule("mv", "X Vec"),
    "dot": rule("dot", "X Y"),
    "addmm": rule("addmm", "Input X Y", rename={"alpha": "Alpha", "beta": "Beta"}),
    "multi_dot": rule("multi_dot"),
    "kron": rule("kron", "X Y"),
    "cross": rule("cross", "X Y", rename={"axis": "dim"}),
    "dist": rule("dist", "X Y"),
    "trace": rule("trace", "Input"),
    "inverse": rule("inverse", "Input", "Output"),
    "det": rule("determinant", "Input"),
    "slogdet": rule("slogdeterminant", "Input"),
    "cholesky": rule("cholesky"),
    "cholesky_solve": rule("cholesky_solve", "X Y"),
    "triangular_solve": rule("triangular_solve", "X Y"),
    "solve": rule("solve", "X Y"),
    "lstsq": rule(
        "lstsq",
        "X Y rcond",
        "Solution Residuals Rank SingularValues",
        folded={"rcond": Folded("rcond")},
    ),
    "svd": rule("svd", "X", "U S VH"),
    "qr": rule("qr", "X", "Q R"),
    "lu": rule("lu", "X", "Out Pivots Infos", rename={"pivot": "pivots"}),
    "lu_unpack": rule("lu_unpack", "X Pivots", "Pmat L U"),
    "eig": rule("eig", "X", "Eigenvalues Eigenvectors"),
    "eigh": rule("eigh", "X", "Eigenvalues Eigenvectors"),
    "eigvals": rule("eigvals"),
    "eigvalsh": rule("eigvalsh", "X", "Eigenvalues Eigenvectors", rename={"uplo": "UPLO"}),
    "matrix_power": rule("matrix_power"),
    "matrix_rank": rule("matrix_rank"),
    "matrix_rank_tol": rule("matrix_rank", "X TolTensor"),
    "einsum": rule("einsum", "Operands", "Out InnerCache XShape"),
    "bilinear": rule("bilinear_tensor_product", "X Y Weight Bias"),
    "fft_c2c": rule("fft_c2c"),
    "fft_r2c": rule("fft_r2c"),
    "fft_c2r": rule("fft_c2r"),
    "stft": rule("stft", "X Window"),
}
