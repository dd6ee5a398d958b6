"""Prints how a real host reads texts. Run it with the Python of the host; it reads a JSON list from standard input."""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from typing import Any


def describe(read: Any, text: str) -> str:
    """Return the repr of a document's value, or the name of the error."""
    try:
        value = read(text)
    except Exception as error:
        return f"{type(error).__name__}!"
    return repr(value)


def main() -> None:
    warnings.simplefilter("ignore")
    read = importlib.import_module("utils").fast_safe_load
    json.dump([describe(read, text) for text in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
