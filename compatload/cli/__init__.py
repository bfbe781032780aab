"""The ``compatload`` command: one file a verb.

Exit codes: 0 done (and compatible), 1 the model cannot be used there, 2 wrong usage or an internal
error, 3 nothing recognised. What they mean to a verb stands in its module's ``EXIT_CODES``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from compatload._version import __version__
from compatload.cli.encoding import suit_any_encoding
from compatload.errors import ArtifactNotFoundError, CompatLoadError, UsageError

OK, INCOMPATIBLE, USAGE, NOTHING = 0, 1, 2, 3

# Verb → module; a module has add_arguments(parser) and run(arguments) → exit code.
VERBS = {
    "inspect": "compatload.cli.inspect",
    "env": "compatload.cli.env",
    "plan": "compatload.cli.plan",
    "check": "compatload.cli.check",
    "convert": "compatload.cli.convert",
    "cache": "compatload.cli.cache",
    "demo": "compatload.cli.demo",
    "rule": "compatload.cli.rule",
    "run": "compatload.cli.run",
    "selftest": "compatload.cli.selftest",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code; errors become two lines on standard error."""
    suit_any_encoding()
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except CompatLoadError as error:
        print(f"compatload: {error}", file=sys.stderr)
        return exit_code(error)
    except BrokenPipeError:
        # The reader went away (`compatload … | head`): nothing is wrong, and nobody is listening.
        sys.stderr.close()
        return OK
    except KeyboardInterrupt:
        print("compatload: interrupted", file=sys.stderr)
        return 130


def exit_code(error: CompatLoadError) -> int:
    """What the shell is told of an error."""
    if isinstance(error, UsageError):
        return USAGE
    return NOTHING if isinstance(error, ArtifactNotFoundError) else INCOMPATIBLE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="compatload",
        description="Any saved PaddlePaddle model loads in the Paddle that is installed.",
        epilog="exit codes: 0 done, 1 the model cannot be used there, 2 usage, 3 no model found",
    )
    parser.add_argument("--version", action="version", version=f"compatload {__version__}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for name, module_name in VERBS.items():
        module = import_module(module_name)
        summary = (module.__doc__ or "").strip().splitlines()[0]
        verb = verbs.add_parser(name, help=summary, description=summary, epilog=module.EXIT_CODES)
        module.add_arguments(verb)
        verb.set_defaults(run=module.run)
    return parser
