"""Admission checks of the catalog on the committed plugin, and its entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hermes_sdk import contract
from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Result, ToConfirm, Upstream
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules.catalog import QUARANTINE, dependencies_in_quarantine, list_dependencies
from hermes_sdk.check.upstream import Shipped, add_verdicts, choose_release, judge
from hermes_sdk.compat import cells
from hermes_sdk.compat.matrix import Watch, matrices
from hermes_sdk.contract.ordering import Supported
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.files import write_file
from hermes_sdk.hosts import judges
from hermes_sdk.journal import scratch_directory
from hermes_sdk.manifest import Located, locate, portable
from hermes_sdk.operate import git
from hermes_sdk.operate.tree import ship
from hermes_sdk.submit.capabilities import Uses, find_uses
from hermes_sdk.submit.entry import make_entry, make_https, make_key, render

State = Literal["passed", "failed", "not run"]


class Step(NamedTuple):
    """The result of a check.

    Attributes:
        name: The name, such as ``hermes plugins validate``.
        state: The result; a check that did not run has not passed.
        detail: A sentence about the result, or why the check did not run.
        problems: The problems to fix, each on one line.
    """

    name: str
    state: State
    detail: str
    problems: tuple[str, ...] = ()


class Policy(NamedTuple):
    """The applied policy.

    Attributes:
        release: The release of Hermes whose own checks were run.
        host: The installed distribution of that release.
        newest: Releases of dependencies after this day are in quarantine.
    """

    release: str
    host: str
    day: date
    newest: date


class Submission(NamedTuple):
    """The entry of a plugin, and the results of the checks.

    Attributes:
        path: The plugin, relative to the repository.
        source: A description of the checked source.
        differing: The files whose content on disk differs from the commit.
        text: The YAML of the entry.
        questions: Questions for a person to confirm.
    """

    path: str
    source: str
    differing: tuple[str, ...]
    policy: Policy
    steps: tuple[Step, ...]
    uses: Uses
    entry: dict[str, Any]
    text: str
    questions: tuple[ToConfirm, ...]

    @property
    def is_ready(self) -> bool:
        """Return whether all steps passed."""
        return all(step.state == "passed" for step in self.steps)

    @property
    def failed(self) -> bool:
        """Return whether any step failed."""
        return any(step.state == "failed" for step in self.steps)


def submit(path: Path, *, release: str | None = None, online: bool = False, watch: Watch | None = None) -> Submission:
    """Run the admission checks on the committed plugin at a path, and create its entry.

    Args:
        release: The release whose own checks are run. Default: the newest installed one that the plugin admits.
        online: Whether to resolve the dependencies with the package index, and install them for Hermes' own checks.
        watch: Called with the outcome of each release on which the plugin and its tests run.

    Raises:
        UsageError: The plugin has no manifest or is not committed, or its entry cannot be created.
        UnavailableError: Git is missing, or the real host is not installed.
    """
    located = locate(path)
    if not (located.manifest or located.portable) or located.core_tool or located.event_hook:
        raise UsageError(
            "The catalog accepts only plugins with a plugin.yaml or plugin.json.",
            where=str(path),
            fix="Add a manifest.",
        )
    with ship(located) as shipped:
        commit = shipped.checkout
        committed = Plugin(locate(commit), commit) if commit else Plugin(located, located.directory)
        fields = _read_fields(committed)
        if obstacles := [*_find_obstacles(located.directory, shipped, fields, release)]:
            raise _merge(obstacles)
        requested = choose_release(release, fields.get("requires_hermes"))
        url = git.read_remote(shipped.repository or located.directory)
        result = check(committed.base, Options(release=requested, profile="catalog", use_baseline=False))
        said = judge(committed, shipped, requested, install=online)
        result = add_verdicts(result, committed, said)
        uses = find_uses(committed, requested)
        entry = make_entry(fields, url=url, commit=shipped.commit, subdirectory=shipped.subdirectory, uses=uses)
        text = render(entry)
        today = datetime.now(UTC).date()
        steps = (
            _describe_check(result),
            *_describe_judges(result, said[0]),
            _run_everywhere(committed.located, fields.get("requires_hermes"), watch),
            _check_dependencies(committed, online=online),
            _compare_uses(uses),
            _read_entry(entry, text, requested),
        )
        policy = Policy(said[0].release, said[0].host, today, today - QUARANTINE)
        where = shipped.subdirectory or "."
        questions = tuple(one for one in result.manual if one.code not in ("HS681", "HS684"))
        return Submission(where, shipped.source, shipped.differing, policy, steps, uses, entry, text, questions)


def _find_obstacles(
    directory: Path, shipped: Shipped, fields: Mapping[Any, Any], release: str | None
) -> Iterator[HermesSdkError]:
    """Yield what is missing for the checks and the entry, as far as it can be found without running the checks."""
    if shipped.checkout is None:
        yield UsageError(
            "the plugin is not committed to a Git repository, but the catalog pins a commit",
            where=str(directory),
            fix="Commit the plugin, and publish the repository.",
        )
    requirements: list[Callable[[], object]] = [
        lambda: make_key(str(fields.get("name") or "")),
        lambda: choose_release(release, fields.get("requires_hermes")),
    ]
    if root := git.find_repository(directory):
        requirements.insert(0, lambda: make_https(git.read_remote(root)))
    for require in requirements:
        try:
            require()
        except HermesSdkError as error:
            yield error


def _merge(errors: Sequence[HermesSdkError]) -> HermesSdkError:
    """Return an error with the messages and fixes of all errors."""
    if len(errors) == 1:
        return errors[0]
    is_unavailable = all(isinstance(one, UnavailableError) for one in errors)
    return (UnavailableError if is_unavailable else UsageError)("\n".join(map(str, errors)))


def _describe_check(result: Result) -> Step:
    ours = [one for one in result.findings if not one.code.startswith("UP-")]
    errors = [f"{one.path}:{one.line}: {one.code} {one.message}" for one in ours if one.severity == "error"]
    warnings = sum(one.severity == "warning" for one in ours)
    undecided = sorted({one.code for one in result.not_run if not one.code.startswith("UP-")})
    detail = f"{len(errors)} errors, {warnings} warnings"
    if undecided:
        detail += f"; not run: {', '.join(undecided)}"
    return Step("hermes-sdk check --profile catalog", "failed" if errors else "passed", detail, tuple(errors))


def _describe_judges(result: Result, upstream: Upstream) -> Iterator[Step]:
    from hermes_sdk.check.upstream.verdicts import COMMANDS

    lacking = next((one.reason for one in result.not_run if one.code == "UP-requirements"), "")
    for name, command in COMMANDS.items():
        if name in upstream.missing:
            yield Step(command, "not run", f"not in this release: Hermes {upstream.release}")
            continue
        verdicts = [one for one in upstream.verdicts if one.judge == name]
        objections = tuple(f"{one.check}: {one.detail}" for one in verdicts if one.level == "error")
        warnings = sum(one.level == "warning" for one in verdicts)
        detail = f"{len(objections)} errors, {warnings} warnings"
        if name == "scan":
            detail = next((one.detail for one in verdicts if one.check == "verdict"), detail)
        yield Step(
            command, "failed" if objections else "passed", f"{detail}{f'; {lacking}' if lacking else ''}", objections
        )


def _read_fields(plugin: Plugin) -> dict[Any, Any]:
    """Return the fields of a manifest; a portable plugin supports all releases that load portable plugins."""
    if plugin.portable is None or not isinstance(plugin.portable.value, dict):
        return plugin.fields
    return {"requires_hermes": portable.supported_range(), **plugin.portable.value}


def _run_everywhere(plugin: Located, declared: object, watch: Watch | None) -> Step:
    """Run the plugin and its tests on every admitted release on the embedded host."""
    name = "hermes-sdk compat"
    if find_spec("pytest") is None:
        return Step(name, "not run", "pytest is not installed; install hermes-sdk[test]")
    try:
        supported = Supported.from_manifest(declared)
    except ValueError as error:
        return Step(name, "failed", f"requires_hermes: {error}")
    wanted = [cell for cell in cells.plan() if contract.is_proven(cell.release) and supported.admits(cell.release)]
    if not wanted:
        return Step(name, "not run", f"no proven release matches {declared}")
    not_run = [one for one in cells.find_not_run(wanted) if supported.admits(one)]
    (matrix,) = matrices([plugin], wanted, base=plugin.directory, watch=watch, not_run=not_run)
    broken = tuple(f"{one.cell.release}: {one.error or 'its tests fail'}" for one in matrix.broken)
    decided = [one for one in matrix.outcomes if one.verdict != "unknown"]
    missing = {**matrix.not_run, **{one.cell.release: one.missing_apis for one in decided if one.verdict == "lacks"}}
    lacking = tuple(f"{release}: it lacks {', '.join(names)}" for release, names in missing.items() if names)
    detail = f"{wanted[0].release} to {wanted[-1].release}: {len(decided)} of {len(wanted)} releases decided"
    if not decided:
        loaded = all(one.loads for one in matrix.outcomes)
        return Step(
            name, "not run", f"{detail}; {'it loads, and has no tests' if loaded else 'see `hermes-sdk compat`'}"
        )
    return Step(name, "failed" if broken or lacking else "passed", detail, (*broken, *lacking))


def _check_dependencies(plugin: Plugin, *, online: bool) -> Step:
    name = f"dependencies as of {QUARANTINE.days} days ago"
    if not list_dependencies(plugin):
        return Step(name, "passed", "the plugin has none")
    if not online:
        return Step(name, "not run", "this needs the package index; pass --online")
    try:
        found = [one.message for one in dependencies_in_quarantine(plugin)]
    except UnavailableError as error:
        return Step(name, "not run", error.message)
    return Step(name, "failed" if found else "passed", f"{len(list_dependencies(plugin))} resolved", tuple(found))


def _compare_uses(uses: Uses) -> Step:
    name = "declared and used capabilities"
    if uses.problem:
        return Step(name, "not run", f"the plugin could not be loaded: {uses.problem}")
    problems = (
        *(f"declared but not used: {one}" for one in uses.unused),
        *(f"used at {uses.grants[one]} but not declared under `capabilities`: {one}" for one in uses.undeclared),
    )
    return Step(name, "failed" if problems else "passed", f"{len(problems)} differences", problems)


def _read_entry(entry: dict[str, Any], text: str, release: str) -> Step:
    """Have the host read the entry, and compare the result."""
    name = "Hermes' reader of catalog entries"
    with scratch_directory("hermes-sdk-entry-") as folder:
        file = Path(folder, f"{entry['name']}.yaml")
        write_file(file, text.encode(), durable=False, journalled=False)
        try:
            answer = judges.ask("catalog", file, release)
        except HermesSdkError as error:
            return Step(name, "not run", error.message)
    if answer.result is None:
        reason = answer.problem or f"not in this release: Hermes {release}"
        return Step(name, "not run", reason)
    if answer.result["entry"] is None:
        return Step(name, "failed", "Hermes rejects the entry", tuple(answer.printed.strip().splitlines()))
    lost = _find_misread(entry, answer.result["entry"])
    return Step(name, "failed" if lost else "passed", "Hermes reads the entry as written" if not lost else "", lost)


def _find_misread(entry: dict[str, Any], read: dict[str, Any]) -> tuple[str, ...]:
    empty: Sequence[Any] = ([], "", None)
    lost = [key for key, value in entry.items() if key != "capabilities" and read.get(key) != value]
    inner = read.get("capabilities") or {}
    requested = entry.get("capabilities", {})
    lost += [f"capabilities.{key}" for key, value in requested.items() if inner.get(key) != value]
    lost += [f"capabilities.{key}" for key, value in inner.items() if key not in requested and value not in empty]
    return tuple(f"Hermes reads a different value of `{key}`" for key in lost)
