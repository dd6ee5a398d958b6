"""Stands in for ``hermes_cli.cli_output``: what commands print and ask."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "print_error",
    "print_header",
    "print_info",
    "print_success",
    "print_warning",
    "prompt",
    "prompt_yes_no",
]

_state = find_plugin_manager(__spec__).state
prompt_yes_no = refused(__spec__, "prompt_yes_no")


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


def prompt(question: str, default: str | None = None, password: bool = False) -> str:
    """Ask for a line; empty without an answer."""
    if password:
        raise _state.unsupported("ask for a password")
    try:
        answer = input(f"  {question} [{default}]: " if default else f"  {question}: ").strip()
    except (EOFError, KeyboardInterrupt):
        print()
        return ""
    return answer or default or ""
