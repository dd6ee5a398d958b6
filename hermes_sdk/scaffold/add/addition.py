"""Base class of everything that can be added."""

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
    """Something that is added to a plugin.

    Args:
        release: The oldest release that the plugin is for.

    Attributes:
        kind: What users call it.
        method: The method of ``ctx`` that registers it; for what is not registered, the function that reads it.
        stem: The module of a plugin that holds such things.
        about: What that module says of itself; empty when nothing but the registration is code.
        listed: The key of the manifest that lists such things.
        must_be_listed: Whether users and catalogs rely on that list.
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
        """Return the code to add to the file, whose imports are already there; by default none.

        Raises:
            UsageError: A name that it needs is taken in the file.
        """
        return ""

    def declare(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return what changes in the manifest, whose fields are given.

        Raises:
            UsageError: The key has a value that cannot grow.
        """
        listed = fields.get(self.listed)
        if listed is not None and not isinstance(listed, list):
            raise UsageError(f"{self.listed} is not a list", fix="Run `hermes-sdk check --fix`, which may repair it.")
        if self.name in (listed or ()) or not (self.must_be_listed or listed is not None):
            return {}
        return {self.listed: [*(listed or ()), self.name]}

    @abstractmethod
    def call(self, at: str) -> str:
        """The statement in `register` for it, such as a call of a method of ``ctx``.

        Args:
            at: What stands before names of the definitions, such as ``tools.``.
        """

    @abstractmethod
    def test(self, code: Code) -> str:
        """A test of it, which passes at once, for a file that then has what it imports beside `Host`."""

    def free(self, code: Code, pattern: str = "{}") -> str:
        """A name made from that of the addition which means nothing in a file yet.

        Raises:
            UsageError: It does, and so does the same with the kind behind it.
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
