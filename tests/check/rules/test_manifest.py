"""Rules about the releases and the kind in a manifest, and repairs of manifests."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.fixes import fix
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST, NOTHING

STATIC = Options(static=True)
MIDDLEWARE = "def register(ctx):\n    ctx.register_middleware('tool_request', lambda **kwargs: None)\n"
NO_KIND = MANIFEST.replace("kind: standalone\n", "")


def find(directory, *codes: str) -> list[tuple[str, str, int]]:
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
def test_fix_raises_the_minimum_version_and_keeps_other_limits(plugin, written, raised):
    manifest = f"{MANIFEST}requires_hermes: '{written}'  # ours\n"
    directory = plugin({"__init__.py": MIDDLEWARE, "plugin.yaml": manifest})
    assert find(directory, "HS128") == [("HS128", "warning", 5)]
    _, count = fix(directory, STATIC)
    assert count == 1
    text = (directory / "plugin.yaml").read_text(encoding="utf-8")
    assert raised in text
    assert text.endswith("# ours\n")
    assert find(directory, "HS128") == []


@pytest.mark.parametrize("written", [">=0.17", ">=0.19, <0.22", "==0.18.1"])
def test_range_with_a_sufficient_minimum_has_no_finding(plugin, written):
    manifest = f"{MANIFEST}requires_hermes: '{written}'\n"
    assert find(plugin({"__init__.py": MIDDLEWARE, "plugin.yaml": manifest}), "HS127", "HS128") == []


@pytest.mark.parametrize(
    "source",
    [
        "def register(ctx):\n    hasattr(ctx, 'register_middleware') and ctx.register_middleware('x', print)\n",
        "def register(ctx):\n    try:\n        ctx.register_middleware('x', print)\n    except TypeError: ...\n",
        "def register(ctx):\n    getattr(ctx, 'register_middleware', print)('x', print)\n",
    ],
)
def test_optional_features_do_not_raise_the_minimum_version(plugin, source):
    manifest = f"{MANIFEST}requires_hermes: '>=0.13'\n"
    assert find(plugin({"__init__.py": source, "plugin.yaml": manifest}), "HS128", "HS214") == []


@pytest.mark.parametrize(
    ("body", "since", "before", "lacks"),
    [
        ("ctx.get_config('a')", "0.20.1", "0.20.0", "ctx.get_config"),
        ("ctx.inject_message('a', session_key='b')", "0.20.1", "0.20.0", "ctx.inject_message(session_key=)"),
        ("ctx.register_terminal_environment_provider(1)", "0.20.6", "0.20.2", "register_terminal_environment_provider"),
        ("ctx.register_command('a', print, argument_mode='raw')", "0.21.0", "0.20.6", "(argument_mode=)"),
        ("ctx.register_hook('agent_loop_stopped', print)", "0.21.3", "0.21.0", "the hook agent_loop_stopped"),
        ("ctx.register_hook('post_auxiliary_call', print)", "0.21.5", "0.21.4", "the hook post_auxiliary_call"),
        ("ctx.register_hook('pre_llm_call', lambda **kw: ctx.get_config('a'))", "0.20.1", "0.20.0", "ctx.get_config"),
        ("ctx.register_hook('pre_llm_call', lambda ctx: ctx.get_config('a'))", "0.13.0", "", ""),
    ],
)
def test_newer_features_raise_the_minimum_version(plugin, body, since, before, lacks):
    source = f"def register(ctx):\n    {body}\n"
    written = MANIFEST + "requires_hermes: '>={}'\n"
    fine = plugin({"__init__.py": source, "plugin.yaml": written.format(since)})
    assert find(fine, "HS128") == []
    if before:
        directory = plugin({"__init__.py": source, "plugin.yaml": written.format("0.13")})
        (one,) = (one for one in check(directory, STATIC).findings if one.code == "HS128")
        assert one.message.startswith(f"requires_hermes admits Hermes {before}, which lacks ")
        assert lacks in one.message


@pytest.mark.parametrize("written", ["~=0.19", "<0.x", "newest", ">=0.19 <0.22"])
def test_invalid_range_is_reported(plugin, written):
    manifest = f"{MANIFEST}requires_hermes: '{written}'\n"
    assert find(plugin({"__init__.py": MIDDLEWARE, "plugin.yaml": manifest}), "HS127", "HS128") == [
        ("HS127", "error", 5)
    ]


def test_comment_that_decides_the_plugin_kind_is_reported(plugin):
    source = f"import os\n\n# Unlike a MemoryProvider, this one forgets.\n{NOTHING}"
    directory = plugin({"__init__.py": source, "plugin.yaml": NO_KIND})
    (one,) = (one for one in check(directory, STATIC).findings if one.code == "HS129")
    assert (one.severity, one.path, one.line, one.column) == ("error", "__init__.py", 3, 12)


def test_real_provider_without_a_kind_is_a_warning_with_a_repair(plugin):
    source = (
        "from agent.memory_provider import MemoryProvider\n\n\nclass Notes(MemoryProvider):\n    pass\n\n\n"
        "def register(ctx):\n    ctx.register_memory_provider(Notes())\n"
    )
    directory = plugin({"__init__.py": source, "plugin.yaml": NO_KIND})
    assert find(directory, "HS129") == [("HS129", "warning", 1)]
    fix(directory, STATIC)
    assert "kind: exclusive" in (directory / "plugin.yaml").read_text(encoding="utf-8")
    assert find(directory, "HS129") == []


@pytest.mark.parametrize(
    ("word", "release", "is_found"),
    [
        ("CronScheduler", "0.21.4", False),
        ("CronScheduler", "0.21.5", True),
        ("register_computer_use_provider", "0.21.5", False),
        ("register_computer_use_provider", "0.22.2", True),
    ],
)
def test_words_that_decide_the_plugin_kind_depend_on_the_release(plugin, word, release, is_found):
    directory = plugin({"__init__.py": f"# Uses no {word}.\n{NOTHING}", "plugin.yaml": NO_KIND})
    findings = check(directory, Options(static=True, release=release)).findings
    assert [(one.severity, word in one.message) for one in findings if one.code == "HS129"] == [
        ("error", True)
    ] * is_found


def test_scheduler_without_a_kind_gets_advice_and_no_repair(plugin):
    source = (
        "from cron.scheduler_provider import CronScheduler\n\n\nclass Clock(CronScheduler):\n    pass\n\n\n"
        "def register(ctx):\n    ctx.register_cron_scheduler(Clock())\n"
    )
    directory = plugin({"__init__.py": source, "plugin.yaml": NO_KIND})
    (one,) = (one for one in check(directory, STATIC).findings if one.code == "HS129")
    assert (one.severity, one.line, one.repair) == ("warning", 1, None)
    assert "with 'exclusive', the host does so only if the configuration selects the provider" in one.fix


def test_word_after_the_first_8192_characters_is_ignored(plugin):
    source = f"# {'-' * 8200}\n# MemoryProvider\n{NOTHING}"
    assert find(plugin({"__init__.py": source, "plugin.yaml": NO_KIND}), "HS129") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name: example\nversion: 1.10\n", "name: example\nversion: '1.10'\n"),
        ("name: example\nrequires_env: ROLL_KEY\n", "name: example\nrequires_env:\n  - ROLL_KEY\n"),
        ("name: example\nmanifest_version: 2  # new\n", "name: example\nmanifest_version: 1  # new\n"),
    ],
)
def test_safe_repair_keeps_the_rest_of_the_manifest(plugin, before, after):
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
def test_repair_that_changes_values_is_unsafe(plugin, before, after):
    directory = plugin({"plugin.yaml": f"kind: standalone\n{before}"})
    assert fix(directory, STATIC)[1] == 0
    assert fix(directory, STATIC, unsafe=True)[1] == 1
    assert (directory / "plugin.yaml").read_text(encoding="utf-8") == f"kind: standalone\n{after}"


def test_existing_key_is_not_added_again(plugin):
    manifest = f"{MANIFEST}hooks: []\nprovides_hooks: []\n"
    assert fix(plugin({"plugin.yaml": manifest}), STATIC, unsafe=True)[1] == 0


REJECTED = "'version' is a duplicate of line 3: the host rejects the manifest"
ACCEPTED = "'version' is a duplicate of line 3: the host takes the last one"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("==0.22.2", [("error", REJECTED, ())]),
        ("==0.20.2", [("warning", ACCEPTED, ())]),
        ("==0.19.0, !=0.22", [("warning", ACCEPTED, ())]),
        (">=0.20.2, <=0.22.2", [("error", REJECTED, ("0.22.2",)), ("warning", ACCEPTED, ("0.20.2", "0.21.5"))]),
    ],
)
def test_duplicate_key_severity_depends_on_the_release(plugin, target, expected):
    directory = plugin({"plugin.yaml": f"{MANIFEST}version: '2.0.0'\n"})
    found = check(directory, Options(static=True, target=target)).findings
    told = [(one.severity, one.message, one.releases and (one.releases[0], one.releases[-1])) for one in found]
    assert [(*one[:2], tuple(dict.fromkeys(one[2]))) for one in told] == expected


@pytest.mark.parametrize(
    ("manifest", "target", "codes"),
    [
        ("name: y\nversion: '1'\n", "==0.22.2", ["HS112"]),
        ("name: y\nversion: '1'\n", "==0.20.2", []),
        ("name: a\nversion: 1e3\n", "==0.22.2", ["HS123"]),
        ("name: a\nversion: 1e3\n", "==0.20.2", []),
        ("name: a\nversion: '1'\nprovides_tools: [a:]\n", "==0.22.2", []),
        ("name: a\nversion: '1'\nprovides_tools: [a:]\n", "==0.20.2", ["HS104"]),
    ],
)
def test_manifest_is_read_with_the_reader_of_the_release(plugin, manifest, target, codes):
    found = check(plugin({"plugin.yaml": manifest}), Options(static=True, target=target)).findings
    assert [one.code for one in found if one.severity != "info"] == codes


def test_finding_on_every_release_lists_no_releases(plugin):
    found = check(plugin({"plugin.yaml": "name: [\n"}), Options(static=True, target=">=0.19")).findings
    assert [(one.code, one.line, one.releases) for one in found] == [("HS104", 2, ())]


def test_plugin_is_loaded_on_releases_that_can_read_its_manifest(plugin):
    directory = plugin({"plugin.yaml": f"{MANIFEST}version: '2.0.0'\n", "__init__.py": "1 / 0\n"})
    found = check(directory, Options(target=">=0.20.2, <=0.22.2")).findings
    assert [(one.code, one.releases) for one in found if one.code == "HS201"] == [("HS201", ("0.20.2",))]
