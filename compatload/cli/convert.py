"""Write a model as another format, or as another release of Paddle has it."""

from __future__ import annotations

import argparse
import json
import sys

from compatload.cli.shared_options import add_trusted_operators, add_verification
from compatload.exporting.convert import convert
from compatload.releases import NEWEST_PIR_VERSION

EXIT_CODES = (
    "exit codes: 0 converted, 1 it cannot be, and nothing was written, 2 usage, 3 no model there"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", help="prefix, any one file of a model, or its directory")
    parser.add_argument("target", help="prefix of the files to write, or an existing directory")
    parser.add_argument(
        "--to",
        required=True,
        metavar="FORMAT",
        help="legacy, pir (what the installed Paddle writes), pir-v1 … "
        f"pir-v{NEWEST_PIR_VERSION}, or paddle==X",
    )
    add_verification(parser)
    parser.add_argument("--model-filename", help="of a model in a directory without standard names")
    parser.add_argument("--params-filename", help="of its combined weights")
    add_trusted_operators(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    conversion = convert(
        arguments.source,
        arguments.target,
        to=arguments.to,
        verify=arguments.verify,
        interpreters=arguments.python,
        model_filename=arguments.model_filename,
        params_filename=arguments.params_filename,
        trusted_operators=arguments.trusted_operators,
    )
    if arguments.json:
        json.dump(conversion.to_dict(), sys.stdout, indent=2)
        print()
    else:
        print(conversion.explain())
    return 0
