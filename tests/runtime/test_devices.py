from __future__ import annotations

from pathlib import Path

import pytest

from compatload.runtime import devices
from compatload.runtime.devices import detect_devices, gfx_name, usable_devices, visible
from compatload.runtime.model import Device, PaddleBuild


def tree(root: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(root)


NVIDIA = {
    "dev/nvidia0": "",
    "dev/nvidia1": "",
    "dev/nvidiactl": "",
    "dev/nvidia-uvm": "",
    "proc/driver/nvidia/gpus/0000:01:00.0/information": (
        "Model: \t\t NVIDIA A100-SXM4-80GB\nIRQ:   \t\t 43\nDevice Minor: \t 1\n"
    ),
    "proc/driver/nvidia/gpus/0000:02:00.0/information": (
        "Model: \t\t NVIDIA T4\nDevice Minor: \t 0\n"
    ),
}
KFD = {
    "dev/kfd": "",
    "sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 32\nsimd_count 0\n",
    "sys/class/kfd/kfd/topology/nodes/1/properties": (
        "simd_count 256\nvendor_id 7572\ngfx_target_version 90206\n"
    ),
    "sys/class/kfd/kfd/topology/nodes/10/properties": (
        "simd_count 256\nvendor_id 4098\ngfx_target_version 90010\n"
    ),
}


def test_nothing_there(tmp_path: Path) -> None:
    assert detect_devices(str(tmp_path), {}) == ()


def test_this_machine_is_looked_at_again_when_a_node_came_or_went(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes, looks = iter([1, 1, 2, 2]), []

    def look(root: str) -> tuple[Device, ...]:
        looks.append(root)
        return (Device("gpu", 0),) * len(looks)

    devices._present_here.cache_clear()
    monkeypatch.setattr(devices, "_changed", lambda: next(changes))
    monkeypatch.setattr(devices, "_present", look)
    assert len(detect_devices(environment={})) == 1
    assert detect_devices(environment={"CUDA_VISIBLE_DEVICES": ""}) == ()
    assert len(detect_devices(environment={})) == 2
    assert len(detect_devices(environment={})) == 2
    assert looks == ["/", "/"]
    devices._present_here.cache_clear()


def test_nvidia_names_go_by_minor_number(tmp_path: Path) -> None:
    assert detect_devices(tree(tmp_path, NVIDIA), {}) == (
        Device("gpu", 0, "NVIDIA T4"),
        Device("gpu", 1, "NVIDIA A100-SXM4-80GB"),
    )


def test_a_container_sees_only_its_nodes(tmp_path: Path) -> None:
    root = tree(tmp_path, NVIDIA)
    (tmp_path / "dev/nvidia0").unlink()
    assert detect_devices(root, {}) == (Device("gpu", 0, "NVIDIA A100-SXM4-80GB"),)


def test_driver_without_nodes_is_no_device(tmp_path: Path) -> None:
    root = tree(tmp_path, {name: text for name, text in NVIDIA.items() if "dev/" not in name})
    assert detect_devices(root, {}) == ()


def test_wsl(tmp_path: Path) -> None:
    root = tree(tmp_path, {"dev/dxg": "", "usr/lib/wsl/lib/libcuda.so.1": ""})
    assert detect_devices(root, {}) == (Device("gpu"),)


def test_kfd_tells_dcu_from_amd(tmp_path: Path) -> None:
    root = tree(tmp_path, KFD)
    assert detect_devices(root, {}) == (Device("dcu", 0, "gfx926"), Device("rocm", 0, "gfx90a"))
    assert detect_devices(root, {"HIP_VISIBLE_DEVICES": ""}) == ()


@pytest.mark.parametrize(
    ("nodes", "kind"),
    [
        (("dev/xpu0", "dev/xpu1", "dev/xpuctrl"), "xpu"),
        (("dev/davinci0", "dev/davinci1", "dev/davinci_manager"), "npu"),
        (("dev/cambricon_dev0", "dev/cambricon_dev1", "dev/cambricon_ctl"), "mlu"),
    ],
)
def test_numbered_nodes(tmp_path: Path, nodes: tuple[str, ...], kind: str) -> None:
    root = tree(tmp_path, dict.fromkeys(nodes, ""))
    assert detect_devices(root, {}) == (Device(kind, 0), Device(kind, 1))


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        (None, ["a", "b", "c"]),
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
        ("2,0", ["c", "a"]),
        (" 1 ", ["b"]),
        ("0,7,1", ["a"]),  # an unknown one hides the rest, as in CUDA
        ("GPU-8932f937,GPU-1", [None, None]),
        ("²", []),
    ],
)
def test_visibility(mask: str | None, names: list[str | None]) -> None:
    devices = [Device("gpu", n, name) for n, name in enumerate("abc")]
    left = visible(devices, mask)
    assert [device.name for device in left] == names
    assert [device.index for device in left] == list(range(len(names)))


def test_first_variable_that_is_set_decides(tmp_path: Path) -> None:
    root = tree(tmp_path, KFD)
    environment = {"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": "0"}
    assert len(detect_devices(root, environment)) == 2


@pytest.mark.parametrize(
    ("version", "name"),
    [("90006", "gfx906"), ("90010", "gfx90a"), ("110001", "gfx1101"), ("", None)],
)
def test_gfx_name(version: str, name: str | None) -> None:
    assert gfx_name(version) == name


def test_a_cpu_build_uses_no_device() -> None:
    present = (Device("gpu"), Device("npu"))
    cpu = PaddleBuild("3.3.1", "paddlepaddle")
    cuda = PaddleBuild("3.3.1", "paddlepaddle-gpu", "cuda")
    npu = PaddleBuild("3.3.1", "paddlepaddle", "custom", custom_devices=("npu",))
    assert usable_devices(None, present) == ()
    assert usable_devices(cpu, present) == ()
    assert usable_devices(cuda, present) == (Device("gpu"),)
    assert usable_devices(npu, present) == (Device("npu"),)
