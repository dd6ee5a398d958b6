"""`show` for directories with a ``HOOK.yaml``."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_sdk.hosts.inspection import show
from hermes_sdk.hosts.interface import HostKind

GOOD = "name: watcher\nevents: [agent:end, 'command:*']\n"
HANDLE = "def handle(event_type, context): pass\n"


def write_hook(folder: Path, manifest: str, handler: str | None = HANDLE) -> Path:
    directory = folder / "my-hook"
    directory.mkdir()
    (directory / "HOOK.yaml").write_text(manifest, encoding="utf-8")
    if handler is not None:
        (directory / "handler.py").write_text(handler, encoding="utf-8")
    return directory


HOSTS = ["embedded", pytest.param("real", marks=pytest.mark.real_host)]


@pytest.mark.parametrize("host", HOSTS)
def test_report_lists_events_of_event_hook(host: HostKind, tmp_path: Path, real_python) -> None:
    if host == "real":
        real_python("0.19.0")
    report = show(write_hook(tmp_path, GOOD), host=host)
    plugin = report["plugin"]
    assert (plugin["key"], plugin["name"], plugin["kind"], plugin["path"]) == (
        "my-hook",
        "watcher",
        "gateway-hook",
        ".",
    )
    assert (report["status"], report["error"], report["gateway_hooks"]) == ("loaded", None, ["agent:end", "command:*"])


@pytest.mark.parametrize("host", HOSTS)
def test_report_names_exception_of_event_hook(host: HostKind, tmp_path: Path, real_python) -> None:
    if host == "real":
        real_python("0.19.0")
    report = show(write_hook(tmp_path, GOOD, "import not_there\n"), host=host)
    assert (report["status"], report["missing_imports"], report["gateway_hooks"]) == ("failed", ["not_there"], [])
    assert report["error"] == "Error loading hook my-hook: No module named 'not_there'"


@pytest.mark.parametrize(
    ("manifest", "handler", "error"),
    [
        (GOOD, None, "the gateway silently skips it: it has no handler.py"),
        (GOOD, "x = 1\n", "Skipping watcher: no 'handle' function found"),
        ("- a\n", HANDLE, "Skipping my-hook: invalid HOOK.yaml"),
        ("name: quiet\n", HANDLE, "Skipping quiet: no events declared"),
        (GOOD, "def handle(:\n", "Error loading hook my-hook: invalid syntax (handler.py, line 1)"),
    ],
)
def test_report_contains_output_of_gateway(manifest: str, handler: str | None, error: str, tmp_path: Path) -> None:
    report = show(write_hook(tmp_path, manifest, handler))
    assert (report["status"], report["error"]) == ("failed", error)


def test_event_hook_is_found_by_manifest_and_in_project(tmp_path: Path) -> None:
    directory = write_hook(tmp_path, GOOD)
    places = [show(path)["plugin"]["path"] for path in (directory / "HOOK.yaml", tmp_path)]
    assert places == [".", "my-hook"]


def test_handler_that_ends_process_is_reported(tmp_path: Path) -> None:
    directory = write_hook(tmp_path, GOOD, "import os\nos._exit(7)\n")
    with pytest.raises(Exception, match="7"):
        show(directory)
