"""YAML as Hermes reads it since 0.22.2: ruamel.yaml with YAML 1.1, in C, and in Python if the C parser fails.

Both parsers are needed, since they read tabs, anchors and colons within brackets differently. Importing ruamel.yaml
takes as long as importing PyYAML.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable
from typing import IO, Any, TypeVar

from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError, DuplicateKeyError, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from hermes_sdk.documents import MAX_NODES
from hermes_sdk.manifest.limits import refuse_deep, refuse_wide

__all__ = [
    "ConstructorError",
    "DuplicateKeyError",
    "MarkedYAMLError",
    "ReaderError",
    "YAMLError",
    "compose_yaml",
    "construct_yaml",
    "load_document",
    "load_stream",
]

_Result = TypeVar("_Result")

# ruamel.yaml reads these with a warning: a number such as 1e3, and an anchor that is used again.
_WARNED = re.compile(r"[\d_][eE]|&")
_warnings_lock = threading.Lock()


def load_document(content: str) -> Any:
    """Return the value of one YAML document, as `hermes_sdk.manifest.load.load_yaml` does."""
    return _read_in_c_or_python(content, lambda yaml: yaml.load(content), MAX_NODES)


def load_stream(stream: str | bytes | IO[Any]) -> Any:
    """Return the value of one YAML document in a string, in bytes or in an open file."""
    content = stream if isinstance(stream, (str, bytes)) else stream.read()
    return load_document(content if isinstance(content, str) else content.decode())


def compose_yaml(text: str, *, max_nodes: int = MAX_NODES) -> Any:
    """Return the nodes of one YAML document; None for an empty document.

    Raises:
        YAMLError: The text is not a single YAML document.
        RefusedError: It is too large or too deep.
    """
    return _read_in_c_or_python(text, lambda yaml: yaml.compose(text), max_nodes)


def construct_yaml(root: Any) -> Any:
    """Return the value of nodes from `compose_yaml`."""
    return _Yaml(pure=True).constructor.construct_document(root)


class _Yaml(YAML):
    """ruamel.yaml with Hermes' configuration."""

    def __init__(self, *, pure: bool) -> None:
        super().__init__(typ="safe", pure=pure)
        self.version = (1, 1)

    def official_plug_ins(self) -> list[Any]:
        """Return no plug-ins: searching the disk for them takes longer than reading a manifest."""
        return []


def _read_in_c_or_python(text: str, read: Callable[[Any], _Result], max_nodes: int) -> _Result:
    """Read a text with the parser in C, or with that in Python if the former rejects the text."""

    class Constructor(SafeConstructor):
        def construct_document(self, node: Any) -> Any:
            refuse_wide(node, text, max_nodes)
            return super().construct_document(node)

    def read_by(*, pure: bool) -> _Result:
        refuse_deep(text, lambda text: _Yaml(pure=pure).parse(text))
        yaml = _Yaml(pure=pure)
        yaml.Constructor = Constructor
        return read(yaml)

    def read_by_either() -> _Result:
        try:
            return read_by(pure=False)
        except YAMLError:
            return read_by(pure=True)

    if not _WARNED.search(text):
        return read_by_either()
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_by_either()
