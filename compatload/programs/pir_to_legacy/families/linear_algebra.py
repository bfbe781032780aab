"""Matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.faults.cl130_traced_backwards_pir import EARLIER_IS_FIRST
from compatload.faults.cl143_mended_in_3_1_pir import BEFORE_3_1
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation
from compatload.programs.pir_to_legacy.rules import Conversion, Folded, apply, rule, special
from compatload.programs.pir_to_legacy.steps import convert, finish, given, shape_output


@special("tol use_default_tol hermitian", operands=2)
def _matrix_rank(operation: Operation, out: Emitter) -> None:
    """2.6 and 3.0 count in int32, later releases in int64, whatever a program says."""
    result = operation.results[0]
    inputs = {"X": (out.operand(operation, 0),), "TolTensor": out.optional(operation, 1)}
    known = ("tol", "use_default_tol", "hermitian")
    attributes = {name: v for name, v in operation.attributes.items() if name in known}
    counts = replace(result.type, dtype="int32")
    if out.pir_version <= BEFORE_3_1:
        out.emit("matrix_rank", inputs, {"Out": out.define(result, "rank", counts)}, attributes)
        return
    name = out.emit_new("matrix_rank", inputs, "Out", counts, attributes)
    wide = out.define(result, "cast", replace(result.type, dtype="int64"))
    convert(out, name, "int32", "int64", wide[0])


_TRACE = rule("trace", "Input")


@special("offset axis1 axis2")
def _trace(operation: Operation, out: Emitter) -> None:
    """2.6 takes the earlier axis for rows, as 3.0 does; later releases the first (CL130)."""
    told = operation.attributes
    rank = len(given(operation, 0).type.dims)
    turned = {}
    if told["axis1"] % rank > told["axis2"] % rank and out.pir_version > EARLIER_IS_FIRST:
        turned = {"offset": -told["offset"]}
    apply(_TRACE, operation, out, **turned)


_TO_REAL = rule("fft_c2r")


@special(None)
def _to_real(operation: Operation, out: Emitter) -> None:
    """Of one frequency alone there come no points, which 2.6 refuses."""
    axes = operation.attributes.get("axes", ())
    if axes and operation.results[0].type.dims[axes[-1]] == 0:
        raise ObstacleError("a Fourier transform to no points")
    apply(_TO_REAL, operation, out)


@special("pivot")
def _lu(operation: Operation, out: Emitter) -> None:
    """What 2.6 tells of one matrix has one place (CL199)."""
    source = given(operation, 0)
    factors, pivots, infos = operation.results
    place = infos.type if infos.type.dims else replace(infos.type, dims=(1,))
    told = out.temporary(place, "lu")
    outputs = {"Out": out.define(factors, "lu"), "Pivots": out.define(pivots, "lu"), "Infos": told}
    out.emit("lu", {"X": out.name(source)}, outputs, {"pivots": operation.attributes["pivot"]})
    if infos.type.dims:
        finish(out, "assign", {"X": told}, infos)
        return
    results = {"Out": out.define(infos, "lu"), **shape_output(out, place)}
    out.emit("reshape2", {"X": told}, results, {"shape": []})


@special("trans", operands=3)
def _lu_solve(operation: Operation, out: Emitter) -> None:
    """2.6 has no such operator: a permutation and two triangles, either way round."""
    right, factors, pivots = (given(operation, place) for place in range(3))
    transposed = operation.attributes["trans"] != "N"
    unpacked = {slot: out.temporary(factors.type, "lu_unpack") for slot in ("Pmat", "L", "U")}
    read = {"X": out.name(factors), "Pivots": out.name(pivots)}
    out.emit("lu_unpack", read, unpacked, {"unpack_ludata": True, "unpack_pivots": True})

    def permuted(value: str, turned: bool) -> str:
        operands = {"X": unpacked["Pmat"], "Y": value}
        return out.emit_new("matmul_v2", operands, "Out", right.type, {"trans_x": turned})

    def solved(value: str, upper: bool) -> str:
        told = {"upper": upper, "transpose": transposed, "unitriangular": not upper}
        operands = {"X": unpacked["U" if upper else "L"], "Y": value}
        return out.emit_new("triangular_solve", operands, "Out", right.type, told)

    value = out.name(right)
    if transposed:
        value = permuted(solved(solved(value, True), False), False)
    else:
        value = solved(solved(permuted(value, True), False), True)
    finish(out, "assign", {"X": value}, operation.results[0])


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
    "trace": _trace,
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
    "lu": _lu,
    "lu_solve": _lu_solve,
    "lu_unpack": rule("lu_unpack", "X Pivots", "Pmat L U"),
    "eig": rule("eig", "X", "Eigenvalues Eigenvectors"),
    "eigh": rule("eigh", "X", "Eigenvalues Eigenvectors"),
    "eigvals": rule("eigvals"),
    "eigvalsh": rule("eigvalsh", "X", "Eigenvalues Eigenvectors", rename={"uplo": "UPLO"}),
    "matrix_power": rule("matrix_power"),
    "matrix_rank": _matrix_rank,
    "matrix_rank_tol": _matrix_rank,
    "einsum": rule("einsum", "Operands", "Out InnerCache XShape"),
    "bilinear": rule("bilinear_tensor_product", "X Y Weight Bias"),
    "fft_c2c": rule("fft_c2c"),
    "fft_r2c": rule("fft_r2c"),
    "fft_c2r": _to_real,
    "stft": rule("stft", "X Window"),
}
