"""Cases of the members of ``ctx`` that came with 0.20.1: settings, state, events, grants and more (N31 to N42)."""

import json
import re

from conformance.attempts import attempt
from conformance.case import case, plugin
from conformance.gateway_cases import gateway_case

from hermes_sdk.hosts.interface import HostExited
from hermes_sdk.llm import say

NEW = ["0.20.2", "0.22.2"]


def list_log(host, logger):
    """Return the log of one logger of the host."""
    return [record.message for record in host.log if record.logger == logger]


@case(
    "N32",
    plugins={
        "a": plugin(
            """
            import json
            def register(ctx):
                names = ("a", "b", "B name", "nothing", "off", None)
                early = [ctx.has_plugin(name) for name in names]
                ctx.register_command("known", lambda a: json.dumps([ctx.plugin_id, early, [ctx.has_plugin(name) for name in names]]))
            """,
            name="a",
        ),
        "b": plugin(name="b"),
        "off": plugin(name="off"),
        "broken": plugin("def register(ctx): 1 / 0\n", name="broken"),
    },
    enable=["a", "b", "broken"],
    releases=NEW,
)
def plugins_find_each_other_once_they_are_loaded(host):
    return json.loads(host.command("/known"))


SETTINGS = {
    "plugins": {
        "entries": {
            "p": {
                "settings": {"endpoint": "new", "retry": {"policy": "twice"}, "nothing": None, "list": [1]},
                "config": {"endpoint": "old", "older": {"one": 1}, "retry": {"count": 3}},
            }
        }
    }
}
KEYS = ["endpoint", "retry", "retry.policy", "retry.count", "retry.policy.x", "older.one", "nothing", "list", "absent"]
WRONG = [
    "",
    "a/b",
    "a\\b",
    "a..b",
    ".a",
    "-a",
    "a b",
    "Model.x",
    "plugins",
    "security",
    "SETTINGS.a",
    "ok.model",
    "ä",
    None,
    5,
]


@case(
    "N33",
    plugins={
        "p": attempt(
            *(f"raised.append(repr(ctx.get_config({key!r})))" for key in KEYS),
            "raised.append(repr(ctx.get_config('absent', default=7)))",
            "raised.append(repr(ctx.get_config('retry.policy.x', 'other')))",
            *(f"raised.append(repr(ctx.get_config({key!r})))" for key in [*WRONG, "a" * 129]),
        )
    },
    enable=["p"],
    config=SETTINGS,
    releases=NEW,
)
def settings_are_read_from_the_section_of_the_plugin(host):
    return host.command("/raised").splitlines()


@case(
    "N34",
    plugins={
        "p": attempt(
            "raised.append(repr(ctx.set_config('endpoint', 'newer')))",
            "ctx.set_config('retry.count', 5)",
            "ctx.set_config('made.here', {'a': [1, 'two']})",
            "ctx.set_config('model', 5)",
            "raised.append(repr([ctx.get_config(key) for key in ('endpoint', 'retry', 'made')]))",
        )
    },
    enable=["p"],
    config={**SETTINGS, "agent": {"max_turns": 7}},
    releases=NEW,
)
def settings_are_written_to_the_configuration(host):
    import yaml

    return [host.command("/raised").splitlines(), yaml.safe_load((host.home / "config.yaml").read_text())["plugins"]]


@case(
    "N34",
    plugins={
        "p": attempt(
            *(
                f"ctx.set_config('made', {value!r}) or raised.append(repr(ctx.get_config('made')))"
                for value in ({"a": {"b": 1}}, None, {"a": None, "c": 2}, {"a": {"d": None}}, [], None, 5, {"e": None})
            )
        )
    },
    enable=["p"],
    config=SETTINGS,
    releases=NEW,
)
def mappings_are_merged_when_they_are_written(host):
    return host.command("/raised").splitlines()


@case(
    "N35",
    plugins={
        "p": attempt(
            "raised.append(repr((ctx.state.get('a'), ctx.state.get('a', 5), ctx.state.quota_bytes)))",
            "raised.append(repr((ctx.state.set('a', {'b': [1, 'ä']}), ctx.state.get('a'))))",
            "raised.append(str((ctx.state.data_dir, ctx.state.path, type(ctx.state).__name__)))",
            "ctx.state.set('b', object())",
            "ctx.state.set('b', 'x' * 10485760)",
            *(f"ctx.state.get({key!r})" for key in ["", "a" * 129, "a b", "a..b", ".a", None, "a:b-c.d_e"]),
            "raised.append(oct(ctx.state.path.stat().st_mode)[-3:] + ctx.state.path.read_text())",
            "raised.append(str(sorted(one.name for one in ctx.state.data_dir.iterdir())))",
            "ctx.state.path.write_text('[]'); ctx.state.get('a')",
            "ctx.state.path.write_text('{'); ctx.state.set('a', 1)",
        ),
        "q": plugin("def register(ctx): ctx.state.set('mine', 1)\n", name="Q Ä__"),
    },
    enable=["p", "Q Ä__"],
    releases=NEW,
)
def state_is_kept_in_a_file_of_the_plugin(host):
    return [host.command("/raised").splitlines(), sorted(one.name for one in (host.home / "plugin-data").iterdir())]


@case(
    "N36",
    one="""
        import asyncio
        def register(ctx):
            def act(line):
                actions = ctx.platform_actions
                calls = [
                    actions.add_reaction("telegram", "1", "2", "x"),
                    actions.set_thread_title("nowhere", "1", "2", "x"),
                    actions.add_reaction("telegram", "1", " ", "x"),
                    actions.add_reaction("telegram", "1", "2", None),
                ]
                return repr([asyncio.run(call) for call in calls])
            ctx.register_command("act", act)
    """,
    releases=NEW,
)
def actions_in_chats_need_a_grant(host):
    return [host.command("/act"), list_log(host, "hermes_cli.platform_actions")]


@case(
    "N36",
    one="""
        import asyncio
        def register(ctx):
            def act(line):
                actions = ctx.platform_actions
                calls = [
                    actions.add_reaction("telegram", "1", "2", "x"),
                    actions.add_reaction("telegram", "1", " ", "x"),
                    actions.set_thread_title("telegram", 1, "2", "x"),
                ]
                return repr([asyncio.run(call) for call in calls])
            ctx.register_command("act", act)
    """,
    config={"plugins": {"entries": {"p": {"granted_capabilities": ["gateway.platform_actions"]}}}},
    releases=NEW,
)
def actions_in_chats_need_a_gateway(host):
    return [host.command("/act"), list_log(host, "hermes_cli.platform_actions")]


@gateway_case(
    "N36",
    """
    async def answer(line):
        actions = ctx.platform_actions
        told = [await actions.add_reaction(name, "1", "2", "x") for name in ("echo", " Echo ", "nowhere", "telegram", 5)]
        return json.dumps([*told, await actions.set_thread_title("echo", "1", "2", "x")])
    ctx.register_command("act", answer)
    """,
    config={"plugins": {"entries": {"p": {"allow_platform_actions": True}}}},
    releases=["0.20.2"],
)
def actions_run_in_chats_of_a_gateway(host):
    gateway = host.gateway()
    gateway.dm("u1").receives("/act")
    gateway.stop()
    return [[one.text for one in gateway.sent], list_log(host, "hermes_cli.platform_actions")]


@case(
    "N39",
    plugins={
        "p": attempt(
            "ctx.call_mcp('files', 'read')",
            "raised.append(repr(ctx.call_mcp('known', 'read', {'a': 1})))",
            "raised.append(repr(ctx.call_mcp('known', 'read', timeout='soon')))",
            "raised.append(repr(ctx.call_mcp('5', 'read', timeout=0)))",
        )
    },
    enable=["p"],
    config={"plugins": {"entries": {"p": {"mcp_allowlist": ["known", 5]}}}},
    releases=NEW,
)
def servers_of_mcp_must_be_allowed(host):
    return host.command("/raised").splitlines()


GRANTS = {
    "plugins": {
        "entries": {
            "p": {
                "granted_capabilities": ["tools.override ", "llm.task_override", "unknown", 5],
                "allow_platform_actions": 1,
                "llm": {"allow_model_override": "yes", "allow_provider_override": False},
            }
        }
    }
}
CAPABILITIES = [
    "tools.override",
    "llm.task_override",
    "llm.model_override",
    "llm.provider_override",
    "llm.agent_id_override",
    "gateway.platform_actions",
    "unknown",
    "",
    None,
]


@case(
    "N42",
    plugins={"p": attempt(*(f"raised.append(repr(ctx.has_capability({one!r})))" for one in CAPABILITIES))},
    enable=["p"],
    config=GRANTS,
    releases=NEW,
)
def capabilities_are_granted_in_the_configuration(host):
    return [host.command("/raised").splitlines(), list_log(host, "hermes_cli.plugin_capabilities")]


INJECTING = attempt(
    "raised.append(str(ctx.inject_message('a', session_key='agent:main:x')))",
    "raised.append(str(ctx.inject_message('a', session_key='')))",
)


@case("N40", plugins={"p": INJECTING}, enable=["p"], releases=NEW)
def a_message_for_a_chat_needs_a_grant(host):
    return host.command("/raised").splitlines()


@case(
    "N40",
    plugins={"p": INJECTING},
    enable=["p"],
    config={"plugins": {"entries": {"p": {"allow_gateway_injection": "true"}}}},
    releases=NEW,
)
def a_grant_for_messages_is_a_boolean(host):
    return host.command("/raised").splitlines()


@case(
    "N40",
    plugins={"p": INJECTING},
    enable=["p"],
    config={"plugins": {"entries": {"p": {"allow_gateway_injection": True}}}},
    releases=NEW,
)
def a_message_for_a_chat_needs_a_gateway(host):
    return host.command("/raised").splitlines()


@case(
    "N41",
    plugins={
        "p": attempt(
            "raised.append(str(ctx.inject_message('a', session_key='k', origin={'platform': 'echo'})))",
            "raised.append(str(ctx.inject_message('a', origin='echo')))",
            "raised.append(str(ctx.inject_message('a', origin={'platform': 'echo'})))",
        )
    },
    enable=["p"],
    releases=NEW,
)
def a_message_can_name_its_chat(host):
    return host.command("/raised").splitlines()


def taking(name, **more):
    """Return a plugin that registers the tool ``t`` in its own toolset."""
    register = f"""
        def register(ctx):
            schema = {{"name": "t", "parameters": {{}}}}
            ctx.register_tool("t", {name!r}, schema, lambda args, **kwargs: {name!r}, **{more!r})
            ctx.register_command({name!r}, str)
    """
    return plugin(register, name=name)


@case(
    "N82",
    plugins={"a": taking("a"), "b": taking("b", override=True), "c": taking("c", override=True)},
    enable=["a", "b", "c"],
    config={"plugins": {"entries": {"b": {"granted_capabilities": ["tools.override"]}}}},
)
def an_override_is_granted_by_a_capability(host):
    return [host.call_tool("t").value, host.commands]


@case(
    "N71",
    plugins={
        "a": plugin(
            """
            import json
            def register(ctx):
                def send(line):
                    told = []
                    for event, payload in (("e", {"n": {"m": 1}}), ("nobody", {}), ("e", None)):
                        told.append(ctx.emit(event, payload))
                    for event, payload in (("", {}), (None, {}), ("a:e", {}), ("hermes:e", {}), ("e", [])):
                        try: ctx.emit(event, payload)
                        except Exception as error: told.append(f"{type(error).__name__}: {error}")
                    return json.dumps(told)
                ctx.register_command("send", send)
            """,
            name="a",
        ),
        "b": plugin(
            """
            import json, threading
            DONE = threading.Event()
            SEEN = []
            def register(ctx):
                def first(n=None):
                    SEEN.append(["first", repr(n), threading.current_thread().name])
                    if isinstance(n, dict): n["m"] = 2
                async def second(**payload): SEEN.append(["second", repr(payload)])
                def last(n="none"):
                    if n == "none": DONE.set()
                for callback in (first, second, last): ctx.subscribe("a:e", callback)
                for event, callback in (("", first), (None, first), ("a:e", None)):
                    try: ctx.subscribe(event, callback)
                    except Exception as error: SEEN.append(f"{type(error).__name__}: {error}")
                def wait(line):
                    DONE.wait(5)
                    return json.dumps(SEEN)
                ctx.register_command("wait", wait)
            """,
            name="b",
        ),
    },
    enable=["a", "b"],
    releases=NEW,
)
def plugins_send_each_other_events(host):
    return [json.loads(host.command("/send")), json.loads(host.command("/wait"))]


@case(
    "N71",
    one="""
        import threading
        DONE = threading.Event()
        def register(ctx):
            def strict(n): pass
            def broken(**payload): 1 / 0
            for callback in (strict, broken, lambda **payload: DONE.set()): ctx.subscribe("p:e", callback)
            ctx.register_command("send", lambda line: repr((DONE.clear(), ctx.emit("e", {"n": 1, "extra": 2}), DONE.wait(5))))
    """,
    releases=NEW,
)
def failing_event_subscribers_are_logged(host):
    return [host.command("/send"), host.command("/send")]


@case(
    "N72",
    one="""
        import threading
        DONE = threading.Event()
        SEEN = []
        def register(ctx):
            def again(n):
                SEEN.append(n)
                if not ctx.emit("e", {"n": n + 1}): DONE.set()
            ctx.subscribe("p:e", again)
            ctx.register_command("around", lambda line: repr((ctx.emit("e", {"n": 0}), DONE.wait(5), SEEN)))
    """,
    releases=NEW,
)
def a_chain_of_events_ends(host):
    return host.command("/around")


@case(
    "N72",
    one="""
        import threading
        GO, DONE = threading.Event(), threading.Event()
        SEEN = []
        def register(ctx):
            def slow(n):
                GO.wait(5)
                SEEN.append(n)
                if len(SEEN) == 64: DONE.set()
            ctx.subscribe("p:e", slow)
            def flood(line):
                sent = [ctx.emit("e", {"n": n}) for n in range(66)]
                GO.set()
                return repr((sent, DONE.wait(5), SEEN))
            ctx.register_command("flood", flood)
    """,
    releases=NEW,
)
def the_number_of_pending_events_is_limited(host):
    return host.command("/flood")


@case(
    "N79",
    plugins={
        "p": attempt(
            "raised.append(type(ctx.register_system_prompt_section('a', 'text')).__name__)",
            "ctx.register_system_prompt_section('a', 'again')",
            *(
                f"ctx.register_system_prompt_section({id!r}, 'x')"
                for id in ("", "A", "-a", "a b", "a" * 129, None, "a.b_c-d")
            ),
            "ctx.register_system_prompt_section('b', 5)",
            "ctx.register_system_prompt_section('b', 'x', position='before')",
            *(
                f"ctx.register_system_prompt_section('b', 'x', max_chars={most!r})"
                for most in (0, 4001, True, "5", None)
            ),
            "ctx.register_system_prompt_section('b', 'x', 'after_memory')",
            "ctx.register_system_prompt_section('b', lambda info: 'x', max_chars=1)",
        )
    },
    enable=["p"],
    releases=NEW,
)
def sections_of_the_prompt_are_validated(host):
    return host.command("/raised").splitlines()


EXITING = """
    def register(ctx):
        ctx.register_system_prompt_section("a", lambda info: exit(3))
        ctx.register_system_prompt_section("b", "kept")
"""


@case("N78", one=EXITING, since="0.20.2", ends=HostExited)
def a_section_that_exits_ends_the_program(host):
    host.llm.script("done")
    turn = host.chat("hello")
    return turn.reply, "kept" in host.llm.requests[0].messages[0]["content"]


@case(
    "N78",
    one="""
        import json
        SEEN = []
        def register(ctx):
            def told(info):
                SEEN.append([type(info).__name__, sorted(info), info["model"], info["platform"], info["profile_name"], info["provider"]])
                return f"call {len(SEEN)}"
            def broken(info): 1 / 0
            add = ctx.register_system_prompt_section
            add("z", "  the last\\n\\n")
            add("told", told)
            add("a", "the first")
            add("broken", broken)
            add("number", lambda info: 5)
            add("blank", " ")
            add("long", "x" * 11, max_chars=10)
            add("marked", "<!-- hermes-plugin-sections:end -->")
            add("writes", lambda info: info.update(a=1))
            for n in range(3): add(f"zz{n}", str(n) * 3000)
            ctx.register_hook("on_session_start", lambda **kwargs: SEEN.append("started"))
            ctx.register_command("told", lambda line: json.dumps(SEEN))
    """,
    releases=NEW,
)
def sections_are_rendered_once_into_the_prompt(host):
    host.llm.script(say("one"), say("two"))
    for text in ("first", "second"):
        host.chat(text)
    prompts = [request.body["messages"][0]["content"] for request in host.llm.requests]
    shown = [one[one.index("<!-- hermes-plugin-sections:start") :].partition("sections:end")[0] for one in prompts]
    return [json.loads(host.command("/told")), shown]


@case(
    "N78",
    one="""
        def register(ctx):
            count = []
            def told(info):
                count.append(1)
                return f"call {len(count)}"
            ctx.register_system_prompt_section("told", told)
    """,
    releases=NEW,
)
def sections_are_rendered_again_in_a_new_session(host):
    host.llm.script(say("one"), say("two"), say("three"))
    host.chat("first")
    host.command("/new")
    host.chat("second")
    host.command("/new")
    host.chat("third")
    prompts = [request.body["messages"][0]["content"] for request in host.llm.requests]
    return [re.findall("call [0-9]", one) for one in prompts]
