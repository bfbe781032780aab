"""Legacy program → PIR, through the translator of an installed Paddle.

No mode or flag of Paddle is touched: the translator works on a program description whichever IR
mode is active. ``translate_in_process`` serves a loader that runs Paddle anyway; others do the same
in a child process (``translation_process``), where a native crash ends nothing else.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from compatload.artifact.program_proto import message
from compatload.errors import ConversionError
from compatload.programs.emptied_results import filled
from compatload.programs.kept_outputs import separated
from compatload.programs.translated_flow import straighten
from compatload.programs.translated_gradients import differentiable
from compatload.programs.translated_program import StoredType, finish, spell_nan

_DENSE_TENSOR = 7
_LITTLE = 64 << 10  # bytes; a disk with less has no room for a program


def translate_in_process(data: bytes, trainable: Mapping[str, bool] | None = None) -> bytes:
    """The PIR JSON for a serialised ProgramDesc, as the imported Paddle writes it.

    Combined weights of the legacy program fit the result as they are. ``trainable`` tells for
    parameters by name whether they take gradients. Paddle must be installed and is imported; its
    modes and flags stay as they are. ``data`` must have passed ``repair``, which refuses what
    would crash the translator. Raises ConversionError if the translator refuses.
    """
    import paddle

    core = paddle.base.core
    try:
        description = core.ProgramDesc(data)
        _fill_in_defaults(description)
        translated = paddle.pir.translate_to_pir(description)
        program = _as_json(core, translated)
    except Exception as error:
        raise _untranslatable(str(paddle.__version__), error) from error
    finish(program, _stored(data), trainable)
    straighten(program)
    differentiable(program)
    filled(program)
    separated(program)
    return json.dumps(program, sort_keys=True, separators=(",", ":")).encode()


def require_translatable(data: bytes) -> None:
    """Raises ConversionError where the imported Paddle cannot translate a serialised ProgramDesc,
    which its executor does in 3.x whatever mode is on: such a layer would fail when it is called.
    """
    import paddle

    try:
        paddle.pir.translate_to_pir(paddle.base.core.ProgramDesc(data))
    except Exception as error:
        raise _untranslatable(str(paddle.__version__), error) from error


def _untranslatable(version: str, error: Exception) -> ConversionError:
    return ConversionError(
        f"Paddle {version} cannot translate the program to PIR.",
        obstacles=(_cause(error),),
        action="Save the model again with the Paddle that is installed here.",
    )


def _fill_in_defaults(description: Any) -> None:
    """Give every operator the attributes that it leaves out, at this Paddle's own defaults.

    Paddle does so before it runs a legacy program, and its translator does not: conv2d of 1.x has
    no ``data_format``, batch_norm no ``use_global_stats``.
    """
    for operator in _operators(description):
        operator.check_attrs()


def _operators(description: Any) -> Iterator[Any]:
    for number in range(description.num_blocks()):
        block = description.block(number)
        for index in range(block.op_size()):
            yield block.op(index)


def with_defaults(data: bytes) -> bytes:
    """A serialised ProgramDesc with all attributes and input slots that this Paddle knows.

    The backward operators that jit.load of 2.6 makes look optional inputs up even where they are
    empty (``Input repeat_times_tensor cannot be found in operator tile``).
    """
    import paddle

    description = paddle.base.core.ProgramDesc(data)
    _fill_in_defaults(description)
    protos = paddle.base.framework.OpProtoHolder.instance()
    for operator in _operators(description):
        present = set(operator.input_names())
        for slot in protos.get_op_proto(operator.type()).inputs:
            if slot.name not in present:
                operator.set_input(slot.name, [])
    return bytes(description.serialize_to_string())


def _as_json(core: Any, program: Any) -> dict[str, Any]:
    options = {"overwrite": True, "readable": False, "trainable": True}
    with tempfile.TemporaryDirectory(prefix="compatload-") as directory:
        path = os.path.join(directory, "program.json")
        try:
            core.serialize_pir_program(program, path, **options)
        except TypeError:  # 3.0 has no default for the version; 1 is the only one that it writes
            core.serialize_pir_program(program, path, pir_version=1, **options)
        with open(path, "rb") as file:
            data = file.read()
        try:
            result: dict[str, Any] = json.loads(spell_nan(data))
        except ValueError as error:
            # Paddle writes what there is room for, and says nothing.
            if shutil.disk_usage(directory).free < _LITTLE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), directory) from error
            raise
    return result


def _stored(data: bytes) -> dict[str, StoredType]:
    """What the weights of a legacy program hold: its persistable tensors."""
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    return {
        variable.name: StoredType(
            variable.type.dense_tensor.tensor.data_type,
            tuple(variable.type.dense_tensor.tensor.dims),
        )
        for block in desc.blocks
        for variable in block.vars
        if variable.persistable and variable.type.type == _DENSE_TENSOR
    }


def _cause(error: Exception) -> str:
    """The line of Paddle's message that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "Error:" in line or "not " in line]
    return (telling or lines or [type(error).__name__])[-1]
