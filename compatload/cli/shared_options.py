"""Options that several commands have: operators to let in, and whether results are verified."""

from __future__ import annotations

import argparse


def add_trusted_operators(parser: argparse.ArgumentParser) -> None:
    """``--trusted-operators NAMES``; several of them add up."""
    parser.add_argument(
        "--trusted-operators",
        action="extend",
        type=_names,
        default=[],
        metavar="NAMES",
        help="operators to let in by name, such as those of a custom library: my_relu,my_other",
    )


def add_verification(parser: argparse.ArgumentParser) -> None:
    """``--verify``, ``--no-verify`` and ``--python PATH``."""
    parser.add_argument(
        "--verify",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="run source and result and compare, where a Paddle at hand runs both (default)",
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PATH",
        help="a further Python whose Paddle may translate, and run either side; repeatable",
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
