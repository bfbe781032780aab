"""Make whole trees of models ready for another release: found, converted, verified, copied."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from compatload.checking.reporters.as_json import pieces_of
from compatload.cli import fleet
from compatload.cli.shared_options import add_trusted_operators, add_verification
from compatload.migration.migrate import migrate
from compatload.migration.report import MigrationReport
from compatload.migration.reporters import as_html, as_text

_FORMATS = ("text", "json", "html")

EXIT_CODES = "exit codes: 0 every model is ready there, 1 one is not, 2 usage, 3 no model found"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="folders, or their URLs")
    parser.add_argument(
        "target", metavar="TARGET", help="a folder: empty, new, or an earlier migration's"
    )
    parser.add_argument("--to", required=True, metavar="paddle==X", help="the release to load them")
    parser.add_argument("--device", default="cpu", help="what models are to run on there: cpu, gpu")
    parser.add_argument("--cpu", help="a CPU by name, such as hygon-dhyana")
    parser.add_argument(
        "--dry-run", action="store_true", help="tell what would be done; nothing is written"
    )
    add_verification(parser)
    add_trusted_operators(parser)
    parser.add_argument("--format", choices=_FORMATS, default="text")
    parser.add_argument("--output", metavar="FILE", help="write the report there")
    fleet.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    fleet.require_jobs(arguments)
    with fleet.progress(arguments, "models") as shown, fleet.executor(arguments) as executor:
        report = migrate(
            arguments.sources,
            arguments.target,
            to=arguments.to,
            verify=arguments.verify,
            interpreters=arguments.python,
            device=arguments.device,
            cpu=arguments.cpu,
            trusted_operators=arguments.trusted_operators,
            executor=executor,
            dry_run=arguments.dry_run,
            progress=shown,
        )
    told = _rendered(report, arguments.format)
    if not arguments.output:
        sys.stdout.writelines(told)
    else:
        fleet.write_report(arguments.output, told)
        if not arguments.quiet:
            print(f"compatload: {report.summary}", file=sys.stderr)
    return int(report.exit_code)


def _rendered(report: MigrationReport, form: str) -> Iterator[str]:
    if form == "json":
        return pieces_of(report.parts(), ascii_only=False)

    return iter((as_html(report) if form == "html" else as_text(report),))
