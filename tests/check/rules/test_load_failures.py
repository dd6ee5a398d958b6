"""The fix of HS201 depends on the exception."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Finding
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import NOTHING

SKILL = "Pass the path as a pathlib.Path, such as `Path(__file__).parent / 'skills' / 'notes' / 'SKILL.md'`."


def find_failure(directory, options: Options | None = None) -> Finding:
    (found,) = [one for one in check(directory, options or Options()).findings if one.code == "HS201"]
    return found


@pytest.mark.parametrize(
    ("line", "error", "fix"),
    [
        (
            "import os; os.environ['ROLL_KEY']",
            "KeyError: 'ROLL_KEY'",
            "Set 'ROLL_KEY' in the environment, declare it in requires_env, and read it with"
            " os.environ.get('ROLL_KEY').",
        ),
        (
            "{}['units']",
            "KeyError: 'units'",
            "Provide the key 'units', or read it with .get('units') and handle None.",
        ),
        (
            "__import__('dice')",
            "ModuleNotFoundError: No module named 'dice'",
            "Write `from . import dice`: the plugin's directory is not on the path.",
        ),
        (
            "import nowhere_at_all",
            "ModuleNotFoundError: No module named 'nowhere_at_all'",
            "Install nowhere_at_all, and add it to the dependencies in pyproject.toml; or guard the import.",
        ),
        (
            "from .nothing import here",
            "ModuleNotFoundError: No module named 'hermes_plugins.example.nothing'",
            "Correct the import: the plugin has no module nothing.",
        ),
        (
            "from .dice import roll",
            "ImportError: cannot import name 'roll' from 'hermes_plugins.example.dice'",
            "Define roll in dice, or correct the name.",
        ),
        (
            "open('data.json')",
            "FileNotFoundError: [Errno 2] No such file or directory: 'data.json'",
            "Build the path from `Path(__file__).parent`: the working directory is the host's.",
        ),
    ],
)
def test_failed_import_has_a_specific_fix(plugin, line, error, fix):
    found = find_failure(plugin({"__init__.py": f"{line}\n\n\n{NOTHING}", "dice.py": "SIX = 6\n"}))
    assert found.message.startswith(f"the plugin does not load: {error}")
    assert (found.path, found.line, found.fix) == ("__init__.py", 1, fix)


@pytest.mark.parametrize(
    ("call", "fix"),
    [
        (
            "register_tool('roll', toolset='t', schema={}, handler=print, is_asnyc=True)",
            "ctx.register_tool of Hermes 0.22.2 has no is_asnyc=; did you mean 'is_async'?",
        ),
        ("register_command('roll')", "Correct the call: ctx.register_command takes name, handler, description,"),
        ("add_tool('roll')", "Hermes 0.22.2 has no ctx.add_tool; did you mean 'register_tool'?"),
        ("on_hook('roll')", "Hermes 0.22.2 has no ctx.on_hook; did you mean 'register_hook'?"),
        ("zzz()", "Hermes 0.22.2 has no ctx.zzz; check with `hasattr(ctx, …)` first."),
    ],
)
def test_failed_ctx_call_has_a_specific_fix(plugin, call, fix):
    # The parameter is not named ctx, so that no static rule reports the call.
    source = f"def register(ctx):\n    add(ctx)\n\n\ndef add(host):\n    host.{call}\n"
    found = find_failure(plugin({"__init__.py": source}))
    assert (found.path, found.line) == ("__init__.py", 6)
    assert found.fix.startswith(fix)


def test_skill_path_as_text_has_a_fix_before_0_22_2(plugin):
    call = "host.register_skill('roll', 'skills/roll/SKILL.md')"
    source = f"def register(ctx):\n    add(ctx)\n\n\ndef add(host):\n    {call}\n"
    assert find_failure(plugin({"__init__.py": source}), Options(release="0.20.2")).fix.startswith(SKILL)


def test_fix_for_a_nested_module_uses_the_parent_package(plugin):
    files = {
        "__init__.py": f"from .games import dice\n\n\n{NOTHING}",
        "games/__init__.py": "",
        "games/dice.py": "__import__('shared')\n",
        "shared.py": "",
    }
    found = find_failure(plugin(files))
    assert (found.path, found.line) == ("games/dice.py", 1)
    assert found.fix.startswith("Write `from .. import shared`")


def test_exception_without_a_message_is_named(plugin):
    found = find_failure(plugin({"__init__.py": "def register(ctx):\n    raise ValueError\n"}))
    assert found.message == "the plugin does not load: ValueError"
    assert found.fix.startswith("Fix the error")


def test_gateway_event_hook_failure_has_a_fix(tmp_path):
    hook = tmp_path / "watcher"
    hook.mkdir()
    (hook / "HOOK.yaml").write_text("name: watcher\nevents: [agent:end]\n", encoding="utf-8")
    (hook / "handler.py").write_text("\nimport nowhere_at_all\n", encoding="utf-8")
    found = find_failure(tmp_path)
    assert (found.path, found.line) == ("watcher/handler.py", 2)
    assert found.fix.startswith("Install nowhere_at_all")
