"""What a rule is.

A rule is one small class: who it is (code, title), what it means to the author (severity, why, fix, a bad and a good
example), and one method that looks. The method depends on what the rule looks at:

    PluginRule         the manifest and the files                              check(plugin)
    SourceRule         nodes of the syntax trees, in the one pass over a file  visit(node, source, plugin)
    LoadRule           how loading the plugin in a child process went          check(plugin, load)
    RuntimeRule        what a plugin that loaded has registered                check(plugin, inspection)
    RegistrationRule   each call of one ``ctx.register_*`` among that          judge(registration, plugin)
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from hermes_sdk.check.model import Finding, Severity
from hermes_sdk.check.plugin import Plugin, Source

if TYPE_CHECKING:
    from hermes_sdk.errors import HermesSdkError
    from hermes_sdk.hosts.show import Inspection, Registration

Load: TypeAlias = "Inspection | HermesSdkError"
"""What a child process saw of a plugin, or how it ended when it did not survive."""

Example = Mapping[str, str | bytes]
"""The files of a plugin by name."""

MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: An example.\n"
NOTHING = "def register(ctx):\n    pass\n"


def example(source: str = NOTHING, *, manifest: str | bytes = MANIFEST) -> Example:
    """A plugin of two files, ``plugin.yaml`` and ``__init__.py``, with nothing wrong unless an argument says so."""
    return {"plugin.yaml": manifest, "__init__.py": source}


class Rule(ABC):
    """One way in which a plugin can be wrong.

    Attributes:
        code: Never used again for another rule.
        title: The problem in a few words.
        severity: Of its findings, unless one says otherwise.
        why: What goes wrong when nobody acts.
        fix: What to do, where a finding knows nothing more exact.
        bad: A plugin in which the rule finds something.
        good: The same plugin, repaired.
        since: The first release that the rule concerns.
    """

    code: str
    title: str
    severity: Severity = "error"
    why: str
    fix: str
    bad: Example
    good: Example
    since: str = "0.13.0"

    def finding(
        self,
        message: str,
        path: str,
        line: int = 1,
        column: int = 1,
        *,
        severity: Severity | None = None,
        fix: str | None = None,
    ) -> Finding:
        """A finding of this rule."""
        return Finding(self.code, severity or self.severity, message, path, line, column, self.why, fix or self.fix)


class PluginRule(Rule):
    """A static rule that looks at the manifest or at the plugin's files as a whole."""

    @abstractmethod
    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Look at a plugin."""


class SourceRule(Rule):
    """A static rule that looks at the syntax tree of each source.

    Attributes:
        nodes: The types of the nodes that it wants to see.
    """

    nodes: ClassVar[tuple[type[ast.AST], ...]]

    @abstractmethod
    def visit(self, node: ast.AST, source: Source, plugin: Plugin) -> Iterator[Finding]:
        """Look at one node."""


class LoadRule(Rule):
    """A rule about the load itself."""

    @abstractmethod
    def check(self, plugin: Plugin, load: Load) -> Iterator[Finding]:
        """Look at what a child process saw, or at the error that says how it ended."""


class RuntimeRule(Rule):
    """A rule that needs a plugin that loads."""

    @abstractmethod
    def check(self, plugin: Plugin, inspection: Inspection) -> Iterator[Finding]:
        """Look at what a loaded plugin registered."""


class RegistrationRule(RuntimeRule):
    """A runtime rule that judges every call of one method of ``ctx``.

    Attributes:
        call: The method, such as ``register_tool``.
    """

    call: ClassVar[str]

    @abstractmethod
    def judge(self, registration: Registration, plugin: Plugin) -> Iterator[Finding]:
        """Look at one call."""

    def check(self, plugin: Plugin, inspection: Inspection) -> Iterator[Finding]:
        """Judge the calls one by one."""
        for registration in inspection["registrations"]:
            if registration["call"] == self.call:
                yield from self.judge(registration, plugin)


def call_place(registration: Registration, plugin: Plugin) -> tuple[str, int]:
    """Path and line of a ``ctx.register_*`` call; the plugin's ``__init__.py`` when the call is outside its files."""
    return source_place(registration["file"], registration["line"], plugin)


def callable_place(registration: Registration, plugin: Plugin) -> tuple[str, int]:
    """Path and line of the handler or callback that was registered; that of the call when it has none."""
    target = registration["callable"]
    if target is None or target["file"] is None:
        return call_place(registration, plugin)
    return source_place(target["file"], target["line"], plugin)


def source_place(file: str | None, line: int | None, plugin: Plugin) -> tuple[str, int]:
    """Path and line of a place in the plugin's source, as findings name it; its ``__init__.py`` for none."""
    return (plugin.relative(plugin.located.directory / file), line or 1) if file else (plugin.entry, 1)
