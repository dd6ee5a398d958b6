"""Runs of ``hermes memory setup`` in the process of a host, with scripted answers."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import sys
import traceback
from collections.abc import Generator
from typing import Any

from ...in_worker.answers import Answers, read_fields

_PROVIDERS = "_hermes_user_memory"


def set_up(answers: Answers) -> list[Any]:
    """Run the host's command, and return its exit code, standard output and standard error."""
    command = importlib.import_module("hermes_cli.memory_setup")
    out, err = io.StringIO(), io.StringIO()
    with (
        _isolate(),
        _answer_prompts(command, answers),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            command.cmd_setup(None)
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
            err.write("" if stop.code is None or isinstance(stop.code, int) else f"{stop.code}\n")
        except Exception:
            traceback.print_exc()
            code = 1
    return [code, out.getvalue(), err.getvalue()]


def list_fields(provider: str) -> list[dict[str, Any]]:
    """Return the fields of a provider that the host's command asks for."""
    command = importlib.import_module("hermes_cli.memory_setup")
    with _isolate(), contextlib.redirect_stdout(io.StringIO()):
        return read_fields(provider, command._get_available_providers)


@contextlib.contextmanager
def _answer_prompts(command: Any, answers: Answers) -> Generator[None]:
    """Replace the prompts of the host's module by answers, and disable the installation of dependencies."""
    offer = command._get_available_providers

    def select(_: str, items: list[Any], default: int = 0, **__: Any) -> Any:
        return answers.pick([item[0] for item in items], default)

    def ask_secret(prompt: str) -> Any:
        print(prompt, end="")
        return answers.answer_field()

    def install(_: str) -> None:
        pass

    answered: dict[str, Any] = {
        "_get_available_providers": lambda: answers.follow_provider(offer()),
        "_curses_select": select,
        "masked_secret_prompt": ask_secret,
        "_install_dependencies": install,
    }
    before = {name: vars(command)[name] for name in answered if name in vars(command)}
    vars(command).update({name: answered[name] for name in before})
    stdin, sys.stdin = sys.stdin, _Typed(answers)
    try:
        yield
    finally:
        sys.stdin = stdin
        vars(command).update(before)


class _Typed(io.StringIO):
    """Standard input that answers only prompts for fields of a provider."""

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self._answers = answers

    def readline(self, *_: Any) -> str:  # type: ignore[override]
        """Return the answer to a prompt of the host, or the end of the input if a provider prompts itself."""
        return f"{self._answers.answer_field()}\n" if self._answers.asking else ""


@contextlib.contextmanager
def _isolate() -> Generator[None]:
    """Import providers again within the context, as in a new process, and restore the modules of this process."""
    memory = importlib.import_module("plugins.memory")
    watched = memory.load_memory_provider
    before = _take_modules()
    memory.load_memory_provider = inspect.unwrap(watched)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        memory.load_memory_provider = watched  # type: ignore[attr-defined]
        _take_modules()
        sys.modules.update(before)


def _take_modules() -> dict[str, Any]:
    names = [name for name in sys.modules if name.partition(".")[0] == _PROVIDERS]
    return {name: sys.modules.pop(name) for name in names}
