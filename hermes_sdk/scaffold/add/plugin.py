"""The plugin to add to: its module, manifest, supported releases and registrations."""

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

_FOREIGN_DIRECTORIES = frozenset({"tests", "test", "venv", "env", "build", "dist", "site-packages", "node_modules"})
_NAME_KEYWORDS = ("name", "key", "kind", "hook_name")


@dataclass(frozen=True)
class Plugin:
    """The plugin to which something is added.

    Attributes:
        manifest: The fields of its manifest; empty without one.
    """

    located: Located
    entry: Path
    manifest: dict[str, Any]

    @classmethod
    def at(cls, path: Path) -> Plugin:
        """Find the plugin at a path.

        Raises:
            UsageError: There is no plugin, or it has no ``register(ctx)``.
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
        return cls(located, _find_entry(located), _load_fields(located))

    @property
    def kind(self) -> str:
        """The kind of the plugin, as the host determines it."""
        kind = self.manifest.get("kind") or (guessed_kind(self.located.directory) if self.located.manifest else "")
        return str(kind).strip().lower()

    @property
    def name(self) -> str:
        """The name of the plugin, as the host determines it."""
        entry_point = self.located.entry_point
        fallback = self.located.directory.name if self.located.manifest or entry_point is None else entry_point.name
        return str(self.manifest.get("name") or fallback)

    @cached_property
    def workspace(self) -> Path | None:
        """The root of the workspace that contains the plugin; None for a plugin with its own project."""
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
        """The root of the project or workspace."""
        return self.workspace or self.located.project

    @cached_property
    def ranges(self) -> dict[str, str]:
        """The supported ranges of releases that manifest and project declare, by place of declaration."""
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
        """The oldest and the newest supported release; only the newest known one without a declared range."""
        admitted = [
            release for release in contract.api_releases() if any(map(_admits_release(release), self.ranges.values()))
        ]
        chosen = dict.fromkeys([admitted[0], admitted[-1]] if admitted else [contract.DEFAULT])
        return tuple(map(contract.load, chosen))

    @property
    def may_lack_settings(self) -> bool:
        """Return whether the plugin supports hosts without `ctx.get_config`; assumed if it declares no range."""
        return not self.ranges or "get_config" not in self.releases[0].context

    @property
    def may_have_settings(self) -> bool:
        """Return whether the plugin supports hosts with `ctx.get_config`, which also read `config_schema`."""
        return "get_config" in self.releases[-1].context

    def registers(self, method: str, name: str) -> str:
        """Return where the plugin already registers a name with a method of ``ctx``; empty if nowhere.

        The place is a path relative to the project and a line number.
        """
        return self._find_place(
            name, lambda node: isinstance(node, ast.Call) and name in _find_registered_texts(node, method)
        )

    def may_register(self, name: str) -> str:
        """Return where a name occurs in a table or as a name argument, from which code may register it; else empty."""
        return self._find_place(name, lambda node: name in _find_table_texts(node))

    def _find_place(self, name: str, matches: Callable[[ast.AST], bool]) -> str:
        for file in self.files():
            data = read_file(file, self.root)
            if name.encode() in data:
                for node in ast.walk(Code(file, data).tree):
                    if matches(node):
                        return f"{file.relative_to(self.root).as_posix()}:{getattr(node, 'lineno', 1)}"
        return ""

    def files(self) -> Iterator[Path]:
        """Yield the plugin's Python files, without tests."""
        if self.entry.name != "__init__.py" and self.located.manifest is None:
            yield self.entry
            return
        for directory, names, files in os.walk(self.entry.parent):
            names[:] = sorted(
                name
                for name in names
                if not name.startswith((".", "__"))
                and name not in _FOREIGN_DIRECTORIES
                and not Path(directory, name, "pyvenv.cfg").exists()
            )
            found = (Path(directory, name) for name in sorted(files) if name.endswith(".py"))
            yield from (file for file in found if not links.leads_out(file, self.root))


def read_file(path: Path, root: Path) -> bytes:
    """Return the content of a Python file or manifest in a project.

    Raises:
        UsageError: The file cannot be read, or is a link that leads out of the project.
    """
    try:
        return read_bytes(path, root=root)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read the file: {reason}", where=str(path), fix="Nothing was changed.") from error


def _load_fields(located: Located) -> dict[str, Any]:
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


def _admits_release(release: str) -> Callable[[str], bool]:
    """Return a predicate for ranges that admit a release; an invalid range admits none."""

    def admits(text: str) -> bool:
        try:
            return Supported.parse(text).admits(release)
        except ValueError:
            return False

    return admits


def _find_entry(located: Located) -> Path:
    """Return the file that the host imports: ``__init__.py``, unless only the entry point has a `register`."""
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


def _find_registered_texts(call: ast.Call, method: str) -> Iterator[str]:
    """Yield the names that a call may register, if it calls the method or a function that takes ``ctx`` first."""
    function = call.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if called == method:
        passes_context = bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == "ctx"
        yield from _texts([*call.args[passes_context : passes_context + 1], *_find_name_arguments(call)])


def _find_table_texts(node: ast.AST) -> Iterator[str]:
    """Yield the strings in a list, tuple, set or dict, or in the name arguments of a call."""
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
