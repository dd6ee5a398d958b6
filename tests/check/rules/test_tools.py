"""Rules about handlers and names of tools."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST

SCHEMA = '{"description": "Roll.", "parameters": {"type": "object", "properties": {}}}'


def tool(handler: str, *, name: str = "roll", toolset: str = "dice", options: str = "") -> dict[str, str]:
    call = f"ctx.register_tool('{name}', '{toolset}', {SCHEMA}, handle{options})"
    return {
        "plugin.yaml": f"{MANIFEST}provides_tools: ['{name}']\n",
        "__init__.py": f"import json\nimport sys\n\n\n{handler}\n\n\ndef register(ctx):\n    {call}\n",
    }


def handler(*body: str) -> str:
    return "\n    ".join(["def handle(args, **kwargs):", *body])


def find(directory, *codes: str, release: str | None = None) -> list[tuple[str, str, int]]:
    every = check(directory, Options(release=release)).findings
    return [(one.code, one.severity, one.line) for one in every if not codes or one.code in codes]


@pytest.mark.parametrize(
    "body",
    [
        ("return json.dumps({})",),
        ("if args:", "    return 'a'", "else:", "    return 'b'"),
        ("try:", "    return 'a'", "except ValueError:", "    return 'b'"),
        ("with open(__file__) as file:", "    return file.read()"),
        ("while True:", "    if args:", "        return 'a'"),
        ("match args:", "    case {'a': _}:", "        return 'a'", "    case _:", "        return 'b'"),
        ("return {'_multimodal': True, 'content': []}",),
        ("return {**args}",),
        ("return args.get('text')",),
        ("def inner():", "    return {}", "return json.dumps(inner())"),
        ("try:", "    raise ValueError", "except ValueError:", "    return 'b'"),
    ],
)
def test_handlers_that_may_return_text_have_no_finding(plugin, body):
    assert find(plugin(tool(handler(*body)))) == []


@pytest.mark.parametrize(
    "value", ["{'sides': 6}", "[1]", "(1, 2)", "None", "", "6", "True", "[one for one in args]", "b'4'"]
)
def test_results_other_than_text_are_reported(plugin, value):
    body = ("if args:", f"    return {value}", "return 'a'")
    assert find(plugin(tool(handler(*body)))) == [("HS313", "error", 7)]


@pytest.mark.parametrize(
    "body",
    [
        ("print(args)",),
        ("if args:", "    return 'a'"),
        ("try:", "    return 'a'", "except ValueError:", "    print()"),
        ("for one in args:", "    return one"),
    ],
)
def test_handler_that_may_end_without_a_result_is_reported(plugin, body):
    assert find(plugin(tool(handler(*body)))) == [("HS313", "warning", 5)]


def test_wrong_result_is_a_warning_on_releases_that_accept_it(plugin):
    files = tool(handler("return {}"))
    assert find(plugin(files), "HS313", release="0.18.0") == [("HS313", "warning", 6)]


def test_decorated_handler_is_not_checked(plugin):
    decorated = (
        "def as_text(function):\n    def handle(args, **kwargs):\n        return json.dumps(function(args, **kwargs))\n"
        f"    return handle\n\n\n@as_text\n{handler('return {}')}"
    )
    assert find(plugin(tool(decorated))) == []


def test_handlers_from_a_factory_and_methods_are_checked(plugin):
    source = (
        "class Dice:\n    def roll(self, args, **kwargs):\n        return {}\n\n\n"
        "def make():\n    def inner(args, **kwargs):\n        return []\n    return inner\n\n\nhandle = make()"
    )
    files = tool(source)
    files["__init__.py"] += f"    ctx.register_tool('flip', 'dice', {SCHEMA}, Dice().roll)\n"
    files["plugin.yaml"] = f"{MANIFEST}provides_tools: [roll, flip]\n"
    assert find(plugin(files)) == [("HS313", "error", 7), ("HS313", "error", 12)]


@pytest.mark.parametrize("end", ["sys.exit(1)", "raise SystemExit", "quit()"])
def test_exit_in_a_handler_is_reported(plugin, end):
    assert find(plugin(tool(handler(end, "return 'a'"))), "HS314", "HS315") == [("HS314", "error", 6)]


def test_exception_in_a_handler_is_reported(plugin):
    assert find(plugin(tool(handler("if not args:", "    raise ValueError('empty')", "return 'a'")))) == [
        ("HS315", "warning", 7)
    ]


@pytest.mark.parametrize(
    ("name", "toolset", "expected"),
    [
        ("web_extract", "dice", [("HS308", "error", 10)]),
        ("read_file", "file", [("HS308", "error", 10)]),
        ("roll", "web", [("HS310", "info", 10)]),
    ],
)
def test_built_in_tool_and_toolset_names_are_reported(plugin, name, toolset, expected):
    assert find(plugin(tool(handler("return 'a'"), name=name, toolset=toolset))) == expected


def test_built_in_tools_depend_on_the_release(plugin):
    files = tool(handler("return 'a'"), name="x_search")
    directory = plugin(files)
    assert find(directory, "HS308", release="0.13.0") == []
    assert find(directory, "HS308", release="0.19.0") == [("HS308", "error", 10)]


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("time.sleep(1)", True),
        ("requests.get('https://example.org')", True),
        ("subprocess.run(['true'])", True),
        ("await asyncio.sleep(1)", False),
        ("await asyncio.to_thread(time.sleep, 1)", False),
        ("await asyncio.to_thread(lambda: time.sleep(1))", False),
    ],
)
def test_blocking_call_in_async_function_is_reported(plugin, body, is_found):
    source = f"import asyncio, requests, subprocess, time\n\n\nasync def handle():\n    {body}\n"
    every = check(plugin({"__init__.py": source}), Options(static=True)).findings
    assert ("HS312" in {one.code for one in every}) is is_found


def test_override_in_a_try_is_allowed(plugin):
    source = (
        "def register(ctx):\n    try:\n        ctx.register_tool('roll', 'dice', {}, print, override=True)\n"
        "    except PermissionError:\n        pass\n"
    )
    every = check(plugin({"__init__.py": source}), Options(static=True)).findings
    assert "HS309" not in {one.code for one in every}


@pytest.mark.parametrize(
    ("parameter", "body", "is_found"),
    [
        ("cache={}", "cache['a'] = args", True),
        ("cache=dict()", "cache.update(args)", True),
        ("*, rolls=[]", "rolls += [4]", True),
        ("cache=None", "cache = {}; cache['a'] = args", False),
        ("headers={}", "print(headers)", False),
        ("sides=6", "sides += 1", False),
    ],
)
def test_changed_mutable_default_is_reported(plugin, parameter, body, is_found):
    source = f"def handle(args, {parameter}, **kwargs):\n    {body}\n    return ''"
    assert find(plugin(tool(source))) == ([("HS317", "warning", 5)] if is_found else [])
