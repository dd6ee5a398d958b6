"""Users who are not root, and users without a home or with a read-only one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from thinning import every_third

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")

NOBODY = 65534
UNKNOWN = 54321
PACKAGES = [entry for entry in sys.path if entry and not Path(entry).is_relative_to(sys.base_prefix)]
TESTS = Path(__file__).parent
SUBSET = (
    "test_links or test_reading or writable_directories or (shown and (400 or ssh or daemon or permissions or owner))"
)


@cache
def find_python() -> str:
    """Return a Python of this version that every user can start; root's own may be in root's home."""
    name = "python{}.{}".format(*sys.version_info)
    for path in filter(None, (sys.executable, shutil.which(name, path="/usr/local/bin:/usr/bin:/bin"))):
        if run(path, "-c", "import pytest, hermes_sdk").returncode == 0:
            return path
    pytest.skip("another user can start no Python here, or not read its packages")


def environment() -> dict[str, str]:
    path = os.pathsep.join(PACKAGES)
    return {"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def run(*argv: str, user: int = NOBODY, umask: int = -1, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program as another user, with a minimal environment."""
    try:
        return subprocess.run(
            argv,
            user=user,
            group=user,
            extra_groups=[],
            umask=umask,
            env={**environment(), **variables},
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
    except PermissionError as error:
        return subprocess.CompletedProcess(argv, 126, "", str(error))


@pytest.fixture
def plugin() -> Iterator[Path]:
    """Create a plugin and a scenario in a directory that everyone may read."""
    with TemporaryDirectory() as name:
        folder = Path(name, "plugin")
        folder.mkdir()
        (folder / "plugin.yaml").write_text("name: example\nversion: '1.0'\nkind: standalone\n", encoding="utf-8")
        (folder / "__init__.py").write_text(
            "def register(ctx):\n    ctx.register_command('greet', lambda line: 'hello')\n", encoding="utf-8"
        )
        scenario = {"plugins": ["plugin"], "turns": ["/greet"]}
        Path(name, "scenario.yaml").write_text(json.dumps(scenario), encoding="utf-8")
        Path(name).chmod(0o755)
        yield folder


@pytest.mark.slow
def test_security_tests_pass_as_nobody(tmp_path):
    python = find_python()
    files = [str(TESTS / f"test_{one}.py") for one in ("layers", "links", "reading", "corpus")]
    with TemporaryDirectory() as name:
        os.chown(name, NOBODY, NOBODY)
        done = run(
            *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "-m", "not slow", "-k", SUBSET),
            *(f"--basetemp={name}/pytest", *files),
            HOME="/nonexistent",
        )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


COMMANDS = {
    "check {plugin}": "No problems found",
    "plugins list": "No plugins are installed",
    "check --static {plugin}": "No problems found",
    "show {plugin}": "greet",
    "trace {scenario}": "hello",
    "compat --only embedded:0.19.0 {plugin}": "passes",
    "hooks list": "",
    "explain HS101": "HS101",
    "contract show": "0.22.2",
}
"""Command -> text in its output."""


@pytest.mark.parametrize(
    ("user", "home", "command"),
    every_third(
        [
            *((NOBODY, "/nonexistent", command) for command in COMMANDS),
            # Containers set HOME to `/`; a user without an entry in the password database has no home.
            *((user, home, command) for user, home in ((NOBODY, "/"), (UNKNOWN, "")) for command in [*COMMANDS][:2]),
        ]
    ),
)
def test_command_works_without_a_home(plugin, user, home, command):
    argv = command.format(plugin=plugin, scenario=plugin.with_name("scenario.yaml")).split()
    variables = {"HOME": home} if home else {}
    done = run(find_python(), "-c", "from hermes_sdk.cli.main import run; run()", *argv, user=user, **variables)
    assert "Traceback" not in done.stderr
    assert COMMANDS[command] in done.stdout, done.stderr
    assert done.returncode == 0


def test_static_check_needs_no_home(plugin):
    done = run(find_python(), "-m", "hermes_sdk.check", str(plugin))
    assert "No problems found" in done.stdout


@pytest.mark.parametrize(
    "command", ["plugins install file://{plugin}", "plugins enable example", "show --host real {plugin}"]
)
def test_command_that_needs_a_home_reports_an_error_when_home_is_missing(plugin, command):
    argv = command.format(plugin=plugin).split()
    done = run(find_python(), "-c", "from hermes_sdk.cli.main import run; run()", *argv, HOME="/nonexistent")
    assert "Traceback" not in done.stderr
    assert done.returncode in (1, 2, 3)
    assert any(line.startswith("hermes-sdk: ") for line in done.stderr.splitlines())


RUN = ("-c", "from hermes_sdk.cli.main import run; run()")


@pytest.fixture
def own(plugin: Path) -> Path:
    """Create a directory of the other user."""
    folder = plugin.with_name("own")
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    return folder


@pytest.mark.parametrize(
    ("command", "expected"),
    every_third(
        [
            ("check {plugin}", "No problems found"),
            ("show {plugin}", "greet"),
            ("trace --allow-path {plugin} {scenario}", "hello"),
            ("call greet --plugin {plugin}", "no tool 'greet'"),
            ("chat /greet --plugin {plugin}", "hello"),
            ("fire pre_llm_call --plugin {plugin}", "fire pre_llm_call"),
        ]
    ),
)
def test_command_works_with_most_restrictive_umask(plugin, own, command, expected):
    argv = command.format(plugin=plugin, scenario=plugin.with_name("scenario.yaml")).split()
    for _ in range(2):  # The second run reads the cache of the first one.
        done = run(find_python(), *RUN, *argv, umask=0o777, HOME=str(own))
        assert "Traceback" not in done.stderr
        assert expected in done.stdout + done.stderr


def test_inspector_works_with_most_restrictive_umask(plugin, own):
    argv = [find_python(), *RUN, "dev", str(plugin), "--port", "0", "--no-browser"]
    env = {**environment(), "HOME": str(own)}
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    with subprocess.Popen(argv, env=env, umask=0o777, stdout=subprocess.PIPE, text=True, **user) as process:
        try:
            assert process.stdout.readline() == "example on Hermes 0.22.2 (embedded)   1 command\n"
            assert "token=" in process.stdout.readline()
        finally:
            process.terminate()


@pytest.mark.parametrize("umask", [0o777, 0o027, 0o022])
def test_umask_applies_to_new_files(plugin, own, umask):
    shutil.copytree(plugin, project := own / "project")
    os.chown(project, NOBODY, NOBODY)
    baseline = project / "baseline.json"
    argv = ["check", "--static", str(project), "--baseline", str(baseline), "--update-baseline"]
    done = run(find_python(), *RUN, *argv, umask=umask, HOME=str(own))
    assert done.returncode == 0, done.stderr
    assert baseline.stat().st_mode & 0o777 == 0o666 & ~(umask & 0o077)
