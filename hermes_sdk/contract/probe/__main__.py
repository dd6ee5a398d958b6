"""Write the contract of the hermes-agent that this Python has as JSON to a file.

The file is the first argument; with a second one, only the fingerprints are written. Standard input has the functions
to take fingerprints of, as a JSON list.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from typing import Any

from . import calls, distribution, fingerprints, hooks, names, signatures, tables
from .source import Source


def contract(source: Source) -> dict[str, Any]:
    """Return every section of the contract but the fingerprints."""
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


def main(file: str, *only: str) -> None:
    """Write the contract, or only the fingerprints."""
    source = Source(distribution.python_files())
    found = {"release": distribution.host().version} if only else contract(source)
    found |= fingerprints.sections(source, json.load(sys.stdin))
    Path(file).write_text(json.dumps(found), encoding="utf-8")


gc.disable()  # syntax trees are many small objects, and they stay until the end
main(*sys.argv[1:])
