"""Runs inside a real Paddle: loads that are known from before, and what must make them anew.

    python recalled_loads.py CHECK FOLDER

Prints ``ok`` or a traceback. One process a check.
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent), str(ROOT / "tests" / "fixtures")]

import index  # noqa: E402
import numpy as np  # noqa: E402
from worker import RUNNERS, loader  # noqa: E402

import compatload  # noqa: E402
from compatload.loading.report import load_report  # noqa: E402

LEGACY, PIR = index.fixture("2.6.2/classifier"), index.fixture("3.3.1/classifier")


def copied(folder, fixture=LEGACY):
    shutil.copytree(fixture.folder, folder / "copy")
    return str(folder / "copy" / "model")


def load(prefix, **options):
    layer = compatload.safe_load(prefix, **options)
    layer.eval()
    return layer


def is_recalled(loaded):
    return load_report(loaded).recalled


def outputs(layer, fixture):
    import paddle

    found = layer(*(paddle.to_tensor(value) for value in fixture.inputs(0).values()))
    found = found if isinstance(found, (list, tuple)) else [found]
    return [output.numpy() for output in found]


def expect_right(layer, fixture=LEGACY):
    assert index.difference(outputs(layer, fixture), fixture.outputs(0)) <= fixture.tolerance


def expect_error(kind, prefix, **options):
    try:
        load(prefix, **options)
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def entries(folder):
    return sorted((folder / "cache" / "entries").glob("*"))


def report_of_right_outputs(fixture, api):
    """Of a load through ``api``, whose outputs are those that were stored."""
    load, loaded = loader(api, "compatload"), []

    def noted(*arguments):
        loaded.append(load(*arguments))
        return loaded[-1]

    for actual, expected in RUNNERS[api](fixture, noted):
        assert index.difference(actual, expected) <= fixture.tolerance
    return load_report(loaded[0])


def check_outputs_of_every_api(folder):
    import paddle

    for fixture in (LEGACY, PIR, index.fixture("2.6.2/detector"), index.fixture("3.0.0/lstm")):
        for api in RUNNERS:
            for time in range(2):
                paddle.disable_static()
                report = report_of_right_outputs(fixture, api)
                assert report.recalled == (time == 1), (fixture.identity, api, time)
                assert report.attempts == ()
                if time == 0:
                    first = report
                assert report.rules == first.rules
                assert report.notes == first.notes
                assert report.plan.to_dict() == first.plan.to_dict() or (
                    report.plan.steps[0] == first.plan.steps[0]
                )


def check_a_recalled_layer_is_whole(folder):
    import paddle

    load(LEGACY.path)
    layer = load(LEGACY.path)
    assert is_recalled(layer)
    names = set(layer.state_dict())
    assert names == set(load(LEGACY.path, disabled_rules=["CL999"]).state_dict())
    assert any(not parameter.stop_gradient for parameter in layer.parameters())
    layer.train()
    inputs = [paddle.to_tensor(value) for value in LEGACY.inputs(0).values()]
    found = layer(*inputs)
    (found[0] if isinstance(found, (list, tuple)) else found).mean().backward()


def check_inference_only(folder):
    import paddle

    for name in (
        "2.6.2/classifier",
        "3.3.1/while_loop",
        "2.6.2/while_loop",
        "3.3.1/gru",
    ):
        fixture = index.fixture(name)
        inputs = [paddle.to_tensor(value) for value in fixture.inputs(0).values()]
        for time in range(2):
            layer = compatload.safe_load(fixture.path, inference_only=True, threads=1)
            assert is_recalled(layer) == (time == 1), name
            for _ in range(2):
                found = layer(*inputs)
                found = found if isinstance(found, (list, tuple)) else [found]
                arrays = [output.numpy() for output in found]
                assert index.difference(arrays, fixture.outputs(0)) <= fixture.tolerance
            layer.close()
    assert not is_recalled(compatload.safe_load(LEGACY.path, inference_only=True, preflight=True))


def check_weights_that_were_written_anew(folder):
    prefix = copied(folder)
    expect_right(load(prefix))
    weights = Path(prefix + ".pdiparams")
    times = weights.stat()
    data = bytearray(weights.read_bytes())
    data[-4:] = np.float32(1000.0).tobytes()
    weights.write_bytes(data)
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))  # as if nobody had
    layer = load(prefix)
    assert not is_recalled(layer)
    assert index.difference(outputs(layer, LEGACY), LEGACY.outputs(0)) > 1e-3
    weights.write_bytes(data[:-8])
    expect_error(compatload.DamagedArtifactError, prefix)
    shutil.copy(f"{index.fixture('2.6.2/lstm').path}.pdiparams", weights)
    expect_error(compatload.WeightsMismatchError, prefix)


def check_exchanged_weights_leave_one_entry(folder):
    prefix = copied(folder)
    weights = Path(prefix + ".pdiparams")
    for _ in range(3):
        weights.with_suffix(".new").write_bytes(weights.read_bytes())
        weights.with_suffix(".new").replace(weights)
        assert not is_recalled(load(prefix))
        assert is_recalled(load(prefix))
        assert len(entries(folder)) == 1
    load(LEGACY.path)  # the same program in another place
    assert len(entries(folder)) == 2
    assert is_recalled(load(prefix))


def check_pickle_that_was_exchanged(folder):
    prefix = copied(folder)
    expect_right(load(prefix))
    assert is_recalled(load(prefix))

    class Hostile:
        def __reduce__(self):
            return os.mkdir, (str(folder / "ran"),)

    Path(prefix + ".pdiparams.info").write_bytes(pickle.dumps({"w": Hostile()}, protocol=2))
    expect_error(compatload.UnsafeArtifactError, prefix)
    assert not (folder / "ran").exists()


def check_damaged_entries(folder):
    for name in ("programs-0", "prepared.json", "manifest.json"):
        expect_right(load(LEGACY.path))
        assert is_recalled(load(LEGACY.path))
        for entry in entries(folder):
            path = entry / name
            path.write_bytes(path.read_bytes()[:-7])
        layer = load(LEGACY.path)
        assert not is_recalled(layer)
        expect_right(layer)


def check_another_request_is_another_load(folder):
    load(LEGACY.path)
    assert not is_recalled(load(LEGACY.path, disabled_rules=["CL201"]))
    assert not is_recalled(load(LEGACY.path, device="cpu"))
    assert not is_recalled(compatload.safe_create_predictor(LEGACY.path))
    for again in ({}, {"disabled_rules": ["CL201"]}, {"device": "cpu"}):
        assert is_recalled(load(LEGACY.path, **again))
    assert not is_recalled(load(LEGACY.path, trusted=["collections.OrderedDict"]))


def check_a_step_that_fails_this_time(folder):
    import paddle

    load(LEGACY.path)
    own, calls = paddle.jit.load, []

    def failing(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 1:
            raise RuntimeError("once")
        return own(*arguments, **options)

    paddle.jit.load = failing
    layer = load(LEGACY.path)
    assert not is_recalled(layer)
    assert len(calls) == 2
    expect_right(layer)


def check_entries_that_go_away_meanwhile(folder):
    """Paddle reads the program where the cache keeps it: it may be cleared at that moment."""
    import paddle

    from compatload.loading import staging
    from compatload.store.cache import ConversionCache

    for fixture in (LEGACY, PIR):
        for api in RUNNERS:
            paddle.disable_static()
            own, times = staging.lay_out, []
            report_of_right_outputs(fixture, api)

            def cleared(*arguments, own=own, times=times):
                if not times:
                    ConversionCache().clear()
                times.append(1)
                return own(*arguments)

            staging.lay_out = cleared
            try:
                report = report_of_right_outputs(fixture, api)
            finally:
                staging.lay_out = own
            # A predictor of a model that this Paddle reads by itself is made where it is.
            assert times or api == "predictor", (fixture.identity, api)
            assert report.recalled == (not times), (fixture.identity, api)


def check_switched_off(folder):
    os.environ["COMPATLOAD_CACHE"] = "off"
    for _ in range(2):
        assert not is_recalled(load(LEGACY.path))
    assert entries(folder) == []


def check_a_cache_that_others_may_write_to(folder):
    load(LEGACY.path)
    assert is_recalled(load(LEGACY.path))
    (entry,) = entries(folder)
    os.chmod(entry, 0o777)
    layer = load(LEGACY.path)
    assert not is_recalled(layer)
    expect_right(layer)


def check_a_place_that_cannot_be_made(folder):
    (folder / "file").write_text("")
    os.environ["COMPATLOAD_CACHE"] = str(folder / "file" / "cache")
    for _ in range(2):
        layer = load(PIR.path if compatload.detect_runtime().ir_mode.pir else LEGACY.path)
        assert not is_recalled(layer)


if __name__ == "__main__":
    place = Path(sys.argv[2])
    os.environ["COMPATLOAD_CACHE"] = str(place / "cache")
    globals()[f"check_{sys.argv[1]}"](place)
    print("ok")
