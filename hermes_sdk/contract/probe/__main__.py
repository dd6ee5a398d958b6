"""Write the contract of the hermes-agent that this Python has to the file named by the only argument, as JSON."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from typing import Any

from . import calls, distribution, hooks, names, signatures, tables
from .source import Source


def contract() -> dict[str, Any]:
    """Return every section of the contract."""
    source = Source(distribution.python_files())
    host = distribution.host()
    found = {
        "release": host.version,
        **signatures.sections(),
        **tables.sections(),
        **hooks.sections(source),
        **calls.sections(source),
        **distribution.sections(),
        **tables.cli_commands(),
        **names.sections(source),
    }
    return distribution.without_additions(found, host.name)


gc.disable()  # syntax trees are many small objects, and they stay until the end
Path(sys.argv[1]).write_text(json.dumps(contract()), encoding="utf-8")
