"""HS813, HS814, HS820 to HS842, HS948 and HS952: discovery, setup and start of memory providers."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
from pathlib import Path
from typing import Any

from . import lab, tools
from .base import Broken, NotApplicable, SuiteRules, demand, demand_nothing_swallowed
from .lab import demand_takes_more, format_place
from .memory_lab import BASE, SILENT, Lab
from .watching import list_files, record_addresses, record_opened

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

RULES = SuiteRules()
rule = RULES.rule


@rule("HS820", "The host silently uses only its built-in memory.", outside=True)
def the_host_finds_a_provider(test: Any) -> None:
    """The host treats a directory as a memory provider if the first 8192 characters of its __init__.py contain
    MemoryProvider or register_memory_provider, and loads it if memory.provider names it."""
    report = test.host.report(test.settings["key"])
    hidden = "; ".join(f"{one.where}: {one.error}" for one in test.host.swallowed)
    demand(report["memory_provider"] is not None, f"the host found no memory provider in the plugin. {hidden}".strip())


@rule("HS821", "It calls methods that other classes lack, and swallows each AttributeError.")
def it_is_a_memory_provider(test: Lab) -> None:
    """The host's class has defaults for methods that releases add."""
    provider = test.provider()
    names = [one.__name__ for one in type(provider).__mro__]
    demand(BASE in names, f"{type(provider).__name__} does not inherit from agent.memory_provider.MemoryProvider")


@rule("HS822", "Messages and logs of the host do not name the provider.")
def it_has_a_name(test: Lab) -> None:
    """The host reads the name before it starts the provider."""
    provider = test.provider()
    place = format_place(getattr(type(provider), "name", None))
    demand(isinstance(provider.name, str) and provider.name.strip(), f"its name{place} is {provider.name!r}")


@rule(
    "HS823",
    "It drops the registered provider, and instantiates the first provider class that it finds, without arguments.",
)
def it_registers_with_the_four_methods_of_its_ctx(test: Lab) -> None:
    """Before 0.20.1, the ctx of a memory plugin has register_memory_provider, register_tool, register_hook and
    register_cli_command, of which the last three do nothing, and no other member."""
    register = test.find_register(test.load())
    if register is None:
        raise NotApplicable("it has no register(); the host instantiates its class")
    collector = test.collector()
    try:
        register(collector)
    except Exception as error:
        lacking = f" (the ctx has no {', '.join(collector.missing)})" if collector.missing else ""
        place = format_place(register)
        raise Broken(f"register(ctx){place} raised {type(error).__name__}: {error}{lacking}") from error
    demand(collector.find_registered("register_memory_provider"), "register(ctx) registers no memory provider")


@rule("HS824", "Sessions of several agents share the object's state, and end each other.")
def each_agent_gets_its_own_provider(test: Lab) -> None:
    """The host registers a plugin again for each agent that it starts: for subagents, and in the gateway for each
    chat."""
    module = test.load()
    demand(test.provider(module) is not test.provider(module), "registering twice returned the same object")


@rule("HS825", "It treats any true value as available, and starts a provider that cannot work.")
def is_available_returns_a_boolean(test: Lab) -> None:
    """The host calls it first, on an object that was not started."""
    answer = test.provider().is_available()
    demand(isinstance(answer, bool), f"is_available() returned {answer!r}")


@rule("HS952", "Sessions run without the provider.")
def it_is_available(test: Lab) -> None:
    """The host starts only a provider whose is_available returns true."""
    provider = test.provider()
    told = "set what it needs in environment or config of the suite"
    demand(provider.is_available(), f"is_available(){format_place(type(provider).is_available)} returned false; {told}")


@rule("HS826", "Each start of Hermes and `hermes memory status` wait for the network.")
def is_available_uses_no_network(test: Lab) -> None:
    """The presence of a key or a package can be checked without a request."""
    provider = test.provider()
    with record_addresses() as asked, contextlib.suppress(Exception):
        provider.is_available()
    demand(not asked, f"is_available() contacted {asked}")


@rule("HS827", f"{SILENT}, or offers tools whose calls fail as unknown.")
def it_lists_its_tools_before_it_starts(test: Lab) -> None:
    """The host calls get_tool_schemas when it indexes tools, before it calls initialize."""
    listed = test.provider().get_tool_schemas()
    demand(isinstance(listed, list), f"get_tool_schemas() returned {listed!r:.200}, not a list")
    told = [one.get("name") for one in tools.bare(test.provider())]
    late = [one.get("name") for one in tools.bare(test.start()) if one.get("name") not in told]
    demand(not late, f"it lists {late} only after it was started")


@rule("HS828", "`hermes memory setup` fails with an exception, or saves nothing.")
def the_setup_can_ask_and_save(test: Lab) -> None:
    """The setup prompts for the fields of get_config_schema, and passes all except secrets to save_config, on an object
    that was not started."""
    provider = test.provider()
    asked = provider.get_config_schema()
    demand(isinstance(asked, list), f"get_config_schema() returned {asked!r:.200}, not a list")
    for one in asked:
        fits = isinstance(one, dict) and all(
            isinstance(one.get(key), str) and one[key] for key in ("key", "description")
        )
        demand(fits, f"get_config_schema() lists {one!r:.200}, whose `key` and `description` must be text")
    saves = lab.overridden(provider, "save_config", BASE) and not hasattr(provider, "post_setup")
    demand(asked or not saves, "it overrides save_config, but get_config_schema() lists no field to ask for")
    answers = {one["key"]: str(one.get("default") or "text") for one in asked if not one.get("secret")}
    provider.save_config(answers, str(test.home))


@rule("HS813", "The user's input is silently discarded.")
def each_secret_has_a_variable(test: Lab) -> None:
    """The setup writes a secret only to .env, to the variable that env_var of its field names."""
    secrets = [one for one in test.provider().get_config_schema() if isinstance(one, dict) and one.get("secret")]
    if not secrets:
        raise NotApplicable("its setup does not ask for a secret")
    for one in secrets:
        name = one.get("env_var")
        right = isinstance(name, str) and _VARIABLE.fullmatch(name)
        demand(right, f"the secret {one.get('key')!r} has env_var {name!r}, which is not a valid variable name")


@RULES.rule("HS814", "After `hermes memory setup`, the host runs without the provider.", outside=True)
def it_works_with_what_the_setup_saved(test: Any) -> None:
    """A session starts after the setup, in another process, and reads what save_config wrote."""
    _take_a_turn(test)
    if test.host.swallowed:
        raise NotApplicable("a session fails even without a setup; see HS868")
    done = test.host.memory.setup(provider=test.settings["plugin"])
    if "EOFError" in done.stderr:
        raise NotApplicable("its post_setup has its own prompts, which a test cannot answer")
    demand(done.exit_code == 0, f"the setup ended with exit code {done.exit_code}: {done.stderr.strip()[-300:]}")
    failed = [line.strip() for line in done.stdout.splitlines() if "Failed to write provider config" in line]
    demand(not failed, "; ".join(failed))
    _take_a_turn(test)
    demand_nothing_swallowed(test.host)


@rule("HS948", "The user's answers in `hermes memory setup` change nothing.")
def it_reads_what_the_setup_saved(test: Lab) -> None:
    """save_config is called once, in the process of the setup; every session has to read what it wrote."""
    provider = test.provider()
    fields = [one for one in provider.get_config_schema() if isinstance(one, dict) and one.get("key")]
    asked = [one for one in fields if not one.get("secret") and not one.get("env_var")]
    if not asked:
        raise NotApplicable("its setup asks only for variables")
    demand(
        lab.overridden(provider, "save_config", BASE),
        f"the setup asks for {asked[0]['key']!r}, but {type(provider).__name__} does not override save_config",
    )
    before = list_files([test.home])
    provider.save_config({one["key"]: str(one.get("default") or "text") for one in asked}, str(test.home))
    after = list_files([test.home])
    saved = {os.path.realpath(name): Path(name).name for name in after if after[name] != before.get(name)}
    if not saved or {"config.yaml", ".env"} & {*saved.values()}:
        raise NotApplicable("save_config() writes no separate file in the home")
    with record_opened() as opened:
        started = test.start()
        started.prefetch("anything", session_id="")
    demand(saved.keys() & {*opened}, f"no session reads {', '.join(saved.values())}, which save_config() wrote")


@rule("HS829", "`hermes backup` omits its files.")
def backup_paths_are_absolute(test: Lab) -> None:
    """`hermes backup` calls backup_paths on an object that was not started, and uses only absolute paths."""
    provider = test.provider()
    if not hasattr(provider, "backup_paths"):
        raise NotApplicable("this release does not call backup_paths")
    paths = provider.backup_paths()
    right = isinstance(paths, list) and all(isinstance(one, str) and Path(one).is_absolute() for one in paths)
    demand(right, f"backup_paths() returned {paths!r:.200}")


@rule("HS830", f"{SILENT}; on another platform or release the provider never starts.")
def it_starts_with_what_every_release_passes(test: Lab) -> None:
    """Only session_id and hermes_home are always passed; the rest depends on the platform and the release."""
    test.start()
    test.provider().initialize("first", hermes_home=str(test.home))


@rule("HS831", f"{SILENT}; after /new or a resume its memory is gone.")
def it_can_be_started_again(test: Lab) -> None:
    """The host uses the same object for consecutive sessions."""
    provider = test.start("first")
    provider.initialize("second", **test.make_start_arguments())


def _take_a_turn(test: Any) -> None:
    test.host.llm.script("one")
    test.host.chat("Hello")
    test.host.finish()


def _add_arguments_rule(code: str, method: str, *args: Any, **kwargs: Any) -> None:
    """Add a rule that a method accepts arguments of later releases."""

    def check(test: Lab) -> None:
        provider = test.provider()
        if not hasattr(provider, method) or not lab.overridden(provider, method, BASE):
            raise NotApplicable(f"it does not override {method}")
        bases = [one for one in type(provider).__mro__ if one.__name__ == BASE]  # Without the base class, HS821 fails.
        optional = inspect.signature(getattr(bases[0], method)).parameters.values() if bases else ()
        named = {one.name: one.default for one in optional if one.default is not one.empty}
        demand_takes_more(getattr(provider, method), *args, **{**named, **kwargs})

    check.__name__ = f"{method}_accepts_arguments_of_later_releases"
    check.__doc__ = f"Releases add keyword arguments, and an unexpected one makes {method} raise a TypeError."
    rule(code, f"{SILENT}, and continues as if the provider had no {method}.")(check)


_add_arguments_rule("HS832", "initialize", "first", hermes_home="/home")
_add_arguments_rule("HS833", "prefetch", "text", session_id="")
_add_arguments_rule("HS834", "queue_prefetch", "text", session_id="")
_add_arguments_rule("HS835", "sync_turn", "text", "reply", session_id="")
_add_arguments_rule("HS836", "handle_tool_call", "name", {})
_add_arguments_rule("HS837", "on_turn_start", 1, "text")
_add_arguments_rule("HS838", "on_session_end", [])
_add_arguments_rule("HS839", "on_session_switch", "second", parent_session_id="first", reset=True, reason="new_session")
_add_arguments_rule("HS840", "on_pre_compress", [])
_add_arguments_rule("HS841", "on_delegation", "task", "result", child_session_id="child")
_add_arguments_rule("HS842", "on_memory_write", "add", "memory", "text")
