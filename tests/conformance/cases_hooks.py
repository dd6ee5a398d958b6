"""Cases of section D, the part that needs no turn: registering, firing and isolating hooks."""

from conformance.case import case


@case("D2", one="def register(ctx): ctx.register_hook('on_moonrise', lambda **kw: sorted(kw))\n")
def an_unknown_hook_is_kept_with_a_warning(host):
    return host.fire("on_moonrise", phase="full")


@case(
    "D3", one="def register(ctx): ctx.register_hook('on_session_start', lambda session_id, model, platform: 'called')\n"
)
def a_callback_without_kwargs_meets_the_telemetry_argument(host):
    return host.fire("on_session_start")


@case("D3", one="def register(ctx): ctx.register_hook('post_tool_call', lambda **kw: sorted(kw))\n")
def a_hook_gets_the_arguments_of_the_release(host):
    return host.fire("post_tool_call")


@case(
    "D4",
    one="def bad(**kwargs): raise ValueError('no')\n"
    "def register(ctx):\n"
    "    for callback in (lambda **kw: 1, bad, lambda **kw: None, lambda **kw: {'k': [1]}, lambda **kw: ''):\n"
    "        ctx.register_hook('pre_llm_call', callback)\n",
)
def a_raising_callback_is_skipped_and_none_is_left_out(host):
    return host.fire("pre_llm_call")


@case("D5", one="async def later(**kwargs): return 1\ndef register(ctx): ctx.register_hook('pre_llm_call', later)\n")
def a_coroutine_is_never_awaited(host):
    return [type(one).__name__ in ("coroutine", "dict") for one in host.fire("pre_llm_call")]
