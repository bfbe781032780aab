"""The protobuf messages of a legacy program (ProgramDesc), built at run time.

Field numbers and types are those of Paddle's ``framework.proto`` as the wheels of 2.6.2 and 3.3.1
carry it. Descriptors live in a pool of their own: no generated module is shipped, so any protobuf
runtime works and nothing can clash with Paddle's own classes of the same name.

Attribute strings are declared as bytes, which is the same on the wire: Paddle stores binary data
in some of them, and a hostile file may store anything.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

_PACKAGE = "compatload"

# What Paddle puts behind an operator's type for its gradient, and behind the name of a slot or of
# a variable for the gradient of that.
OF_A_GRADIENT = "_grad"
GRADIENT = "@GRAD"

# VarType.Type, AttrType and Scalar.Type: name → number.
ATTR_TYPES = {
    "INT": 0,
    "FLOAT": 1,
    "STRING": 2,
    "INTS": 3,
    "FLOATS": 4,
    "STRINGS": 5,
    "BOOLEAN": 6,
    "BOOLEANS": 7,
    "BLOCK": 8,
    "LONG": 9,
    "BLOCKS": 10,
    "LONGS": 11,
    "FLOAT64S": 12,
    "VAR": 13,
    "VARS": 14,
    "FLOAT64": 15,
    "SCALAR": 16,
    "SCALARS": 17,
}

# AttrType name → field of OpDesc.Attr that holds the value.
ATTR_FIELDS = {
    "INT": "i",
    "FLOAT": "f",
    "STRING": "s",
    "INTS": "ints",
    "FLOATS": "floats",
    "STRINGS": "strings",
    "BOOLEAN": "b",
    "BOOLEANS": "bools",
    "BLOCK": "block_idx",
    "LONG": "l",
    "BLOCKS": "blocks_idx",
    "LONGS": "longs",
    "FLOAT64S": "float64s",
    "VAR": "var_name",
    "VARS": "vars_name",
    "FLOAT64": "float64",
    "SCALAR": "scalar",
    "SCALARS": "scalars",
}

SCALAR_TYPES = {"BOOLEAN": 1, "LONG": 2, "FLOAT64": 3, "COMPLEX128": 4}
SCALAR_FIELDS = {"BOOLEAN": "b", "LONG": "i", "FLOAT64": "r", "COMPLEX128": "c"}

# What Paddle 2.6.2 writes as the version of a program.
VERSION_OF_2_6 = 2_006_002

# Data types of tensors: VarType.Type number → (numpy-style name, bytes an element).
DATA_TYPES = {
    0: ("bool", 1),
    1: ("int16", 2),
    2: ("int32", 4),
    3: ("int64", 8),
    4: ("float16", 2),
    5: ("float32", 4),
    6: ("float64", 8),
    19: ("size_t", 8),
    20: ("uint8", 1),
    21: ("int8", 1),
    22: ("bfloat16", 2),
    23: ("complex64", 8),
    24: ("complex128", 16),
    32: ("float8_e4m3fn", 1),
    33: ("float8_e5m2", 1),
    36: ("uint16", 2),
    37: ("uint32", 4),
    38: ("uint64", 8),
}

# Kinds of variables: VarType.Type number → name (3.x says DENSE_TENSOR where 2.x said LOD_TENSOR).
VARIABLE_KINDS = {
    7: "dense_tensor",
    8: "selected_rows",
    9: "feed_minibatch",
    10: "fetch_list",
    11: "step_scopes",
    12: "lod_rank_table",
    13: "dense_tensor_array",
    14: "place_list",
    15: "reader",
    17: "raw",
    18: "tuple",
    25: "string",
    26: "strings",
    27: "vocab",
    28: "feed_list",
    29: "pstring",
    30: "sparse_coo",
    31: "sparse_csr",
}
VARIABLE_NUMBERS = {name: number for number, name in VARIABLE_KINDS.items()}

# message → fields as (number, name, label, type); a type in capitals is another message.
# Enumerations travel as int32, so a number that this table does not know survives a round trip.
_MESSAGES: dict[str, tuple[tuple[int, str, str, str], ...]] = {
    "Version": ((1, "version", "optional", "int64"),),
    "Complex": ((1, "r", "required", "double"), (2, "i", "required", "double")),
    "Scalar": (
        (1, "type", "required", "int32"),
        (2, "b", "optional", "bool"),
        (3, "i", "optional", "int64"),
        (4, "r", "optional", "double"),
        (5, "c", "optional", "Complex"),
    ),
    "OpAttr": (
        (1, "name", "required", "string"),
        (2, "type", "required", "int32"),
        (3, "i", "optional", "int32"),
        (4, "f", "optional", "float"),
        (5, "s", "optional", "bytes"),
        (6, "ints", "repeated", "int32"),
        (7, "floats", "repeated", "float"),
        (8, "strings", "repeated", "bytes"),
        (10, "b", "optional", "bool"),
        (11, "bools", "repeated", "bool"),
        (12, "block_idx", "optional", "int32"),
        (13, "l", "optional", "int64"),
        (14, "blocks_idx", "repeated", "int32"),
        (15, "longs", "repeated", "int64"),
        (16, "float64s", "repeated", "double"),
        (17, "var_name", "optional", "string"),
        (18, "vars_name", "repeated", "string"),
        (19, "float64", "optional", "double"),
        (20, "scalar", "optional", "Scalar"),
        (21, "scalars", "repeated", "Scalar"),
    ),
    "OpVar": ((1, "parameter", "required", "string"), (2, "arguments", "repeated", "string")),
    "OpDesc": (
        (3, "type", "required", "string"),
        (1, "inputs", "repeated", "OpVar"),
        (2, "outputs", "repeated", "OpVar"),
        (4, "attrs", "repeated", "OpAttr"),
        (5, "is_target", "optional", "bool"),
    ),
    "TensorDesc": (
        (1, "data_type", "required", "int32"),
        (2, "dims", "repeated", "int64"),
    ),
    "DenseTensorDesc": (
        (1, "tensor", "required", "TensorDesc"),
        (2, "lod_level", "optional", "int32"),
    ),
    "ReaderDesc": ((1, "dense_tensor", "repeated", "DenseTensorDesc"),),
    "TupleDesc": ((1, "element_type", "repeated", "int32"),),
    "VarType": (
        (1, "type", "required", "int32"),
        (2, "selected_rows", "optional", "TensorDesc"),
        (3, "dense_tensor", "optional", "DenseTensorDesc"),
        (4, "tensor_array", "optional", "DenseTensorDesc"),
        (5, "reader", "optional", "ReaderDesc"),
        (7, "tuple", "optional", "TupleDesc"),
        (8, "string", "optional", "TensorDesc"),
        (9, "strings", "optional", "TensorDesc"),
        (10, "vocab", "optional", "TensorDesc"),
        (11, "sparse_coo", "optional", "TensorDesc"),
        (12, "sparse_csr", "optional", "TensorDesc"),
    ),
    "VarAttr": (
        (1, "name", "required", "string"),
        (2, "type", "required", "int32"),
        (3, "i", "optional", "int32"),
        (4, "s", "optional", "bytes"),
        (5, "ints", "repeated", "int32"),
    ),
    "VarDesc": (
        (1, "name", "required", "string"),
        (2, "type", "required", "VarType"),
        (3, "persistable", "optional", "bool"),
        (4, "need_check_feed", "optional", "bool"),
        (5, "is_parameter", "optional", "bool"),
        (6, "stop_gradient", "optional", "bool"),
        (7, "attrs", "repeated", "VarAttr"),
    ),
    "BlockDesc": (
        (1, "idx", "required", "int32"),
        (2, "parent_idx", "required", "int32"),
        (3, "vars", "repeated", "VarDesc"),
        (4, "ops", "repeated", "OpDesc"),
        (5, "forward_block_idx", "optional", "int32"),
    ),
    "OpVersion": ((1, "version", "required", "int32"),),
    "OpVersionPair": (
        (1, "op_name", "required", "string"),
        (2, "op_version", "required", "OpVersion"),
    ),
    "OpVersionMap": ((1, "pair", "repeated", "OpVersionPair"),),
    "ProgramDesc": (
        (1, "blocks", "repeated", "BlockDesc"),
        (4, "version", "optional", "Version"),
        (5, "op_version_map", "optional", "OpVersionMap"),
    ),
    # Operators without names of values and the lines of Python that made them (``strings``).
    "LayoutAttr": (
        (1, "name", "required", "string"),
        (2, "type", "required", "int32"),
        (3, "i", "optional", "int32"),
        (4, "f", "optional", "float"),
        (5, "s", "optional", "bytes"),
        (6, "ints", "repeated", "int32"),
        (7, "floats", "repeated", "float"),
        (10, "b", "optional", "bool"),
        (11, "bools", "repeated", "bool"),
        (13, "l", "optional", "int64"),
        (15, "longs", "repeated", "int64"),
        (16, "float64s", "repeated", "double"),
        (19, "float64", "optional", "double"),
        (20, "scalar", "optional", "Scalar"),
        (21, "scalars", "repeated", "Scalar"),
    ),
    "LayoutOp": ((3, "type", "required", "string"), (4, "attrs", "repeated", "LayoutAttr")),
    "LayoutBlock": ((4, "ops", "repeated", "LayoutOp"),),
    "Layout": ((1, "blocks", "repeated", "LayoutBlock"),),
    # The same without operators, which are passed over in native code.
    "OutlineBlock": ((3, "vars", "repeated", "VarDesc"),),
    "Outline": (
        (1, "blocks", "repeated", "OutlineBlock"),
        (4, "version", "optional", "Version"),
        (5, "op_version_map", "optional", "OpVersionMap"),
    ),
}

_DEFAULTS = {("BlockDesc", "forward_block_idx"): "-1"}


# The same bytes, seen flat. Protobuf merges a message that occurs again into the first one, so
# parsing with these fields singular where ProgramDesc repeats them gathers, in native code, every
# name, type number and block index of the whole program into one list each. Strings of proto3 are
# checked for UTF-8 on the way.
_SURVEY: dict[str, tuple[tuple[int, str, str, str], ...]] = {
    "SurveyTensor": ((1, "data_type", "repeated", "int32"), (2, "dims", "repeated", "int64")),
    "SurveyDense": ((1, "tensor", "optional", "SurveyTensor"),),
    "SurveyVarType": (
        (1, "type", "repeated", "int32"),
        (2, "selected_rows", "optional", "SurveyTensor"),
        (3, "dense_tensor", "optional", "SurveyDense"),
        (4, "tensor_array", "optional", "SurveyDense"),
        (11, "sparse_coo", "optional", "SurveyTensor"),
        (12, "sparse_csr", "optional", "SurveyTensor"),
    ),
    "SurveyVar": ((1, "name", "repeated", "string"), (2, "type", "optional", "SurveyVarType")),
    "SurveySlot": (
        (1, "parameter", "repeated", "string"),
        (2, "arguments", "repeated", "string"),
    ),
    "SurveyAttr": (
        (1, "name", "repeated", "string"),
        (2, "type", "repeated", "int32"),
        (12, "block_idx", "repeated", "int32"),
        (14, "blocks_idx", "repeated", "int32"),
        (17, "var_name", "repeated", "string"),
        (18, "vars_name", "repeated", "string"),
    ),
    "SurveyOp": (
        (1, "inputs", "optional", "SurveySlot"),
        (2, "outputs", "optional", "SurveySlot"),
        (3, "type", "repeated", "string"),
        (4, "attrs", "optional", "SurveyAttr"),
    ),
    "SurveyBlock": ((3, "vars", "optional", "SurveyVar"), (4, "ops", "optional", "SurveyOp")),
    "SurveyOpVersionPair": ((1, "op_name", "repeated", "string"),),
    "SurveyOpVersionMap": ((1, "pair", "optional", "SurveyOpVersionPair"),),
    "Survey": (
        (1, "blocks", "optional", "SurveyBlock"),
        (5, "op_version_map", "optional", "SurveyOpVersionMap"),
    ),
}


@lru_cache(maxsize=1)
def _classes() -> dict[str, Any]:
    # Imported here because it takes a tenth of a second, and a PIR program needs none of it.
    from google.protobuf import descriptor_pool

    pool = descriptor_pool.DescriptorPool()
    classes = {}
    for name, syntax, messages in (
        ("program", "proto2", _MESSAGES),
        ("survey", "proto3", _SURVEY),
    ):
        file = _file(name, syntax, messages)
        if hasattr(pool, "AddSerializedFile"):
            pool.AddSerializedFile(file.SerializeToString())
        else:
            pool.Add(file)
        for message_name in messages:
            descriptor = pool.FindMessageTypeByName(f"{file.package}.{message_name}")
            classes[message_name] = _message_class(descriptor)
    return classes


def _file(
    name: str, syntax: str, messages: dict[str, tuple[tuple[int, str, str, str], ...]]
) -> Any:
    from google.protobuf import descriptor_pb2

    proto = descriptor_pb2.FieldDescriptorProto
    package = f"{_PACKAGE}.{name}"
    file = descriptor_pb2.FileDescriptorProto(
        name=f"compatload/{name}.proto", package=package, syntax=syntax
    )
    for message_name, fields in messages.items():
        message = file.message_type.add(name=message_name)
        for number, field_name, label, kind in fields:
            field = message.field.add(
                number=number, name=field_name, label=getattr(proto, f"LABEL_{label.upper()}")
            )
            if kind in messages:
                field.type = proto.TYPE_MESSAGE
                field.type_name = f".{package}.{kind}"
            else:
                field.type = getattr(proto, f"TYPE_{kind.upper()}")
            if (message_name, field_name) in _DEFAULTS:
                field.default_value = _DEFAULTS[message_name, field_name]
    return file


def _message_class(descriptor: Any) -> Any:
    from google.protobuf import message_factory

    if hasattr(message_factory, "GetMessageClass"):  # protobuf 4.22 and later
        return message_factory.GetMessageClass(descriptor)
    factory: Any = message_factory.MessageFactory()
    return factory.GetPrototype(descriptor)


def message(name: str) -> Any:
    """A new, empty message of that name, for example ``message("ProgramDesc")``."""
    return _classes()[name]()
