"""Find the plugins of a project; see `locate`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from hermes_sdk import links
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.core_tool import is_core_tool, registers_tool, require_registration
from hermes_sdk.manifest.forms import (
    HOOK_MANIFEST,
    MANIFEST_NAMES,
    PORTABLE_MANIFEST,
    Form,
    Located,
    PluginForms,
    hook_file,
    is_complete,
    manifest_file,
    portable_file,
    relative,
)
from hermes_sdk.manifest.packages import ENTRY_POINT_GROUP, GROUPS, EntryPoint, Packages, read_settings, table
from hermes_sdk.manifest.shell_hook import CONFIGURATIONS, find_configuration, is_script

_MANIFESTS = (*MANIFEST_NAMES, HOOK_MANIFEST, PORTABLE_MANIFEST)

_NOT_SEARCHED = frozenset(
    {"test", "tests", "venv", "env", "build", "dist", "site-packages", "node_modules", "__pycache__"}
)
_SEARCH_DEPTH = 4
_MAX_SHOWN = 3


class MissingModuleError(UsageError):
    """The source tree of a project lacks the modules of its entry points.

    Args:
        root: The project.
    """

    def __init__(self, message: str, root: Path, *, fix: str) -> None:
        super().__init__(message, fix=fix)
        self.root = root


def locate(path: Path, form: Form | None = None, plugin: str = "") -> Located:
    """Find the plugin at a path, preferring a directory to a package.

    A manifest selects its directory; a directory with a manifest is the plugin. Any other directory is a project, see
    `find_plugins`. In a project without plugins, `locate` finds the only direct subdirectory with a ``HOOK.yaml``, or
    else the core-tool file in pytest's setting ``hermes_plugin``. A Python file is a core-tool file; a ``HOOK.yaml``,
    or the directory with one, is a gateway event hook; a ``plugin.json`` with skills or MCP servers is a portable
    plugin.

    Args:
        path: A plugin directory, its manifest, the root of a project, a gateway event hook, or a core-tool file.
        form: The form to find; None for the first available one.
        plugin: The name of the plugin, if the project has several.

    Returns:
        The plugin, with absolute paths.

    Raises:
        UsageError: There is no plugin or more than one, or the file registers no tool at its top level.
    """
    return locate_forms(path, form, plugin).forms[0]


def locate_forms(path: Path, form: Form | None = None, plugin: str = "") -> PluginForms:
    """Find the plugin at a path in all its forms; see `locate`."""
    if is_core_tool(path):
        return PluginForms((_locate_core_tool(_resolve_file(path)),))
    root = _resolve_directory(path)
    found = _choose(_find_in(root), root, form, plugin)
    if len(found) > 1:
        names = ", ".join(relative(one.directory, root) if one.manifest else one.name for one, *_ in _iter_forms(found))
        raise UsageError(
            f"{root} contains more than one plugin: {names}",
            fix="Pass one of them, choose one with `--plugin`, or name its directory in pyproject.toml as `plugin` of"
            " `[tool.hermes-sdk]`.",
        )
    located = next(iter(found))
    if located.forms[0].shell_hook:
        fix = "Use `hermes-sdk check` to check them and `hermes-sdk hooks test` to run them."
        raise UsageError(f"{root} contains shell hooks but no plugin", fix=fix)
    return located


def locate_all(path: Path) -> tuple[Located, ...]:
    """Find all plugins at a path, each in the first of its forms; see `find_plugins`."""
    return tuple(one.forms[0] for one in find_plugins(path))


def find_plugins(path: Path, form: Form | None = None, plugin: str = "") -> tuple[PluginForms, ...]:
    """Find all plugins at a path, including the plugins of a project and shell hooks; see `locate`.

    The plugins of a project are the directory in ``[tool.hermes-sdk] plugin`` of `pyproject.toml`; else the packages of
    its entry points, in every group that Hermes reads, and the directories of these packages that have a manifest;
    without such, every directory with a manifest, except hidden ones, tests, builds and virtual environments. A
    directory and a package are the same plugin if they have the same name or directory, or if there is one of each.
    Shell hooks are a project without a plugin whose ``config.yaml.example`` lists some, or a script.

    Args:
        path: A plugin directory, its manifest, the root of a project, a workspace, a gateway event hook, a core-tool
            file, or a shell hook.
        form: The only form to find.
        plugin: The name of the only plugin to find.

    Returns:
        At least one plugin, sorted by directory.

    Raises:
        UsageError: There is no plugin, event hook, core tool or shell hook.
    """
    if path.is_file() and path.name not in _MANIFESTS:
        return (PluginForms((_locate_file(_resolve_file(path)),)),)
    root = _resolve_directory(path)
    return _choose(_find_in(root), root, form, plugin)


def _choose(found: tuple[PluginForms, ...], root: Path, form: Form | None, plugin: str) -> tuple[PluginForms, ...]:
    """Filter plugins by name and form."""
    named = tuple(one for one in found if not plugin or one.is_named(plugin))
    if not named:
        names = ", ".join(sorted(one.name for one in found))
        raise UsageError(f"{root} has no plugin {plugin!r}", fix=f"Choose one of: {names}.")
    remaining = [[one for one in forms if form in (None, one.form)] for forms in _iter_forms(named)]
    if not any(remaining):
        other = "package" if form == "directory" else "directory"
        raise UsageError(f"{named[0].name} has no form {form!r}: it is only a {other}", where=str(root))
    return tuple(PluginForms(tuple(forms)) for forms in remaining if forms)


def _iter_forms(found: Iterable[PluginForms]) -> Iterator[tuple[Located, ...]]:
    return (one.forms for one in found)


def _find_in(root: Path) -> tuple[PluginForms, ...]:
    """Find the plugins in a directory, or else the event hook, core tool or shell hooks of the project."""
    if is_complete(root):
        return (_find_with_project(root),)
    project = _Project.read(root)
    plugins = project.plugins()
    if plugins:
        return plugins
    hook = _find_only_hook(root)
    tested = root / project.tested
    configuration = find_configuration(root)
    if hook:
        found = project.locate(hook)
    elif is_core_tool(tested) and not links.leads_out(tested, root):
        found = _locate_core_tool(tested)
    elif configuration:
        found = _locate_shell_hook(configuration)
    else:
        _raise_not_found(project)
    return (PluginForms((found,)),)


def _resolve_file(path: Path) -> Path:
    """Return an absolute path, with the link resolved if the user passed one."""
    return links.resolve(path) if path.is_symlink() else Path(os.path.normpath(path.absolute()))


def _locate_file(file: Path) -> Located:
    """Return the core tool or shell hook at a file that is not a manifest."""
    if file.name in CONFIGURATIONS and find_configuration(file.parent) == file:
        return _locate_shell_hook(file)
    if is_core_tool(file) and (registers_tool(file) or not is_script(file)):
        return _locate_core_tool(file)
    if is_script(file):
        configurations = filter(None, map(find_configuration, file.parents[:_SEARCH_DEPTH]))
        configurations_with_name = (one for one in configurations if file.name in one.read_text(encoding="utf-8"))
        return _locate_shell_hook(next(configurations_with_name, file))
    raise UsageError(
        f"{file} is neither a plugin, a core tool nor a shell hook",
        fix="Pass a plugin directory, a project, a Python file that calls registry.register(…) at its top level, or a"
        " script whose first line begins with `#!`.",
    )


def _locate_shell_hook(file: Path) -> Located:
    return Located(file.parent, None, file.parent, None, shell_hook=file)


def _locate_core_tool(path: Path) -> Located:
    file = Path(os.path.normpath(path.absolute()))
    require_registration(file)
    return Located(file.parent, None, _find_tool_project(file) or file.parent, None, file)


def _find_tool_project(file: Path) -> Path | None:
    """Return the parent project with a core-tool file in its setting ``hermes_plugin``, which its tests are about.

    A checkout of the host, which contains many such files, is not the tool's project.
    """
    for root in file.parents[:_SEARCH_DEPTH]:
        if (root / "pyproject.toml").is_file():
            return root if Path(os.path.normpath(root / _Project.read(root).tested)) == file else None
    return None


def _resolve_directory(path: Path) -> Path:
    """Return the directory of a plugin or project at a path."""
    path = Path(os.path.normpath(path.absolute()))
    if path.name in _MANIFESTS and path.is_file():
        path = path.parent
    if not path.is_dir():
        raise UsageError(f"{path} is not a directory", fix="Pass a plugin, its project or a core-tool file.")
    return path


def _raise_not_found(project: _Project) -> NoReturn:
    """Raise the error for a project without a plugin, which lists rejected candidates and the reasons."""
    seen = [
        f"no module {one.entry_point.module} in {project.packages.searched}, which the entry point"
        f" {one.entry_point.name} in {one.group} names"
        for one in project.unresolved
        if one.entry_point
    ]
    groups = project.packages.entry_points
    seen += [f"Hermes does not read the group {group}" for group in groups if "hermes" in group and group not in GROUPS]
    seen += [f"{relative(file, project.root)} is {why}" for file, why in _find_rejected(project.root)]
    generated = (
        "If the build generates the module, run `pip wheel --no-deps .`, unpack the wheel and pass that directory."
    )
    message = f"no plugin in {project.root}: {'; '.join(seen) or 'no plugin.yaml and no entry point'}"
    if project.unresolved:
        raise MissingModuleError(message, project.root, fix=generated)
    raise UsageError(message, fix="Pass the directory of a plugin, or create one with `hermes-sdk new plugin`.")


def _find_rejected(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield the first few manifests that are not plugins of the project, with the reason."""
    levels = ["*/" * level for level in range(2 * _SEARCH_DEPTH)]
    found = (file for level in levels for name in MANIFEST_NAMES for file in sorted(root.glob(level + name)))
    for file in itertools.islice(found, _MAX_SHOWN):
        parts = file.relative_to(root).parts[:-1]
        part = next((part for part in parts if part.startswith(".") or part in _NOT_SEARCHED), None)
        yield file, f"in {part}" if part else f"more than {_SEARCH_DEPTH} levels deep"


class _Project(NamedTuple):
    """A project and its packages.

    Attributes:
        setting: The value of ``[tool.hermes-sdk] plugin``.
        tested: The path of the plugin under test, from the setting ``hermes_plugin``.
        resolved: The packages of its entry points, in the order in which Hermes reads the groups.
        unresolved: The packages whose module is not in the source tree.
    """

    root: Path
    setting: Any
    packages: Packages
    tested: str
    resolved: tuple[Located, ...]
    unresolved: tuple[Located, ...]

    @classmethod
    def read(cls, root: Path) -> _Project:
        data = read_settings(root / "pyproject.toml")
        packages = Packages(root, data)
        found = [*_list_packages(root, packages)]
        tested = table(data, "tool", "pytest", "ini_options").get("hermes_plugin")
        return cls(
            root,
            table(data, "tool", "hermes-sdk").get("plugin"),
            packages,
            tested if isinstance(tested, str) else "",
            tuple(one for one in found if one.module),
            tuple(one for one in found if not one.module),
        )

    def plugins(self) -> tuple[PluginForms, ...]:
        """Return the plugins of the project, sorted by directory, then by name."""
        if self.setting is not None:
            return (self.pair(self._resolve_setting()),)
        packed = dict.fromkeys(one.directory for one in self.resolved if manifest_file(one.directory))
        directories = sorted(packed or _find_plugin_directories(self.root))
        paired = [self.pair(one, is_only=len(directories) == 1) for one in directories]
        paired_entry_points = {one.entry_point for forms in paired for one in forms.forms if one.form == "package"}
        unpaired = [PluginForms((one,)) for one in self.resolved if one.entry_point not in paired_entry_points]
        return (*paired, *unpaired)

    def pair(self, directory: Path, *, is_only: bool = True) -> PluginForms:
        """Return the plugin in a directory, with the packages of the same plugin."""
        located = self.locate(directory)
        if not located.manifest:
            return PluginForms((located,))
        packages = [one for one in self.resolved if one.name == located.name]
        packages = packages or [one for one in self.resolved if one.directory == directory][:1]
        if not packages and is_only and len(self.resolved) == 1 and not manifest_file(self.resolved[0].directory):
            packages = [*self.resolved]
        if packages:
            located = located._replace(entry_point=packages[0].entry_point)
        return PluginForms((located, *packages))

    def locate(self, directory: Path) -> Located:
        """Return the plugin, event hook or portable plugin in a directory."""
        if links.leads_out(directory, self.root):
            raise UsageError(
                f"the plugin is in {directory}, which leads out of its project",
                where=str(self.root),
                fix="Pass the directory of the plugin itself.",
            )
        hook = hook_file(directory)
        if hook:
            return Located(directory, None, self.root, None, event_hook=hook)
        portable = portable_file(directory)
        if portable:
            return Located(directory, None, self.root, None, portable=portable)
        named = [one.entry_point for one in (*self.resolved, *self.unresolved) if one.group == ENTRY_POINT_GROUP]
        return Located(directory, manifest_file(directory), self.root, named[0] if len(named) == 1 else None)

    def _resolve_setting(self) -> Path:
        where = str(self.root / "pyproject.toml")
        if not isinstance(self.setting, str):
            raise UsageError(
                "[tool.hermes-sdk] plugin is not a string", where=where, fix='Write `plugin = "directory"`.'
            )
        directory = Path(os.path.normpath(self.root / self.setting))
        if not is_complete(directory):
            raise UsageError(
                f"[tool.hermes-sdk] plugin names {self.setting!r}, which has no plugin.yaml",
                where=where,
                fix="Set it to the directory of plugin.yaml, HOOK.yaml or plugin.json, relative to pyproject.toml.",
            )
        return directory


def _list_packages(root: Path, packages: Packages) -> Iterator[Located]:
    """Yield the plugins of a project's entry points, each once even if it is in both groups."""
    known: set[str] = set()
    for group in GROUPS:
        for name, value in packages.entry_points.get(group, {}).items():
            if name not in known:
                known.add(name)
                entry_point = EntryPoint(name, value)
                module = packages.find(entry_point.module)
                directory = module.parent if module else root
                yield Located(directory, None, root, entry_point, module=module, group=group)


def _find_with_project(directory: Path) -> PluginForms:
    """Return the plugin in a directory with its project: the directory or the nearest parent with that plugin."""
    for root in (directory, *directory.parents):
        if (root / "pyproject.toml").is_file():
            if links.leads_out(directory, root):
                break  # The user passed a link to a plugin elsewhere.
            if root == directory:
                return _Project.read(root).pair(directory)
            if not _can_read(root / "pyproject.toml"):
                break  # A sandbox exposes only the plugin's own project.
            found = _find_plugin(_Project.read(root), directory)
            if found:
                return found
            break
        if (root / ".git").exists():
            break
    return PluginForms((_Project.read(directory).locate(directory),))


def find_workspace(directory: Path) -> Path | None:
    """Return the root of the workspace of a plugin without its own project, or None."""
    for root in directory.parents:
        if (root / "pyproject.toml").is_file():
            is_readable = _can_read(root / "pyproject.toml") and not links.leads_out(directory, root)
            return root if is_readable and directory in _find_plugin_directories(root) else None
        if (root / ".git").exists():
            break
    return None


def _can_read(file: Path) -> bool:
    try:
        with file.open("rb"):
            return True
    except OSError:
        return False


def _find_plugin(project: _Project, directory: Path) -> PluginForms | None:
    """Return a directory's plugin in a project; None if the project is a workspace without its entry point."""
    try:
        plugins = project.plugins()
    except UsageError:
        return None
    if not plugins and _find_only_hook(project.root) == directory:
        return PluginForms((project.locate(directory),))
    named = (one for one in plugins if one.forms[0].form == "directory" and one.forms[0].directory == directory)
    found = next(named, None)
    return found if found and (len(plugins) == 1 or len(found.forms) > 1) else None


def _find_only_hook(root: Path) -> Path | None:
    found = [file.parent for file in root.glob(f"*/{HOOK_MANIFEST}")]
    return found[0] if len(found) == 1 else None


def _find_plugin_directories(root: Path) -> Iterator[Path]:
    """Yield the directories with a manifest in sorted order, without descending into them."""
    top = os.fspath(root)
    deepest = top.rstrip(os.sep).count(os.sep) + _SEARCH_DEPTH
    for folder, directories, files in os.walk(top):
        names = {*directories, *files}
        is_environment = folder != top and "pyvenv.cfg" in names
        has_name = folder != top and not is_environment and not names.isdisjoint(MANIFEST_NAMES)
        is_plugin = has_name and manifest_file(Path(folder)) is not None
        if is_plugin:
            yield Path(folder)
        if is_plugin or is_environment or folder.count(os.sep) == deepest:
            directories.clear()
        directories[:] = sorted(name for name in directories if not name.startswith(".") and name not in _NOT_SEARCHED)
