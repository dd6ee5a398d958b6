"""Projects in the forms in which plugins are published: with a manifest, an entry point, or both."""

from __future__ import annotations

from pathlib import Path

TOOL = """
def register(ctx):
    schema = {{"name": "{name}", "description": "d", "parameters": {{"type": "object", "properties": {{}}}}}}
    ctx.register_tool("{name}", "shore", schema, lambda args, **more: '{{"water": "low"}}')
"""
MANIFEST = (
    "name: {name}\nkind: standalone\nversion: 2.0.0\ndescription: Tells the water level.\nprovides_tools: [{name}]\n"
)
MEMORY = """
from agent.memory_provider import MemoryProvider

class Shells(MemoryProvider):
    name = "shells"
    def is_available(self): return True
    def initialize(self, session_id, **more): pass
    def get_tool_schemas(self): return []

def register(ctx):
    ctx.register_memory_provider(Shells())
"""

# A build backend in the project itself, as PEP 517 allows, which generates the module of the plugin.
GENERATES = """
import tarfile, zipfile

def build_wheel(directory, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(f"{directory}/reeds_plugin-1.5-py3-none-any.whl", "w") as wheel:
        for name, text in FILES.items():
            wheel.writestr(name, text)

def build_sdist(directory, config_settings=None):
    with tarfile.open(f"{directory}/reeds_plugin-1.5.tar.gz", "w:gz") as bundle:
        bundle.add("pyproject.toml", "reeds_plugin-1.5/pyproject.toml")

FILES = """


def settings(name: str, value: str, *, group: str = "hermes_agent.plugins", more: str = "") -> str:
    """Return the ``pyproject.toml`` of a project with one entry point."""
    project = f'[project]\nname = "{name}-plugin"\nversion = "1.5"\n'
    return f'{project}[project.entry-points."{group}"]\n{name} = "{value}"\n{more}'


WHEEL = {
    "reeds.py": TOOL.format(name="reeds"),
    "reeds_plugin-1.5.dist-info/METADATA": "Metadata-Version: 2.1\nName: reeds-plugin\nVersion: 1.5\n\nName: no\n",
    "reeds_plugin-1.5.dist-info/entry_points.txt": "[hermes_agent.plugins]\nreeds = reeds\n",
}
PROJECTS = {
    # Loaded as a directory, the package cannot import itself by its name.
    "imports_itself": {
        "pyproject.toml": settings("tides", "tides"),
        "src/tides/plugin.yaml": MANIFEST.format(name="tides"),
        "src/tides/__init__.py": "from tides.words import WORD\n" + TOOL.format(name="tides"),
        "src/tides/words.py": "WORD = 1\n",
    },
    # The manifest at the root of the repository has no module next to it.
    "manifest_at_root": {
        "pyproject.toml": settings("dunes", "dunes"),
        "plugin.yaml": MANIFEST.format(name="dunes"),
        "src/dunes/__init__.py": TOOL.format(name="dunes"),
    },
    "memory_package": {
        "pyproject.toml": settings("shells", "shells:register", group="hermes_agent.memory_providers"),
        "shells/__init__.py": MEMORY,
    },
    # Two entry points for one package, which is too deep for the search for manifests.
    "deep": {
        "pyproject.toml": settings("pier", "coast.parts.built.pier", more='quay = "coast.parts.built.pier"\n'),
        "src/coast/__init__.py": "",
        "src/coast/parts/built/pier/plugin.yaml": MANIFEST.format(name="pier"),
        "src/coast/parts/built/pier/__init__.py": TOOL.format(name="pier"),
    },
    "unpacked_wheel": WHEEL,
    "generated": {
        "pyproject.toml": settings(
            "reeds",
            "reeds",
            more='[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        ),
        "backend.py": f"{GENERATES}{WHEEL!r}\n",
    },
    # The directory of the package has a different name.
    "renamed": {
        "pyproject.toml": settings(
            "gulls", "hermes_gulls", more='[tool.setuptools.package-dir]\nhermes_gulls = "lib/birds"\n'
        ),
        "lib/birds/__init__.py": "from hermes_gulls.words import WORD\n" + TOOL.format(name="gulls"),
        "lib/birds/words.py": "WORD = 1\n",
    },
}


def write_project(name: str, folder: Path) -> Path:
    """Write a project to a directory, and return the directory."""
    for file, text in PROJECTS[name].items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return folder
