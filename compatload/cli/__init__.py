"""The ``compatload`` command: one file a verb.

Exit codes: 0 done (and compatible), 1 the model cannot be used there, 2 wrong usage or an internal
error, 3 nothing recognised. What they mean to a verb stands in its module's ``EXIT_CODES``.
"""

from __future__ import annotations

import argparse
import errno
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from compatload._version import __version__
from compatload.cli.encoding import suit_any_encoding, with_standard_streams
from compatload.errors import ArtifactNotFoundError, CompatLoadError, UsageError

OK, INCOMPATIBLE, USAGE, NOTHING = 0, 1, 2, 3

# Verb → what it does, as the head of its module says. The module has add_arguments(parser) and
# run(arguments) → exit code, and is imported when its verb is asked for.
VERBS = {
    "inspect": "Tell what a saved model is, without Paddle.",
    "env": "Tell which Paddle, CPU and accelerators there are: what a bug report needs.",
    "plan": "Tell how a model would be loaded here, or in a Paddle that is not installed.",
    "check": (
        "Tell what an upgrade breaks: saved models and Python sources, for a Paddle not installed."
    ),
    "migrate": (
        "Make whole trees of models ready for another release: found, converted, verified, copied."
    ),
    "convert": "Write a model as another format, or as another release of Paddle has it.",
    "cache": "Show, empty or locate the cache of converted programs.",
    "demo": (
        "Load a model saved by Paddle 2.6.2 in the Paddle that is installed, and "
        "compare its output."
    ),
    "rule": "Explain a rule, with its evidence; without an id, list them all.",
    "run": "Run an unmodified program, with Paddle's own loaders replaced by the safe ones.",
    "selftest": (
        "Try a bundle of saved networks in the Paddle that is installed here, and "
        "keep what was found."
    ),
    "bench": "Time a model on this machine, by each engine and number of threads, side by side.",
    "fold": (
        "Let a model's batch normalisations be folded as it is loaded, so that "
        "predictors start faster."
    ),
    "completion": (
        "Print what completes compatload's verbs and options in a shell: bash, zsh or fish."
    ),
    "schema": "Print the JSON schema of what a verb prints for programs.",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code; errors become two lines on standard error."""
    with_standard_streams()
    suit_any_encoding()
    given = sys.argv[1:] if argv is None else argv
    arguments = parser(*given[:1]).parse_args(given)
    if getattr(arguments, "verbose", 0):
        logging.basicConfig(
            stream=sys.stderr,
            level=logging.DEBUG if arguments.verbose > 1 else logging.INFO,
            format="%(name)s: %(message)s",
        )
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
    except CompatLoadError as error:
        print(f"compatload: {error}", file=sys.stderr)
        return exit_code(error)
    except BrokenPipeError:
        # The reader went away (`compatload … | head`): nothing is wrong, and nobody is listening.
        sys.stderr.close()
        return OK
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        print(f"compatload: the output cannot be written: {error.strerror}", file=sys.stderr)
        print("Make room where it goes, or send it elsewhere.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the interpreter says it once more
        return USAGE
    except KeyboardInterrupt:
        print("compatload: interrupted", file=sys.stderr)
        return 130
    return code


def exit_code(error: CompatLoadError) -> int:
    """What the shell is told of an error."""
    if isinstance(error, UsageError):
        return USAGE
    return NOTHING if isinstance(error, ArtifactNotFoundError) else INCOMPATIBLE


def parser(*verbs: str) -> argparse.ArgumentParser:
    """Every verb, these of them with their arguments."""
    top = argparse.ArgumentParser(
        prog="compatload",
        description="Any saved PaddlePaddle model loads in the Paddle that is installed.",
        epilog="exit codes: 0 done, 1 the model cannot be used there, 2 usage, 3 no model found",
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, help="what a bug report needs, in a line"
    )
    added = top.add_subparsers(required=True, metavar="VERB")
    for name, summary in VERBS.items():
        verb = added.add_parser(name, help=summary, description=summary)
        if name in verbs:
            module = import_module(f"compatload.cli.{name}")
            verb.epilog = module.EXIT_CODES
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
