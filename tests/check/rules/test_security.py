"""Rules about security."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.fixes import fix
from hermes_sdk.check.options import Options

STATIC = Options(static=True)
TOKEN = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyz"
REGISTER = "\n\ndef register(ctx):\n    ctx.register_command('example', print)\n"


@pytest.fixture
def codes(plugin):
    def find_codes(source: str, **files: str) -> list[str]:
        directory = plugin({"__init__.py": source + REGISTER, **files})
        return [one.code for one in check(directory, STATIC).findings if one.code.startswith("HS70")]

    return find_codes


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from pathlib import Path\nHOME = Path.home() / '.hermes'\n", ["HS701"]),
        ("import os\nHOME = os.path.expanduser('~/.hermes/notes')\n", ["HS701"]),
        ("HOME = open('/root/.hermes/config.yaml')\n", ["HS701"]),
        ("import os\nfrom pathlib import Path\nHOME = os.environ.get('HERMES_HOME') or Path.home() / '.hermes'\n", []),
        (
            "from pathlib import Path\n\n\ndef home():\n    try:\n"
            "        from hermes_constants import get_hermes_home\n        return get_hermes_home()\n"
            "    except ImportError:\n        return Path.home() / '.hermes'\n",
            [],
        ),
        ("HELP = 'Edit ~/.hermes/config.yaml'\n", []),
        ('"""Reads ~/.hermes/config.yaml."""\n', []),
        ("print('~/.hermes/config.yaml')\n", []),
    ],
)
def test_hard_coded_home_is_reported(codes, source, expected):
    assert codes(source) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TOKEN, ["HS702"]),
        ("ghp_" + "x" * 36, []),
        ("AKIA" + "IOSFODNN7EXAMPLE", []),
        ("sk-...", []),
        ("-----BEGIN PRIVATE KEY-----", []),
        (
            "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + "VJTUt9Us8cKj",
            ["HS702"],
        ),
    ],
)
def test_secrets_are_distinguished_from_placeholders(codes, text, expected):
    assert codes(f"KEY = '''{text}'''\n") == expected
    assert codes("", **{"config.json.example": text}) == expected


def test_secret_is_reported_without_its_text(plugin):
    (found,) = check(plugin({"notes.md": f"Hello\n\nkey {TOKEN}\n"}), STATIC).findings
    assert (found.path, found.line, found.column) == ("notes.md", 3, 5)
    assert TOKEN not in found.message


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("logger.info('key %s', api_key)", ["HS703"]),
        ("logging.debug(f'{self.bot_token}')", ["HS703"]),
        ("print(password)", ["HS703"]),
        ("print('key: ' + api_key)", ["HS703"]),
        ("print('key: {}'.format(api_key))", ["HS703"]),
        ("print(os.environ['WEATHER_KEY'])", ["HS703"]),
        ("print(os.environ)", ["HS703"]),
        ("key = os.environ['WEATHER_KEY']; print(f'{key}')", ["HS703"]),
        ("secret = os.getenv('WEATHER_KEY'); print(secret)", ["HS703"]),
        ("key = os.environ['WEATHER_KEY']; print(len(key))", []),
        ("print(os.environ.get('LANG'))", []),
        ("print(sorted(os.environ))", []),
        ("logger.info('set: %s', bool(api_key))", []),
        ("logger.info('…%s', api_key[-4:])", []),
        ("logger.info('%s tokens', max_tokens)", []),
        ("dialog.show(password)", []),
    ],
)
def test_secret_in_a_log_is_reported(codes, line, expected):
    source = f"import logging\nimport os\n\n\ndef f(self, logger, dialog, api_key, password, max_tokens):\n    {line}\n"
    assert [code for code in codes(source) if code != "HS704"] == expected


@pytest.mark.parametrize(
    ("result", "is_found"),
    [
        ("str(os.environ)", True),
        ("json.dumps(dict(os.environ))", True),
        ("json.dumps({**os.environ})", True),
        ("json.dumps({'environment': os.environ.copy()})", True),
        ("'\\n'.join(f'{name}={value}' for name, value in os.environ.items())", True),
        ("f\"key {os.environ['WEATHER_KEY']}\"", True),
        ("json.dumps({'key': KEY})", True),
        ("json.dumps(sorted(os.environ))", False),
        ("', '.join(os.environ)", False),
        ("json.dumps({name: value for name, value in os.environ.items() if name == 'LANG'})", False),
        ("json.dumps({'set': 'WEATHER_KEY' in os.environ})", False),
        ("json.dumps({'set': bool(KEY)})", False),
        ("subprocess.run(['date'], env=os.environ, text=True, capture_output=True, timeout=5).stdout", False),
        ("json.dumps({'password': args['password']})", False),
        ("os.environ.get('LANG', '')", False),
    ],
)
def test_secret_in_a_tool_result_is_reported(plugin, result, is_found):
    schema = '{"description": "Show.", "parameters": {"type": "object", "properties": {}}}'
    source = (
        "import json\nimport os\nimport subprocess\n\nKEY = os.environ.get('WEATHER_KEY')\n\n\n"
        f"def handle(args, **kwargs):\n    return {result}\n\n\n"
        f"def register(ctx):\n    ctx.register_tool('show', 'show', {schema}, handle)\n"
    )
    found = [one.line for one in check(plugin({"__init__.py": source})).findings if one.code == "HS710"]
    assert found == ([9] if is_found else [])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("os.environ['WEATHER_CITY']", ["HS704"]),
        ("os.getenv('WEATHER_KEY')", ["HS704"]),
        ("os.environ.get('WEATHER_TOKEN', '')", ["HS704"]),
        ("os.getenv('WEATHER_CITY', 'Oslo')", []),
        ("os.environ.get('DECLARED_KEY')", []),
        ("os.environ['OPTIONAL_KEY']", []),
        ("os.environ['HERMES_HOME']", []),
        ("os.environ['HOME']", []),
        ("os.environ.__setitem__('WEATHER_KEY', '')", []),
    ],
)
def test_undeclared_variable_is_reported(codes, line, expected):
    manifest = (
        "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\n"
        "requires_env:\n  - name: DECLARED_KEY\noptional_env: [OPTIONAL_KEY]\n"
    )
    assert codes(f"import os\n\n\ndef f():\n    return {line}\n", **{"plugin.yaml": manifest}) == expected


def test_fix_adds_variables_to_the_manifest(plugin):
    manifest = "name: example  # mine\nkind: standalone\nversion: '1.0.0'\ndescription: x\nrequires_env: [A_KEY]\n"
    source = "import os\n\n\ndef f():\n    return os.environ['C_KEY'], os.environ['B_KEY'], os.environ['A_KEY']\n"
    directory = plugin({"plugin.yaml": manifest, "__init__.py": source + REGISTER})
    after, _ = fix(directory, STATIC)
    assert after.findings == ()
    text = (directory / "plugin.yaml").read_text(encoding="utf-8")
    assert text.startswith("name: example  # mine\n")
    assert [name in text for name in ("A_KEY", "B_KEY", "C_KEY")] == [True] * 3


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("eval(line)", ["HS705"]),
        ("exec(compile(line, 'x', 'exec'))", ["HS705"]),
        ("eval('1 + 1')", []),
        ("model.eval()", []),
        ("os.system(f'rm {line}')", ["HS706"]),
        ("subprocess.run(line, shell=True)", ["HS706"]),
        ("subprocess.run('ls', shell=True)", []),
        ("subprocess.run(['wc', line])", []),
        ("subprocess.check_output(line)", []),
        ("subprocess.run(['git', '-C', line, 'pull'])", ["HS707"]),
        ("subprocess.run(['hermes', 'plugins', 'update', 'example'])", ["HS707"]),
        ("subprocess.run(['git', 'log'])", []),
    ],
)
def test_dynamic_code_shell_commands_and_self_updates_are_reported(codes, line, expected):
    assert codes(f"import os\nimport subprocess\n\n\ndef f(line, model):\n    return {line}\n") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import hermes_constants\nhermes_constants.x = 1\n", ["HS708"]),
        ("from tools.registry import registry\nregistry.dispatch = None\n", ["HS708"]),
        ("import tools.registry as r\nsetattr(r.registry, 'dispatch', None)\n", ["HS708"]),
        ("import sys\nsys.modules['tools.registry'] = None\n", ["HS708"]),
        ("import sys\nsys.modules['example_tools'] = None\n", []),
        ("import mine\nmine.x = 1\n", []),
        (
            "def f(registry):\n    registry.x = 1\n\n\ndef g():\n    from tools.registry import registry\n",
            [],
        ),
        ("from hermes_constants import get_hermes_home\nhome = get_hermes_home()\nhome.x = 1\n", []),
    ],
)
def test_change_of_a_host_module_is_reported(codes, source, expected):
    assert codes(source) == expected


def test_plugins_own_module_named_like_a_host_module_may_be_changed(codes):
    assert codes("import tools\ntools.x = 1\n", **{"tools.py": "x = 0\n"}) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from pathlib import Path\nPath('~/.aws/credentials').expanduser()\n", ["HS709"]),
        ("from pathlib import Path\nPath.home() / '.ssh' / 'id_rsa'\n", ["HS709"]),
        ("import os\nopen(os.path.expanduser('~/.netrc'))\n", ["HS709"]),
        ("PROTECTED = ['.aws/credentials', '~/.ssh/id_rsa']\n", []),
        ("from pathlib import Path\nPath('mine') / 'credentials.json'\n", []),
    ],
)
def test_access_to_credentials_of_other_programs_is_reported(codes, source, expected):
    assert codes(source) == expected
