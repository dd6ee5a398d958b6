"""HS901 to HS912, and HS953: registering, enabling and creating a platform, without a connection."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import subprocess
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from . import platform_lab
from .base import Broken, NotApplicable, SuiteRules, demand
from .lab import demand_takes_more, format_place
from .places import format_call_place, is_written
from .platform_lab import BASE, Lab
from .watching import record_addresses, record_variables, within

RULES = SuiteRules()
rule = RULES.rule

CHATS = ("dm", "group", "channel", "thread")
_ODD: tuple[Any, ...] = (None, "", 0, -1, 2.5, [], [None], {}, "text", "::::", True)
_CHECK_LIMIT = 1.0


@contextlib.contextmanager
def _bare_environment(test: Lab) -> Generator[None]:
    """Remove the variables that the suite sets for the platform."""
    with mock.patch.dict(os.environ):
        for name in test.settings["variables"]:
            os.environ.pop(name, None)
        yield


@contextlib.contextmanager
def _demand_passive(what: str) -> Generator[None]:
    """Raise `Broken` if the code contacts an address, starts a thread or program, or changes the environment."""
    threads, variables = set(threading.enumerate()), dict(os.environ)
    programs: list[Any] = []
    start = subprocess.Popen.__init__

    def watch_start(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        programs.append(args)
        start(self, args, *rest, **options)

    with record_addresses(here=True) as asked, mock.patch.object(subprocess.Popen, "__init__", watch_start):
        yield
    demand(not asked, f"{what} contacted {asked}")
    demand(not programs, f"{what} ran {programs}")
    demand(dict(os.environ) == variables, f"{what} changed environment variables")
    started = [one.name for one in threading.enumerate() if one not in threads]
    demand(not started, f"{what} started threads: {started}")


@rule("HS901", "The gateway does not know the platform, and logs nothing.", outside=True)
def the_host_accepts_the_platform(test: Any) -> None:
    """A plugin of the kind platform calls ctx.register_platform."""
    report = test.host.report(test.settings["key"])
    wanted = test.settings["platform"]
    taken = wanted in report["platforms"] if wanted else report["platforms"]
    demand(
        taken, f"the host registered {report['platforms'] or 'no platform'}: {report['error'] or report['warnings']}"
    )


@rule("HS902", "The platform is listed, but creating its adapter always fails with a ValueError.")
def its_name_can_be_selected(test: Lab) -> None:
    """Names of platforms are compared in lower case, without spaces around them."""
    name = test.entry()["name"]
    demand(isinstance(name, str) and name == name.strip().lower() != "", f"{name!r} is not a valid platform name")


@rule("HS903", "After a forced rescan, such as when another plugin is installed, the platform is missing or different.")
def it_can_be_registered_again(test: Lab) -> None:
    """The host registers a plugin again in the same process."""
    told = []
    for _ in range(2):
        entry = test.entry()
        told.append({key: value for key, value in entry.items() if not callable(value)})
    demand(told[0] == told[1], f"registering again produced {told[1]} instead of {told[0]}")


@rule("HS904", "Each gateway start, `hermes gateway status` and each setup wait for it, or trigger its side effects.")
def check_fn_has_no_side_effects(test: Lab) -> None:
    """The host calls check_fn often, to learn whether the requirements of the platform are installed: it returns a bool
    immediately, with and without a configuration, and has no side effects."""
    check = test.entry()["check_fn"]
    _demand_check(check, test.directory)
    with _bare_environment(test):
        _demand_check(check, test.directory)


def _demand_check(check: Any, plugin: Path) -> None:
    answers: list[Any] = []
    with _demand_passive("check_fn()"):
        within(_CHECK_LIMIT, "check_fn()", lambda: answers.append(check()), plugin)
    demand(answers, "check_fn() raised; it returns False when something is missing")
    demand(isinstance(answers[0], bool), f"check_fn() returned {answers[0]!r}")


@rule(
    "HS905", "It swallows the exception, or `hermes gateway setup` fails; the platform is off without an explanation."
)
def questions_about_the_configuration_are_answered(test: Lab) -> None:
    """The host calls validate_config, is_connected and env_enablement_fn for incomplete configurations."""
    entry = test.entry()
    _demand_answers(test, entry)
    with _bare_environment(test):
        _demand_answers(test, entry)


def _demand_answers(test: Lab, entry: dict[str, Any]) -> None:
    if enabling := entry.get("env_enablement_fn"):
        found = enabling()
        demand(found is None or isinstance(found, dict), f"env_enablement_fn() returned {found!r:.200}")
    for name in ("validate_config", "is_connected"):
        for config in _configs(test, entry) if entry.get(name) else ():
            with _demand_passive(name):
                _ask(name, entry[name], config)


def _ask(name: str, question: Any, config: Any) -> None:
    try:
        question(config)
    except Exception as error:
        told = f"{name}{format_place(question)} raised {type(error).__name__}: {error}"
        raise Broken(f"{told} for extra={config.extra!r:.200}") from error


def _configs(test: Lab, entry: dict[str, Any]) -> Iterator[Any]:
    yield test.make_config(entry["name"], {"enabled": False})
    yield test.make_config(entry["name"], {})
    for key in test.config(entry).extra:
        for odd in _ODD:
            yield test.make_config(entry["name"], {"extra": {key: odd}})


@rule("HS906", "The platform cannot be used in a container, or wherever config.yaml cannot be edited.")
def the_environment_alone_configures_it(test: Lab) -> None:
    """The host enables a platform by the result of env_enablement_fn, and calls is_connected and validate_config."""
    if not test.settings["variables"]:
        raise NotApplicable("the suite sets no environment variables")
    entry = test.entry()
    if entry.get("env_enablement_fn"):
        demand(test.seed(entry), "env_enablement_fn() returns nothing, although the variables are set")
    for name in ("is_connected", "validate_config"):
        if entry.get(name):
            demand(entry[name](test.config(entry)), f"{name} returns False, although the variables are set")


@platform_lab.rule(RULES, "HS953", "Users set the variable, and nothing changes.")
async def it_reads_its_variables(test: Lab) -> None:
    """A variable whose name begins with that of the platform is a setting: the adapter reads it, or register_platform
    names it for the host."""
    with record_variables(test.directory) as read:
        entry = test.entry()
        adapter = test.adapter()
        prefix = re.sub(r"\W", "_", entry["name"]).upper() + "_"
        of_host = [entry.get("allowed_users_env"), entry.get("allow_all_env")]
        # The host also reads a name and a thread of the chat that scheduled jobs write to.
        home = entry.get("cron_deliver_env_var") or f"{prefix}HOME_CHANNEL"
        settings = [name for name in test.settings["variables"] if name.startswith(prefix)]
        wanted = [name for name in settings if name not in of_host and not name.startswith(home)]
        if not wanted:
            raise NotApplicable(f"the suite sets no variables that begin with {prefix}")
        if not read.keys() >= {*wanted}:
            await platform_lab.begin(adapter)
    unread = [name for name in wanted if name not in read and not is_written(test.directory, name)]
    others = sorted({place for name, place in read.items() if place and name.startswith(prefix)})
    where = f" at {', '.join(others)}" if others else ""
    call = format_call_place(test.directory, "register_platform")
    told = (
        f"nothing reads {', '.join(unread)}, which the suite sets. Read it where the plugin reads its variables{where}"
    )
    demand(not unread, f"{told}, pass its name to register_platform{call}, or do not set it")


@rule("HS907", "The gateway tries to connect without settings at each start, and keeps reporting failures.")
def without_a_configuration_it_stays_off(test: Lab) -> None:
    """A platform without is_connected counts as configured, and is switched on wherever its plugin is enabled."""
    with _bare_environment(test):
        entry = test.entry()
        if not entry["check_fn"]():
            return
        if not (asked := entry.get("is_connected")):
            raise Broken("it has no is_connected, and check_fn returns True without its variables")
        config, yes = test.make_config(entry["name"], {"extra": test.seed(entry)}), False
        with contextlib.suppress(Exception):  # HS905 reports it.
            yes = bool(asked(config))
        demand(not yes, "is_connected returns True without its variables")


@rule("HS908", "The gateway cannot find the adapter again, and messages come from nowhere.")
def the_factory_makes_adapters_of_the_platform(test: Lab) -> None:
    """adapter_factory takes a PlatformConfig and returns a BasePlatformAdapter, which knows its platform by the name
    that was registered."""
    entry = test.entry()
    adapter = entry["adapter_factory"](test.config(entry))
    names = [one.__name__ for one in type(adapter).__mro__]
    demand(BASE in names, f"{type(adapter).__name__} does not inherit from gateway.platforms.base.{BASE}")
    platform = getattr(adapter.platform, "value", adapter.platform)
    demand(platform == entry["name"], f"its platform is {platform!r}, not {entry['name']!r}")


@rule("HS909", "A new adapter inherits the state of a failed one, and two profiles share one connection.")
def each_adapter_is_a_new_one(test: Lab) -> None:
    """If an adapter cannot connect, the host discards it and creates another."""
    entry = test.entry()
    config = test.config(entry)
    made = [entry["adapter_factory"](config) for _ in range(2)]
    demand(made[0] is not made[1], "adapter_factory returned the same object twice")


@rule("HS910", "The gateway's start waits for it, once per profile.")
def creating_an_adapter_has_no_side_effects(test: Lab) -> None:
    """Slow and fallible work belongs in connect, for which the host has a time limit and retries."""
    entry = test.entry()
    config = test.config(entry)
    with _demand_passive("adapter_factory"):
        entry["adapter_factory"](config)


@rule("HS911", "On that release, every attempt to connect fails with a TypeError.")
def connect_accepts_arguments_of_later_releases(test: Lab) -> None:
    """0.18.0 added is_reconnect; earlier releases pass nothing."""
    connect = test.adapter().connect
    demand_takes_more(connect)
    demand_takes_more(connect, is_reconnect=True)


@rule("HS912", "It raises a TypeError, which the host swallows or reports as a failed message.")
def its_overrides_accept_what_the_host_passes(test: Lab) -> None:
    """The host calls each method of an adapter with the arguments of the same method of BasePlatformAdapter."""
    made = type(test.adapter())
    base = next(one for one in made.__mro__ if one.__name__ == BASE)
    for name, method in vars(base).items():
        is_public = inspect.isfunction(method) and not name.startswith("_")
        if is_public and name != "connect" and getattr(made, name) is not method:
            _demand_substitutes(getattr(made, name), method)


def _demand_substitutes(own: Any, method: Any) -> None:
    """Raise `Broken` unless a method accepts all arguments of the host's method."""
    parameters = list(inspect.signature(method).parameters.values())
    positional = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    named = {one.name: None for one in parameters if one.kind is one.KEYWORD_ONLY}
    further = {"from_a_later_release": None} if any(one.kind is one.VAR_KEYWORD for one in parameters) else {}
    signature = inspect.signature(own)
    try:
        signature.bind(*positional, **named, **further)
        signature.bind(None, **{one.name: None for one in positional[1:]}, **named)
    except TypeError as error:
        told = f"the host's is {method.__name__}{inspect.signature(method)}"
        raise Broken(f"{own.__name__}{signature} does not accept all arguments of the host: {error}; {told}") from None
