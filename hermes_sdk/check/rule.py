"""Rules and how they are declared; the docstring of `hermes_sdk.check.rules` says how to write one."""

# Annotations are not strings here: `NamedTuple` would compile each of them.

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from hermes_sdk.check.model import Finding, Profile, Repair, Severity
from hermes_sdk.contract.ordering import parse_release

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

Example = Mapping[str, str | bytes]
"""The files of a plugin by name."""

MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: An example.\n"
NOTHING = "def register(ctx):\n    ctx.register_command('example', lambda line: 'fine')\n"
"""A plugin with nothing wrong: one that registers nothing has."""


def example(
    source: str = NOTHING, *, manifest: str | bytes = MANIFEST, files: Mapping[str, str | bytes] | None = None
) -> Example:
    """Make a plugin of two files, ``plugin.yaml`` and ``__init__.py``, with nothing wrong unless an argument says so.

    Args:
        source: The content of ``__init__.py``.
        manifest: The content of ``plugin.yaml``.
        files: Further files by name.
    """
    return {"plugin.yaml": manifest, "__init__.py": source, **(files or {})}


class Problem(NamedTuple):
    """Problem that a rule finds at one place; its other texts are those of the rule unless they are given here."""

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
"""What a rule looks at, by the parameters of its function."""


class Rule(NamedTuple):
    """One way in which a plugin can be wrong.

    Attributes:
        code: Never used again for another rule.
        name: That of its function.
        why: What goes wrong when nobody acts.
        fix: What to do, where a finding knows nothing more exact.
        severity: Of its findings, unless one says otherwise.
        good: The same plugin, repaired.
        check: Finds the problems; None for a rule that the engine does not run.
        since: The first release that the rule concerns.
        until: The first release that it no longer concerns; empty if it concerns all later ones.
        behaviour: The behaviour flag that its claim depends on: it concerns only releases with the flag, or those
            without it if ``not`` and a space precede the name. Empty: no flag changes what the rule says.
        references: Statements of the host's behaviour (``A34``) and addresses of web pages.
        catalog: The numbers of the admission rules of the public catalog that it decides: under the profile
            ``catalog`` its findings are errors, and the author cannot suppress them.
        profile: ``catalog`` for a rule that is run under that profile only.
        needs: Texts; only a source that holds one of them can have a finding. Empty: any source can.
        call: The methods of ``ctx`` whose calls it judges, with spaces between them.
        statuses: Those of the report that a rule about a load can judge.
        question: What only a person can decide.
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
        """The behaviour flag that its claim depends on; empty without one."""
        return str.removeprefix(self.behaviour, "not ")

    @property
    def is_before_flag(self) -> bool:
        """Whether it concerns only releases without the flag."""
        return self.flag != self.behaviour

    def concerns(self, contract: "Contract") -> bool:
        """Return whether it says anything about a release."""
        if self.flag and getattr(contract.behaviour, self.flag) == self.is_before_flag:
            return False
        release = parse_release(contract.release)
        return parse_release(self.since) <= release and not (self.until and parse_release(self.until) <= release)

    @property
    def runs_code(self) -> bool:
        """Return whether it runs code of the plugin."""
        return self.subject in ("load", "registration", "forms", "wheel", "trial")

    def finding(self, problem: Problem) -> Finding:
        """Make a finding of a problem."""
        message, path, line, column, severity, fix, repair = problem
        return Finding(
            self.code, severity or self.severity, message, path, line, column, self.why, fix or self.fix, repair=repair
        )

    def findings(self, *subject: object) -> Iterator[Finding]:
        """Look at a subject, which is given as its function takes it."""
        if self.check:
            yield from map(self.finding, self.check(*subject))


class Rules(list[Rule]):
    """The rules of a family."""

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
        """Make a function a rule: its parameters say what it looks at, its docstring has title, reason and fix.

        The arguments are those of `Rule`. One that is `online` asks the network; when it raises
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
