"""Options of a check: releases, profiles, workspaces, the cache, and the module for sandboxes."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.report import text
from hermes_sdk.check.rules import RULES
from hermes_sdk.errors import UsageError

HOOKED = 'def register(ctx):\n    ctx.register_hook("pre_verify", lambda **kwargs: None)\n'
DECLARED = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\nprovides_hooks: [pre_verify]\n"


def test_finding_lists_the_affected_releases_of_the_target(plugin, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result = check(plugin({"__init__.py": HOOKED, "plugin.yaml": DECLARED}), Options(target=">=0.17"))
    assert result.releases == ("0.19.0", "0.20.2", "0.22.2")
    (finding,) = result.findings
    assert (finding.code, finding.releases) == ("HS401", ("0.17.0",))
    report = io.StringIO()
    text.write(result, report)
    assert "[0.17.0]" in report.getvalue()
    assert report.getvalue().endswith(" for Hermes 0.19.0 (proven) to 0.22.2 (proven on a fork)\n")
    assert "Hermes 0.17.0 has no hook 'pre_verify'" in finding.message


def test_finding_on_every_release_is_reported_once(plugin):
    source = HOOKED.replace("pre_verify", "nothing_like_it")
    result = check(plugin({"__init__.py": source}), Options(target=">=0.18.1"))
    found = [(one.code, one.releases) for one in result.findings if one.severity == "error"]
    assert found == [("HS401", contract.api_releases()[contract.api_releases().index("0.18.1") :])]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(target=">=1.0"), "no known release"),
        (Options(target="~=0.18"), "cannot be read"),
        (Options(target=""), "cannot be read"),
        (Options(release="9.9.9"), r"9\.9\.9"),
        (Options(release="0.19.0", target=">=0.18"), "Both a release and a range"),
    ],
)
def test_invalid_release_options_are_usage_errors(plugin, options, message):
    with pytest.raises(UsageError, match=message):
        check(plugin({}), options)


SETTING = 'def register(ctx):\n    ctx.get_config("endpoint")\n'
NEEDS = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\nrequires_hermes: '{}'\n"


@pytest.mark.parametrize(
    ("requires", "judged", "codes"),
    [
        (">=0.13", "0.22.2", {"HS128"}),
        (">=0.19.1, <0.20.1", "0.20.0", {"HS128", "HS214"}),
        (">=0.20.1", "0.22.2", set()),
        (">=0.20.1, <0.21", "0.20.2", set()),
        ("<0.17", "0.16.0", {"HS128", "HS214"}),
        (">=9", "0.22.2", set()),
    ],
)
def test_default_release_is_the_newest_that_the_manifest_admits(requires, judged, codes, plugin):
    directory = plugin({"__init__.py": SETTING, "plugin.yaml": NEEDS.format(requires)})
    result = check(directory, Options(static=True))
    assert result.releases == (judged,)
    assert {one.code for one in result.findings} == codes


def test_range_without_a_proven_release_is_checked_with_known_apis(plugin, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    directory = plugin({"__init__.py": SETTING, "plugin.yaml": NEEDS.format(">=0.20")})
    result = check(directory, Options(static=True, target=">=0.20, <0.20.2"))
    assert result.releases == ("0.20.0", "0.20.1")
    found = {one.code: (one.releases, one.message) for one in result.findings}
    assert found["HS214"] == (("0.20.0",), "ctx.get_config does not exist in Hermes 0.20.0; it exists since 0.20.1")
    assert "admits Hermes 0.20.0, which lacks ctx.get_config" in found["HS128"][1]
    report = io.StringIO()
    text.write(result, report)
    assert " for Hermes 0.20.0 (API only) to 0.20.1 (API only)\n" in report.getvalue()


def test_built_in_names_depend_on_the_release(plugin):
    source = (
        "def register(ctx):\n    ctx.register_command('wake', lambda line: line, description='x')\n"
        "    ctx.register_tool(name='todo_list', toolset='x', schema={}, handler=print)\n"
    )
    results = {}
    for release in ("0.19.0", "0.20.2", "0.22.2"):
        result = check(plugin({"__init__.py": source}), Options(static=True, release=release))
        results[release] = {one.code for one in result.findings} & {"HS308", "HS451"}
    assert results == {"0.19.0": set(), "0.20.2": {"HS451"}, "0.22.2": {"HS308", "HS451"}}


@pytest.mark.parametrize("static", [False, True])
def test_unproven_releases_of_a_range_are_checked_from_the_source(static, plugin):
    source = "def register(ctx):\n    ctx.register_command('wake', lambda line: line, description='x')\n"
    result = check(plugin({"__init__.py": source}), Options(static=static, target=">=0.19"))
    assert result.releases == ("0.19.0", "0.20.2", "0.22.2")
    assert [(one.code, one.releases) for one in result.findings] == [
        ("HS451", ("0.20.1", "0.20.2", "0.20.6", "0.21.0", "0.21.3", "0.21.4", "0.21.5", "0.22.2"))
    ]
    assert result.not_run == ()


def test_options_override_the_target_of_the_settings(plugin):
    directory = plugin({"pyproject.toml": '[tool.hermes-sdk.check]\ntarget = "<0.15"\n'})
    assert check(directory, Options(static=True)).releases == ("0.13.0", "0.14.0")
    assert check(directory, Options(static=True, target="==0.19")).releases == ("0.19.0",)
    assert check(directory, Options(static=True, release="0.16.0")).releases == ("0.16.0",)


def test_catalog_profile_lists_questions_for_manual_review(plugin):
    directory = plugin({})
    assert check(directory, Options(static=True)).manual == ()
    result = check(directory, Options(static=True, profile="catalog", strict=True))
    questions = [rule for rule in RULES if rule.question]
    assert [asked.code for asked in result.manual] == [rule.code for rule in questions]
    assert result.passes()
    assert not {asked.code for asked in result.manual} & {entry.code for entry in result.not_run}


def test_catalog_rules_cannot_be_suppressed(plugin):
    ignore = '[[tool.hermes-sdk.check.ignore]]\ncode = "HS690"\nreason = "later"\n'
    directory = plugin({"plugin.yaml": "name: example\nkind: standalone\n", "pyproject.toml": ignore})
    assert check(directory, Options(static=True)).passes()
    result = check(directory, Options(static=True, profile="catalog"))
    assert {one.code for one in result.findings} == {"HS690"}
    assert not result.passes()


def test_workspace_checks_all_its_plugins(write, tmp_path):
    for name in ("one", "two", "nested/three"):
        write({f"{name}/plugin.yaml": f"name: {name[-3:]}\nkind: standalone\n", f"{name}/__init__.py": "def (\n"})
    write({"tests/plugin.yaml": "name: test\n", "notes.txt": ""})
    result = check(tmp_path / "example", Options(static=True))
    assert [one.path for one in result.findings] == [f"{name}/__init__.py" for name in ("nested/three", "one", "two")]
    assert result.base == tmp_path / "example"


@pytest.fixture
def caching_check(plugin, tmp_path):
    """Return an object that checks with a cache; `poison` changes the cached message."""

    class Cached:
        def check(self, source: str, **options: object) -> list[str]:
            directory = plugin({"__init__.py": source})
            result = check(directory, Options(static=True, cache=tmp_path / "cache", **options))
            return [one.message for one in result.findings]

        def poison(self) -> None:
            (file,) = (tmp_path / "cache").iterdir()
            content = json.loads(file.read_text(encoding="utf-8"))
            content["outcomes"][0]["message"] = "from the cache"
            file.write_text(json.dumps(content), encoding="utf-8")

    return Cached()


def test_cache_is_used_for_an_unchanged_plugin(caching_check):
    first = caching_check.check("def (\n")
    assert caching_check.check("def (\n") == first
    caching_check.poison()
    assert caching_check.check("def (\n") == ["from the cache"]


@pytest.mark.parametrize(
    ("source", "options"),
    [("def (\n\n", {}), ("def (\n", {"release": "0.16.0"}), ("def (\n", {"profile": "catalog"})],
    ids=["other content", "other release", "other rules"],
)
def test_cache_is_not_used_after_a_change(caching_check, source, options):
    caching_check.check("def (\n")
    caching_check.poison()
    assert "from the cache" not in caching_check.check(source, **options)


@pytest.mark.parametrize("content", ["{", "[]", '{"key": 1}', '{"outcomes": [{"a": 1}], "key": "x"}'])
def test_broken_cache_is_ignored(caching_check, tmp_path, content):
    expected = caching_check.check("def (\n")
    (file,) = (tmp_path / "cache").iterdir()
    file.write_text(content, encoding="utf-8")
    assert caching_check.check("def (\n") == expected


def test_unwritable_cache_is_ignored(plugin, tmp_path):
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    assert check(plugin({}), Options(static=True, cache=tmp_path / "cache")).passes()


FORBIDDEN = ("click", "cookiecutter", "importlib_metadata", "jsonschema", "packaging", "pytest", "rich")


def run_module(directory: Path, *argv: str, code: str = "") -> subprocess.CompletedProcess[str]:
    """Run the module with only the standard library and the YAML libraries, as in a sandbox."""
    code = f"""
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {FORBIDDEN!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
sys.argv = ["check", {str(directory)!r}, *{argv!r}]
import runpy
runpy.run_module("hermes_sdk.check", run_name="__main__")
"""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize(
    ("files", "argv", "status", "shown"),
    [
        ({}, [], 0, "✓"),
        ({"__init__.py": "def (:\n", "plugin.yaml": "nam: x\nprovide_tools: []\n"}, [], 1, "HS203"),
        ({"plugin.yaml": "name: A B\nkind: standalone\nversion: '1'\ndescription: x\n"}, [], 0, "HS115"),
        ({"plugin.yaml": "name: A B\nkind: standalone\nversion: '1'\ndescription: x\n"}, ["--strict"], 1, "HS115"),
        ({}, ["--target", ">=9"], 2, ""),
    ],
)
def test_check_module_runs_with_only_yaml_libraries_installed(plugin, files, argv, status, shown):
    done = run_module(plugin(files), *argv)
    assert done.returncode == status, done.stderr
    assert shown in done.stdout
    assert "Traceback" not in done.stderr
