"""The heat map in a real browser: it draws, filters, and opens the evidence of a cell."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from matrix.artifacts import Artifact
from matrix.cells import Cell, Result
from matrix.report import heatmap
from matrix.results import Finished, about, write

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
CELLS = {
    Cell("2.6.2", model, "3.3.1", "jit", caller): Result(outcome, 0.0, 0.1, (), rules, error)
    for model, caller, outcome, rules, error in (
        ("lstm", "paddle", "crash", (), "SIGSEGV in <b>somewhere</b>"),
        ("lstm", "compatload", "ok", ("CL101",), None),
        ("relu", "paddle", "ok", (), None),
        ("relu", "compatload", "ok", (), None),
    )
}
# What a person does; what is seen then goes into the page, which the browser hands out at last.
ACT = """<script>
const seen = () => [...document.querySelectorAll("#map td")].map(td => td.dataset.place);
const told = {drawn: seen()};
element("failing").checked = true; element("failing").onchange();
told.failing = seen();
document.querySelector("#map td").click();
told.evidence = element("evidence").innerText;
told.shown = !element("evidence").hidden;
document.body.replaceChildren(document.createElement("pre"));
document.querySelector("pre").textContent = "TOLD" + JSON.stringify(told) + "DLOT";
</script></html>"""


@pytest.mark.skipif(BROWSER is None, reason="no browser")
def test_a_browser_draws_filters_and_opens_evidence(tmp_path: Path) -> None:
    results = tmp_path / "results"
    artifacts = [Artifact("2.6.2", model, "recurrent", tmp_path, "d") for model in ("lstm", "relu")]
    write(results, Finished("quick", 0.0, CELLS, artifacts, {}, {}))
    page = tmp_path / "page.html"
    text = heatmap(results, about(results))
    page.write_text(text.replace("</html>", ACT), encoding="utf-8")
    switches = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/u"]
    done = subprocess.run(
        [str(BROWSER), *switches, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    (told,) = re.findall(r"TOLD(.*)DLOT</pre>", done.stdout, re.DOTALL)
    assert '"drawn":["2.6.2/lstm/3.3.1","2.6.2/relu/3.3.1"]' in told
    assert '"failing":["2.6.2/lstm/3.3.1"]' in told
    assert '"shown":true' in told
    # Shown as text, never as markup.
    for said in ("SIGSEGV in &lt;b&gt;somewhere&lt;/b&gt;", "rules: CL101", "matrix.run --only"):
        assert said in told
