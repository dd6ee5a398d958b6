"""Cases of section F: what else ``ctx`` offers (F14 to F19), and platforms (H1)."""

from conformance.case import case, plugin
from conformance.trying import tried


@case(
    "F14",
    one="""
            def tool(args, **kwargs): return f"{args} {sorted(kwargs.items())}"
            def register(ctx):
                parameters = {"type": "object", "properties": {"n": {"type": "integer"}}}
                ctx.register_tool("t", "set", {"name": "t", "parameters": parameters}, tool, check_fn=lambda: False)
                ctx.register_hook("pre_tool_call", lambda **kw: {"action": "block", "message": "no"})
                ctx.register_command("known", lambda a: ctx.dispatch_tool("t", {"n": "5"}, extra=1))
                ctx.register_command("unknown", lambda a: ctx.dispatch_tool("nothing", {}))
            """,
)
def dispatch_tool_goes_straight_to_the_registry(host):
    return [host.command("/known"), host.command("/unknown")]


@case("F15", one="def register(ctx): ctx.register_command('say', lambda a: str(ctx.inject_message(a)))\n")
def inject_message_needs_an_interactive_cli(host):
    return host.command("/say hello")


@case("F16", one="def register(ctx): ctx.register_command('who', lambda a: getattr(ctx, 'profile_name', 'absent'))\n")
def profile_name_is_there_since_0_18(host):
    answer = host.command("/who")
    return answer == "absent"


@case(
    "F17",
    plugins={
        "p": plugin(
            "import inspect\n"
            "def register(ctx):\n"
            "    names = sorted(name for name in dir(type(ctx)) if not name.startswith('_'))\n"
            "    texts = []\n"
            "    for name in names:\n"
            "        member = getattr(type(ctx), name)\n"
            "        if callable(member):\n"
            "            parameters = inspect.signature(member).parameters.values()\n"
            "            texts.append(name + ' ' + ' '.join(f'{one.name}:{one.kind.name}:{one.default!r}' for one in parameters))\n"
            "        else:\n"
            "            texts.append(name)\n"
            "    ctx.register_command('surface', lambda a: '\\n'.join(texts))\n"
            "    ctx.register_command('manifest', lambda a: repr(ctx.manifest))\n",
            name="p",
            version="1",
        )
    },
    enable=["p"],
)
def ctx_has_the_members_and_parameters_of_the_release(host):
    return [host.command("/surface"), host.command("/manifest")]


@case(
    "F17",
    plugins={
        "p": tried(
            "ctx.register_memory_provider(object())",
            "ctx.register_tool('t', schema={}, handler=print)",
            "ctx.register_hook('pre_llm_call')",
            "ctx.register_command('x', str, '', '', 1)",
            "ctx.register_command('x', str, aliases=[])",
        )
    },
    enable=["p"],
)
def wrong_calls_of_ctx_raise_what_python_raises(host):
    return host.command("/raised")


@case(
    "F18",
    plugins={
        "p": tried(
            "ctx.register_auxiliary_task('', display_name='', description='')",
            "ctx.register_auxiliary_task('a-b', display_name='', description='')",
            "ctx.register_auxiliary_task('compression', display_name='', description='')",
            "ctx.register_auxiliary_task('mine', display_name='Mine', description='', defaults={'timeout': 1})",
        ),
        "q": plugin(
            "def register(ctx): ctx.register_auxiliary_task('mine', display_name='', description='')\n", name="q"
        ),
    },
    enable=["p", "q"],
)
def auxiliary_tasks_are_checked(host):
    return host.command("/raised")


@case(
    "F19",
    plugins={
        "p": tried(
            "ctx.register_context_engine(object())",
            "ctx.register_image_gen_provider(object())",
            "ctx.register_video_gen_provider(object())",
            "ctx.register_web_search_provider(object())",
            "ctx.register_browser_provider(object())",
            "ctx.register_tts_provider(object())",
            "ctx.register_transcription_provider(object())",
            "ctx.register_secret_source(object())",
            "ctx.register_dashboard_auth_provider(object())",
        )
    },
    enable=["p"],
)
def providers_of_a_wrong_class_are_ignored(host):
    return host.command("/raised")


@case(
    "H1",
    plugins={
        "p": tried(
            "ctx.register_platform('echo', 'Echo', lambda config: None, lambda: True, emoji='x', pii_safe=True)",
            "ctx.register_platform('bad', 'Bad', lambda config: None, lambda: True, colour='red')",
        )
    },
    enable=["p"],
)
def a_platform_takes_known_keywords_only(host):
    return host.command("/raised")
