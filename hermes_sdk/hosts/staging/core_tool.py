"""Conversion of a core-tool file to a plugin, so that hosts load and report it like any plugin."""

from __future__ import annotations

import json
from pathlib import Path

from hermes_sdk.hosts.in_worker.registration_calls import LOADER

# This code also runs on the real host, without hermes_sdk. It imports the file under its name in the host's package
# `tools`, and registers its tools through ctx, so that they belong to the plugin. Arguments that only the registry
# accepts need a second registration, which replaces the first.
_CODE = """\
import importlib.util
import inspect
import sys
from pathlib import Path

from tools.registry import registry

FILE = Path(__file__).with_name({file!r})


def register(ctx):
    own = registry.register
    named = {{p.name for p in inspect.signature(own).parameters.values() if p.kind is not p.VAR_KEYWORD}}
    known = inspect.signature(ctx.register_tool).parameters.keys()

    # The embedded host notes what a plugin assigns to a module of Hermes, and this is not the plugin's doing.
    attributes = vars(registry)

    def register_both(*args, **kwargs):
        given = inspect.signature(own).bind(*args, **kwargs).arguments
        attributes["register"] = own
        try:
            ctx.register_tool(**{{name: value for name, value in given.items() if name in known}})
            if given.keys() & named - known:
                own(*args, **kwargs)
        finally:
            attributes["register"] = register_both

    attributes["register"] = register_both
    try:
        spec = importlib.util.spec_from_file_location("tools." + FILE.stem, FILE)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    finally:
        del attributes["register"]
"""


def write_plugin(file: Path, directory: Path, *, link: bool) -> str:
    """Create a plugin directory with a copy of a core-tool file, or a link to it, and return the plugin's name."""
    directory.mkdir(parents=True)
    copy = directory / file.name
    if link:
        copy.symlink_to(file)
    else:
        copy.write_bytes(file.read_bytes())
    (directory / "plugin.yaml").write_text(f"name: {json.dumps(file.stem)}\nkind: standalone\n", encoding="utf-8")
    (directory / LOADER).write_text(_CODE.format(file=file.name), encoding="utf-8")
    (directory / "__init__.py").write_text(f"from .{LOADER.removesuffix('.py')} import register\n", encoding="utf-8")
    return file.stem
