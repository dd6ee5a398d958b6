"""Cases of section G: memory providers and context engines in a session."""

import json
import re

from conformance.case import case, plugin
from conformance.conversations import converse

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import Host
from hermes_sdk.llm import call, say
from hermes_sdk.traces import Normaliser

REMEMBERING = """
import json, os
from agent.memory_provider import MemoryProvider

class Memo(MemoryProvider):
    name = "memo"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self):
        return [{"name": "recall", "description": "d", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}]
    def handle_tool_call(self, tool_name, args, **kwargs):
        if args.get("q") == "bad": raise ValueError("no")
        return json.dumps({"hit": args.get("q")})
    def system_prompt_block(self): return "BLOCK-OF-MEMO"
    def prefetch(self, query, *, session_id=""): return f"about {query}"
    def queue_prefetch(self, query, *, session_id=""): pass
    def sync_turn(self, user_content, assistant_content, *, session_id="", messages=None): pass
    def on_turn_start(self, turn_number, message, **kwargs): pass
    def on_session_end(self, messages): pass
    def on_session_switch(self, new_session_id, **kwargs): pass
    def on_memory_write(self, action, target, content, metadata=None): pass
    def on_delegation(self, task, result, **kwargs): pass
    def shutdown(self): pass

def register(ctx): ctx.register_memory_provider(Memo())
"""
WATCHING = """
def register(ctx):
    for hook in ("on_session_start", "pre_llm_call", "post_tool_call", "transform_tool_result", "post_llm_call", "on_session_end", "on_session_finalize", "on_session_reset"):
        ctx.register_hook(hook, lambda **kw: {"context": "from the plugin"} if "is_first_turn" in kw else None)
"""
PLUGINS = {"memo": plugin(REMEMBERING), "w": plugin(WATCHING, name="w")}
CONFIG = {"memory": {"provider": "memo"}, "platform_toolsets": {"cli": ["memory", "w"]}}


def list_events(host: Host):
    """Return the calls of providers and hooks by thread, because threads race."""
    normaliser = Normaliser({str(host.home): "<home>"})
    threads = {}
    for event in host.events:
        if event["kind"] in ("memory", "context_engine", "hook"):
            told = normaliser.event(event)
            shown = [
                told["kind"],
                told["name"],
                _plain(told.get("arguments")),
                told.get("returned"),
                told.get("raised"),
            ]
            threads.setdefault(told["thread"], []).append(shown if told["kind"] != "hook" else told["name"])
    return threads


def _plain(arguments):
    text = json.dumps(arguments)
    return json.loads(text, object_hook=lambda one: "method" if one.get("__type__") == "method" else one)


@case("G6", plugins=PLUGINS, enable=["w"], config=CONFIG, record=True)
def a_memory_provider_is_called_in_two_turns(host):
    host.llm.script(call("recall", q="k"), call("recall", q="bad"), say("one"), say("two"))
    host.chat("first")
    host.chat("second")
    texts = [request.user_text for request in host.llm.requests]
    asked = "BLOCK-OF-MEMO" in host.llm.requests[0].system_text
    host.finish()
    return [texts, asked, host.llm.requests[0].tools, list_events(host)]


BESIDE = {
    "memo": {**plugin("from .own import register\n"), "own.py": REMEMBERING},
    "words": {**plugin(), "own.py": "# class A(MemoryProvider): ctx.register_memory_provider(A())\n"},
}


@case("G1", plugins=BESIDE, config=CONFIG)
def a_memory_provider_can_be_imported_from_a_submodule(host):
    return _find_blocks(host, BESIDE)


@case(
    "G1",
    plugins={"memory/memo": plugin(REMEMBERING), "_memo": plugin(REMEMBERING), "other": plugin("name = 'no words'")},
    config=CONFIG,
)
def memory_providers_are_searched_in_several_places(host):
    return _find_blocks(host, ("memo", "memory/memo", "_memo", "other", "nowhere"))


def _find_blocks(host, names):
    """Return, for each provider, whether the system prompt contains its block."""
    found = []
    for name in names:
        Home(host.home).update_config({"memory": {"provider": name}})
        host.llm.script(say("one"))
        host.chat("first")
        host.finish()
        found.append("BLOCK-OF-MEMO" in host.llm.requests[-1].system_text)
    return found


BARE = """
import json

class Bare:
    name = "bare"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return [{"name": "recall", "description": "d", "parameters": {"type": "object"}}]
    def prefetch(self, query, *, session_id=""): return "about " + query

def register(ctx): ctx.register_memory_provider(Bare())
"""


@case("G1", plugins={"bare": plugin(BARE.replace('    name = "bare"\n', ""))}, enable=["bare"])
def a_memory_provider_without_a_name_is_reported(host):
    return host.report("bare")["memory_provider"]


@case("G5", plugins={"bare": plugin(BARE)}, config={**CONFIG, "memory": {"provider": "bare"}})
def a_memory_provider_may_lack_the_optional_methods(host):
    host.llm.script(
        call("recall"),
        call("memory", action="add", target="memory", content="a fact"),
        say("one"),
        say("two"),
    )
    replies = [host.chat(text).reply for text in ("I like tea", "And you")]
    asked = [request.messages[1:] for request in host.llm.requests]
    host.finish()
    return replies, asked


SEEING = """
import sys
SEEN = sorted(one for one in sys.modules if one.startswith(__name__ + "."))
from .c import note
"""
NEIGHBOURS = {
    "a.py": "from . import note\nnote('a')\n",
    "b.py": "raise ValueError\n",
    "c.py": "note = []\nnote.append('c')\n",
    "data.txt": "from . import nothing\n",
}


@case(
    "G3",
    plugins={
        "memo": {
            **plugin(SEEING + REMEMBERING.replace('f"about {query}"', "f'{note}, {__name__}, {SEEN}'")),
            **NEIGHBOURS,
        }
    },
    config=CONFIG,
)
def submodules_of_a_memory_provider_are_executed_first(host):
    host.llm.script(say("one"))
    host.chat("first")
    return host.llm.requests[0].user_text


@case("G7", plugins=PLUGINS, enable=["w"], config=CONFIG)
def recalled_memory_comes_before_context_of_plugins(host):
    host.llm.script(call("recall", q="k"), call("recall", q="bad"), say("one"))
    return converse(host, "first")


@case("G6", plugins=PLUGINS, enable=["w"], config=CONFIG, record=True)
def a_memory_provider_is_notified_of_built_in_memory_writes(host):
    host.llm.script(
        call("memory", action="add", target="memory", content="a fact"),
        call("memory", action="replace", target="memory", old_text="a fact", content="another"),
        call("memory", action="add", target="nowhere", content="x"),
        call("memory", action="remove", target="memory", old_text="another"),
        say("one"),
    )
    host.chat("first")
    return list_events(host)


@case("G6", plugins=PLUGINS, enable=["w"], config=CONFIG, record=True)
def a_memory_provider_is_notified_of_a_new_session(host):
    host.llm.script(say("one"), say("two"))
    host.chat("first")
    host.command("/new")
    host.chat("second")
    return list_events(host)


@case(
    "G6",
    plugins=PLUGINS,
    enable=["w"],
    config={**CONFIG, "platform_toolsets": {"cli": ["memory", "delegation"]}},
    record=True,
    stateless=True,
)
def a_memory_provider_is_notified_of_a_delegated_task(host):
    # On 0.20.2 a child without tools does not stream, so the other script answers its request.
    is_whole = host.release == "0.20.2"
    host.llm.script(call("delegate_task", goal="part"), *[say("child")] * (not is_whole), say("done"))
    host.llm.aux.script(*[say("child")] * is_whole)
    host.chat("first")
    return [one for shown in list_events(host).values() for one in shown if one[1] == "on_delegation"]


@case("G8", plugins=PLUGINS, enable=["w"], config={**CONFIG, "platform_toolsets": {"cli": ["w"]}})
def tools_of_a_memory_provider_are_offered_with_the_memory_tool(host):
    host.llm.script(say("one"))
    host.chat("first")
    return host.llm.requests[0].tools


@case(
    "G2",
    plugins={"memo": plugin(REMEMBERING.replace("return True", "return False"))},
    config=CONFIG,
    record=True,
)
def an_unavailable_memory_provider_is_not_used(host):
    host.llm.script(say("one"))
    host.chat("first")
    return [host.llm.requests[0].user_text, list_events(host)]


@case("G4", plugins={"memo": plugin(REMEMBERING.partition("def register")[0])}, config=CONFIG)
def a_memory_provider_without_register_is_found_by_its_class(host):
    host.llm.script(say("one"))
    host.chat("first")
    return host.llm.requests[0].user_text


ENGINE = """
import json
from agent.context_engine import ContextEngine

class Engine(ContextEngine):
    def __init__(self):
        self.context_length, self.threshold_tokens = 200000, 150000
    @property
    def name(self): return "mine"
    def is_available(self): return True
    def update_from_response(self, usage): self.last_prompt_tokens = usage.get("prompt_tokens", 0)
    def should_compress(self, prompt_tokens=None):
        return self.last_prompt_tokens > 100000 and self.compression_count == 0
    def compress(self, messages, current_tokens=None, **kwargs):
        self.compression_count += 1
        return messages[:1] + messages[-2:]
    def get_tool_schemas(self):
        return [{"name": "grep", "description": "d", "parameters": {"type": "object", "properties": {}}}]
    def handle_tool_call(self, name, args, **kwargs):
        return json.dumps({"grep": sorted(kwargs)})

def register(ctx):
    ctx.register_context_engine(Engine())
"""


_TOLD_TOKENS = re.compile(r"~[\d,]+ tokens")


def _mask_token_counts(threads):
    """Mask token counts, which depend on the system prompt and the built-in tools of the host."""
    for shown in threads.values():
        for one in shown:
            if one[0] == "context_engine":
                for name in ("prompt_tokens", "current_tokens", "rough_tokens", "approx_tokens"):
                    if isinstance(one[2].get(name), int) and one[2][name] != 100:
                        one[2][name] = "<tokens>"
                if one[1] == "get_automatic_compaction_status_message":
                    one[2]["default_message"] = _TOLD_TOKENS.sub("~<tokens>", one[2]["default_message"])
                    one[3] = _TOLD_TOKENS.sub("~<tokens>", one[3])
    return threads


@case("G15", one=ENGINE, config={"context": {"engine": "mine"}}, record=True)
def an_engine_is_called_in_a_session(host):
    big = {"prompt_tokens": 160_000, "completion_tokens": 10}
    host.llm.script(call("grep"), say("one"), say("two", usage=big), say("three"))
    for text in ("first", "second", "third"):
        turn = host.chat(text)
    host.finish()
    return [host.llm.requests[0].tools, [one["role"] for one in turn.messages], _mask_token_counts(list_events(host))]


ESTIMATED = """
from agent.context_engine import ContextEngine

class Engine(ContextEngine):
    @property
    def name(self): return "mine"
    def is_available(self): return True
    def update_from_response(self, usage): pass
    def should_compress(self, prompt_tokens=None): return False
    def compress(self, messages, current_tokens=None, **kwargs): return messages

def register(ctx):
    ctx.register_context_engine(Engine())
    schema = {"name": "grep", "description": "d", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("grep", "kit", schema, lambda args, **kwargs: "found")
"""


@case(
    "G15",
    one=ESTIMATED,
    config={"context": {"engine": "mine"}, "platform_toolsets": {"cli": ["kit"]}},
    record=True,
)
def an_engine_that_does_not_count_receives_an_estimate(host):
    host.llm.script(call("grep"), say("one"))
    host.chat("first")
    return [one["arguments"] for one in host.events if one["name"] == "should_compress"][:1]


@case(
    "G15",
    one=ENGINE.replace("current_tokens=None, **kwargs", "current_tokens=None"),
    config={"context": {"engine": "mine"}},
)
def an_engine_whose_compress_lacks_parameters_is_called(host):
    big = {"prompt_tokens": 160_000, "completion_tokens": 10}
    host.llm.script(say("", call("grep"), usage=big), say("one"))
    return [one["role"] for one in host.chat("first").messages]


SCHEMAS = "    def get_tool_schemas(self):\n"
OF_EVERY_FORM = """
        return [
            {"name": "fine"}, {"name": "fine", "description": "again"}, {"type": "function", "function": {"name": "wrapped"}},
            {"function": {"name": "half"}}, {"name": ""}, {"description": "nameless"},
        ]
"""
NO_MAPPINGS = "        return [None, {'name': 'fine'}]\n"


def _raise_at_call(number):
    """Return lines that make `get_tool_schemas` raise at the nth call."""
    return f"""
        self.asked = getattr(self, "asked", 0) + 1
        if self.asked == {number}: raise ValueError("no")
"""


def _list_offered_tools(host):
    """Return the offered tools and the results of a turn, or its error."""
    host.llm.script(call("fine"), say("one"))
    try:
        turn = host.chat("first")
    except HermesSdkError as error:
        return error.message.splitlines()[0]
    offered = [tool["function"] for tool in host.llm.requests[0].body["tools"]]
    return [[tool for tool in offered if tool.get("name") != "memory"], [one.result.value for one in turn.tool_calls]]


@case(
    "G8",
    plugins={"memo": plugin(REMEMBERING.replace(SCHEMAS, SCHEMAS + OF_EVERY_FORM))},
    config=CONFIG,
)
def a_memory_provider_returns_tools_of_every_form(host):
    return _list_offered_tools(host)


@case(
    "G8",
    plugins={"memo": plugin(REMEMBERING.replace(SCHEMAS, SCHEMAS + NO_MAPPINGS))},
    config=CONFIG,
    record=True,
)
def a_memory_provider_returns_tools_that_are_not_mappings(host):
    return [_list_offered_tools(host), list_events(host)]


@case(
    "G8",
    plugins={"memo": plugin(REMEMBERING.replace(SCHEMAS, SCHEMAS + "        return None\n"))},
    config=CONFIG,
    record=True,
)
def a_memory_provider_returns_none_for_its_tools(host):
    return [_list_offered_tools(host), list_events(host)]


@case(
    "G8",
    plugins={"memo": plugin(REMEMBERING.replace(SCHEMAS, SCHEMAS + _raise_at_call(1)))},
    config=CONFIG,
    record=True,
)
def a_memory_provider_raises_in_get_tool_schemas(host):
    return [_list_offered_tools(host), list_events(host)]


@case(
    "G8",
    plugins={"memo": plugin(REMEMBERING.replace(SCHEMAS, SCHEMAS + _raise_at_call(3)))},
    config=CONFIG,
    record=True,
)
def a_memory_provider_raises_in_get_tool_schemas_once_started(host):
    return [_list_offered_tools(host), list_events(host)]


@case(
    "G5",
    plugins={"memo": plugin(REMEMBERING.replace("return True", "raise ValueError('no')"))},
    config=CONFIG,
    record=True,
)
def a_memory_provider_raises_in_is_available(host):
    return [_list_offered_tools(host), list_events(host)]


@case("G8", plugins={"memo": plugin(REMEMBERING.replace('"recall"', '"terminal"'))}, config=CONFIG)
def a_memory_provider_has_a_tool_with_a_core_name(host):
    host.llm.script(say("one"))
    host.chat("first")
    return host.llm.requests[0].tools


@case("G8", plugins={"memo": plugin(REMEMBERING.replace('"recall"', '"spotify_search"'))}, config=CONFIG)
def a_memory_provider_has_a_tool_with_a_built_in_name(host):
    host.llm.script(call("spotify_search", q="k"), say("one"))
    turn = host.chat("first")
    return [host.llm.requests[0].tools, [one.result.value for one in turn.tool_calls]]


LATE = """
        if not getattr(self, "started", False): return []
        return [{"name": "fine", "description": "d", "parameters": {"type": "object", "properties": {}}}]
"""


@case(
    "G8",
    plugins={
        "memo": plugin(
            REMEMBERING.replace(SCHEMAS, SCHEMAS + LATE).replace("**kwargs): pass", "**kwargs): self.started = True", 1)
        )
    },
    config=CONFIG,
)
def a_memory_provider_returns_its_tools_late(host):
    return _list_offered_tools(host)


@case(
    "G8",
    one=ENGINE.replace(SCHEMAS, SCHEMAS + OF_EVERY_FORM),
    config={"context": {"engine": "mine"}},
)
def an_engine_returns_tools_of_every_form(host):
    return _list_offered_tools(host)


@case("G8", one=ENGINE.replace(SCHEMAS, SCHEMAS + NO_MAPPINGS), config={"context": {"engine": "mine"}})
def an_engine_returns_tools_that_are_not_mappings(host):
    return _list_offered_tools(host)


@case(
    "G8",
    one=ENGINE.replace(SCHEMAS, SCHEMAS + "        return None\n"),
    config={"context": {"engine": "mine"}},
)
def an_engine_returns_none_for_its_tools(host):
    return _list_offered_tools(host)


@case(
    "G5",
    plugins={"memo": plugin(REMEMBERING.replace('"name": "recall"', '"name": 7'))},
    config=CONFIG,
)
def a_tool_has_a_name_that_is_not_a_string(host):
    host.llm.script(say("one"))
    return [host.chat("hello").reply, host.llm.requests[0].tools]


@case("G12", one=ENGINE, config={"context": {"engine": "other"}}, record=True)
def an_engine_that_is_not_selected_is_not_used(host):
    host.llm.script(say("one"))
    host.chat("first")
    return [host.llm.requests[0].tools, list_events(host)]


@case(
    "G14",
    one=ENGINE.replace("150000\n", "150000; import threading; self.lock = threading.Lock()\n"),
    config={"context": {"engine": "mine"}},
    record=True,
)
def an_engine_cannot_be_copied(host):
    host.llm.script(say("one"))
    host.chat("first")
    return [host.llm.requests[0].tools, _mask_token_counts(list_events(host))]


LOCKED = ENGINE.replace("150000\n", "150000; import threading; self.lock = threading.Lock()\n")
CLONING = "    def clone_for_agent(self): return Engine()\n    def get_tool_schemas"


@case(
    "G14",
    one=LOCKED.replace("    def get_tool_schemas", CLONING),
    config={"context": {"engine": "mine"}},
)
def an_engine_creates_the_copy_for_an_agent(host):
    host.llm.script(say("one"))
    host.chat("first")
    told = [f"{one.level} {one.message}" for one in host.log if "Context engine" in one.message]
    return [bool(host.llm.requests[0].tools), told]


SAYING_MORE = REMEMBERING.replace(
    "    def shutdown",
    """
    def recall_status(self):
        from agent.memory_provider import RecallStatus
        return RecallStatus("Memo", 2)
    def unavailable_reason(self): return "Install it."
    def shutdown""",
)
GREETINGS = ["hello", "Thank you!!", " go ahead … ", "/shrug", "ok then", "k?", "(done)", "hi 5"]
N95 = {"enable": ["w"], "config": CONFIG, "record": True}


@case("N95", plugins={**PLUGINS, "memo": plugin(SAYING_MORE)}, **N95)
def greetings_do_not_recall_memory(host):
    host.llm.script(*"abcdefgh")
    for text in GREETINGS:
        host.chat(text)
    host.finish()
    return [
        [name, *(told and [told.get("query") or told.get("user_content"), bool(told.get("session_id"))])]
        for name, told in (
            (one["name"], one["arguments"])
            for method in ("prefetch", "recall_status", "queue_prefetch", "sync_turn")
            for one in host.events
            if one["kind"] == "memory" and one["name"] == method
        )
    ]


@case("N95", plugins={**PLUGINS, "memo": plugin(SAYING_MORE.replace("return True", "return False"))}, **N95)
def an_unavailable_memory_provider_gives_a_reason(host):
    host.llm.script("one", "two")
    for text in ("first question", "second question"):
        host.chat(text)
    host.finish()
    events = [one["name"] for one in host.events if one["kind"] == "memory"]
    return events, [f"{one.level} {one.message}" for one in host.log if "Memory provider" in one.message]


BUSY = """
def register(ctx):
    def attempt(method, /, *args, **kwargs):
        try:
            told.append(f"{method}: {type(getattr(ctx, method)(*args, **kwargs)).__name__}")
        except Exception as error:
            told.append(f"{method}: {type(error).__name__}: {error}")
    attempt("register_tool", name="t", toolset="ts", schema={"name": "t", "description": "d", "parameters": {}}, handler=lambda args, **kw: "tool")
    attempt("register_tool", name="untold")
    attempt("register_hook", "post_tool_call", lambda **kw: None)
    attempt("register_hook", "no_such_hook", lambda **kw: None)
    attempt("register_command", "said", lambda line: "said")
    attempt("register_cli_command", "word", "help", lambda parser: None)
    attempt("register_aux", 1)
    attempt("dispatch_tool", "t", {})
    attempt("register_nothing")
    ctx.register_memory_provider(Memo())
    ASKED
"""
BUSY = REMEMBERING[: REMEMBERING.index("def register")] + "told = []\n" + BUSY
ASKS_TOLD = """
def register(ctx):
    import sys
    def told(line):
        modules = [module for name, module in sys.modules.items() if name.startswith("_hermes_user_memory.") and hasattr(module, "told")]
        return repr([module.told for module in modules])
    ctx.register_command("told", told)
"""
G4 = {
    "enable": ["w"],
    "config": CONFIG,
}


@case("G4", plugins={"memo": plugin(BUSY.replace("ASKED", "")), "w": plugin(ASKS_TOLD, name="w")}, **G4)
def a_memory_provider_registers_other_parts(host):
    before = [host.tools, host.hooks, host.commands]
    host.llm.script(say("one"))
    host.chat("first question")
    return before, host.command("/told"), [host.tools, host.hooks, host.commands]


@case(
    "G4",
    plugins={"memo": plugin(BUSY.replace("ASKED", "raise ValueError('no')")), "w": plugin(ASKS_TOLD, name="w")},
    **G4,
)
def a_memory_provider_raises_after_it_registered(host):
    host.llm.script(say("one"))
    host.chat("first question")
    told = [f"{one.level} {one.message}" for one in host.log if one.logger == "plugins.memory"]
    return "BLOCK-OF-MEMO" in host.llm.requests[0].system_text, told, [host.tools, host.hooks, host.commands]


AGAIN = REMEMBERING.replace(
    "ctx.register_memory_provider",
    "ctx.register_hook('post_tool_call', lambda **kw: 'heard'); ctx.register_memory_provider",
)


@case("N96", plugins={"memo": plugin(AGAIN), "w": plugin(WATCHING, name="w")}, **G4)
def a_memory_provider_registers_in_every_session(host):
    heard = []
    for text in ("first question", "second question", "third question"):
        host.llm.script(say("one"))
        host.chat(text)
        host.finish()
        heard.append(len(host._fire("post_tool_call", {"tool_name": "t"})))
    host.rescan()
    return heard, len(host._fire("post_tool_call", {"tool_name": "t"}))


CALLBACKS = REMEMBERING.replace(
    "def initialize(self, session_id, **kwargs): pass",
    """def initialize(self, session_id, **kwargs):
        self.given = {name: f"{value.__module__}.{value.__qualname__} {value('text')}"
                      for name, value in kwargs.items() if name.endswith("_callback")}""",
).replace('return "BLOCK-OF-MEMO"', "return json.dumps(self.given, sort_keys=True)")


@case(
    "G7",
    plugins={"memo": plugin(CALLBACKS)},
    config=CONFIG,
)
def a_memory_provider_receives_functions_that_notify_the_user(host):
    host.llm.script(say("done"))
    host.chat("hello")
    (told,) = re.findall(r'{"[^{}]*_callback[^{}]*}|{}', host.llm.requests[0].body["messages"][0]["content"])
    return json.loads(told)


@case(
    "N96",
    plugins={"memo": plugin(AGAIN, name="memo", kind="standalone")},
    enable=["memo"],
    config=CONFIG,
    record=True,
)
def a_memory_provider_that_is_also_a_plugin_hooks_once(host):
    host.llm.script(say("one"))
    host.chat("first question")
    return len(host._fire("post_tool_call", {"tool_name": "t"})), host.hooks
