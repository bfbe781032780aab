"""The pages of the site that no person writes: path below ``docs/`` → Markdown.

Symptoms come from ``symptoms.toml`` and the matrix, rules from ``compatload/faults``, verbs from
argparse, the API from ``compatload.__all__``, and some pages from files that lie beside ``docs/``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from unittest import mock

import compatload
from compatload.cli import VERBS, main
from compatload.cli.rule import explain
from compatload.errors import CompatLoadError, CompatLoadWarning
from compatload.faults.catalogue import load_rules
from compatload.faults.texts import RuleText, rule_texts
from handbook.symptom_pages import code, symptom_pages, symptoms_by_rule

ROOT = Path(__file__).resolve().parents[1]
# Files beside docs/ that are pages, and where.
TAKEN = {
    "ARCHITECTURE.md": "why/architecture.md",
    "SECURITY.md": "why/security.md",
    "CONTRIBUTING.md": "why/contributing.md",
    "CHANGELOG.md": "why/changelog.md",
}
KINDS = {
    "CL0": ("Files", "文件"),
    "CL1": ("Loading", "加载"),
    "CL2": ("The predictor", "Predictor"),
    "CL3": ("Python sources", "Python 源码"),
    "CL4": ("Layers that do not convert", "无法转换的 layer"),
    "CL5": ("The machine and the installation", "机器与安装"),
    "CL6": ("Exports", "导出"),
}


@cache
def pages() -> dict[str, str]:
    """Every one of them."""
    return {
        **symptom_pages(),
        **rule_pages(),
        "reference/verbs.md": verbs(),
        "reference/api.md": api(),
        "reference/errors.md": errors(),
        **{page: (ROOT / file).read_text(encoding="utf-8") for file, page in TAKEN.items()},
    }


# --- rules --------------------------------------------------------------------------------------


def rule_pages() -> dict[str, str]:
    """A page a rule and two lists, in English and Chinese; what a rule says stays English."""
    texts = rule_texts()
    loading = {rule.id: rule for rule in load_rules()}
    met = symptoms_by_rule()
    found = {"reference/rules.md": _rule_list(texts, 0)}
    found["zh/reference/rules.md"] = _rule_list(texts, 1)
    for identity, text in texts.items():
        told = explain(loading[identity]) if identity in loading else None
        body = list(_rule(text, told))
        links = [
            f"- [{code(one.message)}](../../symptoms/{one.id}.md)" for one in met.get(identity, ())
        ]
        seen = ["", "## What people see", "", *links] if links else []
        found[f"reference/rules/{identity}.md"] = "\n".join([*body, *seen]) + "\n"
        seen = ["", "## 常见报错", "", *links] if links else []
        note = ["", "规则的文字与程序输出一致，保留英文。"]
        found[f"zh/reference/rules/{identity}.md"] = "\n".join([*body, *note, *seen]) + "\n"
    return found


def _rule_list(texts: dict[str, RuleText], language: int) -> str:
    lines = [("# Rules", "# 规则")[language], ""]
    lines += [
        (
            "Every rule that a plan, a check or an error can name; `compatload rule ID` tells it.",
            "计划、检查或报错中可能出现的每一条规则。`compatload rule ID` 输出同样的内容。",
        )[language]
    ]
    for kind, names in KINDS.items():
        mine = [one for identity, one in sorted(texts.items()) if identity.startswith(kind)]
        if mine:
            lines += ["", f"## {names[language]}", "", "| | |", "|---|---|"]
            lines += [f"| [{one.id}](rules/{one.id}.md) | {_cell(one.title)} |" for one in mine]
    return "\n".join(lines) + "\n"


def _rule(text: RuleText, told: str | None) -> Iterator[str]:
    yield f"# {text.id}: {_cell(text.title)}"
    yield ""
    yield _cell(text.explanation)
    if text.fix:
        yield f"\n{_cell(text.fix)}"
    if told is not None:
        alone = re.search(r"Paddle alone: (.*)", told)
        action = re.search(r"compatload: (.*)", told)
        yield "\n| Paddle alone | compatload |\n|---|---|"
        yield f"| {(alone and alone[1]) or ''} | `{(action and action[1].strip()) or ''}` |"
    if text.evidence:
        yield "\n## Evidence\n"
        yield from (f"- {_cell(one)}" for one in text.evidence)


def _cell(text: str) -> str:
    """Text of a rule as Markdown shows it literally; what stands between backticks is code."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_<\[\]|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


# --- verbs, API, errors ---------------------------------------------------------------------------


def verbs() -> str:
    """What ``--help`` says of each."""
    parts = ["# Command line\n", "What `compatload VERB --help` says. Exit codes have [a page]"]
    parts[-1] += "(exit-codes.md) of their own.\n"
    for verb in VERBS:
        parts.append(f"## compatload {verb}\n\n```text\n{_help(verb)}```\n")
    return "\n".join(parts)


def _help(verb: str) -> str:
    output = io.StringIO()
    plain = {"COLUMNS": "88", "NO_COLOR": "1", "PYTHON_COLORS": "0"}
    with (
        mock.patch.dict(os.environ, plain),
        contextlib.redirect_stdout(output),
        contextlib.suppress(SystemExit),
    ):
        main([verb, "--help"])
    return output.getvalue()


def api() -> str:
    """Every public name, from its docstring."""
    names = [name for name in compatload.__all__ if not name.startswith("__")]
    functions = [name for name in names if name[0].islower()]
    classes = [name for name in names if name[0].isupper() and not _is_error(name)]
    parts = ["# Python API\n", "Everything that `import compatload` offers; all of it is typed."]
    parts += ["[Errors](errors.md) have a page of their own.\n", "## Functions\n"]
    parts += [_documented(name) for name in sorted(functions, key=_order)]
    parts += ["## Classes\n", *(_documented(name) for name in sorted(classes))]
    return "\n".join(parts)


def errors() -> str:
    """The tree, and each class."""
    from compatload import errors as module

    tree = (module.__doc__ or "").split("\n\n")
    parts = ["# Errors\n", *(f"```text\n{dedent(part)}\n```\n" for part in tree[1:3])]
    parts.append(tree[3].replace("``", "`") + "\n")
    parts += [_documented(n) for n in sorted(filter(_is_error, compatload.__all__))]
    return "\n".join(parts)


def _documented(name: str) -> str:
    return f"::: compatload.{name}\n"


def _is_error(name: str) -> bool:
    value = getattr(compatload, name)
    return isinstance(value, type) and issubclass(value, (CompatLoadError, CompatLoadWarning))


def _order(name: str) -> tuple[int, str]:
    first = ("safe_load", "safe_load_inference_model", "safe_create_predictor", "safe_save")
    return (first.index(name) if name in first else len(first), name)
