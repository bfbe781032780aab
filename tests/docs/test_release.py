"""What is published says the same everywhere, and the forge's workflows call what there is."""

from __future__ import annotations

import re

import tomllib
import yaml

from compatload import __version__
from tests.docs.pages import ROOT
from tests.installed.pythons import SUPPORTED

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def project() -> dict[str, object]:
    told: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return told


def test_supported_pythons_are_those_that_are_tried() -> None:
    told = project()
    classified = re.findall(r"Python :: (3\.\d+)", " ".join(map(str, told["classifiers"])))  # type: ignore[call-overload]
    wanted = [f"{major}.{minor}" for major, minor in SUPPORTED]
    assert classified == wanted
    assert told["requires-python"] == f">={wanted[0]}"
    (test,) = (path for path in WORKFLOWS if path.name == "test.yml")
    jobs = yaml.safe_load(test.read_text())["jobs"]
    assert jobs["installed"]["strategy"]["matrix"]["python"] == wanted


def test_workflows_call_commands_that_there_are() -> None:
    script = (ROOT / "develop").read_text()
    verbs = set(re.findall(r"^    ([a-z]+)\)", script, re.MULTILINE))
    for path in WORKFLOWS:
        steps = [
            s for job in yaml.safe_load(path.read_text())["jobs"].values() for s in job["steps"]
        ]
        called = re.findall(r"\./develop (\w+)", " ".join(step.get("run", "") for step in steps))
        assert called
        assert set(called) <= verbs, path.name


def test_only_the_publishing_job_may_make_tokens() -> None:
    for path in WORKFLOWS:
        told = yaml.safe_load(path.read_text())
        assert told["permissions"] == {"contents": "read"}
        may = {n for n, job in told["jobs"].items() if "id-token" in job.get("permissions", {})}
        assert may <= {"publish", "pages"}


def test_the_citation_is_of_this_version() -> None:
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert told["version"] == __version__
    assert told["license"] == project()["license"]


def test_an_issue_tells_the_environment() -> None:
    asked = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text())["body"]
    (environment,) = (one for one in asked if one.get("id") == "env")
    assert "compatload env" in environment["attributes"]["label"]
    assert environment["validations"]["required"]
