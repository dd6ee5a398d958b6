"""HS820 to HS868: what a memory provider has to do."""

from __future__ import annotations

import contextlib
import copy
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import lab, loading, tools
from .base import Broken, NotApplicable, Rules, demand
from .lab import Unloadable, demand_takes_more, demand_text
from .values import TEXTS, valid
from .watching import asked_addresses, files, slow_backends, within

BASE = "MemoryProvider"
MEMBERS = ("register_memory_provider", "register_tool", "register_hook", "register_cli_command")
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "What is in the picture?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"seen": "a cat"}'},
    {"role": "user", "content": [{"type": "text", "text": "And here?"}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": "A cat."},
]
PREFETCH_LIMIT, END_LIMIT = 8.0, 5.0
_SILENT = "The host hides the exception, and tells of it at DEBUG only"
_DEAF = f"{_SILENT}; the provider never learns of the event."

_rules = Rules()
RULES = _rules
rule = _rules.rule


class Lab(lab.Lab):
    """A memory provider under test."""

    def load(self) -> Any:
        """Run the plugin afresh."""
        try:
            return loading.module(self.directory, siblings=True)
        except Exception as error:
            raise Unloadable(f"it cannot be imported: {type(error).__name__}: {error}") from error

    def register(self, module: Any) -> loading.Collector:
        """Let it register as the host's memory loader does: with four methods and nothing else."""
        collector = loading.Collector(None, MEMBERS)
        if hasattr(module, "register"):
            with contextlib.suppress(Exception):
                module.register(collector)
        return collector

    def provider(self, module: Any = None) -> Any:
        """A provider, not started."""
        module = self.load() if module is None else module
        found = self.register(module).registered("register_memory_provider")
        provider = found[-1] if found else _of_class(module)
        if provider is None:
            raise Unloadable("the plugin gives no provider; see HS820")
        self.at_end(provider.shutdown)
        return provider

    def started(self, session: str = "first", *, home: Path | None = None, module: Any = None) -> Any:
        """A provider at work in a session."""
        provider = self.provider(module)
        provider.initialize(session, **self.told(home))
        return provider

    def told(self, home: Path | None = None) -> dict[str, Any]:
        """What the host passes when it starts a provider."""
        said: Callable[..., None] = lambda *_: None  # noqa: E731
        return {
            "hermes_home": str(home or self.home),
            "platform": "cli",
            "agent_context": "primary",
            "agent_identity": "default",
            "agent_workspace": "hermes",
            "warning_callback": said,
            "status_callback": said,
        }

    def tell(self, provider: Any, session: str = "first") -> None:
        """Let a provider keep the turn that the author says it can answer about."""
        said, answered = self.settings["turn"]
        provider.sync_turn(said, answered, session_id=session)
        provider.queue_prefetch(self.settings["question"], session_id=session)

    def demand_recalled(self, provider: Any, why: str, *, session: str = "first") -> None:
        """Break the rule unless a provider recalls that turn before long."""
        end = time.monotonic() + self.settings["patience"]
        while True:
            found = provider.prefetch(self.settings["question"], session_id=session)
            if self.settings["answer"] in (found or ""):
                return
            if time.monotonic() > end:
                raise Broken(f"{why}: prefetch({self.settings['question']!r}) returned {found!r:.200}")
            time.sleep(0.01)

    def demand_remembers(self, provider: Any) -> None:
        """Leave providers alone that keep no turns, or recall nothing by themselves."""
        for method in ("sync_turn", "prefetch"):
            if not lab.overridden(provider, method, BASE):
                raise NotApplicable(f"it has no {method} of its own")


def _of_class(module: Any) -> Any:
    for name in dir(module):
        one = getattr(module, name)
        if isinstance(one, type) and one.__name__ != BASE and BASE in [base.__name__ for base in one.__mro__]:
            return one()
    return None


# What the host finds.


@rule("HS820", "Without a word, the host works with its built-in memory only.", outside=True)
def the_host_finds_a_provider(test: Any) -> None:
    """The host takes a directory for a memory provider when the first 8192 characters of its __init__.py name
    MemoryProvider or register_memory_provider, and loads it when memory.provider names it."""
    report = test.host.report(test.settings["key"])
    hidden = "; ".join(f"{one.where}: {one.error}" for one in test.host.swallowed)
    demand(report["memory_provider"] is not None, f"the host found no memory provider in it. {hidden}".strip())


@rule("HS821", "It calls methods that a class of another kind does not have, and hides each AttributeError.")
def it_is_a_memory_provider(test: Lab) -> None:
    """The class of the host has a default for each method that a release adds."""
    provider = test.provider()
    names = [one.__name__ for one in type(provider).__mro__]
    demand(BASE in names, f"{type(provider).__name__} does not inherit from agent.memory_provider.MemoryProvider")


@rule("HS822", "Messages and logs of the host do not tell which provider they are about.")
def it_has_a_name(test: Lab) -> None:
    """The host reads the name before it starts the provider."""
    name = test.provider().name
    demand(isinstance(name, str) and name.strip(), f"its name is {name!r}")


@rule("HS823", "It drops what was registered, and makes the first class of providers it sees, without arguments.")
def it_registers_with_the_four_methods_of_its_ctx(test: Lab) -> None:
    """The ctx of a memory plugin has register_memory_provider, register_tool, register_hook and register_cli_command,
    of which the last three do nothing, and no other member."""
    module = test.load()
    if not hasattr(module, "register"):
        raise NotApplicable("it has no register; the host makes an object of its class")
    collector = loading.Collector(None, MEMBERS)
    try:
        module.register(collector)
    except Exception as error:
        lacking = f" (the ctx has no {', '.join(collector.missing)})" if collector.missing else ""
        raise Broken(f"register(ctx) raised {type(error).__name__}: {error}{lacking}") from error
    demand(collector.registered("register_memory_provider"), "register(ctx) registers no memory provider")


@rule("HS824", "Sessions of several agents share what the object keeps, and end each other.")
def each_agent_gets_a_provider_of_its_own(test: Lab) -> None:
    """The host registers a plugin again for each agent that it starts: for subagents, and in the gateway for each
    chat."""
    module = test.load()
    demand(test.provider(module) is not test.provider(module), "registered twice, it gave the same object twice")


# What the host asks before a session.


@rule("HS825", "It takes what is not false for available, and starts a provider that cannot work.")
def is_available_answers_yes_or_no(test: Lab) -> None:
    """The host asks it before everything else, on an object that was not started."""
    answer = test.provider().is_available()
    demand(isinstance(answer, bool), f"is_available() returned {answer!r}")


@rule("HS826", "Each start of Hermes, and `hermes memory status`, wait for the network.")
def is_available_asks_no_network(test: Lab) -> None:
    """Whether there is a key or a package is known without a request."""
    provider = test.provider()
    with asked_addresses() as asked, contextlib.suppress(Exception):
        provider.is_available()
    demand(not asked, f"is_available() asked for {asked}")


@rule("HS827", f"{_SILENT}; the model is offered none of its tools.")
def it_tells_its_tools_before_it_is_started(test: Lab) -> None:
    """The host asks for the schemas when it indexes tools, which comes before initialize."""
    test.provider().get_tool_schemas()


@rule("HS828", "`hermes memory setup` ends with an exception, or saves nothing.")
def the_setup_can_ask_and_save(test: Lab) -> None:
    """The setup asks for what get_config_schema lists, and gives what is not secret to save_config, on an object that
    was not started."""
    provider = test.provider()
    asked = provider.get_config_schema()
    demand(isinstance(asked, list), f"get_config_schema() returned {asked!r:.200}, and no list")
    for one in asked:
        fits = isinstance(one, dict) and all(isinstance(one.get(key), str) for key in ("key", "description"))
        demand(fits, f"get_config_schema() lists {one!r:.200}, which has no text as key and description")
    answers = {one["key"]: str(one.get("default") or "text") for one in asked if not one.get("secret")}
    provider.save_config(answers, str(test.home))


@rule("HS829", "`hermes backup` leaves its files out.")
def backup_paths_are_absolute(test: Lab) -> None:
    """hermes backup asks an object that was not started, and takes absolute paths only."""
    provider = test.provider()
    if not hasattr(provider, "backup_paths"):
        raise NotApplicable("this release asks for no paths")
    paths = provider.backup_paths()
    right = isinstance(paths, list) and all(isinstance(one, str) and Path(one).is_absolute() for one in paths)
    demand(right, f"backup_paths() returned {paths!r:.200}")


# Starting.


@rule("HS830", f"{_SILENT}; on another platform or release the provider never starts.")
def it_starts_with_what_every_release_passes(test: Lab) -> None:
    """Only session_id and hermes_home come always; the rest depends on the platform and on the release."""
    test.provider().initialize("first", hermes_home=str(test.home))


@rule("HS831", f"{_SILENT}; after /new or a resume it is without its memory.")
def it_can_be_started_again(test: Lab) -> None:
    """One object serves one session after the other."""
    provider = test.started("first")
    provider.initialize("second", **test.told())


def _takes_more(code: str, method: str, *args: Any, **kwargs: Any) -> None:
    """Add the rule that a method takes arguments which later releases add."""

    def check(test: Lab) -> None:
        provider = test.provider()
        if not hasattr(provider, method) or not lab.overridden(provider, method, BASE):
            raise NotApplicable(f"it has no {method} of its own")
        demand_takes_more(getattr(provider, method), *args, **kwargs)

    check.__name__ = f"{method}_takes_arguments_of_later_releases"
    check.__doc__ = f"Releases add keyword arguments, and one that {method} does not take is a TypeError."
    rule(code, f"{_SILENT}, and goes on as if the provider had no {method}.")(check)


_takes_more("HS832", "initialize", "first", hermes_home="/home")
_takes_more("HS833", "prefetch", "text", session_id="")
_takes_more("HS834", "queue_prefetch", "text", session_id="")
_takes_more("HS835", "sync_turn", "text", "reply", session_id="")
_takes_more("HS836", "handle_tool_call", "name", {})
_takes_more("HS837", "on_turn_start", 1, "text")
_takes_more("HS838", "on_session_end", [])
_takes_more("HS839", "on_session_switch", "second", parent_session_id="first", reset=True, reason="new_session")
_takes_more("HS840", "on_pre_compress", [])
_takes_more("HS841", "on_delegation", "task", "result", child_session_id="child")
_takes_more("HS842", "on_memory_write", "add", "memory", "text")


# Recalling and keeping.


@rule("HS843", "It leaves out what is no text; a text that changes makes the model's cache of the prompt useless.")
def the_system_prompt_stays_the_same(test: Lab) -> None:
    """The system prompt is sent with each request, and is cached as long as it does not change."""
    provider = test.started()
    first = demand_text(provider.system_prompt_block(), "system_prompt_block()")
    demand(provider.system_prompt_block() == first, "system_prompt_block() returned another text when asked again")


@rule("HS844", "It leaves out what is no text.")
def prefetch_returns_text(test: Lab) -> None:
    """There is nothing to recall in a new home, and that is the empty text."""
    demand_text(test.started().prefetch("Is there anything?", session_id=""), "prefetch()")


@rule("HS845", f"{_SILENT}; such a turn goes without memory.")
def prefetch_takes_whatever_a_user_says(test: Lab) -> None:
    """What the user says is no query: it has quotes, operators and characters of every kind."""
    provider = test.started()
    for text in TEXTS:
        demand_text(provider.prefetch(text, session_id=""), f"prefetch({text[:40]!r})")


@rule("HS846", "The user message carries nothing, although there is something to recall.")
def it_recalls_without_a_session_id(test: Lab) -> None:
    """The host passes an empty session_id to prefetch."""
    provider = test.started()
    test.demand_remembers(provider)
    test.tell(provider)
    test.demand_recalled(provider, "a turn of this session is not recalled with session_id=''", session="")


@rule("HS847", f"{_SILENT}; the turn is not kept.")
def it_keeps_whatever_was_said(test: Lab) -> None:
    """Turns hold code, pastes of every length, and nothing at all."""
    provider = test.started()
    for text in TEXTS:
        provider.sync_turn(text, text, session_id="first")


@rule("HS848", "The user has said it and the agent does not know it.")
def it_recalls_what_was_said(test: Lab) -> None:
    """A turn that was kept is found in the same session."""
    provider = test.started()
    test.demand_remembers(provider)
    test.tell(provider)
    test.demand_recalled(provider, "a turn of this session is not recalled")


@rule("HS849", "Everything that was kept is gone whenever Hermes is started.")
def it_recalls_after_a_restart(test: Lab) -> None:
    """What was kept before shutdown is found by the next process, in another session."""
    provider = test.started("first")
    test.demand_remembers(provider)
    test.tell(provider)
    provider.on_session_end(copy.deepcopy(MESSAGES))
    provider.shutdown()
    loading.forget()
    test.demand_recalled(test.started("second"), "a turn is not recalled after a restart", session="second")


@rule("HS850", "One profile of the user knows what was said in another.")
def homes_are_kept_apart(test: Lab) -> None:
    """A profile is a home of its own, and hermes_home says which one a session is in."""
    module = test.load()
    provider = test.started(module=module)
    test.demand_remembers(provider)
    test.tell(provider)
    with contextlib.suppress(Broken):
        test.demand_recalled(provider, "")
    other = test.started("other", home=test.folder(), module=module)
    found = other.prefetch(test.settings["question"], session_id="other")
    demand(test.settings["answer"] not in (found or ""), "a turn of one home is recalled in another")


@rule("HS851", f"{_SILENT}; turns of chats that go on at the same time are lost.")
def sessions_go_on_side_by_side(test: Lab) -> None:
    """The gateway has a provider for each chat, in one process, and a chat that ends takes nothing from the others."""
    module = test.load()
    first = test.provider(module)
    test.demand_remembers(first)
    if first is test.provider(module):
        raise NotApplicable("there is one object for all sessions; see HS824")
    barrier = threading.Barrier(2, timeout=5)
    failed: list[BaseException] = []

    def session(name: str) -> None:
        try:
            provider = test.started(name, module=module)
            barrier.wait()
            for number in range(5):
                provider.sync_turn(f"turn {number} of {name}", "noted", session_id=name)
            barrier.wait()
            if name == "right":
                provider.shutdown()
            barrier.wait()
            if name == "left":
                test.tell(provider, name)
                test.demand_recalled(provider, "after the end of another session a turn is not recalled", session=name)
                provider.shutdown()
        except Exception as error:
            failed.append(error)
            barrier.abort()

    threads = [threading.Thread(target=session, args=(name,), daemon=True) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    demand(not any(thread.is_alive() for thread in threads), "two sessions at once do not come to an end")
    real = [error for error in failed if not isinstance(error, threading.BrokenBarrierError)]
    if real:
        raise real[0]


@rule("HS852", f"{_SILENT}; nothing is recalled and nothing kept.")
def it_works_on_the_threads_of_the_host(test: Lab) -> None:
    """The host starts a provider on one thread, asks it for memories on a second, and lets it keep turns on a
    third."""
    provider = test.started()
    raised: list[Exception] = []

    def on_a_thread(work: Callable[[], Any]) -> None:
        def guarded() -> None:
            try:
                work()
            except Exception as error:
                raised.append(error)

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        thread.join(10)

    on_a_thread(lambda: provider.prefetch("anything", session_id=""))
    on_a_thread(lambda: provider.sync_turn("said", "answered", session_id="first"))
    on_a_thread(lambda: provider.queue_prefetch("anything", session_id="first"))
    if raised:
        raise Broken(f"on another thread it raised {type(raised[0]).__name__}: {raised[0]}")


# The conversation and its events.


@rule("HS853", "The model is sent, and the session store keeps, a conversation that the provider has changed.")
def it_leaves_the_conversation_as_it_is(test: Lab) -> None:
    """The lists that the host passes are its own."""
    provider = test.started()
    for method, call in _with_messages(provider):
        given = copy.deepcopy(MESSAGES)
        with contextlib.suppress(Exception):
            call(given)
        demand(given == MESSAGES, f"{method} changed the messages")


@rule("HS854", f"{_SILENT}; nothing is kept of conversations with tools and pictures.")
def it_takes_messages_of_every_form(test: Lab) -> None:
    """The content of a message is text, a list of parts, or None where the model called a tool."""
    for _, call in _with_messages(test.started()):
        call(copy.deepcopy(MESSAGES))


def _with_messages(provider: Any) -> Iterator[tuple[str, Callable[[list[dict[str, Any]]], Any]]]:
    yield "on_pre_compress", provider.on_pre_compress
    parameters = inspect.signature(provider.sync_turn).parameters
    if "messages" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        yield "sync_turn", lambda messages: provider.sync_turn("said", "done", session_id="first", messages=messages)
    yield "on_session_end", provider.on_session_end


@rule("HS855", _DEAF)
def it_takes_the_events_of_a_session(test: Lab) -> None:
    """The host tells of turns, delegated tasks, what its own tool memory writes, and moves to other sessions."""
    provider = test.started()
    provider.on_turn_start(1, "Hello")
    provider.on_turn_start(2, "Hello", remaining_tokens=1000, model="m", platform="cli", tool_count=3)
    provider.on_delegation("a task", "its result", child_session_id="child")
    for action in ("add", "replace", "remove"):
        provider.on_memory_write(action, "user" if action == "add" else "memory", "")
    provider.on_session_switch("second", parent_session_id="first", reset=True, reason="new_session")
    provider.on_session_switch("third", parent_session_id="", reset=False)


@rule("HS856", "Every summary of a long conversation fails, or lacks what the provider wanted kept.")
def on_pre_compress_returns_text(test: Lab) -> None:
    """What it returns goes into the summary of a conversation."""
    demand_text(test.started().on_pre_compress([]), "on_pre_compress()")


# Its tools.


@rule("HS857", "It drops a tool without a name; model APIs refuse a whole request for a name that they do not take.")
def its_tools_have_names(test: Lab) -> None:
    """A model asks for a tool by its name, and chooses it by its description."""
    tools.demand_names(tools.schemas(test.started()))


@rule("HS858", "It ignores the tool, with a warning in the log.")
def its_tools_are_not_the_hosts(test: Lab) -> None:
    """The host's own tools always win."""
    tools.demand_not_core(test, tools.schemas(test.started()))


@rule("HS859", "Model APIs refuse the whole request, so that no turn of the session works.")
def its_tools_have_parameters(test: Lab) -> None:
    """The parameters of a tool are a JSON Schema of the type object."""
    tools.demand_parameters(tools.schemas(test.started()))


@rule("HS860", "The model reads the repr of an object, or the request fails.")
def its_tools_answer_in_json(test: Lab) -> None:
    """The result of a tool is text, and the host and its hooks read it as JSON."""
    provider = test.started()
    tools.demand_results(provider.handle_tool_call, tools.schemas(provider))


@rule("HS861", "The model is told 'Memory tool … failed' with the text of a Python error, and tries the same again.")
def its_tools_answer_whatever_a_model_sends(test: Lab) -> None:
    """Models leave arguments out, invent some, and send others of the wrong type; the host does not check them."""
    provider = test.started()
    tools.demand_patience(test, provider.handle_tool_call, tools.schemas(provider))


@rule("HS862", "The history, hooks and traces show other arguments than those that the model sent.")
def its_tools_leave_their_arguments_as_they_are(test: Lab) -> None:
    """The dictionary of the arguments is the host's own."""
    provider = test.started()
    tools.demand_untouched(provider.handle_tool_call, tools.schemas(provider))


# The end.


@rule("HS863", f"{_SILENT}; what comes after it in the exit of Hermes may not happen.")
def it_can_be_shut_down_at_any_time(test: Lab) -> None:
    """The host shuts down providers that failed to start, and some of them twice."""
    test.provider().shutdown()
    provider = test.started()
    provider.shutdown()
    provider.shutdown()


@rule("HS864", "Hermes does not exit.")
def it_leaves_no_thread_behind(test: Lab) -> None:
    """Python waits for each thread that is no daemon."""
    before = set(threading.enumerate())
    provider = test.started()
    provider.sync_turn("said", "answered", session_id="first")
    provider.shutdown()
    left = [one for one in threading.enumerate() if one not in before and not one.daemon]
    end = time.monotonic() + 0.2
    while any(one.is_alive() for one in left) and time.monotonic() < end:
        time.sleep(0.01)
    names = [one.name for one in left if one.is_alive()]
    demand(not names, f"after shutdown() there are threads that are no daemons: {names}")


@rule("HS865", "It goes on without the memory after 8 seconds, and leaves the rest undone after 5.", waits=True)
def it_returns_in_time_when_its_backend_hangs(test: Lab) -> None:
    """A turn waits 8 seconds for prefetch; the end of a session waits 5 for sync_turn and shutdown."""
    scale = test.settings["scale"]
    with slow_backends(test.home, scale) as lock:
        provider = test.started()
        provider.sync_turn("said", "answered", session_id="first")
        lock()
        within(PREFETCH_LIMIT * scale, "prefetch", lambda: provider.prefetch("anything", session_id=""))
        within(END_LIMIT * scale, "sync_turn", lambda: provider.sync_turn("said", "done", session_id="first"))
        within(END_LIMIT * scale, "shutdown", provider.shutdown)


@rule("HS866", "Files are left where no backup, no other profile and no container finds them.")
def it_writes_into_the_home_only(test: Lab) -> None:
    """hermes_home says where the files of a profile belong; ~/.hermes is the home of one profile only."""
    before = files(test.elsewhere, [test.home])
    _exercise(test)
    after = files(test.elsewhere, [test.home])
    changed = sorted(name for name in after if after[name] != before.get(name))
    demand(not changed, f"it wrote {changed[:5]}")


@rule("HS867", "What the user said leaves the machine.")
def it_asks_no_network(test: Lab) -> None:
    """A provider that works on this machine says so by doing without a network; another sets network = True."""
    if test.settings["network"]:
        raise NotApplicable("the suite says network = True")
    provider = test.provider()
    with asked_addresses() as asked, contextlib.suppress(Exception):
        _exercise(test, provider)
    demand(not asked, f"it asked for {sorted(set(asked))}")


def _exercise(test: Lab, provider: Any = None) -> None:
    """Let a provider do all that it can, once."""
    provider = provider or test.provider()
    provider.initialize("first", **test.told())
    provider.prefetch("anything", session_id="")
    provider.sync_turn("said", "answered", session_id="first")
    for one in provider.get_tool_schemas() or ():
        named = one["function"] if isinstance(one.get("function"), dict) else one
        with contextlib.suppress(Exception):
            provider.handle_tool_call(named["name"], valid({**(named.get("parameters") or {}), "type": "object"}))
    provider.on_session_end(copy.deepcopy(MESSAGES))
    provider.shutdown()


@rule("HS868", "All of it is hidden from the user.", outside=True)
def a_session_goes_without_a_hidden_error(test: Any) -> None:
    """In a session of two turns the host offers the tools, asks and tells the provider, and ends it."""
    test.host.llm.script("one", "two")
    test.host.chat(test.settings["turn"][0])
    test.host.chat(test.settings["question"])
    test.host.finish()
    hidden = [f"{one.where}: {one.error}" for one in test.host.swallowed]
    demand(not hidden, "\n".join(hidden))
    warned = [one.message for one in test.host.log if one.logger == "agent.memory_manager" and one.level != "INFO"]
    demand(not warned, "\n".join(warned))
