"""Hand-written plugins for the tests of `add`, opened in the embedded host."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import Host
from hermes_sdk.hosts.staging import StagedHome
from hermes_sdk.manifest import locate

MANIFEST = 'name: notes\nversion: "1.0.0"\ndescription: "Notes"\nauthor: "Ada"\nkind: standalone\n'
SINGLE = '"""Notes."""\n\n\ndef register(ctx):\n    ctx.register_command("notes", lambda line: "none")\n'


def plugin(directory: Path, source: str = SINGLE, manifest: str = MANIFEST, **modules: str) -> Path:
    """Write a plugin with its `__init__.py`, manifest and other modules."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "plugin.yaml").write_text(manifest, newline="")
    (directory / "__init__.py").write_text(source, newline="")
    for name, text in modules.items():
        (directory / f"{name}.py").write_text(text, newline="")
    return directory


@contextmanager
def open_plugin(path: Path) -> Generator[Host]:
    """Open the embedded host with a plugin."""
    with Home.temporary() as home:
        staged = StagedHome(home, release="0.19.0")
        staged.add(locate(path))
        with staged.open() as host:
            yield host


def snapshot(directory: Path) -> dict[str, bytes]:
    """Return the content of all files below a directory."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
