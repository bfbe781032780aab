"""What can be done with a loaded program, layer and predictor, asked of every release.

    python -m matrix.program_uses --envs ENVS

It writes compatload/checking/data/uses.json. Each release saves a small network and loads it again,
once as the program that it writes by itself and, from 3.0 on, once as the legacy one
(FLAGS_enable_pir_api=0). Every use below is then tried in a process of its own: some kill it. An
answer is what was given (its type, or the text or number itself), or how it failed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DATA = ROOT / "compatload" / "checking" / "data" / "uses.json"
LIMIT_S = 30

# Use → the expression that tries it. "Kind.name" stands for the attribute, "Kind.name()" for the
# call with what it needs.
USES = {
    "Loaded.names": "feed_names",
    "Program": "program",
    "Program.block()": "program.block(0)",
    "Program.clone()": "program.clone()",
    "Program.clone(for_test=True)": "program.clone(for_test=True)",
    "Program.to_string()": "program.to_string(True)",
    "Program.parse_from_string()": "paddle.static.Program.parse_from_string(serialized)",
    "Program.list_vars()": "len(list(program.list_vars())) > 0",
    "Program.all_parameters()": "[p.name for p in program.all_parameters()]",
    "Program.state_dict()": "sorted(program.state_dict())",
    "Program.desc.serialize_to_string()": "program.desc.serialize_to_string()",
    "Program.serialize_to_string()": "program.serialize_to_string()",
    "Program.global_block()": "program.global_block()",
    "Program.current_block()": "program.current_block()",
    "Block.var()": "block.var(target_name)",
    "Block.has_var()": "block.has_var(target_name)",
    "Block.vars": "type(block.vars).__name__",
    "Block.all_parameters()": "[p.name for p in block.all_parameters()]",
    "Block.ops": "len(block.ops) > 0",
    "Block.create_var()": "block.create_var(name='new', shape=[1], dtype='float32')",
    "Block.append_op()": (
        "block.append_op(type='relu', inputs={'X': target}, outputs={'Out': target})"
    ),
    "Block.prepend_op()": (
        "block._prepend_op(type='relu', inputs={'X': target}, outputs={'Out': target})"
    ),
    "Operator.input()": "type(op.input(op.input_names[0])).__name__",
    "Operator.output()": "type(op.output(op.output_names[0])).__name__",
    "Operator.attr()": "type(op.attr(op.attr_names[0])).__name__",
    "Operator.has_attr()": "op.has_attr('nothing')",
    "Operator.all_attrs()": "type(op.all_attrs()).__name__",
    "Operator.attrs()": "type(op.attrs()).__name__",
    "Operator.name()": "op.name()",
    "Operator.operands_source()": "type(op.operands_source()).__name__",
    "Operator.results()": "type(op.results()).__name__",
    "Variable.to_string()": "type(target.to_string(True)).__name__",
    "Variable.astype()": "type(target.astype('float64')).__name__",
    "Variable.get_defining_op()": "target.get_defining_op().name()",
    "Executor.run(fetch_list=variables)": (
        "exe.run(program, feed={feed_names[0]: data}, fetch_list=targets)[0].shape"
    ),
    "Executor.run(fetch_list=names)": (
        "exe.run(program, feed={feed_names[0]: data}, fetch_list=[target.name])[0].shape"
    ),
    "Executor.run(CompiledProgram)": (
        "exe.run(paddle.static.CompiledProgram(program), feed={feed_names[0]: data}, "
        "fetch_list=targets)[0].shape"
    ),
    "static.CompiledProgram()": "paddle.static.CompiledProgram(program)",
    "static.serialize_program()": (
        "type(paddle.static.serialize_program([feed], targets, program=program)).__name__"
    ),
    "static.deserialize_program()": "paddle.static.deserialize_program(serialized)",
    "static.normalize_program()": "paddle.static.normalize_program(program, [feed], targets)",
    "static.save_inference_model()": (
        "paddle.static.save_inference_model(folder + '/again', [feed], targets, exe, "
        "program=program)"
    ),
    "static.Program()": "type(paddle.static.Program()).__module__",
    "Layer.program()": "type(layer.program()).__module__",
    "Parameter.name": "layer.parameters()[-1].name",
    "Layer.forward()": "layer.forward(paddle.to_tensor(data)).shape",
    "Layer.state_dict()": "sorted(layer.state_dict())",
    "Layer.parameters()": "[p.name for p in layer.parameters()]",
    "Layer.named_parameters()": "[n for n, _ in layer.named_parameters()]",
    "Layer.train()": "layer.train()",
    "Layer.eval()": "layer.eval()",
    "Layer.sublayers()": "len(layer.sublayers())",
    "Layer._input_spec()": "[s.name for s in layer._input_spec()]",
    "Layer._output_spec()": "[s.name for s in layer._output_spec()]",
    "Predictor.get_input_names()": "predictor.get_input_names()",
    "Predictor.get_output_names()": "predictor.get_output_names()",
    "Predictor.get_output_names() of static.save_inference_model": (
        "paddle.inference.create_predictor(static_config).get_output_names()"
    ),
    "Predictor.get_input_handle()": "predictor.get_input_handle(predictor.get_input_names()[0])",
    "Predictor.get_output_handle()": (
        "predictor.get_output_handle(predictor.get_output_names()[0])"
    ),
    "Predictor.get_input_tensor_shape()": "type(predictor.get_input_tensor_shape()).__name__",
    "Predictor.run()": "fed(predictor).run()",
    "Predictor.run(inputs)": "predictor.run([paddle.to_tensor(data)])[0].shape",
    "Predictor.clone()": "predictor.clone()",
    "Predictor.clear_intermediate_tensor()": "predictor.clear_intermediate_tensor()",
    "Predictor.try_shrink_memory()": "predictor.try_shrink_memory()",
    "Handle.reshape()": "handle.reshape([2, 4])",
    "Handle.copy_from_cpu()": "handle.copy_from_cpu(data)",
    "Handle.share_external_data()": "handle.share_external_data(data)",
    "Handle.shape()": "handle.shape()",
    "Handle.type()": "str(handle.type())",
    "Handle.lod()": "handle.lod()",
    "Handle.set_lod()": "handle.set_lod([[0, 1]])",
    "Handle.name()": "handle.name()",
    "Config.set_model_buffer()": "by_buffer()",
    # What is to be written instead.
    "instead: str(program)": "len(str(program)) > 0",
    "instead: block.all_parameters()": "len(program.global_block().all_parameters()) > 0",
    "instead: op.name()": "op.name()",
    "instead: op.operands_source()": "len(op.operands_source())",
    "instead: op.results()": "len(op.results())",
    "instead: op.attrs()": "len(op.attrs())",
    "instead: value.get_defining_op()": "target.get_defining_op().name()",
    "instead: program.clone()": "type(program.clone()).__name__",
    "instead: exe.run(program)": (
        "exe.run(program, feed={feed_names[0]: data}, fetch_list=targets)[0].shape"
    ),
    "instead: program.global_block()": "type(program.global_block()).__name__",
}
# Calls of a Config after which a predictor is made and run.
CONFIG_CALLS = (
    *("enable_memory_optim()", "switch_ir_optim(True)", "switch_ir_optim(False)"),
    *("enable_mkldnn()", "enable_onednn()", "disable_mkldnn()", "disable_onednn()"),
    *("set_mkldnn_cache_capacity(10)", "set_onednn_cache_capacity(10)"),
    *("enable_mkldnn_bfloat16()", "enable_onednn_bfloat16()", "enable_mkldnn_int8()"),
    *("enable_new_ir(True)", "enable_new_executor(True)", "set_optimization_level(3)"),
    *("enable_custom_passes([])", "delete_pass('conv_bn_fuse_pass')", "pass_builder()"),
    *("enable_lite_engine()", "enable_profile()", "disable_glog_info()", "disable_gpu()"),
    *("set_cpu_math_library_num_threads(1)", "switch_use_feed_fetch_ops(False)"),
    *("switch_specify_input_names(True)", "summary()", "enable_low_precision_io(True)"),
    *("exp_disable_mixed_precision_ops(set())", "use_optimized_model(True)", "enable_cinn()"),
    *("set_prog_file(config.prog_file())", "prog_file()", "params_file()", "model_dir()"),
    *("set_params_file(config.params_file())", "ir_optim()", "memory_optim_enabled()"),
    *("mkldnn_enabled()", "onednn_enabled()", "use_gpu()", "gpu_device_id()", "to_native_config()"),
    *("set_optim_cache_dir('/tmp')", "set_bfloat16_op({'matmul'})", "set_mkldnn_op({'matmul'})"),
    *("set_onednn_op({'matmul'})", "partially_release()", "collect_shape_range_info('/tmp/s')"),
    *("enable_new_executor(True); config.enable_memory_optim()",),
    *("enable_new_ir(True); config.enable_new_executor(True)",),
)
# Kinds and packages all of whose public names are compared.
LISTED = {
    "Program": "program",
    "Block": "block",
    "Operator": "op",
    "Variable": "target",
    "Layer": "layer",
    "Predictor": "predictor",
    "Handle": "handle",
    "Config": "config",
    "paddle.static": "paddle.static",
    "paddle.inference": "paddle.inference",
    "paddle.jit": "paddle.jit",
}


def child(mode: str) -> None:
    """Answers for the release of this interpreter, as one JSON object on standard output."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.environ["FLAGS_enable_pir_api"] = "1" if mode == "pir" else "0"  # noqa: SIM112
    import paddle

    with tempfile.TemporaryDirectory() as folder:
        saved = fork(lambda: save(folder))
        told: dict[str, Any] = {"saved": saved, "names": {}, "uses": {}}
        for kind, expression in LISTED.items():
            told["names"][kind] = fork(lambda e=expression: public_names(e, folder))
        expressions = dict(USES)
        for kind in ("Program", "Block", "Operator", "Variable"):
            for name in told["names"][kind]:
                if isinstance(told["names"][kind], list):
                    expressions.setdefault(f"{kind}.{name}", f"{LISTED[kind]}.{name}")
        for call in CONFIG_CALLS:
            key = "Config." + call.partition("(")[0] + "()"
            if key in expressions or ";" in call or "(False)" in call:
                key = f"Config.{call}"
            expressions[key] = f"after({call!r})"
        for use, expression in expressions.items():
            told["uses"][use] = fork(lambda e=expression: summary(evaluate(e, folder)))
    answers.write(json.dumps({paddle.__version__: told}))
    answers.close()


def save(folder: str) -> str:
    import paddle
    from paddle import nn

    paddle.seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.ReLU(), nn.Linear(8, 3))
    net.eval()
    spec = [paddle.static.InputSpec([None, 4], "float32", "image")]
    paddle.jit.save(paddle.jit.to_static(net, spec, full_graph=True), folder + "/layer")
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        feed = paddle.static.data("image", [None, 4], "float32")
        out = nn.functional.relu(nn.Linear(4, 3)(feed))
        exe = paddle.static.Executor(paddle.CPUPlace())
        exe.run(paddle.static.default_startup_program())
        paddle.static.save_inference_model(folder + "/static", [feed], [out], exe)
    return ", ".join(sorted(os.listdir(folder)))


class Space(dict):
    """The names that expressions use, each made when it is first asked for."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> Any:
        import builtins

        if hasattr(builtins, name):
            raise KeyError(name)
        self[name] = value = getattr(self, f"make_{name}")()
        return value

    def make_folder(self) -> str:
        return self.folder

    def make_paddle(self) -> Any:
        import paddle

        return paddle

    def make_data(self) -> Any:
        import numpy as np

        return np.ones((2, 4), "float32")

    def file(self, stem: str) -> str:
        path = f"{self.folder}/{stem}.json"
        return path if os.path.exists(path) else f"{self.folder}/{stem}.pdmodel"

    def make_serialized(self) -> bytes:
        self["paddle"].enable_static()
        return Path(self.file("layer")).read_bytes()

    def make_exe(self) -> Any:
        self["paddle"].enable_static()
        return self["paddle"].static.Executor(self["paddle"].CPUPlace())

    def make_loaded(self) -> Any:
        return self["paddle"].static.load_inference_model(self.folder + "/layer", self["exe"])

    def make_program(self) -> Any:
        return self["loaded"][0]

    def make_feed_names(self) -> Any:
        return self["loaded"][1]

    def make_targets(self) -> Any:
        return self["loaded"][2]

    def make_target(self) -> Any:
        return self["targets"][0]

    def make_target_name(self) -> Any:
        # Any variable's name will do where the target's own cannot be read.
        with contextlib.suppress(Exception):
            return self["target"].name
        return "linear_0.w_0"

    def make_block(self) -> Any:
        return self["program"].global_block()

    def make_op(self) -> Any:
        return next(op for op in self["block"].ops if "relu" in kind_of(op))

    def make_feed(self) -> Any:
        block = self["block"]
        try:
            return block.var(self["feed_names"][0])
        except Exception:  # a PIR block knows its inputs as results of its first operators
            return next(op for op in block.ops if op.name() in ("pd_op.data", "pd_op.feed")).result(
                0
            )

    def make_layer(self) -> Any:
        return self["paddle"].jit.load(self.folder + "/layer")

    def config_of(self, stem: str) -> Any:
        inference = self["paddle"].inference
        config = inference.Config(self.file(stem), f"{self.folder}/{stem}.pdiparams")
        config.disable_glog_info()
        return config

    def make_config(self) -> Any:
        return self.config_of("layer")

    def make_static_config(self) -> Any:
        return self.config_of("static")

    def make_predictor(self) -> Any:
        return self["paddle"].inference.create_predictor(self["config"])

    def make_handle(self) -> Any:
        return self["predictor"].get_input_handle(self["predictor"].get_input_names()[0])

    def make_fed(self) -> Any:
        def fed(predictor: Any) -> Any:
            handle = predictor.get_input_handle(predictor.get_input_names()[0])
            handle.copy_from_cpu(self["data"])
            return predictor

        return fed

    def make_after(self) -> Any:
        def after(call: str) -> str:
            exec(f"config.{call}", {}, self)  # noqa: S102 - a constant of this file
            predictor = self["predictor"]
            self["fed"](predictor).run()
            return "made and run"

        return after

    def make_by_buffer(self) -> Any:
        def by_buffer() -> str:
            program = self["serialized"]
            weights = Path(self.folder, "layer.pdiparams").read_bytes()
            config = self["paddle"].inference.Config()
            config.set_model_buffer(program, len(program), weights, len(weights))
            predictor = self["paddle"].inference.create_predictor(config)
            self["fed"](predictor).run()
            return "made and run"

        return by_buffer


def kind_of(op: Any) -> str:
    return op.name() if callable(getattr(op, "name", None)) else op.type


def evaluate(expression: str, folder: str) -> Any:
    return eval(expression, {}, Space(folder))  # noqa: S307 - a constant of this file


def public_names(expression: str, folder: str) -> list[str]:
    return [name for name in dir(evaluate(expression, folder)) if not name.startswith("_")]


def summary(value: Any) -> Any:
    """What can be compared from release to release: plain values as they are, else the type."""
    if value is None or isinstance(value, (str, int, float)):
        return value if not isinstance(value, str) else value[:80]
    if isinstance(value, (list, tuple)) and all(isinstance(v, (str, int)) for v in value):
        return list(value)[:8]
    return f"<{type(value).__name__}>"


def fork(work: Any) -> Any:
    """What ``work`` gives in a fork, or {"fails": …}."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            told = work()
        except BaseException as error:  # whatever Paddle raises is the answer
            told = {"fails": first_line(error)}
        os.write(writer, json.dumps(told).encode()[:60000])
        os._exit(0)
    os.close(writer)
    data = b""
    while select.select([reader], [], [], LIMIT_S)[0]:
        chunk = os.read(reader, 65536)
        if not chunk:
            break
        data += chunk
    else:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        return {"fails": f"no answer in {LIMIT_S} s"}
    os.close(reader)
    _, status = os.waitpid(process, 0)
    if not data:
        name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit"
        return {"fails": name}
    return json.loads(data)


def first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not set(line) <= set("-=*^~ ")]
    named = [line for line in said if "Error: " in line or line.startswith("(")]
    return f"{type(error).__name__}: {(named or said or [''])[0]}"[:160]


def ask(python: Path, mode: str) -> dict[str, Any]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOG_minloglevel": "3"}
    done = subprocess.run(
        [python, "-W", "ignore", __file__, "--child", mode],
        stdout=subprocess.PIPE,
        env=environment,
        check=True,
    )
    return json.loads(done.stdout)


# Building an operator needs a program_guard: what they answer says nothing of loaded programs.
_BUILD_OPERATORS = frozenset({"T", "mT", "size", "astype()"})
# Depends on how a release was built, not on the release.
_OF_THE_BUILD = frozenset({"Config.enable_cinn()"})
# Uses of which the answer itself matters, not only whether there is one.
TOLD = (
    *("Predictor.get_output_names()", "Layer._output_spec()", "Parameter.name"),
    *("Predictor.get_output_names() of static.save_inference_model", "Layer.program()"),
    *("static.Program()", "Layer.parameters()"),
)


def table(answers: dict[str, Any]) -> str:
    """Use → an answer a column, for the uses that do not go everywhere.

    ``""``: it goes. ``"-"``: there is no such name. ``"=…"``: what is told. Else the failure.
    """
    columns = sorted(answers)
    uses: dict[str, list[str]] = {}
    every = list(dict.fromkeys(use for told in answers.values() for use in told["uses"]))
    for use in every:
        if use.startswith("Variable.") and use.partition(".")[2] in _BUILD_OPERATORS:
            continue
        if use in _OF_THE_BUILD:
            continue
        uses[use] = [_cell(answers[column]["uses"].get(use, "-"), use) for column in columns]
    for package in (kind for kind in LISTED if kind[0] == "p"):
        listed = [answers[column]["names"][package] for column in columns]
        for name in sorted({name for names in listed for name in names}):
            uses[f"{package}.{name}"] = ["" if name in names else "-" for names in listed]
    listed_configs = [answers[column]["names"]["Config"] for column in columns]
    for name in sorted({name for names in listed_configs for name in names}):
        uses[f"Config.{name}"] = ["" if name in names else "-" for names in listed_configs]
    kept = {
        use: cells
        for use, cells in uses.items()
        if (len(set(cells)) > 1 and "" in cells) or use.startswith("instead") or use in TOLD
    }
    lines = [f" {json.dumps(use)}: {json.dumps(cells)}" for use, cells in sorted(kept.items())]
    return f'{{"columns": {json.dumps(columns)},\n"uses": {{\n' + ",\n".join(lines) + "\n}}\n"


def _cell(answer: Any, use: str) -> str:
    if isinstance(answer, dict):
        failure: str = answer["fails"]
        return "-" if "has no attribute" in failure else failure
    if answer == "-":
        return "-"
    return f"={answer}" if use in TOLD else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--envs", type=Path)
    parser.add_argument("--release", nargs="*")
    parser.add_argument("--child", choices=("pir", "legacy"))
    parser.add_argument("--raw", type=Path, help="write the answers as they come here, too")
    parser.add_argument("--again", action="store_true", help="add to the answers in --raw")
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return 0
    answers: dict[str, Any] = json.loads(options.raw.read_text("utf-8")) if options.again else {}
    names = options.release or sorted(
        path.name for path in options.envs.iterdir() if path.is_dir() and path.name[:1].isdigit()
    )
    for release in names:
        for mode in ("legacy", "pir") if release >= "3" else ("legacy",):  # of measured ones only
            (told,) = ask(options.envs / release / "bin" / "python", mode).values()
            answers[f"{release} {mode}"] = told
            print(release, mode, len(told["uses"]), file=sys.stderr)
            if options.raw:
                options.raw.write_text(json.dumps(answers, indent=1), "utf-8")
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_text(table(answers), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
