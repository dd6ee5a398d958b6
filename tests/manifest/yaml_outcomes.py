"""Prints how a real host reads texts; run by its own Python, with the texts as JSON on standard input."""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from typing import Any


def describe(read: Any, text: str) -> str:
    """Return the value of a document as Python writes it, or the name of the error."""
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
