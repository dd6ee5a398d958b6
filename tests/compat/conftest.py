"""Fixtures that create plugins and run the matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from hermes_sdk.cli.main import run

Write = Callable[..., Path]
Ran = Callable[..., tuple[int, str, str]]


@pytest.fixture
def plugin(tmp_path: Path) -> Write:
    """Return a function that writes the project of a plugin, with further files."""

    def write(
        body: str = "def register(ctx): ctx.register_command('a', lambda line: line)\n",
        *,
        manifest: str = "",
        test: str = "",
        files: Mapping[str, str] | None = None,
        name: str = "mine",
    ) -> Path:
        root = tmp_path / name
        contents = {
            f"{name}_plugin/plugin.yaml": f"name: {name}\nkind: standalone\n{manifest}",
            f"{name}_plugin/__init__.py": dedent(body),
            **({"tests/test_it.py": dedent(test)} if test else {}),
            **(files or {}),
        }
        for file, text in contents.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text, encoding="utf-8")
        return root

    return write


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ran:
    """Return a function that runs ``hermes-sdk compat``, and returns its exit code and output."""
    monkeypatch.setenv("COLUMNS", "100")

    def command(*argv: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            run(["compat", *map(str, argv)])
        out, err = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, out, err

    return command
