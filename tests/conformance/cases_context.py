"""Cases of section F: other members of ``ctx`` (F14 to F19), and platforms (H1)."""

from conformance.attempts import attempt
from conformance.case import case, plugin


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
def dispatch_tool_bypasses_hooks_and_checks(host):
    return [host.command("/known"), host.command("/unknown")]


@case("F15", one="def register(ctx): ctx.register_command('say', lambda a: str(ctx.inject_message(a)))\n")
def inject_message_needs_an_interactive_cli(host):
    return host.command("/say hello")


@case("F16", one="def register(ctx): ctx.register_command('who', lambda a: getattr(ctx, 'profile_name', 'absent'))\n")
def a_separate_home_has_the_default_profile(host):
    return host.command("/who")


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
        "p": attempt(
            "ctx.register_tool('t', schema={}, handler=print)",
            "ctx.register_hook('pre_llm_call')",
            "ctx.register_command('x', str, '', '', 1)",
            "ctx.register_command('x', str, aliases=[])",
        )
    },
    enable=["p"],
)
def invalid_calls_of_ctx_raise_type_errors(host):
    return host.command("/raised")


@case(
    "F18",
    plugins={
        "p": attempt(
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
def auxiliary_tasks_are_validated(host):
    return host.command("/raised")


@case(
    "F19",
    plugins={
        "p": attempt(
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
        "p": attempt(
            "ctx.register_platform('echo', 'Echo', lambda config: None, lambda: True, emoji='x', pii_safe=True)",
            "ctx.register_platform('bad', 'Bad', lambda config: None, lambda: True, colour='red')",
        )
    },
    enable=["p"],
)
def register_platform_accepts_known_keywords_only(host):
    return host.command("/raised")


@case(
    "F14",
    one="""
        import json
        async def later(args, **kwargs): return f"later {sorted(kwargs)}"
        def bad(args, **kwargs): raise ValueError("no")
        def strict(args): return "strict"
        def register(ctx):
            def tool(name, handler, **more):
                ctx.register_tool(name, "set", {"name": name, "parameters": {}}, handler, **more)
            tool("later", later, is_async=True)
            tool("bad", bad)
            tool("strict", strict)
            tool("number", lambda args, **kwargs: 5)
            tool("same", lambda args, **kwargs: json.dumps(args))
            calls = {
                "later": lambda: ctx.dispatch_tool("later", {}, task_id="t"),
                "bad": lambda: ctx.dispatch_tool("bad", {}),
                "strict": lambda: [ctx.dispatch_tool("strict", {}), ctx.dispatch_tool("strict", {}, task_id="t")],
                "number": lambda: repr(ctx.dispatch_tool("number", {})),
                "none": lambda: ctx.dispatch_tool("same", None),
                "keywords": lambda: ctx.dispatch_tool(tool_name="same", args={"a": 1}),
                "todo": lambda: ctx.dispatch_tool("nothing", {}, parent_agent=None),
                "lacking": lambda: ctx.dispatch_tool("same"),
            }
            for name, call in calls.items(): ctx.register_command(name, lambda a, call=call: str(call()))
    """,
)
def dispatch_tool_passes_arguments_and_keywords(host):
    names = ("later", "bad", "strict", "number", "none", "keywords", "todo", "lacking")
    return {name: host.command(f"/{name}") for name in names}


@case(
    "F14",
    one="""
        def register(ctx):
            ctx.register_tool("t", "set", {"name": "t", "parameters": {}}, lambda args, **kwargs: "of the tool")
            for kind in ("tool_request", "tool_execution"):
                ctx.register_middleware(kind, lambda **kwargs: {"args": {"a": 2}})
            ctx.register_command("call", lambda a: ctx.dispatch_tool("t", {}))
    """,
)
def dispatch_tool_runs_no_middleware(host):
    return host.command("/call")


@case(
    "F15",
    plugins={
        "p": attempt(
            "raised.append(str(ctx.inject_message('a')))",
            "raised.append(str(ctx.inject_message(content='a', role='system')))",
            "raised.append(str(ctx.inject_message(None)))",
            "ctx.inject_message()",
        )
    },
    enable=["p"],
)
def inject_message_returns_false_without_a_cli(host):
    return host.command("/raised")


@case("F16", plugins={"p": attempt("ctx.profile_name = 'mine'")}, enable=["p"])
def profile_name_cannot_be_set(host):
    return host.command("/raised")


@case(
    "F17",
    plugins={
        "p": attempt(
            "ctx.mine = 5; raised.append(str(ctx.mine))",
            "ctx.manifest.name = 'other'; ctx.register_command('after', str)",
            "raised.append(type(ctx).__name__)",
            "raised.append(type(ctx.register_hook('pre_llm_call', print)).__name__)",
            "raised.append(type(ctx.register_command('x', str)).__name__)",
            "ctx.nothing",
        )
    },
    enable=["p"],
)
def ctx_is_an_ordinary_object(host):
    return host.command("/raised")


@case(
    "F17",
    plugins={
        "p": attempt(
            "import re",
            "ctx.register_slack_action_handler('approve', print)",
            "ctx.register_slack_action_handler(__import__('re').compile('app.*'), print)",
            "ctx.register_slack_action_handler({'action_id': 'x'}, print)",
            "ctx.register_slack_action_handler('', print)",
            "ctx.register_slack_action_handler(' ', print)",
            "ctx.register_slack_action_handler(None, print)",
            "ctx.register_slack_action_handler('x', None)",
        )
    },
    enable=["p"],
)
def slack_action_handlers_are_validated(host):
    return host.command("/raised")


@case(
    "F18",
    plugins={
        "p": attempt(
            "ctx.register_auxiliary_task(None, display_name='', description='')",
            "ctx.register_auxiliary_task(5, display_name='', description='')",
            "ctx.register_auxiliary_task('a b', display_name='', description='')",
            "ctx.register_auxiliary_task('_', display_name='', description='')",
            "ctx.register_auxiliary_task('ä', display_name='', description='')",
            "ctx.register_auxiliary_task('vision', display_name='', description='')",
            "ctx.register_auxiliary_task('Vision', display_name='', description='')",
            "ctx.register_auxiliary_task('mine', display_name=None, description=None, defaults=5)",
            "ctx.register_auxiliary_task('mine', display_name='', description='', defaults={'other': 1})",
            "ctx.register_auxiliary_task('mine', display_name='again', description='')",
            "ctx.register_auxiliary_task('mine', 'again', '')",
            "ctx.register_auxiliary_task('mine')",
        )
    },
    enable=["p"],
)
def keys_and_defaults_of_auxiliary_tasks_are_validated(host):
    return host.command("/raised")


@case(
    "F19",
    plugins={
        "p": attempt(
            "ctx.register_image_gen_provider(None)",
            "ctx.register_web_search_provider(type('WebSearchProvider', (), {'name': 'x'}))",
            "ctx.register_context_engine(None); ctx.register_context_engine(None)",
            "ctx.register_image_gen_provider()",
        )
    },
    enable=["p"],
)
def invalid_providers_are_rejected_each_time(host):
    return host.command("/raised")


@case(
    "H1",
    plugins={
        "p": attempt(
            "ctx.register_platform('one', 'One', print, print, source='mine')",
            "ctx.register_platform('two', 'Two', print, print, plugin_name='other')",
            "ctx.register_platform('three', 'Three', print)",
            "ctx.register_platform('four', 'Four', None, None, None, None, 'hint', allowed_users_env='A')",
            "ctx.register_platform('five', 'Five', print, print, name='six')",
            "ctx.register_platform('same', 'Same', print, print)",
            "ctx.register_platform('UPPER', 5, print, print, required_env='x')",
            "ctx.register_platform(None, 'None', print, print)",
        ),
        "q": plugin("def register(ctx): ctx.register_platform('same', 'Same', print, print)\n", name="q"),
    },
    enable=["p", "q"],
)
def arguments_of_register_platform_are_passed_on(host):
    return host.command("/raised")


@case(
    "H1",
    one="def register(ctx): ctx.register_platform('one', 'One', print, print, colour='red')\n",
)
def an_unknown_keyword_of_a_platform_fails_the_plugin(host):
    return host.plugins


@case(
    "F19",
    one="""
        from agent.image_gen_provider import ImageGenProvider
        class Provider(ImageGenProvider):
            name = "mine"
            def generate(self, prompt, aspect_ratio="landscape", **options): return {}
        def register(ctx):
            ctx.register_image_gen_provider(Provider())
    """,
)
def a_provider_of_the_right_class_is_registered(host):
    return host.report("p")["providers"]["image_gen"]
