"""HS857 to HS868, HS947 and HS954: tools, shutdown and side effects of memory providers."""

from __future__ import annotations

import contextlib
import copy
import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

from . import tools
from .base import Blocked, Broken, NotApplicable, SuiteRules, demand, demand_nothing_swallowed
from .lab import demand_text, overridden
from .memory_lab import BASE, MESSAGES, SILENT, Lab
from .values import valid
from .watching import capture_log, demand_no_secret, list_files, record_addresses, slow_backends, within

RULES = SuiteRules()
rule = RULES.rule

_PATIENCE = 2.0
"""Seconds to wait for an answer while the backend hangs."""


@rule("HS857", "It drops a tool without a name; model APIs reject the whole request if a name is invalid.")
def its_tools_have_names(test: Lab) -> None:
    """A model chooses a tool by its description, and calls it by its name."""
    provider = test.start()
    handles = overridden(provider, "handle_tool_call", BASE)
    demand(provider.get_tool_schemas() or not handles, "it overrides handle_tool_call, but lists no tool")
    tools.demand_names(tools.schemas(provider), test.directory)


@rule("HS858", "It logs a warning and ignores the tool.")
def its_tools_do_not_use_names_of_the_host(test: Lab) -> None:
    """The host's own tools always win."""
    tools.demand_not_core(test, tools.schemas(test.start()))


@rule("HS859", "Model APIs reject the whole request, so no turn of the session works.")
def its_tools_have_parameters(test: Lab) -> None:
    """The parameters of a tool are a JSON Schema of the type object."""
    tools.demand_parameters(tools.schemas(test.start()), test.directory)


@rule("HS860", "The model reads the repr of an object, or the request fails.")
def its_tools_answer_in_json(test: Lab) -> None:
    """The result of a tool is text, and the host and its hooks read it as JSON."""
    provider = test.start()
    tools.demand_results(provider.handle_tool_call, tools.schemas(provider))


@rule("HS861", "The model reads 'Memory tool … failed' with the text of a Python error, and repeats the call.")
def its_tools_answer_any_arguments(test: Lab) -> None:
    """Models omit arguments, invent others, and send values of the wrong type; the host does not check them."""
    provider = test.start()
    tools.demand_patience(test, provider.handle_tool_call, tools.schemas(provider))


@rule("HS862", "History, hooks and traces show arguments that the model did not send.")
def its_tools_do_not_change_their_arguments(test: Lab) -> None:
    """The host continues to use the dictionary of the arguments."""
    provider = test.start()
    tools.demand_untouched(provider.handle_tool_call, tools.schemas(provider))


@rule("HS863", f"{SILENT}; later steps of the shutdown may not run.")
def it_can_be_shut_down_at_any_time(test: Lab) -> None:
    """The host shuts down providers that failed to start, and some of them twice."""
    test.provider().shutdown()
    provider = test.start()
    provider.shutdown()
    provider.shutdown()


@rule("HS864", "Hermes does not exit.")
def it_leaves_no_thread_behind(test: Lab) -> None:
    """Python waits for each thread that is not a daemon."""
    before = set(threading.enumerate())
    provider = test.start()
    test.sync(provider, "said", "answered")
    provider.shutdown()
    left = [one for one in threading.enumerate() if one not in before and not one.daemon]
    end = time.monotonic() + 0.2
    while any(one.is_alive() for one in left) and time.monotonic() < end:
        time.sleep(0.01)
    names = [one.name for one in left if one.is_alive()]
    demand(not names, f"after shutdown() there are threads that are not daemons: {names}")


@rule("HS865", "It continues without the memory after 8 seconds, and abandons the rest after 5.", waits=True)
def it_returns_in_time_when_its_backend_hangs(test: Lab) -> None:
    """A turn waits 8 seconds for prefetch; the end of a session waits 5 for sync_turn and shutdown."""
    scale, place = test.settings["scale"], test.directory
    turn, end = test.settings["prefetch_limit"], test.settings["drain_limit"]
    slow = "while its backend does not answer, {}".format
    with slow_backends(test.home, scale) as lock:
        provider = test.start()
        keep = functools.partial(provider.sync_turn, "said", "done", session_id="first")
        keep()
        lock()
        for seconds, name, call in (
            (turn, "prefetch()", lambda: provider.prefetch("anything", session_id="")),
            (end, "sync_turn()", keep),
            (end, "shutdown()", provider.shutdown),
        ):
            within(seconds, slow(name), call, place, scale=scale)


@rule("HS954", "Nothing is recalled, or the model reads the repr of an object.", waits=True)
def its_answers_keep_their_form_when_its_backend_hangs(test: Lab) -> None:
    """Even if a database is locked or a service does not answer, prefetch returns text, and tools return JSON."""
    with slow_backends(test.home, test.settings["scale"]) as lock:
        provider = test.start()
        lock()
        for found in _collect(test, lambda: provider.prefetch("anything", session_id="")):
            demand_text(found, "while its backend does not answer, prefetch()")
        for one in tools.bare(provider):
            arguments = valid({**one.get("parameters", {}), "type": "object"})
            for result in _collect(test, functools.partial(provider.handle_tool_call, one["name"], dict(arguments))):
                tools.demand_json(one["name"], arguments, result)


def _collect(test: Lab, call: Callable[[], Any]) -> list[Any]:
    """Return the result of a call as a list; empty if it raises or hangs, which other rules report."""
    answers: list[Any] = []
    with contextlib.suppress(Broken):
        within(_PATIENCE, "", lambda: answers.append(call()), test.directory)
    return answers


@rule("HS866", "Files end up where backups, other profiles and containers do not find them.")
def it_writes_only_into_the_home(test: Lab) -> None:
    """The files of a profile belong in hermes_home; ~/.hermes is the home of only one profile."""
    before = list_files(test.elsewhere)
    _exercise(test)
    after = list_files(test.elsewhere)
    changed = sorted(name for name in after if after[name] != before.get(name))
    demand(not changed, f"it wrote {changed[:5]}")


@rule("HS867", "The user's messages are sent to another machine.")
def it_uses_no_network(test: Lab) -> None:
    """Providers that work on this machine need no network; for others, set network = True in the suite."""
    if test.settings["network"]:
        raise NotApplicable("the suite sets network = True")
    provider = test.provider()
    with record_addresses() as asked, contextlib.suppress(Exception):
        _exercise(test, provider)
    demand(not asked, f"it contacted {sorted(set(asked))}")


@rule("HS947", "The key is exposed: many people read logs, and users share them to get help.")
def it_logs_no_secret(test: Lab) -> None:
    """Neither the log, at any level, nor an exception, which the host logs, contains a secret of the setup or of the
    suite's environment."""
    fields = test.provider().get_config_schema()
    names = [one["env_var"] for one in fields if isinstance(one, dict) and one.get("secret") and one.get("env_var")]
    unset = {name: f"a-secret-in-{name}" for name in names if not os.environ.get(name)}
    secrets = [*unset.values(), *test.settings["secrets"]]
    if not secrets:
        raise NotApplicable("neither its setup nor the suite's environment has a secret")
    with mock.patch.dict(os.environ, unset), capture_log() as lines:
        try:
            _exercise(test)
        except Exception as error:
            lines.append(str(error))
    demand_no_secret(secrets, lines)


def _exercise(test: Lab, provider: Any = None) -> None:
    """Use each feature of a provider once."""
    provider = provider or test.provider()
    with test.before_rule("HS830", "initialize()"):
        provider.initialize("first", **test.make_start_arguments())
    provider.prefetch("anything", session_id="")
    test.sync(provider, "said", "answered")
    for one in provider.get_tool_schemas() or ():
        named = one["function"] if isinstance(one.get("function"), dict) else one
        with contextlib.suppress(Exception):
            provider.handle_tool_call(named["name"], valid({**(named.get("parameters") or {}), "type": "object"}))
    provider.on_session_end(copy.deepcopy(MESSAGES))
    provider.shutdown()


@rule("HS868", "The user sees none of it.", outside=True)
def a_session_has_no_hidden_error(test: Any) -> None:
    """In a session of two turns, the host offers the tools, recalls and stores turns, and shuts the provider down."""
    test.host.llm.script("one", "two")
    test.host.chat(test.settings["turn"][0])
    test.host.chat(test.settings["question"])
    test.host.finish()
    for one in test.host.swallowed:
        if one.where.endswith(" initialize"):
            raise Blocked("HS830", f"{one.where}: {one.error}", one.traceback)
    demand_nothing_swallowed(test.host)
    warned = [one.message for one in test.host.log if one.logger == "agent.memory_manager" and one.level != "INFO"]
    demand(not warned, "\n".join(warned))
