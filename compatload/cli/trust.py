"""The option by which a command is told of operators to let in."""

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


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
