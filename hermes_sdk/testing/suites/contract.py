"""The base of the suites: makes a test of each rule, and runs it on the host that the command line names."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts.in_worker.network_guard import LoopbackOnly
from hermes_sdk.hosts.interface import Host, HostKind
from hermes_sdk.hosts.staging import StagedHome
from hermes_sdk.manifest import Located
from hermes_sdk.testing.suites import rules
from hermes_sdk.testing.suites.rules.base import Rule
from hermes_sdk.testing.suites.rules.running import suite, tried
from hermes_sdk.testing.suites.rules.watching import files

SCALE = 1 / 40
"""How long a second of the host's time limits is on the embedded host."""

_PLUGIN = Path(rules.__file__).parent
_RULES = Located(_PLUGIN, _PLUGIN / "plugin.yaml", _PLUGIN, None)


class Contract:
    """Tests of one plugin, one for each rule.

    A subclass in a test file says which plugin is meant, and what is special about it. All of it is plain data, because
    most rules run in the process of the host.

    Attributes:
        plugin: The plugin's directory, relative to pytest's root directory.
        exclude: Code of a rule -> why it need not hold. One that holds all the same fails the test.
        config: What ``config.yaml`` says besides what selects the provider.
        environment: Variables that the plugin reads.
        network: Whether the plugin may ask for addresses outside of this machine.
        seed: Chooses mixtures of bad arguments.
        scale: How long a second of the host's time limits is. Default: 1/40 on the embedded host, 1 on the real one.
    """

    plugin: ClassVar[str] = "."
    exclude: ClassVar[Mapping[str, str]] = {}
    config: ClassVar[Mapping[str, Any]] = {}
    environment: ClassVar[Mapping[str, str]] = {}
    network: ClassVar[bool] = False
    seed: ClassVar[int] = 0
    scale: ClassVar[float | None] = None

    suite: ClassVar[str] = ""
    """The module of the rules."""

    folder: ClassVar[str] = ""
    """Where in ``plugins`` of a home the host looks for such plugins."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "suite" in vars(cls):
            for rule in suite(cls.suite).RULES:
                setattr(cls, f"test_{rule.name}", _test(rule))

    @classmethod
    def selected(cls, name: str) -> dict[str, Any]:  # noqa: ARG003
        """What ``config.yaml`` says to select the provider of a plugin directory."""
        return {}

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:  # noqa: ARG003
        """What the rules for a plugin directory are told besides what all suites tell."""
        return {}

    @classmethod
    def beside(cls, stack: ExitStack) -> tuple[Mapping[str, str], Mapping[str, Any]]:  # noqa: ARG003
        """Start what runs beside the host; returns variables for the host, and what the rules are told of it."""
        return {}, {}

    def test_exclusions_are_known(self) -> None:
        """An exclusion that names no rule of this suite excludes nothing."""
        unknown = sorted(set(self.exclude) - {rule.code for rule in suite(self.suite).RULES})
        if unknown:
            told = f"exclude names {', '.join(unknown)}: {type(self).__name__} has no such rule"
            pytest.fail(told, pytrace=False)


def _test(rule: Rule) -> Callable[..., None]:
    def test(self: Contract, request: pytest.FixtureRequest) -> None:
        __tracebackhide__ = True
        real = request.config.getoption("--hermes-host") == "real"
        if rule.waits and real and not request.config.getoption("--hermes-slow"):
            pytest.skip(f"{rule.code} waits for the host's own time limits; run it with --hermes-slow")
        release = request.config.getoption("--hermes-release") or contract.DEFAULT
        try:
            result = held(type(self), rule, request.config.rootpath, "real" if real else "embedded", release)
        except HermesSdkError as error:
            pytest.fail(str(error), pytrace=False)
        _judge(rule, result, self.exclude.get(rule.code))

    test.__doc__ = f"{rule.code}: {rule.why}"
    return test


def _judge(rule: Rule, result: Mapping[str, str], excluded: str | None) -> None:
    """Pass, skip or fail the test of a rule."""
    __tracebackhide__ = True
    outcome = result["outcome"]
    if excluded is not None:
        if outcome == "holds":
            pytest.fail(f"{rule.code} holds: exclude it no longer ({excluded})", pytrace=False)
        pytest.skip(f"{rule.code} is excluded: {excluded}")
    if outcome == "not applicable":
        pytest.skip(f"{rule.code}: {result['message']}")
    if outcome == "broken":
        pytest.fail(message(rule, result), pytrace=False)


def message(rule: Rule, result: Mapping[str, str]) -> str:
    """What a test says of a rule that is broken."""
    lines = [
        f"{rule.code}, {rule.title}: {result['message']}",
        "",
        f"Why: {rule.why}",
        f"Otherwise: {rule.host}",
        f"When that is meant: exclude = {{{rule.code!r}: 'the reason'}}",
    ]
    return "\n".join([*lines, "", result["traceback"]] if result["traceback"] else lines)


def held(cls: type[Contract], rule: Rule, root: Path, kind: HostKind, release: str) -> Mapping[str, str]:
    """Hold one rule on a fresh host.

    Args:
        cls: The suite of an author.
        rule: The rule.
        root: What its ``plugin`` is relative to.
        kind: The kind of the host.
        release: Its release.

    Returns:
        ``outcome`` (``holds``, ``broken`` or ``not applicable``), ``message`` and ``traceback``.

    Raises:
        HermesSdkError: The plugin cannot be found, or the host cannot be run.
    """
    with _opened(cls, root, kind, release) as (host, settings):
        if rule.outside:
            return tried(rule, SimpleNamespace(host=host, settings=settings))
        asked = {"suite": cls.suite, "code": rule.code, "settings": settings}
        answer = host.command(f"/{rules.COMMAND} {json.dumps(asked)}")
        lines = (answer or "").splitlines()
        if not lines or not lines[-1].startswith("{"):
            raise HermesSdkError(f"the host did not run {rule.code}: {answer}")
        # What the plugin printed meanwhile comes first.
        return dict(json.loads(lines[-1]))


@contextmanager
def _opened(cls: type[Contract], root: Path, kind: HostKind, release: str) -> Generator[tuple[Host, dict[str, Any]]]:
    located = manifest.locate(root / cls.plugin)
    name = manifest.installer_name(located.directory)
    with ExitStack() as stack:
        home = stack.enter_context(Home.temporary())
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hermes-sdk-contract-")))
        user, work = place / "user", place / "work"
        user.mkdir()
        work.mkdir()
        if not cls.network:
            stack.enter_context(LoopbackOnly())
        variables, beside = cls.beside(stack)
        staged = StagedHome(home, kind, release)
        key = staged.add(located, link=True, category=cls.folder)
        staged.add(_RULES, link=True)
        for changes in (cls.selected(name), cls.config):
            home.update_config(changes)
        told = {
            "plugin": f"{cls.folder}/{name}".lstrip("/"),
            "key": key,
            "home": str(home.path),
            "seed": cls.seed,
            "scale": cls.scale or (SCALE if kind == "embedded" else 1.0),
            "network": cls.network,
            "core_tools": sorted(contract.load(release).core_tools),
            "hooks": sorted(contract.load(release).hooks),
            **_elsewhere([user, work, located.directory.resolve()]),
            **cls.settings(name),
            **beside,
        }
        host = staged.open(cwd=work, environment={**variables, **cls.environment, "HOME": str(user)})
        yield stack.enter_context(host), told


def _elsewhere(folders: list[Path]) -> dict[str, list[str]]:
    """Where a plugin has nothing to write, and what is there before it is loaded."""
    return {"elsewhere": [str(folder) for folder in folders], "files": sorted(files(folders))}
