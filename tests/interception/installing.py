"""Runs inside a real Paddle: what install() replaces, what uninstall() puts back.

    python installing.py before|after LEGACY_MODEL

Prints one JSON object; ``before`` and ``after`` say whether install() comes before or after the
import of Paddle.
"""

import json
import sys
import types

import compatload

LOADERS = (
    ("paddle.jit", "load"),
    ("paddle.jit.api", "load"),
    ("paddle.static", "load_inference_model"),
    ("paddle.static.io", "load_inference_model"),
    ("paddle.inference", "create_predictor"),
    ("paddle.base.core", "create_predictor"),
    ("paddle.base.libpaddle", "create_predictor"),
    ("paddle.inference", "PredictorPool"),
    ("paddle.base.core", "PredictorPool"),
    ("paddle.base.libpaddle", "PredictorPool"),
)


def functions():
    """Every function that a module of Paddle has a name for."""
    return {
        (module_name, name): id(value)
        for module_name, module in list(sys.modules.items())
        if isinstance(module, types.ModuleType) and module_name.startswith("paddle")
        for name, value in list(vars(module).items())
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType))
    }


def changed(before, after):
    names = {name for name in before.keys() & after.keys() if before[name] != after[name]}
    return sorted(".".join(name) for name in names)


def finders():
    """All but those of an older setuptools, which Paddle's import brings along."""
    return [one for one in sys.meta_path if type(one).__name__ != "VendorImporter"]


def main(when, model):
    said = {}
    path = finders()
    if when == "before":
        compatload.install()
        compatload.install()
        said["imports paddle"] = "paddle" in sys.modules
        import paddle

        said["trace"] = type(paddle.__spec__.loader).__module__.startswith("compatload")
    else:
        import paddle

        own = functions()
        compatload.install()
        said["replaced"] = changed(own, functions())
    from paddle.inference import Config, create_predictor

    said["safe"] = [
        ".".join(name)
        for name in LOADERS
        if getattr(sys.modules[name[0]], name[1]).__globals__["__name__"].startswith("compatload")
    ]
    layer = paddle.jit.load(model)
    said["layer"] = compatload.load_report(layer) is not None
    predictor = create_predictor(Config(model + ".pdmodel", model + ".pdiparams"))
    said["predictor"] = compatload.load_report(predictor) is not None
    pool = paddle.inference.PredictorPool(Config(model + ".pdmodel", model + ".pdiparams"), 2)
    names = [pool.retrieve(number).get_input_names() for number in (0, 1)]
    safe = compatload.load_report(pool.retrieve(0)) is not None
    said["pool"] = safe and names[0] == names[1] == predictor.get_input_names()
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    loaded = paddle.static.load_inference_model(model, executor)
    said["program"] = compatload.load_report(loaded) is not None
    paddle.disable_static()
    compatload.uninstall()
    compatload.uninstall()
    said["finders"] = finders() == path
    if when == "after":
        said["left"] = changed(own, functions())
    kept = create_predictor(Config(model + ".pdmodel", model + ".pdiparams"))
    said["kept reference is safe"] = compatload.load_report(kept) is not None
    said["type"] = type(kept) is type(predictor)
    compatload.install()
    said["again"] = compatload.load_report(paddle.jit.load(model)) is not None
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
