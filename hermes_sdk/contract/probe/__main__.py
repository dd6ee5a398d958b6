"""Write the contract of the hermes-agent in this Python environment to a JSON file.

The file is the first argument; with a second one, only the fingerprints are written. Standard input is a JSON list of
the functions to fingerprint.
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
    """Return all sections of the contract except the fingerprints."""
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
    return distribution.remove_additions(found, host.name)


def main(file: str, *only: str) -> None:
    """Write the contract, or only the fingerprints."""
    source = Source(distribution.python_files())
    found = {"release": distribution.host().version} if only else contract(source)
    found |= fingerprints.sections(source, json.load(sys.stdin))
    Path(file).write_text(json.dumps(found), encoding="utf-8")


gc.disable()  # Syntax trees consist of many small objects that live until the process ends.
main(*sys.argv[1:])
