"""Rules about imports, work at load time, and registrations."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.fixes import fix
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST, NOTHING

STATIC = Options(static=True)


def find(directory, *codes: str, options: Options = STATIC) -> list[tuple[str, str, str, int]]:
    every = check(directory, options).findings
    return [(one.code, one.severity, one.path, one.line) for one in every if one.code in codes]


def imports(source: str, **files: str) -> dict[str, str]:
    own = {f"{name}.py": content for name, content in files.items()}
    return {"__init__.py": f"{source}\n\n\n{NOTHING}", **own}


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (imports("from dice import ROLL", dice="ROLL = 1\n"), "HS209"),
        (imports("import dice", dice="ROLL = 1\n"), "HS209"),
        ({**imports("from dice.six import ROLL"), "dice/__init__.py": "", "dice/six.py": "ROLL = 1\n"}, "HS209"),
        (imports("from tools import ROLL", tools="ROLL = 1\n"), "HS208"),
        (imports("from utils import roll", utils="def roll():\n    pass\n"), "HS208"),
    ],
)
def test_absolute_import_of_the_plugins_own_module_is_the_only_error(plugin, files, code):
    directory = plugin(files)
    every = check(directory).findings
    assert [(one.code, one.path, one.line) for one in every if one.severity == "error"] == [(code, "__init__.py", 1)]
    assert "from ." in next(one.fix for one in every if one.code == code)


@pytest.mark.parametrize(
    "files",
    [
        imports("from .dice import ROLL", dice="ROLL = 1\n"),
        imports("try:\n    from .dice import ROLL\nexcept ImportError:\n    from dice import ROLL", dice="ROLL = 1\n"),
        imports("try:\n    import dice\nexcept ImportError:\n    dice = None", dice="ROLL = 1\n"),
        imports("import typing\n\nif typing.TYPE_CHECKING:\n    import dice", dice="ROLL = 1\n"),
        imports("from tools.registry import tool_error", tools="ROLL = 1\n"),
        imports("import json", json="ROLL = 1\n"),
        imports("import httpx", httpx="ROLL = 1\n"),
        imports("", dice="", main="import dice\n\nif __name__ == '__main__':\n    dice.roll()\n"),
        imports("import sys\n\nsys.path.insert(0, __file__)\n\nimport dice", dice="ROLL = 1\n"),
    ],
    ids=["relative", "fallback", "guarded", "typing", "the host's", "the library's", "third party", "script", "path"],
)
def test_correct_imports_have_no_finding(plugin, files):
    assert find(plugin(files), "HS208", "HS209") == []


@pytest.mark.parametrize("edit", ["sys.path.append('.')", "sys.path[:0] = ['.']", "sys.path += ['.']"])
def test_every_edit_of_sys_path_is_reported(plugin, edit):
    directory = plugin({"__init__.py": f"import sys\n\n{edit}\n{NOTHING}"})
    assert find(directory, "HS210") == [("HS210", "warning", "__init__.py", 3)]


@pytest.mark.parametrize(
    "work",
    [
        "requests.get('https://example.org')",
        "urlopen('https://example.org')",
        "threading.Thread(target=print).start()",
        "subprocess.Popen(['true'])",
        "open('log', 'w')",
        "open('log', mode='a')",
        "pathlib.Path('x').write_text('')",
        "time.sleep(1)",
    ],
)
def test_work_at_import_is_reported(plugin, work):
    start = "import pathlib, requests, subprocess, threading, time\nfrom urllib.request import urlopen\n"
    assert find(plugin({"__init__.py": f"{start}{work}\n{NOTHING}"}), "HS211") == [
        ("HS211", "warning", "__init__.py", 3)
    ]
    later = f"{start}{NOTHING}\n\ndef start():\n    {work}\n\n\nif __name__ == '__main__':\n    {work}\n"
    assert find(plugin({"__init__.py": later}), "HS211") == []


def test_reading_files_and_creating_directories_at_load_time_is_allowed(plugin):
    source = f"import os\n\nTEXT = open(__file__).read()\n\n\n{NOTHING}    os.makedirs('data', exist_ok=True)\n"
    assert find(plugin({"__init__.py": source}), "HS211") == []


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("raise RuntimeError", True),
        ("print(os.environ['KEY'])", True),
        ("print(os.environ.get('KEY'))", False),
        ("os.environ['KEY'] = 'x'", False),
        ("try:\n        raise RuntimeError\n    except RuntimeError:\n        pass", False),
        ("def later():\n        raise RuntimeError", False),
    ],
)
def test_exception_after_a_registration_is_reported(plugin, line, is_found):
    source = f"import os\n\n\n{NOTHING}    {line}\n"
    earlier = Options(static=True, release="0.19.0")
    assert bool(find(plugin({"__init__.py": source}), "HS213", options=earlier)) is is_found


def test_exception_before_a_registration_is_allowed(plugin):
    source = "import os\n\n\ndef register(ctx):\n    key = os.environ['KEY']\n    ctx.register_command(key, print)\n"
    assert find(plugin({"__init__.py": source}), "HS213", options=Options(static=True, release="0.19.0")) == []


def test_members_of_ctx_depend_on_the_release(plugin):
    source = "def register(ctx):\n    ctx.register_middleware('tool_request', lambda **kwargs: None)\n"
    every = check(plugin({"__init__.py": source}), Options(target=">=0.15, <0.18", static=True)).findings
    assert [(one.code, one.releases) for one in every] == [("HS214", ("0.15.0", "0.15.1", "0.15.2", "0.16.0"))]


@pytest.mark.parametrize(
    "source",
    [
        "def register(ctx):\n    ctx.register_memory_provider(None)\n",
        "def connect(ctx):\n    return ctx.check_hostname\n",
        "class Tools:\n    def start(self):\n        return self.ctx.settings\n",
    ],
    ids=["the collector of memory providers", "another ctx", "a member of something else"],
)
def test_attributes_of_other_objects_are_not_missing_members(plugin, source):
    assert find(plugin({"__init__.py": source}), "HS214") == []


def test_misspelt_member_is_the_only_error_and_gets_a_suggestion(plugin):
    every = check(plugin({"__init__.py": "def register(ctx):\n    ctx.register_tools()\n"})).findings
    assert [(one.code, one.line) for one in every if one.severity == "error"] == [("HS214", 2)]
    assert "did you mean 'register_tool'?" in every[0].message


@pytest.mark.parametrize(
    ("manifest", "source", "severity"),
    [
        (MANIFEST, "def register(ctx):\n    pass\n", ["error"]),
        (MANIFEST, "def register(ctx):\n    if 0:\n        ctx.register_command('x', print)\n", ["warning"]),
        (MANIFEST, "async def register(ctx):\n    pass\n", []),
        (f"{MANIFEST}provides_locales: [fr]\n", "def register(ctx):\n    pass\n", []),
    ],
    ids=["never", "on a condition", "async", "a language pack"],
)
def test_plugin_without_registrations_is_reported(plugin, manifest, source, severity):
    directory = plugin({"plugin.yaml": manifest, "__init__.py": source})
    assert [one[1] for one in find(directory, "HS216", options=Options())] == severity


def test_fix_adds_registrations_to_the_manifest(plugin):
    source = (
        "def register(ctx):\n"
        "    schema = {'description': 'Roll.', 'parameters': {'type': 'object', 'properties': {}}}\n"
        "    handle = lambda args, **kwargs: '4'\n"
        "    ctx.register_tool('roll', 'dice', schema, handle, requires_env=['ROLL_KEY'])\n"
        "    ctx.register_hook('on_session_end', lambda **kwargs: None)\n"
    )
    directory = plugin({"plugin.yaml": f"# ours\n{MANIFEST}provides_tools: []  # all\n", "__init__.py": source})
    assert sorted(one.code for one in check(directory).findings) == ["HS206", "HS206", "HS217"]
    result, count = fix(directory, Options(), unsafe=True)
    assert (result.findings, count) == ((), 3)
    text = (directory / "plugin.yaml").read_text(encoding="utf-8")
    assert text.startswith(f"# ours\n{MANIFEST}")
    for name in ("roll", "on_session_end", "ROLL_KEY"):
        assert name in text


def test_plugin_named_like_a_bundled_one_is_reported_outside_of_hermes(plugin, tmp_path):
    directory = plugin({"plugin.yaml": MANIFEST.replace("name: example", "name: irc-platform")})
    earlier = Options(static=True, release="0.19.0")
    assert find(directory, "HS215", options=earlier) == [("HS215", "warning", "plugin.yaml", 1)]
    assert find(directory, "HS215", options=Options(static=True, release="0.22.2")) == []
    (tmp_path / "hermes_cli").mkdir()
    (tmp_path / "plugins").mkdir()
    assert find(directory.rename(tmp_path / "plugins" / "irc"), "HS215", options=earlier) == []
