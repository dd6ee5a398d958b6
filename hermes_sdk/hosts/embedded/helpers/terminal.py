"""Terminal output and prompts for commands of plugins."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.state import HostState


@of_module("hermes_cli.colors")
class Colors:
    """Terminal codes of colours and styles."""

    RESET = "\033[0m"
    BOLD = "\033[1m"
    DIM = "\033[2m"
    RED = "\033[31m"
    GREEN = "\033[32m"
    YELLOW = "\033[33m"
    BLUE = "\033[34m"
    MAGENTA = "\033[35m"
    CYAN = "\033[36m"


def should_use_color() -> bool:
    """Return whether standard output is a terminal that shows colours."""
    return "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def color(text: str, *codes: str) -> str:
    """Wrap a text in terminal codes if standard output shows colours."""
    return f"{''.join(codes)}{text}{Colors.RESET}" if should_use_color() else text


def print_header(text: str) -> None:
    """Print a heading."""
    print(f"\n  {text}")


def print_info(text: str) -> None:
    """Print a note."""
    print(f"  {text}")


def print_success(text: str) -> None:
    """Print a success."""
    print(f"✓ {text}")


def print_warning(text: str) -> None:
    """Print a warning."""
    print(f"⚠ {text}")


def print_error(text: str) -> None:
    """Print an error."""
    print(f"✗ {text}")


def print_setup_header(title: str) -> None:
    """Print a heading of the setup."""
    print(f"\n◆ {title}")


def is_interactive_stdin() -> bool:
    """Return whether standard input is a terminal."""
    try:
        return sys.stdin.isatty()
    except (AttributeError, ValueError):
        return False


class CliPrompts:
    """Prompts of ``hermes_cli.cli_output``."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def prompt(self, question: str, default: str | None = None, password: bool = False) -> str:
        """Ask for a line; return an empty string without an answer."""
        if password:
            raise self._state.unsupported("ask for a password")
        try:
            answer = input(f"  {question} [{default}]: " if default else f"  {question}: ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return ""
        return answer or default or ""


class SetupPrompts:
    """Prompts of ``hermes_cli.setup``."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def prompt(self, question: str, default: str | None = None, password: bool = False) -> str:
        """Ask for a line; exit if the input ends."""
        if password:
            raise self._state.unsupported("ask for a password")
        answer = _read(f"{question} [{default}]: " if default else f"{question}: ")
        # Terminals wrap pasted text in these codes.
        return re.sub(r"\x1b\[20[01]~", "", answer).strip() or default or ""

    def prompt_yes_no(self, question: str, default: bool = True) -> bool:
        """Ask until the answer is yes or no."""
        while True:
            try:
                answer = input(f"{question} [{'Y/n' if default else 'y/N'}]: ").strip().lower()
            except KeyboardInterrupt:
                _exit_program()
            except EOFError:
                print()
                return default
            if not answer:
                return default
            if answer in ("y", "yes", "n", "no"):
                return answer.startswith("y")
            print_error("Please enter 'y' or 'n'")

    def prompt_choice(self, question: str, choices: list[Any], default: int = 0, description: str | None = None) -> int:
        """Ask for one of several choices; without a terminal, by number."""
        self._require_no_terminal()
        if self._state.behaviour.choices_need_terminal:
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

    def prompt_checklist(self, title: str, items: list[Any], pre_selected: list[int] | None = None) -> list[int]:
        """Ask for any of several items; without a terminal, return the preselected items."""
        self._require_no_terminal()
        return list(pre_selected or [])

    def _require_no_terminal(self) -> None:
        if is_interactive_stdin():
            raise self._state.unsupported("show a menu at a terminal")


def _read(question: str) -> str:
    try:
        return input(question)
    except (EOFError, KeyboardInterrupt):
        _exit_program()


def _exit_program() -> NoReturn:
    print()
    sys.exit(1)
