"""Commands that write the user's files, and directories to run and interrupt them in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
FAULTS = Path(__file__).with_name("faults.py")

PLUGIN = {
    "plugin.yaml": "name: demo\r\nversion: 1.0\r\n",
    "__init__.py": "def register(ctx):\n    try:\n        pass\n    except:\n        pass\n",
}


@dataclass(frozen=True)
class Command:
    """A command that writes: an interrupted run leaves `work` in the state before or after it.

    Attributes:
        words: The command line, or ``-c`` and code.
        files: Initial files of `work`.
        variables: Environment variables.
        setup: Creates what `before` needs.
        before: Commands to run first.
        prepare: Changes their results.
        repair: Command that cleans up after an interrupted run.
        is_resumed: Whether `repair` completes the interrupted command.
    """

    words: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    setup: Callable[[Path], object] = lambda _: None
    before: tuple[tuple[str, ...], ...] = ()
    prepare: Callable[[Path], object] = lambda _: None
    repair: tuple[str, ...] = ("plugins", "list")
    is_resumed: bool = False


def git(directory: Path, *words: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    return subprocess.run(("git", *identity, *words), cwd=directory, check=True, capture_output=True, text=True).stdout


def age_project(root: Path) -> None:
    """Change a project to one from an older template."""
    project = root / "work" / "demo"
    base = project / ".hermes-sdk.base.zip"
    with zipfile.ZipFile(base) as archive:
        files = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    files["README.md"] = b"Old.\n"
    del files["tests/test_contract.py"]
    with zipfile.ZipFile(base, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    (project / "README.md").write_text("Old.\n")
    (project / "tests" / "test_contract.py").unlink()
    git(project, "config", "user.name", "A")
    git(project, "config", "user.email", "a@example.com")
    git(project, "commit", "--quiet", "--all", "--message=Old")


def publish(root: Path) -> None:
    """Commit `source` to a new repository."""
    git(root / "source", "init", "--quiet", "--initial-branch=main")
    git(root / "source", "add", "--all")
    git(root / "source", "commit", "--quiet", "--message=First")


def publish_more(root: Path) -> None:
    (root / "source" / "new.py").write_text("NEW = 1\n")
    git(root / "source", "commit", "--quiet", "--all", "--message=Second")


def make_sets(root: Path) -> None:
    """Create two sets of plugins, as Nix builds them."""
    for number, names in enumerate((["alpha", "gamma"], ["alpha", "beta"])):
        folder = root / f"set-{number}"
        folder.mkdir()
        plan = {
            "places": {f"nix-managed-{name}": name for name in names},
            "directories": ["logs"],
            "config": {"plugins": {"enabled": names}},
        }
        (folder / "plan.json").write_text(json.dumps(plan))


def link(number: int) -> tuple[str, str]:
    """Return the words that run the Nix linker on a set."""
    words = ["link.py", "--home", ".", "--set", f"../set-{number}"]
    linker = ROOT / "nix" / "tools" / "link.py"
    setup = f"import runpy, sys; sys.path.insert(0, {str(linker.parent)!r}); sys.argv = {words}"
    return "-c", f"{setup}; runpy.run_path({str(linker)!r}, run_name='__main__')"


FLOOR = f"""
import sys; from pathlib import Path; sys.path.insert(0, {str(ROOT / "tests")!r})
from compat.matrices import made; from hermes_sdk.compat.floor import write_floor
from hermes_sdk.manifest import locate
write_floor(locate(Path()), made({{"0.18.0": "fails", "0.19.0": "passes"}}))
"""
SET_ENV = "from hermes_sdk.home import Home; Home.current().set_env('DEMO_KEY', 'b')"
ALLOWED = json.dumps({"approvals": [{"event": "on_session_start", "command": name} for name in ("a.sh", "b.sh")]})
INSTALLED = (("plugins", "install", "../old"),)
NEW = ("new", "plugin", "--name", "Demo", "--no-input", "--extra", "author=A")

COMMANDS = {
    "fix": Command(("check", "--static", "--fix", "--unsafe-fixes", "."), PLUGIN),
    "baseline": Command(("check", "--static", "--baseline", "old.json", "--update-baseline", "."), PLUGIN),
    "add": Command(("add", "tool", "fetch_page", "."), PLUGIN),
    "new": Command(NEW),
    "update": Command(("update", "demo"), before=(NEW,), prepare=age_project, repair=("update", "--diff", "demo")),
    "write-floor": Command(("-c", FLOOR), PLUGIN),
    "install": Command(("plugins", "install", "../source", "--enable")),
    "replace": Command(("plugins", "install", "../source", "--force"), before=INSTALLED),
    "replace without exchange": Command(
        ("plugins", "install", "../source", "--force"), variables={"NO_EXCHANGE": "1"}, before=INSTALLED
    ),
    "update of a plugin": Command(
        ("plugins", "update", "demo"),
        before=(("plugins", "install", "file://{root}/source"),),
        setup=publish,
        prepare=publish_more,
    ),
    "remove": Command(("plugins", "remove", "demo"), before=INSTALLED),
    "enable": Command(("plugins", "enable", "demo"), before=INSTALLED),
    ".env": Command(("-c", SET_ENV), {".env": "DEMO_KEY=a\n"}),
    "skill": Command(("skill", "install", "--for", "claude")),
    "revoke": Command(("hooks", "revoke", "a.sh"), {"shell-hooks-allowlist.json": ALLOWED}),
    "Nix": Command(link(1), setup=make_sets, before=(link(0),), repair=link(1), is_resumed=True),
}


class Workplace:
    """Directory with `work`, which is the current directory of commands and their HERMES_HOME."""

    def __init__(self, root: Path, command: Command) -> None:
        self.root, self.command = root, command
        self.work = root / "work"
        (root / "tmp").mkdir(parents=True)
        self._write(self.work, command.files)
        self._write(root / "source", {**PLUGIN, "new.py": ""})
        self._write(root / "old", PLUGIN)
        command.setup(root)
        for words in command.before:
            done = self.run("kill", 0, tuple(word.format(root=root) for word in words))
            assert done.returncode == 0, done.stderr
        command.prepare(root)

    def _write(self, folder: Path, files: Mapping[str, str]) -> None:
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_bytes(text.encode())

    def run(self, kind: str, number: int, words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("HERMES_", "GIT_"))}
        environment |= {
            "HERMES_HOME": str(self.work),
            "HERMES_SDK_CACHE": str(self.root / "cache"),
            "HOME": str(self.root),
            "TMPDIR": str(self.root / "tmp"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            **self.command.variables,
        }
        program = [sys.executable, "-W", "ignore", FAULTS, kind, str(number), self.work, *words]
        return subprocess.run(program, env=environment, capture_output=True, text=True, check=False, timeout=120)

    def state(self) -> dict[str, bytes | str]:
        """Return the content of the files in `work` except for locks, and the log and status of repositories."""
        found: dict[str, bytes | str] = {}
        for path in self.work.rglob("*"):
            name = path.relative_to(self.work).as_posix()
            if path.name == ".git":
                found[name] = git(path.parent, "log", "--all", "--format=%s") + git(
                    path.parent, "status", "--porcelain"
                )
            elif path.is_file() and ".git" not in path.parts and path.suffix != ".lock":
                found[name] = path.read_bytes()
        return found

    def leftovers(self) -> list[str]:
        """Return the files that must be gone after the next command."""
        left = [*self.root.rglob(".hermes-sdk-*.tmp"), *self.work.glob(".hermes-sdk-plugins-*")]
        left += [*(self.root / "cache" / "journal").glob("*"), *(self.root / "tmp").iterdir()]
        return list(map(str, left))


def reproduce(name: str, root: Path) -> Callable[[str], Workplace]:
    """Return a function that copies the state before a command."""
    first = Workplace(root / "first", COMMANDS[name])

    def copy(to: str) -> Workplace:
        shutil.copytree(first.root, root / to, symlinks=True)
        again = Workplace.__new__(Workplace)
        again.root, again.command, again.work = root / to, first.command, root / to / "work"
        return again

    return copy
