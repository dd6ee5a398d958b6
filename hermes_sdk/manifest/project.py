"""Plugins of a project: `locate` answers which ones a path means."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from hermes_sdk import links
from hermes_sdk.documents import parse_toml, read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.core_tool import is_core_tool, registers_tool, require_registration
from hermes_sdk.manifest.shell_hook import CONFIGURATIONS, find_configuration, is_script

MANIFEST_NAMES = ("plugin.yaml", "plugin.yml")
HOOK_MANIFEST = "HOOK.yaml"
PORTABLE_MANIFEST = "plugin.json"
_MANIFESTS = (*MANIFEST_NAMES, HOOK_MANIFEST, PORTABLE_MANIFEST)
ENTRY_POINT_GROUP = "hermes_agent.plugins"

# How much of `__init__.py` the host searches to guess a kind (statement A28).
_SNIFFED_CHARACTERS = 8192

_MEMORY_MARKERS = ("register_memory_provider", "MemoryProvider")
_OTHER_MARKERS = (
    "register_cron_scheduler",
    "CronScheduler",
    "register_computer_use_provider",
    "ComputerUseProvider",
)

_NOT_SEARCHED = frozenset(
    {"test", "tests", "venv", "env", "build", "dist", "site-packages", "node_modules", "__pycache__"}
)
_SEARCH_DEPTH = 4


class EntryPoint(NamedTuple):
    """One entry point of the group ``hermes_agent.plugins``, such as ``EntryPoint("notes", "team_notes")``."""

    name: str
    value: str


class Located(NamedTuple):
    """A plugin in a project.

    Attributes:
        directory: The directory of the plugin; it holds the manifest. Without one: where its module is imported from.
        manifest: The manifest; None for a plugin that is nothing but the entry point of its project.
        project: The project that the plugin belongs to, or `directory` when it belongs to none.
        entry_point: The project's entry point in `hermes_agent.plugins`, or None.
        core_tool: The core-tool file that stands in place of a plugin; None for a plugin.
        event_hook: The ``HOOK.yaml`` of the gateway event hook that stands in place of a plugin; None for a plugin.
        portable: The ``plugin.json`` of a portable plugin, which has skills and MCP servers but no Python; None for any
            other plugin.
        shell_hook: The configuration that lists the shell hooks of a project without a plugin, or one script that no
            configuration names; None for a plugin.
    """

    directory: Path
    manifest: Path | None
    project: Path
    entry_point: EntryPoint | None
    core_tool: Path | None = None
    event_hook: Path | None = None
    shell_hook: Path | None = None
    portable: Path | None = None

    @property
    def path(self) -> Path:
        """The path by which `locate` finds this plugin."""
        return self.core_tool or (self.project if self.lone_entry_point else self.directory)

    @property
    def lone_entry_point(self) -> EntryPoint | None:
        """The entry point of a plugin without a manifest, by which alone a host finds it."""
        return None if self.manifest else self.entry_point


@functools.lru_cache(maxsize=8)
def read_toml(text: str) -> Mapping[str, Any]:
    """Return the content of a ``pyproject.toml``; do not change it, since everyone who asks gets the same.

    Raises:
        ValueError: The text is not TOML.
    """
    return parse_toml(text)


def manifest_file(directory: Path) -> Path | None:
    """Return the manifest of a plugin directory: `plugin.yaml`, else `plugin.yml`, else None (statement A17)."""
    return next((directory / name for name in MANIFEST_NAMES if (directory / name).exists()), None)


def _hook_file(directory: Path) -> Path | None:
    """The manifest of a gateway event hook, None for another directory and for a plugin."""
    file = directory / HOOK_MANIFEST
    return file if file.is_file() and manifest_file(directory) is None else None


def _portable_file(directory: Path) -> Path | None:
    """The manifest of a portable plugin; None for another directory, and for one with a manifest in YAML, which wins.

    Other tools have a ``plugin.json``, too; the file alone makes no plugin.
    """
    file = directory / PORTABLE_MANIFEST
    if manifest_file(directory) or not file.is_file():
        return None
    if any((directory / part).exists() for part in ("skills", "mcp.json")):
        return file
    try:
        return file if "agent-plugins.org" in read_text(file, root=directory) else None
    except (OSError, ValueError):
        return None


def guessed_kind(directory: os.PathLike[str], *, all_markers: bool = False) -> str:
    """Return the kind that the host takes a plugin without a `kind` for (statement A28).

    The host searches the beginning of `__init__.py` as text, so that a comment that has one of the words counts too.
    With `all_markers`, the words for schedulers and computer use count as well, as they do for the newest hosts.
    """
    file = f"{os.fspath(directory)}/__init__.py"
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):  # noqa: PTH116
            return "standalone"
        # Nearly no plugin has one of the words, and decoding takes most of the time.
        with open(file, "rb", buffering=0) as raw:  # noqa: PTH123
            content = raw.read()
        suspicious = b"rovider" in content or (all_markers and b"cheduler" in content)
        text = Path(file).read_text(errors="replace") if suspicious else ""
    except OSError:
        return "standalone"
    return kind_of_source(text, all_markers=all_markers)


def kind_of_source(source: str, *, all_markers: bool = False) -> str:
    """Return the kind of plugin that a source looks like; see `guessed_kind`."""
    text = source[:_SNIFFED_CHARACTERS]
    if any(marker in text for marker in (*_MEMORY_MARKERS, *(_OTHER_MARKERS if all_markers else ()))):
        return "exclusive"
    if "register_provider" in text and "ProviderProfile" in text:
        return "model-provider"
    return "standalone"


def locate(path: Path) -> Located:
    """Find the plugin that a path means.

    A manifest means its directory; a directory with a manifest is the plugin. Any other directory is a project: its
    plugin is the directory named by ``[tool.hermes-sdk] plugin`` in `pyproject.toml`, else the package of its entry
    point in ``hermes_agent.plugins``, else the only directory with a manifest that is not hidden and not part of tests,
    builds or virtual environments, else the only directory directly in it with a ``HOOK.yaml``, else the core-tool file
    that its setting ``hermes_plugin`` of pytest names. A Python file is a core-tool file; a ``HOOK.yaml``, or the
    directory with one, is a gateway event hook; a ``plugin.json`` with skills or MCP servers is a portable plugin.

    Args:
        path: A plugin directory, its manifest, the root of a project, a gateway event hook, or a core-tool file.

    Returns:
        The plugin, with absolute paths.

    Raises:
        UsageError: There is no plugin, or more than one, or the file registers no tool at its top level.
    """
    if is_core_tool(path):
        return _core_tool(_resolve_file(path))
    root = _directory(path)
    if _is_complete(root):
        return _in_its_project(root)
    found = _find(_Project.read(root))
    if found is None and find_configuration(root):
        fix = "Use `hermes-sdk check` to check them and `hermes-sdk hooks test` to run them."
        raise UsageError(f"{root} contains shell hooks but no plugin", fix=fix)
    return found or _refuse(root)


def locate_all(path: Path) -> tuple[Located, ...]:
    """Find what a path means: as `locate` does, but a workspace means all plugins in it, and shell hooks count.

    A workspace is a directory with several plugins that names none of them as its own. Shell hooks are a project
    without a plugin whose ``config.yaml.example`` lists some, or a script.

    Args:
        path: A plugin directory, its manifest, the root of a project, a workspace, a gateway event hook, a core-tool
            file, or a shell hook.

    Returns:
        At least one plugin, sorted by directory.

    Raises:
        UsageError: There is none of them.
    """
    if path.is_file() and path.name not in _MANIFESTS:
        return (_of_file(_resolve_file(path)),)
    root = _directory(path)
    if _is_complete(root):
        return (_in_its_project(root),)
    project = _Project.read(root)
    if project.declared() is None:
        found = sorted(_plugins_below(root))
        if len(found) > 1:
            return tuple(map(_in_its_project, found))
    configuration = find_configuration(root)
    return (_find(project) or (_shell_hook(configuration) if configuration else _refuse(root)),)


def _resolve_file(path: Path) -> Path:
    """Return the file that a path leads to, for the user may name a link."""
    return links.resolve(path) if path.is_symlink() else Path(os.path.normpath(path.absolute()))


def _of_file(file: Path) -> Located:
    """Return what a file means that is not a manifest."""
    if file.name in CONFIGURATIONS and find_configuration(file.parent) == file:
        return _shell_hook(file)
    if is_core_tool(file) and (registers_tool(file) or not is_script(file)):
        return _core_tool(file)
    if is_script(file):
        configurations = filter(None, map(find_configuration, file.parents[:_SEARCH_DEPTH]))
        naming = (one for one in configurations if file.name in one.read_text(encoding="utf-8"))
        return _shell_hook(next(naming, file))
    raise UsageError(
        f"{file} is neither a plugin, a core tool nor a shell hook",
        fix="Pass a plugin directory, a project, a Python file that calls registry.register(…) at its top level, or a"
        " script whose first line begins with `#!`.",
    )


def _shell_hook(file: Path) -> Located:
    return Located(file.parent, None, file.parent, None, shell_hook=file)


def _core_tool(path: Path) -> Located:
    file = Path(os.path.normpath(path.absolute()))
    require_registration(file)
    return Located(file.parent, None, _project_of_tool(file) or file.parent, None, file)


def _project_of_tool(file: Path) -> Path | None:
    """The project above a core-tool file whose tests are about it, as their setting ``hermes_plugin`` says.

    A checkout of the host, which has the file among many, is not its project.
    """
    for root in file.parents[:_SEARCH_DEPTH]:
        if (root / "pyproject.toml").is_file():
            return root if Path(os.path.normpath(root / _Project.read(root).tested)) == file else None
    return None


def _is_complete(directory: Path) -> bool:
    """Return whether a directory is a plugin or an event hook itself, and no project that holds one."""
    return bool(manifest_file(directory) or _hook_file(directory) or _portable_file(directory))


def _directory(path: Path) -> Path:
    """The directory that a path means."""
    path = Path(os.path.normpath(path.absolute()))
    if path.name in _MANIFESTS and path.is_file():
        path = path.parent
    if not path.is_dir():
        raise UsageError(f"{path} is not a directory", fix="Pass a plugin, its project or a core-tool file.")
    return path


def _find(project: _Project) -> Located | None:
    """Find the plugin, event hook or core tool of a project."""
    directory = project.declared() or _only_plugin(project.root) or project.import_root() or _only_hook(project.root)
    if directory is not None:
        return project.located(directory)
    tested = project.root / project.tested
    return _core_tool(tested) if is_core_tool(tested) and not links.leads_out(tested, project.root) else None


def _refuse(root: Path) -> NoReturn:
    fix = "Pass the directory of a plugin, or create one with `hermes-sdk new plugin`."
    raise UsageError(f"no plugin.yaml in {root}", fix=fix)


class _Project(NamedTuple):
    """Facts about the plugin in the `pyproject.toml` of a project; `tested` is the path that its tests are about."""

    root: Path
    setting: Any
    entry_point: EntryPoint | None
    tested: str = ""

    @classmethod
    def read(cls, root: Path) -> _Project:
        data = _settings(root / "pyproject.toml")
        entry_points = _table(data, "project", "entry-points", ENTRY_POINT_GROUP)
        named = [EntryPoint(name, value) for name, value in entry_points.items() if isinstance(value, str)]
        tested = _table(data, "tool", "pytest", "ini_options").get("hermes_plugin")
        return cls(
            root,
            _table(data, "tool", "hermes-sdk").get("plugin"),
            named[0] if len(named) == 1 else None,
            tested if isinstance(tested, str) else "",
        )

    def located(self, directory: Path) -> Located:
        if links.leads_out(directory, self.root):
            raise UsageError(
                f"the plugin is in {directory}, which leads out of its project",
                where=str(self.root),
                fix="Pass the directory of the plugin itself.",
            )
        hook = _hook_file(directory)
        if hook:
            return Located(directory, None, self.root, None, event_hook=hook)
        portable = _portable_file(directory)
        if portable:
            return Located(directory, None, self.root, None, portable=portable)
        return Located(directory, manifest_file(directory), self.root, self.entry_point)

    def declared(self) -> Path | None:
        """Return the plugin directory that the project itself names, or None when it names none."""
        if self.setting is not None:
            return self._directory_of_setting()
        return self._directory_of_entry_point()

    def _directory_of_setting(self) -> Path:
        where = str(self.root / "pyproject.toml")
        if not isinstance(self.setting, str):
            raise UsageError(
                "[tool.hermes-sdk] plugin is not a string", where=where, fix='Write `plugin = "directory"`.'
            )
        directory = Path(os.path.normpath(self.root / self.setting))
        if not _is_complete(directory):
            raise UsageError(
                f"[tool.hermes-sdk] plugin names {self.setting!r}, which has no plugin.yaml",
                where=where,
                fix="Set it to the directory of plugin.yaml, HOOK.yaml or plugin.json, relative to pyproject.toml.",
            )
        return directory

    def _directory_of_entry_point(self) -> Path | None:
        packages = [base / module for base, module in self._modules()]
        modules = [package.parent for package in packages if package.with_suffix(".py").is_file()]
        return next((directory for directory in (*packages, *modules) if manifest_file(directory)), None)

    def import_root(self) -> Path | None:
        """Return the directory that the module of the entry point is imported from, or None when it is not here."""
        found = (base for base, module in self._modules() if _is_module(base / module))
        return next(found, None)

    def _modules(self) -> list[tuple[Path, Path]]:
        """Return where the module of the entry point may be: a directory to import from, and its path in there."""
        if self.entry_point is None:
            return []
        module = Path(*self.entry_point.value.partition(":")[0].strip().split("."))
        return [(base, module) for base in (self.root / "src", self.root)]


def _settings(pyproject: Path) -> Mapping[str, Any]:
    if pyproject.exists() and not pyproject.is_file():
        raise UsageError("cannot read the project's settings: it is not a file", where=str(pyproject))
    try:
        return read_toml(read_text(pyproject, root=pyproject.parent))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the project's settings: {error}", where=str(pyproject)) from error


def _is_module(path: Path) -> bool:
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _table(table: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _in_its_project(directory: Path) -> Located:
    """Return the plugin in `directory` with its project: itself, or the nearest one above whose plugin it is."""
    for root in (directory, *directory.parents):
        if (root / "pyproject.toml").is_file():
            if links.leads_out(directory, root):
                break  # A link that the user names, to a plugin elsewhere.
            project = _Project.read(root)
            if root == directory or _is_plugin_of(project, directory):
                return project.located(directory)
            break
        if (root / ".git").exists():
            break
    return _Project(directory, None, None).located(directory)


def _is_plugin_of(project: _Project, directory: Path) -> bool:
    try:
        return (project.declared() or _only_plugin(project.root) or _only_hook(project.root)) == directory
    except UsageError:
        return False


def _only_plugin(root: Path) -> Path | None:
    found = list(_plugins_below(root))
    if len(found) < 2:
        return found[0] if found else None
    names = ", ".join(sorted(directory.relative_to(root).as_posix() for directory in found))
    raise UsageError(
        f"{root} contains more than one plugin: {names}",
        fix='Pass one of them, or set `plugin = "directory"` under `[tool.hermes-sdk]` in pyproject.toml.',
    )


def _only_hook(root: Path) -> Path | None:
    found = [file.parent for file in root.glob(f"*/{HOOK_MANIFEST}")]
    return found[0] if len(found) == 1 else None


def _plugins_below(root: Path) -> Iterator[Path]:
    """Yield the directories with a manifest, sorted, and nothing within them."""
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
