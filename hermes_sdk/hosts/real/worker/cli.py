"""One ``hermes …`` command in a process of its own."""

from __future__ import annotations

import importlib
import json
import sys

from ...in_worker.network_guard import LoopbackOnly
from . import child


def main(config: str, *argv: str) -> None:
    """Run the host's console script; `config` is what `child.become` takes, as JSON."""
    LoopbackOnly().install()
    child.become(json.loads(config))
    sys.argv = ["hermes", *argv]
    sys.exit(importlib.import_module("hermes_cli.main").main())
