"""`hermes-sdk compat`: text and JSON output."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import jsonschema
import pytest
from compat.test_outcomes import SCHEMA
from form_projects import write_project

from hermes_sdk import contract
from hermes_sdk.hosts.inspection import inspect_plugin

MIDDLEWARE = """
    def register(ctx):
        ctx.register_middleware("tool_request", lambda **more: None)
"""
SETTINGS = "def register(ctx): ctx.get_config('endpoint')\n"
ALL = len(contract.modelled_releases())


def test_every_release_is_a_row_and_the_range_is_written(plugin, ran, monkeypatch):
    root = plugin(MIDDLEWARE, manifest="requires_hermes: '>=0.16'  # so\n", test="def test_it(hermes): ...\n")
    monkeypatch.chdir(root)
    code, out, err = ran("--write-floor")
    rows = [line.split() for line in out.splitlines() if " embedded " in line]
    assert out.startswith("mine  registers 1 middleware\n")
    assert len(rows) == ALL
    assert rows[0] == ["0.19.0", "proven", "embedded", "✓", "passes", "1", "passed"]
    assert rows[1] == ["0.19.1", "API", "only", "embedded", "○", "unverified", "1", "passed"]
    # The manifest now contains the verified range.
    assert " ".join(out.split()).endswith(
        "0.13.0–0.18.2: ctx.register_middleware is missing in 0.13.0–0.16.0; not run without --real"
        " requires_hermes is '>=0.19.0'; the plugin passes on 0.19.0, 0.20.2, 0.22.2,"
        " and as far as measured on 0.20.6–0.21.5; the others are unverified."
    )
    assert code == 0
    assert err == (
        "mine_plugin/plugin.yaml: requires_hermes was '>=0.16' and is now '>=0.19.0'"
        " (0.18.2 was not run: add --real all).\n"
    )
    text = (root / "mine_plugin" / "plugin.yaml").read_text()
    assert text == "name: mine\nkind: standalone\nrequires_hermes: '>=0.19.0'  # so\n"


def test_unmodelled_releases_share_a_line_in_every_report(plugin, ran, tmp_path):
    root = plugin()
    line = "0.13.0–0.18.2: no API is missing; not run without --real"
    files = {name: tmp_path / name for name in ("page.html", "junit.xml", "comment.md")}
    options = zip(("--html", "--junit", "--markdown"), files.values(), strict=True)
    _, out, _ = ran(root, "--json", *(one for pair in options for one in pair))
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert [one["release"] for one in document["releases"]] == [*contract.modelled_releases()]
    assert document["not_run"][0] == {"release": "0.13.0", "missing_apis": []}
    assert [one["release"] for one in document["not_run"]][-1] == "0.18.2"
    assert document["floor"] == "0.19.0"
    assert all(line in unescape(file.read_text()) for file in files.values())


def test_dynamic_hook_name_is_missing_in_releases_that_did_not_run(plugin, ran):
    root = plugin("def register(ctx):\n    ctx.register_hook('pre_' + 'verify', lambda **more: None)\n")
    _, out, _ = ran(root, "--json")
    missing = {one["release"]: one["missing_apis"] for one in json.loads(out)["not_run"]}
    assert missing["0.17.0"] == ["hook pre_verify"]
    assert missing["0.18.0"] == []


def test_portable_plugin_lacks_its_loader_in_releases_that_did_not_run(plugin, ran, tmp_path):
    _, out, _ = ran(portable(tmp_path), "--json")
    assert json.loads(out)["not_run"][-1] == {"release": "0.18.2", "missing_apis": ["portable plugins"]}


REQUIREMENTS = "no-such-package-of-anybody>=2\npytest<1\npytest>1\nother-package; python_version < '3'\n"


def test_missing_requirements_are_reported(plugin, ran):
    root = plugin(MIDDLEWARE)
    (root / "mine_plugin" / "requirements.txt").write_text(REQUIREMENTS)
    _, _, err = ran(root, "--only", "embedded:0.19.0")
    assert (
        f"not installed in this Python: no-such-package-of-anybody>=2, pytest<1 (found {pytest.__version__})\n" in err
    )
    assert "--install applies only to real hosts" in err


@pytest.mark.parametrize("requirements", [b"\xff", b"--index-url=x\n@@", b"evil @ https://example.org/evil.whl"])
def test_unreadable_requirements_are_a_warning_for_the_embedded_host(plugin, ran, requirements):
    root = plugin(MIDDLEWARE)
    (root / "mine_plugin" / "requirements.txt").write_bytes(requirements)
    _, out, err = ran(root, "--only", "embedded:0.19.0")
    assert " embedded " in out
    assert err.startswith("warning: ")
    assert "requirements.txt: " in err


def test_unwritable_range_is_reported_after_the_table(plugin, ran):
    root = plugin("def register(ctx):\n    raise ValueError('no')\n", manifest="requires_hermes: '>=0.19'\n")
    code, out, err = ran(root, "--write-floor")
    assert code == 1
    told = "requires_hermes is '>=0.19'; the plugin does not pass on any proven release or real host of this run."
    assert told in " ".join(out.split())
    assert "mine does not pass on any release" in err


def test_table_is_readable_without_colours_in_a_narrow_terminal(plugin, ran, monkeypatch):
    root = plugin(MIDDLEWARE)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("os.get_terminal_size", lambda *_: (50, 24))
    monkeypatch.setenv("COLUMNS", "50")
    _, out, _ = ran(root, "--only", "embedded:0.19.0")
    assert max(map(len, out.splitlines())) <= 50
    assert "\x1b" not in out
    assert "✓ passes" in out


def test_json_matches_its_schema(plugin, ran):
    code, out, err = ran(plugin(), "--only", "embedded:0.19.0", "--json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert (code, err) == (0, "")
    assert (document["plugin"], document["path"], document["floor"]) == ("mine", "mine_plugin", "0.19.0")
    assert [one["release"] for one in document["releases"]] == ["0.19.0"]


def test_all_plugins_of_a_workspace_run(plugin, ran, tmp_path):
    plugin(name="first")
    plugin(SETTINGS, name="second", manifest="requires_hermes: '>=0.13'\n")
    code, out, _ = ran("--workspace", tmp_path, "--only", "embedded:0.19.0", "--json")
    document = json.loads(out)
    assert code == 1
    assert document["schema"] == "hermes-sdk.compat-workspace/1"
    assert [(one["plugin"], one["floor"]) for one in document["plugins"]] == [("first", "0.19.0"), ("second", None)]
    code, out, _ = ran("--workspace", tmp_path, "--only", "embedded:0.19.0")
    assert [line.split()[0] for line in out.splitlines() if line.split()[:1] in (["first"], ["second"])] == [
        "first",
        "second",
    ]
    assert "embedded:0.19.0: lacks ctx.get_config" in " ".join(out.split())


def test_files_are_written_in_addition_to_the_output(plugin, ran, tmp_path):
    files = {name: tmp_path / name for name in ("page.html", "badge.svg", "junit.xml")}
    options = zip(("--html", "--badge", "--junit"), files.values(), strict=True)
    code, _, _ = ran(plugin(), "--only", "embedded:0.19.0", *(one for pair in options for one in pair))
    assert code == 0
    assert files["page.html"].read_text().startswith("<!doctype html>")
    assert files["badge.svg"].read_text().startswith("<svg ")
    assert "<testsuites" in files["junit.xml"].read_text()


def test_ci_jobs_are_printed_without_running_cells(ran, tmp_path):
    code, out, err = ran(tmp_path, "--matrix", "github", "--real", "0.16.0,0.19.0", "--python", "3.12")
    jobs = json.loads(out)["include"]
    assert (code, err) == (0, "")
    assert [job["cell"] for job in jobs[-2:]] == ["real:0.16.0/3.12", "real:0.19.0/3.12"]
    assert len(jobs) == ALL + 2


def test_plugin_without_results_exits_with_3(plugin, ran):
    code, out, _ = ran(plugin("import run_agent\ndef register(ctx): ...\n"), "--only", "embedded:0.19.0")
    assert code == 3
    assert "? unknown" in out


@pytest.mark.parametrize(
    "options",
    [
        ("--only", "embedded:0.19.0", "--real", "all"),
        ("--only", "embedded:0.19.0", "--write-floor"),
        ("--only", "nothing"),
        ("--real", "0.21.2"),
        ("--workspace", ".", "."),
        ("--matrix", "gitlab"),
    ],
)
def test_incompatible_options_are_rejected(options, plugin, ran, monkeypatch):
    monkeypatch.chdir(plugin())
    code, out, err = ran(*options)
    assert (code, out) == (2, "")
    assert err


def test_missing_plugin_is_a_usage_error_with_json_too(ran, tmp_path: Path):
    code, out, _ = ran(tmp_path, "--json")
    assert code == 2
    assert json.loads(out)["schema"] == "hermes-sdk.compat/1"
    assert "no plugin.yaml" in json.loads(out)["error"]["message"]


def test_badge_for_several_plugins_is_rejected(plugin, ran, tmp_path):
    plugin(name="first")
    plugin(name="second")
    assert ran("--workspace", tmp_path, "--badge", tmp_path / "x.svg")[0] == 2


def test_unwritable_file_is_an_error_without_a_traceback(plugin, ran, tmp_path):
    (tmp_path / "no").write_text("a file where a directory would have to be")
    code, _, err = ran(plugin(), "--only", "embedded:0.19.0", "--html", tmp_path / "no" / "page.html")
    assert code == 3
    assert "cannot write the file" in err


def test_shell_hook_project_has_no_cells(ran, tmp_path: Path):
    (tmp_path / "config.yaml.example").write_text("hooks: {pre_tool_call: [{command: ./guard.sh}]}\n", encoding="utf-8")
    code, _, err = ran("--workspace", tmp_path)
    assert code == 2
    assert "contains shell hooks but no plugin" in err


NEW_APIS = [
    ("ctx.subagent_lifecycle.status", "0.19.1"),
    ("ctx.get_config('endpoint')", "0.20.1"),
    ("ctx.register_command('go', lambda line: line, argument_mode='text')", "0.21.0"),
    ("ctx.register_hook('post_auxiliary_call', lambda **more: None)", "0.21.5"),
]


@pytest.mark.parametrize(
    ("uses", "floor"),
    [
        pytest.param(*one, id=one[1], marks=() if one in (NEW_APIS[0], NEW_APIS[-1]) else pytest.mark.slow)
        for one in NEW_APIS
    ],
)
def test_minimum_version_is_the_first_release_with_the_used_apis(uses, floor, plugin, ran):
    root = plugin(f"def register(ctx):\n    {uses}\n")
    code, out, err = ran(root, "--write-floor")
    assert f"is now '>={floor}'" in err
    verified = [one for one in ("0.20.2", "0.22.2") if contract.parse_release(one) >= contract.parse_release(floor)]
    measured = "0.21.5" if floor == "0.21.5" else f"{max('0.20.6', floor)}–0.21.5"
    said = f"requires_hermes is '>={floor}'; the plugin passes on {', '.join(verified)}, and as far as measured on"
    assert " ".join(out.split()).endswith(f"{said} {measured}; the others are unverified.")
    assert code == 0


@pytest.mark.real_host
@pytest.mark.parametrize(
    ("uses", "lacks", "has"),
    [
        (NEW_APIS[1][0], "0.19.0", "0.20.2"),
        pytest.param(NEW_APIS[2][0], "0.20.6", "0.21.0", marks=pytest.mark.slow),
        pytest.param(NEW_APIS[3][0], "0.21.4", "0.21.5", marks=pytest.mark.slow),
    ],
    ids=["get_config", "argument_mode", "post_auxiliary_call"],
)
def test_real_hosts_confirm_the_minimum_version(uses, lacks, has, plugin, real_python):
    root = plugin(f"def register(ctx):\n    {uses}\n")
    for release in (lacks, has):
        real_python(release)
    without, having = (inspect_plugin(root, host="real", release=release)["report"] for release in (lacks, has))
    assert without["status"] == "failed" or "unknown hook" in str(without["warnings"])
    assert (having["status"], having["warnings"]) == ("loaded", [])


def portable(tmp_path: Path) -> Path:
    """Write a portable plugin and return its directory."""
    manifest = {"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "notes"}
    skill = "---\nname: howto\ndescription: How to.\n---\nSo.\n"
    folder = tmp_path / "folder"
    (folder / "skills" / "howto").mkdir(parents=True)
    (folder / "plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "skills" / "howto" / "SKILL.md").write_text(skill, encoding="utf-8")
    return folder


def test_portable_plugin_is_tested_on_releases_that_load_portable_plugins(ran, tmp_path: Path):
    code, out, _ = ran(portable(tmp_path), "--only", "embedded:0.19.0", "--json")
    matrix = json.loads(out)
    assert (matrix["plugin"], matrix["requires_hermes"]) == ("notes", ">=0.20.1")
    assert (matrix["releases"][0]["verdict"], code) == ("fails", 0)


@pytest.mark.slow
def test_each_form_has_a_matrix_and_a_failing_form_one_line(tmp_path, ran):
    project = write_project("imports_itself", tmp_path)
    (project / "test_it.py").write_text(
        "def test_it(hermes): assert hermes.call_tool('tides').json == {'water': 'low'}\n"
    )
    code, out, _ = ran(project)
    rows = [line.split() for line in out.splitlines() if " embedded " in line]
    assert code == 0
    assert out.startswith("tides  as a package  registers 1 tool\n")
    assert len(rows) == ALL
    assert rows[0] == ["0.19.0", "proven", "embedded", "✓", "passes", "1", "passed"]
    assert out.endswith("\nAs a directory, it does not load: No module named 'tides'\n")
    code, out, _ = ran(project, "--form", "directory", "--only", "embedded:0.19.0", "--json")
    document = json.loads(out)
    assert (code, document["form"], document["releases"][0]["verdict"]) == (1, "directory", "fails")


def test_each_plugin_of_a_package_has_its_own_matrices(tmp_path, ran):
    code, out, _ = ran(write_project("deep", tmp_path), "--only", "embedded:0.22.2", "--json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    found = [(one["plugin"], one["form"], one["releases"][0]["loads"]) for one in (document, *document["others"])]
    assert (code, found) == (0, [("pier", "directory", True), ("pier", "package", True), ("quay", "package", True)])


def test_failed_tests_are_distinguished_from_a_failed_load(plugin, ran):
    root = plugin(test="def test_a(hermes): assert 0\ndef test_b(hermes): assert 0\n")
    _, out, _ = ran(root, "--only", "embedded:0.22.2")
    assert "✗ loads · 2 tests fail" in out
    _, out, _ = ran(plugin("1 / 0\n"), "--only", "embedded:0.22.2")
    assert "✗ does not load" in out


def test_second_form_with_the_same_results_takes_one_line(tmp_path, ran):
    _, out, _ = ran(write_project("deep", tmp_path), "--plugin", "pier", "--only", "embedded:0.22.2")
    assert out.startswith("pier  as a directory  registers 1 tool\n")
    assert out.endswith("\nAs a package, the results are the same.\n")
