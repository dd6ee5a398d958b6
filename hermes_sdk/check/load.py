"""Result of loading a plugin in a child process; without a load, registrations are read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from hermes_sdk.check.source import Source
from hermes_sdk.check.source_registrations import SourceReader
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import NotSupported

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.errors import HermesSdkError
    from hermes_sdk.hosts.interface import Inspection, Registration, Report


class Load:
    """Result of loading a plugin on one release.

    Attributes:
        contract: The contract of the release.
        inspection: The host's report; None if the child process crashed, or nothing was loaded.
        error: The error of a child process that crashed.
        missing_host: Reason why there is no real host for a plugin that the embedded host does not support.
        reader: The reader for the source of a plugin that is not loaded; shared by all loads of one plugin.
    """

    def __init__(
        self,
        reader: SourceReader,
        contract: Contract,
        inspection: Inspection | None = None,
        *,
        error: HermesSdkError | None = None,
        missing_host: str = "",
    ) -> None:
        self.plugin = reader.plugin
        self.contract = contract
        self.inspection = inspection
        self.error = error
        self.missing_host = missing_host
        self.reader = reader

    @property
    def report(self) -> Report:
        """The report of `hermes-sdk show`; requires an `inspection`."""
        assert self.inspection is not None
        return self.inspection["report"]

    @property
    def loaded(self) -> bool:
        """True if the host reports the plugin as loaded."""
        return self.inspection is not None and self.report["status"] == "loaded"

    @property
    def has_failed(self) -> bool:
        """True if the plugin fails to load; False if the host does not support it."""
        if self.inspection is None:
            return self.error is not None and not isinstance(self.error, (NotSupported, UsageError))
        return self.report["status"] == "failed"

    @property
    def failure(self) -> tuple[str, tuple[str, int]]:
        """The reason why the plugin does not load, and the place in its source."""
        if self.inspection is None:
            return (self.error.message.removesuffix(".") if self.error else ""), (self.plugin.entry, 1)
        failure = self.inspection["failure"]
        place = failure["place"] if failure else None
        where = self.place(place["file"], place["line"]) if place else self._find_register()
        return str(failure["error"] if failure else self.report["error"]), where

    def _find_register(self) -> tuple[str, int]:
        """Return the place of the function ``register``, or the start of the plugin's module if it has none."""
        source = self._find_source(self.plugin.entry)
        functions = source.nodes(ast.FunctionDef) if source else []
        return self.plugin.entry, next((one.lineno for one in functions if one.name == "register"), 1)

    @property
    def works(self) -> bool:
        """True if the host supports the plugin and loads or skips it without an error."""
        return self.inspection is not None and self.report["status"] not in ("failed", "unsupported")

    @property
    def has_other_loader(self) -> bool:
        """True if a provider loader, which has another `ctx`, loads the plugin and found a provider in it."""
        report = self.inspection["report"] if self.inspection else None
        if report is None or report["status"] != "skipped":
            return False
        return bool(report["memory_provider"] or report["model_providers"])

    def registrations(self, *calls: str) -> list[Registration]:
        """Return the calls of methods of ``ctx``, such as ``register_tool``, in order; by default, of all methods.

        These are the calls that the host recorded or, without a load, the unconditional calls in the source.
        """
        if self.loaded:
            assert self.inspection is not None
            found = self.inspection["registrations"]
        else:
            found = self.reader.read(self.contract)
        return [one for one in found if not calls or one["call"] in calls]

    def call_place(self, registration: Registration) -> tuple[str, int, int]:
        """Return the place of a ``ctx.register_*`` call; the plugin's main module if the call is not in its files."""
        path, line = self.place(registration["file"], registration["line"])
        source = self._find_source(path)
        calls = source.calls(f".{registration['call']}") if source else ()
        return path, line, _find_column(source, line, (one for one in calls if one.func.end_lineno == line))

    def callable_place(
        self, registration: Registration, key: Literal["callable", "setup"] = "callable"
    ) -> tuple[str, int, int]:
        """Return the place of a registered handler or callback, or of the registration if the source has none."""
        target = registration.get(key)  # A registration that was read from the source may lack the key.
        if target is None or target["file"] is None:
            return self.call_place(registration)
        path, line = self.place(target["file"], target["line"])
        source = self._find_source(path)
        lambdas = source.nodes(ast.Lambda) if source and target["name"] == "<lambda>" else ()
        return path, line, _find_column(source, line, lambdas)

    def _find_source(self, path: str) -> Source | None:
        return next((one for one in self.plugin.sources if one.path == path), None)

    def place(self, file: str | None, line: int | None) -> tuple[str, int]:
        """Return the path for findings and the line; without a file, the first line of the plugin's main module."""
        plugin = self.plugin
        return (plugin.relative(plugin.located.directory / file), line or 1) if file else (plugin.entry, 1)


def _find_column(source: Source | None, line: int, nodes: Iterable[ast.expr]) -> int:
    """Return the column of the first node that begins on a line, else of the line's first non-blank character."""
    if source is None:
        return 1
    columns = [source.place(node)[2] for node in nodes if node.lineno == line]
    text = source.line(line)
    return min(columns, default=len(text) - len(text.lstrip()) + 1)
