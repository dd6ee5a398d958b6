"""Rules about providers."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options

MEMORY = """\
from agent.memory_provider import MemoryProvider


class Notes(MemoryProvider):
    name = "notes"
    is_available = initialize = get_tool_schemas = None

    {method}
        pass


def register(ctx):
    ctx.register_memory_provider(Notes())
"""
EXCLUSIVE = "name: notes\nkind: exclusive\nversion: '1.0.0'\ndescription: Notes.\n"


@pytest.fixture
def codes(plugin):
    def find_codes(source: str, manifest: str = EXCLUSIVE, release: str = "0.19.0", **files: str) -> list[str]:
        directory = plugin({"plugin.yaml": manifest, "__init__.py": source, **files})
        found = check(directory, Options(static=True, release=release)).findings
        return [one.code for one in found if one.code.startswith("HS5")]

    return find_codes


@pytest.mark.parametrize(
    "method",
    [
        "def initialize(self, session_id, **kwargs):",
        "def initialize(self, *args, **kwargs):",
        "def initialize(self, **kwargs):",
        "def sync_turn(self, user, assistant, *, session_id=''):",
        "def sync_turn(self, user_content, assistant_content, session_id='', messages=None, own=1):",
        "def prefetch(self, query, *, session_id=''):",
        "def on_memory_write(self, action, target, content):",
        "def of_its_own(self, anything):",
        "@staticmethod\n    def backup_paths():",
    ],
)
def test_method_that_accepts_the_arguments_has_no_finding(codes, method):
    assert codes(MEMORY.format(method=method)) == []


@pytest.mark.parametrize(
    "method",
    [
        "def initialize(self, session_id):",
        "def initialize(self, session_id, config, **kwargs):",
        "def initialize(self, session_id, *, config, **kwargs):",
        "def prefetch(self, query):",
        "def prefetch(self):",
        "def sync_turn(self, user, assistant):",
    ],
)
def test_method_that_does_not_accept_the_arguments_is_reported(codes, method):
    assert codes(MEMORY.format(method=method)) == ["HS501"]


@pytest.mark.parametrize(("release", "expected"), [("0.13.0", []), ("0.19.0", ["HS501"])])
def test_method_arguments_depend_on_the_release(codes, release, expected):
    source = (
        "from agent.context_engine import ContextEngine\n\n\nclass Short(ContextEngine):\n"
        "    name = compress = should_compress = update_from_response = None\n\n"
        "    def update_model(self, model, context_length, base_url='', api_key='', provider=''):\n        pass\n"
    )
    assert codes(source, "name: short\nkind: standalone\n", release) == expected


def test_base_class_may_lack_methods(codes):
    base = "from agent.tts_provider import TTSProvider\n\n\nclass Base(TTSProvider):\n    name = 'a'\n\n\n"
    whole = "class Voice(Base):\n    def synthesize(self, text, output_path, **kwargs):\n        pass\n"
    assert codes(base + whole) == []
    assert codes(base) == ["HS502"]
    assert codes(base.replace("(TTSProvider)", "(TTSProvider, Mixin)")) == []


def test_class_of_another_package_with_the_same_name_is_ignored(codes):
    assert codes("from mine.memory_provider import MemoryProvider\n\n\nclass A(MemoryProvider):\n    pass\n") == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("bool(os.environ.get('KEY'))", []),
        ("shutil.which('tool') is not None", []),
        ("httpx.Client", []),
        ("httpx.get(URL).is_success", ["HS503"]),
        ("urllib.request.urlopen(URL)", ["HS503"]),
        ("time.sleep(1)", ["HS503"]),
    ],
)
def test_check_function_must_not_use_the_network(codes, expression, expected):
    source = (
        "import os, shutil, time\nimport urllib.request\n\nimport httpx\n\n\n"
        f"def ready():\n    return {expression}\n\n\ndef register(ctx):\n    ctx.register_tool(check_fn=ready)\n"
    )
    assert codes(source, "name: a\nkind: standalone\n") == expected


def test_handler_may_use_the_network(codes):
    source = "import httpx\n\n\ndef handle(args, **kwargs):\n    return httpx.get('https://example.org').text\n"
    assert codes(source, "name: a\nkind: standalone\n") == []


def test_guarded_registration_in_a_memory_plugin_has_no_finding(codes):
    source = (
        MEMORY.format(method="def x(self):") + "    if hasattr(ctx, 'register_tool'):\n        ctx.register_tool()\n"
    )
    assert codes(source) == []


def test_registration_that_the_memory_loader_drops_is_reported(codes):
    source = MEMORY.format(method="def x(self):")
    assert codes(source + "    ctx.register_hook('on_session_end', print)\n") == ["HS511"]
    assert codes(source + "    ctx.register_skill('notes', None)\n") == ["HS511"]
    assert codes(source + "    ctx.register_skill('notes', None)\n", EXCLUSIVE.replace("exclusive", "standalone")) == []


@pytest.mark.parametrize(
    ("lines", "release", "expected"), [(50, "0.21.5", []), (110, "0.21.5", ["HS512"]), (110, "0.22.2", [])]
)
def test_memory_provider_must_be_named_in_the_first_8192_characters(codes, lines, release, expected):
    assert codes(f"# {'x' * 77}\n" * lines + MEMORY.format(method="def x(self):"), EXCLUSIVE, release) == expected


@pytest.mark.parametrize(
    ("module", "release", "expected"),
    [("store.py", "0.21.5", ["HS512"]), ("store.py", "0.22.2", []), ("stores/notes.py", "0.22.2", ["HS512"])],
)
def test_memory_provider_in_a_sibling_module_is_found_since_0_22_2(codes, module, release, expected):
    provider = MEMORY.format(method="def x(self):").replace("def register(", "def offer(")
    source = "from . import store\n\n\ndef register(ctx):\n    store.offer(ctx)\n"
    assert codes(source, EXCLUSIVE, release, **{module: provider}) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("test_notes.py", ["HS513"]), ("scripts/setup.py", []), ("store.py", [])]
)
def test_only_test_modules_next_to_a_memory_plugin_are_reported(codes, name, expected):
    assert codes(MEMORY.format(method="def x(self):"), **{name: ""}) == expected


def test_standalone_plugin_may_have_a_setup_file(codes):
    assert codes("def register(ctx):\n    pass\n", "name: a\nkind: standalone\n", **{"setup.py": ""}) == []


def test_model_provider_may_have_an_empty_register(codes):
    source = "import providers\n\nproviders.register_provider(None)\n\n\ndef register(ctx):\n    pass\n"
    assert codes(source, "name: a\nkind: model-provider\n") == []


def test_engine_that_defines_deepcopy_may_have_a_lock(codes):
    source = (
        "import threading\n\nfrom agent.context_engine import ContextEngine\n\n\nclass Short(ContextEngine):\n"
        "    name = compress = should_compress = update_from_response = None\n\n"
        "    def __init__(self):\n        self.lock = threading.Lock()\n"
    )
    assert codes(source, "name: a\nkind: standalone\n") == ["HS505"]
    assert codes(source, "name: a\nkind: standalone\n", "0.13.0") == []
    copying = "\n    def __deepcopy__(self, memo):\n        return Short()\n"
    assert codes(source + copying, "name: a\nkind: standalone\n") == []


def test_exclusive_plugin_needs_a_module(tmp_path):
    directory = tmp_path / "notes"
    directory.mkdir()
    (directory / "plugin.yaml").write_text(EXCLUSIVE, encoding="utf-8")
    (finding,) = check(directory, Options(static=True)).findings
    assert (finding.code, finding.path, finding.line) == ("HS512", "plugin.yaml", 2)
    assert "there is no __init__.py" in finding.message


@pytest.mark.parametrize(("name", "expected"), [("holographic", ["HS516"]), ("notes", [])])
def test_memory_provider_must_not_have_the_name_of_a_bundled_one(codes, name, expected):
    assert codes(MEMORY.format(method="def x(self):"), EXCLUSIVE.replace("notes", name)) == expected


def test_early_releases_have_bundled_memory_providers(codes):
    manifest = EXCLUSIVE.replace("notes", "holographic")
    assert "HS516" in codes(MEMORY.format(method="def x(self):"), manifest, release="0.13.0")


MODEL = "name: example\nkind: model-provider\nversion: '1.0.0'\ndescription: An example.\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "import no_such_package",
            "the loader of model providers gets no provider from the plugin; it imports no_such_package, "
            "which cannot be found",
        ),
        ("raise ValueError('no')", "the loader of model providers gets no provider from the plugin"),
        ("NAME = 'example'", None),
    ],
)
def test_failing_model_provider_is_reported(plugin, line, message):
    source = (
        "from providers import register_provider\nfrom providers.base import ProviderProfile\n\n"
        f"{line}\nregister_provider(ProviderProfile(name='example'))\n"
    )
    findings = check(plugin({"plugin.yaml": MODEL, "__init__.py": source})).findings
    assert [one.message for one in findings if one.code == "HS515"] == ([message] if message else [])


def test_model_provider_without_a_module_is_reported(tmp_path):
    directory = tmp_path / "example"
    directory.mkdir()
    (directory / "plugin.yaml").write_text(MODEL, encoding="utf-8")
    assert "HS515" in {one.code for one in check(directory).findings}
