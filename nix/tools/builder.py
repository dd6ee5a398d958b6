"""Programs of the derivations in `nix/lib.nix`: check and copy one plugin, or assemble a set of plugins.

Runs in a build sandbox: the standard library, the YAML libraries and the static part of `hermes_sdk` only.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.documents import MAX_JSON_BYTES, parse_json, read_text
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.manifest import guessed_kind, load_yaml, locate, manifest_file


class Identity(NamedTuple):
    """Identity of a plugin for the host: the name in the manifest, and the declared or guessed kind."""

    name: str
    kind: str


def build_plugin(source: Path, out: Path, name: str | None, kind: str | None, excluded: Sequence[str]) -> None:
    """Check the plugin in a source and copy it.

    Args:
        source: A plugin directory, or a project that contains one.
        out: The path of the copy.
        name: The name that the Nix expression assumes; None if it does not know the name.
        kind: The kind that the Nix expression assumes; None if it does not know the kind.
        excluded: Patterns of file names to omit.

    Raises:
        UsageError: The plugin cannot be used; the message lists every reason on its own line.
    """
    located = locate(source)
    if located.manifest is None:
        raise UsageError("the plugin is an entry point without plugin.yaml", fix="Put it into extraPythonPackages.")
    command = [sys.executable, "-s", "-B", "-m", "hermes_sdk.check", str(source)]
    if subprocess.run(command, check=False, env=_environment()).returncode:
        raise UsageError("hermes-sdk check found errors in the plugin", where=str(source))
    problems = [*_differences(identity(located.directory), name, kind), *_escaping_links(located.directory, excluded)]
    if problems:
        raise UsageError("\n".join(problems), where=str(source))
    shutil.copytree(located.directory, out, symlinks=True, ignore=shutil.ignore_patterns(*excluded))


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def identity(directory: Path) -> Identity:
    """Return the identity of a plugin.

    Args:
        directory: The directory with its manifest.

    Raises:
        UsageError: The manifest has no name.
    """
    file = manifest_file(directory)
    manifest = load_yaml(file.read_text(encoding="utf-8-sig")) if file else None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("name"), str):
        raise UsageError("plugin.yaml has no name", where=str(directory), fix="Write `name: <the plugin's name>`.")
    kind = manifest["kind"] if "kind" in manifest else guessed_kind(directory)
    return Identity(manifest["name"], str(kind).strip().lower())


def _differences(found: Identity, name: str | None, kind: str | None) -> Iterator[str]:
    if name not in (None, found.name):
        yield f"plugin.yaml says name {found.name!r}, the Nix expression says {name!r}"
    if kind not in (None, found.kind):
        yield f"the host takes the plugin for kind {found.kind!r}, the Nix expression says {kind!r}"


def _escaping_links(directory: Path, excluded: Sequence[str]) -> Iterator[str]:
    """Yield links that do not lead to a file of the plugin, and would be broken in the store."""
    root = directory.resolve()
    for folder, folders, files in os.walk(directory):
        kept = [name for name in folders if not any(fnmatch.fnmatch(name, pattern) for pattern in excluded)]
        for path in (Path(folder, name) for name in [*kept, *files]):
            if path.is_symlink() and not (path.exists() and path.resolve().is_relative_to(root)):
                yield f"{path.relative_to(directory)} is a link to {path.readlink()}, which the plugin does not hold"
        folders[:] = kept


def build_set(plan: dict[str, Any], out: Path) -> None:
    """Build the links and settings of one home.

    Args:
        plan: ``plugins`` (built plugins), ``places`` (the prefixes of their paths below ``plugins/``, by kind),
            ``pythonPackages`` (directories with their requirements), ``host`` (patterns for the directories with the
            host's packages), ``directories`` (to create in the home) and ``config`` (for its `config.yaml`).
        out: The directory for ``links/``, which mirrors ``plugins/`` of the home, ``plan.json`` and ``python-path``.

    Raises:
        UsageError: Two plugins have the same name, or a Python package cannot be used.
    """
    plugins: defaultdict[str, list[str]] = defaultdict(list)
    places: dict[str, str] = {}
    for plugin in plan["plugins"]:
        name, kind = identity(Path(plugin))
        plugins[name].append(plugin)
        places[plan["places"].get(kind, plan["places"]["standalone"]) + name] = name
    twice = [f"{name!r} is the name of {' and of '.join(found)}" for name, found in plugins.items() if found[1:]]
    if twice:
        raise UsageError("\n".join([*twice, "The host would load one of them only."]), fix="Remove all but one.")
    (out / "links").mkdir(parents=True)
    for place, name in places.items():
        link = out / "links" / place
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(plugins[name][0])
    planned = {"places": places, "directories": plan["directories"], "config": plan["config"]}
    (out / "plan.json").write_text(json.dumps(planned, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    (out / "python-path").write_text(":".join(plan["pythonPackages"]), encoding="utf-8")
    _judge_python([Path(one) for one in plan["pythonPackages"]], plan["host"])


def _judge_python(packages: Sequence[Path], host: Sequence[str]) -> None:
    """Reject distributions that occur twice, because Python uses only one: that of Hermes, otherwise the first.

    Args:
        packages: Directories for PYTHONPATH.
        host: Patterns for the directories with the host's own packages.

    Raises:
        UsageError: There are no packages in a directory, or they are for another version of Python than the host's.
    """
    own = [path for pattern in host for path in Path("/").glob(pattern.removeprefix("/"))]
    versions = {path.parent.name for path in own}
    found: defaultdict[str, list[str]] = defaultdict(list)
    for directory in [*own, *packages]:
        if not directory.is_dir() or (versions and directory.parent.name not in versions):
            fix = f"Build it for the host's Python{': ' if versions else ''}{', '.join(sorted(versions))}."
            raise UsageError("these are no Python packages for the host", where=str(directory), fix=fix)
        for metadata in sorted(directory.glob("*.dist-info")):
            found[re.sub(r"[-_.]+", "-", metadata.name.split("-")[0]).lower()].append(str(directory))
    for name, places in found.items():
        if set(places) & set(map(str, packages)) and places[1:]:
            print(f"hermes-plugins: {name} is in {' and in '.join(places)}; the first one counts", file=sys.stderr)


def main(argv: Sequence[str]) -> int:
    """Run one command; the exit code is 0, or 1 with the reason on stderr."""
    parser = argparse.ArgumentParser(prog="builder", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    plugin = commands.add_parser("plugin")
    plugin.add_argument("source", type=Path)
    plugin.add_argument("out", type=Path)
    plugin.add_argument("--name")
    plugin.add_argument("--kind")
    plugin.add_argument("--exclude", action="append", default=[])
    plugins = commands.add_parser("set")
    plugins.add_argument("plan", type=Path)
    plugins.add_argument("out", type=Path)
    given = parser.parse_args(argv)
    try:
        if given.command == "plugin":
            build_plugin(given.source, given.out, given.name, given.kind, given.exclude)
        else:
            build_set(parse_json(read_text(given.plan, max_bytes=MAX_JSON_BYTES)), given.out)
    except HermesSdkError as error:
        print(f"hermes-plugins: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
