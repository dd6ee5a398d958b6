"""Base class of all additions."""

from __future__ import annotations

import builtins
import keyword
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from hermes_sdk.contract import Contract
from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.code import Code


class Addition(ABC):
    """Something to add to a plugin.

    Args:
        release: The oldest release that the plugin supports.

    Attributes:
        kind: The name in the command line, such as ``tool``.
        method: The method of ``ctx`` that registers it; for settings and variables, the function that reads them.
        stem: The name of the plugin's module for additions of this kind.
        about: The docstring of that module; empty if the addition needs no code apart from the registration.
        listed: The manifest key that lists additions of this kind.
        must_be_listed: Whether to create that list, because users and catalogs rely on it.
    """

    kind: ClassVar[str]
    method: ClassVar[str]
    stem: ClassVar[str]
    about: ClassVar[str] = ""
    listed: ClassVar[str]
    must_be_listed: ClassVar[bool] = False

    def __init__(self, name: str, plugin: str, release: Contract) -> None:
        self.name = name
        self.plugin = plugin
        self.release = release
        self.title = re.sub(r"[_-]+", " ", name).strip().capitalize()
        self.identifier = re.sub(r"\W", "_", name)

    def definitions(self, code: Code) -> str:  # noqa: ARG002
        """Return the code to add to the file; empty by default. Its imports are added to the file directly.

        Raises:
            UsageError: The file already uses a name that the code needs.
        """
        return ""

    def declare(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the changes to the manifest with these fields.

        Raises:
            UsageError: The value of the key is not a list.
        """
        listed = fields.get(self.listed)
        if listed is not None and not isinstance(listed, list):
            raise UsageError(f"{self.listed} is not a list", fix="Run `hermes-sdk check --fix`, which may repair it.")
        if self.name in (listed or ()) or not (self.must_be_listed or listed is not None):
            return {}
        return {self.listed: [*(listed or ()), self.name]}

    @abstractmethod
    def call(self, at: str) -> str:
        """Return the statement for `register`, such as a call of a method of ``ctx``.

        Args:
            at: Prefix for the names of the definitions, such as ``tools.``.
        """

    @abstractmethod
    def test(self, code: Code) -> str:
        """Return a test that passes without edits, and add its imports, except `Host`, to the file."""

    def find_free_name(self, code: Code, pattern: str = "{}") -> str:
        """Return a name for the addition that the file does not use yet.

        Raises:
            UsageError: The file uses both the name and the name with the kind as a suffix.
        """
        for stem in (self.identifier, f"{self.identifier}_{self.kind.replace('-', '_')}"):
            name = pattern.format(stem)
            if not (keyword.iskeyword(name) or hasattr(builtins, name) or {name, name.upper()} & code.names):
                return name
        raise UsageError(
            f"the name `{pattern.format(self.identifier)}` is already used",
            where=str(code.path),
            fix="Choose another name.",
        )
