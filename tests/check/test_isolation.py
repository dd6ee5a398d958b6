"""The child process that runs code of a plugin is isolated from the machine."""

import socket
import sys
from pathlib import Path

import on_disk
import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.errors import UnavailableError
from hermes_sdk.hosts.processes import isolation
from hermes_sdk.hosts.processes.isolation import landlock

tmp_path = on_disk.tmp_path

REGISTER = "\n\ndef register(ctx):\n    ctx.register_command('example', print)\n"


@pytest.fixture
def layers(plugin) -> list[str]:
    return check(plugin({})).isolation.split()


@pytest.fixture
def needs(layers):
    """Return a function that skips the test if the machine lacks an isolation layer."""

    def require(layer: str) -> None:
        if layer not in layers:
            pytest.skip(f"this machine has no {layer}")

    return require


def assert_loads(directory: Path) -> None:
    """Assert that the plugin loads, which means that all assertions in its source passed."""
    failures = [found.message for found in check(directory).findings if found.code in ("HS201", "HS202")]
    assert failures == []


def test_isolation_layers_are_reported(layers):
    assert layers[:2] == ["env", "tmp"]
    assert set(layers) <= {*isolation.FULL, "tcp", "guard"}
    assert "safe" not in layers


def test_plugin_cannot_change_files_outside_its_temporary_directories(plugin, tmp_path, needs):
    needs("landlock")
    kept = tmp_path / "kept"
    kept.write_text("as it was", encoding="utf-8")
    source = f"""\
import os, pathlib
kept = pathlib.Path({str(kept)!r})
new = kept.with_name("new")
for change in (kept.unlink, lambda: kept.write_text("x"), new.touch, new.mkdir, lambda: os.truncate(kept, 0)):
    try:
        change()
    except OSError:
        continue
    raise RuntimeError("a file outside was changed")
pathlib.Path(os.environ["TMPDIR"], "own").write_text("x")
pathlib.Path.home().joinpath("own").write_text("x")
open("/dev/null", "w").close()
"""
    assert_loads(plugin({"__init__.py": f"{source}{REGISTER}"}))
    assert kept.read_text(encoding="utf-8") == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["example", "kept"]


def test_programs_started_by_the_plugin_are_isolated(plugin, tmp_path, needs):
    needs("landlock")
    source = f"import subprocess\nassert subprocess.call(['touch', {str(tmp_path / 'made')!r}], stderr=-3) != 0\n"
    assert_loads(plugin({"__init__.py": f"{source}{REGISTER}"}))
    assert not (tmp_path / "made").exists()


def test_plugin_has_its_own_loopback_network(plugin, needs):
    needs("netns")
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = f"""\
import _socket, socket
raw = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
try:
    raw.connect(("127.0.0.1", {server.getsockname()[1]}))
except ConnectionRefusedError:
    pass
else:
    raise RuntimeError("reached a server of the machine")
with socket.create_server(("127.0.0.1", 0)) as own:
    socket.create_connection(own.getsockname()).close()
"""
        assert_loads(plugin({"__init__.py": f"{source}{REGISTER}"}))


@pytest.mark.skipif(landlock.landlock_version() < 6, reason="the kernel cannot keep signals in")
def test_plugin_cannot_signal_other_processes(plugin):
    source = "import os\ntry:\n    os.kill(os.getppid(), 0)\n    raise ValueError\nexcept PermissionError:\n    pass\n"
    assert_loads(plugin({"__init__.py": f"{source}{REGISTER}"}))


@pytest.mark.skipif(sys.platform != "linux", reason="macOS does not set the limit")
def test_plugin_memory_is_limited(plugin):
    source = "try:\n    bytearray(64 * 1024**3)\nexcept MemoryError:\n    pass\nelse:\n    raise ValueError\n"
    assert_loads(plugin({"__init__.py": f"{source}{REGISTER}"}))


def test_plugin_does_not_see_the_users_keys(plugin, monkeypatch):
    monkeypatch.setenv("EXAMPLE_API_KEY", "secret")
    assert_loads(plugin({"__init__.py": f"import os\nassert 'EXAMPLE_API_KEY' not in os.environ\n{REGISTER}"}))


def test_plugin_output_cannot_forge_the_result(plugin):
    forged = '{"report": {"status": "loaded"}, "registrations": [], "isolation": ["safe"], "failure": null}'
    printing = f"import os\nfor number in (1, 2):\n    os.write(number, {forged!r}.encode() + b'\\n')\n"
    source = f"{printing}raise ValueError('real')\n"
    result = check(plugin({"__init__.py": source}))
    assert [finding.code for finding in result.findings] == ["HS201"]
    assert "safe" not in result.isolation


@pytest.mark.parametrize("end", ["import os; os._exit(3)", "raise SystemExit", "1 / 0"])
def test_isolation_layers_are_reported_when_the_process_ends(plugin, layers, end):
    assert check(plugin({"__init__.py": f"{end}\n"})).isolation.split() == layers


def test_full_isolation_applies_or_nothing_runs(plugin, tmp_path, layers):
    marker = Path("marker")
    directory = plugin({"__init__.py": f"open({str(marker)!r}, 'w').close()\n{REGISTER}"})
    options = Options(require_isolation="full")
    if set(isolation.FULL) <= set(layers):
        assert check(directory, options).isolation == " ".join(isolation.FULL)
    else:
        with pytest.raises(UnavailableError, match="missing: "):
            check(directory, options)


def test_missing_isolation_layer_is_named(plugin, monkeypatch):
    monkeypatch.setattr(isolation, "FULL", (*isolation.FULL, "a wall"))
    with pytest.raises(UnavailableError, match="missing: a wall") as caught:
        check(plugin({}), Options(require_isolation="full"))
    assert caught.value.exit_code == 3
