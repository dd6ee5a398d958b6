"""Declaration of rules; the docstring of `hermes_sdk.check.rules` explains how to write one."""

# No `from __future__ import annotations`: `NamedTuple` would compile each annotation.

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from hermes_sdk.check.model import Finding, Profile, Repair, Severity
from hermes_sdk.contract.ordering import parse_release

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

Example = Mapping[str, str | bytes]
"""Content of the files of a plugin, by name."""

MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: An example.\n"
NOTHING = "def register(ctx):\n    ctx.register_command('example', lambda line: 'fine')\n"
"""Source of a plugin without findings; HS216 reports a plugin that registers nothing."""


def example(
    source: str = NOTHING, *, manifest: str | bytes = MANIFEST, files: Mapping[str, str | bytes] | None = None
) -> Example:
    """Return an example plugin with a ``plugin.yaml`` and an ``__init__.py``; the defaults have no findings.

    Args:
        source: The content of ``__init__.py``.
        manifest: The content of ``plugin.yaml``.
        files: Content of other files, by name.
    """
    return {"plugin.yaml": manifest, "__init__.py": source, **(files or {})}


class Problem(NamedTuple):
    """Problem that a rule finds at one place; the rule has the defaults for severity and fix."""

    message: str
    path: str
    line: int = 1
    column: int = 1
    severity: Severity | None = None
    fix: str | None = None
    repair: Repair | None = None


Check = Callable[..., Iterator[Problem]]

Subject = Literal[
    "plugin",
    "yaml",
    "source",
    "contract",
    "load",
    "registration",
    "wheel",
    "trial",
    "network",
    "person",
    "suppression",
    "forms",
]

_SUBJECTS: Mapping[tuple[str, ...], Subject] = {
    ("plugin",): "plugin",
    ("plugin", "reader"): "yaml",
    ("source",): "source",
    ("plugin", "contract"): "contract",
    ("load",): "load",
    ("registration", "load"): "registration",
    ("plugin", "wheel"): "wheel",
    ("trial",): "trial",
    ("load", "other"): "forms",
}
"""Subject of a rule, by the parameters of its function."""


class Rule(NamedTuple):
    """Rule of the check.

    Attributes:
        code: Unique, and never reused for another rule.
        name: The name of its function.
        why: Consequence of the problem.
        fix: Default advice; a finding may have a more specific one.
        severity: Default severity of its findings.
        good: The plugin of `bad` without the problem.
        check: Finds the problems; None for a rule that the engine does not run.
        since: The first affected release.
        until: The first release that is no longer affected; empty if all later ones are.
        behaviour: The behaviour flag of the affected releases, or ``not`` and the flag for releases without it; empty
            if the rule does not depend on a flag.
        references: Statements of the host's behaviour (``A34``) and URLs.
        catalog: The numbers of the admission rules of the public catalog that it decides. With the profile
            ``catalog``, its findings are errors that cannot be suppressed.
        profile: ``catalog`` for a rule that runs only with that profile.
        needs: The rule skips sources without any of these texts; empty to run on all sources.
        call: The checked methods of ``ctx``, separated by spaces.
        statuses: The statuses of the report for which a rule about a load runs.
        question: The statement for a person to confirm.
    """

    code: str
    name: str
    title: str
    why: str
    fix: str
    severity: Severity
    bad: Example
    good: Example
    subject: Subject
    check: Check | None = None
    since: str = "0.13.0"
    references: tuple[str, ...] = ()
    catalog: tuple[int, ...] = ()
    profile: Profile = "default"
    needs: tuple[str, ...] = ()
    call: str = ""
    statuses: tuple[str, ...] = ("loaded",)
    question: str = ""
    behaviour: str = ""
    until: str = ""

    @property
    def flag(self) -> str:
        """The name of the behaviour flag in `behaviour`; empty if there is none."""
        return str.removeprefix(self.behaviour, "not ")

    @property
    def is_before_flag(self) -> bool:
        """True if only releases without the flag are affected."""
        return self.flag != self.behaviour

    def concerns(self, contract: "Contract") -> bool:
        """Return whether the rule applies to a release."""
        if self.flag and getattr(contract.behaviour, self.flag) == self.is_before_flag:
            return False
        release = parse_release(contract.release)
        return parse_release(self.since) <= release and not (self.until and parse_release(self.until) <= release)

    @property
    def runs_code(self) -> bool:
        """True if the rule runs code of the plugin."""
        return self.subject in ("load", "registration", "forms", "wheel", "trial")

    def finding(self, problem: Problem) -> Finding:
        """Create a finding from a problem."""
        message, path, line, column, severity, fix, repair = problem
        return Finding(
            self.code, severity or self.severity, message, path, line, column, self.why, fix or self.fix, repair=repair
        )

    def findings(self, *subject: object) -> Iterator[Finding]:
        """Yield the findings in a subject, which is passed to the rule's function."""
        if self.check:
            yield from map(self.finding, self.check(*subject))


class Rules(list[Rule]):
    """Rules of a family."""

    def rule(
        self,
        code: str,
        *,
        bad: Example,
        good: Example,
        severity: Severity = "error",
        since: str = "0.13.0",
        until: str = "",
        behaviour: str = "",
        references: tuple[str, ...] = (),
        catalog: tuple[int, ...] = (),
        profile: Profile = "default",
        needs: tuple[str, ...] = (),
        call: str = "",
        statuses: tuple[str, ...] = ("loaded",),
        online: bool = False,
    ) -> Callable[[Check], Check]:
        """Register a function as a rule: its parameters select the subject, its docstring has title, reason and fix.

        The arguments are those of `Rule`. An `online` rule uses the network; if it raises
        `hermes_sdk.errors.UnavailableError`, it counts as not run.
        """

        def add(check: Check) -> Check:
            parameters = check.__code__.co_varnames[: check.__code__.co_argcount]
            subject = "network" if online else _SUBJECTS[parameters]
            title, why, fix = (" ".join(part.split()) for part in (check.__doc__ or "").split("\n\n"))
            texts = (code, check.__name__, title, why, fix.removeprefix("Fix: "), severity)
            rule = Rule(*texts, bad, good, subject, check, since, references, catalog, profile, needs, call, statuses)
            self.append(rule._replace(behaviour=behaviour, until=until))
            return check

        return add
