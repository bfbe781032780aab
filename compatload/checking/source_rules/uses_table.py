"""What each release answered to the uses of loaded things (``data/uses.json``), and what to write
instead. The file is made by ``python -m matrix.program_uses``, which asks the releases."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from compatload.frozen import frozen

_DATA = Path(__file__).parents[1] / "data" / "uses.json"
_ABSENT = "-"


@frozen
class Uses:
    """Use → an answer a column; a column is a release and the kind of program that it runs."""

    columns: tuple[str, ...]
    answers: dict[str, tuple[str, ...]]

    def failure(self, use: str, column: str) -> str | None:
        """How a use fails, ``""`` where there is no such name, None where it goes or is unknown."""
        answer = self.answer(use, column)
        if answer is None or answer == "" or answer.startswith("="):
            return None
        return "" if answer == _ABSENT else answer

    def answer(self, use: str, column: str) -> str | None:
        """What was answered; None if nobody asked, or everybody answers alike."""
        answers = self.answers.get(use)
        if answers is None or column not in self.columns:
            return None
        return answers[self.columns.index(column)]

    def elsewhere(self, use: str) -> str:
        """A release, and its kind of program, where a use goes."""
        pairs = zip(self.columns, self.answers.get(use, ()))
        column = next((column for column, answer in pairs if answer == ""), "another release")
        return column.removesuffix(" legacy").replace(" pir", " with its PIR programs")


@cache
def uses() -> Uses:
    document = json.loads(_DATA.read_text("utf-8"))
    return Uses(
        tuple(document["columns"]), {use: tuple(told) for use, told in document["uses"].items()}
    )


_BLOCK = "Ask the block: program.global_block()."
_VALUES = "Go through the operators: [value for op in block.ops for value in op.results()]."
_ATTRIBUTES = "Read op.attrs(), a dict."
_READ = "Load the files with paddle.static.load_inference_model, or compatload's."
_LEGACY_NAMES = "Write the mkldnn name, which every measured release has."
# What to write instead; what stands here without a release was tried on all of them that fail.
INSTEAD = {
    "Program.block()": _BLOCK,
    "Program.current_block()": _BLOCK,
    "Program.block": _BLOCK,
    "Program.current_block": _BLOCK,
    "Program.clone(for_test=True)": "Leave out for_test: a loaded program is for inference anyway.",
    "Program.to_string()": "Write str(program).",
    "Program.all_parameters()": "Write program.global_block().all_parameters().",
    "Program.all_parameters": "Write program.global_block().all_parameters().",
    "Program.desc": "Write str(program) to read it, paddle.static.save_inference_model to keep it.",
    "Program.desc.serialize_to_string()": "Keep it with paddle.static.save_inference_model.",
    "Program.parse_from_string()": _READ,
    "Program.parse_from_string": _READ,
    "paddle.static.deserialize_program()": _READ,
    "paddle.static.serialize_program()": "Keep it with paddle.static.save_inference_model.",
    "paddle.static.CompiledProgram()": "Give the program itself to the executor.",
    "Block.var()": _VALUES,
    "Block.vars": _VALUES,
    "Block.var": _VALUES,
    "Block.has_var()": _VALUES,
    "Operator.type": "Read op.name(), such as 'pd_op.relu'.",
    "Operator.input_arg_names": "Take the values themselves: op.operands_source().",
    "Operator.input()": "Take the values themselves: op.operands_source().",
    "Operator.input_names": "Take the values themselves: op.operands_source().",
    "Operator.output_arg_names": "Take the values themselves: op.results().",
    "Operator.output()": "Take the values themselves: op.results().",
    "Operator.output_names": "Take the values themselves: op.results().",
    "Operator.attr()": _ATTRIBUTES,
    "Operator.all_attrs()": _ATTRIBUTES,
    "Operator.attr_names": _ATTRIBUTES,
    "Operator.attr_type": _ATTRIBUTES,
    "Variable.name": "Give the variables themselves to fetch_list; name results by their place.",
    "Variable.op": "Write value.get_defining_op().",
    "Config.set_model_buffer()": "Write the bytes to files and give their paths to Config.",
    "Config.enable_onednn()": _LEGACY_NAMES,
    "Config.disable_onednn()": _LEGACY_NAMES,
    "Config.set_onednn_cache_capacity()": _LEGACY_NAMES,
    "Config.enable_onednn_bfloat16()": _LEGACY_NAMES,
    "Config.onednn_enabled()": _LEGACY_NAMES,
    "Config.set_onednn_op()": _LEGACY_NAMES,
}
