"""Which hosts a manifest is for, what they take the plugin for, and what is repaired in it."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.fix import fix
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST, NOTHING

STATIC = Options(static=True)
MIDDLEWARE = "def register(ctx):\n    ctx.register_middleware('tool_request', lambda **kwargs: None)\n"
NO_KIND = MANIFEST.replace("kind: standalone\n", "")


def found(directory, *codes: str) -> list[tuple[str, str, int]]:
    return [(one.code, one.severity, one.line) for one in check(directory, STATIC).findings if one.code in codes]


@pytest.mark.parametrize(
    ("written", "raised"),
    [
        (">=0.13", ">=0.17.0"),
        ("0.16", ">=0.17.0"),
        (">=0.15, <0.22", ">=0.17.0, <0.22"),
        ("!=0.18.0", ">=0.17.0, !=0.18.0"),
    ],
)
def test_the_true_floor_is_written_and_other_limits_stay(plugin, written, raised):
    manifest = f"{MANIFEST}requires_hermes: '{written}'  # ours\n"
    directory = plugin({"__init__.py": MIDDLEWARE, "plugin.yaml": manifest})
    assert found(directory, "HS128") == [("HS128", "warning", 5)]
    _, count = fix(directory, STATIC)
    assert count == 1
    text = (directory / "plugin.yaml").read_text(encoding="utf-8")
    assert raised in text
    assert text.endswith("# ours\n")
    assert found(directory, "HS128") == []


@pytest.mark.parametrize("written", [">=0.17", ">=0.19, <0.22", "==0.18.1"])
def test_a_range_that_begins_late_enough_is_fine(plugin, written):
    manifest = f"{MANIFEST}requires_hermes: '{written}'\n"
    assert found(plugin({"__init__.py": MIDDLEWARE, "plugin.yaml": manifest}), "HS127", "HS128") == []


@pytest.mark.parametrize(
    "source",
    [
        "def register(ctx):\n    hasattr(ctx, 'register_middleware') and ctx.register_middleware('x', print)\n",
        "def register(ctx):\n    try:\n        ctx.register_middleware('x', print)\n    except TypeError: ...\n",
        "def register(ctx):\n    getattr(ctx, 'register_middleware', print)('x', print)\n",
    ],
)
def test_what_is_probed_for_is_no_need(plugin, source):
    manifest = f"{MANIFEST}requires_hermes: '>=0.13'\n"
    assert found(plugin({"__init__.py": source, "plugin.yaml": manifest}), "HS128", "HS214") == []


@pytest.mark.parametrize("written", ["~=0.19", "<0.x", "newest", ">=0.19 <0.22"])
def test_a_range_that_nobody_can_read_is_told(plugin, written):
    manifest = f"{MANIFEST}requires_hermes: '{written}'\n"
    assert found(plugin({"__init__.py": MIDDLEWARE, "plugin.yaml": manifest}), "HS127", "HS128") == [
        ("HS127", "error", 5)
    ]


def test_the_word_that_makes_a_provider_of_the_plugin_is_shown(plugin):
    source = f"import os\n\n# Unlike a MemoryProvider, this one forgets.\n{NOTHING}"
    directory = plugin({"__init__.py": source, "plugin.yaml": NO_KIND})
    (one,) = (one for one in check(directory, STATIC).findings if one.code == "HS129")
    assert (one.severity, one.path, one.line, one.column) == ("error", "__init__.py", 3, 12)


def test_a_true_provider_without_a_kind_is_a_warning_that_is_repaired(plugin):
    source = (
        "from agent.memory_provider import MemoryProvider\n\n\nclass Notes(MemoryProvider):\n    pass\n\n\n"
        "def register(ctx):\n    ctx.register_memory_provider(Notes())\n"
    )
    directory = plugin({"__init__.py": source, "plugin.yaml": NO_KIND})
    assert found(directory, "HS129") == [("HS129", "warning", 1)]
    fix(directory, STATIC)
    assert "kind: exclusive" in (directory / "plugin.yaml").read_text(encoding="utf-8")
    assert found(directory, "HS129") == []


def test_a_word_beyond_what_the_host_reads_is_no_matter(plugin):
    source = f"# {'-' * 8200}\n# MemoryProvider\n{NOTHING}"
    assert found(plugin({"__init__.py": source, "plugin.yaml": NO_KIND}), "HS129") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name: example\nversion: 1.10\n", "name: example\nversion: '1.10'\n"),
        ("name: example\nrequires_env: ROLL_KEY\n", "name: example\nrequires_env:\n  - ROLL_KEY\n"),
        ("name: example\nmanifest_version: 2  # new\n", "name: example\nmanifest_version: 1  # new\n"),
    ],
)
def test_safe_repairs_keep_the_rest(plugin, before, after):
    directory = plugin({"plugin.yaml": f"# ours\nkind: standalone\n{before}"})
    assert fix(directory, STATIC)[1] == 1
    assert (directory / "plugin.yaml").read_text(encoding="utf-8") == f"# ours\nkind: standalone\n{after}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name: off\n", "name: 'off'\n"),
        ("name: example\nprovide_tools: []\n", "name: example\nprovides_tools: []\n"),
        ("name: example\nhooks: []\n", "name: example\nprovides_hooks: []\n"),
    ],
)
def test_repairs_that_change_what_is_read_are_not_safe(plugin, before, after):
    directory = plugin({"plugin.yaml": f"kind: standalone\n{before}"})
    assert fix(directory, STATIC)[1] == 0
    assert fix(directory, STATIC, unsafe=True)[1] == 1
    assert (directory / "plugin.yaml").read_text(encoding="utf-8") == f"kind: standalone\n{after}"


def test_a_key_that_is_there_already_is_not_written_twice(plugin):
    manifest = f"{MANIFEST}hooks: []\nprovides_hooks: []\n"
    assert fix(plugin({"plugin.yaml": manifest}), STATIC, unsafe=True)[1] == 0
