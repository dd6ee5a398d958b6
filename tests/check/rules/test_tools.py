"""What handlers do, and names of tools beside those of the host."""

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


def found(directory, *codes: str, release: str | None = None) -> list[tuple[str, str, int]]:
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
def test_handlers_that_return_text_or_may_do_so(plugin, body):
    assert found(plugin(tool(handler(*body)))) == []


@pytest.mark.parametrize(
    "value", ["{'sides': 6}", "[1]", "(1, 2)", "None", "", "6", "True", "[one for one in args]", "b'4'"]
)
def test_results_that_are_no_text(plugin, value):
    body = ("if args:", f"    return {value}", "return 'a'")
    assert found(plugin(tool(handler(*body)))) == [("HS313", "error", 7)]


@pytest.mark.parametrize(
    "body",
    [
        ("print(args)",),
        ("if args:", "    return 'a'"),
        ("try:", "    return 'a'", "except ValueError:", "    print()"),
        ("for one in args:", "    return one"),
    ],
)
def test_a_handler_that_may_end_without_a_result(plugin, body):
    assert found(plugin(tool(handler(*body)))) == [("HS313", "warning", 5)]


def test_releases_that_pass_everything_on_are_a_warning(plugin):
    files = tool(handler("return {}"))
    assert found(plugin(files), "HS313", release="0.18.0") == [("HS313", "warning", 6)]


def test_a_handler_behind_a_decorator_is_not_judged_by_its_body(plugin):
    decorated = (
        "def as_text(function):\n    def handle(args, **kwargs):\n        return json.dumps(function(args, **kwargs))\n"
        f"    return handle\n\n\n@as_text\n{handler('return {}')}"
    )
    assert found(plugin(tool(decorated))) == []


def test_a_handler_of_a_factory_and_a_method_are_found(plugin):
    source = (
        "class Dice:\n    def roll(self, args, **kwargs):\n        return {}\n\n\n"
        "def make():\n    def inner(args, **kwargs):\n        return []\n    return inner\n\n\nhandle = make()"
    )
    files = tool(source)
    files["__init__.py"] += f"    ctx.register_tool('flip', 'dice', {SCHEMA}, Dice().roll)\n"
    files["plugin.yaml"] = f"{MANIFEST}provides_tools: [roll, flip]\n"
    assert found(plugin(files)) == [("HS313", "error", 7), ("HS313", "error", 12)]


@pytest.mark.parametrize("end", ["sys.exit(1)", "raise SystemExit", "quit()"])
def test_what_ends_the_host(plugin, end):
    assert found(plugin(tool(handler(end, "return 'a'"))), "HS314", "HS315") == [("HS314", "error", 6)]


def test_an_exception_that_escapes(plugin):
    assert found(plugin(tool(handler("if not args:", "    raise ValueError('empty')", "return 'a'")))) == [
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
def test_names_of_the_host(plugin, name, toolset, expected):
    assert found(plugin(tool(handler("return 'a'"), name=name, toolset=toolset))) == expected


def test_a_name_is_looked_up_in_each_release(plugin):
    files = tool(handler("return 'a'"), name="x_search")
    directory = plugin(files)
    assert found(directory, "HS308", release="0.13.0") == []
    assert found(directory, "HS308", release="0.19.0") == [("HS308", "error", 10)]


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("time.sleep(1)", True),
        ("requests.get('https://example.org')", True),
        ("subprocess.run(['true'])", True),
        ("await asyncio.sleep(1)", False),
        ("await asyncio.to_thread(time.sleep, 1)", False),
        ("await asyncio.to_thread(lambda: time.sleep(1))", False),
    ],
)
def test_what_blocks_the_loop(plugin, body, is_told):
    source = f"import asyncio, requests, subprocess, time\n\n\nasync def handle():\n    {body}\n"
    every = check(plugin({"__init__.py": source}), Options(static=True)).findings
    assert ("HS312" in {one.code for one in every}) is is_told


def test_an_override_may_be_caught(plugin):
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
def test_a_default_is_not_changed(plugin, parameter, body, is_found):
    source = f"def handle(args, {parameter}, **kwargs):\n    {body}\n    return ''"
    assert found(plugin(tool(source))) == ([("HS317", "warning", 5)] if is_found else [])
