"""What the rules look at: one plugin, its manifest and its sources, each read and parsed once."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hermes_sdk.contract import Contract
from hermes_sdk.manifest import Located, Parsed, parse

# Tests are never imported by a host, and the others hold no code of the plugin.
SKIPPED_DIRECTORIES = frozenset({"__pycache__", "node_modules", "tests"})


@dataclass(frozen=True)
class Source:
    """One Python file.

    Attributes:
        path: POSIX, relative to what was checked.
        tree: Its syntax tree, None when it has none.
        error: Why there is no tree.
        importable: Whether every directory between it and the plugin is a package, so that the plugin may import it.
    """

    path: str
    tree: ast.Module | None
    error: Exception | None
    importable: bool


@dataclass(frozen=True)
class Plugin:
    """A plugin on disk, and the release that it is judged for.

    Attributes:
        located: Where it is.
        base: The directory that paths of findings are relative to.
        contract: What the release promises.
    """

    located: Located
    base: Path
    contract: Contract

    @cached_property
    def manifest(self) -> Parsed | None:
        """The parsed ``plugin.yaml``; None for a plugin that is nothing but an entry point."""
        return parse(self.located.manifest) if self.located.manifest else None

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The Python files of the plugin, without tests, environments and hidden directories; sorted by path."""
        module = self._module
        files = _python_files(module.parent) if module.name == "__init__.py" else [module]
        return tuple(self._read(path) for path in sorted(files))

    @property
    def entry(self) -> str:
        """The path of the module that has ``register``; of the manifest when there is no such module."""
        if self.located.manifest and not self._module.exists():
            return self.relative(self.located.manifest)
        return self.relative(self._module)

    @cached_property
    def _module(self) -> Path:
        if self.located.manifest or self.located.entry_point is None:
            return self.located.directory / "__init__.py"
        dotted = self.located.entry_point[1].partition(":")[0].strip()
        module = self.located.directory.joinpath(*dotted.split("."))
        package = module / "__init__.py"
        return package if package.is_file() else module.with_suffix(".py")

    def relative(self, path: Path) -> str:
        """A path as findings name it: POSIX, relative to what was checked."""
        return Path(os.path.relpath(path, self.base)).as_posix()

    def _read(self, path: Path) -> Source:
        top = self._module.parent
        importable = all((top / folder / "__init__.py").is_file() for folder in path.relative_to(top).parents[:-1])
        tree, error = None, None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(path.read_bytes(), filename=path.name)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            error = problem
        return Source(self.relative(path), tree, error, importable)


def _python_files(directory: Path) -> Iterator[Path]:
    for root, directories, files in os.walk(directory):
        directories[:] = [name for name in directories if not _is_skipped(Path(root, name))]
        yield from (Path(root, name) for name in files if name.endswith(".py"))


def _is_skipped(directory: Path) -> bool:
    return (
        directory.name in SKIPPED_DIRECTORIES or directory.name.startswith(".") or (directory / "pyvenv.cfg").is_file()
    )
