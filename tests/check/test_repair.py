"""Repairs change what they should, and nothing else."""

import ast
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from check.test_field import ROWS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_sdk.check import options
from hermes_sdk.check.engine import check
from hermes_sdk.check.fixes import fix
from hermes_sdk.check.model import Edit, Finding, Repair
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.repair import repair, replace_in_manifest, replace_in_source, set_in_manifest
from hermes_sdk.check.rule import MANIFEST, Problem
from hermes_sdk.check.rules import RULES
from hermes_sdk.errors import HermesSdkError
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
"""The files of each broken plugin, the profile of its rule, and whether the rule needs a load."""


@pytest.fixture
def open_example(plugin) -> Callable[..., Plugin]:
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


def make_finding(wanted: Repair | None) -> Finding:
    return Finding("HS116", "warning", "m", "plugin.yaml", 1, 1, "w", "f", repair=wanted)


def apply_repairs(plugin: Plugin, *wanted: Repair | None, unsafe: bool = False) -> str:
    done = repair(map(make_finding, wanted), plugin.base, unsafe=unsafe)
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
def test_set_in_manifest_keeps_the_rest_of_the_file(open_example, before, after):
    plugin = open_example(manifest=before)
    assert apply_repairs(plugin, set_in_manifest(plugin, ["provides_tools"], ["b", "c"])) == after
    manifest = parse(plugin.base / "plugin.yaml")
    assert manifest.value["provides_tools"] == ["b", "c"]
    assert (plugin.base / "plugin.yaml").read_bytes().startswith(b"\xef\xbb\xbf") is before.startswith("\ufeff")


@pytest.mark.parametrize("manifest", ["- a\n", "name: [\n", "base: &b\n  x: 1\nprovides_tools: *b\n"])
def test_set_in_manifest_returns_none_for_unsupported_manifests(open_example, manifest):
    assert set_in_manifest(open_example(manifest=manifest), ["provides_tools", "x"], 2) is None


def test_set_in_manifest_quotes_strings_that_look_like_other_types(open_example):
    plugin = open_example(manifest="name: a\n")
    wanted = apply_repairs(plugin, set_in_manifest(plugin, ["provides_tools"], ["y", "1e3"]))
    assert wanted == "name: a\nprovides_tools:\n  - 'y'\n  - '1e3'\n"


def test_replace_in_manifest_returns_none_for_a_duplicate_key(open_example):
    plugin = open_example(manifest="name: a\nprovide_tools: [x]\nprovides_tools: [y]\n")
    assert replace_in_manifest(plugin, ["provide_tools"], "provide_tools", "provides_tools", safe=True) is None


def test_replace_in_manifest_renames_a_key(open_example):
    plugin = open_example(manifest="name: a\nprovide_tools: [x]  # keep\n")
    wanted = replace_in_manifest(plugin, ["provide_tools"], "provide_tools", "provides_tools", safe=True)
    assert apply_repairs(plugin, wanted) == "name: a\nprovides_tools: [x]  # keep\n"
    assert replace_in_manifest(plugin, ["name"], "nowhere", "x", safe=True) is None


def test_replace_in_source_replaces_a_node(open_example):
    plugin = open_example(source="# é\ndef register(ctx):\n    ctx.run('ä', open(\n        'x'))\n")
    (source,) = plugin.sources
    (call,) = source.calls("open")
    wanted = replace_in_source(source, call, "None", safe=False)
    assert apply_repairs(plugin, wanted) == ""
    assert apply_repairs(plugin, wanted, unsafe=True) == "# é\ndef register(ctx):\n    ctx.run('ä', None)\n"
    ast.parse((plugin.base / "__init__.py").read_text(encoding="utf-8"))


def test_overlapping_repairs_are_skipped(tmp_path):
    (tmp_path / "a.txt").write_text("0123456789", encoding="utf-8")
    edits = [Edit("a.txt", 2, 5, "x"), Edit("a.txt", 4, 6, "y"), Edit("a.txt", 5, 5, "z"), Edit("a.txt", 2, 5, "x")]
    done = repair([make_finding(Repair((edit,), True)) for edit in edits], tmp_path)
    assert done.after == {"a.txt": "01x56789"}
    assert len(done.findings) == 2


@pytest.mark.parametrize(
    ("file", "text", "edits"),
    [
        ("plugin.yaml", "a: 1\nb: 2\n", [Edit("plugin.yaml", 3, 4, "[1"), Edit("plugin.yaml", 8, 9, "{")]),
        ("a.py", "a = 1\nb = 2\n", [Edit("a.py", 4, 5, "(1"), Edit("a.py", 10, 11, "2)")]),
    ],
)
def test_repair_is_skipped_when_the_file_would_not_parse(tmp_path, file, text, edits):
    (tmp_path / file).write_text(text, encoding="utf-8")
    for wanted in ([edits[0]], edits):
        done = repair([make_finding(Repair((edit,), True)) for edit in wanted], tmp_path)
        assert (dict(done.after), done.findings) == ({}, ())


def test_unsafe_fix_keeps_correct_declarations(plugin):
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


def test_edits_of_a_repair_are_atomic(tmp_path):
    (tmp_path / "a.txt").write_text("0123456789", encoding="utf-8")
    first = Repair((Edit("a.txt", 2, 5, "x"),), True)
    both = Repair((Edit("a.txt", 8, 9, "y"), Edit("a.txt", 3, 4, "z")), True)
    assert repair([make_finding(first), make_finding(both)], tmp_path).after == {"a.txt": "01x56789"}


def test_fix_adds_undeclared_registrations_to_the_manifest(plugin):
    manifest = "# mine\nname: example\nkind: standalone\nversion: '1.0.0'\ndescription: x # short\n"
    directory: Path = plugin({"plugin.yaml": manifest, "__init__.py": ROLLING})
    result, count = fix(directory, Options())
    assert (result.findings, count) == ((), 2)
    text = (directory / "plugin.yaml").read_text(encoding="utf-8")
    assert text.startswith(manifest)
    assert parse(directory / "plugin.yaml").value["provides_hooks"] == ["on_session_start"]
    assert fix(directory, Options())[1] == 0


def test_diff_does_not_change_files(plugin):
    directory = plugin({"__init__.py": ROLLING})
    before = (directory / "plugin.yaml").read_bytes()
    result = check(directory)
    diff = repair(result.findings, result.base).diff()
    assert diff.startswith("--- a/plugin.yaml\n+++ b/plugin.yaml\n@@ ")
    assert "+  - roll\n" in diff
    assert (directory / "plugin.yaml").read_bytes() == before


@pytest.mark.parametrize("name", BROKEN)
def test_fix_adds_no_finding_and_is_idempotent(name, write):
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
def test_fix_does_not_declare_misspelt_hooks(declared, plugin):
    manifest = f"name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\nprovides_hooks: {declared}\n"
    directory: Path = plugin({"plugin.yaml": manifest, "__init__.py": MISSPELT})
    result, count = fix(directory, Options())
    assert ({one.code for one in result.findings}, count) == ({"HS401"}, 0)
    assert (directory / "plugin.yaml").read_text(encoding="utf-8") == manifest
    result, _ = fix(directory, Options(), unsafe=True)
    assert result.findings == ()
    assert (directory / "__init__.py").read_text(encoding="utf-8") == MISSPELT.replace("lm_call", "llm_call")
    assert parse(directory / "plugin.yaml").value["provides_hooks"] == ["pre_llm_call"]


def test_fix_works_for_a_project_with_an_editable_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "watcher").mkdir()
    module = tmp_path / "watcher" / "__init__.py"
    module.write_text(MISSPELT, encoding="utf-8")
    project = (
        '[project]\nname = "w"\nversion = "1"\n[project.entry-points."hermes_agent.plugins"]\nwatcher = "watcher"\n'
    )
    (tmp_path / "pyproject.toml").write_text(project, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    result, _ = fix(tmp_path, Options(select=("HS401",)), unsafe=True)
    assert result.findings == ()
    assert "pre_llm_call" in module.read_text(encoding="utf-8")


def test_fix_declares_known_hooks_next_to_misspelt_ones(plugin):
    source = MISSPELT + '    ctx.register_hook("on_session_start", watch)\n'
    directory: Path = plugin({"__init__.py": source})
    fix(directory, Options())
    assert parse(directory / "plugin.yaml").value["provides_hooks"] == ["on_session_start"]


@pytest.mark.parametrize("hook", ["pre_call", "gadget", "pre_verify"])
def test_fix_does_not_rename_hooks_that_are_not_misspelt(hook, plugin):
    source = f'def register(ctx):\n    ctx.register_hook("{hook}", lambda **kwargs: None)\n'
    (found,) = check(plugin({"__init__.py": source}), Options(release="0.13.0")).findings
    assert (found.code, found.repair) == ("HS401", None)


@pytest.mark.parametrize(
    "fields",
    ["provide_tools: roll", "provide_tools: [nothing]", "hooks: [nothing]", "hooks: 5", "requires_env: lower-case"],
)
def test_repair_is_not_offered_when_the_manifest_stays_invalid(fields, plugin):
    directory = plugin(
        {"plugin.yaml": f"name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\n{fields}\n"}
    )
    found = check(directory, Options(static=True)).findings
    assert [one.repair for one in found] == [None]
    assert diagnose(parse(directory / "plugin.yaml"))


def test_unsafe_fix_raises_the_minimum_version_for_newer_arguments(plugin):
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


@pytest.fixture
def add_rule(monkeypatch):
    """Return a function that adds a rule about the manifest to the check."""

    def add(code: str, find: Callable[[Plugin], Problem | None]) -> None:
        def judge(plugin: Plugin):
            problem = find(plugin)
            if problem:
                yield problem

        rule = RULES[0]._replace(code=code, severity="warning", subject="plugin", check=judge)
        monkeypatch.setattr(options, "RULES", (*options.RULES, rule))

    return add


def find_color(new: str) -> Callable[[Plugin], Problem | None]:
    """Return a rule that reports the key `color`, with a repair that renames it."""

    def find(plugin: Plugin) -> Problem | None:
        if "color" not in plugin.fields:
            return None
        repair = replace_in_manifest(plugin, ["color"], "color", new, safe=True)
        return Problem("the key color", "plugin.yaml", repair=repair)

    return find


def test_fix_is_not_written_when_it_adds_a_finding(plugin, add_rule):
    directory = plugin({"plugin.yaml": f"{MANIFEST}color: red\n", "__init__.py": ROLLING})
    before = {file.name: file.read_bytes() for file in directory.iterdir()}
    add_rule("HS198", find_color("colour"))
    add_rule("HS199", lambda plugin: Problem("colour", "plugin.yaml") if "colour" in plugin.fields else None)
    with pytest.raises(HermesSdkError, match=r"No file was changed, because this fix does not work: HS198 at plugin"):
        fix(directory, Options())
    assert {file.name: file.read_bytes() for file in directory.iterdir()} == before


def test_fix_is_not_written_when_the_finding_remains(plugin, add_rule):
    directory = plugin({"plugin.yaml": f"{MANIFEST}color: red\n"})
    before = (directory / "plugin.yaml").read_bytes()

    def find(plugin: Plugin) -> Problem:
        return Problem("unlucky", "plugin.yaml", repair=set_in_manifest(plugin, ["color"], plugin.fields["color"] * 2))

    add_rule("HS198", find)
    with pytest.raises(HermesSdkError, match="HS198 at plugin"):
        fix(directory, Options(static=True))
    assert (directory / "plugin.yaml").read_bytes() == before


def test_conflicting_fixes_are_named(plugin, add_rule):
    directory = plugin({"plugin.yaml": f"{MANIFEST}color: red\nshape: round\n"})

    def has(plugin: Plugin, *keys: str) -> bool:
        return all(key in plugin.fields for key in keys)

    add_rule("HS197", find_color("colour"))
    rename = ["shape"], "shape", "form"
    add_rule(
        "HS198",
        lambda plugin: (
            Problem("shape", "plugin.yaml", repair=replace_in_manifest(plugin, *rename, safe=True))
            if has(plugin, "shape")
            else None
        ),
    )
    add_rule("HS199", lambda plugin: Problem("both", "plugin.yaml") if has(plugin, "colour", "form") else None)
    message = "these fixes do not work together: HS197 at plugin.yaml:1, HS198 at plugin.yaml:1"
    with pytest.raises(HermesSdkError, match=message):
        fix(directory, Options(static=True))


def test_fix_is_not_written_when_the_plugin_no_longer_loads(plugin, add_rule):
    directory = plugin({"plugin.yaml": f"{MANIFEST}color: red\n", "__init__.py": ROLLING})

    def find(plugin: Plugin) -> Problem | None:
        (source,) = plugin.sources
        name = source.nodes(ast.FunctionDef)[0]
        repair = replace_in_source(source, name, "def registers(ctx): pass", safe=True)
        return Problem("a name", "__init__.py", repair=repair) if name.name == "register" else None

    add_rule("HS198", find)
    with pytest.raises(HermesSdkError, match="HS198 at __init__"):
        fix(directory, Options())
    assert (directory / "__init__.py").read_text(encoding="utf-8") == ROLLING


def test_fix_copies_only_the_core_tool_file(tmp_path):
    file = tmp_path / "roll_tool.py"
    file.write_text(CORE_TOOL, encoding="utf-8")
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "data")
    _, count = fix(file, Options(release="0.19.0"))
    assert count == 1
    assert "def roll(args, **kwargs):" in file.read_text(encoding="utf-8")


CORE_TOOL = f"""\
from tools.registry import registry

SCHEMA = {TOOL}


def roll(args):
    return "4"


registry.register(name="roll", toolset="dice", schema=SCHEMA, handler=roll)
"""


KEYS = {
    "version": ["'1.0.0'", "1.10", "1"],
    "kind": ["standalone"],
    "manifest_version": ["1", "2", "one"],
    "provides_tools": ["[]", "[roll]", "roll", "\n  - roll", "\n  # mine\n  - roll  # it rolls\n  - flip"],
    "provide_tools": ["[roll]", "\n  - roll"],
    "provides_hooks": ["[]", "\n  - on_session_start", "[pre_lm_call]"],
    "hooks": ["\n  - on_session_start", "[on_session_start]"],
    "requires_env": ["ROLL_KEY", "[ROLL_KEY]", "\n  - name: ROLL_KEY\n    prompt: Key"],
    "requires_hermes": ["'>=0.16'", "'>=0.22'"],
    "config": ["\n  color: red  # or blue\n  sizes:\n    - 1\n    - 2"],
    "homepage": ["https://example.org  # home"],
    "tags": ["[a, b]", "\n- a\n- b"],
}
CODE = {
    "tool": f"    ctx.register_tool('roll', 't', {TOOL}, lambda args, **kwargs: '4', requires_env=['ROLL_KEY'])\n",
    "hook": "    ctx.register_hook('on_session_start', lambda **kwargs: None)\n",
    "slip": "    ctx.register_hook('pre_lm_call', lambda **kwargs: None)\n",
    "narrow": "    ctx.register_hook('on_session_end', lambda session_id: None)\n",
    "middleware": "    ctx.register_middleware('tool_request', lambda **kwargs: None)\n",
}


@st.composite
def broken_plugins(draw: st.DrawFn) -> dict[str, str]:
    """Draw a plugin with findings that have repairs."""
    keys = draw(st.lists(st.sampled_from(sorted(KEYS)), unique=True, max_size=8))
    lines = [
        f"{key}:{'' if value.startswith(chr(10)) else ' '}{value}"
        for key in keys
        for value in [draw(st.sampled_from(KEYS[key]))]
    ]
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(["name: example", "name: off"])))
    comments = draw(st.lists(st.sampled_from(["", "# a comment"]), min_size=len(lines), max_size=len(lines)))
    manifest = "\n".join(line for pair in zip(comments, lines, strict=True) for line in pair if line) + "\n"
    parts = draw(st.lists(st.sampled_from(sorted(CODE)), unique=True, min_size=1))
    return {"plugin.yaml": manifest, "__init__.py": f"def register(ctx):\n{''.join(CODE[part] for part in parts)}"}


@settings(max_examples=20, suppress_health_check=list(HealthCheck), deadline=None)
@given(files=broken_plugins(), unsafe=st.booleans(), static=st.booleans(), target=st.sampled_from([None, ">=0.19"]))
def test_random_plugins_are_fixed_completely_or_unchanged(files, unsafe, static, target):
    check_fix(files, Options(static=static, target=target), unsafe=unsafe)


def check_fix(files: dict[str, str], wanted: Options, *, unsafe: bool) -> int:
    """Repair a plugin, and return how many findings were repaired; -1 if their repairs conflict."""
    with TemporaryDirectory() as folder:
        directory = Path(folder) / "example"
        directory.mkdir()
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8")
        before = check(directory, wanted)
        old = parse(directory / "plugin.yaml").value
        try:
            after, count = fix(directory, wanted, unsafe=unsafe)
        except HermesSdkError:
            assert {name: (directory / name).read_text(encoding="utf-8") for name in files} == files
            return -1
        text = (directory / "plugin.yaml").read_text(encoding="utf-8")
        ast.parse((directory / "__init__.py").read_text(encoding="utf-8"))
        new = parse(directory / "plugin.yaml").value
        undecided = {one.code for one in before.not_run}
        left = Counter(one.code for one in after.findings if one.code not in undecided)
        assert left <= Counter(one.code for one in before.findings)
        assert not any(one.repair and (one.repair.safe or unsafe) for one in after.findings)
        assert left.total() < len(before.findings) or not count
        assert text.count("#") == files["plugin.yaml"].count("#")
        for key in {"config", "homepage", "tags"}.intersection(old):
            assert new[key] == old[key]
        for key in {"provides_tools", "provides_hooks"}.intersection(old):
            listed = old[key] if isinstance(old[key], list) else []
            assert {*listed} - {"pre_lm_call"} <= {*new[key]}
        return count


def test_fix_is_written_even_if_rules_that_it_enables_have_findings(plugin):
    manifest = MANIFEST.replace("name: example", "name: off") + "provides_tools: [flip]\n"
    directory = plugin({"plugin.yaml": manifest})
    assert "HS205" in {one.code for one in check(directory).not_run}
    result, count = fix(directory, Options(), unsafe=True)
    assert ([one.code for one in result.findings], count) == (["HS205"], 1)


def test_fix_accepts_the_path_of_the_manifest(plugin):
    directory = plugin({"__init__.py": ROLLING})
    assert fix(directory / "plugin.yaml", Options())[1] == 2
    assert parse(directory / "plugin.yaml").value["provides_tools"] == ["roll"]
