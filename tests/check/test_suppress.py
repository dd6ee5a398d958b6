"""Suppressions in comments, settings and baselines, and findings about unused ones."""

import json

import pytest

from hermes_sdk.check.baseline import write_baseline
from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.errors import HermesSdkError, UsageError

STATIC = Options(static=True)
ASYNC = "async def register(ctx):{comment}\n    pass\n"
SETTINGS = "[tool.hermes-sdk.check]\n"
IGNORE = "[[tool.hermes-sdk.check.ignore]]\n"


def find(directory, options=STATIC) -> list[tuple[str, str, int]]:
    return [(one.code, one.path, one.line) for one in check(directory, options).findings]


@pytest.mark.parametrize(
    "source",
    [
        ASYNC.format(comment="  # hs: ignore[HS204] the loader of ours awaits it"),
        ASYNC.format(comment="  # hs: ignore[HS203, HS204]: ours"),
        ASYNC.format(comment=" # noqa  # hs: ignore[HS204] ours"),
        "# hs: ignore[HS204] ours\n" + ASYNC.format(comment=""),
    ],
    ids=["on the line", "two codes", "after another comment", "on the line before"],
)
def test_comment_suppresses_a_finding(plugin, source):
    result = check(plugin({"__init__.py": source}), STATIC)
    assert {one.code for one in result.findings} <= {"HS791"}
    assert result.suppressed == 1


def test_comment_in_the_manifest_suppresses_a_finding(plugin):
    manifest = "name: example\nkind: standalone\nversion: 1.10  # hs: ignore[HS123] we like it\ndescription: x\n"
    assert find(plugin({"plugin.yaml": manifest})) == []


@pytest.mark.parametrize(
    ("comment", "why"),
    [
        ("# hs: ignore", "no rule ''"),
        ("# hs: ignore[]", "no rule ''"),
        ("# hs: ignore[HS999] x", "no rule 'HS999'"),
        ("# hs: ignore[HS204]", "no reason"),
        ("# hs: ignore[HS204]:  ", "no reason"),
    ],
)
def test_invalid_comment_suppresses_nothing(plugin, comment, why):
    result = check(plugin({"__init__.py": ASYNC.format(comment=f"  {comment}")}), STATIC)
    assert [one.code for one in result.findings] == ["HS204", "HS792"]
    assert why in result.findings[1].message


def test_unused_comment_is_a_finding_at_its_place(plugin):
    source = "def register(ctx):\n    ctx.register_command('x', print)  # hs: ignore[HS204] ours\n"
    (one,) = check(plugin({"__init__.py": source}), STATIC).findings
    assert (one.code, one.line, one.column) == ("HS791", 2, 39)


def test_comment_for_a_rule_that_did_not_run_is_not_unused(plugin):
    source = "def register(ctx):\n    ctx.register_command('x', print)  # hs: ignore[HS301] ours\n"
    assert find(plugin({"__init__.py": source})) == []
    assert find(plugin({"__init__.py": source}), Options()) == [("HS791", "__init__.py", 2)]


def test_mark_in_a_string_is_not_a_comment(plugin):
    source = 'TEXT = """\n# hs: ignore[HS204] ours\n"""\n\n\ndef register(ctx):\n    ctx.register_command("x", print)\n'
    assert find(plugin({"__init__.py": source})) == []


def test_settings_ignore_a_rule_in_all_or_some_files(plugin):
    everywhere = f'{IGNORE}code = "HS203"\nreason = "templates"\n'
    broken = {"a/one.py": "def (\n", "b/two.py": "def (\n"}
    assert find(plugin({**broken, "pyproject.toml": everywhere})) == []
    in_a = everywhere.replace("reason", 'path = "a/*"\nreason')
    assert find(plugin({**broken, "pyproject.toml": in_a})) == [("HS203", "b/two.py", 1)]


def test_unused_setting_is_a_finding(plugin):
    settings = (
        f'{SETTINGS}strict = true\n\n{IGNORE}code = "HS204"\nreason = "ours"\n\n{IGNORE}code = "HS299"\nreason = "x"\n'
    )
    assert find(plugin({"pyproject.toml": settings})) == [
        ("HS791", "pyproject.toml", 4),
        ("HS792", "pyproject.toml", 8),
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (f"{SETTINGS}strikt = true\n", "strikt is not a known setting"),
        (f'{SETTINGS}strict = "yes"\n', "strict is not of the type bool"),
        (f"{SETTINGS}ignore = [3]\n", "ignore is not an array of tables"),
        (f'{IGNORE}code = "HS203"\n', "ignore has an entry without a reason"),
        (f'{IGNORE}code = "HS203"\nreason = " "\n', "ignore has an entry without a reason"),
        (f'{IGNORE}code = "HS203"\nwhy = "x"\n', "why is not a known setting"),
        (f'{SETTINGS}target = "newest"\n', "the target cannot be read"),
        (f'{SETTINGS}target = ">9"\n', "no known release of Hermes matches >9"),
        (f'{SETTINGS}baseline = "none.json"\n', "the baseline does not exist"),
        ("tool.hermes-sdk.check = 3\n", "check is not a table"),
    ],
)
def test_invalid_settings_are_usage_errors(plugin, settings, message):
    with pytest.raises(UsageError, match=message) as caught:
        check(plugin({"pyproject.toml": settings}), STATIC)
    assert caught.value.fix


def test_strict_setting_makes_warnings_fail_the_check(plugin):
    warned = "def register(ctx):\n    ctx.register_command('x', print)  # hs: ignore[HS204] ours\n"
    assert check(plugin({"__init__.py": warned}), STATIC).passes()
    assert not check(plugin({"__init__.py": warned, "pyproject.toml": f"{SETTINGS}strict = true\n"}), STATIC).passes()


def test_baseline_hides_known_findings_only(plugin):
    directory = plugin({"a.py": "def (\n", "b.py": "def (\n", "__init__.py": "def register(ctx):\n    pass\n"})
    baseline = directory / "baseline.json"
    first = Options(static=True, baseline=baseline, use_baseline=False)
    assert write_baseline(check(directory, first)) == baseline
    later = Options(static=True, baseline=baseline)
    result = check(directory, later)
    assert (result.findings, result.suppressed) == ((), 2)
    plugin({"a.py": "# moved\n\ndef (\n", "b.py": "", "c.py": "def (\n"})
    assert find(directory, later) == [("HS793", "baseline.json", 1), ("HS203", "c.py", 1)]


def test_baseline_entry_of_a_rule_that_did_not_run_is_not_stale(plugin):
    directory = plugin({"__init__.py": 'def register(ctx):\n    ctx.register_hook("nope", lambda **kwargs: None)\n'})
    baseline = directory / "baseline.json"
    write_baseline(check(directory, Options(baseline=baseline, use_baseline=False)))
    assert check(directory, Options(baseline=baseline)).findings == ()
    assert find(directory, Options(static=True, baseline=baseline)) == []


def test_baseline_does_not_hide_catalog_findings(plugin):
    directory = plugin({"plugin.yaml": "name: example\nkind: standalone\n"})
    options = {"static": True, "profile": "catalog", "baseline": directory / "baseline.json"}
    write_baseline(check(directory, Options(**options, use_baseline=False)))
    assert {code for code, _, _ in find(directory, Options(**options))} == {"HS690"}


@pytest.mark.parametrize("content", ["{", "[]", '{"findings": [1]}', '{"findings": [{"code": 1}]}'])
def test_broken_baseline_is_a_usage_error(plugin, content):
    directory = plugin({"baseline.json": content})
    with pytest.raises(UsageError, match="baseline"):
        check(directory, Options(static=True, baseline=directory / "baseline.json"))


def test_baseline_update_needs_a_file_name(plugin):
    with pytest.raises(HermesSdkError, match="no baseline"):
        write_baseline(check(plugin({}), STATIC))


def test_fingerprints_are_unique_and_stable_when_lines_move(plugin):
    twice = "x = 1\n"
    directory = plugin({"a.py": f"def (\n{twice}", "b.py": "def (\n"})
    before = [one.fingerprint for one in check(directory, STATIC).findings]
    plugin({"a.py": f"# more\ndef (\n{twice}"})
    assert [one.fingerprint for one in check(directory, STATIC).findings] == before
    assert len(set(before)) == 2
    assert all(json.dumps(one) for one in before)
