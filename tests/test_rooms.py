"""Imports go down: the way of a model through the package, as its folders stand in it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path

import compatload

PACKAGE = Path(compatload.__file__).parent
# From the bottom to the top. What stands in a folder imports its own and what is below.
ORDER = (
    *("collection", "frozen", "errors", "_version", "releases", "metrics", "notebook"),
    *("artifact", "runtime", "plan", "operators", "faults"),
    *(
        "trials",
        "programs",
        "planning",
        "store",
        "engines",
        "options",
        "loading",
        "serving",
        "drop_ins",
    ),
    *("executors", "pages", "remote", "checking", "exporting", "migration"),
    *("interception", "selftest", "cli", "__main__"),
)

# What has imports inside functions, by what these keep out.
LATE = {
    "an extra": ("checking.fixing",),
    "everything, until a name is used": ("__init__",),
    "everything, until Paddle is imported": ("interception.replacement",),
    "all that --version alone needs": ("cli",),
    "what a load that is known does not need": (
        *("drop_ins", "loading.pipeline", "loading.predictor", "loading.program", "loading.recall"),
        *("loading.request", "loading.staging", "serving.first_run", "serving.folding_later"),
        *("serving.load", "serving.predictors", "serving.spare", "serving.slow_starts"),
    ),
    "what a load that converts nothing does not need": (
        *("engines.program", "loading.folded", "loading.layer", "loading.predictor"),
        *("loading.preparation", "planning", "programs.legacy_repairs.as_in_pir"),
        *(f"programs.legacy_repairs.{one}" for one in ("rounded_halves", "younger_kernels")),
    ),
    "what only errors need": ("loading.configs",),
    "what only notebooks, or other systems need": (
        *("artifact.model", "loading.report", "runtime.cpu"),
    ),
}


def test_every_room_has_its_place() -> None:
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__", "demo", "py"} == set(ORDER)


def test_imports_go_down() -> None:
    upwards = [
        f"{module} {name}"
        for module in modules()
        for name in imported(module)
        if not is_below(room_of(module), room_of(name))
    ]
    assert upwards == []


def test_imports_go_in_no_circle() -> None:
    """Imports inside functions count, and so does what a package's ``__init__`` imports."""
    TopologicalSorter({module: set(imported(module)) - {module} for module in modules()}).prepare()


def test_imports_stand_at_the_top_but_for_what_they_keep_out() -> None:
    late = {
        (module.partition(".")[2] or "__init__")
        for module, tree in modules().items()
        if any(imported(module, set(ast.walk(tree)) - set(tree.body)))
    }
    assert late == {module for reason in LATE.values() for module in reason}


def test_a_class_name_means_one_thing() -> None:
    homes = defaultdict(list)
    for module, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def is_below(room: str, name: str) -> bool:
    if room == "__init__":
        return True  # gives names to users, and asks for them when they are used
    return name != "__init__" and ORDER.index(name) <= ORDER.index(room)


def room_of(module: str) -> str:
    return f"{module}.__init__".split(".")[1]


@lru_cache(maxsize=1)
def modules() -> Mapping[str, ast.Module]:
    """Every module by its name, without what only type checkers follow."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                node.body = []
        found[name.removesuffix(".__init__")] = tree
    return found


def imported(module: str, nodes: Iterable[ast.AST] = ()) -> Iterator[str]:
    """Every module of this package that one imports, inside functions as well, or in these nodes;
    the package itself for a name that it gives to users."""
    for node in nodes or ast.walk(modules()[module]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "compatload":
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            rooms = [name for name in inside if name in modules()]
            if node.module != "compatload" or len(rooms) < len(inside):
                yield str(node.module)
            yield from rooms
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.startswith("compatload."))
