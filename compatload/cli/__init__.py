"""The ``compatload`` command: one file a verb.

Exit codes: 0 done (and compatible), 1 the model cannot be used there, 2 wrong usage or an internal
error, 3 nothing recognised. What they mean to a verb stands in its module's ``EXIT_CODES``.
"""

from __future__ import annotations

import argparse
import logging
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
    "migrate": "compatload.cli.migrate",
    "convert": "compatload.cli.convert",
    "cache": "compatload.cli.cache",
    "demo": "compatload.cli.demo",
    "rule": "compatload.cli.rule",
    "run": "compatload.cli.run",
    "selftest": "compatload.cli.selftest",
    "bench": "compatload.cli.bench",
    "fold": "compatload.cli.fold",
    "completion": "compatload.cli.completion",
    "schema": "compatload.cli.schema",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code; errors become two lines on standard error."""
    suit_any_encoding()
    arguments = parser().parse_args(argv)
    if getattr(arguments, "verbose", 0):
        logging.basicConfig(
            stream=sys.stderr,
            level=logging.DEBUG if arguments.verbose > 1 else logging.INFO,
            format="%(name)s: %(message)s",
        )
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


def parser() -> argparse.ArgumentParser:
    """Every verb with its arguments."""
    top = argparse.ArgumentParser(
        prog="compatload",
        description="Any saved PaddlePaddle model loads in the Paddle that is installed.",
        epilog="exit codes: 0 done, 1 the model cannot be used there, 2 usage, 3 no model found",
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, help="what a bug report needs, in a line"
    )
    verbs = top.add_subparsers(required=True, metavar="VERB")
    for name, module_name in VERBS.items():
        module = import_module(module_name)
        summary = (module.__doc__ or "").strip().splitlines()[0]
        verb = verbs.add_parser(name, help=summary, description=summary, epilog=module.EXIT_CODES)
        if name != "run":  # whose options belong to the program
            _add_loudness(verb)
        module.add_arguments(verb)
        verb.set_defaults(run=module.run)
    return top


class _Version(argparse.Action):
    """Asks what is installed only when it is used."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import platform

        from compatload.planning import describe
        from compatload.runtime.detection import detect_runtime

        print(
            f"compatload {__version__} ({describe(detect_runtime())}, python "
            f"{platform.python_version()}, {sys.platform} {platform.machine()})"
        )
        parser.exit()


def _add_loudness(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("-q", "--quiet", action="store_true", help="only results and errors")
    verb.add_argument("-v", "--verbose", action="count", default=0, help="what is done, as it is")
