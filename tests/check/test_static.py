"""If a plugin is not loaded, the rules about registrations report only what is certain from its source."""

import io
from pathlib import Path

import pytest
from check.conftest import newest_release
from check.test_field import ROWS

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Finding
from hermes_sdk.check.options import Options
from hermes_sdk.check.report import text
from hermes_sdk.check.rule import Example
from hermes_sdk.check.rules import RULES

STATIC = Options(static=True)
CHECKED = [rule for rule in RULES if rule.subject == "registration"]
CHECKED_CODES = {rule.code for rule in CHECKED}
EXAMPLES = {
    **{
        f"{rule.code} {kind}": files
        for rule in RULES
        for kind, files in (("bad", rule.bad), ("good", rule.good))
        if files
    },
    **{name: row["files"] for name, row in ROWS.items()},
}


def find_problems(directory: Path, options: Options = STATIC) -> set[Finding]:
    """Return the findings of the rules about registrations."""
    found = check(directory, options).findings
    return {one._replace(fingerprint="") for one in found if one.code in CHECKED_CODES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_static_findings_are_confirmed_by_loading_the_plugin(name, write):
    directory = write(EXAMPLES[name])
    if found := find_problems(directory):
        assert found <= find_problems(directory, Options())


@pytest.mark.parametrize("rule", CHECKED, ids=lambda rule: rule.code)
def test_bad_example_has_its_finding_without_loading(rule, write):
    options = STATIC._replace(release=newest_release(rule))
    assert rule.code in {one.code for one in check(write(rule.bad), options).findings}


@pytest.mark.parametrize("rule", CHECKED, ids=lambda rule: rule.code)
def test_bad_example_has_its_finding_when_the_plugin_does_not_load(rule, write):
    source = f"import no_such_package_anywhere\n{rule.bad['__init__.py']}"
    result = check(write({**rule.bad, "__init__.py": source}), Options(release=newest_release(rule)))
    assert {"HS201", rule.code} <= {one.code for one in result.findings}
    assert any(one.code == rule.code and "registrations" in one.reason for one in result.not_run)


WRONG = 'ctx.register_hook("pre_lm_call", lambda **kwargs: None)'


@pytest.mark.parametrize(
    "files",
    [
        {"__init__.py": f"def register(ctx):\n    {WRONG}\n"},
        {"__init__.py": f"def register(ctx, more=None):\n    if more:\n        more()\n    {WRONG}\n"},
        {"__init__.py": f"def _hooks(ctx):\n    {WRONG}\n\n\ndef register(context):\n    _hooks(ctx=context)\n"},
        {
            "__init__.py": "from .parts import hooks as h\n\n\ndef register(ctx):\n    h.add(ctx)\n",
            "parts/__init__.py": "",
            "parts/hooks.py": f"def add(ctx):\n    {WRONG}\n",
        },
        {"__init__.py": "from .main import register\n", "main.py": f"def register(ctx):\n    {WRONG}\n"},
        {
            "__init__.py": "from . import names\n\n\ndef register(ctx):\n"
            "    ctx.register_hook(callback=lambda **kwargs: None, hook_name=names.HOOK)\n",
            "names.py": 'HOOK: str = "pre_lm_call"\n',
        },
    ],
    ids=["directly", "behind other statements", "in a function", "in another module", "imported", "by a constant"],
)
def test_unconditional_registration_is_checked(files: Example, plugin):
    directory = plugin(files)
    assert {one.code for one in find_problems(directory)} == {"HS401"}
    assert find_problems(directory) == find_problems(directory, Options())


@pytest.mark.parametrize(
    "body",
    [
        f"if ctx.profile_name:\n        {WRONG}",
        f"for _ in ():\n        {WRONG}",
        f"try:\n        {WRONG}\n    except ValueError:\n        pass",
        f"if len(__name__) > 1:\n        return\n    {WRONG}",
        f"ctx = Other()\n    {WRONG}",
        f"def later():\n        {WRONG}",
        f"class Later:\n        def add(self, ctx):\n            {WRONG}",
        WRONG.replace('"pre_lm_call"', '"pre_lm_call".replace("lm", "llm")'),
        WRONG.replace('"pre_lm_call"', "NAME"),
        WRONG.replace('"pre_lm_call"', "*ARGUMENTS"),
    ],
)
def test_uncertain_registration_is_not_checked(body, plugin):
    head = 'NAME = "pre_lm_call"\nNAME = "pre_llm_call"\nARGUMENTS = ("pre_llm_call",)\n\n\n'
    other = "class Other:\n    def register_hook(self, *args):\n        pass\n\n\n"
    assert find_problems(plugin({"__init__.py": f"{head}{other}def register(ctx):\n    {body}\n"})) == set()


@pytest.mark.parametrize("kind", ["exclusive", "model-provider"])
def test_registrations_of_a_plugin_that_another_loader_loads_are_not_checked(kind, plugin):
    manifest = f"name: example\nversion: '1.0.0'\ndescription: x\nkind: {kind}\n"
    assert (
        find_problems(plugin({"plugin.yaml": manifest, "__init__.py": f"def register(ctx):\n    {WRONG}\n"})) == set()
    )


TOOL = """\
{start}

def register(ctx):
    ctx.register_tool(name="roll", toolset="example", schema={schema}, handler={handler})
"""
SCHEMA = '{"description": "Roll.", "parameters": {"type": "object", "properties": {}}}'
REFUSING = 'def handle(args):\n    return "4"\n'


@pytest.mark.parametrize(
    ("start", "schema", "handler", "codes"),
    [
        (REFUSING, SCHEMA, "handle", {"HS301"}),
        ("", SCHEMA, "lambda args: '4'", {"HS301"}),
        (f"import functools\n\n\n@functools.cache\n{REFUSING}", SCHEMA, "handle", set()),
        (f"{REFUSING}\n\nhandle = print\n", SCHEMA, "handle", set()),
        (f"{REFUSING}\n\nclass Tools:\n    run = print\n\n\ntools = Tools()\n", SCHEMA, "tools.run", set()),
        ("SCHEMA = {}\n", "SCHEMA", "print", {"HS304", "HS307"}),
        ("SCHEMA = {'roll': {}}\n", "SCHEMA['roll']", "print", {"HS304", "HS307"}),
        (f"SCHEMA = {{}}\nSCHEMA.update({SCHEMA})\n", "SCHEMA", "print", set()),
        (f"SCHEMA = {{'x': {{}}}}\nSCHEMA['x'].update({SCHEMA})\n", "SCHEMA['x']", "print", set()),
        (f"SCHEMA = {{}}\ndict.update(SCHEMA, {SCHEMA})\n", "SCHEMA", "print", set()),
        (f"def schema():\n    return {SCHEMA}\n", "schema()", "print", set()),
    ],
)
def test_only_certain_schemas_and_handlers_of_tools_are_checked(start, schema, handler, codes, plugin):
    directory = plugin({"__init__.py": TOOL.format(start=start, schema=schema, handler=handler)})
    found = find_problems(directory, STATIC._replace(release="0.19.0"))
    assert {one.code for one in found} == codes
    assert found <= find_problems(directory, Options(release="0.19.0"))


def test_callback_is_checked_only_when_all_its_hooks_are_known(plugin):
    source = """\
def callback(tool_name, **kwargs):
    return None


def register(ctx):
    ctx.register_hook("on_session_start", callback)
"""
    assert {one.code for one in find_problems(plugin({"__init__.py": source}))} == {"HS404"}
    loop = '    for hook in ("pre_tool_call",):\n        ctx.register_hook(hook, callback)\n'
    assert find_problems(plugin({"__init__.py": source + loop})) == set()


def test_import_cycle_ends(plugin):
    files = {"__init__.py": "from .a import register\n", "a.py": "from .b import register\n"}
    assert find_problems(plugin({**files, "b.py": "from .a import register\n"})) == set()


def test_suppression_of_a_load_finding_is_not_reported_as_unused_by_a_static_check(plugin):
    comment = "  # hs: ignore[HS452] for the terminal"
    source = f"def register(ctx):\n    for name in ('a_b',):\n        ctx.register_command(name, print){comment}\n"
    directory = plugin({"__init__.py": source})
    assert check(directory, STATIC).findings == check(directory).findings == ()


def test_report_counts_the_rules_that_did_not_run(plugin, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result = check(plugin({}), STATIC)
    stream = io.StringIO()
    text.write(result, stream)
    verdict, rest = stream.getvalue().splitlines()
    coverage = result.coverage
    assert verdict.endswith(f" by {coverage.run} static rules.")
    assert rest.startswith(f"{len(coverage.left_out)} rules need the plugin to be loaded and did not run, and ")
    assert "without --static" in rest
    assert {"HS201", "HS205"} <= {*coverage.left_out}
    assert {*coverage.partly_run} == CHECKED_CODES
    assert result._replace(strict=True).passes()


def test_check_that_loads_the_plugin_runs_all_rules(plugin):
    coverage = check(plugin({})).coverage
    assert (coverage.partly_run, coverage.left_out) == ((), ())
    assert coverage.run > check(plugin({}), STATIC).coverage.run
