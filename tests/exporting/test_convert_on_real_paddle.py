"""``convert`` with real releases at hand: what it proves, what it catches, what it says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from fixtures.index import fixture

from tests.releases import python_of, run_in

OLD, NEW = "2.6.2", "3.3.1"
CONVERT = """
import json, sys
from compatload import convert
from compatload.errors import CompatLoadError
arguments = json.loads(sys.argv[1])
if arguments.pop("falsify", False):
    import importlib
    module = importlib.import_module("compatload.exporting.convert")
    def falsify(source, target):
        data = bytearray(open(source, "rb").read())
        data[-2] ^= 0x40  # the exponent of the last weight
        open(target, "wb").write(data)
    module.duplicate = falsify
try:
    told = convert(**arguments).to_dict()
except CompatLoadError as error:
    told = {"error": type(error).__name__, "text": str(error)}
print(json.dumps(told))
"""


def converted(release: str, **arguments: Any) -> dict[str, Any]:
    """What a ``convert`` in that release's Python tells."""
    said = run_in(release, "-c", CONVERT, json.dumps(arguments), seconds=600)
    told: dict[str, Any] = json.loads(said.splitlines()[-1])
    return told


def source(identity: str) -> str:
    return str(fixture(identity).path)


APIS = ["predictor", "program", "layer"]


@pytest.mark.parametrize(
    ("release", "identity", "to", "helpers", "source_by", "result_by", "apis"),
    [
        # One Paddle runs both.
        (NEW, "3.3.1/classifier", "pir-v1", (), NEW, NEW, APIS),
        (NEW, "2.6.2/two_methods", "pir", (), NEW, NEW, APIS),
        (OLD, "2.6.2/v1_image", "legacy", (), OLD, OLD, APIS),
        # 3.x runs a legacy program as one, in its predictor only.
        (NEW, "3.3.1/lstm", "legacy", (), NEW, NEW, ["predictor"]),
        # Each side has its own Paddle.
        (NEW, "3.3.1/while_two_inputs", "legacy", (OLD,), NEW, OLD, APIS),
        (OLD, "2.6.2/directory_loose", "paddle==3.3.1", (NEW,), OLD, NEW, APIS),
    ],
)
def test_source_and_result_agree(
    release: str,
    identity: str,
    to: str,
    helpers: tuple[str, ...],
    source_by: str,
    result_by: str,
    apis: list[str],
    tmp_path: Path,
) -> None:
    helpers = tuple(python_of(one) for one in helpers)
    told = converted(
        release,
        source=source(identity),
        target=str(tmp_path / "m"),
        to=to,
        interpreters=list(helpers),
    )
    checked = told["verification"]
    assert checked["outcome"] == "agrees", checked
    assert (checked["source_paddle"], checked["result_paddle"]) == (source_by, result_by)
    compared = [trial for trial in checked["trials"] if trial["difference"] is not None]
    assert sorted({trial["api"] for trial in compared}) == sorted(apis), checked["trials"]
    assert all(trial["difference"] <= checked["tolerance"] for trial in compared)


def test_numbers_that_differ_are_no_result(tmp_path: Path) -> None:
    """Same structure, one bit of one weight: only a run can tell."""
    arguments = {"source": source("3.3.1/classifier"), "to": "pir-v1", "falsify": True}
    told = converted(NEW, target=str(tmp_path / "new" / "m"), **arguments)
    assert told["error"] == "ConversionError"
    assert "does not compute" in told["text"]
    assert not (tmp_path / "new").exists()
    told = converted(NEW, target=str(tmp_path / "new" / "m"), verify=False, **arguments)
    assert told["verification"]["reason"] == "verify=False"


def test_it_says_so_where_nothing_here_runs_the_source(tmp_path: Path) -> None:
    target = str(tmp_path / "m")
    told = converted(OLD, source=source("3.3.1/classifier"), target=target, to="legacy")
    assert told["verification"]["outcome"] == "not run"
    assert f"(paddle {OLD}) runs the source" in told["verification"]["reason"]
    assert told["verification"]["structure"]


NAMES = """
import sys
from paddle import inference
config = inference.Config(sys.argv[1], sys.argv[2])
config.disable_glog_info()
config.disable_mkldnn()  # what 3.3 does with interpolation (CL201) is not the matter here
predictor = inference.create_predictor(config)
print(*predictor.get_input_names(), "->", *predictor.get_output_names())
"""


def names(release: str, program: Path) -> str:
    files = (program, program.with_suffix(".pdiparams"))
    return run_in(release, "-c", NAMES, *files).splitlines()[-1]


def test_paddle_shows_the_same_names(tmp_path: Path) -> None:
    """There and back: the predictor's names of inputs and outputs."""
    original = fixture("2.6.2/detector").path.with_suffix(".pdmodel")
    expected = names(OLD, original)
    there = converted(
        NEW, source=str(original), target=str(tmp_path / "there"), to="pir", verify=False
    )
    assert names(NEW, tmp_path / "there.json") == expected, there
    converted(
        NEW,
        source=str(tmp_path / "there"),
        target=str(tmp_path / "back"),
        to="legacy",
        verify=False,
    )
    assert names(OLD, tmp_path / "back.pdmodel") == expected


def test_the_command(tmp_path: Path) -> None:
    arguments = (source("3.3.1/embedding"), tmp_path / "m", "--to", "legacy")
    said = run_in(NEW, "-m", "compatload", "convert", *arguments, "--python", python_of(OLD))
    assert f"paddle {NEW} on the source, {OLD} on the result" in said


def test_nothing_here_imports_paddle() -> None:
    assert "paddle" not in sys.modules


LOST = """
import sys, paddle
paddle.enable_static()
x = paddle.static.data("x", [2, 4, 3, 3], "float32")
block = paddle.static.default_main_program().global_block()
flow = block.create_var(name="flow", dtype="float32", shape=[2, 4, 4])
block.append_op(type="fsp", inputs={"X": [x], "Y": [x]}, outputs={"Out": [flow]})
exe = paddle.static.Executor(paddle.CPUPlace())
paddle.static.save_inference_model(sys.argv[1], [x], [flow], exe)
"""


def test_what_a_load_is_refused_is_not_written(tmp_path: Path) -> None:
    # 3.x has lost the flow of a solution procedure: its translator says so in words of its own.
    run_in(OLD, "-c", LOST, str(tmp_path / "lost"))
    told = converted(NEW, source=str(tmp_path / "lost"), target=str(tmp_path / "new"), to="pir")
    assert told["error"] == "ConversionError"
    assert "[CL131]" in told["text"]
    assert "3.3.1" in told["text"]
    assert not list(tmp_path.glob("new*"))
    # A release that can be given it still gets it.
    told = converted(NEW, source=str(tmp_path / "lost"), target=str(tmp_path / "old"), to="legacy")
    assert told["target_format"] == "legacy"


MISDECLARED = """
import sys, paddle
paddle.enable_static()
x = paddle.static.data("x", [-1, 7], "float32")
result = paddle.log2(paddle.argmax(x, 1) + 1)
exe = paddle.static.Executor(paddle.CPUPlace())
paddle.static.save_inference_model(sys.argv[1], [x], [result], exe)
"""


def test_outputs_have_the_types_they_have_not_those_2_6_declares(tmp_path: Path) -> None:
    # 2.6 declares the logarithm of whole numbers as whole: the result was called another model.
    run_in(OLD, "-c", MISDECLARED, str(tmp_path / "m"))
    told = converted(NEW, source=str(tmp_path / "m"), target=str(tmp_path / "new"), to="pir")
    assert told.get("target_format") == "pir", told
    assert all(one["difference"] == 0.0 for one in told["verification"]["trials"])


SEQUENCES = Path(__file__).resolve().parents[1] / "loading" / "sequences.py"


@pytest.mark.parametrize("name", ["tagger", "levels"])
def test_models_over_sequences_are_converted_and_compared(name: str, tmp_path: Path) -> None:
    run_in(OLD, SEQUENCES, "save", tmp_path)
    told = converted(NEW, source=str(tmp_path / name), target=str(tmp_path / "new"), to="pir")
    assert told.get("target_format") == "pir", told
    assert {one["api"] for one in told["verification"]["trials"]} == {*APIS}
    assert all(one["difference"] == 0.0 for one in told["verification"]["trials"])


DIFFERENT = """
import sys, paddle
class Net(paddle.nn.Layer):
    def forward(self, x):
        return paddle.unique(x), paddle.linalg.matrix_rank(x.astype("float32"))
spec = [paddle.static.InputSpec([None, 4], "int64", "x")]
paddle.jit.save(Net(), sys.argv[1], spec)
"""


def test_outputs_have_the_types_they_have_not_those_3_x_declares(tmp_path: Path) -> None:
    script = tmp_path / "net.py"  # Paddle reads the code that it converts
    script.write_text(DIFFERENT)
    run_in(NEW, script, str(tmp_path / "m"))
    told = converted(NEW, source=str(tmp_path / "m"), target=str(tmp_path / "old"), to="legacy")
    assert told.get("target_format") == "legacy", told
    assert all(one["difference"] == 0.0 for one in told["verification"]["trials"])


LEAKY = """
import sys, paddle
paddle.enable_static()
x = paddle.static.data("x", [-1, 3, 8, 8], "float32")
result = paddle.nn.functional.leaky_relu(paddle.static.nn.conv2d(x, 4, 3))
exe = paddle.static.Executor(paddle.CPUPlace())
exe.run(paddle.static.default_startup_program())
paddle.static.save_inference_model(sys.argv[1], [x], [result], exe)
"""


def test_it_says_which_of_the_releases_own_loaders_fails(tmp_path: Path) -> None:
    run_in(OLD, "-c", LEAKY, str(tmp_path / "m"))
    told = converted(NEW, source=str(tmp_path / "m"), target=str(tmp_path / "new"), to="pir")
    (note,) = (one for one in told["notes"] if "create_predictor" in one)
    assert "(CL202: " in note
    assert "safe_create_predictor goes around it" in note
