"""Cases of registering members of ``ctx`` since 0.20 (N85 to N92, N97)."""

from conformance.attempts import attempt
from conformance.case import case, plugin
from conformance.cases_services import NEW, list_log


@case(
    "N85",
    plugins={
        "p": attempt(
            *(
                f"raised.append(repr(ctx.register_redaction_patterns({patterns})))"
                for patterns in (
                    "['zzkey-[A-Z0-9]{8,}', ' zzkey-[A-Z0-9]{8,} ', 'yykey-(?:a|b)']",
                    "['zzkey-[A-Z0-9]{8,}', 'a[', '.*', 'x', '', ' ', None, 5]",
                    "['ab|.*', 'ab(c+)+', 'ab(c{2,})*', 'ab[|]', r'ab\\|c', 'ab(c{1,3})+', 'ab(?:c|d+)+']",
                    "'zzkey'",
                    "None",
                    "5",
                    "()",
                )
            ),
        )
    },
    enable=["p"],
    releases=NEW,
)
def redaction_patterns_are_validated(host):
    return [host.command("/raised").splitlines(), list_log(host, "agent.redact")]


REFERENCES = """
    from agent.context_references import ContextReferenceProvider
    class Reference(ContextReferenceProvider):
        def __init__(self, prefix): self.prefix = prefix
        async def autocomplete(self, query, *, limit=10): return []
        async def expand(self, target): return target
    def register(ctx):
        for prefix in PREFIXES: ctx.register_context_reference(Reference(prefix))
        ctx.register_context_reference(object())
        ctx.register_command("after", str)
"""


@case(
    "N86",
    plugins={
        "p": plugin(
            f"PREFIXES = ['issue', 'file', 'Issue ', '', 'Bad P']\n{REFERENCES}".replace("\n    ", "\n"), name="p"
        ),
        "q": plugin(f"PREFIXES = ['issue']\n{REFERENCES}".replace("\n    ", "\n"), name="q"),
    },
    enable=["p", "q"],
    releases=NEW,
)
def context_references_need_unique_prefixes(host): ...


@case(
    "N86",
    one="""
        def register(ctx):
            from agent.context_references import ContextReferenceProvider, ContextCompletionItem
            item = ContextCompletionItem("text", meta="m")
            told = [item.text, item.display, item.meta, ContextReferenceProvider.prefix, ContextReferenceProvider.description]
            told += [sorted(ContextReferenceProvider.__abstractmethods__)]
            ctx.register_command("told", lambda line: repr(told))
    """,
    releases=NEW,
)
def the_context_reference_class_can_be_imported(host):
    return host.command("/told")


@case(
    "N87",
    plugins={
        "p": attempt(
            *(
                f"raised.append(repr(ctx.register_approval_transport({arguments})))"
                for arguments in (
                    "' Mine ', print",
                    "'mine', print",
                    "'Builtin', print",
                    "'', print",
                    "'a b', print",
                    "None, print",
                    "'b' * 65, print",
                    "'other', None",
                )
            ),
        )
    },
    enable=["p"],
    releases=NEW,
)
def approval_transports_are_validated(host):
    return host.command("/raised").splitlines()


@case(
    "N88",
    plugins={
        "p": attempt(
            "ctx.register_auxiliary_task('mine', display_name='Mine', description='', inherit_from='vision')",
            "ctx.register_auxiliary_task('other', display_name='Other', description='', inherit_from='nothing')",
            "ctx.register_auxiliary_task('third', display_name='Third', description='', defaults={'timeout': 5}, inherit_from='vision')",
            "ctx.register_auxiliary_task('vision', display_name='', description='')",
        )
    },
    enable=["p"],
    releases=NEW,
)
def a_task_inherits_from_a_builtin_one(host):
    return host.command("/raised").splitlines()


@case(
    "F1",
    plugins={
        "p": {
            **attempt(
                "ctx.register_skill('a', HERE / 'SKILL.md', frontmatter={'description': 'of the call', 'name': 'x'})",
                "ctx.register_skill('b', str(HERE / 'SKILL.md'))",
                "ctx.register_skill('c', HERE / 'SKILL.md', 'about', None)",
                "ctx.register_skill('d', str(HERE / 'nothing'))",
            ),
            "SKILL.md": "---\nname: s\ndescription: of the file\n---\nText.\n",
        }
    },
    enable=["p"],
    releases=NEW,
)
def a_skill_is_registered_with_front_matter(host):
    return [host.command("/raised").splitlines(), [host.skill(f"p:{name}") for name in "abc"]]


@case(
    "N91",
    plugins={
        "p": attempt(
            "ctx.register_platform('one', 'One', print, print, ensure_deps_fn=print, send_message_handler=print)",
            "ctx.register_platform('two', 'Two', print, print, parse_target_ref_fn=print, validate_target_ref_fn=print)",
            "ctx.register_platform('three', 'Three', print, print, trusted_inbound=True)",
            "ctx.register_platform('telegram', 'Mine', print, print, trusted_inbound=True)",
            "ctx.register_platform('Telegram', 'Mine', print, print, trusted_inbound=True)",
            "ctx.register_platform('four', 'Four', print, print, display_tier='a', shared_env_prefixes=('A',))",
            "ctx.register_platform('telegram', 'Mine', print, print)",
        )
    },
    enable=["p"],
    releases=NEW,
)
def register_platform_accepts_later_keywords(host):
    return host.command("/raised").splitlines()


@case(
    "N92",
    plugins={
        "p": attempt(
            "raised.append(repr(ctx.register_platform_handler(' Echo ', print)))",
            "ctx.register_platform_handler('echo', None)",
            "ctx.register_platform_handler(' ', print)",
            "ctx.register_platform_handler(None, print)",
            "raised.append(repr(ctx.register_telegram_handler(print)))",
            "ctx.register_telegram_handler(None)",
        )
    },
    enable=["p"],
    releases=NEW,
)
def platform_handlers_are_validated(host):
    return host.command("/raised").splitlines()


@case(
    "N97",
    plugins={
        "p": attempt(
            *(
                f"ctx.register_command({name!r}, str, args_hint={hint!r}, argument_mode={mode!r})"
                for name, hint, mode in (
                    ("a", "", "options"),
                    ("b", "<x>", "mixed"),
                    ("c", "<x>", "other"),
                    ("d", "", 5),
                )
            )
        )
    },
    enable=["p"],
    releases=NEW,
)
def argument_mode_of_a_command_is_validated(host):
    return [host.command("/raised"), host.commands]


@case(
    "F17",
    plugins={
        "p": {
            **attempt(
                "raised.append(repr(ctx.register_memory_provider(object())))",
                "ctx.register_memory_provider()",
            ),
            "plugin.yaml": "name: p\nkind: standalone\n",
        },
        "q": plugin(
            """
            import agent.memory_provider as base
            Base = base.MemoryProvider
            def register(ctx):
                made = type("Mine", (Base,), {name: lambda self, *a, **k: None for name in Base.__abstractmethods__})
                ctx.register_memory_provider(made())
            """,
            name="q",
            kind="standalone",
        ),
    },
    enable=["p", "q"],
    releases=NEW,
)
def memory_providers_need_the_right_class(host):
    return host.command("/raised")


@case(
    "N90",
    plugins={
        "p": {
            **attempt(
                "raised.append(type(ctx.register_locale('pl', {'a.b': 'x'})).__name__)",
                "ctx.register_locale('??', {})",
                "ctx.register_locale('pl', {}, surface='zz')",
                "ctx.register_locale('pl', HERE / 'none.yaml')",
                "ctx.register_locale('pl', str(HERE / 'bad.yaml'))",
                "ctx.register_locale('PT_br', {'a': {'b': 'x'}}, surface='tui', endonym='P', rtl=True)",
                "raised.append(repr(ctx.register_locale_dir(HERE / 'nowhere')))",
                "raised.append(repr([one.key for one in ctx.register_locale_dir(str(HERE / 'locales'))]))",
                "raised.append(repr(ctx.current_cron_execution()))",
            ),
            "bad.yaml": "- a\n",
            "locales/pl.yaml": "a: b\n",
            "locales/pl.tui.yaml": "a: b\n",
            "locales/de.yaml": "- a\n",
            "locales/x y.yaml": "a: b\n",
        }
    },
    enable=["p"],
    releases=["0.22.2"],
)
def locale_catalogues_are_validated(host):
    return host.command("/raised").splitlines()


BLUEPRINT = "title='T', description='D', schedule_template='0 9 * * *', prompt_template='Do it.'"


@case(
    "N90",
    plugins={
        "p": attempt(
            f"raised.append(ctx.register_automation_blueprint('mine', {BLUEPRINT}).key)",
            f"raised.append(repr(ctx.register_automation_blueprint('mine', {BLUEPRINT})))",
            f"raised.append(repr(ctx.register_automation_blueprint('A b', {BLUEPRINT})))",
            f"raised.append(repr(ctx.register_automation_blueprint('', {BLUEPRINT})))",
            f"raised.append(repr(ctx.register_automation_blueprint('slots', {BLUEPRINT}, slots='a')))",
            "ctx.register_automation_blueprint('mine')",
        )
    },
    enable=["p"],
    releases=["0.22.2"],
)
def automation_blueprints_are_validated(host):
    return host.command("/raised").splitlines()
