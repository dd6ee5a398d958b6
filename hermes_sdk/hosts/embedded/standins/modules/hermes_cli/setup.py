"""Stands in for ``hermes_cli.setup``: what the setup of a platform prints and asks."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "cfg_get",
    "get_config_path",
    "get_env_path",
    "get_env_value",
    "get_hermes_home",
    "is_interactive_stdin",
    "load_config",
    "print_error",
    "print_header",
    "print_info",
    "print_success",
    "print_warning",
    "prompt",
    "prompt_checklist",
    "prompt_choice",
    "prompt_yes_no",
    "remove_env_value",
    "save_config",
    "save_env_value",
]

_state = find_plugin_manager(__spec__).state
_output = import_module("hermes_cli.cli_output")
_config = import_module("hermes_cli.config")
print_error = _output.print_error
print_info = _output.print_info
print_success = _output.print_success
print_warning = _output.print_warning
cfg_get = _config.cfg_get
get_config_path = _config.get_config_path
get_env_path = _config.get_env_path
get_env_value = _config.get_env_value
get_hermes_home = _config.get_hermes_home
load_config = _config.load_config
remove_env_value = _config.remove_env_value
save_config = _config.save_config
save_env_value = _config.save_env_value


def is_interactive_stdin() -> bool:
    """Tell whether a person can answer."""
    try:
        return sys.stdin.isatty()
    except (AttributeError, ValueError):
        return False


def print_header(title: str) -> None:
    """Print a heading."""
    print(f"\n◆ {title}")


def prompt(question: str, default: str | None = None, password: bool = False) -> str:
    """Ask for a line; without an answer the program ends."""
    if password:
        raise _state.unsupported("ask for a password")
    answer = _read(f"{question} [{default}]: " if default else f"{question}: ")
    # What a terminal puts around a pasted text.
    return re.sub(r"\x1b\[20[01]~", "", answer).strip() or default or ""


def prompt_yes_no(question: str, default: bool = True) -> bool:
    """Ask until the answer is yes or no."""
    while True:
        try:
            answer = input(f"{question} [{'Y/n' if default else 'y/N'}]: ").strip().lower()
        except KeyboardInterrupt:
            _leave()
        except EOFError:
            print()
            return default
        if not answer:
            return default
        if answer in ("y", "yes", "n", "no"):
            return answer.startswith("y")
        print_error("Please enter 'y' or 'n'")


def prompt_choice(question: str, choices: list[Any], default: int = 0, description: str | None = None) -> int:  # noqa: ARG001
    """Ask for one of several; where there is no terminal, by its number."""
    _require_no_terminal()
    if _state.behaviour.choices_need_terminal:
        return default
    print(question)
    for index, choice in enumerate(choices):
        print(f"  {'●' if index == default else '○'} {choice}")
    print(f"    Enter for default ({default + 1})  Ctrl+C to exit")
    while True:
        answer = _read(f"  Select [1-{len(choices)}] ({default + 1}): ").strip()
        if not answer:
            return default
        try:
            number = int(answer)
        except ValueError:
            print_error("Please enter a number")
            continue
        if 1 <= number <= len(choices):
            return number - 1
        print_error(f"Please enter a number between 1 and {len(choices)}")


def prompt_checklist(title: str, items: list[Any], pre_selected: list[int] | None = None) -> list[int]:  # noqa: ARG001
    """Ask for any of several; where there is no terminal, those that were selected before stay."""
    _require_no_terminal()
    return list(pre_selected or [])


def _require_no_terminal() -> None:
    if is_interactive_stdin():
        raise _state.unsupported("show a menu at a terminal")


def _read(question: str) -> str:
    try:
        return input(question)
    except (EOFError, KeyboardInterrupt):
        _leave()


def _leave() -> NoReturn:
    print()
    sys.exit(1)
