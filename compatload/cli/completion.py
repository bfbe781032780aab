"""Print what completes compatload's verbs and options in a shell: bash, zsh or fish."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from compatload.cli import VERBS, parser

_BASH = """\
_compatload() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{verbs}"
    else
        case "${{COMP_WORDS[1]}} $previous" in
{choices}
        esac
        if [ -z "$words" ] && [[ $word == -* ]]; then
            case "${{COMP_WORDS[1]}}" in
{options}
            esac
        fi
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _compatload compatload
"""

EXIT_CODES = "exit codes: 0 told, 2 usage"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.description = (
        f"{parser.description} "
        'bash, zsh: eval "$(compatload completion bash)" in the shell\'s start file; '
        "fish: compatload completion fish > ~/.config/fish/completions/compatload.fish"
    )


def run(arguments: argparse.Namespace) -> int:
    verbs = _verbs(parser(*VERBS))
    if arguments.shell == "fish":
        sys.stdout.writelines(f"{line}\n" for line in _fish(verbs))
        return 0
    if arguments.shell == "zsh":
        print("autoload -U +X compinit && compinit; autoload -U +X bashcompinit && bashcompinit")
    sys.stdout.write(_bash(verbs))
    return 0


def _verbs(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (action,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    return (action for action in parser._actions if action.option_strings)


def _bash(verbs: dict[str, argparse.ArgumentParser]) -> str:
    choices, options = [], []
    for name, verb in verbs.items():
        words = [word for action in _actions(verb) for word in action.option_strings]
        if verb.prefix_chars:  # else options belong to a program
            options.append(f'                {name}) words="{" ".join(words)}" ;;')
        for action in verb._actions:
            told = " ".join(map(str, action.choices or ()))
            before = [f'"{name} {one}"' for one in action.option_strings or [name]]
            if told:
                choices.append(f'            {"|".join(before)}) words="{told}" ;;')
    return _BASH.format(
        verbs=" ".join(verbs), choices="\n".join(choices), options="\n".join(options)
    )


def _fish(verbs: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    for name, verb in verbs.items():
        told = _quoted(verb.description or "")
        yield f"complete -c compatload -n __fish_use_subcommand -a {name} -d {told}"
        for action in _actions(verb):
            words = " ".join(
                f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}"
                for one in action.option_strings
            )
            given = f" -xa {_quoted(' '.join(map(str, action.choices)))}" if action.choices else ""
            told = _quoted(action.help or "")
            yield (
                f"complete -c compatload -n '__fish_seen_subcommand_from {name}' {words}{given} "
                f"-d {told}"
            )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
