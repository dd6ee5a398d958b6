"""Repairs: what they change, and what they leave alone."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from check.test_field import ROWS

from hermes_sdk.check.engine import check, fix
from hermes_sdk.check.model import Edit, Finding, Repair
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.repair import repair, replace_in_manifest, replace_in_source, set_in_manifest
from hermes_sdk.check.rules import RULES
from hermes_sdk.manifest import diagnose, locate, parse

TOOL = '{"name": "roll", "description": "Roll.", "parameters": {"type": "object", "properties": {}}}'
ROLLING = f"""\
def register(ctx):
    ctx.register_tool(name="roll", toolset="t", schema={TOOL}, handler=lambda args, **kwargs: "")
    ctx.register_hook("on_session_start", lambda **kwargs: None)
"""


BROKEN = {
    **{
        rule.code: (rule.bad, rule.profile, rule.runs_code)
        for rule in RULES
        if rule.check and rule.subject != "network"
    },
    **{name: (row["files"], "default", True) for name, row in ROWS.items()},
}
"""The files of each plugin with a mistake, the profile that finds it, and whether that takes a load."""


@pytest.fixture
def opened(plugin) -> Callable[..., Plugin]:
    def open_plugin(**files: str | bytes) -> Plugin:
        named = {"plugin.yaml": files["manifest"]} if "manifest" in files else {}
        directory = plugin(
            {
                **named,
                "__init__.py": files.get("source", "def register(ctx):\n    ctx.register_command('example', print)\n"),
            }
        )
        return Plugin(locate(directory), directory)

    return open_plugin


def finding(wanted: Repair | None) -> Finding:
    return Finding("HS116", "warning", "m", "plugin.yaml", 1, 1, "w", "f", repair=wanted)


def applied(plugin: Plugin, *wanted: Repair | None, unsafe: bool = False) -> str:
    done = repair(map(finding, wanted), plugin.base, unsafe=unsafe)
    done.write(plugin.base)
    return "".join(done.after.values())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name: a  # the name\n\n# end\n", "name: a  # the name\nprovides_tools:\n  - b\n  - c\n\n# end\n"),
        (
            "provides_tools:\n  # first\n  - b  # why\nname: a\n",
            "provides_tools:\n  # first\n  - b  # why\n  - c\nname: a\n",
        ),
        ("provides_tools: [b]\nname: a\n", "provides_tools: [b, c]\nname: a\n"),
        ("name: a", "name: a\nprovides_tools:\n  - b\n  - c\n"),
        ("\ufeffname: a\n", "name: a\nprovides_tools:\n  - b\n  - c\n"),
        ("{name: a}\n", "name: a\nprovides_tools:\n  - b\n  - c\n"),
    ],
    ids=["new", "by line", "in one line", "no line end", "byte order mark", "flow"],
)
def test_a_field_is_set_and_the_rest_stays(opened, before, after):
    plugin = opened(manifest=before)
    assert applied(plugin, set_in_manifest(plugin, ["provides_tools"], ["b", "c"])) == after
    manifest = parse(plugin.base / "plugin.yaml")
    assert manifest.value["provides_tools"] == ["b", "c"]
    assert (plugin.base / "plugin.yaml").read_bytes().startswith(b"\xef\xbb\xbf") is before.startswith("\ufeff")


@pytest.mark.parametrize("manifest", ["- a\n", "name: [\n", "base: &b\n  x: 1\nprovides_tools: *b\n"])
def test_what_cannot_be_set_in_place_has_no_repair(opened, manifest):
    assert set_in_manifest(opened(manifest=manifest), ["provides_tools", "x"], 2) is None


def test_a_text_that_newer_hosts_take_for_a_boolean_is_quoted(opened):
    plugin = opened(manifest="name: a\n")
    wanted = applied(plugin, set_in_manifest(plugin, ["provides_tools"], ["y", "1e3"]))
    assert wanted == "name: a\nprovides_tools:\n  - 'y'\n  - '1e3'\n"


def test_there_is_no_repair_that_newer_hosts_read_otherwise(opened):
    plugin = opened(manifest="name: a\nprovide_tools: [x]\nprovides_tools: [y]\n")
    assert replace_in_manifest(plugin, ["provide_tools"], "provide_tools", "provides_tools", safe=True) is None


def test_a_key_is_renamed(opened):
    plugin = opened(manifest="name: a\nprovide_tools: [x]  # keep\n")
    wanted = replace_in_manifest(plugin, ["provide_tools"], "provide_tools", "provides_tools", safe=True)
    assert applied(plugin, wanted) == "name: a\nprovides_tools: [x]  # keep\n"
    assert replace_in_manifest(plugin, ["name"], "nowhere", "x", safe=True) is None


def test_a_node_is_replaced(opened):
    plugin = opened(source="# é\ndef register(ctx):\n    ctx.run('ä', open(\n        'x'))\n")
    (source,) = plugin.sources
    (call,) = source.calls("open")
    wanted = replace_in_source(source, call, "None", safe=False)
    assert applied(plugin, wanted) == ""
    assert applied(plugin, wanted, unsafe=True) == "# é\ndef register(ctx):\n    ctx.run('ä', None)\n"
    ast.parse((plugin.base / "__init__.py").read_text(encoding="utf-8"))


def test_repairs_that_touch_wait_for_the_next_round(tmp_path):
    (tmp_path / "a.txt").write_text("0123456789", encoding="utf-8")
    edits = [Edit("a.txt", 2, 5, "x"), Edit("a.txt", 4, 6, "y"), Edit("a.txt", 5, 5, "z"), Edit("a.txt", 2, 5, "x")]
    done = repair([finding(Repair((edit,), True)) for edit in edits], tmp_path)
    assert done.after == {"a.txt": "01x56789"}
    assert len(done.findings) == 2


@pytest.mark.parametrize(
    ("file", "text", "edits"),
    [
        ("plugin.yaml", "a: 1\nb: 2\n", [Edit("plugin.yaml", 3, 4, "[1"), Edit("plugin.yaml", 8, 9, "{")]),
        ("a.py", "a = 1\nb = 2\n", [Edit("a.py", 4, 5, "(1"), Edit("a.py", 10, 11, "2)")]),
    ],
)
def test_a_repair_after_which_a_file_cannot_be_read_is_left_out(tmp_path, file, text, edits):
    (tmp_path / file).write_text(text, encoding="utf-8")
    for wanted in ([edits[0]], edits):
        done = repair([finding(Repair((edit,), True)) for edit in wanted], tmp_path)
        assert (dict(done.after), done.findings) == ({}, ())


def test_a_manifest_with_several_findings_stays_as_good_as_it_was(plugin):
    manifest = (
        "name: example\nversion: '1.0.0'\ndescription: x\nauthor: Robin\nprovides_tools:\n  - one\n  - two\n"
        "hooks:\n  - pre_llm_call\nprovides_hooks:\n  - pre_llm_call\n"
    )
    source = "".join(
        f"    ctx.register_tool({name!r}, 't', {TOOL.replace('roll', name)}, lambda args, **kwargs: '')\n"
        for name in ("one", "two")
    )
    hook = "    ctx.register_hook('pre_llm_call', lambda **kwargs: None)\n"
    directory: Path = plugin({"plugin.yaml": manifest, "__init__.py": f"def register(ctx):\n{source}{hook}"})
    fix(directory, Options(), unsafe=True)
    value = parse(directory / "plugin.yaml").value
    assert value["provides_tools"] == ["one", "two"]
    assert value["provides_hooks"] == ["pre_llm_call"]
    assert [one.code for one in diagnose(parse(directory / "plugin.yaml"))] == ["HS124"]


def test_the_edits_of_a_repair_are_made_together_or_not_at_all(tmp_path):
    (tmp_path / "a.txt").write_text("0123456789", encoding="utf-8")
    first = Repair((Edit("a.txt", 2, 5, "x"),), True)
    both = Repair((Edit("a.txt", 8, 9, "y"), Edit("a.txt", 3, 4, "z")), True)
    assert repair([finding(first), finding(both)], tmp_path).after == {"a.txt": "01x56789"}


def test_fix_writes_what_the_plugin_registers(plugin):
    manifest = "# mine\nname: example\nkind: standalone\nversion: '1.0.0'\ndescription: x # short\n"
    directory: Path = plugin({"plugin.yaml": manifest, "__init__.py": ROLLING})
    result, count = fix(directory, Options())
    assert (result.findings, count) == ((), 2)
    text = (directory / "plugin.yaml").read_text(encoding="utf-8")
    assert text.startswith(manifest)
    assert parse(directory / "plugin.yaml").value["provides_hooks"] == ["on_session_start"]
    assert fix(directory, Options())[1] == 0


def test_a_diff_shows_the_changes_and_makes_none(plugin):
    directory = plugin({"__init__.py": ROLLING})
    before = (directory / "plugin.yaml").read_bytes()
    result = check(directory)
    diff = repair(result.findings, result.base).diff()
    assert diff.startswith("--- a/plugin.yaml\n+++ b/plugin.yaml\n@@ ")
    assert "+  - roll\n" in diff
    assert (directory / "plugin.yaml").read_bytes() == before


@pytest.mark.parametrize("name", BROKEN)
def test_repairs_bring_no_finding_and_leave_nothing_to_do(name, write):
    files, profile, loads = BROKEN[name]
    before = check(write(files), Options(static=not loads, profile=profile))
    options = Options(profile=profile)
    for unsafe in (False, True):
        if any(one.repair and (one.repair.safe or unsafe) for one in before.findings):
            directory = write(files)
            known = {one.code for one in check(directory, options).findings}
            result, _ = fix(directory, options, unsafe=unsafe)
            assert {one.code for one in result.findings} <= known
            assert not any(one.repair and (one.repair.safe or unsafe) for one in result.findings)
            assert fix(directory, options, unsafe=unsafe) == (result, 0)


MISSPELT = """\
def watch(**kwargs):
    return None


def register(ctx):
    ctx.register_hook("pre_lm_call", watch)
    ctx.register_hook('pre_lm_call', lambda **kwargs: None)
"""


@pytest.mark.parametrize("declared", ["[]", "[pre_llm_call]", "[pre_lm_call]", "[pre_lm_call, pre_llm_call]"])
def test_a_misspelt_hook_is_never_declared(declared, plugin):
    manifest = f"name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\nprovides_hooks: {declared}\n"
    directory: Path = plugin({"plugin.yaml": manifest, "__init__.py": MISSPELT})
    result, count = fix(directory, Options())
    assert ({one.code for one in result.findings}, count) == ({"HS401"}, 0)
    assert (directory / "plugin.yaml").read_text(encoding="utf-8") == manifest
    result, _ = fix(directory, Options(), unsafe=True)
    assert result.findings == ()
    assert (directory / "__init__.py").read_text(encoding="utf-8") == MISSPELT.replace("lm_call", "llm_call")
    assert parse(directory / "plugin.yaml").value["provides_hooks"] == ["pre_llm_call"]


def test_a_known_hook_is_declared_beside_a_misspelt_one(plugin):
    source = MISSPELT + '    ctx.register_hook("on_session_start", watch)\n'
    directory: Path = plugin({"__init__.py": source})
    fix(directory, Options())
    assert parse(directory / "plugin.yaml").value["provides_hooks"] == ["on_session_start"]


@pytest.mark.parametrize("hook", ["pre_call", "gadget", "pre_verify"])
def test_a_hook_that_is_no_slip_of_the_pen_is_not_renamed(hook, plugin):
    source = f'def register(ctx):\n    ctx.register_hook("{hook}", lambda **kwargs: None)\n'
    (found,) = check(plugin({"__init__.py": source}), Options(release="0.13.0")).findings
    assert (found.code, found.repair) == ("HS401", None)


@pytest.mark.parametrize(
    "fields",
    ["provide_tools: roll", "provide_tools: [nothing]", "hooks: [nothing]", "hooks: 5", "requires_env: lower-case"],
)
def test_a_repair_that_leaves_the_manifest_wrong_is_not_offered(fields, plugin):
    directory = plugin(
        {"plugin.yaml": f"name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\n{fields}\n"}
    )
    found = check(directory, Options(static=True)).findings
    assert [one.repair for one in found] == [None]
    assert diagnose(parse(directory / "plugin.yaml"))


def test_a_callback_of_newer_hosts_raises_the_floor_when_asked(plugin):
    source = """\
def watch(model, middleware_trace, **kwargs):
    return None


def register(ctx):
    ctx.register_hook("pre_api_request", watch)
"""
    manifest = (
        "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\n"
        "requires_hermes: '>=0.16, <1'\nprovides_hooks: [pre_api_request]\n"
    )
    directory: Path = plugin({"plugin.yaml": manifest, "__init__.py": source})
    assert "HS410" in {one.code for one in fix(directory, Options())[0].findings}
    assert "HS410" not in {one.code for one in fix(directory, Options(), unsafe=True)[0].findings}
    floor = parse(directory / "plugin.yaml").value["requires_hermes"]
    assert floor.startswith(">=0.")
    assert floor.endswith(", <1")
