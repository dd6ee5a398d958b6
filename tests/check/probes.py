"""Probes, which test on a running host whether an example does the damage that its rule predicts.

    @probe("HS204")
    def register_never_runs(host): return not host.commands

`shows_damage` runs a probe on a host with one example enabled. It returns True for the bad example and False for the
good one, on each release that the rule applies to. Probes use only the API of `Host`, so that they run on real hosts.
"""

from __future__ import annotations

import json
import re
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from check.conftest import write_files
from conformance.gateway_cases import platform
from operate.conftest import git
from wheels import build

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Example
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import inspection, open_host
from hermes_sdk.hosts.interface import ALLOW_ALL, Host, HostExited, HostKind, NotSupported
from hermes_sdk.llm import call, say
from hermes_sdk.manifest import locate
from hermes_sdk.operate.install import install

Act = Callable[[Host], bool]


class Probe(NamedTuple):
    """Probe of a rule, with the setup of its host.

    Attributes:
        act: Uses the plugin, and returns whether there is damage.
        config: Additional configuration, such as the selected provider.
        environment: Environment variables of the host's process; ``{home}`` is replaced by the home.
        mark: Pattern of a statement in the examples that `marked` replaces.
        marked: The replacement; by default, a statement that creates the file ``ran`` in the home.
        place: Directory of the example's files in the home. ``site`` is a package to install, ``project`` a package to
            build first, and ``source`` a plugin that the probe itself loads or installs.
        beside: Additional files of the home.
        until: The first release without the damage, if the rule still warns there about earlier releases.
    """

    act: Act
    config: Mapping[str, Any]
    environment: Mapping[str, str]
    mark: str
    marked: str
    place: str
    beside: Example
    until: str


PROBES: dict[str, Probe] = {}
"""Probes by the code of their rule."""

_ENABLED = ["example", "notes", "echo", "my.example", "p"]
_MARK = "import os; open(os.path.join(os.environ['HERMES_HOME'], 'ran'), 'w').close()\n"


def probe(
    *codes: str,
    config: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    mark: str = "",
    marked: str = _MARK,
    place: str = "plugins/example",
    beside: Example | None = None,
    until: str = "",
) -> Callable[[Act], Act]:
    """Register a function as the probe of some rules."""

    def add(act: Act) -> Act:
        entry = Probe(act, config or {}, environment or {}, mark, marked, place, beside or {}, until)
        PROBES.update(dict.fromkeys(codes, entry))
        return act

    return add


def shows_damage(probe: Probe, files: Example, release: str, kind: HostKind = "embedded") -> bool:
    """Return whether an example does the damage on a release."""
    with Home.temporary() as home:
        write_files(home.path, probe.beside)
        write_files(home.path / probe.place, {name: _mark(probe, text) for name, text in files.items()})
        config = {"plugins": {"enabled": _ENABLED}, **probe.config, **_read_config(files)}
        (home.path / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
        environment = {name: value.format(home=home.path) for name, value in probe.environment.items()}
        site = [_install(home.path / "site")] if probe.place == "site" else []
        site += [_build(home.path / "project")] if probe.place == "project" else []
        with open_host(kind, release, home, pythonpath=site, environment=environment, record=True) as host:
            return probe.act(host)


def _read_config(files: Example) -> dict[str, Any]:
    """Return the configuration that an example recommends."""
    return yaml.safe_load(files.get("config.yaml.example", "{}"))


def _install(site: Path) -> Path:
    """Write the metadata of an example's package, with its entry points."""
    groups = tomllib.loads((site / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in points.items())
        for group, points in groups.items()
    ]
    metadata = "Metadata-Version: 2.1\nName: example\nVersion: 1\n"
    write_files(site / "example-1.dist-info", {"METADATA": metadata, "entry_points.txt": "\n".join(lines)})
    return site


def _build(project: Path) -> Path:
    """Build the wheel of an example, and unpack it."""
    site = project / "site"
    write_files(site, build(Plugin(locate(project), project)).files)
    return site


def _mark(probe: Probe, text: str | bytes) -> str | bytes:
    return re.sub(probe.mark, probe.marked, text) if probe.mark and isinstance(text, str) else text


def has_run(host: Host) -> bool:
    """Return whether the marked statement of a probe has run."""
    return (host.home / "ran").exists()


def has_logged(host: Host, text: str) -> bool:
    """Return whether the host logged a warning or an error with a text."""
    return any(text in one.message for one in host.log if one.level != "INFO")


def read_source(host: Host) -> str:
    """Return the source of the example's main module."""
    return (host.home / "plugins/example/__init__.py").read_text(encoding="utf-8")


def explain_refusal(host: Host) -> str:
    """Install the example as `hermes plugins install` does, and return the output or the error."""
    source = host.home / "source"
    if host.kind == "real":
        git(source, "init", "--quiet")
        git(source, "add", "--all")
        git(source, "commit", "--quiet", "--message=example")
        return host.cli("plugins", "install", source.as_uri()).stdout
    try:
        install(Home(host.home), source, release=host.release)
    except UsageError as error:
        return error.message
    return ""


# The manifest


@probe("HS101", "HS102", "HS104", "HS105", "HS106", "HS107", "HS109", "HS110")
def plugin_is_not_listed(host: Host) -> bool:
    return "example" not in host.plugins


@probe("HS108")
def manifest_is_rejected_or_its_last_value_used(host: Host) -> bool:
    return "example" not in host.plugins or host.report("example")["plugin"]["version"] == "2.0.0"


@probe("HS114", place="source")
def installer_refuses_the_name(host: Host) -> bool:
    return "Invalid plugin name" in explain_refusal(host)


@probe("HS121", place="source", until="0.21.4")
@probe("HS122", place="source")
def installer_refuses_the_manifest_version(host: Host) -> bool:
    return "manifest_version" in explain_refusal(host)


@probe("HS120")
def installer_asks_for_single_letters(host: Host) -> bool:
    required = host.report("example")["plugin"]["manifest"].get("requires_env", [])
    return [*required] == [*"ROLL_KEY"]


@probe("HS124", until="0.21.5")
def hooks_are_not_declared(host: Host) -> bool:
    return host.report("example")["plugin"]["manifest"].get("provides_hooks") != host.hooks


@probe("HS127")
def release_is_not_excluded(host: Host) -> bool:
    return host.report("example")["status"] == "loaded"


@probe("HS112")
def plugin_cannot_be_enabled(host: Host) -> bool:
    return not any(host.report(key)["status"] == "loaded" for key in host.plugins)


@probe("HS113")
def plugin_has_no_name_of_its_own(host: Host) -> bool:
    return "name" not in host.report("example")["plugin"]["manifest"]


@probe("HS115")
def key_of_the_plugin_is_unusual(host: Host) -> bool:
    return host.plugins != ["example"]


@probe("HS118")
def kind_is_ignored_with_a_warning(host: Host) -> bool:
    return has_logged(host, "kind") and host.report("example")["plugin"]["kind"] == "standalone"


@probe("HS119")
def value_is_passed_on_unchanged(host: Host) -> bool:
    return not isinstance(host.report("example")["plugin"]["manifest"].get("provides_tools", []), list)


@probe("HS132")
def plugin_is_skipped_and_provides_nothing(host: Host) -> bool:
    report = host.report("example")
    return report["status"] == "skipped" and report["memory_provider"] is None


@probe("HS129")
def plugin_is_left_to_another_loader(host: Host) -> bool:
    return host.report()["status"] == "skipped"


# Loading


@probe("HS201", "HS203", "HS208", "HS209", "HS214", "HS309", "HS502", "HS522", "HS731")
def plugin_does_not_load(host: Host) -> bool:
    return host.report()["status"] == "failed"


@probe("HS202", place="source")
def load_ends_the_process(host: Host) -> bool:
    try:
        inspection.show(host.home / "source", host=host.kind, release=host.release)
    except HostExited:
        return True
    return False


@probe("HS204", "HS216")
def nothing_is_registered(host: Host) -> bool:
    return host.report()["status"] == "loaded" and not (host.commands or host.tools or host.hooks)


def differing_tools(host: Host) -> tuple[set[str], set[str]]:
    """Return the tools that the manifest declares, and those that the example registered."""
    report = host.report("example")
    return set(report["plugin"]["manifest"]["provides_tools"]), set(report["tools"])


@probe("HS205")
def declared_tool_is_missing(host: Host) -> bool:
    declared, registered = differing_tools(host)
    return not declared <= registered


@probe("HS206")
def registered_tool_is_not_declared(host: Host) -> bool:
    declared, registered = differing_tools(host)
    return not registered <= declared


@probe("HS213")
def command_of_a_failed_plugin_stays(host: Host) -> bool:
    return host.report()["status"] == "failed" and "example" in host.commands


# Tools


@probe("HS301", "HS302")
def call_fails_or_returns_something_else(host: Host) -> bool:
    return host.call_tool("roll").value != "4"


@probe("HS303", "HS307")
def model_sees_no_description(host: Host) -> bool:
    (definition,) = host.definitions()
    return not definition["function"].get("description")


@probe("HS304")
def arguments_are_outside_of_parameters(host: Host) -> bool:
    (definition,) = host.definitions()
    return "properties" in definition["function"]


@probe("HS305")
def model_sees_an_invalid_schema(host: Host) -> bool:
    from jsonschema import Draft202012Validator, SchemaError

    (definition,) = host.definitions()
    try:
        Draft202012Validator.check_schema(definition["function"]["parameters"])
    except SchemaError:
        return True
    return False


@probe("HS308")
def built_in_tool_is_replaced(host: Host) -> bool:
    return "web_extract" in host.tools and host.call_tool("web_extract").text == "4"


@probe("HS310", config={"agent": {"disabled_toolsets": ["web"]}})
def switch_of_the_built_in_toolset_hides_the_tool(host: Host) -> bool:
    host.llm.script(say("Hello."))
    host.chat("Hello.")
    return "roll" not in str(host.llm.requests[0].tools)


@probe("HS318", config={"tools": {"tool_search": {"enabled": "auto"}}})
def request_does_not_list_the_tool(host: Host) -> bool:
    arguments = {"name": "roll", "arguments": {}}
    host.llm.script(call("tool_call", arguments), say("Four."))
    host.chat("Roll a die.")
    return any("'roll' is not in list" in one.error for one in host.swallowed)


@probe("HS313")
def model_gets_an_error_in_place_of_the_result(host: Host) -> bool:
    return "tool_result_contract" in host.call_tool("roll").text


@probe("HS314")
def call_ends_the_host(host: Host) -> bool:
    try:
        host.call_tool("roll")
    except HostExited:
        return True
    return False


@probe("HS315")
def model_gets_a_bare_error_line(host: Host) -> bool:
    return "[TOOL_ERROR]" in host.call_tool("roll").text


@probe("HS317")
def calls_share_a_default(host: Host) -> bool:
    return host.call_tool("roll").text != host.call_tool("roll").text


# Hooks and commands


@probe("HS319")
def command_fails_on_a_coroutine(host: Host) -> bool:
    return "coroutine" in str(host.command("/example text"))


@probe("HS401", "HS407")
def name_is_unknown_and_logged(host: Host) -> bool:
    return has_logged(host, "on_sesion_start") or has_logged(host, "tool_requests")


@probe("HS402", "HS403", mark="pass")
def callback_does_not_run(host: Host) -> bool:
    host.fire("on_session_start")
    return not has_run(host)


@probe("HS404")
def output_is_not_transformed(host: Host) -> bool:
    return host.fire("transform_terminal_output", output=" x ") != ["x"]


@probe("HS405")
def call_goes_through(host: Host) -> bool:
    return host.call_tool("terminal", command="echo through").status == "ok"


@probe("HS408")
def callback_fails_when_it_is_called(host: Host) -> bool:
    host.fire("on_session_start")
    return bool(host.swallowed)


@probe("HS451")
def command_is_skipped(host: Host) -> bool:
    return not host.commands


@probe("HS455")
def command_is_skipped_or_breaks_others(host: Host) -> bool:
    return "example" not in host.cli_commands


@probe("HS456")
def command_fails(host: Host) -> bool:
    return host.command("/example-help" if "example-help" in host.commands else "/example") != "fine"


@probe("HS457")
def command_prints_nothing(host: Host) -> bool:
    return "fine" not in host.cli("example").stdout


# Providers

_NOTES = {"memory": {"provider": "notes"}}


def converse(host: Host) -> list[dict[str, Any]]:
    """Run one turn and end the session, and return the calls of providers."""
    host.llm.script(say("Hello."))
    host.chat("Hello.")
    host.finish()
    return [one for one in host.events if one["kind"] in ("memory", "context_engine")]


@probe("HS501", config=_NOTES, place="plugins/notes")
def a_method_raises(host: Host) -> bool:
    return any(one.get("raised") for one in converse(host))


@probe("HS506", "HS507", config=_NOTES, place="plugins/notes", mark=r"(?<=_content, \*\*kwargs\):\n        )pass")
def body_of_the_method_does_not_run(host: Host) -> bool:
    converse(host)
    return not has_run(host)


@probe("HS512", config=_NOTES, place="plugins/notes")
def provider_is_not_used(host: Host) -> bool:
    return not converse(host)


@probe("HS511", "HS515", config=_NOTES, place="plugins/notes")
def loader_swallows_an_error(host: Host) -> bool:
    converse(host)
    return bool(host.swallowed)


@probe("HS516", place="plugins/notes")
def bundled_provider_is_used(host: Host) -> bool:
    Home(host.home).update_config({"memory": {"provider": host.report()["plugin"]["name"]}})
    try:
        return not any("Notes" in one["callback"] for one in converse(host))
    except NotSupported:  # The embedded host selects the bundled provider, but does not model it.
        return True


@probe("HS505", config={"context": {"engine": "short"}})
def engine_is_not_used(host: Host) -> bool:
    return bool(host.report()["context_engine"]) and all(one.get("raised") for one in converse(host))


@probe("HS504")
def provider_is_ignored_with_a_warning(host: Host) -> bool:
    return has_logged(host, "Painter") or has_logged(host, "image_gen")


@probe("HS514")
def command_of_a_model_provider_is_missing(host: Host) -> bool:
    return "example" not in host.commands


@probe("HS503", config=_NOTES, place="plugins/notes", mark=r"return requests\.get\(.*\)\.ok")
def host_waits_for_the_network_at_the_start(host: Host) -> bool:
    converse(host)
    return has_run(host)


@probe("HS517", config={"web": {"backend": "finder"}, "platform_toolsets": {"cli": ["web", "finder"]}})
def model_is_not_offered_a_search(host: Host) -> bool:
    host.llm.script(say("Hello."))
    host.chat("Hello.")
    return "earch the web" not in str(host.llm.requests[0].tools)


@probe("HS521")
def platform_starts_unconfigured(host: Host) -> bool:
    host.gateway()
    return not has_logged(host, "No messaging platforms enabled")


@probe("HS523", config={"platforms": {"echo": {"enabled": True}}})
def platform_is_not_enabled(host: Host) -> bool:
    host.gateway()
    return has_logged(host, "No messaging platforms enabled")


@probe("HS524")
def command_fails_at_the_platform(host: Host) -> bool:
    return host.command("/place") != "telegram"


@probe("HS751", "HS752")
def skill_cannot_be_viewed(host: Host) -> bool:
    return [host.skill(name).get("success") for name in host.skills] != [True]


@probe("HS781", "HS783", "HS786")
def skill_is_left_out(host: Host) -> bool:
    return not host.skills


@probe("HS784")
def server_is_left_out(host: Host) -> bool:
    return not host.report()["mcp_servers"]


# Packages


@probe("HS601", place="site", until="0.21.5")
@probe("HS602", place="site")
def package_registers_nothing(host: Host) -> bool:
    return not host.commands


@probe("HS606", place="project")
def package_does_not_load(host: Host) -> bool:
    return host.report()["status"] == "failed"


@probe("HS607", place="project", mark=r"\A\Z")
def package_of_the_wheel_is_not_imported(host: Host) -> bool:
    return not has_run(host)


@probe("HS787")
def portable_plugin_is_not_listed(host: Host) -> bool:
    return "example" not in host.plugins


@probe("HS218", place="plugins")
def directory_does_not_load(host: Host) -> bool:
    return host.report()["status"] == "failed"


@probe("HS212", place="site")
def commands_are_gone_after_a_rescan(host: Host) -> bool:
    host.rescan()
    return not host.commands


# Further probes of loading, hooks and skills


@probe("HS211", mark=r"VERSION = subprocess\.run\(.*\)")
def program_runs_during_the_load(host: Host) -> bool:
    return has_run(host)


@probe(
    "HS210",
    beside={
        "palette.py": "",
        "plugins/p/plugin.yaml": "name: p\n",
        "plugins/p/__init__.py": "import palette, sys\n\ndel sys.modules['palette']\n\n\ndef register(ctx): pass\n",
    },
)
def path_changes_for_other_plugins(host: Host) -> bool:
    return host.report("p")["status"] == "loaded"


@probe("HS409", mark="sleep\\(2\\)", marked="sleep(0.2)")
def host_waits_for_the_callback(host: Host) -> bool:
    began = time.monotonic()
    host.fire("on_session_start")
    return time.monotonic() - began >= 0.2


@probe("HS306")
def name_in_the_schema_cannot_be_called(host: Host) -> bool:
    (name,) = re.findall(r'SCHEMA = {"name": "(\w+)"', read_source(host))
    return host.call_tool(name).text != "4"


@probe("HS311")
def first_handler_is_never_called(host: Host) -> bool:
    return "4" not in [host.call_tool(name).text for name in host.tools]


@probe("HS513", config=_NOTES, place="plugins/notes", mark="sys.dont_write_bytecode = True")
def loader_runs_the_tests(host: Host) -> bool:
    converse(host)
    return has_run(host)


@probe(
    "HS452",
    environment=ALLOW_ALL,
    beside={f"plugins/p/{name}": text for name, text in platform().items()},
)
def gateway_does_not_find_the_command(host: Host) -> bool:
    host.llm.script(say("Hello."))
    gateway = host.gateway()
    gateway.dm().receives("/team_notes")
    return "fine" not in str(gateway.sent)


@probe("HS406")
def new_keyword_breaks_the_call(host: Host) -> bool:
    host.fire("transform_terminal_output", event="new")
    return bool(host.swallowed)


@probe("HS754")
def skill_is_not_offered(host: Host) -> bool:
    return not host.skills


@probe("HS753")
def skill_has_no_description(host: Host) -> bool:
    return not host.skill(*host.skills)["description"]


@probe("HS782")
def field_is_ignored_with_a_warning(host: Host) -> bool:
    return any("ignored unknown" in warning for warning in host.report()["warnings"])


@probe("HS785", mark="pass")
def module_is_never_imported(host: Host) -> bool:
    return (host.home / "plugins/example/__init__.py").exists() and not has_run(host)


# Gateway hooks and shell hooks


@probe(
    "HS742",
    "HS743",
    mark=r"print\(event_type\)",
    place="",
    environment=ALLOW_ALL,
    beside={f"plugins/p/{name}": text for name, text in platform().items()},
)
def handler_does_not_run(host: Host) -> bool:
    host.llm.script(say("Hello."))
    host.gateway().dm().receives("Hello.")
    return not has_run(host)


_SHELL_HOOKS: Mapping[str, Any] = {
    "place": ".hermes",
    "environment": {"HOME": "{home}", "HERMES_ACCEPT_HOOKS": "1"},
    "beside": {f"plugins/p/{name}": text for name, text in platform("tool('t', lambda args, **kw: 'done')").items()},
}


@probe("HS741", "HS744", "HS746", "HS747", "HS748", mark=r"^(?=import json\b)", **_SHELL_HOOKS)
def script_does_not_run_or_is_not_understood(host: Host) -> bool:
    host.call_tool("terminal", command="true")
    return not has_run(host) or any("hook" in one.message for one in host.log if one.level == "WARNING")


@probe("HS740", **_SHELL_HOOKS)
def call_runs_without_its_guard(host: Host) -> bool:
    return host.call_tool("terminal", command="true").status == "ok"


@probe("HS745", **_SHELL_HOOKS)
def harmless_call_is_blocked(host: Host) -> bool:
    return host.call_tool("terminal", command="true").status != "ok"


@probe("HS749", **_SHELL_HOOKS)
def call_waits_for_the_script(host: Host) -> bool:
    host.call_tool("terminal", command="true")
    return has_logged(host, "timed out")


def _split(codes: str) -> list[str]:
    return [f"HS{number}" for number in codes.split()]


UNPROBED: Mapping[str, Sequence[str]] = {
    "style and advice": _split("103 116 117 123 130 133 207 604 611 732 733 771"),
    "read by other commands than the host": _split("126 217"),
    "about the releases that a project admits": _split("125 128 410"),
    "about Hermes' own files, chat menus, desktop and event loop": _split("215 312 316 453 454 761"),
    "packaging": _split("131 603 605 608 609"),
    "catalog": _split("681 682 683 684 685 686 687 688 689 690 691"),
    "security": _split("111 701 702 703 704 705 706 707 708 709 710 711 712 772"),
    "suppression": _split("791 792 793"),
}
"""The rules without a probe, by category. Of these, only rules about security may report errors."""
