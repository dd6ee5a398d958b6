"""`hermes-sdk contract`: output and errors."""

import inspect
import json
import shutil
import venv
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.cli.main import run
from hermes_sdk.contract.extract import add_release
from hermes_sdk.errors import UsageError

SHIPPED = Path(inspect.getfile(contract)).parent / "data"


@pytest.fixture
def cli(capsys, monkeypatch):
    def call(*argv, columns=100):
        monkeypatch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as ended:
            run(["contract", *argv])
        output = capsys.readouterr()
        return ended.value.code, output.out, output.err

    return call


def test_show_prints_members_hooks_and_behaviour(cli):
    code, out, _ = cli("show", "0.19.0")
    assert code == 0
    assert "Hermes 0.19.0  proven" in out
    assert "(name, handler, description='', args_hint='')" in out
    assert "pre_verify" in out
    assert "telemetry_schema_version" in out
    assert "tool_result_contract" in out


def test_show_defaults_to_the_newest_release(cli):
    assert f"Hermes {contract.DEFAULT}" in cli("show")[1]


@pytest.mark.parametrize("columns", [60, 100, 160])
@pytest.mark.parametrize("argv", [("show", "0.19.0"), ("diff", "0.13.0", "0.19.0")], ids=lambda argv: argv[0])
def test_tables_fit_the_terminal(cli, argv, columns):
    code, out, _ = cli(*argv, columns=columns)
    assert code == 0
    assert max(map(len, out.splitlines())) <= columns


def test_show_prints_json(cli):
    content = json.loads(cli("show", "0.23.4", "--json")[1])
    assert content["schema"] == "hermes-sdk.contract-show/1"
    assert (content["release"], content["grade"]) == ("0.23.4", "API only")
    assert content["flags"]["portable_plugins"] is True
    assert content["sections"]["hooks"]["pre_tool_call"]["always"][:2] == ["api_request_id", "args"]


def test_diff_prints_added_and_removed_names(cli):
    code, out, _ = cli("diff", "0.18.2", "0.19.0")
    assert code == 0
    assert "Hermes 0.18.2 (API only) → 0.19.0 (proven)" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["-", "billing"] in lines
    assert ["+", "kanban_attach", "kanban"] in lines
    assert ["~", "tool_result_contract", "False", "→", "True"] in lines


def test_diff_of_a_release_with_itself_is_empty(cli):
    assert "No difference." in cli("diff", "0.19.0", "0.19.0")[1]


def test_diff_prints_json(cli):
    content = json.loads(cli("diff", "0.18.2", "0.19.0", "--json")[1])
    assert content["schema"] == "hermes-sdk.contract-diff/1"
    assert (content["before"], content["after"]) == ("0.18.2", "0.19.0")
    assert {
        "path": ["hooks", "post_approval_response", "sometimes", "decided_by"],
        "kind": "added",
        "before": None,
        "after": "decided_by",
    } in content["changes"]


def test_diff_prints_a_markdown_page(cli):
    assert cli("diff", "0.18.2", "0.19.0", "--markdown")[1].startswith(
        "# Hermes 0.18.2 → 0.19.0\n\n## New behaviour\n\n- "
    )
    code, out, _ = cli("diff", "0.18.2", "0.19.0", "--markdown", "--json")
    assert code == 2
    assert "cannot be used together" in json.loads(out)["error"]["message"]


@pytest.mark.parametrize("argv", [("show", "1.2"), ("diff", "0.19.0", "1.2")], ids=lambda argv: argv[0])
def test_unknown_release_is_a_usage_error(cli, argv):
    code, out, err = cli(*argv)
    assert (code, out) == (2, "")
    assert "'1.2'" in err
    assert "0.13.0" in err
    assert "Traceback" not in err


def test_extract_fails_for_a_python_without_hermes(cli, tmp_path):
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    code, out, err = cli("extract", "--python", str(tmp_path / "env" / "bin" / "python"))
    assert (code, out) == (3, "")
    assert "hermes-agent is not installed for " in err


def test_extract_fails_for_a_missing_directory(cli, tmp_path):
    code, _, err = cli("extract", "--python", "python", "-o", str(tmp_path / "absent" / "c.json"))
    assert code == 2
    assert "absent" in err


@pytest.mark.slow
@pytest.mark.real_host
def test_extract_writes_the_format_of_the_package(cli, tmp_path, real_python):
    target = tmp_path / "0.13.0.json"
    assert cli("extract", "--python", str(real_python("0.13.0")), "-o", str(target))[0] == 0
    assert target.read_text(encoding="utf-8").startswith('{\n"auxiliary_tasks": [')
    assert json.loads(target.read_text(encoding="utf-8"))["release"] == "0.13.0"


def test_extract_rejects_a_directory_without_contracts(tmp_path):
    with pytest.raises(UsageError, match="no contracts in"):
        add_release({"release": "0.13.0"}, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.real_host
def test_extract_adds_a_release_to_existing_data(cli, tmp_path, real_python):
    data = tmp_path / "data"
    shutil.copytree(SHIPPED, data)
    assert cli("extract", "--python", str(real_python("0.13.0")), "-o", str(data))[0] == 0
    # The other packages of an environment depend on the day of its creation.
    changed = {path.stem for path in data.iterdir() if path.read_bytes() != (SHIPPED / path.name).read_bytes()}
    assert changed <= {"third_party_modules"}
