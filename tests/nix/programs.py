"""The programs of `nix/tools`, and sets of plugins as `builder.py` makes them."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nix.running import PLUGINS, ROOT

TOOLS = ROOT / "nix" / "tools"
sys.path.append(str(TOOLS))

import builder  # noqa: E402
import link  # noqa: E402
import settings  # noqa: E402

__all__ = ["TOOLS", "builder", "link", "make_set", "settings", "switch"]

PLACES = {
    "standalone": "nix-managed-",
    "platform": "nix-managed-",
    "exclusive": "",
    "model-provider": "model-providers/",
}


def make_set(out: Path, *plugins: str | Path, config: Mapping[str, Any] | None = None) -> Path:
    """Build a set of plugins from `plugins/` or other directories; by default, the set enables all of them."""
    # Use copies, because hosts write bytecode into the directories.
    paths = [
        Path(shutil.copytree(PLUGINS / plugin, out.parent / f"{out.name}-plugins" / str(number)))
        for number, plugin in enumerate(plugins)
    ]
    names = [builder.identity(path).name for path in paths]
    plan = {
        "plugins": list(map(str, paths)),
        "places": PLACES,
        "pythonPackages": [],
        "host": [],
        "directories": [],
        "config": {"plugins": {"enabled": names}} if config is None else config,
    }
    builder.build_set(json.loads(json.dumps(plan)), out)
    return out


def switch(home: Path, wanted: Path | None, on_conflict: str = "fail", *, dry_run: bool = False) -> list[str]:
    """Switch a home to a set, and return the texts of the steps."""
    steps = link.switch(link.Home(home), link.Set.read(wanted), on_conflict, dry_run=dry_run)
    return [step.text for step in steps]
