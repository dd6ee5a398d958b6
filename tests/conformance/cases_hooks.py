"""Cases of section D without a turn: registering, firing and isolating hooks."""

from conformance.case import case, plugin
from conformance.recorder import read_notes, recorder

from hermes_sdk.hosts.interface import HostExited

# All known hooks, two unknown ones, and one with a capital.
HOOKS = [
    "pre_tool_call",
    "post_tool_call",
    "transform_terminal_output",
    "transform_tool_result",
    "transform_llm_output",
    "pre_llm_call",
    "post_llm_call",
    "pre_verify",
    "pre_api_request",
    "post_api_request",
    "api_request_error",
    "on_session_start",
    "on_session_end",
    "on_session_finalize",
    "on_session_reset",
    "subagent_start",
    "subagent_stop",
    "pre_gateway_dispatch",
    "pre_approval_request",
    "post_approval_response",
    "kanban_task_claimed",
    "kanban_task_completed",
    "kanban_task_blocked",
    "pre_command",
    "on_error",
    "Pre_tool_call",
]


@case("D1", one=recorder(f"watch(*{HOOKS!r})"))
def each_release_knows_its_hooks(host):
    return host.hooks


@case("D2", one="def register(ctx): ctx.register_hook('on_moonrise', lambda **kw: sorted(kw))\n")
def an_unknown_hook_is_kept_with_a_warning(host):
    return host._fire("on_moonrise", {"phase": "full"})


@case("D2", one=recorder("for name in ('', 'a b', 'ü'): ctx.register_hook(name, lambda **kwargs: 'called')"))
def any_string_can_name_a_hook(host):
    return [host._fire(name, {}) for name in ("", "a b", "ü", "nobody listens")]


@case(
    "D2",
    one=recorder("SEEN.append(type(ctx.register_hook('pre_llm_call', None)).__name__); failed(ctx.register_hook, 'x')"),
)
def a_callback_that_is_not_callable_fails_when_the_hook_fires(host):
    return [read_notes(host), host.fire("pre_llm_call")]


@case("D2", one=recorder("def again(**kwargs): return 1\nfor _ in range(3): ctx.register_hook('pre_llm_call', again)"))
def a_callback_registered_again_is_called_again(host):
    return host.fire("pre_llm_call")


@case(
    "D3", one="def register(ctx): ctx.register_hook('on_session_start', lambda session_id, model, platform: 'called')\n"
)
def a_callback_without_kwargs_meets_the_telemetry_argument(host):
    return host.fire("on_session_start")


@case("D3", one="def register(ctx): ctx.register_hook('post_tool_call', lambda **kw: sorted(kw))\n")
def a_hook_receives_the_arguments_of_the_release(host):
    return host.fire("post_tool_call")


@case(
    "D3", one="def register(ctx): ctx.register_hook('pre_llm_call', lambda **kw: kw.get('telemetry_schema_version'))\n"
)
def the_telemetry_argument_of_a_caller_is_kept(host):
    return [host.fire("pre_llm_call"), host.fire("pre_llm_call", telemetry_schema_version="mine")]


@case("D3", one="def register(ctx): ctx.register_hook('pre_llm_call', lambda *args, **kw: len(args))\n")
def hooks_receive_keyword_arguments_only(host):
    return host.fire("pre_llm_call")


ANSWERING = """
def register(ctx):
    for number in (1, 2): ctx.register_hook("pre_llm_call", lambda number=number, **kw: f"{ctx.manifest.name}{number}")
"""


@case(
    "D3",
    plugins={name: plugin(ANSWERING, name=name) for name in ("b", "a", "sort/c")},
    enable=["sort/c", "b", "a"],
)
def callbacks_run_in_the_order_of_loading(host):
    before = host.fire("pre_llm_call")
    host.rescan()
    return [before, host.fire("pre_llm_call")]


@case(
    "D3",
    one=recorder("""
        def late(**kwargs): SEEN.append("late")
        def early(**kwargs):
            SEEN.append("early")
            ctx.register_hook("pre_llm_call", late)
        ctx.register_hook("pre_llm_call", early)
    """),
)
def a_callback_can_register_a_callback(host):
    host.fire("pre_llm_call")
    host.fire("pre_llm_call")
    return read_notes(host)


@case(
    "D3",
    one=recorder("""
        ctx.register_hook("pre_llm_call", lambda conversation_history, **kw: conversation_history.append("first"))
        ctx.register_hook("pre_llm_call", lambda conversation_history, **kw: list(conversation_history))
        ctx.register_hook("pre_llm_call", lambda **kw: kw.update(model="changed") or kw.clear())
        ctx.register_hook("pre_llm_call", lambda model, **kw: model)
    """),
)
def callbacks_share_values_but_not_the_mapping(host):
    return host.fire("pre_llm_call", conversation_history=[], model="m")


@case(
    "D4",
    one="def bad(**kwargs): raise ValueError('no')\n"
    "def register(ctx):\n"
    "    for callback in (lambda **kw: 1, bad, lambda **kw: None, lambda **kw: {'k': [1]}, lambda **kw: ''):\n"
    "        ctx.register_hook('pre_llm_call', callback)\n",
)
def a_raising_callback_is_skipped_and_none_is_left_out(host):
    return host.fire("pre_llm_call")


@case(
    "D4",
    one=recorder("""
        import functools
        class Callback:
            def __call__(self, **kwargs): raise ValueError("of an instance")
            def __repr__(self): return "Callback()"
            def method(self, **kwargs): raise ValueError("of a method")
        def function(number, **kwargs): raise KeyError(number)
        wanting = lambda missing, **kwargs: "never"
        for one in (Callback(), Callback().method, function, wanting, dict, lambda **kwargs: "last"):
            ctx.register_hook("on_session_end", one)
    """),
)
def the_warning_names_the_callback(host):
    return [[type(one).__name__ for one in host.fire("on_session_end")]]


@case(
    "D4",
    one="import sys\ndef register(ctx): ctx.register_hook('pre_llm_call', lambda **kw: sys.exit(5))\n",
    ends=HostExited,
)
def sys_exit_of_a_callback_ends_the_host(host):
    return host.fire("pre_llm_call")


@case("D5", one="async def later(**kwargs): return 1\ndef register(ctx): ctx.register_hook('pre_llm_call', later)\n")
def a_coroutine_is_never_awaited(host):
    return [type(one).__name__ in ("coroutine", "dict") for one in host.fire("pre_llm_call")]


@case(
    "D5",
    one=recorder("""
        async def blocks(**kwargs): return {"action": "block", "message": "never told"}
        async def changes(**kwargs): return "changed"
        tool("t")
        ctx.register_hook("pre_tool_call", blocks)
        ctx.register_hook("transform_tool_result", changes)
    """),
)
def the_result_of_a_coroutine_callback_is_ignored(host):
    return host.call_tool("t").value


@case(
    "D6",
    one=recorder("""
        for number in range(3): ctx.register_hook("pre_llm_call", lambda number=number, **kw: SEEN.append(number) or f"{number}")
        for number in range(3): ctx.register_hook("transform_llm_output", lambda number=number, **kw: SEEN.append(number) or "x")
    """),
)
def every_callback_runs_and_every_answer_is_kept(host):
    return [host.fire("pre_llm_call"), host.fire("transform_llm_output"), read_notes(host)]
