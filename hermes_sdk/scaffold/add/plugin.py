"""Facts of a plugin that additions need: its module, its manifest, its releases, and what it registers."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hermes_sdk import contract, links
from hermes_sdk.contract import Contract
from hermes_sdk.contract.ordering import Supported
from hermes_sdk.documents import read_bytes, read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import Located, guessed_kind, load_yaml, locate
from hermes_sdk.manifest.packages import read_toml
from hermes_sdk.scaffold.add.code import Code

_NO_CODE_OF_IT = frozenset({"tests", "test", "venv", "env", "build", "dist", "site-packages", "node_modules"})
_NAME_KEYWORDS = ("name", "key", "kind", "hook_name")


@dataclass(frozen=True)
class Plugin:
    """A plugin that something is added to.

    Attributes:
        manifest: The fields of its manifest; empty without one.
    """

    located: Located
    entry: Path
    manifest: dict[str, Any]

    @classmethod
    def at(cls, path: Path) -> Plugin:
        """Find the plugin that a path means.

        Raises:
            UsageError: There is none, or nothing can be added to it.
        """
        located = locate(path)
        if located.core_tool is not None:
            raise UsageError(
                "a core-tool file has no register(ctx)", where=str(path), fix="Pass the directory of a plugin."
            )
        if located.event_hook is not None:
            raise UsageError(
                "a gateway event hook has no register(ctx)", where=str(path), fix="Pass the directory of a plugin."
            )
        if located.portable is not None:
            raise UsageError(
                "a portable plugin has no register(ctx)", where=str(path), fix="Pass the directory of a Python plugin."
            )
        return cls(located, _entry(located), _fields(located))

    @property
    def kind(self) -> str:
        """Its kind, as the host takes it."""
        kind = self.manifest.get("kind") or (guessed_kind(self.located.directory) if self.located.manifest else "")
        return str(kind).strip().lower()

    @property
    def name(self) -> str:
        """Its name, as the host takes it."""
        entry_point = self.located.entry_point
        fallback = self.located.directory.name if self.located.manifest or entry_point is None else entry_point.name
        return str(self.manifest.get("name") or fallback)

    @cached_property
    def workspace(self) -> Path | None:
        """The root of the workspace that the plugin is one of; None for a plugin with a project of its own."""
        located = self.located
        if located.project == located.directory and not (located.directory / "pyproject.toml").is_file():
            for root in located.directory.parents:
                if (root / "pyproject.toml").is_file():
                    return root
                if (root / ".git").exists():
                    break
        return None

    @property
    def root(self) -> Path:
        """The root of its project, or of its workspace."""
        return self.workspace or self.located.project

    @cached_property
    def ranges(self) -> dict[str, str]:
        """The ranges of releases that the plugin and its project name, by the place of each."""
        file = self.located.project / "pyproject.toml"
        settings: Any = read_toml(read_text(file, root=file.parent)) if file.is_file() else {}
        for key in ("tool", "hermes-sdk", "check", "target"):
            settings = settings.get(key) if isinstance(settings, Mapping) else None
        named = {
            "requires_hermes in the manifest": self.manifest.get("requires_hermes"),
            "target of [tool.hermes-sdk.check] in pyproject.toml": settings,
        }
        return {place: text for place, text in named.items() if isinstance(text, str)}

    @cached_property
    def releases(self) -> tuple[Contract, ...]:
        """The oldest and the newest release that it is for; only the newest known one when it does not say."""
        admitted = [release for release in contract.api_releases() if any(map(_admits(release), self.ranges.values()))]
        chosen = dict.fromkeys([admitted[0], admitted[-1]] if admitted else [contract.DEFAULT])
        return tuple(map(contract.load, chosen))

    @property
    def may_lack_settings(self) -> bool:
        """Return whether it supports hosts without `ctx.get_config`; without a range, it supports all."""
        return not self.ranges or "get_config" not in self.releases[0].context

    @property
    def may_have_settings(self) -> bool:
        """Return whether it is also for hosts with `ctx.get_config`, which are those that read `config_schema`."""
        return "get_config" in self.releases[-1].context

    def registers(self, method: str, name: str) -> str:
        """Return where the plugin registers a name with a method of ``ctx`` already; empty when it does not.

        The place is a path relative to the project, and a line.
        """
        return self._place_of(name, lambda node: isinstance(node, ast.Call) and name in _first_texts(node, method))

    def may_register(self, name: str) -> str:
        """Return where a name is in a table or names something, so that it may be registered from there."""
        return self._place_of(name, lambda node: name in _find_tabled_texts(node))

    def _place_of(self, name: str, is_it: Callable[[ast.AST], bool]) -> str:
        for file in self.files():
            data = read_file(file, self.root)
            if name.encode() in data:
                for node in ast.walk(Code(file, data).tree):
                    if is_it(node):
                        return f"{file.relative_to(self.root).as_posix()}:{getattr(node, 'lineno', 1)}"
        return ""

    def files(self) -> Iterator[Path]:
        """Its Python files, without tests."""
        if self.entry.name != "__init__.py" and self.located.manifest is None:
            yield self.entry
            return
        for directory, names, files in os.walk(self.entry.parent):
            names[:] = sorted(
                name
                for name in names
                if not name.startswith((".", "__"))
                and name not in _NO_CODE_OF_IT
                and not Path(directory, name, "pyvenv.cfg").exists()
            )
            found = (Path(directory, name) for name in sorted(files) if name.endswith(".py"))
            yield from (file for file in found if not links.leads_out(file, self.root))


def read_file(path: Path, root: Path) -> bytes:
    """Return the content of a Python file or a manifest of a project.

    Raises:
        UsageError: It cannot be read, or a link leads out of the project.
    """
    try:
        return read_bytes(path, root=root)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read the file: {reason}", where=str(path), fix="Nothing was changed.") from error


def _fields(located: Located) -> dict[str, Any]:
    manifest = located.manifest
    if manifest is None:
        return {}
    try:
        value = load_yaml(read_text(manifest, root=located.project, encoding="utf-8-sig"))
    except Exception as error:  # `check` reports the problem with its place.
        raise UsageError(
            f"cannot be read: {error}", where=str(manifest), fix="Run `hermes-sdk check` to see what is wrong."
        ) from None
    return value if isinstance(value, dict) else {}


def _admits(release: str) -> Callable[[str], bool]:
    """Return whether a range has a release; one that cannot be read has none."""

    def admits(text: str) -> bool:
        try:
            return Supported.parse(text).admits(release)
        except ValueError:
            return False

    return admits


def _entry(located: Located) -> Path:
    """The file that the host imports: the package of the plugin, unless only its entry point has a `register`."""
    package = located.directory / "__init__.py"
    if located.manifest and package.is_file() and b"register" in package.read_bytes():
        return package
    if located.entry_point is not None:
        module, colon, _ = located.entry_point.value.partition(":")
        if colon:
            raise UsageError(
                f"the entry point {located.entry_point.value!r} does not name a module of the project",
                where=str(located.project / "pyproject.toml"),
                fix=f'Write "{module}", and define `register` in that module.',
            )
        parts = Path(*module.strip().split("."))
        for base in (located.directory, *located.directory.parents[: len(parts.parts)]):
            for file in ((base / parts).with_suffix(".py"), base / parts / "__init__.py"):
                if file.is_file() and file.is_relative_to(located.project):
                    return file
    if package.is_file():
        return package
    raise UsageError(f"no __init__.py in {located.directory}", fix="Create the file, with `def register(ctx)`.")


def _first_texts(call: ast.Call, method: str) -> Iterator[str]:
    """The texts that a call may register under, if it is one of a method, or of a function that is given ``ctx``."""
    function = call.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if called == method:
        handed_on = bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == "ctx"
        yield from _texts([*call.args[handed_on : handed_on + 1], *_find_name_arguments(call)])


def _find_tabled_texts(node: ast.AST) -> Iterator[str]:
    """The texts that stand in a table, or that a call is given as a name."""
    if isinstance(node, ast.Dict):
        yield from _texts([*node.keys, *node.values])
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        yield from _texts(node.elts)
    elif isinstance(node, ast.Call):
        yield from _texts(_find_name_arguments(node))


def _find_name_arguments(call: ast.Call) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords if keyword.arg in _NAME_KEYWORDS]


def _texts(nodes: Iterable[ast.expr | None]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
