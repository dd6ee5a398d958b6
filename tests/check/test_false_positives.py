"""Patterns that published plugins use on purpose are not errors."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import NOTHING

SCHEMA = '{"name": "roll", "description": "Roll.", "parameters": {"type": "object", "properties": {}}}'
DECLARES_ROLL = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\nprovides_tools: [roll]\n"


def errors(directory) -> list[str]:
    return [f"{found.code} {found.message}" for found in check(directory).findings if found.severity == "error"]


def findings(directory) -> list[tuple[str, str]]:
    return [(found.code, found.message) for found in check(directory).findings]


def tool(handler: str, schema: str = SCHEMA, options: str = "") -> dict[str, str]:
    call = f'ctx.register_tool(name="roll", toolset="t", schema={schema}, handler={handler}{options})'
    return {"plugin.yaml": DECLARES_ROLL, "__init__.py": f"import functools\n\n\ndef register(ctx):\n    {call}\n"}


def test_lambda_that_returns_a_coroutine_may_be_async(plugin):
    files = tool("lambda args, **kwargs: work(args)", options=", is_async=True")
    files["__init__.py"] += "\n\nasync def work(args):\n    return ''\n"
    assert findings(plugin(files)) == []


def test_partial_may_be_async(plugin):
    files = tool("functools.partial(work, 1)", options=", is_async=True")
    files["__init__.py"] += "\n\nasync def work(bound, args, **kwargs):\n    return ''\n"
    assert findings(plugin(files)) == []


def test_handlers_from_a_table_and_a_factory_have_no_finding(plugin):
    source = f"""\
def make(name):
    def handle(args, **kwargs):
        return name
    return handle


TABLE = [(name, make(name)) for name in ("flip", "roll")]


def register(ctx):
    for name, handler in TABLE:
        ctx.register_tool(name=name, toolset="t", schema={SCHEMA.replace('"roll"', "name")}, handler=handler)
"""
    manifest = DECLARES_ROLL.replace("[roll]", "[flip, roll]")
    assert findings(plugin({"plugin.yaml": manifest, "__init__.py": source})) == []


@pytest.mark.parametrize("probe", ['getattr(ctx, "register_gadget", None)', 'hasattr(ctx, "register_memory_provider")'])
def test_feature_that_the_plugin_probes_is_not_reported_as_missing(plugin, probe):
    source = f"{NOTHING}    {probe}\n"
    assert errors(plugin({"__init__.py": source})) == []


def test_guarded_import_of_a_missing_package_is_allowed(plugin):
    source = f"try:\n    import no_such_package_at_all\nexcept ImportError:\n    pass\n\n\n{NOTHING}"
    assert errors(plugin({"__init__.py": source})) == []


@pytest.mark.parametrize("surface", ["dashboard/manifest.json", "desktop/plugin.js", "locales/fr.yaml"])
def test_empty_register_is_allowed_with_dashboard_desktop_or_locale_files(plugin, surface):
    assert errors(plugin({"__init__.py": "def register(ctx):\n    return None\n", surface: "{}\n"})) == []


def test_conditional_registration_is_a_warning_at_the_declaration(plugin):
    source = 'import os\n\n\ndef register(ctx):\n    if os.environ.get("ROLL_KEY"):\n        ctx.register_tool()\n'
    manifest = f"{DECLARES_ROLL}requires_env: [ROLL_KEY]\n"
    result = check(plugin({"plugin.yaml": manifest, "__init__.py": source}))
    assert [(found.code, found.severity, found.path, found.line, found.column) for found in result.findings] == [
        ("HS216", "warning", "__init__.py", 6, 9),
        ("HS205", "warning", "plugin.yaml", 5, 18),
    ]


def test_manifest_of_a_memory_plugin_may_list_methods_as_hooks(plugin):
    manifest = "name: example\nversion: '1.0.0'\ndescription: x\nkind: exclusive\nhooks: [on_memory_write, prefetch]\n"
    source = NOTHING
    assert "HS401" not in {code for code, _ in findings(plugin({"plugin.yaml": manifest, "__init__.py": source}))}


def test_documentation_keys_are_allowed(plugin):
    manifest = (
        "name: example\nkind: standalone\nversion: '1.0.0'\nlicense: MIT\nhomepage: https://example.org\ntags: [a]\n"
    )
    assert errors(plugin({"plugin.yaml": manifest})) == []


def test_upper_case_in_a_slash_command_is_allowed(plugin):
    source = 'def register(ctx):\n    ctx.register_command("MyStatus", lambda line: "")\n'
    assert findings(plugin({"__init__.py": source})) == []


def test_tool_without_arguments_is_allowed(plugin):
    directory = plugin(tool("lambda args, **kwargs: ''", '{"description": "Roll."}'))
    assert [found.severity for found in check(directory).findings] == ["warning"]


@pytest.mark.parametrize(
    ("release", "findings"),
    [("0.16.0", [("HS301", "warning")]), ("0.17.0", [("HS301", "error")]), ("0.21.5", []), ("0.22.2", [])],
)
def test_handler_keywords_depend_on_the_release(plugin, release, findings):
    directory = plugin(tool("lambda args, task_id=None, user_task=None: ''"))
    found = check(directory, Options(release=release)).findings
    assert [(one.code, one.severity) for one in found] == findings


def test_type_name_in_place_of_a_schema_is_a_warning(plugin):
    schema = '{"description": "Roll.", "parameters": {"type": "object", "properties": {"sides": "string"}}}'
    result = check(plugin(tool("lambda args, **kwargs: ''", schema)))
    assert [(found.code, found.severity) for found in result.findings] == [("HS305", "warning")]


def test_syntax_error_in_a_file_that_is_not_a_module_is_a_warning(plugin):
    files = {"skeletons/new.py": "class {{ name }}:\n    pass\n"}
    result = check(plugin(files))
    assert [(found.code, found.severity, found.path) for found in result.findings] == [
        ("HS203", "warning", "skeletons/new.py")
    ]


def test_tests_hidden_directories_and_environments_are_not_checked(plugin):
    broken = "def (:\n"
    files = {
        "tests/test_it.py": broken,
        ".hidden/a.py": broken,
        "node_modules/a/b.py": broken,
        "env/pyvenv.cfg": "",
        "env/lib/a.py": broken,
    }
    assert findings(plugin(files)) == []


DICE = {"dice.py": "ROLL = 'roll'\n"}
EITHER_WAY = [
    "if __package__:\n    from .dice import ROLL\nelse:\n    from dice import ROLL\n",
    "if __package__ in (None, ''):\n    from dice import ROLL\nelse:\n    from .dice import ROLL\n",
    "try:\n    from .dice import ROLL\nexcept ImportError:\n    from dice import ROLL\n",
    "try:\n    from dice import ROLL\nexcept ImportError:\n    from .dice import ROLL\n",
]


@pytest.mark.parametrize("imports", EITHER_WAY)
def test_import_fallback_for_scripts_is_allowed(plugin, imports):
    assert findings(plugin({**DICE, "__init__.py": f"{imports}\n\n{NOTHING}\n\nprint(ROLL)\n"})) == []


def test_guard_in_one_file_applies_to_others(plugin):
    files = {
        "__init__.py": f"from . import gadgets, hosts\n\n\n{NOTHING}    if hosts.can(ctx):\n        gadgets.add(ctx)\n",
        "hosts.py": "def can(ctx):\n    return hasattr(ctx, 'register_gadget')\n",
        "gadgets.py": "def add(ctx):\n    ctx.register_gadget('roll')\n",
    }
    assert findings(plugin(files)) == []


@pytest.mark.parametrize("name", ["conftest.py", "test_home.py", "home_test.py"])
def test_tests_next_to_the_plugin_are_not_checked(plugin, name):
    test = (
        "import pytest\n\n\n@pytest.fixture\ndef home(tmp_path):\n    (tmp_path / '.hermes').mkdir()\n"
        "    return tmp_path / '.hermes/skills'\n"
    )
    assert findings(plugin({name: test})) == []


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nimport types\n\nsys.modules['vendored'] = types.ModuleType('vendored')\nimport vendored\n",
        "import sys\nimport types\n\nsys.modules.setdefault('vendored', types.ModuleType('x'))\nimport vendored\n",
        "import sys\nfrom . import lib\n\nsys.modules['vendored'] = sys.modules['vendored.deep'] = lib\n"
        "import vendored.deep\n",
    ],
)
def test_module_in_sys_modules_needs_no_declaration(plugin, source):
    assert findings(plugin({"__init__.py": f"{source}\n\n{NOTHING}", "lib.py": ""})) == []


@pytest.mark.parametrize(
    "line",
    [
        "from gateway.session import SessionSource",
        "from agent.plugin_llm import PluginLlm",
        "from cron.scheduler_provider import CronScheduler",
        "from hermes_cli.dashboard_auth import DashboardAuthProvider",
        "from plugins.memory import discover_memory_providers",
    ],
)
def test_import_of_a_module_with_a_stand_in_is_allowed(plugin, line):
    assert findings(plugin({"__init__.py": f"{line}\n\n\n{NOTHING}"})) == []
