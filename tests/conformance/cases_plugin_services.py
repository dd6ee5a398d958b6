"""Cases of L11 to L13: internal modules of the host that published plugins import."""

import json

from conformance.case import case, plugin
from conformance.evaluation import EVALUATOR, PLUGINS, evaluate

from hermes_sdk.llm import say


@case("L11", plugins=PLUGINS, enable=["p"])
def duplicate_messages_are_detected(host):
    return evaluate(
        host,
        "gateway.platforms.helpers",
        "(lambda one: [one.is_duplicate(id) for id in ('a', 'a', 'b', '', None, '', 5, 5)])(m.MessageDeduplicator())",
        "(lambda one: [one.is_duplicate(id) for id in 'abcabca'])(m.MessageDeduplicator(max_size=2))",
        "(lambda one: [one.is_duplicate(id) for id in 'aab'])(m.MessageDeduplicator(ttl_seconds=0))",
        "(lambda one: [one.is_duplicate('a'), one.clear(), one.is_duplicate('a')])(m.MessageDeduplicator())",
    )


@case("L11", plugins=PLUGINS, enable=["p"])
def messages_are_forgotten_when_discarded(host):
    return evaluate(
        host,
        "gateway.platforms.helpers",
        "(lambda one: [one.contains('a'), one.is_duplicate('a'), one.contains('a'), one.discard('a'), one.contains('a')])"
        "(m.MessageDeduplicator())",
    )


@case("L11", plugins=PLUGINS, enable=["p"])
def helpers_of_adapters_can_be_imported(host):
    return evaluate(
        host,
        "gateway.platforms.helpers",
        "[m.redact_phone(one) for one in ('', None, '1', '1234', '12345', '12345678', '123456789', '+155512345678')]",
        "(lambda one: ['x' in one, one.mark('x'), 'x' in one])(m.ThreadParticipationTracker('echo'))",
        "(Path(os.environ['HERMES_HOME']) / 'echo_threads.json').read_text()",
        "'x' in m.ThreadParticipationTracker('echo')",
        "[m.ThreadParticipationTracker('few', 2).mark(one) for one in 'abcd']",
        "(Path(os.environ['HERMES_HOME']) / 'few_threads.json').read_text()",
    )


@case("L11", plugins=PLUGINS, enable=["p"])
def file_types_and_thread_metadata_of_adapters_are_available(host):
    source = "m.SessionSource(platform=m.Platform('slack'), chat_id='c', thread_id={})"
    return evaluate(
        host,
        "gateway.platforms.base",
        "[list(one.items()) for one in (m.SUPPORTED_DOCUMENT_TYPES, m.SUPPORTED_VIDEO_TYPES)]",
        "m._thread_metadata_for_source(None)",
        *(f"m._thread_metadata_for_source({source.format(repr(one))}, '9')" for one in ("7", None)),
    )


NO_PROXY = dict.fromkeys(
    ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy", "NO_PROXY", "no_proxy"], ""
)


@case("L11", plugins=PLUGINS, enable=["p"], environment={**NO_PROXY, "OWN": "socks://own:1"})
def the_proxy_of_an_adapter_is_resolved(host):
    def having(variable, value):
        return f"(os.environ.update({{'{variable}': '{value}'}}), m.resolve_proxy_url(), os.environ.update({{'{variable}': ''}}))[1]"

    return evaluate(
        host,
        "gateway.platforms.base",
        "m.resolve_proxy_url()",
        "m.resolve_proxy_url('OWN')",
        "m.resolve_proxy_url('OTHER')",
        "[m.normalize_proxy_url(one) for one in (None, '', 'socks://a', 'http://a', ' http://a ')]",
        *(having(one, f"http://{one.lower()}:1") for one in ("HTTPS_PROXY", "HTTP_PROXY", "all_proxy")),
        "(os.environ.update(HTTPS_PROXY='http://a', all_proxy='http://b'), m.resolve_proxy_url())[1]",
        "m.resolve_proxy_url('OWN', target_hosts=['x.org'])",
    )


@case("L11", plugins=PLUGINS, enable=["p"], since="0.21.3", refused="follow a configured proxy or `gateway.trust_env`")
def an_adapter_has_a_proxy_in_its_configuration(host):
    return evaluate(host, "gateway.platforms.base", "m.resolve_proxy_url('OWN', configured='http://a')")


@case("L11", plugins=PLUGINS, enable=["p"], refused="lock an account in a relative XDG_STATE_HOME")
def an_account_is_locked_in_a_relative_folder(host):
    return evaluate(
        host,
        "gateway.status",
        "(os.environ.pop('HERMES_GATEWAY_LOCK_DIR', None), os.environ.update(XDG_STATE_HOME='here'))[1]",
        "m.acquire_scoped_lock('echo', 'token')",
    )


@case("L11", plugins=PLUGINS, enable=["p"])
def an_account_is_locked(host):
    kept = (
        "{name: value for name, value in json.loads(next(Path(os.environ['HOME']).rglob('*.lock')).read_text()).items()"
    )
    return evaluate(
        host,
        "gateway.status",
        "(os.environ.pop('XDG_STATE_HOME', None), os.environ.update(HOME=os.environ['HERMES_HOME']))[1]",
        "m.acquire_scoped_lock('echo', 'token', {'a': 1})",
        "[str(one) for one in Path(os.environ['HOME']).rglob('*.lock') if 'gateway-locks' in str(one)]",
        f"{kept} if name in ('kind', 'scope', 'identity_hash', 'metadata')}}",
        "[type(one).__name__ for one in m.acquire_scoped_lock('echo', 'token')]",
        "m.release_scoped_lock('echo', 'token')",
        "list(Path(os.environ['HOME']).rglob('echo-*.lock'))",
        "m.release_scoped_lock('echo', 'other')",
        "m.acquire_scoped_lock('echo', 'token')",
        "(os.environ.update(HERMES_GATEWAY_LOCK_DIR=os.environ['HERMES_HOME'] + '/l'), m.acquire_scoped_lock('e', 't'))[1]",
        "[one.name for one in (Path(os.environ['HERMES_HOME']) / 'l').iterdir()]",
    )


SETUP = """
    import builtins, contextlib, importlib, io
    def register(ctx):
        def ask(line):
            module, lines, call = line.split("|")
            answers = iter(lines.split(","))
            def typed(question=""):
                print(question)
                answer = next(answers)
                if answer == "EOF": raise EOFError
                if answer == "STOP": raise KeyboardInterrupt
                return answer
            before, builtins.input, shown = builtins.input, typed, io.StringIO()
            try:
                with contextlib.redirect_stdout(shown):
                    told = repr(eval(f"m.{call}", {"m": importlib.import_module(module)}))
            except (Exception, SystemExit) as error:
                told = f"{type(error).__name__}: {error}"
            finally:
                builtins.input = before
            return repr([told, shown.getvalue()])
        ctx.register_command("ask", ask)
"""
PRINTED = [f"print_{one}('a')" for one in ("header", "info", "success", "warning", "error")]


@case("L12", one=SETUP, releases=["0.19.0", "0.20.2", "0.21.0", "0.22.2"])
def setup_helpers_prompt_for_input(host):
    asks = [
        *(("", call) for call in PRINTED),
        *((typed, call) for typed in (" x ", "", "EOF", "STOP") for call in ("prompt('Q')", "prompt('Q', 'd')")),
        *((typed, "prompt_yes_no('Q')") for typed in ("YES", "n", "", "EOF", "STOP", "maybe,no")),
        ("EOF", "prompt_yes_no('Q', False)"),
        *((typed, "prompt_choice('Q', ['a', 'b'], 1)") for typed in ("1", "", "3,2", "x,1", "EOF")),
        ("", "prompt_checklist('T', ['a', 'b'], [1])"),
        ("", "is_interactive_stdin()"),
    ]
    return [host.command(f"/ask hermes_cli.setup|{typed}|{call}") for typed, call in asks]


@case("L12", one=SETUP)
def command_helpers_print_and_prompt(host):
    asks = [
        *(("", call) for call in PRINTED),
        *((typed, call) for typed in (" x ", "", "EOF") for call in ("prompt('Q')", "prompt('Q', 'd')")),
    ]
    return [host.command(f"/ask hermes_cli.cli_output|{typed}|{call}") for typed, call in asks]


REDIRECTS = """
    import http.server, threading, urllib.request
    from hermes_cli.urllib_security import open_credentialed_url, url_origin
    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/here":
                self.send_response(302); self.send_header("Location", "/end"); self.end_headers()
            elif self.path == "/there":
                self.send_response(302); self.send_header("Location", f"http://localhost:{self.server.server_port}/end")
                self.end_headers()
            else:
                self.send_response(200); self.end_headers()
                kept = {name: value for name, value in self.headers.items() if name in ("Authorization", "X-key", "Accept")}
                self.wfile.write(repr(sorted(kept.items())).encode())
        def log_message(self, *args): pass
    def register(ctx):
        def look(path):
            with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
                threading.Thread(target=server.serve_forever, daemon=True).start()
                headers = {"Authorization": "secret", "X-Key": "secret", "Accept": "text/plain"}
                request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}{path}", headers=headers)
                try: return open_credentialed_url(request, timeout=5).read().decode()
                finally: server.shutdown()
        ctx.register_command("look", look)
        ctx.register_command("origin", lambda line: repr(url_origin(line)))
"""


@case("L13", one=REDIRECTS, environment=NO_PROXY)
def credentials_are_not_sent_to_another_server(host):
    origins = [host.command(f"/origin {one}") for one in ("https://A.org/x", "http://a:8080", "https://a.org:443")]
    return [*(host.command(f"/look {path}") for path in ("/end", "/here", "/there")), *origins]


@case("L13", plugins=PLUGINS, enable=["p"], config={"approvals": {"mode": False}})
def approval_mode_false_means_off(host):
    return evaluate(host, "tools.approval", "m._get_approval_mode()")


@case("L13", plugins=PLUGINS, enable=["p"])
def the_approval_mode_can_be_read(host):
    return evaluate(host, "tools.approval", "m._get_approval_mode()")


@case("L13", plugins=PLUGINS, enable=["p"])
def scheduled_jobs_of_an_empty_home_are_listed(host):
    calls = ("load_jobs()", "list_jobs()", "list_jobs(True)", "get_job('x')", "remove_job('x')", "pause_job('x')")
    return evaluate(host, "cron.jobs", *(f"m.{call}" for call in calls))


@case("L13", plugins=PLUGINS, enable=["p"])
def the_path_of_the_database_can_be_read(host):
    return evaluate(host, "hermes_state", "str(m.DEFAULT_DB_PATH)")


@case("L13", plugins=PLUGINS, enable=["p"])
def plugins_call_the_auxiliary_model(host):
    host.llm.aux.script("one", "two")
    told = evaluate(
        host,
        "agent.auxiliary_client",
        "m.call_llm(messages=[{'role': 'user', 'content': 'hi'}], temperature=0.2, max_tokens=5).choices[0].message.content",
        "(lambda answer: [answer.model, answer.usage.total_tokens, answer.choices[0].finish_reason])"
        "(m.call_llm(messages=[{'role': 'user', 'content': 'again'}], timeout=9))",
    )
    sent = [
        {key: one.body.get(key) for key in ("messages", "temperature", "max_tokens")} for one in host.llm.aux.requests
    ]
    return [told, json.loads(json.dumps(sent))]


ENGINE = """
    import json
    SEEN = []
    def register(ctx):
        from agent.context_engine import ContextEngine
        class Engine(ContextEngine):
            name = "mine"
            def update_from_response(self, usage): pass
            def should_compress(self, tokens=None): return False
            def compress(self, messages, *args, **kwargs): return messages
        SEEN.append(ctx._manager._context_engine)
        engine = Engine()
        ctx.register_context_engine(engine)
        SEEN.append(ctx._manager._context_engine is engine)
        ctx.register_command("seen", lambda _: json.dumps(SEEN))
"""


@case("L11", one=ENGINE)
def the_plugin_manager_has_the_context_engine(host):
    return json.loads(host.command("/seen"))


def cache_expression(expression):
    """Return an expression with a cache of secrets and an entry for it."""
    kept = "m.CachedFetch({'KEY': 'value', 'ODD': ''}, load('time').time())"
    return f"(lambda cache, kept: {expression})(m.DiskCache('mine.json', key_serializer='-'.join), {kept})"


@case("L11", plugins=PLUGINS, enable=["p"])
def secrets_are_cached_in_a_file(host):
    return evaluate(
        host,
        "agent.secret_sources._cache",
        "m.CachedFetch({'A': 'b'}, 1.5)",
        "[m.CachedFetch({}, load('time').time() - 5).is_fresh(seconds) for seconds in (0, 4, 10)]",
        "m.resolve_cache_home() == Path(os.environ['HERMES_HOME'])",
        "m.resolve_cache_home(Path('elsewhere'))",
        cache_expression(
            "(cache.path(Path('elsewhere')), cache.read('ab', 60), cache.write('ab', kept, 0), cache.path().exists())"
        ),
        cache_expression(
            "(cache.write('ab', kept, 60), cache.read('ab', 60) == kept, cache.read('ac', 60), cache.read('ab', 0),"
            " sorted(json.loads(cache.path().read_text())), oct(cache.path().stat().st_mode),"
            " oct(cache.path().parent.stat().st_mode))"
        ),
        cache_expression(
            "[(cache.path().write_text(text), cache.read('ab', 60))[1] for text in ('', '[]', '{}',"
            " json.dumps({'key': 'a-b', 'secrets': [], 'fetched_at': 1}),"
            " json.dumps({'key': 'a-b', 'secrets': {}, 'fetched_at': 1}))]"
        ),
        cache_expression(
            "(cache.path().write_text(json.dumps({'key': 'a-b', 'secrets': {'A': 1, 'B': 'c'}, 'fetched_at': 9e9})),"
            " cache.read('ab', 60))"
        ),
        cache_expression("(cache.clear(), cache.clear(), cache.path().exists())"),
    )


@case("L11", plugins=PLUGINS, enable=["p"], refused="write a cache of secrets that are not ASCII, or through a link")
def secrets_that_are_not_ascii_are_cached(host):
    return evaluate(
        host,
        "agent.secret_sources._cache",
        cache_expression("cache.write('ab', m.CachedFetch({'A': '\u00e9'}, 1), 60)"),
    )


@case("L11", plugins=PLUGINS, enable=["p"])
def tools_are_not_interrupted(host):
    return evaluate(host, "tools.interrupt", "m.is_interrupted()", "m.clear_current_thread_interrupt()")


@case("L11", plugins=PLUGINS, enable=["p"], refused="call tools.interrupt.set_interrupt")
def a_plugin_interrupts_a_tool(host):
    return evaluate(host, "tools.interrupt", "m.set_interrupt(True)")


VOICE = "type('Voice', (m.StreamingTTSProvider,), {'available': staticmethod(bool), 'stream': lambda self, text: []})"


@case("L11", plugins=PLUGINS, enable=["p"], since="0.20.2")
def a_streaming_speech_provider_can_be_registered(host):
    return evaluate(
        host,
        "tools.tts_streaming",
        "m.StreamingTTSProvider({}, {})",
        f"(lambda voice: [m.register('mine')(voice) is voice, vars(voice({{'a': 1}}, {{'b': 2}})), voice.sample_rate,"
        f" voice.channels, voice.sample_width])({VOICE})",
        "(m.SentenceChunker.__name__, m.resolve_streaming_provider.__name__)",
    )


@case(
    "L11", plugins=PLUGINS, enable=["p"], since="0.20.2", refused="call tools.tts_streaming.resolve_streaming_provider"
)
def a_streaming_speech_provider_is_resolved(host):
    return evaluate(host, "tools.tts_streaming", "m.resolve_streaming_provider({})")


PLACE = (
    "(lambda place: {})(type('Place', (m.TerminalEnvironmentProvider,),"
    " {{'name': 'mine', 'is_available': lambda self: True, 'create_environment': lambda self, **more: None}})())"
)


@case("L11", plugins=PLUGINS, enable=["p"], since="0.20.6")
def a_terminal_environment_can_be_subclassed(host):
    return evaluate(
        host,
        "agent.terminal_env_provider",
        PLACE.format("(place.name, place.is_available(), place.is_remote, place.is_container)"),
        "sorted(m.TerminalEnvironmentProvider.__abstractmethods__)",
    )


@case("L11", plugins=PLUGINS, enable=["p"], since="0.20.6", refused="model TerminalEnvironmentProvider.probe")
def a_terminal_environment_has_defaults(host):
    return evaluate(host, "agent.terminal_env_provider", PLACE.format("place.probe()"))


PLATFORM = """
    def register(ctx):
        from gateway.platform_registry import PlatformEntry, platform_registry
        def look(line):
            entry = platform_registry.get("echo")
            shown = [getattr(entry, name) for name in line.split()]
            entries = [entry is platform_registry.get("echo"), isinstance(entry, PlatformEntry)]
            names = ("echo", "Echo", "nothing")
            return repr([shown, entries, [platform_registry.is_registered(name) for name in names],
                         platform_registry.get("nothing"), entry.check_fn(), type(platform_registry).__name__])
        ctx.register_command("look", look)
        ctx.register_platform("echo", "Other", lambda config: None, lambda: False)
        ctx.register_platform("echo", "Echo", lambda config: None, lambda: True, emoji="!", max_message_length=5)
"""


@case("L11", one=PLATFORM)
def the_platform_of_a_plugin_is_in_the_registry(host):
    return host.command("/look name label source plugin_name required_env install_hint emoji max_message_length")


@case("L11", plugins=PLUGINS, enable=["p"])
def platform_entries_have_defaults(host):
    return evaluate(
        host,
        "gateway.platform_registry",
        "(lambda entry: (entry.source, entry.plugin_name, entry.required_env, entry.emoji, entry.pii_safe))"
        "(m.PlatformEntry('a', 'A', None, None))",
        "m.PlatformEntry('a')",
        "m.PlatformEntry('a', 'A', None, None) == m.PlatformEntry('a', 'A', None, None)",
    )


@case("L11", plugins=PLUGINS, enable=["p"], refused="look up the platform 'telegram', which is Hermes' own")
def the_registry_has_built_in_platforms(host):
    return evaluate(host, "gateway.platform_registry", "m.platform_registry.is_registered('telegram')")


@case("L11", plugins=PLUGINS, enable=["p"])
def a_plugin_describes_its_variables(host):
    return evaluate(
        host,
        "hermes_cli.config",
        "isinstance(m.OPTIONAL_ENV_VARS, dict)",
        "m.OPTIONAL_ENV_VARS.update(MINE_KEY={'description': 'a key'}, MINE_URL={'description': 'an address'})",
        "m.OPTIONAL_ENV_VARS.__setitem__('MINE_ID', {'description': 'an ID'})",
        "(m.OPTIONAL_ENV_VARS['MINE_KEY'], m.OPTIONAL_ENV_VARS.get('MINE_ID'), 'MINE_URL' in m.OPTIONAL_ENV_VARS)",
        "(m.OPTIONAL_ENV_VARS.setdefault('MINE_ID', 5), m.OPTIONAL_ENV_VARS.pop('MINE_ID'))",
    )


@case("L11", plugins=PLUGINS, enable=["p"])
def plugins_can_add_descriptions_of_unknown_variables(host):
    return evaluate(
        host,
        "hermes_cli.config",
        "[one in m.OPTIONAL_ENV_VARS for one in ('OPENROUTER_API_KEY', 'IRC_SERVER', 'MINE_KEY', 5)]",
        "(m.OPTIONAL_ENV_VARS.get('MINE_KEY'), m.OPTIONAL_ENV_VARS.get('MINE_KEY', 5))",
        "(m.OPTIONAL_ENV_VARS.setdefault('MINE_KEY', 5), m.OPTIONAL_ENV_VARS.setdefault('MINE_KEY', 6))",
        "(m.OPTIONAL_ENV_VARS.pop('MINE_KEY'), m.OPTIONAL_ENV_VARS.pop('MINE_KEY', 7))",
        "m.OPTIONAL_ENV_VARS['MINE_KEY']",
        "m.OPTIONAL_ENV_VARS.__delitem__('MINE_KEY')",
        "m.OPTIONAL_ENV_VARS.pop('MINE_KEY')",
    )


@case("L11", plugins=PLUGINS, enable=["p"], since="0.20.2")
def the_defaults_are_those_of_the_configuration(host):
    return evaluate(
        host,
        "hermes_cli.config_defaults",
        "m.OPTIONAL_ENV_VARS is load('hermes_cli.config').OPTIONAL_ENV_VARS",
        "m.DEFAULT_CONFIG is load('hermes_cli.config').DEFAULT_CONFIG",
    )


REQUIRES = plugin(EVALUATOR, name="p", platforms=["linux"], requires_env=["MINE_TOKEN"])


@case("L11", plugins={"p": REQUIRES}, enable=["p"])
def a_required_variable_of_a_plugin_is_not_described(host):
    return evaluate(host, "hermes_cli.config", "'MINE_TOKEN' in m.OPTIONAL_ENV_VARS")


DESCRIBES = plugin(EVALUATOR, name="p", kind="platform", optional_env=["MINE_TOKEN"])


@case("L11", plugins={"p": DESCRIBES}, enable=["p"], refused="look up the description of the variable 'MINE_TOKEN'")
def an_optional_variable_of_a_platform_is_described(host):
    return evaluate(host, "hermes_cli.config", "'MINE_TOKEN' in m.OPTIONAL_ENV_VARS")


@case("L11", plugins=PLUGINS, enable=["p"], refused="look up the description of the variable 'OPENROUTER_API_KEY'")
def a_variable_described_by_hermes_is_looked_up(host):
    return evaluate(host, "hermes_cli.config", "m.OPTIONAL_ENV_VARS['OPENROUTER_API_KEY']")


@case("L11", plugins=PLUGINS, enable=["p"], refused="list the variables that Hermes describes")
def variables_described_by_hermes_are_listed(host):
    return evaluate(host, "hermes_cli.config", "sorted(m.OPTIONAL_ENV_VARS)")


GUARDED = """
    try:
        from agent.redact import mask_secret, redact_sensitive_text
    except ImportError:
        redact_sensitive_text = None
    def register(ctx):
        ctx.register_command("guarded", lambda _: str(callable(redact_sensitive_text)))
"""


@case("L11", one=GUARDED)
def a_guarded_import_of_redaction_succeeds(host):
    return host.command("/guarded")


IMPORTED_ONLY = """
    from agent.runtime_cwd import resolve_agent_cwd
    from gateway.stream_consumer import GatewayStreamConsumer
    reset = GatewayStreamConsumer._reset_segment_state
    def reset_also(self, **keywords):
        reset(self, **keywords)
    GatewayStreamConsumer._reset_segment_state = reset_also
    def register(ctx):
        ctx.register_command("imported", lambda _: str([callable(one) for one in (resolve_agent_cwd, reset)]))
"""


@case("L11", one=IMPORTED_ONLY)
def a_plugin_can_patch_the_stream_consumer(host):
    return host.command("/imported")


@case("L11", plugins=PLUGINS, enable=["p"])
def texts_without_secrets_are_not_masked(host):
    return evaluate(
        host,
        "agent.redact",
        "[m.redact_sensitive_text(one) for one in (None, '', 5, 'Two words.', '{\"numbers\": [1, 2], \"place\": \"Rome\"}')]",
        "m.redact_sensitive_text('/home/ada/notes.md: 12 lines', force=True)",
        "[m.mask_secret(one) for one in (None, '', 'short', 'a-longer-secret')]",
        "m.mask_secret('a-longer-secret', head=6, tail=2, floor=18, placeholder='<hidden>')",
        "m.mask_secret('', empty='(not set)')",
    )


@case("L11", plugins=PLUGINS, enable=["p"], refused="mask secrets that Hermes itself knows")
def secrets_in_a_text_are_masked(host):
    return evaluate(host, "agent.redact", "m.redact_sensitive_text('token=abc')")


PRICES = """
    from agent import usage_pricing as pricing
    def register(ctx):
        costs = []
        def price(model, provider, base_url, usage, **more):
            tokens = pricing.CanonicalUsage(usage["input_tokens"], usage["output_tokens"])
            costs.append(pricing.estimate_usage_cost(model, tokens, provider=provider, base_url=base_url))
            costs.append(pricing.get_pricing_entry(model, provider=provider, base_url=base_url))
            costs.append(pricing.has_known_pricing(model, provider, base_url))
            costs.append(provider)
        ctx.register_hook("post_api_request", price)
        ctx.register_command("costs", lambda _: str(costs))
"""


@case("L11", one=PRICES)
def a_custom_model_has_no_price(host):
    host.llm.script(say("hi"))
    host.chat("hello")
    return host.command("/costs")


@case("L11", plugins=PLUGINS, enable=["p"])
def models_of_unknown_providers_have_no_price(host):
    return evaluate(
        host,
        "agent.usage_pricing",
        *(
            f"[m.estimate_usage_cost('m', m.CanonicalUsage(1, 2), provider={one!r}), m.has_known_pricing('gpt-5', {one!r}),"
            f" m.resolve_billing_route('a/m', {one!r})]"
            for one in ("custom", " Local ")
        ),
        "m.CostResult(None, 'unknown', 'none', 'n/a') == m.estimate_usage_cost('', m.CanonicalUsage(), provider='custom')",
        "m.BillingRoute('a', 'b')",
        "m.CostResult()",
    )


DEFINED = """
    def register(ctx):
        def define(line):
            import json
            from model_tools import get_tool_definitions
            try:
                return json.dumps(get_tool_definitions(**json.loads(line)))
            except Exception as error:
                return str(error)
        def answer(args, **more):
            return "{}"
        fields = {"type": "object", "properties": {"n": {"type": "integer"}, "x": {}}}
        for name in ("tell", "ask"):
            ctx.register_tool(name, "p", {"name": "other", "description": "d", "parameters": fields}, answer)
        ctx.register_tool("hidden", "p", {"name": "hidden", "description": "d"}, answer, lambda: False)
        ctx.register_tool("more", "q", {"name": "more", "description": "d"}, answer)
        ctx.register_command("define", define)
"""
QUIET = '"quiet_mode": true'


@case("L11", one=DEFINED, config={"tools": {"tool_search": {"enabled": "off"}}})
def tools_of_plugin_toolsets_are_defined(host):
    return [
        host.command(f'/define {{"enabled_toolsets": {one}, {more}}}')
        for one in ('["p"]', '["q", "p"]', "[]")
        for more in (QUIET, f'{QUIET}, "skip_tool_search_assembly": true')
    ]


@case("L11", one=DEFINED, refused="define the built-in tools")
def tools_of_all_toolsets_are_defined(host):
    return host.command(f"/define {{{QUIET}}}")


@case("L11", one=DEFINED, refused="define the built-in tools")
def tools_of_a_built_in_toolset_are_defined(host):
    return host.command(f'/define {{"enabled_toolsets": ["todo"], {QUIET}}}')


@case("L11", one=DEFINED, refused="define tools that the model has to search for")
def tools_for_tool_search_are_defined(host):
    return host.command(f'/define {{"enabled_toolsets": ["p"], {QUIET}}}')


@case("L11", one=DEFINED, refused="print which tools are selected")
def defined_tools_are_printed(host):
    return host.command('/define {"enabled_toolsets": ["p"]}')
