"""Compute the files that an addition to a plugin changes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.files import write_files
from hermes_sdk.home.config import edit_config
from hermes_sdk.scaffold.add.addition import Addition
from hermes_sdk.scaffold.add.code import Code, insert_above
from hermes_sdk.scaffold.add.imports import ensure_import, ensure_type_import
from hermes_sdk.scaffold.add.kinds import KINDS, Skill, Tool
from hermes_sdk.scaffold.add.names import refuse
from hermes_sdk.scaffold.add.plugin import Plugin, read_file
from hermes_sdk.scaffold.add.provider import ProviderTool, offer
from hermes_sdk.scaffold.add.registration import (
    Register,
    find_register,
    insert_call,
    registrations,
    sibling_modules,
    uses_as_local,
)
from hermes_sdk.scaffold.add.settings import Setting, Variable


class Changes:
    """New contents of files in a project.

    Args:
        base: The root of the project; links out of it are rejected, and paths are shown relative to it.
        after: The new content of each changed or created file, by path.
    """

    def __init__(self, base: Path, after: Mapping[Path, bytes]) -> None:
        self.base = base
        before = {path: read_file(path, base) if path.exists() else None for path in after}
        self._before = {path: before[path] for path in sorted(after) if after[path] != before[path]}
        self._after = {path: after[path] for path in self._before}

    @property
    def created(self) -> tuple[str, ...]:
        """The created files: sorted POSIX paths."""
        return tuple(self._format_path(path) for path, old in self._before.items() if old is None)

    @property
    def changed(self) -> tuple[str, ...]:
        """The modified files: sorted POSIX paths."""
        return tuple(self._format_path(path) for path, old in self._before.items() if old is not None)

    def __bool__(self) -> bool:
        return bool(self._after)

    def diff(self) -> str:
        """Return the changes as a unified diff for ``patch -p1`` or ``git apply``."""
        return "".join(map(self._diff, self._after))

    def write(self) -> None:
        """Write all files atomically.

        Raises:
            UnavailableError: A file cannot be written; nothing was changed.
        """
        write_files(self._after, root=self.base)

    def _format_path(self, path: Path) -> str:
        return (path.relative_to(self.base) if path.is_relative_to(self.base) else path).as_posix()

    def _diff(self, path: Path) -> str:
        import difflib

        old, new, shown = self._before[path], self._after[path], self._format_path(path)
        name = "/dev/null" if old is None else f"a/{shown}"
        lines = difflib.unified_diff(_lines(old or b""), _lines(new), name, f"b/{shown}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    return [line.decode(errors="replace") for line in data.splitlines(keepends=True)]


_IGNORED = {
    "exclusive": "is a memory provider, from which Hermes takes only the provider's tools",
    "model-provider": "is a model provider, whose `register` Hermes never calls",
}
"""Kinds of plugins for which Hermes ignores most or all registrations."""

_PROVIDER_SETTINGS = {
    "exclusive": "Return it from `get_config_schema` of the memory provider: `hermes memory setup` prompts for it.",
    "model-provider": "Add the variable to `env_vars` of the provider's profile.",
}
"""Advice on how providers of these kinds declare settings."""

_NEW_FILE = b"from __future__ import annotations\n"


@dataclass(frozen=True)
class Added:
    """Result of `add`.

    Attributes:
        changes: The files that change; none if the plugin already registers the addition.
        existing: The existing registration as path and line, relative to the project; empty for a new addition.
    """

    changes: Changes
    existing: str = ""


def add(kind: str, name: str, path: Path) -> Added:
    """Compute the changes that add something to a plugin, without writing them.

    Args:
        path: The plugin; see `manifest.locate`.

    Raises:
        UsageError: There is no plugin at the path, the name is invalid or taken, or the plugin's registration cannot be
            found; in the last case the message says what to type by hand.
    """
    plugin = Plugin.at(path)
    addition = _create_addition(kind, name, plugin)
    refuse(kind, name, plugin)
    place = plugin.may_register(name) if kind == Tool.kind else ""
    builder = _FileBuilder(plugin, addition)
    if existing := plugin.registers(addition.method, name) or (isinstance(addition, ProviderTool) and place):
        if isinstance(addition, Variable) and (undeclared := builder.manifest()):
            return Added(Changes(plugin.root, undeclared))
        return Added(Changes(plugin.root, {}), existing)
    if place:
        raise UsageError(
            f"the code already contains '{name}', perhaps as a tool registered in a loop; a second would replace it",
            where=place,
            fix="Choose another name.",
        )
    return Added(Changes(plugin.root, builder.files()))


def _create_addition(kind: str, name: str, plugin: Plugin) -> Addition:
    """Return the addition; reject one that Hermes would ignore."""
    if plugin.kind == "exclusive" and kind == Tool.kind:
        return ProviderTool(name, plugin.name, plugin.releases[0])
    if plugin.kind in _PROVIDER_SETTINGS and kind in (Setting.kind, Variable.kind):
        raise UsageError(
            "Hermes reads the settings of this plugin from its provider",
            where=str(plugin.located.manifest),
            fix=_PROVIDER_SETTINGS[plugin.kind],
        )
    if plugin.kind in _IGNORED:
        raise UsageError(
            f"the plugin {_IGNORED[plugin.kind]}",
            where=str(plugin.located.manifest),
            fix="Create a second plugin for the addition.",
        )
    return KINDS[kind](name, plugin.name, plugin.releases[0])


class _FileBuilder:
    """Computes the new files for one addition."""

    def __init__(self, plugin: Plugin, addition: Addition) -> None:
        self.plugin = plugin
        self.addition = addition
        if isinstance(addition, Setting):
            addition.for_older_hosts = plugin.may_lack_settings
        self._codes: dict[Path, Code] = {}

    def files(self) -> dict[Path, bytes]:
        """Return the new content of every file."""
        try:
            if isinstance(self.addition, ProviderTool):
                offer(map(self._code, self.plugin.files()), self.addition)
            else:
                self._register()
            files = {path: code.data for path, code in self._codes.items()}
        except UsageError as error:
            raise UsageError(error.message, where=error.where, fix=self._format_manual_steps(error.fix)) from None
        test = self._create_test()
        return {**files, **self._create_skill(), **self.manifest(), test.path: test.data}

    def _register(self) -> None:
        register = find_register(self.plugin.entry, self._code)
        text = self.addition.call(self._define(register))
        if text.startswith("ctx."):
            insert_call(register, self.addition.method, f"{register.ctx}.{text.removeprefix('ctx.')}")
        else:
            insert_call(register, "", text)

    def _code(self, path: Path, new: bytes = _NEW_FILE) -> Code:
        if path not in self._codes:
            self._codes[path] = Code(path, read_file(path, self.plugin.root) if path.exists() else new)
        return self._codes[path]

    def _define(self, register: Register) -> str:
        """Add the definitions to the module for this kind of addition; return the prefix of their names."""
        if isinstance(self.addition, Tool):
            self.addition.toolset = _find_toolset(register)
        if isinstance(self.addition, Skill):
            self.addition.directory = self._skills_expression(register)
        if isinstance(self.addition, Setting):
            self.addition.context = register.ctx
        if not (about := self.addition.about):
            return ""
        stem = self.addition.stem
        siblings = sibling_modules(register.code)
        if stem not in siblings and (not siblings or register.code.path.with_name(f"{stem}.py").exists()):
            insert_above(register.code, register.function.name, self.addition.definitions(register.code))
            return ""
        path, package = siblings.get(stem, (register.code.path.with_name(f"{stem}.py"), "."))
        code = self._code(path, _new_file(f'"""{about}"""\n\n'))
        code.append(self.addition.definitions(code))
        return f"{_check_global(register, ensure_import(register.code, package, stem))}."

    def _skills_expression(self, register: Register) -> str:
        """Return the expression for the skills directory in the file with the registration."""
        package = self.plugin.entry.parent
        if self.plugin.entry.name != "__init__.py":
            raise UsageError("a single-module plugin cannot contain skill files", where=str(self.plugin.entry))
        for call in registrations(register, "register_skill"):
            match call.args[1:2] or [one.value for one in call.keywords if one.arg == "path"]:
                case [
                    ast.BinOp(
                        left=ast.BinOp(left=ast.Name(id=name), right=ast.Constant(value=other)),
                        right=ast.Constant(value="SKILL.md"),
                    )
                ] if not uses_as_local(register, name) and self._skill_file(other).exists():
                    return name
                case _:
                    pass
        above = len(register.code.path.parent.relative_to(package).parts)
        path = _check_global(register, ensure_import(register.code, "pathlib", "Path"))
        return f'{path}(__file__).{f"parents[{above}]" if above else "parent"} / "skills"'

    def _create_skill(self) -> dict[Path, bytes]:
        """Return the new ``SKILL.md``, unless it already exists."""
        if not isinstance(self.addition, Skill):
            return {}
        file = self._skill_file(self.addition.name)
        return {} if file.exists() else {file: self.addition.text().encode()}

    def _skill_file(self, name: object) -> Path:
        return self.plugin.entry.parent / "skills" / str(name) / "SKILL.md"

    def manifest(self) -> dict[Path, bytes]:
        """Return the changed manifest, if any."""
        path = self.plugin.located.manifest
        if path is None:
            return {}
        try:
            changes = self.addition.declare(self.plugin.manifest)
        except UsageError as error:
            raise UsageError(error.message, where=str(path), fix=error.fix) from None
        if not changes or (isinstance(self.addition, Setting) and not self.plugin.may_have_settings):
            return {}
        data = read_file(path, self.plugin.root)
        text = data.decode("utf-8-sig")
        windows = "\r\n" in text and text.count("\r\n") == text.count("\n")
        lines = text.replace("\r\n", "\n") if windows else text
        new = edit_config(lines, changes, str(path))
        new = new.replace("\n", "\r\n") if windows else new
        return {path: new.encode("utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8")}

    def _create_test(self) -> Code:
        root, stem = self.plugin.root, self.addition.stem
        folder = next((root / name for name in ("tests", "test") if (root / name).is_dir()), root / "tests")
        about = f'"""The {stem.replace("_", " ")}, in the host of hermes-sdk."""\n\n'
        if self.plugin.workspace:
            directory = self.plugin.located.directory
            stem, marker = f"{directory.name}_{stem}", f'plugin="{directory.relative_to(root).as_posix()}"'
            about += f"import pytest\n\npytestmark = pytest.mark.hermes({marker})\n"
        path = folder / f"test_{stem}.py"
        code = Code(path, read_file(path, root) if path.exists() else _new_file(about))
        text = self.addition.test(code)
        taken = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)} & code.names
        if taken:
            raise UsageError(
                f"`{taken.pop()}` already exists",
                where=str(path),
                fix="Rename the existing test, or write the new one by hand.",
            )
        ensure_type_import(code, "hermes_sdk.testing", "Host")
        code.append(text)
        return code

    def _format_manual_steps(self, fix: str) -> str:
        """Return instructions for adding the code by hand."""
        code = Code(self.plugin.entry, b"")
        try:
            definitions = self.addition.definitions(code)
            call = self.addition.call("")
        except UsageError:
            return fix
        code.append(definitions)
        lines = "\n".join(f"    {line}".rstrip() for line in f"{code.text}\n\n{call}".splitlines())
        return f"{fix or 'Nothing was written. Add this by hand, with the call in `register`:'}\n\n{lines}"


def _new_file(text: str) -> bytes:
    """Return a file with a docstring and the import that every generated file has."""
    docstring, _, rest = text.partition("\n\n")
    return f"{docstring}\n\n".encode() + _NEW_FILE + (f"\n{rest}".encode() if rest else b"")


def _check_global(register: Register, name: str) -> str:
    """Return the name of a module-level variable if the registering function can use it.

    Raises:
        UsageError: The function binds the name itself.
    """
    if uses_as_local(register, name):
        raise UsageError(
            f"`{register.function.name}` assigns `{name}` to something else", where=str(register.code.path)
        )
    return name


def _find_toolset(register: Register) -> str:
    """Return the toolset expression of the plugin's other tools, if it is a simple literal or a global name."""
    for call in registrations(register, "register_tool"):
        match call.args[1:2] or [one.value for one in call.keywords if one.arg == "toolset"]:
            case [ast.Constant(value=str(text))] if text.isprintable() and not set(text) & set("\"\\'"):
                return f'"{text}"'
            case [ast.Name(id=name)] if not uses_as_local(register, name):
                return name
            case _:
                pass
    return ""
