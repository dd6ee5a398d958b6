"""The fixtures ``hermes`` and ``hermes_gateway``: plugins and a host in a temporary home, checked at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, cast

import pytest

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.exception_hints import suggest_fix
from hermes_sdk.hosts.in_worker.network_guard import LoopbackOnly
from hermes_sdk.hosts.inspection import find_working_form
from hermes_sdk.hosts.interface import ALLOW_ALL, Gateway, Host, Swallowed, Unsupported
from hermes_sdk.hosts.model_config import keep_tool_search
from hermes_sdk.hosts.staging import StagedHome
from hermes_sdk.manifest import Form, Located
from hermes_sdk.testing import reruns
from hermes_sdk.testing.captured_output import watch_output

_MARKER = (
    "Its arguments are load=False, defaults=True, toolsets=[…], config={…}, env={…} and plugin='…' or ['…', '…']; for"
    " example @pytest.mark.hermes(toolsets=['notes', 'file'])."
)
_NO_MODEL = "No LLM provider configured"

_TEST_CHAT = Path(__file__).with_name("test_chat")

UNSUPPORTED = "hermes_unsupported"
"""User property of a test for each feature that it used and that the embedded host does not model."""

FORM = "hermes_form"
"""User property of a test whose plugin does not load in its first form: a note about the form used."""

_PROBLEMS = pytest.StashKey[set[str]]()
"""Reported reasons why a plugin is missing or did not load."""

_SETTLE_TIME = 1.0
"""Seconds for chats to become idle after a test: the turn may go on after what the test waited for."""


def running_host(request: pytest.FixtureRequest, form: Form | None) -> Iterator[Host]:
    """Run the project's plugin on the host that the command line names, for one test.

    Args:
        request: The request of the test.
        form: The form of the plugin; None for the first that loads.

    Yields:
        The running host.
    """
    with _run_host(request, "hermes", {}, form) as host:
        yield host


def running_gateway(request: pytest.FixtureRequest, form: Form | None) -> Iterator[Gateway]:
    """Run the gateway of the project's plugin on the host that the command line names, for one test.

    Args:
        request: The request of the test.
        form: The form of the plugin; None for the first that loads.

    Yields:
        The running gateway.
    """
    with _run_host(request, "hermes_gateway.host", ALLOW_ALL, form, in_chat=True) as host:
        gateway = host.gateway()
        if _options(request).get("load", True):
            _check_hooks(gateway)
        host.llm.places = {"main": "hermes_gateway.llm.script(…)", "aux": "hermes_gateway.llm.aux.script(…)"}
        failed = request.session.testsfailed
        yield gateway
        if request.session.testsfailed == failed:
            gateway.settle(_SETTLE_TIME)
        gateway.stop()


@contextmanager
def _run_host(
    request: pytest.FixtureRequest,
    name: str,
    environment: Mapping[str, str],
    form: Form | None,
    *,
    in_chat: bool = False,
) -> Generator[Host]:
    """Run the project's plugin for one test.

    Args:
        request: The request of the test.
        name: The expression for the host in the test.
        environment: Default variables of the host, which the environment and the marker override.
        form: The form of the plugin; None for the first that loads.
        in_chat: Whether the test needs a platform; ``test-chat`` if the project provides none.
    """
    try:
        config, options = request.config, _options(request)
        plugins = _locate(request, options, form)
        if not in_chat and any(one.event_hook for one in plugins):
            raise UsageError("a gateway event hook runs only in a gateway", fix="Use the hermes_gateway fixture.")
        with Home.temporary() as home, LoopbackOnly():
            kind, release = reruns.choose_host(request.node, plugins)
            # Authors who ask for the real host trust their own plugin, so its requirements may be installed.
            staged = StagedHome(home, kind, release, may_install=config.getoption("--hermes-host") == "real")
            added = [(staged.add(one, link=True), one.event_hook) for one in plugins]
            keys = [key for key, event_hook in added if not event_hook]
            _configure(home, options, release)
            staged.warm_up()
            variables = {
                **{name: value for name, value in environment.items() if name not in os.environ},
                **staged.read_inherited_variables(),
                **options.get("env", {}),
            }
            recorded = config.getoption("--hermes-record")
            open_host = partial(staged.open, cwd=Path.cwd(), environment=variables, record=recorded is not None)
            with watch_output(request, plugins, variables):
                if in_chat and not _registers_platform(plugins, keys, open_host):
                    plugins.append(manifest.locate(_TEST_CHAT))
                    staged.add(plugins[-1])
                with open_host() as host, reruns.watch(request.node, host), _record(request, host, plugins, options):
                    for key in keys:
                        _check_loaded(request, options, host, key)
                    failed = request.session.testsfailed
                    yield host
                    host.finish()
                    # A test that failed early leaves scripted answers unused; reporting them would add nothing.
                    request.node.user_properties += [(UNSUPPORTED, str(one)) for one in host.unexpected_unsupported()]
                    _check_end(host, name, scripted=request.session.testsfailed == failed)
    except UnavailableError as error:
        if request.config.getoption("--hermes-host") == "real":
            _end_session(request.session, error)
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    except HermesSdkError as error:
        # `from None`: otherwise pytest would show this error twice.
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _end_session(session: pytest.Session, error: HermesSdkError) -> None:
    """End a session whose real host cannot be created, since each further test would try again."""
    if hasattr(session.config, "workerinput"):
        # pytest-xdist treats the exit of a worker as a crash.
        session.shouldstop = _summarize(error)
    else:
        pytest.exit(_summarize(error), returncode=error.exit_code)


def _summarize(error: HermesSdkError) -> str:
    """Return an error in one sentence, with only the last line of a process's output."""
    first, *others = error.message.splitlines()
    return f"{first.partition(': ')[0]}: {others[-1].strip()}" if others else error.message


def _record(
    request: pytest.FixtureRequest, host: Host, staged: Sequence[Located], options: _Options
) -> AbstractContextManager[None]:
    """Save the trace of the test if it fails and `--hermes-record` is given."""
    directory = request.config.getoption("--hermes-record")
    if directory is None:
        return nullcontext()
    from hermes_sdk.testing.failure_traces import record_failure
    from hermes_sdk.traces.scenario import refer_to

    start = request.config.invocation_params.dir / directory
    paths: dict[str, list[str | dict[str, str]]] = {}
    for one in staged:
        paths.setdefault("gateway_hooks" if one.event_hook else "plugins", []).append(refer_to(one, start))
    settings = {key: value for key, value in options.items() if key in ("defaults", "toolsets", "config", "env")}
    return record_failure(request, host, {**paths, **settings})


def _locate(request: pytest.FixtureRequest, options: _Options, form: Form | None) -> list[Located]:
    """Find the plugins under test. If one is missing, only the first test that needs it reports the full reason."""
    config = request.config
    named = options.get("plugin", config.getoption("--hermes-plugin") or str(config.getini("hermes_plugin")))
    try:
        names = [named] if isinstance(named, str) else named
        return [locate_plugin(request, one, form, loads=options.get("load", True)) for one in names]
    except UsageError as error:
        problems = config.stash.setdefault(_PROBLEMS, set())
        if error.message in problems:
            raise UsageError("the plugin was not found; see the first test that needs it") from None
        problems.add(error.message)
        advice = (
            f"The pytest rootdir is {config.rootpath}: run pytest in the root of the project, or set `hermes_plugin`"
            " in the pytest configuration to the plugin's path, relative to the rootdir."
        )
        raise UsageError(error.message, where=error.where, fix=f"{error.fix}\n  {advice}") from None


def list_forms(config: pytest.Config, named: str = "") -> list[Form]:
    """Return the forms of a plugin, by default that of the command line or the configuration.

    Raises:
        UsageError: The plugin cannot be found.
    """
    return [one.form for one in locate_forms(config, named)]


def locate_forms(config: pytest.Config, named: str = "") -> Sequence[Located]:
    """Find a plugin in each of its forms; see `list_forms`."""
    named = named or config.getoption("--hermes-plugin") or str(config.getini("hermes_plugin"))
    path, name = _find_path(config, named)
    return manifest.locate_forms(path, plugin=name).forms


def locate_plugin(request: pytest.FixtureRequest, named: str, form: Form | None, *, loads: bool = True) -> Located:
    """Find a plugin by path or name, in the given form or in the first form that loads.

    Args:
        loads: Whether the plugin is expected to load.
    """
    path, name = _find_path(request.config, named)
    if form or not loads:
        return manifest.locate(path, form, name)
    located, note = find_working_form(
        path, None, name, contract.find_nearest(request.config.getoption("--hermes-release") or contract.DEFAULT)
    )
    if note:
        request.node.user_properties.append((FORM, note))
    return located


def _find_path(config: pytest.Config, named: str) -> tuple[Path, str]:
    """Resolve the path or name of a plugin to a path and, in a project with several plugins, a name."""
    path = config.rootpath / named
    is_path = path.suffix == ".py" or (path.exists() and not _is_package_name(config.rootpath, named))
    return (path, "") if is_path else (config.rootpath, named)


def _is_package_name(root: Path, named: str) -> bool:
    """Return whether this is the name of a plugin that is only a package. A directory may have the same name."""
    try:
        return named not in ("", ".") and [one.form for one in manifest.locate_forms(root, plugin=named).forms] == [
            "package"
        ]
    except UsageError:
        return False


class _Options(TypedDict, total=False):
    """Options of the marker ``hermes``."""

    plugin: str | list[str]
    load: bool
    defaults: bool
    toolsets: list[str]
    config: dict[str, Any]
    env: dict[str, str]


_KINDS = {
    "plugin": (str, list),
    "load": (bool,),
    "defaults": (bool,),
    "toolsets": (list,),
    "config": (dict,),
    "env": (dict,),
}


def _options(request: pytest.FixtureRequest) -> _Options:
    """Merge the markers of a test; its own override those of its class and its module."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("hermes"))):
        if marker.args:
            raise UsageError("the marker `hermes` takes only keyword arguments", fix=_MARKER)
        options.update(marker.kwargs)
    for name, value in options.items():
        if name not in _KINDS:
            raise UsageError(f"the marker `hermes` has no argument {name!r}", fix=_MARKER)
        if not isinstance(value, _KINDS[name]):
            kind = " or ".join(one.__name__ for one in _KINDS[name])
            raise UsageError(f"the marker `hermes`: {name} must be {kind}, not {value!r}", fix=_MARKER)
    plugin = options.get("plugin", ".")
    if not plugin or not all(isinstance(one, str) for one in plugin):
        raise UsageError(f"the marker `hermes`: plugin must name at least one plugin, not {plugin!r}", fix=_MARKER)
    return cast("_Options", options)


def _configure(home: Home, options: _Options, release: str) -> None:
    """Write the configuration of the marker into the home."""
    if options.get("defaults"):
        keep_tool_search(home.path, contract.load(release))
    if "toolsets" in options:
        home.update_config({"platform_toolsets": {"cli": options["toolsets"]}})
    if "config" in options:
        home.update_config(options["config"])


def _registers_platform(plugins: Sequence[Located], keys: Sequence[str], open_host: Callable[[], Host]) -> bool:
    """Return whether a plugin registers a platform, by its manifest or by loading it in a separate host.

    The host of the test reads its plugins when it opens, so ``test-chat`` has to be added before.
    """
    fields = [manifest.parse(one.manifest).value for one in plugins if one.manifest]
    if any(isinstance(one, dict) and one.get("kind") == "platform" for one in fields):
        return True
    if not keys:
        return False
    with open_host() as host:
        return any(host.report(key)["platforms"] for key in keys)


def _check_loaded(request: pytest.FixtureRequest, options: _Options, host: Host, key: str) -> None:
    """Fail if a plugin did not load. Only the first such test reports the full reason."""
    if not options.get("load", True):
        host.expect_swallowed(match="^plugin ")
        return
    report = host.report(key)
    # The host lists a model provider as skipped, and loads it when models are requested.
    if report["status"] == "loaded" or report["model_providers"]:
        return
    why = report["error"] or "the host gives no reason"
    if report["plugin"]["kind"] == "exclusive":
        # The host lists an exclusive plugin as skipped, and loads it when a session needs its provider.
        key = report["plugin"]["key"]
        chosen = _read_memory_provider(host) == key
        if chosen and report["memory_provider"]:
            return
        why = "it does not provide a memory provider" if chosen else f"{why}\n  {_advise_selection(key)}"
        if chosen and report["plugin"]["source"] == "entrypoint":
            why += "\n  To let Hermes find the package, add an entry point in hermes_agent.memory_providers."
    problem = f"The plugin did not load ({report['status']}): {why}"
    problems = request.config.stash.setdefault(_PROBLEMS, set())
    if problem in problems and host.swallowed:
        pytest.fail(f"{problem}\nThe first test with this error shows the traceback.", pytrace=False)
    problems.add(problem)
    traces = "\n".join(one.traceback for one in host.swallowed)
    fixes = "".join(_suggest_fix(host, one) for one in host.swallowed)
    pytest.fail(f"{problem}\n{fixes}\n{traces}", pytrace=False)


def _suggest_fix(host: Host, hidden: Swallowed) -> str:
    """Format a hint on how to fix an exception as a line; empty if there is none."""
    fix = suggest_fix(hidden.traceback, contract.load_closest(host.release))
    return f"  {fix}\n" if fix else ""


def _check_hooks(gateway: Gateway) -> None:
    """Fail if the gateway did not load an event hook of the project, which it does after the plugins."""
    loaded = [line for line in gateway.printed if line.startswith("[hooks] Loaded hook ")]
    if any((gateway.host.home / "hooks").glob("*")) and not loaded:
        output = "\n".join(gateway.printed) or "The gateway logged nothing: there is no handler.py next to HOOK.yaml."
        pytest.fail(f"The event hook did not load:\n{output}", pytrace=False)


def _read_memory_provider(host: Host) -> object:
    """Return the memory provider that the configuration selects, or None."""
    memory = Home(host.home).config.get("memory")
    return cast("dict[str, object]", memory).get("provider") if isinstance(memory, dict) else None


def _advise_selection(key: str) -> str:
    config = {"memory": {"provider": key}}
    return f"Select it as the memory provider: @pytest.mark.hermes(config={config})"


def _check_end(host: Host, name: str, *, scripted: bool) -> None:
    """Fail the test for swallowed exceptions, unsupported features and unmet expectations.

    Args:
        host: The host, at the end of the test.
        name: The expression for the host in the test.
        scripted: Whether the requests must match the model's script.
    """
    texts = host.unscripted() if scripted else []
    texts += [_describe_swallowed(host, one, name) for one in host.unexpected()]
    texts += [_describe_unsupported(one, name) for one in host.unexpected_unsupported()]
    texts += [f"Nothing matched the expected {pattern!r}." for pattern in host.unmet()]
    if texts:
        pytest.fail("\n\n".join(texts), pytrace=False)


def _describe_unsupported(reached: Unsupported, name: str) -> str:
    return (
        f"{reached}\nThis test may behave differently in Hermes: {reached.fix or 'run it with --hermes-host real.'}\n"
        f"If this is expected, declare it in the test: {name}.expect_unsupported(match={reached.what!r})\n"
        "More: hermes-sdk docs troubleshooting#unsupported"
    )


def _describe_swallowed(host: Host, hidden: Swallowed, name: str) -> str:
    advice = f"{name}.expect_swallowed(match={hidden.error.partition(':')[0]!r})"
    # The host's message asks for a provider; in a test, a script is the provider.
    script = f"Script an answer with {name.partition('.')[0]}.llm.aux.script(…).\n" if _NO_MODEL in hidden.error else ""
    return (
        f"The host swallowed an exception of the plugin in {hidden.where}: {hidden.error}\n"
        f"{_suggest_fix(host, hidden)}{script}"
        f"If this is expected, declare it in the test: {advice}\n\n{hidden.traceback}"
    )
