"""Cases of section L: small modules of the host that plugins import."""

from conformance.case import case
from conformance.evaluation import PLUGINS, evaluate


@case("L5", plugins=PLUGINS, enable=["p"])
def terminal_colours_are_applied(host):
    return evaluate(
        host,
        "hermes_cli.colors",
        "{name: code for name, code in vars(m.Colors).items() if name.isupper()}",
        "m.color('text', m.Colors.RED, m.Colors.BOLD)",
        "(os.environ.update(TERM='xterm'), os.environ.pop('NO_COLOR', None))[0]",
        "(lambda before: (setattr(m.sys, 'stdout', type('Terminal', (), {'isatty': lambda self: True})()),"
        " m.color('text', m.Colors.RED), os.environ.update(TERM='dumb'), m.color('text', m.Colors.RED),"
        " os.environ.update(TERM='xterm', NO_COLOR=''), m.should_use_color(), setattr(m.sys, 'stdout', before))[1:6])"
        "(m.sys.stdout)",
    )


@case("L5", plugins=PLUGINS, enable=["p"])
def options_for_child_processes_are_returned(host):
    return evaluate(
        host,
        "hermes_cli._subprocess_compat",
        "(m.IS_WINDOWS, m.windows_hide_flags(), m.windows_detach_flags(), m.windows_detach_popen_kwargs())",
    )


STARTED = "(lambda work, loop: (m.safe_schedule_threadsafe(work, loop), work.cr_frame))"


@case("L5", plugins=PLUGINS, enable=["p"])
def coroutines_run_from_other_threads(host):
    return evaluate(
        host,
        "agent.async_utils",
        f"{STARTED}(load('asyncio').sleep(0), None)",
        f"(lambda loop: (loop.close(), {STARTED}(load('asyncio').sleep(0), loop)))(load('asyncio').new_event_loop())",
        "(lambda loop: (load('threading').Thread(target=loop.run_forever, daemon=True).start(),"
        " m.safe_schedule_threadsafe(load('asyncio').sleep(0, 5), loop).result(),"
        " loop.call_soon_threadsafe(loop.stop), [None for _ in iter(loop.is_running, False)] and None, loop.close())[1])"
        "(load('asyncio').new_event_loop())",
        "(lambda loop: (lambda done: (done.set_exception(ValueError('no')), m.consume_detached_task_result(done),"
        " loop.close()))(loop.create_future()))(load('asyncio').new_event_loop())",
        "(lambda loop: (lambda done: (done.cancel(), m.consume_detached_task_result(done),"
        " loop.run_until_complete(load('asyncio').sleep(0)), loop.close()))(loop.create_future()))"
        "(load('asyncio').new_event_loop())",
    )


@case("L5", plugins=PLUGINS, enable=["p"])
def the_text_of_a_message_is_extracted(host):
    return evaluate(
        host,
        "agent.message_content",
        "[m.flatten_message_text(one) for one in ('a', '', None, 5, [], {}, {'text': 'a'}, {'type': 'image', 'text': 'a'})]",
        "m.flatten_message_text(['a', None, '', {'type': ' Image_URL '}, {'content': 'b'}, {'text': 5, 'input_text': 'c'}])",
        "m.flatten_message_text([{'output_text': 'a'}, {'summary_text': 'b'}, {'type': 5}, 7], sep='-')",
        "m.flatten_message_text(type('Part', (), {'type': 'text', 'text': 'a'})())",
        "m.flatten_message_text(type('Part', (), {'__str__': lambda self: 1 / 0})())",
    )


@case("L5", plugins=PLUGINS, enable=["p"])
def the_tokens_of_a_request_are_estimated(host):
    return evaluate(
        host,
        "agent.usage_pricing",
        "m.CanonicalUsage()",
        "m.CanonicalUsage(1, 2, 3, 4, 5, 6, {'a': 1})",
        "m.CanonicalUsage(1, 2, 3, 4, 5).prompt_tokens",
        "m.CanonicalUsage(1, 2, 3, 4, 5).total_tokens",
        "m.CanonicalUsage(1) == m.CanonicalUsage(input_tokens=1)",
        "setattr(m.CanonicalUsage(), 'input_tokens', 1)",
    )


HOMES = ("home", "home/profiles/work", "home/profiles/Work", "home/profiles/a/b", "home/elsewhere")


@case("L5", plugins=PLUGINS, enable=["p"])
def the_name_of_the_profile_is_returned(host):
    named = (
        "(lambda home: (lambda before: (os.environ.update(HERMES_HOME=home), m.get_active_profile_name(),"
        " os.environ.update(HERMES_HOME=before))[1])(os.environ['HERMES_HOME']))"
    )
    return evaluate(
        host,
        "hermes_cli.profiles",
        "m.get_active_profile_name()",
        *(f"{named}(str(Path('{home}').resolve()))" for home in HOMES),
        *(f"{named}(str(Path.home() / '.hermes' / '{home}'))" for home in (".", "profiles/work", "profiles/Work", "x")),
    )


@case("L2", plugins=PLUGINS, enable=["p"])
def settings_of_a_memory_provider_are_read(host):
    return evaluate(
        host,
        "plugins.memory.config_schema",
        "sorted((name, value) for name, value in vars(m).items() if name.startswith(('KIND', 'STORAGE')))",
        "m.ProviderField('k', 'l')",
        "m.ProviderField('k', 'l', m.KIND_SECRET).is_secret",
        "m.ProviderField('k', 'l', options=(m.ProviderFieldOption('a', 'b'),)).allowed_values()",
        "m.ProviderConfigSchema('n', 'l', fields=(m.ProviderField('k', 'l'), m.ProviderField('i', 'l', inline=True)))"
        ".inline_fields()",
        "m.ProviderConfigSchema('n', 'l')",
        "setattr(m.ProviderField('k', 'l'), 'key', 'x')",
    )


@case("L7", plugins=PLUGINS, enable=["p"])
def text_documents_are_recognised(host):
    return evaluate(
        host, "gateway.platforms.base", "sorted(m._TEXT_INJECT_EXTENSIONS)", "type(m._TEXT_INJECT_EXTENSIONS)"
    )


@case("L10", plugins=PLUGINS, enable=["p"])
def the_distribution_has_the_version_of_the_release(host):
    return evaluate(
        host,
        "importlib.metadata",
        "m.version('hermes-agent')",
        "m.version('Hermes_Agent')",
        "m.metadata('hermes-agent')['Name']",
        "[one.version for one in m.distributions() if one.name == 'hermes-agent']",
        "list(m.distributions(name='hermes-agent', path=[]))",
        "m.version('hermes-agent-of-nobody')",
        "load('subprocess').check_output([load('sys').executable, '-c', 'from importlib.metadata import version;"
        ' print(version("hermes-agent"))\'], text=True)',
    )


@case("L10", plugins=PLUGINS, enable=["p"], refused="list what the distribution hermes-agent requires")
def the_distribution_lists_its_requirements(host):
    return evaluate(host, "importlib.metadata", "m.requires('hermes-agent')")


@case("L7", plugins=PLUGINS, enable=["p"])
def message_handlers_have_a_type(host):
    return evaluate(
        host,
        "gateway.platforms.base",
        "load('typing').get_args(m.MessageHandler)[0] == [m.MessageEvent]",
        "load('typing').get_origin(m.MessageHandler)",
    )


@case("L5", plugins=PLUGINS, enable=["p"])
def a_prompt_for_a_secret_can_be_imported(host):
    return evaluate(host, "hermes_cli.secret_prompt", "m.masked_secret_prompt.__name__")


@case("L5", plugins=PLUGINS, enable=["p"], refused="call hermes_cli.secret_prompt.masked_secret_prompt")
def secrets_are_prompted_for(host):
    return evaluate(host, "hermes_cli.secret_prompt", "m.masked_secret_prompt('Key: ')")
