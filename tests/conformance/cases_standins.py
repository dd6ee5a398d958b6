"""Cases of section L: modules of the host that plugins import, which have stand-ins on the embedded host."""

import ast

import yaml
from conformance.case import case, plugin
from conformance.evaluation import PLUGINS, evaluate

from hermes_sdk import contract


@case("L1", plugins=PLUGINS, enable=["p"])
def the_home_is_located(host):
    return evaluate(
        host,
        "hermes_constants",
        "m.get_hermes_home()",
        "m.get_process_hermes_home()",
        "m.get_config_path()",
        "m.get_env_path()",
        "m.get_skills_dir()",
        "m.get_default_hermes_root()",
        "m.get_hermes_home_override()",
        "(lambda token: (m.get_hermes_home(), m.get_process_hermes_home(), m.reset_hermes_home_override(token)))"
        "(m.set_hermes_home_override('/other'))",
        "m.get_hermes_home()",
    )


@case("L1", plugins=PLUGINS, enable=["p"], environment={"HOME": "/nowhere"})
def the_home_is_displayed_with_a_tilde(host):
    return evaluate(host, "hermes_constants", "m.display_hermes_home()", "m.get_hermes_home()", "m.get_env_path()")


@case("L1", plugins=PLUGINS, enable=["p"], files={"old/kept.txt": "x", "plugins/empty/.keep": ""})
def a_moved_directory_is_used_until_it_is_empty(host):
    return evaluate(
        host,
        "hermes_constants",
        "m.get_hermes_dir('cache/new', 'old')",
        "m.get_hermes_dir('cache/new', 'absent')",
        "m.get_hermes_dir('cache/new', 'old/kept.txt')",
    )


CLASSES = {
    "agent.memory_provider": "MemoryProvider",
    "agent.context_engine": "ContextEngine",
    "agent.image_gen_provider": "ImageGenProvider",
    "agent.video_gen_provider": "VideoGenProvider",
    "agent.web_search_provider": "WebSearchProvider",
    "agent.browser_provider": "BrowserProvider",
    "agent.tts_provider": "TTSProvider",
    "agent.transcription_provider": "TranscriptionProvider",
    "agent.secret_sources.base": "SecretSource",
    "hermes_cli.dashboard_auth": "DashboardAuthProvider",
}
LOOKS = """
    import importlib, inspect
    def shape(name, member):
        if isinstance(member, property): return [name, "property"]
        if not callable(member): return [name, repr(member)]
        parameters = inspect.signature(member).parameters.values()
        kind = "async " if inspect.iscoroutinefunction(member) else ""
        return [name, kind + " ".join(f"{one.name}:{one.kind.name}:{one.default!r}" for one in parameters)]
    def defaults(cls):
        made = type("Mine", (cls,), {name: property(lambda self: "my-name") if name == "name" else lambda self, *a, **k: None
                                     for name in cls.__abstractmethods__})
        for name, member in public(cls):
            if name in cls.__abstractmethods__: continue
            try:
                value = getattr(made(), name)
                if callable(value):
                    needed = [one for one in inspect.signature(value).parameters.values() if one.default is one.empty]
                    value = value(*[{} for one in needed if one.kind == one.POSITIONAL_OR_KEYWORD],
                                  **{one.name: {} for one in needed if one.kind == one.KEYWORD_ONLY})
                yield f"{name} {value!r}"
            except Exception as error:
                yield f"{name} {type(error).__name__}: {error}"
    def public(cls): return [one for one in inspect.getmembers(cls) if not one[0].startswith("_")]
    def register(ctx):
        def look(line):
            module, name = line.split()
            try: cls = getattr(importlib.import_module(module), name)
            except Exception as error: return f"{type(error).__name__}: {error}"
            told = [cls.__module__, cls.__qualname__, [base.__name__ for base in cls.__mro__], sorted(cls.__abstractmethods__)]
            return "\\n".join(map(str, [told, *(shape(*one) for one in public(cls)), *defaults(cls)]))
        ctx.register_command("look", look)
"""


@case("L2", one=LOOKS)
def base_classes_of_providers_have_defaults(host):
    there = contract.load(host.release).host_modules
    looks = {name: host.command(f"/look {module} {name}") for module, name in CLASSES.items() if module in there}
    return {name: (told or "").splitlines() for name, told in looks.items()}


@case("L2", plugins=PLUGINS, enable=["p"])
def helpers_of_image_providers_are_available(host):
    return evaluate(
        host,
        "agent.image_gen_provider",
        "[m.resolve_aspect_ratio(one) for one in ('SQUARE ', 'round', None, 5)]",
        "(m.VALID_ASPECT_RATIOS, m.DEFAULT_ASPECT_RATIO)",
        "m.error_response(error='no')",
        "m.success_response(image='i', model='m', prompt='p', aspect_ratio='square', provider='x')['success']",
        "sorted(m.success_response(image='i', model='m', prompt='p', aspect_ratio='', provider='x', extra={'image': 1, 'seed': 5}).items())[-2:]",
        "m.save_b64_image('YWJj', prefix='a').parent",
        "m.save_b64_image('YWJj', prefix='a', extension='gif').suffix",
        "m.save_b64_image('YWJj').read_bytes()",
    )


@case("L2", plugins=PLUGINS, enable=["p"])
def helpers_of_other_providers_are_available(host):
    images = evaluate(
        host,
        "agent.image_gen_provider",
        "[m.normalize_reference_images(one) for one in (None, ' a ', ['b', 5, ' '], 7, [])]",
    )
    videos = evaluate(
        host,
        "agent.video_gen_provider",
        "m.error_response(error='no')",
        "m.success_response(video='v', model='m', prompt='p', provider='x', duration=2.5, extra={'a': 1})",
        "m.save_bytes_video(b'abc').parent.name",
        "m.DEFAULT_RESOLUTION",
    )
    speech = evaluate(
        host,
        "agent.tts_provider",
        "[m.resolve_output_format(one) for one in ('OGG', 'x', None)]",
        "m.VALID_OUTPUT_FORMATS",
    )
    secrets = evaluate(
        host,
        "agent.secret_sources",
        "m.FetchResult().ok",
        "m.FetchResult(error='no', error_kind=m.ErrorKind.TIMEOUT)",
        "[m.is_valid_env_name(one) for one in ('A_1', '1A', '')]",
        "m.scrub_ansi('\\x1b[31mred\\x1b[0m')",
    )
    dashboard = evaluate(
        host,
        "hermes_cli.dashboard_auth.base",
        "m.LoginStart('u', {})",
        "m.TokenPrincipal('me', 'x')",
        "m.assert_protocol_compliance(int)",
        "m.assert_protocol_compliance(type('A', (m.DashboardAuthProvider,), {'name': 'a', 'display_name': 'A'}))",
        "[one.__mro__[1].__name__ for one in (m.ProviderError, m.InvalidCodeError)]",
    )
    return [images, videos, [sorted(told) for told in speech], secrets, dashboard]


@case("L2", plugins=PLUGINS, enable=["p"], releases=["0.20.2", "0.22.2"])
def secret_sources_suggest_remedies(host):
    return evaluate(
        host,
        "agent.secret_sources.base",
        "[type('Mine', (m.SecretSource,), {'name': 'mine', 'fetch': print})().remediation(one, {}) for one in [*m.ErrorKind, None, 'x']]",
        "[type('Mine', (m.SecretSource,), {'fetch': print, 'default_token_env': 'T', 'remediation_hints': {m.ErrorKind.TIMEOUT: 'Wait {name} {token_env}', m.ErrorKind.NETWORK: ''}})()"
        ".remediation(one, {}) for one in (m.ErrorKind.TIMEOUT, m.ErrorKind.NETWORK)]",
    )


@case(
    "L2",
    plugins=PLUGINS,
    enable=["p"],
    files={".env": "IN_FILE= file \nBOTH=file\n"},
    environment={"BOTH": "process"},
)
def a_search_provider_reads_its_variables(host):
    return evaluate(
        host, "agent.web_search_provider", "[m.get_provider_env(one) for one in ('IN_FILE', 'BOTH', 'NEITHER')]"
    )


@case(
    "L3",
    plugins=PLUGINS,
    enable=["p"],
    config={"memory": {"provider": "mine"}, "own": {"a": "${IN_PROCESS}"}},
    environment={"IN_PROCESS": "5"},
)
def a_configuration_is_merged_with_the_defaults(host):
    return evaluate(
        host,
        "hermes_cli.config",
        "m.load_config()['memory']",
        "m.load_config()['own']",
        "sorted(m.load_config())",
        "m.load_config() == {**m.DEFAULT_CONFIG, **{key: m.load_config()[key] for key in ('memory', 'own', 'plugins')}}",
        "m.load_config() is m.load_config()",
        "sorted(m.read_raw_config())",
        "m.read_raw_config()['own']",
    )


@case("L3", plugins=PLUGINS, enable=["p"])
def nested_configuration_values_are_read(host):
    return evaluate(
        host,
        "hermes_cli.config",
        "[m.cfg_get(*one) for one in (({'a': {'b': 1}}, 'a', 'b'), ({'a': 1}, 'a', 'b'), (None, 'a'), ({'a': None}, 'a'), ({},))]",
        "m.cfg_get({}, 'a', default=5)",
        "m.cfg_get([], default=5)",
    )


def parse_yaml(told):
    """Parse a YAML text that `evaluate` returned as its repr; the host may lack `yaml` for plugins."""
    return yaml.safe_load(ast.literal_eval(told))


SAVED = "Path(m.get_config_path()).read_text()"


@case(
    "L3",
    plugins=PLUGINS,
    enable=["p"],
    config={"memory": {"memory_enabled": True}, "own": {"a": "${HOME}"}},
)
def a_saved_configuration_contains_only_changed_values(host):
    told = evaluate(
        host,
        "hermes_cli.config",
        "m.save_config({**m.load_config(), 'more': {'b': 2, 'c': {}}})",
        SAVED,
        "m.save_config({'only': 1})",
        SAVED,
        "m.load_config()['only']",
        "m.save_config({'display': None, 'more': None, 'agent': {}})",
        SAVED,
    )
    return [parse_yaml(one) if at in (1, 3, 6) else one for at, one in enumerate(told)]


@case("L3", plugins=PLUGINS, enable=["p"], config={"own": {"a": {"b": 1}, "c": 2}, "other": {"d": 3}})
def a_saved_configuration_is_merged_with_the_file(host):
    changes = "{'own': {'a': None, 'c': None, 'e': {'f': None}}, 'other': None}"
    told = evaluate(host, "hermes_cli.config", f"m.save_config({changes}, merge_existing=True)", SAVED)
    return told[0], parse_yaml(told[1])


@case(
    "L3",
    plugins=PLUGINS,
    enable=["p"],
    files={".env": "A=one\nB='two'\n# C=three\n"},
    environment={"B": "process", "D": "process"},
)
def variables_of_the_env_file_are_read(host):
    return evaluate(
        host,
        "hermes_cli.config",
        "m.load_env()",
        "[m.get_env_value(one) for one in 'ABCD']",
        "m.save_env_value('C', 'with space')",
        "m.save_env_value('A', 'new')",
        "(os.environ['C'], os.environ['A'], m.load_env())",
        "m.save_env_value('not a name', 'x')",
        "m.get_env_value('A')",
    )


@case("L3", plugins=PLUGINS, enable=["p"], files={".env": "A=one\nB=two\n"})
def variables_of_the_env_file_are_removed(host):
    return evaluate(
        host,
        "hermes_cli.config",
        "[m.remove_env_value(one) for one in 'AX']",
        "m.load_env()",
        "m.get_env_path().read_text()",
    )


@case(
    "L3",
    plugins=PLUGINS,
    enable=["p"],
    environment={"A": "process"},
    config={"a": "${A}", "b": "${env:A}", "c": ["x${ A }y", "${env: A }", "${V:x}"]},
)
def variables_in_a_configuration_are_expanded(host):
    return evaluate(host, "hermes_cli.config", "[m.load_config().get(key) for key in 'abc']")


@case("L3", plugins=PLUGINS, enable=["p"], environment={"A": "process"})
def secrets_can_be_bound_to_a_context(host):
    return evaluate(
        host,
        "agent.secret_scope",
        "[m.get_secret(*one) for one in (('A',), ('NOTHING',), ('NOTHING', 'default'))]",
        "(lambda token: (m.get_secret('A'), m.get_secret('B'), m.current_secret_scope(), m.reset_secret_scope(token)))(m.set_secret_scope({'B': 'b'}))",
        "m.get_secret('A')",
        "(lambda token, get: (get('A'), get('B'), m.reset_secret_scope(token)))(m.set_secret_scope({'B': 'b'}), __import__('hermes_cli.config').config.get_env_value)",
        "__import__('hermes_cli.config').config.get_env_value('A')",
    )


@case("K3", plugins=PLUGINS, enable=["p"])
def hermes_managed_marks_the_configuration_as_managed(host):
    values = ["", "true", "brew", "Homebrew", "off", "0", "nixos"]
    return evaluate(
        host,
        "hermes_cli.config",
        *(f"(__import__('os').environ.update(HERMES_MANAGED={value!r}), m.is_managed())" for value in values),
    )


@case("L4", plugins=PLUGINS, enable=["p"])
def helpers_format_tool_results(host):
    return evaluate(
        host,
        "tools.registry",
        "m.tool_error('nö')",
        "m.tool_error(ValueError('no'), code=5)",
        "m.tool_error('no', error='other')",
        "m.tool_result({'a': 'ö'})",
        "m.tool_result(a=1)",
        "m.tool_result()",
        "m.tool_result([])",
        "m.tool_result(data={1: 2}, a=1)",
    )


@case(
    "L4",
    one="""
        from tools.registry import registry
        def register(ctx):
            ctx.register_tool("mine", "set", {"name": "mine", "parameters": {}}, lambda args, **kwargs: str(args))
            def look(line):
                entry = registry.get_entry("mine")
                return str([entry.name, entry.toolset, registry.get_schema("mine"), registry.get_toolset_for_tool("mine"),
                            registry.get_entry("nothing"), registry.get_schema("nothing"), "mine" in registry.get_all_tool_names(),
                            registry.dispatch("mine", {"a": 1}), registry.dispatch("nothing", {}),
                            registry.get_tool_to_toolset_map()["mine"]])
            ctx.register_command("look", look)
    """,
)
def plugins_can_inspect_the_tool_registry(host):
    return host.command("/look")


@case(
    "L5",
    plugins=PLUGINS,
    enable=["p"],
)
def functions_that_plugins_wrap_have_signatures(host):
    return [
        *evaluate(
            host,
            "tools.delegate_tool",
            *(
                f"[(p.name, p.kind.name, p.default) for p in load('inspect').signature(m.{name}).parameters.values()]"
                for name in ("_build_child_agent", "_build_dynamic_schema_overrides", "delegate_task")
            ),
            "(load('inspect').isfunction(m.delegate_task), m.delegate_task.__module__, m.delegate_task.__qualname__)",
            "m.tool_error('no')",
        ),
        *evaluate(
            host,
            "gateway.platforms.base",
            "load('inspect').iscoroutinefunction(m.cache_image_from_url)",
            "list(load('inspect').signature(m.cache_image_from_url).parameters)",
            "m.is_network_accessible()",
        ),
    ]


@case(
    "C5",
    one="""
        import tools.delegate_tool
        from tools.registry import registry
        def register(ctx):
            for name in ("delegate_task", "terminal", "todo"):
                ctx.register_tool(name, "set", {"name": name, "parameters": {}}, lambda args, **kwargs: "mine")
            entry = registry.get_entry("delegate_task")
            found = [entry.name, entry.toolset, entry is registry.get_entry("delegate_task"), registry.get_entry("todo").toolset]
            found.append(entry.dynamic_schema_overrides is tools.delegate_tool._build_dynamic_schema_overrides)
            registry._generation += 1
            ctx.register_command("look", lambda line: str(found))
    """,
)
def importing_the_delegation_module_registers_its_tools(host):
    return host.command("/look"), host.report()["tools"], host.tools


@case("L5", plugins=PLUGINS, enable=["p"], environment={"N": " 5 ", "F": "2.5", "BAD": "x", "YES": " On "})
def general_helpers_of_the_host_are_available(host):
    *told, write_yaml, left = evaluate(
        host,
        "utils",
        "[m.is_truthy_value(one) for one in ('YES', ' true ', 'off', 1, 0, None, True, [])]",
        "m.is_truthy_value(None, default=True)",
        "[m.env_var_enabled(one) for one in ('YES', 'BAD', 'UNSET')]",
        "m.env_var_enabled('UNSET', '1')",
        "m.base_url_hostname('https://API.host.com:8080/v1')",
        "[m.base_url_hostname(one) for one in ('host.com/v1', '', None)]",
        "[m.base_url_host_matches('https://api.host.com/v1', one) for one in ('host.com', 'API.HOST.COM', 'ost.com', '')]",
        "[m.safe_json_loads(one, 'default') for one in ('[1]', 'no', None)]",
        "m.atomic_json_write(Path('deep/a.json'), {'b': 'ö'})",
        "Path('deep/a.json').read_text()",
        "m.atomic_yaml_write(Path('deep/a.yaml'), {'b': {'c': ['ö']}})",
        "Path('deep/a.yaml').read_text()",
        "sorted(one.name for one in Path('deep').iterdir())",
    )
    return [*told, parse_yaml(write_yaml), left]


MODES = """[
    oct(Path(name).stat().st_mode & 0o777)
    for name in ("new.json", "new.yaml", "own.json", "kept.json")
]"""


@case("L5", plugins=PLUGINS, enable=["p"])
def written_files_have_permissions(host):
    return evaluate(
        host,
        "utils",
        "__import__('os').umask(0o022) and None",
        "m.atomic_json_write('new.json', {'b': 'ö'})",
        "m.atomic_yaml_write('new.yaml', {'b': 'ö'})",
        "m.atomic_json_write('own.json', {}, mode=0o640)",
        "Path('kept.json').touch() or Path('kept.json').chmod(0o604)",
        "m.atomic_json_write('kept.json', {})",
        " ".join(MODES.split()),
    )[-1]


WRITTEN = {
    "long": "word " * 30,
    "tab": "a\tb",
    "empty": "",
    "space": " a ",
    "words": ["yes", "no", "null", "~", "1", "1.0", "0x1", "1e3", "1_000", "12:30", "2020-01-01", "=", "<<"],
    "marks": [
        "- a",
        "a: b",
        "a #b",
        "#a",
        "?",
        "!x",
        "&x",
        "*x",
        "%x",
        "@x",
        "`x",
        '"a"',
        "a'b",
        "[a",
        "a,b",
        "|",
        ">",
    ],
    "plain": [1, 1.5, True, None, 10**20],
    "nested": [[], {}, {"a": [1, {"b": [2]}]}],
    "unicode": ["ö", "\u2028", "\x07", "😀", "\ufeff"],
    1: "number",
    None: "null",
    "a b: c": 1,
    "k" * 130: 1,
}


def write_yaml(host, values):
    """Write values as YAML and return the files."""
    writing = "[m.atomic_yaml_write('a.yaml', {!r}), Path('a.yaml').read_text()]"
    return evaluate(host, "utils", *(writing.format(one) for one in values))


@case("L5", plugins=PLUGINS, enable=["p"])
def yaml_is_written(host):
    return write_yaml(host, [*({key: value} for key, value in WRITTEN.items()), "text", 5, [], {}, None, {3}])


@case("L5", plugins=PLUGINS, enable=["p"], until="0.22.2")
def nested_lists_and_quotes_are_written_as_yaml(host):
    return write_yaml(host, [["a"], {"a": [[1]]}, {"a": 1e20}, {"a": "'b'"}, {"a": "b\nc"}, {"a": (1, [2])}])


@case("L5", plugins=PLUGINS, enable=["p"], since="0.22.2", refused="write YAML with lists in lists")
def nested_lists_are_written(host):
    return write_yaml(host, [{"a": [[1]]}])


@case("L5", plugins=PLUGINS, enable=["p"], since="0.22.2", refused="write YAML with lists in lists")
def texts_that_need_quotes_are_written(host):
    return write_yaml(host, [{"a": "'b'"}])


@case("L5", plugins=PLUGINS, enable=["p"])
def lists_in_written_yaml_are_indented(host):
    data = {"a": [1, {"b": ["x", []]}], "c": [], "d": {"e": ["z"]}}
    return evaluate(host, "utils", f"m.atomic_yaml_write(Path('a.yaml'), {data})", "Path('a.yaml').read_text()")


@case(
    "L5",
    plugins=PLUGINS,
    enable=["p"],
    environment={"N": " 5 ", "F": "2.5", "BAD": "x", "YES": " On "},
)
def helpers_that_read_variables(host):
    return evaluate(
        host,
        "utils",
        "[m.env_int(one, 7) for one in ('N', 'F', 'BAD', 'UNSET')]",
        "[m.env_bool(one) for one in ('YES', 'N', 'UNSET')]",
    )


PROFILE = """
    from providers import register_provider
    from providers.base import ProviderProfile
    register_provider(ProviderProfile(name="mine", aliases=("my",), base_url="https://api.mine.com/v1"))
"""


@case(
    "L6", plugins={**PLUGINS, "model-providers/mine": plugin(PROFILE, name="mine", kind="model-provider")}, enable=["p"]
)
def a_model_provider_can_be_constructed(host):
    return evaluate(
        host,
        "providers",
        "m.get_provider_profile('mine').name",
        "m.get_provider_profile('my') is m.get_provider_profile('mine')",
        "m.get_provider_profile('nothing')",
        "'mine' in [one.name for one in m.list_providers()]",
        "m.get_provider_profile('mine').get_hostname()",
        "m.get_provider_profile('mine').prepare_messages([1])",
        "m.get_provider_profile('mine').build_extra_body(session_id='s', model='m')",
        "m.get_provider_profile('mine').build_api_kwargs_extras(reasoning_config=None)",
        "m.ProviderProfile(name='x')",
        "m.ProviderProfile(name='x').fetch_models()",
        "m.ProviderProfile()",
        "m.register_provider(m.ProviderProfile(name='mine', api_mode='other'))",
        "m.get_provider_profile('my').api_mode",
    )


@case("L7", plugins=PLUGINS, enable=["p"])
def plugins_can_query_the_plugin_manager(host):
    return evaluate(
        host,
        "hermes_cli.plugins",
        "sorted(m.VALID_HOOKS)",
        "type(m.VALID_HOOKS)",
        "m.get_plugin_manager() is m.get_plugin_manager()",
        "m.get_plugin_manager().list_plugins()",
        "sorted(m.get_plugin_commands()['ask'])",
        "m.get_plugin_command_handler('nothing')",
        "m.invoke_hook('pre_llm_call', a=1)",
        "m.resolve_plugin_command_result(5)",
        "m.nothing",
        "m.PluginContext.__name__",
        "m.discover_plugins()",
    )


@case("L4", plugins=PLUGINS, enable=["p"])
def the_tool_registry_accepts_known_arguments(host):
    return evaluate(
        host,
        "tools.registry",
        "m.registry.register('x', 's', {}, print, max_result_size_chars=5, dynamic_schema_overrides=dict)",
        "m.registry.register('y', 's', {}, print, override=True)",
        "m.registry.register('z', 's', {}, print, unknown=True)",
        "sorted({'x', 'y', 'z'} & set(m.registry.get_all_tool_names()))",
    )


@case("L8", plugins={**PLUGINS, "memo": plugin("# MemoryProvider\n", name="memo")}, enable=["p"])
def memory_providers_of_the_home_are_listed(host):
    return evaluate(
        host,
        "plugins.memory",
        "m.find_provider_dir('memo')",
        "m.find_provider_dir('p')",
        "m.find_provider_dir('nothing')",
        "m.load_memory_provider('memo')",
        "m.load_memory_provider('nothing')",
        "[one for one in m.discover_memory_providers() if one[0] == 'memo']",
    )


REMEMBERS = """
    from agent.memory_provider import MemoryProvider
    class Memo(MemoryProvider):
        name = "named"
        def is_available(self): return True
        def initialize(self, session_id, **kwargs): pass
        def get_tool_schemas(self): return []
        def handle_tool_call(self, tool_name, args, **kwargs): return "{}"
"""


def _loader(body):
    memo = plugin(REMEMBERS + body, description="About it")
    return case("L8", plugins={**PLUGINS, "memo": memo}, enable=["p"])


def _load_config(host):
    return evaluate(
        host,
        "plugins.memory",
        "m.load_memory_provider('memo').name",
        "m.load_memory_provider('memo').__class__.__module__",
        "m.load_memory_provider('memo') is m.load_memory_provider('memo')",
        "[one for one in m.discover_memory_providers() if one[0] == 'memo']",
    )


@_loader("    def register(ctx): ctx.register_memory_provider(Memo())\n")
def a_registered_memory_provider_is_loaded(host):
    return _load_config(host)


@_loader(
    "    class Other(Memo):\n        name = 'other'\n"
    "    def register(ctx):\n        ctx.register_memory_provider(Other())\n        raise ValueError('late')\n"
)
def registrations_before_a_memory_provider_raised_are_removed(host):
    return _load_config(host)


@_loader("    class Broken(Memo):\n        name = 'broken'\n        def __init__(self): raise ValueError('no')\n")
def the_first_instantiable_memory_provider_class_is_used(host):
    return _load_config(host)
