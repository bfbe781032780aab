"""Tell what an upgrade breaks: saved models and Python sources, for a Paddle not installed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from compatload.checking.check import check, relative_to
from compatload.checking.finding import CheckReport, ExitCode
from compatload.checking.fixing import fixes
from compatload.checking.reporters import pieces
from compatload.checking.reporters.text import render as render_text
from compatload.checking.running import installed_release, with_runs
from compatload.checking.settings import Settings, check_rule_ids, find_settings
from compatload.checking.target import Target, as_measured_here, parse_target
from compatload.checking.walk import saved_under
from compatload.cli import fleet
from compatload.cli.shared_options import add_trusted_operators
from compatload.errors import UsageError

_FORMATS = ("text", "json", "github", "sarif", "junit", "markdown", "html")
# Below this many paths on the command line, and without folders, processes cost more than they do.
_ALONE = 16

EXIT_CODES = (
    "exit codes: 0 nothing breaks, 1 something breaks or is unsafe, 2 usage, 3 nothing recognised "
    "(0 with --nothing-ok)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="files, folders, archives, prefixes"
    )
    parser.add_argument("--target", help="a release: paddle==3.3.1 (default: pyproject.toml's)")
    parser.add_argument("--device", help="what models are to run on there: cpu, gpu, xpu …")
    parser.add_argument("--cpu", help="a CPU by name, such as hygon-dhyana")
    parser.add_argument("--format", choices=_FORMATS, default="text")
    parser.add_argument("--output", metavar="FILE", help="write the report there")
    parser.add_argument("--fix", action="store_true", help="change the sources that can be")
    parser.add_argument("--diff", action="store_true", help="show what --fix would change")
    parser.add_argument(
        "--run",
        dest="run_models",
        action="store_true",
        help="also load and run each model with the installed Paddle",
    )
    add_trusted_operators(parser)
    parser.add_argument("--ignore", default="", metavar="IDS", help="rules: CL305,CL306")
    parser.add_argument(
        "--nothing-ok", action="store_true", help="exit with 0, not 3, where nothing is recognised"
    )
    fleet.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.nothing_ok:
        _require(arguments.paths)
    settings = _settings(arguments)
    target = _target(arguments, settings)
    if arguments.fix or arguments.diff:
        _fix(arguments, target, settings)
    few = len(arguments.paths) <= _ALONE and all(os.path.isfile(one) for one in arguments.paths)
    with fleet.progress(arguments, "files") as shown, fleet.executor(arguments, alone=few) as made:
        report = check(
            arguments.paths,
            target=target,
            settings=settings,
            executor=made,
            progress=shown,
        )
    if arguments.run_models:
        report = with_runs(report, target)
    _write(relative_to(report, _base(arguments)), arguments)
    nothing = report.exit_code is ExitCode.NOTHING_RECOGNISED
    return 0 if nothing and arguments.nothing_ok else int(report.exit_code)


def _require(paths: Sequence[str]) -> None:
    """A slip in a path must not read as clean."""
    missing = [
        path
        for path in paths
        if "://" not in path and not os.path.exists(path) and not saved_under(path)
    ]
    if missing:
        raise UsageError(
            f"{', '.join(missing)}: no such file or directory.",
            action="Name files and folders that are there.",
        )


def _settings(arguments: argparse.Namespace) -> Settings:
    from dataclasses import replace

    settings = find_settings(arguments.paths[0])
    asked = [one.strip().upper() for one in arguments.ignore.split(",") if one.strip()]
    return replace(settings, ignore=settings.ignore | check_rule_ids(asked, "--ignore"))


def _target(arguments: argparse.Namespace, settings: Settings) -> Target:
    fleet.require_jobs(arguments)
    asked = arguments.target or settings.target
    device = arguments.device or settings.device or "cpu"
    cpu = arguments.cpu or settings.cpu
    trusted = (*settings.trusted_operators, *arguments.trusted_operators)
    if not arguments.run_models:
        target = parse_target(asked, device=device, cpu=cpu, trusted_operators=trusted)
        return as_measured_here(target)

    installed = installed_release()
    target = parse_target(asked or installed, device=device, cpu=cpu, trusted_operators=trusted)
    if str(target.version) != installed:
        raise UsageError(
            f"--run takes the installed Paddle, which is {installed}, not {target.version}.",
            action="Leave --target out, or run it where that Paddle is installed.",
        )
    return as_measured_here(target)


def _fix(arguments: argparse.Namespace, target: Target, settings: Settings) -> None:
    """Change what can be changed, or show it; the check that follows sees the result."""
    for fix in fixes(arguments.paths, target=target, settings=settings):
        if arguments.diff:
            sys.stdout.write(fix.diff)
        if arguments.fix:
            try:
                fix.write()
            except OSError as error:
                raise UsageError(
                    f"{fix.path} was not changed: {error}", action="Make it writable, run again."
                ) from error
            print(f"compatload: fixed {len(fix.rules)} in {fix.path}", file=sys.stderr)


def _base(arguments: argparse.Namespace) -> str:
    """What paths are told relative to: of SARIF, which a forge reads, the repository."""
    here = os.getcwd()
    if arguments.format != "sarif":
        return here
    above = [here]
    while os.path.dirname(above[-1]) != above[-1]:
        above.append(os.path.dirname(above[-1]))
    return next((one for one in above if os.path.lexists(os.path.join(one, ".git"))), here)


def _write(report: CheckReport, arguments: argparse.Namespace) -> None:
    if arguments.format == "text" and not arguments.output:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        sys.stdout.write(render_text(report, colour=colour))
        return
    told = pieces(report, arguments.format)
    if not arguments.output:
        sys.stdout.writelines(told)
        return
    fleet.write_report(arguments.output, told)
    if not arguments.quiet:
        print(f"compatload: {report.summary}", file=sys.stderr)
