"""The skill for coding agents: installation, and correctness of its content."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest
import yaml

from hermes_sdk import __version__, contract, skill
from hermes_sdk.check.rules import RULES
from hermes_sdk.cli.main import run
from hermes_sdk.cli.program import group
from hermes_sdk.cli.skill import _AGENTS
from hermes_sdk.documentation import find_section, search

FILES = {name: data.decode() for name, data in skill.read_files().items()}
NAMES = [".hermes-sdk.json", "SKILL.md", "references/commands.md", "references/mistakes.md"]
PLACES = {
    ("claude", "--project"): "project/.claude/skills",
    ("codex", "--project"): "project/.agents/skills",
    ("opencode", "--project"): "project/.opencode/skills",
    ("claude", "--user"): "home/.claude/skills",
    ("codex", "--user"): "home/.agents/skills",
    ("opencode", "--user"): "home/.config/opencode/skills",
    ("hermes", "--user"): "home/.hermes/skills",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a project, which becomes the current directory, and a HOME; return their parent directory."""
    for name in ("project", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as stop:
        run(["skill", *argv])
    printed = capsys.readouterr()
    assert stop.value.code == code, printed.err
    return printed.out + printed.err


def list_written(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


@pytest.mark.parametrize(("agent", "scope"), PLACES)
def test_skill_is_written_to_the_directory_of_the_agent(
    agent: str, scope: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = call(capsys, "install", "--for", agent, scope)
    folder = f"{PLACES[agent, scope]}/hermes-sdk"
    assert list_written(root) == [f"{folder}/{name}" for name in NAMES]
    assert sorted(out.splitlines()) == [f"Wrote {root / folder / name}" for name in NAMES]
    assert (root / folder / "SKILL.md").read_text() == FILES["SKILL.md"]


def test_second_install_writes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "install", "--for", "claude")
    times = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    assert "is already in" in call(capsys, "install", "--for", "claude")
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == times


def test_install_without_an_agent_uses_existing_directories(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (".claude", ".opencode"):
        (root / "project" / name).mkdir()
    call(capsys, "install")
    assert {name.split("/")[1] for name in list_written(root)} == {".claude", ".opencode"}


def test_install_without_an_agent_or_directory_writes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Name the agent: --for claude|codex|opencode." in call(capsys, "install", code=2)
    assert list_written(root) == []


def test_install_for_hermes_requires_user_option(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Add --user" in call(capsys, "install", "--for", "hermes", code=2)
    assert list_written(root) == []


@pytest.mark.parametrize("name", NAMES[1:])
def test_edited_file_is_kept(name: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "install", "--for", "claude")
    file = root / "project/.claude/skills/hermes-sdk" / name
    file.write_text("Mine.\n")
    assert f"Not overwritten: changed since hermes-sdk wrote it: {file}" in call(
        capsys, "install", "--for", "claude", code=2
    )
    assert f"Kept {file}, which was changed" in call(capsys, "remove", "--for", "claude")
    assert list_written(root) == [file.relative_to(root).as_posix()]
    assert file.read_text() == "Mine.\n"


def test_foreign_skill_with_the_same_name_is_kept(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = root / "home/.claude/skills/hermes-sdk/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("Mine.\n")
    call(capsys, "install", "--for", "claude", "--user", code=2)
    call(capsys, "remove", "--for", "claude", "--user")
    assert (list_written(root), file.read_text()) == (["home/.claude/skills/hermes-sdk/SKILL.md"], "Mine.\n")


def test_install_replaces_files_of_another_version(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {**skill.read_files(), "SKILL.md": b"Of old.\n", "references/old.md": b"Of old.\n"}
    with monkeypatch.context() as patch:
        patch.setattr(skill, "read_files", lambda: dict(before))
        call(capsys, "install", "--for", "claude")
    folder = root / "project/.claude/skills/hermes-sdk"
    assert (folder / "references/old.md").exists()
    call(capsys, "install", "--for", "claude")
    assert (folder / "SKILL.md").read_text() == FILES["SKILL.md"]
    assert [name.partition("hermes-sdk/")[2] for name in list_written(root)] == NAMES


def test_remove_deletes_the_skill_and_keeps_others(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = root / "project/.claude/skills/other/SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text("Other.\n")
    call(capsys, "install", "--for", "claude")
    out = call(capsys, "remove", "--for", "claude")
    assert out.count("Removed ") == len(NAMES)
    assert [path.name for path in other.parents[1].iterdir()] == ["other"]
    assert "There is no skill for claude" in call(capsys, "remove", "--for", "claude")


def test_record_with_paths_out_of_the_skill_deletes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "install", "--for", "claude")
    record = root / "project/.claude/skills/hermes-sdk/.hermes-sdk.json"
    victim = root / "project/victim"
    victim.write_text("")
    digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    for name in ("../../../victim", str(victim), "references/../../../../victim"):
        record.write_text(f'{{"files": {{"{name}": "{digest}"}}}}')
        call(capsys, "remove", "--for", "claude")
        assert victim.exists()


def test_link_out_of_the_project_is_not_followed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "project/.claude").symlink_to(root / "home")
    out = call(capsys, "install", "--for", "claude", code=3)
    assert "Traceback" not in out
    assert list_written(root) == []


def test_skill_is_short_and_contains_the_version() -> None:
    head, _, _ = FILES["SKILL.md"].removeprefix("---\n").partition("---\n")
    about = yaml.safe_load(head)
    assert (about["name"], about["metadata"]) == ("hermes-sdk", {"version": __version__})
    assert len(about["description"]) < 1_024
    assert len(FILES["SKILL.md"].splitlines()) <= 150
    assert [f"references/{name}" in FILES["SKILL.md"] for name in ("commands.md", "mistakes.md")] == [True, True]


def test_sections_of_the_skill_are_in_order() -> None:
    first, *others = re.split(r"^## ", FILES["SKILL.md"], flags=re.MULTILINE)[1:]
    assert re.findall(r"^    (hermes-sdk \w+)", first, re.MULTILINE) == ["hermes-sdk verify", "hermes-sdk docs"]
    headings = [one.partition("\n")[0] for one in others]
    assert headings[1:5] == ["Verify", "Write tests", "Which command answers which question", "Ship"]
    assert headings[-1] == "Do not"


def test_skill_module_and_command_have_the_same_agents() -> None:
    assert tuple(skill.AGENTS) == _AGENTS


def find_commands() -> Iterator[str]:
    """Yield the calls of hermes-sdk in the skill, both on separate lines and in inline code."""
    for text in FILES.values():
        yield from re.findall(r"^ {4,}(hermes-sdk .+)$", text, re.MULTILINE)
        yield from re.findall(r"`(hermes-sdk [^`]+)`", text)


@pytest.mark.parametrize("line", sorted(set(find_commands())))
def test_commands_in_the_skill_exist_with_their_options(line: str) -> None:
    words = shlex.split(line)[1:]
    found: click.Command = group
    while isinstance(found, click.Group) and words and not words[0].startswith("-"):
        one = found.get_command(click.Context(found), words[0])
        assert one is not None, line
        found, words = one, words[1:]
    options = {name for one in found.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    assert {word for word in words if word.startswith("-")} <= options


def test_names_rules_and_pages_in_the_skill_exist() -> None:
    text = "\n".join(FILES.values())
    for kind, name in re.findall(r"contract show (hook|member|module) ([a-z_.]+)", text):
        assert_known(kind, name)
    assert set(re.findall(r"HS\d{3}", text)) <= {rule.code for rule in RULES}
    for place in re.findall(r"docs (how-to/[a-z#-]+)", text):
        assert find_section(place)
    assert search("publish to PyPI")[0].place == "how-to/ship#as-a-package"


MISTAKES = """
import json

from agent.auxiliary_client import call_llm
from hermes_sdk.api import PluginContext

import notes

SCHEMA = {"name": "mine_add", "description": "Adds.", "parameters": {"type": "object", "properties": {}}}


def add(args, **kwargs):
    return {"sum": 3}


def recall(user_message="", **kwargs):
    return None


def register(ctx):
    ctx.register_tool("mine_add", "mine", SCHEMA, add)
    ctx.register_hook("pre_lm_call", recall)
"""


def test_check_finds_the_mistakes_that_the_skill_describes(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin = root / "project/mine"
    plugin.mkdir()
    (plugin / "plugin.yaml").write_text("name: mine\nversion: '1'\ndescription: Mine.\nprovides_tools: [mine_add]\n")
    (plugin / "__init__.py").write_text(MISTAKES)
    (plugin / "notes.py").write_text("NOTES = []\n")
    with pytest.raises(SystemExit):
        run(["check", "--static", "--json", "mine"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    codes = {one["code"] for one in findings}
    assert set(re.findall(r"HS\d{3}", FILES["references/mistakes.md"])) <= codes


def assert_known(kind: str, name: str) -> None:
    newest = contract.load(contract.DEFAULT)
    names: Sequence[str] = {"hook": [*newest.hooks], "member": [*newest.context], "module": [*newest.host_modules]}[
        kind
    ]
    assert name in names
