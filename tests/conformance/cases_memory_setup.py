"""Cases of section G: prompts of ``hermes memory setup``, and where the answers are stored."""

import json

import yaml
from conformance.case import case, plugin

from hermes_sdk.errors import UsageError

PROVIDER = """
import json, os
from pathlib import Path
from agent.memory_provider import MemoryProvider

class Memo(MemoryProvider):
    name = "memo"
    def is_available(self): return bool(os.environ.get("MEMO_KEY"))
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
    def handle_tool_call(self, tool_name, args, **kwargs): return "{}"
    def get_config_schema(self): return FIELDS
    def save_config(self, values, hermes_home):
        Path(hermes_home, "memo.json").write_text(json.dumps(values))
    def prefetch(self, query, *, session_id=""): return os.environ.get("MEMO_KEY", "")

FIELDS = [
    {"key": "mode", "description": "Where it runs", "choices": ["cloud", "local"], "default": "local"},
    {"key": "url", "default_from": {"field": "mode", "map": {"cloud": "https://memo.example"}}, "env_var": "MEMO_URL"},
    {"key": "api_key", "description": "Key", "secret": True, "required": True, "env_var": "MEMO_KEY", "url": "https://memo.example/keys"},
    {"key": "pin", "secret": True},
    {"key": "path", "description": "Path", "when": {"mode": "local"}, "default": 7},
    {"key": "tag"},
]
"""


def _provider(body=PROVIDER, old="", new=""):
    assert old in body
    return {"memo": plugin(body.replace(old, new) if old else body)}


def run_setup(host, values=None, **options):
    """Run a setup, and return its output and the files of the home."""
    try:
        done = host.memory.setup(values, **options)
    except UsageError as error:
        return [error.message, *_read_files(host)]
    return [done.exit_code, done.stdout, done.stderr.splitlines()[-1:], *_read_files(host)]


def _read_files(host):
    home = host.home
    saved = [home / "memo.json", home / ".env", home / "config.yaml"]
    values, variables, config = (file.read_text() if file.exists() else None for file in saved)
    mode = oct((home / ".env").stat().st_mode & 0o777) if variables is not None else None
    return [values and json.loads(values), variables, mode, (yaml.safe_load(config or "") or {}).get("memory")]


ALL = {"mode": "cloud", "url": "https://own", "api_key": "k-12345", "pin": "1", "tag": "x = #y"}


@case(
    "G22",
    plugins=_provider(),
)
def memory_setup_prompts_for_the_fields_of_a_provider(host):
    return run_setup(host, ALL)


@case("G22", plugins=_provider())
def memory_setup_uses_defaults_without_answers(host):
    return [run_setup(host), run_setup(host, {"mode": "cloud"})]


@case(
    "G22",
    plugins=_provider(),
    files={".env": "# mine\nOTHER='1'\nMEMO_KEY=old\n MEMO_URL = a\nMEMO_URL=b"},
    config={"memory": {"memo": {"tag": "kept", "url": "https://before"}, "memory_enabled": False}},
)
def memory_setup_runs_over_existing_settings(host):
    return [run_setup(host, {"tag": "new"}), run_setup(host, {"api_key": "longer-one", "url": "c"}), run_setup(host)]


@case("G22", plugins=_provider(old="Path(hermes_home", new="raise OSError('full'); Path(hermes_home"))
def memory_setup_reports_a_provider_that_cannot_save(host):
    return run_setup(host, ALL)


@case("G22", plugins=_provider(old='"key": "tag"', new='"name": "tag"'))
def memory_setup_handles_a_field_without_a_key(host):
    return run_setup(host)


@case("G22", plugins=_provider(old="return FIELDS", new="return 1 / 0"))
def memory_setup_handles_a_provider_that_raises_for_its_fields(host):
    return run_setup(host)


@case("G22", plugins=_provider(old="return FIELDS", new="return []"))
def memory_setup_handles_a_provider_without_fields(host):
    return [run_setup(host), run_setup(host, {"a": "b"})]


@case("G22", plugins=_provider(old="return FIELDS", new="raise SystemExit(4)"))
def a_memory_provider_exits_in_the_setup(host):
    return run_setup(host)


ALONE = """    def post_setup(self, hermes_home, config):
        print("own", os.path.basename(hermes_home) == os.path.basename(os.environ["HERMES_HOME"]), config["memory"].get("provider"))
        input("more? ")
"""


@case("G22", plugins=_provider(PROVIDER.replace("FIELDS = [", f"{ALONE}FIELDS = [")))
def a_memory_provider_can_have_its_own_setup(host):
    return [run_setup(host), run_setup(host, {"tag": "x"})]


@case("G22", plugins=_provider())
def memory_setup_handles_invalid_answers(host):
    return [
        run_setup(host, values)
        for values in (
            {"wrong": "x"},
            {"mode": "elsewhere"},
            {"mode": "cloud", "path": "/x"},
            {"tag": " x"},
            {"tag": 1},
        )
    ]


@case("G22", plugins={**_provider(), "broken": plugin("# MemoryProvider\n1 / 0\n"), "general": plugin()})
def memory_setup_selects_a_provider(host):
    return [
        run_setup(host),
        run_setup(host, provider="broken"),
        run_setup(host, {"tag": "x"}, provider="memo"),
        run_setup(host),
    ]


@case("G22", plugins={"general": plugin()})
def memory_setup_runs_without_memory_providers(host):
    return run_setup(host)


@case(
    "G22",
    plugins=_provider(
        PROVIDER.replace(
            "FIELDS = [", "with open(os.environ['HERMES_HOME'] + '/loads', 'a') as file: file.write('x')\nFIELDS = ["
        )
    ),
    record=True,
)
def memory_setup_applies_from_the_next_session(host):
    from hermes_sdk.llm import say

    host.llm.script(say("one"), say("two"))
    host.chat("first")
    host.memory.setup({"api_key": "secret-of-mine", "mode": "cloud"})
    host.finish()
    host.chat("second")
    shown = [one["name"] for one in host.events if one["kind"] == "memory"]
    texts = [request.user_text for request in host.llm.requests]
    return [texts, shown, (host.home / "loads").read_text()]


@case("G22", plugins=_provider())
def fields_of_memory_setup_are_listed(host):
    return host.memory.fields()


def _fields(host):
    try:
        return host.memory.fields()
    except UsageError as error:
        return error.message


@case("G22", plugins=_provider(old="return FIELDS", new="return [3, {'key': 1, 'default': {2}}, {}]"))
def odd_fields_of_memory_setup_are_listed(host):
    return _fields(host)


@case("G22", plugins=_provider(old="return FIELDS", new="raise ValueError('no fields')"))
def fields_of_a_provider_that_raises_are_listed(host):
    return _fields(host)


@case("G22", plugins=_provider(old="    def get_config_schema(self): return FIELDS\n"))
def fields_of_a_provider_without_fields_are_listed(host):
    return _fields(host)
