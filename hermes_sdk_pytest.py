"""The pytest plugin of hermes-sdk: the fixtures ``hermes`` and ``hermes_gateway``, their options and their marker.

It is a module outside the package that imports hermes_sdk only when a test requests a fixture, so it does not slow down
other test runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Gateway, Host
    from hermes_sdk.manifest import Form


_TRACES = ".hermes-traces"
_HAS_PLUGIN = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the ini setting."""
    group = parser.getgroup("hermes", "Hermes plugins")
    group.addoption(
        "--hermes-host",
        choices=("auto", "embedded", "real"),
        default="embedded" if os.environ.get("CI") else "auto",
        help="run the plugin on the embedded host or on an installed Hermes Agent; auto runs each test on the "
        "embedded host, and again on a Hermes Agent of this machine if the embedded host does not support what the "
        "test needs: your own, unless --hermes-release selects another (default: auto, or embedded if CI is set)",
    )
    group.addoption(
        "--hermes-release",
        metavar="R",
        help="the release of Hermes Agent to run on; `installed` for your own Hermes; or the path of a Hermes "
        "program, Python, environment or checkout (default: the newest proven one; on the real host, your own "
        "Hermes, or else the newest proven one that is installed or on the package index)",
    )
    group.addoption("--hermes-plugin", metavar="NAME", help="the plugin under test, in a project with several")
    group.addoption(
        "--hermes-form",
        choices=("directory", "package", "all"),
        help="run the plugin from its directory or from its package; all runs each test in each form of the project "
        "(default: the first form that loads)",
    )
    group.addoption("--hermes-check", action="store_true", help="add a test that runs `hermes-sdk check` on the plugin")
    group.addoption(
        "--hermes-record",
        nargs="?",
        const=_TRACES,
        metavar="DIR",
        help="keep the trace of each failed test in this directory (default: .hermes-traces), for `hermes-sdk view`",
    )
    group.addoption("--hermes-slow", action="store_true", help="on the real host, wait for its own time limits too")
    parser.addini(
        "hermes_plugin", "the directory of the plugin under test, or a core-tool file, relative to the root directory"
    )


def pytest_load_initial_conftests(args: list[str]) -> None:
    """Treat a word after `--hermes-record` as a path of tests; a directory for traces needs an equals sign."""
    args[:] = [f"{one}={_TRACES}" if one == "--hermes-record" else one for one in args]


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and set the cache directory of real hosts, because tests change HOME."""
    config.addinivalue_line(
        "markers",
        "hermes(load=True, defaults=False, toolsets=[...], config={...}, env={...}, plugin=...): load=False if the "
        "plugin must not load; defaults=True for tool search as a new Hermes has it, which is off otherwise; "
        "toolsets: the toolsets offered to the model (platform_toolsets.cli); config: merged into config.yaml; "
        "env: variables of the host; plugin: the plugin or core-tool file under test, or a list of several that run "
        "together, instead of the setting hermes_plugin. hermes.configure takes config and env while a test runs.",
    )
    if config.getoption("--hermes-record") is not None:
        from hermes_sdk.testing.failure_traces import register

        register(config)
    host = config.getoption("--hermes-host")
    _name_release(config)
    if host == "real" or (host == "auto" and _has_plugin(config)):
        from hermes_sdk.cache import cache_dir

        os.environ["HERMES_SDK_CACHE"] = str(cache_dir())


def _name_release(config: pytest.Config) -> None:
    """Resolve the requested release, such as the user's own Hermes, before tests change HOME."""
    host, release = config.getoption("--hermes-host"), config.getoption("--hermes-release")
    if release is None and host != "real":
        return
    from hermes_sdk.errors import HermesSdkError
    from hermes_sdk.hosts import default_release
    from hermes_sdk.hosts.installed import name_host

    try:
        config.option.hermes_release = name_host(release) if release else default_release("real")
    except HermesSdkError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_report_header(config: pytest.Config) -> str | None:
    """Report the host of the tests if an option selects it, or if the root directory is the project of a plugin."""
    host, release = config.getoption("--hermes-host"), config.getoption("--hermes-release")
    if release is None and host != "real" and not _has_plugin(config):
        return None
    from hermes_sdk.contract import DEFAULT, format_release

    return f"hermes: {host} {format_release(release or DEFAULT, 'real' if _is_real(config) else 'embedded')}"


def _is_real(config: pytest.Config) -> bool:
    """Return whether all tests run on a real host: one that was asked for, or the user's own Hermes."""
    host, release = config.getoption("--hermes-host"), config.getoption("--hermes-release")
    if host == "real" or release is None:
        return bool(host == "real")
    from hermes_sdk.contract import split_location

    return bool(split_location(release)[1])


def _has_plugin(config: pytest.Config) -> bool:
    """Return whether the root directory is the project of a plugin; the result is cached."""
    if _HAS_PLUGIN not in config.stash:
        root = config.rootpath
        project = root / "pyproject.toml"
        config.stash[_HAS_PLUGIN] = (
            bool(config.getini("hermes_plugin"))
            or any(True for pattern in ("plugin.y*ml", "*/plugin.y*ml") for _ in root.glob(pattern))
            or (project.is_file() and "[tool.hermes-sdk]" in project.read_text(encoding="utf-8", errors="replace"))
        )
    return config.stash[_HAS_PLUGIN]


@pytest.hookimpl(tryfirst=True, optionalhook=True)  # Since pytest 8.
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a plugin's directory like a plain directory: as a package, pytest would import it without a host."""
    if (path / "__init__.py").is_file() and any((path / name).is_file() for name in ("plugin.yaml", "plugin.yml")):
        return pytest.Dir.from_parent(parent, path=path)
    return None


@pytest.hookimpl(tryfirst=True)  # Runs before options such as -k select tests.
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the test for `--hermes-check`."""
    if config.getoption("--hermes-check"):
        from hermes_sdk.check.item import CheckItem

        items.append(CheckItem.from_parent(session, name="hermes-sdk check"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the real Hermes if `-q` hides the header, and which tests of `--hermes-host auto` ran in a real Hermes.

    Includes tests that ran in other processes.
    """
    if not terminalreporter.showheader and _is_real(terminalreporter.config):
        terminalreporter.write_line(str(pytest_report_header(terminalreporter.config)))
    reports = [one for listed in terminalreporter.stats.values() for one in listed if hasattr(one, "user_properties")]
    for note in sorted({str(note) for one in reports for name, note in one.user_properties if name == "hermes_form"}):
        terminalreporter.write_line(note, yellow=True)
    reran = [one for one in reports if any(name == "hermes_rerun" for name, _ in one.user_properties)]
    if reran:
        from hermes_sdk.testing.reruns import summarize

        for line in summarize(reran):
            terminalreporter.write_line(line)


def _require_posix() -> None:
    from hermes_sdk.errors import UnavailableError
    from hermes_sdk.system import require_posix

    try:
        require_posix("the embedded host")
    except UnavailableError as error:
        pytest.fail(str(error), pytrace=False)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """For `--hermes-form all`, run each test with our fixtures once for each form of the plugin."""
    if metafunc.config.getoption("--hermes-form") == "all" and "hermes_form" in metafunc.fixturenames:
        from hermes_sdk.errors import UsageError
        from hermes_sdk.testing.fixtures import list_forms

        try:
            select = getattr(metafunc.cls, "list_forms", list_forms)
            metafunc.parametrize("hermes_form", select(metafunc.config))
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None


@pytest.fixture
def hermes_form(request: pytest.FixtureRequest) -> Form | None:
    """The form in which the test runs the plugin, ``directory`` or ``package``; None for the first that loads."""
    form: Form | None = request.config.getoption("--hermes-form")
    return form


@pytest.fixture
def hermes(request: pytest.FixtureRequest, hermes_form: Form | None) -> Iterator[Host]:
    """A host that runs the project's plugin in a temporary home.

    The test fails if the plugin does not load, if the host swallowed an exception without
    ``hermes.expect_swallowed(match=…)``, if the plugin used something that the embedded host does not model without
    ``hermes.expect_unsupported(match=…)``, or if the script of ``hermes.llm`` does not match the requests. An open
    session is finished at the end.

    With ``--hermes-host auto``, a test that needs more than the embedded host models runs again in an installed Hermes
    of this release; its result there counts.
    """
    _require_posix()
    from hermes_sdk.testing.fixtures import running_host

    yield from running_host(request, hermes_form)


@pytest.fixture
def hermes_gateway(request: pytest.FixtureRequest, hermes_form: Form | None) -> Iterator[Gateway]:
    """A running gateway with the platform of the project's plugin; ``hermes_gateway.host`` is its host.

    A project without a platform, such as a gateway event hook, gets the platform ``test-chat``.

    Everybody may write, unless the environment or the marker's ``env`` sets ``GATEWAY_ALLOW_ALL_USERS`` or the
    platform's list of users. The test fails as with ``hermes``, and if a chat is still busy at its end.
    """
    _require_posix()
    from hermes_sdk.testing.fixtures import running_gateway

    yield from running_gateway(request, hermes_form)
