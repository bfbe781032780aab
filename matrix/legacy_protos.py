"""Writes down the operator protos of an installed Paddle for the PIR-to-legacy converter.

Run with the Python of the release whose operators are the target (2.6.2 for legacy programs):

    /path/to/2.6.2/bin/python matrix/legacy_protos.py \\
        compatload/programs/pir_to_legacy/protos.json

A slot is a string of marks: ``*`` may hold several variables, ``?`` may be absent, ``~`` is an
intermediate output. An attribute is ``[type, default]`` (no default: it must be given), with a
third entry true where a variable may stand for the value. ``kernels``: the dtypes of a CPU's.
"""

import json
import math
import re
import sys
from pathlib import Path

# Written on every operator by the Python layer, whatever its proto says.
BOOKKEEPING = {"op_role", "op_role_var", "op_namescope", "op_callstack", "op_device"}
BOOKKEEPING |= {"with_quant_attr"}
# Gradient and optimiser operators never stand in an inference program.
UNWANTED_SUFFIXES = ("_grad", "_grad_grad", "_double_grad", "_triple_grad", "_xpu")
CPU = ("Place(cpu)", "PLAIN")
FIELD = re.compile(r"(\w+)\[([^\]]*)\]")
DTYPES = {
    "bool": "bool",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int16_t": "int16",
    "int": "int32",
    "int64_t": "int64",
    "float": "float32",
    "double": "float64",
    "::paddle::platform::float16": "float16",
    "::paddle::platform::bfloat16": "bfloat16",
    "::paddle::platform::complex<float>": "complex64",
    "::paddle::platform::complex<double>": "complex128",
}
# Kernels that make views, which no saved program runs; some take more dtypes than the others.
VIEWS = "STRIDED"
ATTRIBUTE_TYPES = (
    "INT FLOAT STRING INTS FLOATS STRINGS BOOLEAN BOOLEANS BLOCK LONG BLOCKS LONGS FLOAT64S "
    "VAR VARS FLOAT64 SCALAR SCALARS"
)


def slot(variable) -> str:
    marks = (variable.duplicable, "*"), (variable.dispensable, "?"), (variable.intermediate, "~")
    return "".join(mark for given, mark in marks if given)


def plain(value):
    """A default as JSON can hold it; infinities and NaN as strings, like PIR's own files."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float, str)) else None


def attributes(proto, defaults, extra) -> dict:
    described = {}
    for attribute in proto.attrs:
        if attribute.name in BOOKKEEPING or attribute.extra or attribute.name in extra:
            continue
        entry = [ATTRIBUTE_TYPES.split()[attribute.type]]
        if attribute.name in defaults:
            entry.append(plain(defaults[attribute.name]))
        if attribute.support_tensor:
            entry += [None] * (2 - len(entry)) + [True]
        described[attribute.name] = entry
    return described


def kernels() -> dict:
    """By operator, the dtypes that a CPU has kernels for; absent where kernels take any."""
    from paddle.base import core

    found = {}
    for name, keys in core._get_all_register_op_kernels("all").items():
        fields = [dict(FIELD.findall(key)) for key in keys]
        # Beside these stand those of oneDNN and of devices that are plugged in.
        plain = {
            one["data_type"]
            for one in fields
            if (one["place"], one["library_type"]) == CPU and one["data_layout"] != VIEWS
        }
        if name.startswith("reduce_"):  # the operator refuses what its kernel would take
            plain.discard("::paddle::platform::float16")
        if plain and all(one in DTYPES for one in plain):
            found[name] = sorted({DTYPES[one] for one in plain})
    return found


def registry() -> dict:
    import paddle
    from paddle.base import core
    from paddle.base.framework import OpProtoHolder

    operators = {}
    dtypes = kernels()
    for name, proto in sorted(OpProtoHolder.instance().op_proto_map.items()):
        if name.endswith(UNWANTED_SUFFIXES):
            continue
        defaults = core.get_op_attrs_default_value(name.encode())
        operators[name] = {
            "inputs": {variable.name: slot(variable) for variable in proto.inputs},
            "outputs": {variable.name: slot(variable) for variable in proto.outputs},
            "attributes": attributes(proto, defaults, core.get_op_extra_attrs(name)),
        }
        if name in dtypes:
            operators[name]["kernels"] = dtypes[name]
    versions = {name: entry.version_id() for name, entry in core.get_op_version_map().items()}
    return {"paddle": paddle.__version__, "versions": versions, "operators": operators}


def main(target: str) -> None:
    found = registry()
    lines = [f'"paddle": {json.dumps(found["paddle"])}']
    lines.append(f'"versions": {json.dumps(found["versions"], sort_keys=True)}')
    entries = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(operator, sort_keys=True)}"
        for name, operator in found["operators"].items()
    )
    lines.append(f'"operators": {{\n{entries}\n}}')
    Path(target).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
