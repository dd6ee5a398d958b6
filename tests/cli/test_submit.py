"""`hermes-sdk submit`: the catalog entry of a plugin, and the checks for admission."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from hermes_sdk.cli import main
from hermes_sdk.errors import UsageError
from hermes_sdk.operate.git import read_remote
from hermes_sdk.submit.entry import make_https

MANIFEST = """\
name: Example_Plugin
kind: standalone
version: '1.0'
description: An example.  # for people
requires_hermes: '>=0.22.2, <0.23'
provides_tools: [example_roll]
"""
SOURCE = """\
SCHEMA = {"name": "example_roll", "description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}


def handle(args, **kwargs):
    return "4"


def register(ctx):
    ctx.register_tool(name="example_roll", toolset="example", schema=SCHEMA, handler=handle)
"""
TEST = "def test_nothing():\n    pass\n"
SCHEMA = Path(main.__file__).parents[1] / "submit" / "submit.schema.json"


@pytest.fixture
def project(tmp_path, real_python) -> Path:
    real_python("0.22.2")
    write(tmp_path / "work", {"plugin/plugin.yaml": MANIFEST, "plugin/__init__.py": SOURCE, "test_it.py": TEST})
    git(tmp_path / "work", "init", "--quiet")
    git(tmp_path / "work", "remote", "add", "origin", "git@github.com:acme/example.git")
    commit(tmp_path / "work")
    return tmp_path / "work"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def git(folder: Path, *words: str) -> str:
    own = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
    done = subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, encoding="utf-8")
    return done.stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "Change it")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def run_submit(capsys):
    """Return a function that runs the command in this process, and returns the status and the document."""

    def call(*argv: str | Path) -> tuple[object, dict]:
        with pytest.raises(SystemExit) as ended:
            main.run(["submit", "--json", *map(str, argv)])
        document = json.loads(capsys.readouterr().out)
        Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(document)
        return ended.value.code, document

    return call


@pytest.mark.real_host
def test_entry_is_created_from_the_commit(project, run_submit, tmp_path):
    (project / "plugin" / "__init__.py").write_text("raise ValueError('not committed')\n", encoding="utf-8")
    status, document = run_submit(project, "--release", "0.22.2", "-o", tmp_path / "out")
    states = {step["name"]: step["state"] for step in document["steps"]}
    assert status == 0, document["steps"]
    assert set(states.values()) == {"passed"}
    assert states["Hermes' reader of catalog entries"] == "passed"
    assert document["differing"] == ["__init__.py"]
    assert document["policy"]["release"] == "0.22.2"
    entry = yaml.safe_load((tmp_path / "out" / "plugin-catalog" / "example_plugin.yaml").read_text(encoding="utf-8"))
    assert entry == {
        "name": "example_plugin",
        "repo": "https://github.com/acme/example",
        "sha": git(project, "rev-parse", "HEAD"),
        "subdir": "plugin",
        "description": "An example.",
        "maintainer": "acme",
        "tier": "community",
        "category": "tools",
        "requires_hermes": ">=0.22.2, <0.23",
        "version": "1.0",
        "capabilities": {"provides_tools": ["example_roll"]},
    }
    text = (tmp_path / "out" / "pull-request.md").read_text(encoding="utf-8")
    assert "- [x] hermes plugins validate: 0 errors" in text


@pytest.mark.real_host
def test_skipped_steps_are_not_passed_and_unused_declarations_are_reported(project, run_submit):
    fields = "python_dependencies: ['idna>=3,<4']\ncapabilities: [tools.override]\nrequires_env: [EXAMPLE_KEY]\n"
    write(project, {"plugin/plugin.yaml": MANIFEST + fields})
    commit(project)
    status, document = run_submit(project)
    steps = {step["name"]: step for step in document["steps"]}
    assert status == 1
    assert steps["dependencies as of 14 days ago"]["state"] == "not run"
    assert steps["declared and used capabilities"]["problems"] == [
        "declared but not used: requires_env: EXAMPLE_KEY",
        "declared but not used: capabilities: tools.override",
    ]
    assert document["entry"]["capabilities"] == {"provides_tools": ["example_roll"]}
    assert "- [ ] dependencies as of 14 days ago: **not run**" in document["pull_request"]
    assert not document["ready"]


@pytest.mark.real_host
def test_unmodelled_release_that_lacks_a_used_api_fails(project, run_submit):
    middleware = SOURCE + '    ctx.register_middleware("tool_request", lambda **more: None)\n'
    manifest = MANIFEST.replace("'>=0.22.2, <0.23'", "'>=0.16, <0.23'")
    write(project, {"plugin/plugin.yaml": manifest, "plugin/__init__.py": middleware})
    commit(project)
    _, document = run_submit(project)
    step = next(one for one in document["steps"] if one["name"] == "hermes-sdk compat")
    assert (step["state"], step["detail"]) == ("failed", "0.19.0 to 0.22.2: 3 of 3 releases decided")
    assert step["problems"] == ["0.16.0: it lacks ctx.register_middleware"]


@pytest.mark.real_host
def test_uncommitted_plugin_is_rejected(project, run_submit):
    write(project, {"other/plugin.yaml": MANIFEST, "other/__init__.py": SOURCE})
    status, document = run_submit(project / "other")
    assert status == 2
    assert "not committed" in document["error"]["message"]


def test_all_obstacles_are_reported_at_once(tmp_path, monkeypatch, run_submit):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))  # An empty cache: no Hermes is installed.
    manifest = MANIFEST.replace("Example_Plugin", "'🎲'")
    write(tmp_path / "work", {"plugin/plugin.yaml": manifest, "plugin/__init__.py": SOURCE})
    git(tmp_path / "work", "init", "--quiet")
    status, document = run_submit(tmp_path / "work" / "plugin")
    message = document["error"]["message"]
    assert status == 2
    assert "is not committed to a Git repository" in message
    assert "has no remote `origin`" in message
    assert "cannot be used as a key of the catalog" in message
    assert "Hermes 0.22.2, which runs the checks, is not installed\n  Run `hermes-sdk hosts install 0.22.2`" in message
    write(tmp_path / "work", {"plugin/plugin.yaml": MANIFEST})
    git(tmp_path / "work", "remote", "add", "origin", "git@github.com:acme/example.git")
    commit(tmp_path / "work")
    status, document = run_submit(tmp_path / "work" / "plugin")
    assert (status, document["error"]["message"]) == (3, "Hermes 0.22.2, which runs the checks, is not installed")


def test_worktree_uses_the_remote_of_its_repository(tmp_path):
    write(tmp_path / "work", {"file": "text"})
    git(tmp_path / "work", "init", "--quiet")
    with pytest.raises(UsageError, match="no remote"):
        read_remote(tmp_path / "work")
    git(tmp_path / "work", "remote", "add", "origin", "git@github.com:acme/example.git")
    commit(tmp_path / "work")
    git(tmp_path / "work", "worktree", "add", "--quiet", "../tree")
    assert read_remote(tmp_path / "tree") == "git@github.com:acme/example.git"


def test_fix_prepares_the_manifest_and_a_directory_to_ship(tmp_path, monkeypatch, run_submit):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))  # An empty cache: no Hermes is installed.
    root = tmp_path / "root"
    manifest = MANIFEST.replace("provides_tools: [example_roll]\n", "manifest_version: 2\n").replace("0.22.2", "0.19")
    write(root, {"plugin.yaml": manifest, "__init__.py": SOURCE, "tests/test_it.py": TEST, "docs/it.md": "It."})
    git(root, "init", "--quiet")
    _, document = run_submit(root, "--fix")
    changed = yaml.safe_load((root / "plugin.yaml").read_text(encoding="utf-8"))
    assert (changed["provides_tools"], changed["manifest_version"]) == (["example_roll"], 1)
    assert "# for people" in (root / "plugin.yaml").read_text(encoding="utf-8")
    assert sorted(path.name for path in (root / "plugin").rglob("*")) == ["__init__.py", "plugin.yaml"]
    assert (root / "plugin" / "plugin.yaml").read_bytes() == (root / "plugin.yaml").read_bytes()
    assert len(document["changes"]) == 3
    assert run_submit(root, "--fix")[1]["changes"] == []


@pytest.mark.parametrize(
    ("url", "https"),
    [
        ("git@github.com:acme/example.git", "https://github.com/acme/example"),
        ("ssh://git@git.example.org:2222/acme/example.git", "https://git.example.org/acme/example"),
        ("https://user:secret@github.com/acme/example.git/", "https://github.com/acme/example"),
        ("http://example.org:8080/example", "https://example.org:8080/example"),
    ],
)
def test_repository_url_becomes_https_without_secrets(url, https):
    assert make_https(url) == https


@pytest.mark.parametrize("url", ["/srv/example", "../example", "file:///srv/example"])
def test_repository_without_a_remote_is_rejected(url):
    with pytest.raises(UsageError, match="no https address"):
        make_https(url)
