"""What the rules of the quality scale look at: the project around one or several plugins, and its check."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from hermes_sdk.check.model import Finding, Result
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.documents import read_text
from hermes_sdk.manifest import locate_all

_MAX_FILES = 500
_CI = ("*.yml", "*.yaml")


class Project:
    """A project with its plugins.

    Attributes:
        plugins: Its plugins; several in a workspace.
    """

    def __init__(self, path: Path, result: Result) -> None:
        base = path if path.is_dir() else path.parent
        located = locate_all(path)
        self.plugins = [Plugin(one, base) for one in located]
        shared = len(located) > 1 or (base / "pyproject.toml").is_file()
        self.root = base.absolute() if shared else self.plugins[0].located.project
        self.result = result

    def read(self, name: str) -> str:
        """Return the text of a file of the project; empty if there is none."""
        try:
            return read_text(self.root / name)
        except (OSError, ValueError):
            return ""

    @cached_property
    def readme(self) -> str:
        """The text of the README."""
        return self.read("README.md") or self.read("README.rst") or self.read("README")

    @cached_property
    def tests(self) -> str:
        """The text of all test modules."""
        found = sorted(file for file in self.root.rglob("test_*.py") if not _is_hidden(file, self.root))
        return "\n".join(self.read(str(file.relative_to(self.root))) for file in found[:_MAX_FILES])

    @cached_property
    def ci(self) -> str:
        """The text of what continuous integration runs."""
        workflows = self.root / ".github" / "workflows"
        files = sorted(file for pattern in _CI for file in workflows.glob(pattern))
        named = [
            self.root / name for name in (".gitlab-ci.yml", ".woodpecker.yml", "Makefile", "noxfile.py", "tox.ini")
        ]
        return "\n".join(self.read(str(file.relative_to(self.root))) for file in [*files, *named])

    @property
    def is_registering(self) -> bool:
        """Whether a plugin of the project has ``register(ctx)``."""
        return any(one.located.manifest or one.located.entry_point for one in self.plugins)

    def find(self, codes: Collection[str]) -> list[Finding]:
        """Return the findings of some rules."""
        return [one for one in self.result.findings if one.code in codes]

    def runs_in_ci(self, pattern: str) -> bool:
        """Tell whether continuous integration runs a command that matches a regular expression."""
        return re.search(pattern, self.ci) is not None


def _is_hidden(file: Path, root: Path) -> bool:
    parts = file.relative_to(root).parts
    return any(part.startswith(".") or part in ("node_modules", "venv", "build", "dist") for part in parts)
