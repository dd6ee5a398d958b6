"""Cases of section E: ``ctx.llm``."""

from conformance.case import case, plugin
from conformance.gateway_cases import list_events

from hermes_sdk.llm import call, fail, say

ASKS = """
    import asyncio, json
    def register(ctx):
        def ask(line):
            try:
                return repr(eval(line, {"asyncio": asyncio, "ctx": ctx, "llm": ctx.llm, "later": later}))
            except Exception as error:
                bases = [base.__name__ for base in type(error).__mro__[1:-2]]
                return f"{type(error).__module__}.{type(error).__name__} {bases}: {error}"
        def later(coroutine): return asyncio.run(coroutine)
        ctx.register_command("ask", ask)
"""
PLUGINS = {"p": plugin(ASKS, name="p")}
HELLO = "[{'role': 'user', 'content': 'hello'}]"
TEXT = "[{'type': 'text', 'text': 'the sky is blue'}]"
EVERYTHING = {f"allow_{what}_override": True for what in ("provider", "model", "agent_id", "profile")}


def trusting(**settings):
    """Return a configuration with the consent for plugin ``p``."""
    return {"plugins": {"entries": {"p": {"llm": settings}}}}


def ask_model(host, *lines):
    """Return the value of each line."""
    return [host.command(f"/ask {line}") for line in lines]


def bodies(host):
    """Return the requests to the model."""
    return [request.body for request in host.llm.aux.requests]


def read_log(host):
    return [f"{one.level} {one.message}" for one in host.log if one.logger == "agent.plugin_llm"]


@case("E1", plugins={"cat/lp": plugin(ASKS, name="lp")}, enable=["cat/lp"])
def the_id_of_a_plugin_is_its_key(host):
    host.llm.aux.script("one")
    return ask_model(host, "ctx.llm is ctx.llm", f"llm.complete({HELLO}).audit", f"llm.complete({HELLO}, model='m')")


@case("E2", plugins=PLUGINS, enable=["p"])
def ctx_llm_has_four_methods(host):
    host.llm.aux.script("unused")
    signature = "[(p.name, p.kind.name, p.default) for p in __import__('inspect').signature({}).parameters.values()]"
    methods = ("complete", "complete_structured", "acomplete", "acomplete_structured")
    return ask_model(
        host,
        "[name for name in dir(llm) if not name.startswith('_')]",
        *(signature.format(f"llm.{name}") for name in methods),
        *(f"asyncio.iscoroutinefunction(llm.{name})" for name in methods),
        "llm.complete()",
        f"llm.complete({HELLO}, 'custom')",
        f"llm.complete({HELLO}, temprature=1)",
        f"llm.complete_structured('do', {TEXT})",
        "llm.complete_structured(instructions='do')",
        f"(type(llm).__module__, type(llm).__name__, type(llm.complete({HELLO})).__module__)",
    )


OVERRIDES = (
    f"llm.complete({HELLO}, provider='custom')",
    f"llm.complete({HELLO}, model='other')",
    f"llm.complete({HELLO}, agent_id='helper')",
    f"llm.complete({HELLO}, profile='work')",
    f"llm.complete({HELLO}, profile='work', model='other', agent_id='helper')",
    f"later(llm.acomplete({HELLO}, model='other'))",
    f"llm.complete_structured(instructions='do', input={TEXT}, provider='custom', model='other')",
    f"llm.complete({HELLO}, provider='', model='', agent_id='', profile='')",
    f"llm.complete({HELLO}, provider=5)",
)


@case("E3", plugins=PLUGINS, enable=["p"])
def overrides_need_consent(host):
    host.llm.aux.script("one")
    return [ask_model(host, *OVERRIDES), bodies(host)]


@case("E3", plugins=PLUGINS, enable=["p"], config=trusting(**EVERYTHING))
def overrides_are_allowed_with_consent(host):
    host.llm.aux.script(*"12345678")
    return [ask_model(host, *OVERRIDES), bodies(host)]


@case("E3", plugins=PLUGINS, enable=["p"])
def consent_counts_from_the_next_call_on(host):
    from hermes_sdk.home import Home

    host.llm.aux.script("one")
    before = ask_model(host, f"llm.complete({HELLO}, model='other')")
    Home(host.home).update_config(trusting(allow_model_override=True))
    return [before, ask_model(host, f"llm.complete({HELLO}, model='other')"), bodies(host)]


@case(
    "E4",
    plugins=PLUGINS,
    enable=["p"],
    config=trusting(
        allow_provider_override="false", allow_model_override=1, allowed_providers="openrouter", allowed_models=[]
    ),
)
def flags_are_true_when_they_are_not_empty_and_lists_count_when_they_are_lists(host):
    host.llm.aux.script("one")
    return [ask_model(host, f"llm.complete({HELLO}, provider='custom')", f"llm.complete({HELLO}, model='other')")]


@case(
    "E4",
    plugins=PLUGINS,
    enable=["p"],
    config=trusting(
        allow_provider_override=True,
        allow_model_override=True,
        allowed_providers=["x", " Custom "],
        allowed_models=[5, "Other/Model"],
    ),
)
def lists_are_compared_without_case_and_space(host):
    host.llm.aux.script("one", "two", "three")
    names = ("other/model", " OTHER/MODEL ", "model", "5")
    return [
        ask_model(
            host,
            *(f"llm.complete({HELLO}, model={name!r})" for name in names),
            f"llm.complete({HELLO}, provider='CUSTOM')",
            f"llm.complete({HELLO}, provider='openrouter')",
        ),
        bodies(host),
    ]


@case(
    "E4",
    plugins=PLUGINS,
    enable=["p"],
    config=trusting(allow_model_override=True, allowed_models=["a", "*"], allowed_providers=["*"]),
)
def a_star_allows_all_models_and_a_list_needs_its_flag(host):
    host.llm.aux.script("one")
    return ask_model(host, f"llm.complete({HELLO}, model='b')", f"llm.complete({HELLO}, provider='custom')")


@case("E4", plugins=PLUGINS, enable=["p"], config={"plugins": {"entries": {"p": {"llm": "all"}}}})
def consent_of_another_shape_grants_nothing(host):
    host.llm.aux.script("unused")
    return ask_model(host, f"llm.complete({HELLO}, model='b')")


@case("E5", plugins=PLUGINS, enable=["p"], config=trusting(**EVERYTHING))
def an_agent_is_echoed_and_a_profile_is_sent_along(host):
    host.llm.aux.script("one", "two")
    request = f"instructions='do', input={TEXT}, json_mode=True, profile=' work ', agent_id=' helper '"
    return [
        ask_model(host, f"llm.complete({HELLO}, agent_id='a')", f"llm.complete_structured({request})"),
        bodies(host),
    ]


@case("E6", plugins=PLUGINS, enable=["p"])
def max_tokens_is_not_sent_since_0_16(host):
    host.llm.aux.script("one")
    ask_model(host, f"llm.complete({HELLO}, max_tokens=50, temperature=0.1, timeout=5, purpose='x')")
    return bodies(host)


@case("E6", plugins=PLUGINS, enable=["p"])
def a_lasting_error_is_raised(host):
    statuses = (400, 403, 404, 422)
    host.llm.aux.script(*(fail(status, "broken") for status in statuses))
    return [ask_model(host, *[f"llm.complete({HELLO})"] * len(statuses)), len(bodies(host))]


@case("E6", plugins=PLUGINS, enable=["p"])
def a_transient_error_is_retried(host):
    host.llm.aux.script(*(fail(500, f"broken {number}") for number in range(6)))
    return [ask_model(host, f"llm.complete({HELLO})"), len(bodies(host))]


@case("E6", plugins=PLUGINS, enable=["p"], config={"auxiliary": {"transient_retries": 1}})
def the_number_of_attempts_can_be_configured(host):
    host.llm.aux.script(*(fail(503, f"broken {number}") for number in range(6)))
    return [ask_model(host, f"llm.complete({HELLO})"), len(bodies(host))]


@case("E6", plugins=PLUGINS, enable=["p"])
def an_error_of_one_provider_makes_the_host_try_another(host):
    found = []
    for status in (402, 401):
        host.llm.aux.script(fail(status, "no"), say("of the other"))
        found += ask_model(host, f"llm.complete({HELLO})")
    return [found, len(bodies(host))]


@case("E6", plugins=PLUGINS, enable=["p"])
def a_refused_key_of_the_second_provider_leaves_the_first_error(host):
    host.llm.aux.script(fail(401, "first"), fail(401, "second"))
    return [ask_model(host, f"llm.complete({HELLO})"), len(bodies(host))]


@case("E6", plugins=PLUGINS, enable=["p"])
def the_last_error_of_two_providers_is_raised(host):
    host.llm.aux.script(fail(402, "first"), fail(402, "second"))
    return [ask_model(host, f"llm.complete({HELLO})"), len(bodies(host))]


@case("E6", plugins=PLUGINS, enable=["p"], config=trusting(**EVERYTHING))
def the_model_of_the_first_call_lasts(host):
    host.llm.aux.script(*"123456789")
    chosen = ("model='a'", "", "provider='openrouter', model='b'", "provider='CUSTOM', model='c'", "provider='custom'")
    ask_model(host, *(f"llm.complete({HELLO}, {one})" for one in (*chosen, "provider='CUSTOM'", "model='x/y'")))
    ask_model(host, f"later(llm.acomplete({HELLO}, model='q'))", f"later(llm.acomplete({HELLO}))")
    return [body["model"] for body in bodies(host)]


@case("E6", plugins=PLUGINS, enable=["p"], config=trusting(**EVERYTHING), releases=("0.20.2", "0.22.2"))
def models_of_vendors_are_asked_for_at_vendors(host):
    host.llm.aux.script(*"12345")
    ask_model(host, *(f"llm.complete({HELLO}, provider='custom', model={one!r})" for one in ("x/y", "x/y", "z")))
    ask_model(host, *(f"later(llm.acomplete({HELLO}, model={one!r}))" for one in ("x/y", "z")))
    return [body["model"] for body in bodies(host)]


@case("E6", plugins=PLUGINS, enable=["p"], config=trusting(**EVERYTHING))
def a_provider_without_a_key_is_refused_or_left(host):
    host.llm.aux.script("one", "two", "three")
    providers = ("nonsense", "Anthropic", "openrouter", "auto", " CUSTOM ")
    return [
        ask_model(host, *(f"llm.complete({HELLO}, provider={name!r}, model='m')" for name in providers)),
        bodies(host),
    ]


@case("E7", plugins=PLUGINS, enable=["p"], config=trusting(**EVERYTHING))
def without_a_provider_every_call_fails(host):
    return ask_model(
        host,
        f"llm.complete({HELLO})",
        f"later(llm.acomplete({HELLO}))",
        f"llm.complete_structured(instructions='do', input={TEXT})",
        f"llm.complete({HELLO}, provider='openrouter')",
    )


SCHEMA = "{'type': 'object', 'properties': {'colour': {'type': 'string'}}, 'description': 'ä'}"


@case("E8", plugins=PLUGINS, enable=["p"])
def a_structured_request_is_sent_with_its_schema(host):
    host.llm.aux.script(*["{}"] * 5)
    head = f"llm.complete_structured(instructions=' do ', input={TEXT}"
    ask_model(
        host,
        f"{head}, json_schema={SCHEMA}, schema_name='colours', system_prompt=' be kind ')",
        f"{head}, json_mode=True)",
        f"{head}, system_prompt='be kind', temperature=0)",
        f"{head}, schema_name='colours')",
        f"{head}, json_schema={{}})",
    )
    return bodies(host)


@case("E9", plugins=PLUGINS, enable=["p"])
def blocks_of_a_structured_request_are_converted(host):
    host.llm.aux.script(*["{}"] * 6)
    blocks = (
        "{'type': 'image', 'data': b'abc'}",
        "{'type': 'image', 'data': bytearray(b'abc'), 'mime_type': 'image/gif', 'file_name': 'a.gif'}",
        "{'type': 'image', 'url': 'http://host/a.png'}",
        "{'type': 'image', 'url': 'http://host/a.png', 'data': b'abc'}",
        "{'type': 'image', 'data': None}",
        "{'type': 'image'}",
        "{'type': 'image', 'data': 'abc'}",
        "{'type': 'text'}",
        "{'type': 'text', 'text': 5}",
        "{'type': 'sound'}",
        "{}",
        "'text'",
        "__import__('agent.plugin_llm').plugin_llm.PluginLlmTextInput('typed')",
    )
    return [
        ask_model(host, *(f"llm.complete_structured(instructions='do', input=[{block}])" for block in blocks)),
        bodies(host),
    ]


@case("E9", plugins=PLUGINS, enable=["p"])
def a_structured_request_needs_instructions_and_input(host):
    host.llm.aux.script("unused")
    return ask_model(
        host,
        "llm.complete_structured(instructions='', input=[])",
        "llm.complete_structured(instructions=' ', input=[])",
        "llm.complete_structured(instructions='do', input=[])",
        "later(llm.acomplete_structured(instructions='', input=[]))",
        "later(llm.acomplete_structured(instructions='do', input=()))",
    )


@case("E9", plugins=PLUGINS, enable=["p"])
def messages_are_not_validated(host):
    host.llm.aux.script("one", "two")
    return [ask_model(host, "llm.complete([])", "llm.complete([{'role': 'nobody', 'x': [1]}])"), bodies(host)]


@case("E9", plugins=PLUGINS, enable=["p"])
def blocks_can_be_objects(host):
    host.llm.aux.script("{}")
    module = "__import__('agent.plugin_llm').plugin_llm"
    blocks = f"[{module}.PluginLlmTextInput('typed'), {module}.PluginLlmImageInput(data=b'abc', mime_type='image/gif')]"
    return [
        ask_model(host, f"llm.complete_structured(instructions='do', input={blocks})", blocks),
        ask_model(host, f"llm.complete_structured(instructions='do', input=[{module}.PluginLlmImageInput(data='no')])"),
        bodies(host),
    ]


@case("E10", plugins=PLUGINS, enable=["p"])
def json_is_extracted_from_an_answer(host):
    answers = (
        '{"a": 1}',
        "[1]",
        'first ```json\n{"a": 2}\n``` then ```{"a": 3}```',
        "```JSON 5 ```",
        "no json",
        "",
        "```\nno json\n```",
        "null",
    )
    host.llm.aux.script(*answers, '{"a": 1}')
    request = f"llm.complete_structured(instructions='do', input={TEXT}"
    wanted = [f"(lambda r: (r.text, r.parsed, r.content_type))({request}, json_mode=True))"] * len(answers)
    return ask_model(host, *wanted, f"{request}).parsed")


@case("E11", plugins=PLUGINS, enable=["p"])
def a_schema_is_not_enforced_without_jsonschema(host):
    host.llm.aux.script("[5]")
    return ask_model(host, f"llm.complete_structured(instructions='do', input={TEXT}, json_schema={SCHEMA})")


VALIDATOR = """\
class ValidationError(Exception):
    message = "5 is not of type 'string'"
class SchemaError(Exception): pass
def validate(value, schema):
    if "type" in schema and schema["type"] == "nonsense": raise SchemaError("no")
    if not isinstance(value, str): raise ValidationError()
"""


@case("E11", plugins=PLUGINS, enable=["p"], files={"site/jsonschema.py": VALIDATOR})
def a_schema_is_enforced_with_jsonschema(host):
    host.llm.aux.script("5", '"five"', "five", "5")
    request = f"llm.complete_structured(instructions='do', input={TEXT}, json_schema={{'type': 'string'}}"
    found = ask_model(host, *[f"{request})"] * 3)
    escaped = ask_model(
        host, f"llm.complete_structured(instructions='do', input={TEXT}, json_schema={{'type': 'nonsense'}})"
    )
    return [found, [text.partition(" ")[0].rpartition(".")[2] for text in escaped]]


@case("E12", plugins=PLUGINS, enable=["p"])
def answers_report_their_text_and_usage(host):
    host.llm.aux.script(
        say("one", usage={"prompt_tokens": 7, "completion_tokens": 3, "cache_read_input_tokens": 2}, reasoning="why"),
        say("two", usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 9}),
        call("tool", a=1),
    )
    return ask_model(host, f"llm.complete({HELLO}, purpose='test')", *[f"llm.complete({HELLO})"] * 2)


@case("E12", plugins=PLUGINS, enable=["p"])
def usage_details_of_an_answer_are_reported(host):
    counts = {"prompt_tokens": 70, "completion_tokens": 30, "prompt_tokens_details.cached_tokens": 50}
    host.llm.aux.script(say("one", usage=counts), say("two", usage={**counts, "cached_tokens": 4}))
    return ask_model(host, *[f"llm.complete({HELLO})"] * 2)


@case("E12", plugins=PLUGINS, enable=["p"])
def results_are_two_dataclasses(host):
    host.llm.aux.script("{}", "{}")
    plain, structured = f"llm.complete({HELLO})", f"llm.complete_structured(instructions='do', input={TEXT})"
    fields = "[field.name for field in __import__('dataclasses').fields({})]"
    return ask_model(host, fields.format(plain), f"[base.__name__ for base in type({structured}).__mro__]")


@case("E13", plugins=PLUGINS, enable=["p"])
def only_sync_calls_are_logged(host):
    host.llm.aux.script("1", "2", "3", "4", "5")
    request = f"(instructions='do', input={TEXT}, json_mode=True, purpose='b')"
    ask_model(
        host,
        f"llm.complete({HELLO}, purpose='a')",
        f"llm.complete({HELLO})",
        f"llm.complete_structured{request}",
        f"later(llm.acomplete({HELLO}))",
        f"later(llm.acomplete_structured{request})",
        f"llm.complete({HELLO}, model='refused')",
    )
    return read_log(host)


@case(
    "E14",
    one="""
        import asyncio
        def register(ctx):
            async def inside(): return ctx.llm.complete([]).text + (await ctx.llm.acomplete([])).text
            ctx.register_command("ask", lambda line: asyncio.run(inside()))
    """,
)
def a_sync_call_works_inside_a_running_loop(host):
    host.llm.aux.script("one", "two")
    return host.command("/ask")


TASKS = """
        def task(key, **defaults):
            ctx.register_auxiliary_task(key=key, display_name="T", description="A task", defaults=defaults)
        task("own", model="of-defaults")
        task("chosen", extra_body={"one": 1, "two": 2})
        task("plain")
"""
WITH_TASKS = {
    "cat/p": plugin(ASKS + TASKS, name="p"),
    "other": plugin(
        "def register(ctx): ctx.register_auxiliary_task(key='others', display_name='o', description='d')", name="other"
    ),
}


def configured_tasks(**settings):
    """Return a configuration with models for tasks, and the consent for plugin ``cat/p``."""
    tasks = {"chosen": {"model": "of-user", "provider": "custom", "extra_body": {"two": 3}}, "plain": {"model": "AUTO"}}
    return {"auxiliary": tasks, "plugins": {"entries": {"cat/p": {"llm": settings}}}}


N89 = {"plugins": WITH_TASKS, "enable": ["cat/p", "other"], "releases": ["0.20.2", "0.22.2"]}


@case("N89", config=configured_tasks(allow_model_override=True, allow_task_override=1), **N89)
def a_plugin_asks_the_models_of_auxiliary_tasks(host):
    host.llm.aux.script(*map(str, range(12)))
    structured = f"instructions='do', input={TEXT}, schema_name='s'"
    lines = [
        *(f"llm.complete({HELLO}, task={task!r})" for task in (None, "", " AUTO ", " own ", "chosen", "plain")),
        f"llm.complete({HELLO}, task='own', model='given')",
        f"llm.complete_structured({structured}, task='own')",
        f"later(llm.acomplete({HELLO}, task='chosen', purpose='why'))",
        f"later(llm.acomplete_structured({structured}, task='plain'))",
        f"llm.complete({HELLO}, task='compression')",
    ]
    return ask_model(host, *lines), bodies(host), read_log(host)


@case("N89", config=configured_tasks(), **N89)
def a_plugin_needs_a_grant_for_tasks_of_others(host):
    host.llm.aux.script("unused")
    tasks = ("others", "nobodys", "compression", "Own", "vision")
    structured = f"llm.complete_structured(instructions='do', input={TEXT}, task='compression', model='m')"
    empty = "llm.complete_structured(instructions=' ', input=[], task='compression')"
    return ask_model(host, *(f"llm.complete({HELLO}, task={task!r})" for task in tasks), structured, empty), read_log(
        host
    )


OBSERVER = (
    ASKS
    + """
        ctx.register_tool("ask", "set", {"name": "ask", "description": "Ask.", "parameters": {"type": "object", "properties": {}}},
                          lambda args, **kw: repr(ctx.llm.complete([{"role": "user", "content": "inner"}]).text))
        for name in ("pre_auxiliary_call", "post_auxiliary_call"):
            ctx.register_hook(name, lambda **kw: None)
"""
)


@case("N55", plugins={"p": plugin(OBSERVER, name="p")}, enable=["p"], releases=("0.20.2", "0.22.2"), record=True)
def plugins_observe_auxiliary_requests(host):
    host.llm.aux.script("one", fail(503, "broken"), "two", fail(400, "no"), "{}")
    system = "[{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'hello'}]"
    ask_model(host, f"llm.complete({system}, temperature=0.5, max_tokens=7)", f"llm.complete({HELLO})")
    ask_model(
        host,
        f"later(llm.acomplete({HELLO}))",
        f"llm.complete_structured(instructions='do', input={TEXT}, json_mode=True)",
    )
    return list_events(host)


@case("N55", plugins={"p": plugin(OBSERVER, name="p")}, enable=["p"], releases=("0.22.2",), record=True)
def plugins_observe_the_turn_of_an_auxiliary_request(host):
    host.llm.script(call("ask"), say("done"))
    host.llm.aux.script("one")
    host.chat("hello")
    return list_events(host)
