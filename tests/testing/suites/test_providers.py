"""The suites for context engines, image backends and model providers, like `test_memory` for memory providers."""

# ruff: noqa: E501 - a change of an example reads best on one line.

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from testing.suites.mutating import EXAMPLES, Mutant, copy_mutant, find_broken_rules, list_codes
from thinning import every_third

from hermes_sdk.testing import ContextEngineContract, ImageGenProviderContract, ModelProviderContract, PluginContract
from hermes_sdk.testing.suites.contract import Contract

NETWORK = "import socket\n        try: socket.getaddrinfo('example.com', 443)\n        except OSError: pass\n        "
COUNT = "        self.compression_count += 1"
GENERATE = "        ratio = resolve_aspect_ratio(aspect_ratio)"
TEXT = '    text = args.get("text")'


class Engine(ContextEngineContract):
    plugin = "window_engine"


class Image(ImageGenProviderContract):
    plugin = "tile_images"


class Model(ModelProviderContract):
    plugin = "local_models"
    environment: ClassVar = {"LOCAL_MODELS_KEY": "key-of-these-tests"}


class Plugin(PluginContract):
    plugin = "word_count"
    environment: ClassVar = {"WORD_COUNT_KEY": "key-of-these-tests"}


MUTANTS = {
    Engine: [
        Mutant("HS869", "kind: standalone", "kind: exclusive", "plugin.yaml"),
        Mutant("HS870", 'name = "window_engine"', 'name = "window"'),
        Mutant(
            "HS871",
            "        self._left_out = 0\n\n    def update_from",
            "        self._left_out = 0\n        self.lock = __import__('threading').Lock()\n\n    def update_from",
        ),
        Mutant(
            "HS872",
            "    def __init__(self) -> None:",
            "    def __deepcopy__(self, memo):\n        return self\n\n    def __init__(self) -> None:",
        ),
        Mutant(
            "HS873",
            "        self.context_length = context_length",
            "        self.context_length = context_length = self.context_length or context_length",
        ),
        Mutant("HS874", "self.last_total_tokens =", "self.total_tokens ="),
        Mutant(
            "HS875", "return tokens > self.threshold_tokens > 0", "return tokens and tokens > self.threshold_tokens > 0"
        ),
        Mutant("HS876", "start = turns[-TURNS:][0] if turns", "start = turns[-TURNS:][0] + 2 if turns[5:]"),
        Mutant("HS877", COUNT, COUNT + "\n        if len(messages) == 62:\n            messages[1]['content'] += ' '"),
        Mutant("HS878", "current_tokens: int | None = None", "current_tokens: int"),
        Mutant("HS879", COUNT, "        self.compression_count += 0"),
        Mutant("HS880", 'messages[:1] if one["role"] == "system"]', '[messages[0]] if one["role"] == "system"]'),
        Mutant(
            "HS881",
            "context_length: int, **kwargs: Any",
            "context_length: int, base_url='', api_key='', provider='', api_mode=''",
        ),
        Mutant("HS882", "        super().on_session_reset()\n", ""),
        Mutant("HS883", '"name": "window_status"', '"name": "terminal"'),
        Mutant("HS884", "not isinstance(unit, str) or ", ""),
        Mutant("HS885", "        return [SCHEMA]", "        " + NETWORK + "return [SCHEMA]"),
    ],
    Image: [
        Mutant("HS886", "kind: backend", "kind: exclusive", "plugin.yaml"),
        Mutant("HS887", 'name = "tile_images"', 'name = "tiles"'),
        Mutant("HS888", "        return True", "        " + NETWORK + "return True"),
        Mutant("HS889", '"id": MODEL', '"name": MODEL'),
        Mutant(
            "HS890",
            'aspect_ratio: str = "landscape", **kwargs: Any',
            "aspect_ratio='landscape', *, model=None, image_url=None, reference_image_urls=None",
        ),
        Mutant(
            "HS891",
            'return error_response(error="There is no prompt.", error_type="invalid_prompt", **said)',
            "return None",
        ),
        Mutant(
            "HS945",
            '        return success_response(image=str(save_b64_image(tile, prefix="tile")), **said)',
            "        return error_response(error='No ink.', error_type='no_ink', **said)",
        ),
        Mutant("HS892", GENERATE, GENERATE + "\n        open('last.txt', 'w').close()"),
    ],
    Model: [
        Mutant("HS893", "\n\nregister_provider(", "\n\nprint("),
        Mutant("HS894", 'base_url="http://127', 'base_url="127'),
        Mutant(
            "HS895",
            "class LocalModels",
            "import socket\ntry: socket.getaddrinfo('example.com', 443)\nexcept OSError: pass\n\n\nclass LocalModels",
        ),
        Mutant(
            "HS896",
            "        return [{**one,",
            "        for one in messages:\n            one['content'] = one.get('content') or ''\n        return [{**one,",
        ),
        Mutant(
            "HS897",
            'return {}, {"reasoning_effort": effort} if effort else {}',
            'return {"reasoning_effort": effort} if effort else {}',
            also=("HS815",),
        ),
        Mutant(
            "HS898", "session_id: str | None = None, **context: Any", "session_id: str | None = None", also=("HS815",)
        ),
        Mutant(
            "HS899",
            "    def prepare_messages",
            "    def fetch_models(self, *, api_key=None, base_url=None, timeout=8.0):\n        return ['local']\n\n    def prepare_messages",
        ),
        Mutant(
            "HS815",
            'return {}, {"reasoning_effort": effort} if effort else {}',
            'return {}, {"effort": effort}',
        ),
    ],
    Plugin: [
        Mutant(
            "HS801",
            "def register(ctx: Any) -> None:",
            "def register(ctx: Any) -> None:\n    raise ValueError('no key')",
        ),
        Mutant("HS817", "def register(ctx: Any) -> None:", "def register(ctx: Any) -> None:\n    return"),
        Mutant("HS802", 'ctx.register_command("wordcount"', 'ctx.register_command("help"'),
        Mutant(
            "HS803",
            "def register(ctx: Any) -> None:",
            "def register(ctx: Any) -> None:\n    import os\n    if os.environ.setdefault('WORD_COUNT', '1') == '2': return\n    os.environ['WORD_COUNT'] = '2'",
        ),
        Mutant(
            "HS804",
            "def register(ctx: Any) -> None:",
            "def register(ctx: Any) -> None:\n    open('words.txt', 'w').close()",
        ),
        Mutant("HS805", '"description": "Counts the words of a text."', '"description": ""'),
        Mutant(
            "HS816",
            'ctx.register_tool("word_count", "word_count", SCHEMA, count)',
            'ctx.register_tool("word_count", "word_count", SCHEMA, count, check_fn=lambda: False)',
        ),
        Mutant(
            "HS806",
            'return json.dumps({"words": len(text.split())})',
            'return {"words": 1} if args == {"text": "notes"} else "{}"',
        ),
        Mutant("HS807", TEXT, '    text = args["text"]'),
        Mutant(
            "HS808",
            'user_message: str = "", **kwargs: Any',
            'user_message="", session_id="", conversation_history=(), is_first_turn=False, model="", platform="", sender_id="", task_id="", turn_id="", parent_session_id="", telemetry_schema_version=""',
            release="0.19.0",  # Since 0.20.1 a callback receives only arguments that it declares.
        ),
        Mutant("HS809", "def answer(line: str) -> str:", "def answer(line: str) -> str:\n        assert line"),
        Mutant(
            "HS951", 'return f"{len(line.split())} words here', "return line and line != 'help' and f\"{0} words here"
        ),
        Mutant("HS950", "args.command", "args.commands"),
        Mutant(
            "HS949",
            TEXT,
            "    __import__('logging').getLogger('words').warning(__import__('os').environ['WORD_COUNT_KEY'])\n" + TEXT,
        ),
        Mutant(
            "HS810", '        said["words"] +=', "        assert user_message == 'Hello'\n        said[\"words\"] +="
        ),
        Mutant(
            "HS811",
            TEXT,
            "    try:\n        __import__('socket').getaddrinfo('example.com', 443)\n    except OSError as error:\n        return json.dumps({'error': str(error)})\n"
            + TEXT,
        ),
        Mutant(
            "HS812",
            TEXT,
            "    assert not getattr(count, 'busy', False)\n    count.busy = True\n    __import__('time').sleep(0.02)\n    count.busy = False\n"
            + TEXT,
        ),
    ],
}
ALL = [(suite, mutant) for suite, mutants in MUTANTS.items() for mutant in mutants]


@pytest.mark.parametrize("suite", MUTANTS)
def test_example_passes_every_rule(suite: type[Contract]):
    assert find_broken_rules(suite, EXAMPLES) == {}


@pytest.mark.parametrize("suite", MUTANTS)
def test_every_rule_has_a_mutant(suite: type[Contract]):
    assert [mutant.code for mutant in MUTANTS[suite]] == list_codes(suite)


@pytest.mark.parametrize(("suite", "mutant"), every_third(ALL), ids=lambda value: getattr(value, "code", ""))
def test_mutant_breaks_only_its_rule(suite: type[Contract], mutant: Mutant, tmp_path: Path):
    copy_mutant(EXAMPLES / suite.plugin, mutant, tmp_path)
    found = find_broken_rules(suite, tmp_path, release=mutant.release)
    assert list(found) == [mutant.code, *mutant.also], found


def test_unknown_hook_is_not_fired_by_the_suite(tmp_path: Path):
    register = "def register(ctx: Any) -> None:"
    mutant = Mutant("", register, f"{register}\n    ctx.register_hook('pre_lm_call', lambda: None)")
    copy_mutant(EXAMPLES / Plugin.plugin, mutant, tmp_path)
    assert find_broken_rules(Plugin, tmp_path, only="HS808") == {}


CLI = 'ctx.register_cli_command("wordcount", "Count words", lambda parser: None, run)'


@pytest.mark.parametrize(
    ("mutant", "message"),
    [
        (
            Mutant("HS950", CLI, CLI.replace('"wordcount"', '" "')),
            "a CLI command at word_count/__init__.py:34 has no name",
        ),
        (
            Mutant("HS950", CLI, CLI.replace(", run)", ")")),
            "hermes wordcount at word_count/__init__.py:34 runs no handler: setup_fn raised, or there is no handler_fn",
        ),
        (
            Mutant("HS807", '{"error": "word_count needs a text."}', '{"error": ""}'),
            'word_count({}) returned {"error": ""}, an error that tells the model nothing',
        ),
    ],
    ids=["no-name", "no-handler", "empty-error"],
)
def test_plugin_mistake_is_named(mutant: Mutant, message: str, tmp_path: Path):
    copy_mutant(EXAMPLES / "word_count", mutant, tmp_path)
    assert find_broken_rules(Plugin, tmp_path, only=mutant.code) == {mutant.code: message}


KEEPER = """\
import os
from pathlib import Path

SCHEMA = {"name": "keep", "description": "Keep it.", "parameters": {"type": "object", "properties": {}}}


def find_kept():
    return Path(os.environ["HERMES_HOME"], "kept")


def keep(args, **kwargs):
    find_kept().touch()
    return "{}"


def run(args):
    assert not find_kept().exists()


def register(ctx):
    ctx.register_tool("keep", "keeper", SCHEMA, keep)
    ctx.register_command("keeper", lambda line: None if find_kept().exists() else "Nothing.", description="Show it")
    ctx.register_cli_command("keeper", "Show it", lambda parser: None, run)
"""


class Keeper(PluginContract):
    plugin = "keeper"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("HS951", "/keeper answered, but returned no text after the plugin's tools were called"),
        ("HS950", "hermes keeper raised AssertionError"),
    ],
)
def test_command_that_fails_with_stored_data_is_reported(code: str, message: str, tmp_path: Path):
    (tmp_path / "keeper").mkdir()
    (tmp_path / "keeper/__init__.py").write_text(KEEPER, "utf-8")
    (tmp_path / "keeper/plugin.yaml").write_text("name: keeper\nversion: 1.0.0\n", "utf-8")
    assert find_broken_rules(Keeper, tmp_path, only=code) == {code: message}
