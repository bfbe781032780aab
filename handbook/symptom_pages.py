"""A page for each message that people see, and the two lists of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compatload.faults.texts import rule_texts
from handbook.symptoms import GROUPS, Symptom, remedies, seen, symptoms

HEADS = {
    "load": (
        "A model of Paddle 1.x or 2.x, or one of 3.x on 2.6",
        "旧版模型（1.x、2.x），或 3.x 模型在 2.6 上",
    ),
    "versions": ("One Paddle 3.x and another", "不同的 3.x 版本之间"),
    "predictor": ("The predictor", "Predictor 推理"),
    "files": ("Files", "文件"),
    "call": ("The call and the installation", "调用方式与安装"),
    "export": ("Exporting: to_static and jit.save", "导出：to_static 与 jit.save"),
}
WORDS = {
    "title": ("Symptoms", "常见报错"),
    "intro": (
        "Messages of Paddle's, as they are printed. Search this page for yours; each leads to its "
        "cause and to what helps. Real releases said them, and say them again with "
        "`python -m handbook.reproduce`.",
        "以下是 Paddle 的原始报错，保留英文。请在本页搜索你的报错；每条都说明原因与解决办法。"
        "它们都来自真实版本，可用 `python -m handbook.reproduce` 复现。",
    ),
    "cause": ("Cause", "原因"),
    "do": ("What to do", "怎么办"),
    "seen": ("Where it is seen", "出现在哪里"),
    "rules": ("Rules", "规则"),
    "again": ("How it was produced", "如何复现"),
    "saved": ("saved by", "保存版本"),
    "loaded": ("loaded by", "加载版本"),
    "through": ("through", "加载方式"),
    "cells": ("loads of the matrix", "矩阵中的次数"),
    "message": ("Message", "报错"),
}
# What scripts are given; handbook.reproduce makes it.
NAMES = {
    "LEGACY": "tests/fixtures/2.6.2/classifier/model",
    "PIR": "tests/fixtures/3.3.1/classifier/model",
    "FIXTURES": "tests/fixtures",
    "copied(": "a copy in a folder of its own",
    "inputs(": "the arrays of its io.npz",
}
CALLS = {
    "jit": "`paddle.jit.load`",
    "static": "`paddle.static.load_inference_model`",
    "predictor": "`paddle.inference.create_predictor`",
}


def symptom_pages() -> dict[str, str]:
    """Lists and pages, in English and Chinese."""
    found = {}
    for language, folder in enumerate(("", "zh/")):
        found[f"{folder}symptoms/index.md"] = "\n".join(_list(language)) + "\n"
        for one in symptoms():
            page = "\n".join(_page(one, language)) + "\n"
            found[f"{folder}symptoms/{one.id}.md"] = page
    return found


def rules_of(symptom: Symptom) -> tuple[str, ...]:
    """Rules that the plan of its own cell takes, and those that the data name."""
    met = seen(symptom)
    known = rule_texts()
    return tuple(
        r for r in dict.fromkeys((*symptom.rules, *(met.rules if met else ()))) if r in known
    )


def symptoms_by_rule() -> dict[str, list[Symptom]]:
    """The symptoms that each rule explains."""
    found: dict[str, list[Symptom]] = {}
    for one in symptoms():
        for rule in rules_of(one):
            found.setdefault(rule, []).append(one)
    return found


def _list(language: int) -> Iterator[str]:
    yield f"# {WORDS['title'][language]}\n"
    yield WORDS["intro"][language]
    for group in GROUPS:
        yield f"\n## {HEADS[group][language]}\n"
        yield f"| {WORDS['message'][language]} | {WORDS['cause'][language]} |\n|---|---|"
        for one in symptoms():
            if one.group == group:
                head = f"[{code(one.message)}]({one.id}.md){_hint(one)}"
                yield f"| {head} | {_cause(one, language)} |"


def _page(one: Symptom, language: int) -> Iterator[str]:
    remedy = remedies()[one.do]
    # The title is what search engines and this site's own search look at first.
    yield f"# {_plain(one.message)}{_hint(one)}\n"
    yield f"```text\n{one.message}\n```\n"
    yield f"## {WORDS['cause'][language]}\n"
    yield _cause(one, language)
    yield f"\n## {WORDS['do'][language]}\n"
    # Pages that stay English lie one folder higher for the Chinese ones.
    yield (remedy.en, remedy.zh.replace("](../why/", "](../../why/"))[language]
    if remedy.code:
        yield f"\n```python\nimport compatload\n\n{remedy.code}\n```"
    if one.do == "run":
        yield "\n```sh\ncompatload run -m paddleocr ocr -i page.png\n```"
    if rules := rules_of(one):
        links = ", ".join(f"[{r}](../reference/rules/{r}.md)" for r in rules)
        yield f"\n{WORDS['rules'][language]}: {links}"
    met = seen(one)
    if met:
        yield f"\n## {WORDS['seen'][language]}\n"
        heads = [WORDS[name][language] for name in ("saved", "loaded", "through", "cells")]
        yield f"| {' | '.join(heads)} |\n|---|---|---|---|"
        calls = ", ".join(CALLS[api] for api in met.apis)
        yield f"| {', '.join(met.savers)} | {', '.join(met.loaders)} | {calls} | {met.cells:,} |"
    yield f"\n## {WORDS['again'][language]}\n"
    yield from _produced(one, language)


def _produced(one: Symptom, language: int) -> Iterator[str]:
    if one.script:
        flags = "".join(f"{name}={value} " for name, value in one.flags.items())
        yield f"`{flags}python` · paddlepaddle {one.release}\n"
        yield f"```python\n{one.script.strip()}\n```\n"
        if names := [name for name in NAMES if name in one.script]:
            yield ", ".join(f"`{name.rstrip(chr(40))}`: {NAMES[name]}" for name in names) + "\n"
    elif one.export:
        row, form, stage = one.export.split("/")
        yield f"`matrix/limitations/cases/{row}.py`, `{form}`, {stage}, "
        yield f"full_graph={one.full_graph} · paddlepaddle {one.release}\n"
    else:
        yield f"`{one.cell}/paddle`\n"
    yield f"```sh\npython -m handbook.reproduce {one.id}\n```"


def _hint(one: Symptom) -> str:
    return f" ({_plain(one.hint)})" if one.hint else ""


def _cause(one: Symptom, language: int) -> str:
    return (one.cause, one.cause_zh)[language]


def code(text: str) -> str:
    """The text as code within a line, whatever backticks it has."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    ticks, space = "`" * (longest + 1), " " if longest else ""
    return f"{ticks}{space}{text}{space}{ticks}".replace("|", "\\|")


def _plain(text: str) -> str:
    return re.sub(r"([*_`<\[\]|])", r"\\\1", text)
