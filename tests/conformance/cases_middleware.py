"""Cases of section C: middleware around tool calls."""

from textwrap import dedent, indent

from conformance.case import case, plugin
from conformance.recorder import call_tools, read_notes, recorder


@case("C30", one=recorder("tool('t'); ctx.register_middleware('tool_request', lambda **kwargs: None)"))
def plugins_can_register_middleware(host):
    return host.call_tool("t").value


@case(
    "C30",
    one=recorder("tool('t'); ctx.register_middleware('bogus', lambda **kwargs: note('bogus', kwargs))"),
)
def an_unknown_kind_of_middleware_is_kept_with_a_warning(host):
    return [host.call_tool("t").value, read_notes(host)]


@case(
    "C30",
    one=recorder("""
        tool("t")
        for kind in ("llm_request", "llm_execution", "tool_request", "tool_execution"):
            made = ctx.register_middleware(kind, lambda kind=kind, next_call=lambda: None, **kwargs: SEEN.append(kind) or next_call())
            SEEN.append(type(made).__name__)
        ctx.register_middleware("tool_request", None)
        failed(ctx.register_middleware, "tool_request")
    """),
)
def model_middleware_runs_only_in_a_turn(host):
    return [host.call_tool("t").value, read_notes(host)]


@case(
    "C31",
    one=recorder("""
        def first(**kwargs): note("first", kwargs); return {"args": {"n": 1}, "source": "A", "reason": "", "name": 3}
        def second(**kwargs): note("second", kwargs); return {"args": {"n": "2", "s": 5}, "reason": "why", "junk": "x"}
        def third(**kwargs): return {"args": [1]}
        def fourth(**kwargs): raise OSError("no")
        tool("t")
        for callback in (first, second, third, fourth, lambda **kwargs: "text"):
            ctx.register_middleware("tool_request", callback)
        watch("pre_tool_call", "post_tool_call", "transform_tool_result")
    """),
)
def the_last_request_middleware_wins(host):
    return [host.call_tool("t", n="5").value, host.call_tool("unknown", n="5").value, read_notes(host)]


@case(
    "C31",
    one=recorder("""
        def change(args, original_args, **kwargs): args["z"] = 9; original_args["o"] = 1
        tool("t")
        ctx.register_middleware("tool_request", change)
        ctx.register_middleware("tool_request", lambda tool_name: None)
        watch("pre_tool_call", "post_tool_call")
    """),
)
def request_middleware_can_change_arguments_in_place(host):
    return [host.call_tool("t", n="5").value, read_notes(host)]


@case(
    "C31",
    one=recorder("""
        answers = [None, "text", {}, {"args": None}, {"args": [1]}, {"request": {"n": 1}}, {"args": {}}, {"args": {"n": "3"}, "source": ""}]
        tool("t")
        ctx.register_middleware("tool_request", lambda args, **kwargs: answers[int(args["n"])])
        watch("post_tool_call")
    """),
)
def only_a_mapping_under_args_replaces_the_arguments(host):
    return [[host.call_tool("t", n=n).value for n in range(8)], read_notes(host)]


@case(
    "C31",
    one=recorder("""
        async def later(**kwargs): return {"args": {"n": 9}}
        tool("t"); tool("u"); tool("todo", toolset="mine")
        ctx.register_middleware("tool_request", later)
        ctx.register_middleware("tool_request", lambda **kwargs: {"args": kwargs["args"], "tool_name": "u", "name": "same"})
        ctx.register_middleware("tool_request", lambda tool_name, **kwargs: SEEN.append(tool_name))
        watch("pre_tool_call")
    """),
)
def request_middleware_cannot_change_names_and_sees_every_call(host):
    return [call_tools(host, "t", "todo", "unknown", n="5"), read_notes(host)]


@case(
    "C31",
    plugins={
        name: plugin(
            recorder("""
                name = ctx.manifest.name
                tool(f"of_{name}", toolset=name)
                ctx.register_middleware("tool_request", lambda args, **k: {"args": {**args, name: 1}, "source": name})
                ctx.register_middleware("tool_execution", lambda next_call, **k: f"{name}({next_call()})")
                watch("post_tool_call")
            """),
            name=name,
        )
        for name in ("b", "a")
    },
    enable=["b", "a"],
)
def middleware_of_several_plugins_runs_in_the_order_of_loading(host):
    return [host.call_tool("of_a", n="5").value, read_notes(host)]


def _executing(*bodies: str, handler: str = "echo") -> str:
    """Return a plugin with execution middleware, outermost first, around a tool ``t``."""
    functions = [
        f"def m{number}(next_call, args, **kwargs):\n{indent(dedent(one), '    ')}\n"
        for number, one in enumerate(bodies)
    ]
    names = ", ".join(f"m{number}" for number in range(len(bodies)))
    return recorder(
        "".join(functions) + f"tool('t', {handler})\nwatch('post_tool_call')\n"
        f"for callback in [{names}]: ctx.register_middleware('tool_execution', callback)\n"
    )


def _call_tool(host):
    return [host.call_tool("t", n="5").value, read_notes(host)]


AROUND = "SEEN.append('in {0}'); result = next_call(); SEEN.append('out {0}'); return result + '|{0}'"


@case("C32", one=_executing(AROUND.format(0), AROUND.format(1)))
def execution_middleware_nests_in_the_order_of_registration(host):
    return _call_tool(host)


@case(
    "C32",
    one=_executing("return next_call({'n': 99})", "note('inner', {**kwargs, 'args': args}); return next_call({})"),
)
def execution_middleware_passes_new_arguments(host):
    return _call_tool(host)


@case("C32", one=_executing("return {'error': 'of the middleware'}", AROUND.format(1)))
def middleware_can_answer_instead_of_the_tool(host):
    return _call_tool(host)


@case("C32", one=_executing("return None"))
def results_of_middleware_are_not_validated(host):
    return _call_tool(host)


@case("C32", one=_executing("next_call(); return {'a': [1, {}]}", AROUND.format(1)))
def middleware_can_answer_with_a_mapping(host):
    return _call_tool(host)


@case(
    "C32",
    one=_executing("return next_call() + ' and more'", handler="(lambda args, **k: {'a': 1})"),
)
def a_result_is_validated_before_middleware_receives_it(host):
    return _call_tool(host)


@case(
    "C32",
    one=_executing("args['n'] = 7; return next_call()", "return next_call(args | {'s': 1})"),
)
def execution_middleware_can_change_arguments_in_place(host):
    return _call_tool(host)


@case("C32", one=_executing("return next_call('no mapping')"))
def arguments_passed_on_by_middleware_are_not_validated(host):
    return _call_tool(host)


@case("C32", one=_executing("raise ValueError('no')", AROUND.format(1)))
def middleware_that_raises_before_the_call_is_skipped(host):
    return _call_tool(host)


@case("C32", one=_executing("next_call(); raise ValueError('late')"))
def middleware_that_raises_after_the_call_keeps_the_result(host):
    return _call_tool(host)


@case("C32", one=_executing("next_call(); return next_call()"))
def middleware_can_call_the_next_layer_only_once(host):
    return _call_tool(host)


@case(
    "C32",
    one=_executing("try: next_call(); return next_call()\nexcept RuntimeError as error: return str(error)"),
)
def a_second_call_of_the_next_layer_raises(host):
    return _call_tool(host)


@case(
    "C32",
    one=_executing(
        "try: return next_call()\nexcept BaseException as error: SEEN.append(type(error).__name__); raise",
        "try: next_call()\nfinally: raise LookupError('of the inner')",
        AROUND.format(2),
    ),
)
def a_failure_of_inner_middleware_does_not_affect_the_outer(host):
    return _call_tool(host)


@case(
    "C32",
    one=_executing("return next_call()", "next_call.__call__; return [next_call][0]({'n': 1})")
    + "    ctx.register_middleware('tool_execution', lambda tool_name: 'wants less')\n",
)
def execution_middleware_that_lacks_parameters_is_skipped(host):
    return _call_tool(host)


FAILING = "(lambda args, **kwargs: (_ for _ in ()).throw(ValueError('of the tool')))"


@case("C32", one=_executing(AROUND.format(0), handler=FAILING))
def middleware_receives_the_error_of_a_tool_as_its_result(host):
    return _call_tool(host)


ALL_KINDS = recorder("""
    tool("t")
    ctx.register_middleware("tool_request", lambda **kwargs: note("request", kwargs))
    ctx.register_middleware("tool_execution", lambda **kwargs: note("execution", kwargs) or kwargs["next_call"]())
    watch("pre_tool_call", "post_tool_call", "transform_tool_result")
""")


@case("C33", one=ALL_KINDS)
def middleware_receives_schema_versions_and_ids_in_call_order(host):
    return [host.call_tool("t", n="5", s="x").value, read_notes(host)]
