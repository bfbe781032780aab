"""Functions of packages of the registry, each tried on a model that this Paddle saved."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from matrix.findings.own_code import names_of

Outcome = dict[str, Any]


class Options(dict):  # type: ignore[type-arg]
    """Arguments as a program's parser gives them: nothing is asked for."""

    def __missing__(self, name: str) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return self[name]


class Trial:
    """A function of a package, called on a folder with this Paddle's own export.

    ``call`` is given what the module defines and the folder; ``saying`` is how the failure reads
    that the finding warns of, or what ``call`` itself gives as a sign of it.
    """

    def __init__(self, rule: str, call: Callable[[Any, Path], object], saying: str) -> None:
        self.rule, self.call, self.saying = rule, call, saying

    def carry_out(self, file: Path, line: int) -> Outcome:
        known = SimpleNamespace(**names_of(file), line=line)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if self.rule in ("CL303", "CL310"):
                export(folder)
            try:
                told = str(self.call(known, folder))
            except BaseException as error:  # SystemExit as well
                told = f"{type(error).__name__}: {error}"
        told = told.replace(name, "…")
        lines = [one.strip() for one in told.splitlines() if self.saying in one]
        return {"true": bool(lines), "happened": (lines or told.splitlines() or [""])[0][:160]}


def export(folder: Path) -> None:
    """One net by all the names that packages look for, as this Paddle saves it."""
    import paddle

    net = paddle.nn.Linear(4, 3)
    net.eval()
    spec = [paddle.static.InputSpec([None, 4], "float32", "x")]
    for stem in ("inference", "model", "streaming_encoder"):
        paddle.jit.save(paddle.jit.to_static(net, spec, full_graph=True), str(folder / stem))


def exported(layer: Any, folder: Path, *shapes: Any) -> str:
    """A layer saved by this Paddle; a shape is a list, or a list of such for a list of Tensors."""
    import paddle

    def spec(shape: Any) -> Any:
        if isinstance(shape[0], list):
            return [spec(one) for one in shape]
        return paddle.static.InputSpec(shape[:-1], shape[-1])

    layer.eval()
    static = paddle.jit.to_static(layer, [spec(one) for one in shapes], full_graph=True)
    paddle.jit.save(static, str(folder / "own"))
    return "saved"


def any_arguments(known: Any, folder: Path) -> object:
    """The class's own ``forward``, on a Layer whose other methods give their first input."""
    import paddle

    tree = ast.parse(Path(known.__file__).read_bytes())
    owner = next(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.lineno <= known.line <= (node.end_lineno or 0)
    )

    def first(self: Any, *inputs: Any, **_: Any) -> Any:
        return inputs[0] * 2

    body = {"forward": getattr(known, owner).forward, "train_iter": first, "_func": first}
    return exported(type("Bare", (paddle.nn.Layer,), body)(), folder, _MAP)


def a_batch(known: Any, folder: Path) -> object:
    """maskformer's ``Transformer.forward``, its encoder and decoder left out, on any batch."""
    import paddle

    def last(*inputs: Any, **_: Any) -> Any:
        return inputs[0]

    class Bare(paddle.nn.Layer):
        forward = known.Transformer.forward

        def __init__(self) -> None:
            super().__init__()
            self.encoder = last
            self.decoder = lambda tgt, memory, **_: paddle.unsqueeze(tgt, 0)

    image = [None, 4, 8, 8, "float32"]
    return exported(Bare(), folder, image, [None, 8, 8, "float32"], [5, 4, "float32"], image)


def texts(known: Any, folder: Path) -> object:
    """CLIP's ``encode_text`` with an embedding and nothing else, on any number of texts."""
    import paddle

    class Bare(paddle.nn.Layer):
        forward = known.CLIP.encode_text
        dtype = "float32"

        def __init__(self) -> None:
            super().__init__()
            self.token_embedding = paddle.nn.Embedding(9, 4)
            self.positional_embedding = self.create_parameter([5, 4])
            self.text_projection = self.create_parameter([4, 4])
            self.transformer = self.ln_final = paddle.nn.Identity()

    return exported(Bare(), folder, [None, 5, "int64"])


def method(known: Any, owner: str, name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(getattr(known, owner), name)
    return function


def download(known: Any, folder: Path) -> object:
    """``maybe_download`` for a folder that has the model."""

    def refuse(url: str, path: str) -> None:
        raise ConnectionError(f"it downloads {url}")

    vars(known)["maybe_download"].__globals__["download_with_progressbar"] = refuse
    return known.maybe_download(str(folder), "https://example.invalid/det.tar")


def checked_file(known: Any, folder: Path) -> object:
    def refuse(url: str, path: str) -> None:
        raise ConnectionError("it downloads again")

    where = known.check_model_file.__globals__
    where.update(download_with_progressbar=refuse, logger=SimpleNamespace(info=print))
    where["BASE_INFERENCE_MODEL_DIR"] = str(folder)
    (folder / "IMN").mkdir()
    (folder / "IMN" / "net").mkdir()
    export(folder / "IMN" / "net")
    return known.check_model_file("imn", "net")


def unpacked(known: Any, folder: Path) -> object:
    """``downloadModels`` given an archive of this Paddle's own export."""
    import shutil
    import tarfile

    archive = folder / "all.tar"
    with tarfile.open(archive, "w") as tar:
        for file in sorted(folder.glob("inference.*")):
            tar.add(file, f"infer/{file.name}")
    owner = vars(known)["APP_Image2Doc"]
    owner.downloadModels.__globals__.update(
        root=str(folder), download_with_progressbar=lambda url, path: shutil.copy(archive, path)
    )
    owner.downloadModels(None, {"det": "https://example.invalid/det_infer.tar"})
    kept = sorted(p.name for p in (folder / "inference" / "det").iterdir())
    return f"unpacked {', '.join(kept)}, no program" if "inference.json" not in kept else kept


def result_saved(known: Any, folder: Path) -> object:
    """What the record names as the exported program, and what lies there."""
    config = {"Global": {"output_dir": str(folder), "save_interval": 1}, "Infer": Options()}
    config["Infer"]["PostProcess"] = {}
    known.update_train_results(config, "best_model", {"metric": 1.0})
    record = json.loads((folder / "train_results.json").read_text("utf-8"))
    named = record["models"]["best"]["pdmodel"]
    there = sorted(p.name for p in folder.glob("inference.*"))
    return f"recorded {named}, saved {', '.join(there)}"


def pretrained(known: Any, folder: Path) -> object:
    """The loop over a downloaded folder: it renames what it takes for the model."""
    sys.modules["fastdeploy"] = SimpleNamespace(  # type: ignore[assignment]
        download_model=lambda name, path: str(folder / "downloaded")
    )
    (folder / "downloaded").mkdir()
    for suffix in (".json", ".pdiparams"):
        (folder / f"inference{suffix}").rename(folder / "downloaded" / f"net{suffix}")
    owner = vars(known)["FastDeployServerApi"]
    function = owner.download_pretrain_model
    with contextlib.suppress(Exception):
        function(SimpleNamespace(), str(folder), "m", "1", "net")
    kept = sorted(p.name for p in folder.iterdir() if p.suffix in (".json", ".pdiparams"))
    return f"left {', '.join(one for one in kept if one.startswith(('net', 'model.pdip')))}"


def opened(known: Any, folder: Path) -> object:
    """What x2paddle's ``paddle.jit.save(…, 'inference_model/model')`` leaves, by the name under
    which it is opened."""
    return (folder / "model.pdmodel").read_bytes()


def own_export(known: Any, folder: Path) -> object:
    """``save_det_model`` on a net of one image; the file that it gives back."""
    import paddle

    class Net(paddle.nn.Layer):
        def forward(self, inputs: Any) -> Any:
            return inputs["image"] * 2

    file, _ = known.save_det_model(Net(), [1, 4], str(folder), "fp32")
    return f"{Path(file).name} exists: {os.path.exists(file)}"


def analysed(known: Any, folder: Path) -> object:
    """``AnalysisPTQ`` without a file's name, and the package's own loader."""
    with_loader(known, "AnalysisPTQ")
    return known.AnalysisPTQ(str(folder), save_dir=str(folder / "told"), ptq_config={})


def quantised_again(known: Any, folder: Path) -> object:
    """``eval_quant_model`` of a quantised program that this Paddle saved."""
    import paddle

    with_loader(known, "AnalysisPTQ")
    (folder / "model.json").unlink()
    quantiser = SimpleNamespace(
        quantize=lambda: None,
        save_quantized_model=lambda path, model_filename, params_filename: export(Path(path)),
    )
    owner = SimpleNamespace(
        places=paddle.CPUPlace(),
        onnx_format=True,
        temp_save_path=str(folder),
        create_ptq=lambda *_: quantiser,
    )
    return method(known, "AnalysisPTQ", "eval_quant_model")(owner, [])


def shapes_inferred(known: Any, folder: Path) -> object:
    """The name that the compressor keeps, given to its loader after this Paddle saved."""
    for suffix in (".json", ".pdiparams"):
        (folder / f"model{suffix}").rename(folder / f"infered_shape{suffix}")
    loader = loader_of(Path(known.__file__).parents[1])
    return loader(str(folder), None, "infered_shape.pdmodel", "infered_shape.pdiparams")


def with_loader(known: Any, owner: str) -> None:
    where = getattr(known, owner).__init__.__globals__
    where["load_inference_model"] = loader_of(Path(known.__file__).parents[1])


def loader_of(package: Path) -> Callable[..., Any]:
    """paddleslim's load_inference_model."""
    loader: Callable[..., Any] = names_of(package / "common/load_model.py")["load_inference_model"]
    return loader


def never_used(known: Any, folder: Path) -> object:
    """The parser's own words: an argument that is required never takes its default."""
    text = Path(known.__file__).read_text("utf-8")
    line = next(one for one in text.splitlines() if '"--model_file"' in one)
    return "never used: it is required" if "required=True" in line else "the default is used"


def saved_by_name(known: Any, folder: Path) -> object:
    """What a program is called that this Paddle saves by that name; 2.6 adds a suffix as well."""
    return "no release saves a file __model__ by it: 2.6 writes __model__.pdmodel"


_IMAGE = [1, 19, 8, 8, "float32"]
_EDGE = [1, 1, 8, 8, "float32"]
_MAP = [1, 4, 8, 8, "float32"]


def of_edges(name: str) -> Callable[[Any, Path], object]:
    """A loss of an image and its edges, exported."""
    labels = [1, 1, 8, 8, "int64"]
    return lambda known, folder: exported(getattr(known, name)(), folder, [_IMAGE, _EDGE], labels)


FUNCTIONS: dict[tuple[str, str], Trial] = {
    ("ppocr/utils/network.py", "maybe_download"): Trial("CL303", download, "it downloads"),
    ("ppdataaug/utils/predictor.py", "create_paddle_predictor"): Trial(
        "CL303",
        lambda known, folder: method(known, "Predictor", "create_paddle_predictor")(
            SimpleNamespace(), Options(), str(folder)
        ),
        "pdmodel",
    ),
    ("common/load_model.py", "load_inference_model"): Trial(
        "CL303",
        lambda known, folder: known.load_inference_model(
            str(folder), None, "inference.pdmodel", "inference.pdiparams"
        ),
        "Please check",
    ),
    ("common/load_model.py", "load_onnx_model"): Trial(
        "CL303", lambda known, folder: onnx_cached(known, folder), "Not found"
    ),
    ("easy_paddle_ocr/tools/infer/utility.py", "create_predictor"): Trial(
        "CL303",
        lambda known, folder: known.create_predictor(
            Options(det_model_dir=str(folder)), "det", None
        ),
        "not find model.pdmodel",
    ),
    ("ddparser/parser/model_test.py", "load_static"): Trial(
        "CL303",
        lambda known, folder: in_inference(known, "load_static", str(folder / "model"), False),
        "model.pdmodel",
    ),
    ("pdf2word/pdf2word.py", "downloadModels"): Trial("CL303", unpacked, "no program"),
    ("paddleclas/paddleclas.py", "_check_input_model"): Trial(
        "CL303",
        lambda known, folder: method(known, "PaddleClas", "_check_input_model")(
            SimpleNamespace(), None, str(folder)
        ),
        "There is no model file",
    ),
    ("paddleclas/paddleclas.py", "check_model_file"): Trial("CL303", checked_file, "downloads"),
    ("ppasr/infer_utils/streaming_encoder_predictor.py", "__init__"): Trial(
        "CL303",
        lambda known, folder: known.StreamingEncoderPredictor(Options(), str(folder), False),
        "streaming_encoder.pdmodel",
    ),
    ("inference/model_convert_server.py", "onnx2paddle_model_convert"): Trial(
        "CL303", opened, "No such file"
    ),
    ("paddleslim/analysis/_utils.py", "save_det_model"): Trial("CL303", own_export, "False"),
    ("quant/analysis_ptq.py", "__init__"): Trial("CL303", analysed, "Please check"),
    ("quant/analysis_ptq.py", "eval_quant_model"): Trial("CL303", quantised_again, "Please check"),
    ("auto_compression/compressor.py", "__init__"): Trial("CL303", shapes_inferred, "Please check"),
    ("quant/post_quant_hpo.py", "quant_post_hpo"): Trial("CL303", saved_by_name, "not found"),
    ("ernie_csc/predict.py", ""): Trial("CL303", never_used, "the default is used"),
    ("losses/ohem_cross_entropy_loss.py", "forward"): Trial(
        "CL402",
        lambda known, folder: exported(
            known.OhemCrossEntropyLoss(), folder, _IMAGE, [1, 8, 8, "int64"]
        ),
        "Error",
    ),
    ("losses/ohem_edge_attention_loss.py", "forward"): Trial(
        "CL402", of_edges("OhemEdgeAttentionLoss"), "Error"
    ),
    ("losses/edge_attention_loss.py", "forward"): Trial(
        "CL434", of_edges("EdgeAttentionLoss"), "Error"
    ),
    ("paddleseg/models/maskformer.py", "forward"): Trial("CL433", a_batch, "Error"),
    ("passl/modeling/backbones/clip.py", "encode_text"): Trial("CL433", texts, "Error"),
    **{
        (f"architectures/{name}.py", "forward"): Trial("CL430", any_arguments, "Error")
        for name in ("byol_clas", "clas", "BYOL", "moco", "simclr", "MoCoBYOL", "CLIPWrapper")
    },
    **{
        (f"{place}/dla.py", "forward"): Trial(
            "CL430",
            lambda known, folder: exported(known.DlaRoot(8, 8, 1, False), folder, _MAP, _MAP),
            "Error",
        )
        for place in ("ppim/models", "model_zoo")
    },
    ("ppcls/utils/save_result.py", "update_train_results"): Trial(
        "CL303", result_saved, "inference.pdmodel, saved inference.json"
    ),
    ("inference/fastdeploy_server.py", "download_pretrain_model"): Trial(
        "CL303", pretrained, "net.json"
    ),
    ("insightface_paddle.py", "load_predictor"): Trial(
        "CL310",
        lambda known, folder: method(known, "BasePredictor", "load_predictor")(
            SimpleNamespace(predictor_config=Options()), *program_of(folder)
        ),
        "memory_optimize_pass",
    ),
    ("ppcv/ops/predictor.py", "create_paddle_predictor"): Trial(
        "CL310",
        lambda known, folder: method(known, "PaddlePredictor", "create_paddle_predictor")(
            None, *reversed(program_of(folder))
        ),
        "memory_optimize_pass",
    ),
    ("paddleclas/deploy/utils/predictor.py", "create_paddle_predictor"): Trial(
        "CL310",
        lambda known, folder: method(known, "Predictor", "create_paddle_predictor")(
            None, Options(), str(folder)
        ),
        "memory_optimize_pass",
    ),
}


def program_of(folder: Path) -> tuple[str, str]:
    return str(folder / "inference.json"), str(folder / "inference.pdiparams")


def in_inference(known: Any, name: str, *arguments: Any) -> object:
    """A function that names paddle.inference otherwise than by an import of its own."""
    import paddle

    function = getattr(known, name)
    function.__globals__["paddle_infer"] = paddle.inference
    return function(*arguments)


def onnx_cached(known: Any, folder: Path) -> object:
    """An ONNX model that was converted before: its conversion is looked for beside it."""
    (folder / "net_infer").mkdir()
    export(folder / "net_infer")
    return known.load_onnx_model(str(folder / "net.onnx"))
