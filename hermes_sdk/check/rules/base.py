"""What a rule is; the docstring of `hermes_sdk.check.rules` says how to write one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding, Profile, Repair, Severity
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from hermes_sdk.check.wheel import Wheel
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.show import Registration

Example = Mapping[str, str | bytes]
"""The files of a plugin by name."""

MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: An example.\n"
NOTHING = "def register(ctx):\n    ctx.register_command('example', lambda line: 'fine')\n"
"""A plugin with nothing wrong: one that registers nothing has."""


def example(
    source: str = NOTHING, *, manifest: str | bytes = MANIFEST, files: Mapping[str, str | bytes] | None = None
) -> Example:
    """A plugin of two files, ``plugin.yaml`` and ``__init__.py``, with nothing wrong unless an argument says so.

    Args:
        source: The content of ``__init__.py``.
        manifest: The content of ``plugin.yaml``.
        files: Further files by name.
    """
    return {"plugin.yaml": manifest, "__init__.py": source, **(files or {})}


class Rule:
    """One way in which a plugin can be wrong.

    It is no abstract base class: to create and to test classes of that kind takes a tenth of the time of a check.

    Attributes:
        code: Never used again for another rule.
        title: The problem in a few words.
        severity: Of its findings, unless one says otherwise.
        why: What goes wrong when nobody acts.
        fix: What to do, where a finding knows nothing more exact.
        bad: A plugin in which the rule finds something.
        good: The same plugin, repaired.
        since: The first release that the rule concerns.
        references: Statements of the host's behaviour (``A34``) and addresses of web pages.
        catalog: The numbers of the admission rules of the public catalog that it decides: under the profile
            ``catalog`` its findings are errors, and the author cannot suppress them.
        profile: ``catalog`` for a rule that is run under that profile only.
    """

    code: str
    title: str
    severity: Severity = "error"
    why: str
    fix: str
    bad: Example
    good: Example
    since: str = "0.13.0"
    references: tuple[str, ...] = ()
    catalog: tuple[int, ...] = ()
    profile: Profile = "default"

    def finding(
        self,
        message: str,
        path: str,
        line: int = 1,
        column: int = 1,
        *,
        severity: Severity | None = None,
        fix: str | None = None,
        repair: Repair | None = None,
    ) -> Finding:
        """A finding of this rule."""
        return Finding(
            self.code,
            severity or self.severity,
            message,
            path,
            line,
            column,
            self.why,
            fix or self.fix,
            repair=repair,
        )


class PluginRule(Rule):
    """A static rule that looks at the manifest or at the plugin's files as a whole."""

    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Look at a plugin."""
        raise NotImplementedError


class SourceRule(Rule):
    """A static rule that looks at each Python file that can be parsed.

    Attributes:
        needs: Texts; only a file that holds one of them can have a finding. Empty: any file can.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, source: Source) -> Iterator[Finding]:
        """Look at a file."""
        raise NotImplementedError


class ContractRule(Rule):
    """A static rule that holds the plugin against what one release promises."""

    def check(self, plugin: Plugin, contract: Contract) -> Iterator[Finding]:
        """Look at a plugin for one release; a message may name the release as `contract.release`."""
        raise NotImplementedError


class LoadRule(Rule):
    """A rule about the load itself.

    Attributes:
        statuses: Those of the report that it can judge.
    """

    statuses: ClassVar[tuple[str, ...]] = ("loaded", "failed")

    def check(self, load: Load) -> Iterator[Finding]:
        """Look at a load that may have failed, or ended the child process."""
        raise NotImplementedError


class RuntimeRule(Rule):
    """A rule that needs a plugin that loads."""

    def check(self, load: Load) -> Iterator[Finding]:
        """Look at what a loaded plugin registered."""
        raise NotImplementedError


class RegistrationRule(RuntimeRule):
    """A runtime rule that judges every call of one method of ``ctx``.

    Attributes:
        call: The method, such as ``register_tool``.
    """

    call: ClassVar[str]

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look at one call."""
        raise NotImplementedError

    def check(self, load: Load) -> Iterator[Finding]:
        """Judge the calls one by one."""
        for registration in load.registrations(self.call):
            yield from self.judge(registration, load)


class WheelRule(Rule):
    """A rule about the wheel that the project builds; not run for a plugin without a ``[project]`` table."""

    def check(self, plugin: Plugin, wheel: Wheel) -> Iterator[Finding]:
        """Look at a wheel."""
        raise NotImplementedError


class OnlineRule(Rule):
    """A rule that asks the network; run with ``--online`` only.

    It raises `hermes_sdk.errors.UnavailableError` when the network does not answer: then it counts as not run.
    """

    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Look at a plugin."""
        raise NotImplementedError


class ManualRule(Rule):
    """A rule that only a person can decide: it is printed as a question under its profile."""

    question: str
