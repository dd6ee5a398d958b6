"""HS6xx: the wheel contains the whole plugin and nothing else, and the project declares its dependencies."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Container, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import MANIFEST, NOTHING, Example, Problem, Rules, example
from hermes_sdk.check.rules.imports import HOST
from hermes_sdk.check.source import Source
from hermes_sdk.contract import api_releases, load
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.manifest import ENTRY_POINT_GROUP

if TYPE_CHECKING:
    from hermes_sdk.check.wheel import Wheel
    from hermes_sdk.contract import Contract


RULES = Rules()
rule = RULES.rule

_SPELLINGS = frozenset({"hermesagentplugins", "hermesagentplugin", "hermesplugins", "hermesplugin"})
_DATA = frozenset({".py", ".yaml", ".yml", ".json", ".md", ".toml", ".html", ".js", ".css"})
_AT_ROOT = frozenset({"__init__.py", "plugin.yaml", "plugin.yml"})
_JUNK = frozenset({".git", ".github", ".venv", "__pycache__", "node_modules", "test", "tests", ".pytest_cache"})
_JUNK_FILES = frozenset({".env", "conftest.py", ".DS_Store"})
_BOUND = r"[<>=~!]=?\s*[\w*]"

_POINTS = f'[project.entry-points."{ENTRY_POINT_GROUP}"]\nexample = "example"\n'
_IN_WHEEL = ("example/__init__.py", "example/plugin.yaml")
_BACKEND = """\
import tarfile, zipfile

WHEEL = {wheel!r}
SOURCES = {sources!r}
ENTRY_POINT = "[{group}]\\nexample = {module}\\n"


def build_wheel(directory, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(f"{{directory}}/example-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("example-1.0.dist-info/entry_points.txt", ENTRY_POINT)
        for name in WHEEL:
            archive.writestr(name, open(name).read())
    return "example-1.0-py3-none-any.whl"


def build_sdist(directory, config_settings=None):
    with tarfile.open(f"{{directory}}/example-1.0.tar.gz", "w:gz") as archive:
        for name in SOURCES:
            archive.add(name, f"example-1.0/{{name}}")
    return "example-1.0.tar.gz"
"""


def _project(
    *, points: str = _POINTS, dependencies: str = "", source: str = NOTHING, manifest: str = MANIFEST
) -> Example:
    """Return a project whose package is the plugin.

    Args:
        points: The table with the entry point.
        dependencies: The items of the list of dependencies.
        source: The module of the plugin.
    """
    head = f'[project]\nname = "example"\nversion = "1.0"\ndependencies = [{dependencies}]\n\n'
    return {"pyproject.toml": head + points, "example/plugin.yaml": manifest, "example/__init__.py": source}


def _make_project(
    *,
    module: str = "example",
    wheel: tuple[str, ...] = _IN_WHEEL,
    sources: tuple[str, ...] | None = None,
    source: str = NOTHING,
) -> Example:
    """Return a project with its own build backend, which needs no installed package.

    Args:
        module: The module in the entry point.
        wheel: The files of the wheel.
        sources: The files of the source distribution; by default, those of the wheel.
        source: The module of the plugin.
    """
    added = {name: "" for name in wheel if name not in _IN_WHEEL}
    build = '\n[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    words = {"wheel": wheel, "sources": wheel if sources is None else sources, "module": module}
    return {
        **_project(points=_POINTS + build, source=source),
        **added,
        "backend.py": _BACKEND.format(group=ENTRY_POINT_GROUP, **words),
    }


def _read_table(plugin: Plugin, *keys: str) -> dict[str, Any]:
    table: Any = plugin.pyproject
    for key in ("project", *keys):
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _find_line(plugin: Plugin, text: str) -> tuple[str, int]:
    """Return the place of a text in ``pyproject.toml``; the first line if the text is not found."""
    lines = plugin.read(plugin.pyproject_file).splitlines()
    number = next((number for number, line in enumerate(lines, 1) if text in line), 1)
    return plugin.relative(plugin.pyproject_file), number


@rule(
    "HS601",
    severity="warning",
    references=("A7", "A42"),
    bad=_project(points=_POINTS.replace('= "example"', '= "example:register"')),
    good=_project(),
)
def entry_point_names_function(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """entry point does not name a module

    Before 0.21.5, the host looks for `register` in the loaded object: a function has none, so nothing registers.

    Fix: Name only the module, without a colon, or raise requires_hermes.
    """
    is_called = contract.behaviour.entry_point_called
    if is_called and not _admits_earlier(plugin, "entry_point_called"):
        return
    for name, value in _read_table(plugin, "entry-points", ENTRY_POINT_GROUP).items():
        if ":" in str(value):
            first = FLAGS["entry_point_called"].since
            message = f"the entry point {name} = '{value}' names an object, which releases before {first} do not call"
            yield Problem(message, *_find_line(plugin, str(value)), severity=None if is_called else "error")


def _admits_earlier(plugin: Plugin, flag: str) -> bool:
    """Return whether `requires_hermes` admits releases before the first one with a behaviour flag."""
    admits = plugin.supported.admits if plugin.supported else bool
    return not all(getattr(load(release).behaviour, flag) for release in api_releases() if admits(release))


@rule(
    "HS602",
    bad=_project(
        points=_POINTS.replace(ENTRY_POINT_GROUP, "hermes.plugins") + '[tool.hermes-sdk]\nplugin = "example"\n'
    ),
    good=_project(),
)
def unknown_entry_point_group(plugin: Plugin) -> Iterator[Problem]:
    """entry point is in an unknown group

    The host reads hermes_agent.plugins and, since 0.20.1, hermes_agent.memory_providers; pip does not warn.

    Fix: Use [project.entry-points."hermes_agent.plugins"].
    """
    for group in _read_table(plugin, "entry-points"):
        if group != ENTRY_POINT_GROUP and re.sub(r"[^a-z]", "", group.lower()) in _SPELLINGS:
            yield Problem(f"no release of Hermes reads the group {group}", *_find_line(plugin, group))


@rule(
    "HS603",
    severity="warning",
    references=("G1", "https://github.com/NousResearch/hermes-agent/issues/40101"),
    bad=_project(
        source="def register(ctx):\n    if hasattr(ctx, 'register_memory_provider'):\n"
        "        ctx.register_memory_provider(None)\n",
        manifest=MANIFEST.replace("standalone", "exclusive"),
    ),
    good=_project(),
)
def memory_provider_in_wheel(plugin: Plugin) -> Iterator[Problem]:
    """memory provider is packaged where its loader does not look

    Before 0.20.1, memory providers load only from directories; later releases read hermes_agent.memory_providers.

    Fix: Tell users to copy the directory to the plugins of their home, or add that group for newer releases.
    """
    groups = _read_table(plugin, "entry-points")
    if ENTRY_POINT_GROUP not in groups or "hermes_agent.memory_providers" in groups:
        return
    if any("register_memory_provider" in source.text for source in plugin.sources):
        message = f"the memory loader does not read entry points in {ENTRY_POINT_GROUP}"
        yield Problem(message, *_find_line(plugin, ENTRY_POINT_GROUP))


@rule(
    "HS604",
    severity="warning",
    references=("https://github.com/NousResearch/hermes-agent/issues/69889",),
    bad=_project(dependencies='"httpx"'),
    good=_project(dependencies='"httpx >=0.27, <1"'),
)
def dependency_is_unbounded(plugin: Plugin) -> Iterator[Problem]:
    """dependency without bounds

    Any release may be installed, and another one tomorrow; Hermes cannot manage dependencies given as URLs.

    Fix: Set lower and upper bounds, such as 'httpx >=0.27, <1'.
    """
    listed = _read_table(plugin).get("dependencies")
    places = [(str(one), _find_line(plugin, str(one))) for one in (listed if isinstance(listed, list) else [])]
    declared = plugin.fields.get("python_dependencies")
    for index, one in enumerate(declared if plugin.manifest and isinstance(declared, list) else []):
        assert plugin.manifest is not None
        path, (line, _) = plugin.relative(plugin.manifest.path), plugin.manifest.position("python_dependencies", index)
        places.append((str(one), (path, line)))
    for one, place in places:
        requirement = one.partition(";")[0]
        if "://" in requirement:
            yield Problem(f"'{one}' is a URL", *place)
        elif not re.search(_BOUND, requirement):
            yield Problem(f"'{one}' has no bounds", *place)


@rule(
    "HS605",
    severity="warning",
    references=("https://github.com/topoteretes/cognee-integrations/issues/382",),
    bad=_make_project(wheel=("example/__init__.py",)),
    good=_make_project(),
)
def not_in_wheel(plugin: Plugin, wheel: Wheel) -> Iterator[Problem]:
    """wheel lacks files of the plugin

    Users who install the wheel get a plugin without its manifest, a skill or a module, which fails or does less.

    Fix: Add the files to the build backend's package data, and the packages to its list.
    """
    # Compare the ends of the paths: a wheel may put the package elsewhere.
    top, flat = plugin.located.directory, plugin.located.directory == plugin.located.project
    inside = {PurePosixPath(name).parts for name in wheel.files}
    for file in plugin.files:
        below = file.relative_to(top).parts
        # The root of a project also has documents, scripts and settings.
        concerned = below[0] in _AT_ROOT if flat else file.suffix in _DATA
        wanted = below if flat else (top.name, *below)
        if concerned and not any(parts[-len(wanted) :] == wanted for parts in inside):
            yield Problem(f"the wheel has no {'/'.join(wanted)}", plugin.relative(file))


@rule("HS606", bad=_make_project(module="exampel"), good=_make_project())
def entry_point_not_in_wheel(plugin: Plugin, wheel: Wheel) -> Iterator[Problem]:
    """wheel lacks the module of its entry point

    Loading the entry point fails: the plugin is listed with an error.

    Fix: Add the package to the wheel, or correct the entry point.
    """
    for name, value in wheel.entry_points.get(ENTRY_POINT_GROUP, {}).items():
        path = value.partition(":")[0].strip().replace(".", "/")
        if not {f"{path}.py", f"{path}/__init__.py"} & set(wheel.files) and not _is_compiled(path, wheel):
            message = f"the wheel has no module {path.replace('/', '.')}, which the entry point {name} names"
            yield Problem(message, *_find_line(plugin, value))


def _is_compiled(path: str, wheel: Wheel) -> bool:
    return any(name.startswith(f"{path}.") and name.endswith((".so", ".pyd")) for name in wheel.files)


@rule(
    "HS607",
    bad=_make_project(wheel=(*_IN_WHEEL, "plugins/__init__.py"), source=f"import plugins\n\n\n{NOTHING}"),
    good=_make_project(wheel=(*_IN_WHEEL, "example/names.py"), source=f"from . import names\n\n\n{NOTHING}"),
)
def wheel_has_host_module(plugin: Plugin, wheel: Wheel) -> Iterator[Problem]:
    """wheel has a package with the name of a Hermes package

    One package hides the other: either the plugin or Hermes cannot import its own.

    Fix: Put everything into one package with a unique name.
    """
    tops = {PurePosixPath(name).parts[0].removesuffix(".py") for name in wheel.files}
    for name in sorted(tops & HOST):
        yield Problem(f"the wheel installs '{name}', which is also a package of Hermes", *_find_line(plugin, name))


@rule(
    "HS608",
    severity="warning",
    references=("https://github.com/indexnetwork/index/pull/1522",),
    bad=_make_project(wheel=(*_IN_WHEEL, "example/tests/__init__.py")),
    good=_make_project(),
)
def wheel_has_junk(plugin: Plugin, wheel: Wheel) -> Iterator[Problem]:
    """wheel contains files that users do not need

    Tests and tools end up in every environment, are searched by the host's scanner, and may contain secrets.

    Fix: Keep tests outside the package, and exclude the rest in the build backend's settings.
    """
    found: set[str] = set()
    for name in wheel.files:
        parts = PurePosixPath(name).parts
        junk = next((index for index, part in enumerate(parts[:-1]) if part in _JUNK), None)
        if junk is not None or parts[-1] in _JUNK_FILES:
            found.add("/".join(parts[: junk + 1] if junk is not None else parts))
    for name in sorted(found):
        yield Problem(f"the wheel contains {name}", *_find_line(plugin, "[project]"))


@rule("HS609", severity="warning", bad=_make_project(sources=("example/__init__.py",)), good=_make_project())
def sources_lack_files(plugin: Plugin, wheel: Wheel) -> Iterator[Problem]:
    """source distribution lacks files of the wheel

    Wheels built from it, as distributions and Nix do, differ from the one you tested.

    Fix: Include the files in the build backend's settings, such as MANIFEST.in for setuptools.
    """
    # Compare the ends of the paths: the sources may be in `src`.
    sources = {PurePosixPath(name).parts for name in wheel.sources}
    for name in sorted(wheel.files):
        parts = PurePosixPath(name).parts
        made = parts[0].endswith((".dist-info", ".data")) or parts[-1] in ("_version.py", "version.py")
        if not made and not any(one[-len(parts) :] == parts for one in sources):
            yield Problem(f"the source distribution has no {name}", *_find_line(plugin, "[project]"))


_DISTRIBUTIONS = {
    "Crypto": "pycryptodome",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "sklearn": "scikit-learn",
    "telegram": "python-telegram-bot",
    "yaml": "pyyaml",
}
"""Distributions by the module that they install, where the names differ."""

_IMPORTS_IT = "import humanize\n\n\ndef register(ctx):\n    humanize.naturalsize(1)\n"


@rule(
    "HS611",
    severity="warning",
    references=("https://github.com/NousResearch/hermes-agent/issues/15953",),
    bad=example(_IMPORTS_IT),
    good=example(NOTHING),
)
def undeclared_dependency(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """package is imported but not declared

    It is installed only by chance, for example as a dependency of another tool: in a new or sealed environment, the
    plugin does not load, or fails at the import.

    Fix: Add it to the dependencies in pyproject.toml, or guard the import.
    """
    declared = _list_declared(plugin)
    own = {part.removesuffix(".py") for source in plugin.sources for part in source.path.split("/")}
    own |= {plugin.located.directory.name, plugin.located.project.name}
    if plugin.located.entry_point:
        own.add(plugin.located.entry_point.module.partition(".")[0])
    known = HOST | sys.stdlib_module_names | own
    known |= contract.third_party_modules | _find_added_modules(plugin)
    known |= {top for source in plugin.sources for top in _find_probed(source)}
    for source in plugin.sources:
        for top, place in _find_imports(source, known).items():
            if _normalize(_DISTRIBUTIONS.get(top, top)) not in declared:
                yield Problem(f"'{top}' is imported but not declared as a dependency", *place)


def _find_added_modules(plugin: Plugin) -> set[str]:
    """Find the modules that a plugin adds to ``sys.modules``."""
    found: set[str] = set()
    for source in plugin.sources:
        if "sys.modules" in source.text or "from sys" in source.text:
            keys = [
                target.slice
                for assign in source.nodes(ast.Assign)
                for target in assign.targets
                if isinstance(target, ast.Subscript) and source.dotted_name(target.value) == "sys.modules"
            ]
            keys += [call.args[0] for call in source.calls("sys.modules.setdefault") if call.args]
            found |= {str(key.value).partition(".")[0] for key in keys if isinstance(key, ast.Constant)}
    return found


def _find_imports(source: Source, known: Container[str]) -> dict[str, tuple[str, int, int]]:
    """Find the first import of each unknown package, and its place."""
    if not source.importable or not source.tree or source.is_test:
        return {}
    found: dict[str, tuple[str, int, int]] = {}
    for one in source.imports:
        top = one.module.partition(".")[0]
        new = top and top not in known and top not in found
        if new and (source.function(one.node) or source.runs_at_import(one.node)):
            found[top] = source.place(one.node)
    return found


def _find_probed(source: Source) -> Iterator[str]:
    """Find optional packages: the plugin catches the ImportError, or calls ``find_spec``."""
    yield from (one.module.partition(".")[0] for one in source.imports if source.is_guarded(one.node))
    for call in source.calls("importlib.util.find_spec"):
        name = call.args[0] if call.args else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value.partition(".")[0]


def _list_declared(plugin: Plugin) -> str:
    """Return the dependencies in pyproject.toml, the manifest and requirements.txt as one normalised text."""
    project = plugin.pyproject.get("project")
    lists: list[Any] = [project.get("dependencies") if isinstance(project, dict) else None]
    lists += [plugin.fields.get(key) for key in ("python_dependencies", "pip_dependencies")]
    named = [str(one) for listed in lists if isinstance(listed, list) for one in listed]
    return _normalize(" ".join([*named, plugin.read(plugin.located.directory / "requirements.txt")]))


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
