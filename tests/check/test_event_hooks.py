"""The check of a gateway event hook, which is not a plugin."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options

GOOD = "name: watcher\nevents: [agent:end, 'command:*']\n"
HANDLE = "def handle(event_type, context):\n    print(event_type)\n"


def find(folder: Path, manifest: str = GOOD, handler: str | None = HANDLE, **files: str) -> list[tuple[str, str]]:
    """Check a project with one hook, and return the codes and files of the findings."""
    hook = folder / "watcher"
    hook.mkdir()
    (hook / "HOOK.yaml").write_text(manifest, encoding="utf-8")
    if handler is not None:
        (hook / "handler.py").write_text(handler, encoding="utf-8")
    result = check(folder, Options())
    return [(one.code, one.path) for one in result.findings]


def test_working_hook_has_no_finding(tmp_path: Path) -> None:
    assert find(tmp_path) == []
    for path in (tmp_path / "watcher", tmp_path / "watcher" / "HOOK.yaml"):
        result = check(path, Options(strict=True))
        assert (result.findings, result.not_run, result.passes()) == ((), (), True)


@pytest.mark.parametrize(
    ("manifest", "handler", "expected"),
    [
        (GOOD, "import not_there\n" + HANDLE, ("HS201", "watcher/handler.py")),
        (GOOD, "raise ValueError\n" + HANDLE, ("HS201", "watcher/handler.py")),
        (GOOD, "import os\n\nos._exit(7)\n" + HANDLE, ("HS202", "watcher/handler.py")),
        (GOOD, "def handle(:\n", ("HS203", "watcher/handler.py")),
        (GOOD, None, ("HS742", "watcher/HOOK.yaml")),
        (GOOD, "x = 1\n", ("HS742", "watcher/handler.py")),
        ("name: watcher\n", HANDLE, ("HS742", "watcher/HOOK.yaml")),
        ("name: watcher\nevents: [agent:ended]\n", HANDLE, ("HS743", "watcher/HOOK.yaml")),
        (GOOD, HANDLE + "    eval(context['message'])\n", ("HS705", "watcher/handler.py")),
    ],
)
def test_broken_hook_has_findings(
    manifest: str, handler: str | None, expected: tuple[str, str], tmp_path: Path
) -> None:
    assert expected in find(tmp_path, manifest, handler)


def test_project_settings_apply_to_a_hook(tmp_path: Path) -> None:
    settings = '[tool.hermes-sdk]\nplugin = "watcher"\n[tool.hermes-sdk.check]\ntarget = ">=0.18"\n'
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    assert find(tmp_path) == []
    assert check(tmp_path / "watcher", Options(static=True)).releases == ("0.19.0", "0.20.2", "0.22.2")
