"""Base of the suites: creates a test for each rule, and runs it on the host that the command line selects."""

from __future__ import annotations

import json
import re
import tempfile
import time
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, cast

import pytest

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.in_worker.network_guard import LoopbackOnly
from hermes_sdk.hosts.interface import Host, HostKind, TimeLimitExceeded, Unsupported
from hermes_sdk.hosts.staging import StagedHome
from hermes_sdk.manifest import ENTRY_POINT_GROUP, Form, Located
from hermes_sdk.testing import reruns
from hermes_sdk.testing.captured_output import watch_output
from hermes_sdk.testing.fixtures import locate_forms, locate_plugin
from hermes_sdk.testing.suites import rules
from hermes_sdk.testing.suites.rules.base import Broken, SuiteRule
from hermes_sdk.testing.suites.rules.running import suite, try_rule
from hermes_sdk.testing.suites.rules.time_limit import TIMED_OUT, TimeUp, limit_time
from hermes_sdk.testing.suites.rules.watching import list_files

SCALE = 1 / 40
"""Duration on the embedded host of a second of the host's time limits."""

_REAL_FACTOR = 3
"""Factor for the time limit of rules that drive a real host, which has to import most of Hermes."""

_PLUGIN = Path(rules.__file__).parent
_RULES = Located(_PLUGIN, _PLUGIN / "plugin.yaml", _PLUGIN, None)


class Contract:
    """Tests of one plugin, one for each rule.

    A subclass in a test file names the plugin under test and describes it. All attributes are plain data, because most
    rules run in the process of the host.

    Attributes:
        plugin: The plugin's directory, relative to pytest's root directory, or its name. Default: the plugin that the
            command line names, or the only one of the project.
        exclude: Reasons for excluding rules, by code. The test of an excluded rule fails if the rule passes.
        config: Contents of ``config.yaml``, in addition to the selection of the provider.
        environment: Environment variables for the plugin.
        network: Whether the plugin may contact other machines.
        seed: Seed for combinations of invalid arguments.
        scale: Duration of a second of the host's time limits. Default: 1/40 on the embedded host, 1 on the real one.
        time_limit: Seconds that one rule may take; rules that drive a real host may take three times as long.
    """

    plugin: ClassVar[str] = "."
    exclude: ClassVar[Mapping[str, str]] = {}
    config: ClassVar[Mapping[str, Any]] = {}
    environment: ClassVar[Mapping[str, str]] = {}
    network: ClassVar[bool] = False
    seed: ClassVar[int] = 0
    scale: ClassVar[float | None] = None
    time_limit: ClassVar[float] = 10.0

    suite: ClassVar[str] = ""
    """The module of the rules."""

    folder: ClassVar[str] = ""
    """Directory in ``plugins`` of a home where the host looks for such plugins."""

    group: ClassVar[str] = ENTRY_POINT_GROUP
    """The group of entry points of the packages that the rules apply to; empty if there are none."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "suite" in vars(cls):
            for rule in suite(cls.suite).RULES:
                setattr(cls, f"test_{rule.name}", _test(rule))

    @classmethod
    def list_forms(cls, config: pytest.Config) -> list[Form]:
        """Return the forms in which the plugin is tested."""
        return [one.form for one in locate_forms(config, cls.find_name(config)) if cls.takes(one)]

    @classmethod
    def takes(cls, located: Located) -> bool:
        """Return whether the rules apply to a form of the plugin."""
        return located.form == "directory" or located.group == cls.group

    @classmethod
    def find_name(cls, config: pytest.Config) -> str:
        """Return the path or the name of the plugin, which the command line names if the suite does not."""
        return cls.plugin if cls.plugin != "." else config.getoption("--hermes-plugin") or cls.plugin

    @classmethod
    def select_config(cls, name: str) -> dict[str, Any]:  # noqa: ARG003
        """Return the configuration that selects the provider of a plugin directory."""
        return {}

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:  # noqa: ARG003
        """Return settings for the rules, in addition to those of all suites."""
        return {}

    @classmethod
    def beside(cls, stack: ExitStack) -> tuple[Mapping[str, str], Mapping[str, Any]]:  # noqa: ARG003
        """Start servers for the host; return variables for the host and settings for the rules."""
        return {}, {}

    def test_exclusions_are_known(self) -> None:
        """An exclusion of an unknown rule has no effect, so it is a mistake."""
        unknown = sorted(set(self.exclude) - {rule.code for rule in suite(self.suite).RULES})
        if unknown:
            text = f"exclude lists {', '.join(unknown)}, but {type(self).__name__} has no such rule"
            pytest.fail(text, pytrace=False)


def find_secrets(variables: Mapping[str, str]) -> list[str]:
    """Return the secret values: those of variables whose name contains KEY, PASSWORD, SECRET or TOKEN."""
    return sorted(
        {value for name, value in variables.items() if len(value) >= _MIN_SECRET_LENGTH and _SECRET.search(name)}
    )


_SECRET = re.compile("KEY|PASSWORD|SECRET|TOKEN")
_MIN_SECRET_LENGTH = 8
"""Minimum length of a secret, in characters; shorter placeholders, such as ``x``, are in other texts by chance."""

Result = Mapping[str, str]
"""Result of `run_rule_on_host`."""

_FAILING = ("broken", "impossible")

OPENING = "opening the host"
"""The first step of every rule."""


@dataclass
class Failures:
    """Failures of earlier rules of a suite on a host, so that later rules do not wait for them again.

    Attributes:
        steps: Reasons for failed steps, by the code of the rule about the step, or by `OPENING`.
        hung: Codes of the rules about hangs, by the place where the plugin's code hung.
    """

    steps: dict[str, str] = field(default_factory=dict[str, str])
    hung: dict[str, str] = field(default_factory=dict[str, str])


class _Tested:
    """Results of a suite on one host. Each rule runs once, even if tests of other rules need its result."""

    def __init__(
        self, cls: type[Contract], kind: HostKind, release: str, config: pytest.Config, located: Located | UsageError
    ) -> None:
        self.cls = cls
        self.kind: HostKind = kind
        self._release = release
        self._config = config
        self.plugins = [] if isinstance(located, UsageError) else [located]
        self._located = located
        self._results: dict[str, Result] = {}
        self._failures = Failures()

    @property
    def rules(self) -> Sequence[SuiteRule]:
        """The rules of the suite."""
        return cast("Sequence[SuiteRule]", suite(self.cls.suite).RULES)

    def get_result(self, rule: SuiteRule) -> Result:
        """Return the result of a rule; run it if necessary."""
        if rule.code not in self._results:
            # As with the fixtures, install requirements only if the author asked for the real host.
            may_install = self._config.getoption("--hermes-host") == "real"
            about = (self.cls, rule, self._config.rootpath, self.kind, self._release)
            try:
                if isinstance(self._located, UsageError):
                    raise self._located
                result = run_rule_on_host(*about, self._failures, may_install=may_install, located=self._located)
            except HermesSdkError as error:
                result = _make_blocked_result(self.cls, rule, str(error), broken="impossible")
            self._results[rule.code] = result
        return self._results[rule.code]

    def find_blocking(self, result: Result) -> SuiteRule:
        """Find the rule about the step that failed first; the blocking rule may itself be blocked."""
        rule = next(one for one in self.rules if one.code == result["code"])
        first = self.get_result(rule)
        return self.find_blocking(first) if first["outcome"] == "blocked" else rule

    def fail_step(self, rule: SuiteRule) -> None:
        """Mark the step of a rule as failed, so that it is not tried again."""
        self._failures.steps[rule.code] = self.get_result(rule)["message"]


_SUITES = pytest.StashKey[dict[tuple[type[Contract], HostKind, Form | None], _Tested]]()
"""Results in this run by suite, host and form."""


def _test(rule: SuiteRule) -> Callable[..., None]:
    def test(self: Contract, request: pytest.FixtureRequest, hermes_form: Form | None) -> None:
        tested = _find_tested(type(self), request, hermes_form)
        if rule.waits and tested.kind == "real" and not request.config.getoption("--hermes-slow"):
            pytest.skip(f"{rule.code} waits for the host's time limits; to run it, pass --hermes-slow")
        with watch_output(request, tested.plugins, self.environment):
            _judge(tested, rule, request)

    test.__doc__ = f"{rule.code}: {rule.why}"
    return test


def _find_tested(cls: type[Contract], request: pytest.FixtureRequest, form: Form | None) -> _Tested:
    """Return the results of a suite on the host of this run of a test."""
    located: Located | UsageError
    try:
        located = locate_plugin(request, cls.find_name(request.config), form)
        if not cls.takes(located):
            if form:
                pytest.skip(f"{cls.__name__} tests only packages with an entry point in {cls.group or 'no group'}")
            located = locate_plugin(request, cls.find_name(request.config), "directory")
    except UsageError as error:
        located = error  # The first rule reports it.
    try:
        plugins = [] if isinstance(located, UsageError) else [located]
        kind, release = reruns.choose_host(request.node, plugins)
    except UsageError as error:
        pytest.fail(str(error), pytrace=False)
    known = request.config.stash.setdefault(_SUITES, {})
    if (cls, kind, form) not in known:
        known[cls, kind, form] = _Tested(cls, kind, release, request.config, located)
    return known[cls, kind, form]


def _judge(tested: _Tested, rule: SuiteRule, request: pytest.FixtureRequest) -> None:
    """Pass, skip or fail the test of a rule."""
    result = tested.get_result(rule)
    outcome, excluded = result["outcome"], tested.cls.exclude.get(rule.code)
    if excluded is not None:
        if outcome == "holds":
            pytest.fail(f"{rule.code} passes, so remove it from exclude ({excluded}).", pytrace=False)
        pytest.skip(f"{rule.code} is excluded: {excluded}")
    if outcome == "not applicable":
        pytest.skip(f"{rule.code}: {result['message']}")
    if outcome in _FAILING:
        _note_unsupported(result, request)
        pytest.fail(message(rule, result), pytrace=False)
    if outcome == "blocked":
        _judge_blocked(tested, rule, result, request)


def _judge_blocked(tested: _Tested, rule: SuiteRule, result: Result, request: pytest.FixtureRequest) -> None:
    """Skip a blocked rule if the test of the failed step fails in this run; otherwise fail."""
    blocking, exclude = tested.find_blocking(result), tested.cls.exclude
    first = tested.get_result(blocking)
    if blocking.code in exclude:
        pytest.skip(f"{blocking.code} is excluded: {exclude[blocking.code]}")
    if first["outcome"] not in _FAILING:
        pytest.fail(message(rule, result), pytrace=False)
    tested.fail_step(blocking)
    _note_unsupported(first, request)
    if request.node is not _find_reporter(tested, blocking, request):
        pytest.skip(f"{blocking.code} failed")
    pytest.fail(message(blocking, first), pytrace=False)


def _note_unsupported(result: Result, request: pytest.FixtureRequest) -> None:
    if what := result.get("unsupported"):
        reruns.note(request.node, [Unsupported(what, "")])


def _find_reporter(tested: _Tested, blocking: SuiteRule, request: pytest.FixtureRequest) -> pytest.Item:
    """Find the test that reports a failed step: that of its rule or, if -k deselected it, the first blocked one."""
    known = {f"test_{rule.name}": rule for rule in tested.rules}
    items = [item for item in request.session.items if isinstance(item, pytest.Function) and item.cls is tested.cls]
    # With `--hermes-form all` each rule has a test for each form.
    form = _get_form(request.node)
    own = {item.originalname: item for item in items if _get_form(item) == form}
    if f"test_{blocking.name}" in own:
        return own[f"test_{blocking.name}"]
    for name in filter(known.get, own):
        rule = known[name]
        if not rule.waits and rule.code not in tested.cls.exclude:
            result = tested.get_result(rule)
            if result["outcome"] == "blocked" and tested.find_blocking(result) is blocking:
                return own[name]
    return cast("pytest.Item", request.node)


def _get_form(item: pytest.Item) -> Form | None:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("hermes_form") if callspec else None


def message(rule: SuiteRule, result: Result) -> str:
    """Format the failure of a rule that is broken or cannot be tested."""
    if result["outcome"] == "impossible":
        return result["message"]
    longer = ["Add a timeout to calls that can block, or set a longer time_limit in the suite."]
    lines = [
        f"{rule.code}, {rule.title}: {result['message']}",
        *(longer if result["message"].startswith(TIMED_OUT) else []),
        "",
        f"Why: {rule.why}",
        f"Otherwise: {rule.host}",
        f"If this is intentional, set exclude = {{{rule.code!r}: 'the reason'}} in the suite.",
    ]
    if result["traceback"]:
        lines += ["", result["traceback"]]
    if result.get("called"):
        lines.insert(1, f"Ran last: {result['called']}")
    return "\n".join(lines)


def run_rule_on_host(
    cls: type[Contract],
    rule: SuiteRule,
    root: Path,
    kind: HostKind,
    release: str,
    failures: Failures | None = None,
    *,
    may_install: bool = True,
    located: Located | None = None,
) -> Result:
    """Test the plugin of a suite against one rule, on a fresh host.

    A broken rule runs again to record which functions of the plugin are called. Recording every rule would make suites
    25 % slower.

    Args:
        cls: The suite of an author.
        root: Directory that its ``plugin`` is relative to.
        failures: Failures of earlier rules. A failure to open the host and a hang of the plugin are added.
        may_install: Whether requirements of the plugin may be installed for a real host.
        located: The plugin, in the form to test. Default: the first form of the `plugin` of the suite.

    Returns:
        The result of `try_rule` and, in ``unsupported``, the first feature that the host does not model, if any. Paths
        of the plugin are relative to ``root`` if possible.

    Raises:
        UsageError: The plugin cannot be found.
        UnavailableError: The host is not available.
    """
    located = located or manifest.locate(root / cls.plugin)
    about = (cls, rule, root, kind, release, failures or Failures(), may_install, located)
    result = _run_on_fresh_host(*about, record_calls=False)
    if result["outcome"] == "broken" and "called" in result and "place" not in result:
        again = _run_on_fresh_host(*about, record_calls=True)
        return again if again["message"] == result["message"] else result
    return result


def _run_on_fresh_host(
    cls: type[Contract],
    rule: SuiteRule,
    root: Path,
    kind: HostKind,
    release: str,
    failures: Failures,
    may_install: bool,
    located: Located,
    *,
    record_calls: bool,
) -> Result:
    failed = failures.steps
    if OPENING in failed:
        return _make_blocked_result(cls, rule, failed[OPENING])
    with ExitStack() as stack:
        try:
            staged, settings, options = _stage(cls, stack, located, kind, release, may_install=may_install)
        except HermesSdkError:
            raise
        except Exception as error:  # For example, the author's transport failed to start.
            failed[OPENING] = f"{cls.__name__} raised {type(error).__name__}: {error}"
            return _make_blocked_result(cls, rule, failed[OPENING], traceback.format_exc())
        settings |= {"failed": failed, "record_calls": record_calls}
        link = Path(settings["directory"])
        try:
            with limit_time(cls.time_limit, link) if kind == "embedded" else nullcontext():
                host = stack.enter_context(staged.open(**options))
        except (UsageError, UnavailableError):
            raise
        except (HermesSdkError, TimeUp) as error:
            # The embedded host's loader wraps TimeUp in an error that names the plugin.
            failed[OPENING] = str(error.__cause__ if isinstance(error.__cause__, TimeUp) else error)
            result = _make_blocked_result(cls, rule, failed[OPENING])
            if refused := reruns.list_refusals(error):
                result = {**result, "unsupported": refused[0].what}
        else:
            result = _run(cls, rule, host, settings, failures.hung)
            if place := result.get("place"):
                failures.hung.setdefault(place, result["code"])
            if host.unsupported:
                reached = host.unsupported[0]
                why = (
                    f"{rule.code} cannot be tested: {reached}\n  Run it with --hermes-host real, or add it to exclude."
                )
                result = {**result, "outcome": "impossible", "message": why, "unsupported": reached.what}
        shown = located.directory.resolve()
        plugin = shown.relative_to(root) if shown.is_relative_to(root) else shown
        return {key: text.replace(f"{link}/", f"{plugin}/".removeprefix("./")) for key, text in result.items()}


def _make_blocked_result(
    cls: type[Contract],
    rule: SuiteRule,
    reason: str,
    trace: str = "",
    broken: Literal["broken", "impossible"] = "broken",
) -> Result:
    """Return the result of a rule without a host: the first rule fails, and all others are blocked by it."""
    first = suite(cls.suite).RULES[0].code
    outcome = broken if rule.code == first else "blocked"
    return {"outcome": outcome, "message": reason, "traceback": trace, "code": first}


def _run(cls: type[Contract], rule: SuiteRule, host: Host, settings: dict[str, Any], hung: Mapping[str, str]) -> Result:
    link = Path(settings["directory"])
    if rule.outside:
        is_embedded = host.kind == "embedded"
        limit = limit_time(cls.time_limit, link, hung) if is_embedded else _limit_operations(cls, host)
        outside = SimpleNamespace(host=host, settings=settings)
        return try_rule(rule, outside, link, limit, hung, record=settings["record_calls"])
    waits = rule.waits and host.kind == "real"
    time_limit = cls.time_limit * (_REAL_FACTOR if waits else 1)
    asked = {"suite": cls.suite, "time_limit": time_limit, "hung": hung, "settings": settings}
    (host.home / rules.QUESTION).write_text(json.dumps(asked), "utf-8")
    answers: list[Result] = []

    def ask(_: object) -> None:
        answer = host.command(f"/{rules.COMMAND} {rule.code}")
        lines = (answer or "").splitlines()
        if not lines or not lines[-1].startswith("{"):
            raise HermesSdkError(f"the host did not test {rule.code}: {answer}")
        # Output of the plugin comes first.
        answers.append(json.loads(lines[-1]))

    # The limit in the process of the host does not stop code that blocks the whole interpreter.
    late = try_rule(
        rule._replace(check=ask), None, link, _limit_operations(cls, host), hung, record=settings["record_calls"]
    )
    return answers[0] if answers else late


@contextmanager
def _limit_operations(cls: type[Contract], host: Host) -> Generator[None]:
    """Limit the operations of a host in its process, and convert its errors to those that `try_rule` handles."""
    host.deadline = time.monotonic() + _REAL_FACTOR * cls.time_limit
    try:
        yield
    except TimeLimitExceeded as error:
        raise TimeUp(f"{TIMED_OUT} in {error.doing}") from error
    except HermesSdkError as error:
        raise Broken(str(error)) from error
    finally:
        host.deadline = float("inf")


def _stage(
    cls: type[Contract], stack: ExitStack, located: Located, kind: HostKind, release: str, *, may_install: bool
) -> tuple[StagedHome, dict[str, Any], dict[str, Any]]:
    """Prepare a home for a plugin. Also return the settings of the rules and the arguments of `StagedHome.open`."""
    is_package = located.form == "package"
    name = located.name if is_package else manifest.installer_name(located.directory)
    home = stack.enter_context(Home.temporary())
    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hermes-sdk-contract-")))
    user, work = place / "user", place / "work"
    user.mkdir()
    work.mkdir()
    if not cls.network:
        stack.enter_context(LoopbackOnly())
    variables, beside = cls.beside(stack)
    staged = StagedHome(home, kind, release, may_install=may_install)
    key = staged.add(located, link=True, category=cls.folder)
    _compile_rules()
    staged.add(_RULES, link=True)
    staged.warm_up()
    for changes in (cls.select_config(name), cls.config):
        home.update_config(changes)
    directory = home.plugins_dir / cls.folder / name
    if is_package and located.entry_point and located.module:
        # Modules are linked at the paths that an installation would give them.
        module = staged.pythonpath[0].joinpath(*located.entry_point.module.split("."))
        directory = module if located.module.name == "__init__.py" else module.parent
        if kind == "embedded" and find_spec(located.entry_point.module.partition(".")[0]):
            directory = located.directory  # Python finds the project itself first.
    settings = {
        "plugin": f"{cls.folder}/{name}".lstrip("/"),
        "directory": str(directory),
        "entry_point": located.entry_point.value if is_package and located.entry_point else "",
        "key": key,
        "home": str(home.path),
        "seed": cls.seed,
        "scale": cls.scale or (SCALE if kind == "embedded" else 1.0),
        "network": cls.network,
        "secrets": find_secrets(cls.environment),
        "core_tools": sorted(contract.load(release).core_tools),
        "memory_registers_all": contract.load(release).behaviour.memory_providers_register_all,
        "hooks": sorted(contract.load(release).hooks),
        **_list_foreign_files([user, work, located.directory.resolve()]),
        **cls.settings(name),
        **beside,
    }
    return staged, settings, {"cwd": work, "environment": {**variables, **cls.environment, "HOME": str(user)}}


@cache
def _compile_rules() -> None:
    """Compile the rules, since a host writes no bytecode and imports them again for each rule."""
    import compileall

    compileall.compile_dir(_PLUGIN, quiet=2)


def _list_foreign_files(folders: list[Path]) -> dict[str, list[str]]:
    """Return directories that a plugin must not write to, and their files before it is loaded."""
    return {"elsewhere": [str(folder) for folder in folders], "files": sorted(list_files(folders))}
