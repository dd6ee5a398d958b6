"""Cases of G20, G21, G23 and G24: model providers of plugins, alone and in a turn."""

import json
import re

from conformance.case import case, plugin

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.interface import HostExited
from hermes_sdk.llm import call, fail, say

MINE = """
    from providers import register_provider
    from providers.base import ProviderProfile
    register_provider(ProviderProfile(name="mine", aliases=("my",), base_url="https://api.mine.com/v1"))
"""


def providers(**bodies):
    """Return plugins under ``model-providers``."""
    return {f"model-providers/{name}": plugin(body, name=name, kind="model-provider") for name, body in bodies.items()}


@case("G20", plugins=providers(mine=MINE, _hidden="1/0\n"))
def a_model_provider_loads_without_being_enabled(host):
    return {key: host.report(key)["model_providers"] for key in host.plugins}


@case("G20", plugins={"mine": plugin(MINE, name="mine", kind="model-provider")}, enable=["mine"])
def a_model_provider_in_another_directory_is_not_imported(host):
    return host.report("mine")["model_providers"]


@case("G20", plugins=providers(broken="raise ValueError('no')\n", mine=MINE))
def a_failing_model_provider_does_not_affect_others(host):
    return [one.message for one in host.log if one.logger == "providers"]


@case("G21", plugins=providers(ends="raise SystemExit(3)\n"), ends=HostExited)
def a_model_provider_that_exits_ends_the_host(host):
    return None


SPEAKING = """
import json, os
from providers import register_provider
from providers.base import ProviderProfile

def note(name, *args, **kwargs):
    with open(os.environ["HERMES_HOME"] + "/noted", "a") as file:
        file.write(json.dumps([name, args, kwargs]) + "\\n")

class Mine(ProviderProfile):
    def prepare_messages(self, messages):
        note("prepare_messages", [sorted(one) for one in messages])
        return [{**one, "mark": 1} for one in messages]
    def build_extra_body(self, **context):
        note("build_extra_body", **context)
        return {"from_body": True, "both": "body"}
    def build_api_kwargs_extras(self, **context):
        note("build_api_kwargs_extras", **context)
        return {"from_extras": 1, "both": "extras"}, {"reasoning_effort": "low"}
    def get_max_tokens(self, model):
        note("get_max_tokens", model)
        return 77

register_provider(Mine(name="mine", aliases=("my",), env_vars=("MINE_KEY",), base_url="http://127.0.0.1:9/v1", default_max_tokens=55))
"""


def run_turn(host):
    """Run a turn with a tool, and return its result, the requests and the calls of hooks."""
    host.llm.script(call("echo", text="x"), say("one"))
    turn = host.chat("hello")
    bodies = [_portable(request.body) for request in host.llm.requests]
    noted = host.home / "noted"
    lines = noted.read_text().splitlines() if noted.exists() else []
    seen = [[one.name, *map(one.arguments.get, ("error", "retryable", "retry_count", "reason"))] for one in turn.hooks]
    return [turn.reply, turn.error, bodies, [_portable(json.loads(line)) for line in lines], seen]


def _portable(value):
    text = re.sub(r"http://127\.0\.0\.1:\d+/v1", "<served>", json.dumps(value))
    text = re.sub(r"\d{8}_\d{6}_[0-9a-f]{6}", "<session>", text)
    return json.loads(text, object_hook=_without_texts)


def _without_texts(mapping):
    return {**mapping, "content": "<system>"} if mapping.get("role") == "system" else mapping


ECHOING = """
def register(ctx):
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    ctx.register_tool("echo", "echo", {"name": "echo", "description": "d", "parameters": parameters}, lambda args, **kw: "{}")
    ctx.register_hook("api_request_error", lambda **kw: None)
"""


KEY = {"MINE_KEY": "key-1"}


def provider_case(old="", new="", statement="G23", chosen="mine", environment=KEY, **options):
    """Register a case of a selected provider with one change in its source."""
    assert old in SPEAKING
    body = SPEAKING.replace(old, new) if old else SPEAKING
    return case(
        statement,
        plugins={**providers(mine=body), "echo": plugin(ECHOING, name="echo")},
        enable=["echo"],
        config={"model": {"provider": chosen}},
        environment=environment,
        **options,
    )


@provider_case()
def hooks_of_a_model_provider_run_in_a_turn(host):
    return run_turn(host)


@provider_case('name="mine",', 'name="mine", fixed_temperature=0.5,')
def a_model_provider_sets_a_fixed_temperature(host):
    return run_turn(host)


@provider_case('{"reasoning_effort": "low"}', '{"effort": "low"}')
def a_model_provider_passes_unknown_client_arguments(host):
    return run_turn(host)


@provider_case('return {"from_extras": 1, "both": "extras"}, ', "return ")
def a_model_provider_returns_extras_that_are_not_a_pair(host):
    return run_turn(host)


@provider_case('note("prepare_messages", ', "raise ValueError('no'); note(\"prepare_messages\", ")
def a_model_provider_raises_in_prepare_messages(host):
    return run_turn(host)


@provider_case("def build_extra_body(self, **context):", "def build_extra_body(self, *, session_id=None, context={}):")
def a_model_provider_hook_lacks_parameters(host):
    return run_turn(host)


@provider_case('return {"from_body": True, "both": "body"}', 'return {"from_body": {1}}')
def a_model_provider_adds_values_that_are_not_serialisable(host):
    return run_turn(host)


def describe_refusal(host):
    """Return the result of a turn, or the error of one that cannot start."""
    try:
        return run_turn(host)
    except HermesSdkError as error:
        # The embedded host has no module for the class of these exceptions.
        return [
            re.sub(r"\b[a-z]\w*\.[a-z_.]+(?=\w*Error\b)", "", error.message.splitlines()[0]),
            len(host.llm.requests),
        ]


METHOD = "def classify_api_error(self, error, **more):\n        raise error\n    def get_max_tokens(self, model):"


def reply_to_failure(host):
    """Return the reply to a turn with a failed request."""
    host.llm.script(fail(403, "Out of budget."))
    return host.chat("hello").reply


@provider_case("def get_max_tokens(self, model):", METHOD)
def a_method_of_a_model_provider_does_not_classify_errors(host):
    return reply_to_failure(host)


@provider_case(
    'name="mine",',
    'name="mine", classify_api_error=lambda error, **more: {"reason": "billing"},',
    since="0.21.4",
    refused="ask a model provider for the cause of an error",
)
def a_model_provider_classifies_errors(host):
    return reply_to_failure(host)


@provider_case(statement="G24", environment={})
def a_turn_without_the_key_of_its_provider_fails(host):
    return describe_refusal(host)


@provider_case(
    '("MINE_KEY",)',
    '("MINE_BASE_URL", "MINE_KEY", "MINE_TOKEN")',
    statement="G24",
    environment={"MINE_BASE_URL": "http://127.0.0.1:9/v1"},
)
def a_turn_without_any_key_of_its_provider_fails(host):
    return describe_refusal(host)


@provider_case('env_vars=("MINE_KEY",), ', "", statement="G24")
def a_provider_without_variables_cannot_be_selected(host):
    return describe_refusal(host)


@provider_case('name="mine",', 'name="mine", auth_type="none",', statement="G24")
def a_provider_without_keys_cannot_be_selected(host):
    return describe_refusal(host)


@provider_case(statement="G24", chosen=" Mine ")
def the_name_of_a_provider_is_normalised(host):
    return describe_refusal(host)


@provider_case(statement="G24", chosen="my")
def the_configured_address_does_not_apply_to_an_alias(host):
    return describe_refusal(host)


@provider_case(
    '("MINE_KEY",)',
    '("MINE_KEY", "MINE_URL")',
    statement="G24",
    environment={"MINE_KEY": "key-1", "MINE_URL": "http://127.0.0.1:9/mine/"},
)
def a_provider_variable_takes_precedence_over_the_configured_address(host):
    return describe_refusal(host)


@provider_case(statement="G24", environment={"MINE_KEY": "k-1"})
def a_short_key_is_checked(host):
    return describe_refusal(host)


@provider_case(statement="G24", environment={"MINE_KEY": "sk-xxxxxx"})
def a_placeholder_key_is_checked(host):
    return describe_refusal(host)


NOTES = """
import os
from providers import register_provider
from providers.base import ProviderProfile
def note(what):
    with open(os.environ["HERMES_HOME"] + "/noted", "a") as file:
        file.write(what + "\\n")
def add(name):
    register_provider(ProviderProfile(name=name, base_url=f"https://{name}.example/v1"))
"""
PACKAGE = {
    "site/notes_of_eps.py": NOTES,
    "site/ep_module.py": "from notes_of_eps import add, note\nnote('import module')\nadd('module')\n# register_provider ProviderProfile\n",
    "site/ep_start.py": "from notes_of_eps import add, note\n# register_provider ProviderProfile\ndef start():\n    note('start')\n    add('start')\n",
    "site/ep_broken.py": "# register_provider ProviderProfile\nraise ValueError('no')\n",
    "site/ep_failing.py": "# register_provider ProviderProfile\ndef start():\n    raise ValueError('no')\n",
    "site/ep_context.py": "from notes_of_eps import add, note\ndef register(ctx=None):\n    note(f'register {ctx is None}')\n    add('context')\n",
    "site/ep_plain.py": "from notes_of_eps import add, note\nnote('import plain')\ndef register(ctx):\n    note('register plain')\n    add('plain')\n",
    "site/eps-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: eps\nVersion: 1.0\n",
    "site/eps-1.0.dist-info/entry_points.txt": "[hermes_agent.plugins]\nmodule = ep_module\nstart = ep_start:start\n"
    "broken = ep_broken\nfailing = ep_failing:start\ncontext = ep_context:register\nplain = ep_plain\noff = ep_module:off\n",
}


@case("G20", files=PACKAGE, enable=["module", "start", "broken", "failing", "context", "plain"])
def model_providers_load_from_entry_points(host):
    noted = host.home / "noted"
    return [
        noted.read_text().splitlines() if noted.exists() else [],
        {key: host.report(key)["model_providers"] for key in host.plugins},
        [one.message for one in host.log if one.logger == "providers"],
    ]


@provider_case(
    "default_max_tokens=55",
    "default_max_tokens=55, supports_prompt_cache_key=True",
    since="0.20.2",
    refused="name the part of a prompt that a provider keeps",
)
def a_model_provider_caches_parts_of_prompts(host):
    return run_turn(host)
