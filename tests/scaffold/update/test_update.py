"""`update`: changes of the template and the user are merged, or reported as conflicts of Git."""

import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scaffold.update.history import TOOLS, Template, commit, git, state

from hermes_sdk import __version__
from hermes_sdk.cli.update import command
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.update.codemods import CODEMODS, Codemod, pending
from hermes_sdk.scaffold.update.engine import BASE, SETTINGS, Updated, update

OLD = "# One\nX = 1\n\n\n# Two\nY = 2\n\n\n# Three\nZ = 3\n"
NEW = OLD.replace("X = 1", "X = 10")


class Story:
    """A project of an old template, and the new template.

    Args:
        scratch: Directory for the project and the new template.
        origin: Project to copy.
    """

    def __init__(self, scratch: Path, origin: Path) -> None:
        self.scratch = scratch
        self.project = scratch / "team-notes"
        shutil.copytree(origin, self.project)

    def update(self, changes: "dict[str, str | bytes | None]", **options: "object") -> Updated:
        """Update the project to a template with some changed files."""
        files = {"team_notes/x.py": OLD, "gone.md": "Old.\n", **changes}
        executable = options.pop("executable", ())
        shutil.rmtree(self.scratch / "new", ignore_errors=True)
        template = Template(self.scratch / "new", "0.1.0", files, executable)  # type: ignore[arg-type]
        return update(self.project, version="0.1.0", render=template.render, **options)  # type: ignore[arg-type]

    def read(self, name: str) -> str:
        return (self.project / name).read_text()

    def edit(self, name: str, old: str, new: str) -> None:
        """Edit a file as the user, and commit it."""
        text = self.read(name)
        assert old in text
        (self.project / name).write_text(text.replace(old, new))
        commit(self.project, "Mine")


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a project of the old template, and commit it."""
    scratch = tmp_path_factory.mktemp("origin")
    return Template(scratch, "0.0.1", {"team_notes/x.py": OLD, "gone.md": "Old.\n"}).start(scratch / "team-notes")


@pytest.fixture
def story(tmp_path: Path, origin: Path) -> Story:
    return Story(tmp_path, origin)


def log(project: Path) -> list[str]:
    return git(project, "log", "--format=%s").splitlines()


def test_changes_of_template_and_user_are_merged(story: Story) -> None:
    story.edit("team_notes/x.py", "Z = 3", "Z = 30")

    done = story.update({"team_notes/x.py": NEW})

    assert story.read("team_notes/x.py") == NEW.replace("Z = 3", "Z = 30")
    assert log(story.project) == ["Update to the template 'plugin' of hermes-sdk 0.1.0", "Mine", "Start"]
    assert done.commits == ("Update to the template 'plugin' of hermes-sdk 0.1.0",)
    assert not done.conflicts
    assert 'version = "0.1.0"' in story.read(SETTINGS)
    assert git(story.project, "status", "--porcelain") == ""
    assert git(story.project, "branch", "--show-current") == "main\n"


def test_next_update_starts_from_the_last_one(story: Story) -> None:
    story.edit("team_notes/x.py", "Z = 3", "Z = 30")
    story.update({"team_notes/x.py": NEW})
    newest = Template(story.scratch / "newest", "0.2.0", {"team_notes/x.py": NEW.replace("Y = 2", "Y = 20")})

    done = update(story.project, version="0.2.0", render=newest.render)

    assert not done.conflicts
    assert story.read("team_notes/x.py") == "# One\nX = 10\n\n\n# Two\nY = 20\n\n\n# Three\nZ = 30\n"
    assert not (story.project / "gone.md").exists()


def test_second_update_does_nothing(story: Story) -> None:
    story.update({"team_notes/x.py": NEW})
    before = state(story.project)
    template = Template(story.scratch / "again", "0.1.0", {"team_notes/x.py": NEW, "gone.md": "Old.\n"})

    assert update(story.project, version="0.1.0", render=template.render).commits == ()
    assert state(story.project) == before


def test_bytecode_in_an_old_base_causes_no_conflict(story: Story) -> None:
    """Simulate an old wheel, which contained templates as files that pip compiled."""
    bytecode = "team_notes/__pycache__/notes.cpython-311.pyc"
    (story.project / bytecode).parent.mkdir()
    (story.project / bytecode).write_bytes(b"\0newer")
    with zipfile.ZipFile(story.project / BASE, "a") as base:
        base.writestr(bytecode, b"\0older")
    commit(story.project, "Start again")

    assert story.update({"team_notes/x.py": NEW}).conflicts == ()

    assert git(story.project, "status", "--porcelain") == ""
    with zipfile.ZipFile(story.project / BASE) as base:
        assert bytecode not in base.namelist()


def test_conflict_is_shown_by_git_and_can_be_resolved(story: Story) -> None:
    story.edit("team_notes/x.py", "X = 1", "X = 2")

    done = story.update({"team_notes/x.py": NEW, "new.md": "New.\n"})

    assert done.conflicts == ("team_notes/x.py",)
    text = story.read("team_notes/x.py")
    assert "<<<<<<<" in text
    assert "X = 2" in text
    assert "X = 10" in text
    assert "UU team_notes/x.py" in git(story.project, "status", "--porcelain")
    assert not list(story.project.rglob("*.rej"))
    (story.project / "team_notes/x.py").write_text("X = 2\n")
    git(story.project, "add", ".")
    git(story.project, "-c", "core.editor=true", "cherry-pick", "--continue")
    assert log(story.project)[0] == "Update to the template 'plugin' of hermes-sdk 0.1.0"
    assert story.read("new.md") == "New.\n"


def test_conflict_can_be_aborted(story: Story) -> None:
    story.edit("team_notes/x.py", "X = 1", "X = 2")
    before = state(story.project)
    story.update({"team_notes/x.py": NEW, "new.md": "New.\n", "gone.md": None})
    git(story.project, "cherry-pick", "--abort")
    assert state(story.project) == before


def test_deleted_file_is_not_restored(story: Story) -> None:
    git(story.project, "rm", "--quiet", "gone.md")
    commit(story.project, "Mine")
    done = story.update({"team_notes/x.py": NEW})
    assert not done.conflicts
    assert not (story.project / "gone.md").exists()


def test_deleted_file_that_the_template_changed_conflicts(story: Story) -> None:
    git(story.project, "rm", "--quiet", "gone.md")
    commit(story.project, "Mine")
    done = story.update({"gone.md": "Changed.\n"})
    assert done.conflicts == ("gone.md",)
    assert story.read("gone.md") == "Changed.\n"


def test_file_that_the_template_removed_is_deleted(story: Story) -> None:
    story.update({"gone.md": None})
    assert not (story.project / "gone.md").exists()


def test_edited_file_that_the_template_removed_conflicts(story: Story) -> None:
    story.edit("gone.md", "Old.", "Mine.")
    done = story.update({"gone.md": None})
    assert done.conflicts == ("gone.md",)
    assert story.read("gone.md") == "Mine.\n"


def test_file_that_the_user_added_is_kept(story: Story) -> None:
    (story.project / "mine.md").write_text("Mine.\n")
    commit(story.project, "Mine")
    done = story.update({"team_notes/x.py": NEW})
    assert not done.conflicts
    assert story.read("mine.md") == "Mine.\n"


def test_file_added_by_user_and_template_conflicts(story: Story) -> None:
    (story.project / "new.md").write_text("Mine.\n")
    commit(story.project, "Mine")
    done = story.update({"new.md": "Theirs.\n"})
    assert done.conflicts == ("new.md",)
    assert {"Mine.", "Theirs."} < set(story.read("new.md").splitlines())


def test_renamed_package_is_updated(story: Story) -> None:
    git(story.project, "mv", "team_notes", "our_notes")
    commit(story.project, "Mine")

    done = story.update({"team_notes/x.py": NEW, "team_notes/more.py": "MORE = 1\n"})

    assert not done.conflicts
    assert story.read("our_notes/x.py") == NEW
    assert story.read("our_notes/more.py") == "MORE = 1\n"
    assert not (story.project / "team_notes").exists()


def test_executable_bit_is_updated(story: Story) -> None:
    story.update({"run.sh": "#!/bin/sh\n", "gone.md": "Old.\n"}, executable=("run.sh", "gone.md"))
    for name in ("run.sh", "gone.md"):
        assert (story.project / name).stat().st_mode & stat.S_IXUSR


def test_binary_file_is_replaced_or_conflicts(tmp_path: Path) -> None:
    logo, brand = bytes(range(256)) * 8, bytes(reversed(range(256))) * 8
    project = Template(tmp_path / "old", "0.0.1", {"logo.png": logo, "mine.png": logo}).start(tmp_path / "p")
    (project / "mine.png").write_bytes(b"\0mine")
    commit(project, "Mine")
    template = Template(tmp_path / "new", "0.1.0", {"logo.png": brand, "mine.png": brand})

    done = update(project, version="0.1.0", render=template.render)

    assert done.conflicts == ("mine.png",)
    assert (project / "logo.png").read_bytes() == brand
    assert (project / "mine.png").read_bytes() == b"\0mine"


def test_code_added_by_the_add_command_is_kept(story: Story) -> None:
    from hermes_sdk.scaffold.add.engine import add

    add("tool", "fetch_page", story.project).changes.write()
    commit(story.project, "Mine")
    done = story.update({"team_notes/x.py": NEW})
    assert not done.conflicts
    assert "def fetch_page(" in story.read(TOOLS)


def test_project_in_a_subdirectory_of_its_repository_is_updated(tmp_path: Path) -> None:
    template = Template(tmp_path / "old", "0.0.1", {"x.py": OLD})
    root = tmp_path / "all"
    template.start(root / "plugins/notes")
    shutil.rmtree(root / "plugins/notes/.git")
    (root / "other.md").write_text("Other.\n")
    git(root, "init", "--quiet")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.com")
    commit(root, "Start")
    new = Template(tmp_path / "new", "0.1.0", {"x.py": NEW})

    done = update(root / "plugins/notes", version="0.1.0", render=new.render)

    assert not done.conflicts
    assert (root / "plugins/notes/x.py").read_text() == NEW
    assert (root / "other.md").read_text() == "Other.\n"


def test_project_with_windows_line_ends_is_updated(story: Story) -> None:
    git(story.project, "config", "core.autocrlf", "true")
    git(story.project, "rm", "--quiet", "--cached", "-r", ".")
    git(story.project, "reset", "--quiet", "--hard")
    assert b"\r\n" in (story.project / "team_notes/x.py").read_bytes()
    done = story.update({"team_notes/x.py": NEW})
    assert not done.conflicts
    assert (story.project / "team_notes/x.py").read_bytes().count(b"\r\n") == NEW.count("\n")


def test_dry_run_shows_changes_without_writing(story: Story) -> None:
    story.edit("team_notes/x.py", "X = 1", "X = 2")
    before = state(story.project)
    done = story.update({"team_notes/x.py": NEW, "new.md": "New.\n"}, dry_run=True)
    assert done.conflicts == ("team_notes/x.py",)
    assert "+New." in done.diff
    assert "+<<<<<<<" in done.diff
    assert state(story.project) == before


def rename_setting(project: Path) -> None:
    file = project / "team_notes/x.py"
    file.write_text(file.read_text().replace("Y =", "WHY ="))


RENAME = Codemod(7, "0.0.5", "Rename the setting Y to WHY", rename_setting)
NOTHING = Codemod(8, "0.0.6", "Do nothing", lambda project: None)
DONE = Codemod(1, "0.0.1", "Fail", lambda project: pytest.fail("the project has it"))


def test_codemods_are_committed_separately_before_the_merge(story: Story) -> None:
    story.edit("team_notes/x.py", "Y = 2", "Y = 2 + 0")

    done = story.update({"team_notes/x.py": NEW.replace("Y =", "WHY =")}, codemods=(NOTHING, RENAME, DONE))

    assert not done.conflicts
    assert log(story.project)[:2] == ["Update to the template 'plugin' of hermes-sdk 0.1.0", RENAME.title]
    assert "Codemod 0007 of hermes-sdk 0.0.5." in git(story.project, "log", "-1", "--format=%b", "HEAD~1")
    assert "WHY = 2 + 0" in story.read("team_notes/x.py")


def test_codemods_are_committed_when_the_merge_conflicts(story: Story) -> None:
    story.edit("team_notes/x.py", "X = 1", "X = 2")
    done = story.update({"team_notes/x.py": NEW.replace("Y =", "WHY =")}, codemods=(RENAME,))
    assert done.conflicts == ("team_notes/x.py",)
    assert log(story.project)[0] == RENAME.title


def test_codemods_have_unique_numbers_and_released_versions() -> None:
    numbers = [one.number for one in CODEMODS]
    assert numbers == sorted(set(numbers))
    assert pending(CODEMODS, __version__) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_interrupted_update_changes_nothing(story: Story, error: type[BaseException]) -> None:
    before = state(story.project)

    def interrupt(project: Path) -> None:
        (project / "half.md").write_text("Half.\n")
        raise error

    with pytest.raises(error):
        story.update({"team_notes/x.py": NEW}, codemods=(RENAME, Codemod(9, "0.1.0", "Stop", interrupt)))
    assert state(story.project) == before


def install_filter(project: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a Git filter that runs a command once, when Git next writes `x.py` into the user's tree."""
    own = project.parent / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    once = f"case $PWD in *{project.name}) rm .git/armed 2>/dev/null && {command};; esac; cat"
    git(project, "config", f"--file={own}", "filter.once.smudge", once)
    git(project, "config", f"--file={own}", "filter.once.clean", "cat")
    git(project, "config", f"--file={own}", "filter.once.required", "true")
    (project / ".git" / "info" / "attributes").write_text("team_notes/x.py filter=once\n")
    (project / ".git" / "armed").touch()


def test_failed_update_changes_nothing(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    install_filter(story.project, "exit 1", monkeypatch)
    before = state(story.project)
    with pytest.raises(UnavailableError, match="filter"):
        story.update({"team_notes/x.py": NEW, "added.md": "Added.\n"})
    assert state(story.project) == before


def test_next_update_undoes_a_killed_one_and_keeps_edits(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = {"team_notes/x.py": NEW, "added.md": "Added.\n"}
    install_filter(story.project, "kill -9 $PPID", monkeypatch)
    with pytest.raises(UnavailableError):
        story.update({**changes})
    assert git(story.project, "status", "--porcelain")
    assert (story.project / ".git" / "index.lock").exists()
    (story.project / "mine.md").write_text("Mine.\n")

    done = story.update({**changes})

    assert done.has_undone
    assert git(story.project, "status", "--porcelain") == ""
    assert log(story.project) == ["Update to the template 'plugin' of hermes-sdk 0.1.0", "Start"]
    assert git(story.project, "show", "stash@{0}:mine.md") == "Mine.\n"
    assert not story.update({**changes}).has_undone


@pytest.mark.parametrize("change", ["edited", "untracked", "staged"])
def test_uncommitted_changes_are_rejected(story: Story, change: str) -> None:
    (story.project / ("README.md" if change == "edited" else "mine.md")).write_text("Mine.\n")
    if change == "staged":
        git(story.project, "add", ".")
    before = state(story.project)
    with pytest.raises(UsageError, match="uncommitted changes") as refused:
        story.update({"team_notes/x.py": NEW})
    assert ("README.md" if change == "edited" else "mine.md") in refused.value.message
    assert "git stash" in refused.value.fix
    assert state(story.project) == before


def test_ignored_file_is_not_overwritten(story: Story) -> None:
    (story.project / ".gitignore").write_text(story.read(".gitignore") + "secret.env\n")
    commit(story.project, "Mine")
    (story.project / "secret.env").write_text("KEY=1\n")
    before = state(story.project)
    with pytest.raises(UsageError, match=r"secret\.env"):
        story.update({"secret.env": "KEY=\n"})
    assert state(story.project) == before


def test_missing_repository_is_rejected_with_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    project = new("plugin", tmp_path, name="Team Notes")
    with pytest.raises(UsageError, match="not in a Git repository") as refused:
        update(project)
    assert "git init" in refused.value.fix
    git(project, "init", "--quiet")
    with pytest.raises(UsageError, match="no commits yet"):
        update(project)


def test_missing_git_is_reported(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(story.scratch))
    with pytest.raises(UnavailableError, match="git is not installed"):
        update(story.project)


def test_missing_commit_author_is_reported_by_git(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    git(story.project, "config", "--unset", "user.name")
    git(story.project, "config", "--unset", "user.email")
    git(story.project, "config", "user.useConfigOnly", "true")
    monkeypatch.setenv("HOME", str(story.scratch))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    before = state(story.project)
    with pytest.raises(UnavailableError, match=r"user\.email"):
        story.update({"team_notes/x.py": NEW})
    assert state(story.project) == before


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (SETTINGS, None, "was not created by `hermes-sdk new`"),
        (SETTINGS, b"template = ", "cannot be read"),
        (SETTINGS, b"template = 1\n", "is missing"),
        (SETTINGS, b'template = "plugin"\nversion = "x"\n[answers]\n', "is not a valid version"),
        (SETTINGS, b'template = "plugin"\nversion = "99.0"\n[answers]\n', "newer than the installed"),
        (BASE, None, "stored copy of the generated project cannot be read"),
        (BASE, b"PK", "stored copy of the generated project cannot be read"),
    ],
)
def test_project_without_valid_settings_is_rejected(
    story: Story, name: str, content: bytes | None, message: str
) -> None:
    if content is None:
        (story.project / name).unlink()
    else:
        (story.project / name).write_bytes(content)
    commit(story.project, "Mine")
    before = state(story.project)
    with pytest.raises(UsageError, match=message):
        update(story.project)
    assert state(story.project) == before


def test_new_and_cookiecutter_store_the_same_base(tmp_path: Path) -> None:
    ours = new("plugin", tmp_path, name="Team Notes")
    Template(tmp_path / "plain", "0.1.0").render("plugin", {"plugin_name": "Team Notes"}, tmp_path / "theirs")
    assert (ours / BASE).read_bytes() == (tmp_path / "theirs" / BASE).read_bytes()


def test_minimum_version_that_the_template_dropped_is_kept(tmp_path: Path) -> None:
    project = new("plugin", tmp_path, name="Team Notes")
    settings = project / SETTINGS
    settings.write_text(settings.read_text().replace('hermes_floor = "0.19.0"', 'hermes_floor = "0.16.0"'))
    for arguments in (["init", "--quiet"], ["config", "user.name", "Ada"], ["config", "user.email", "a@example.com"]):
        git(project, *arguments)
    commit(project, "Start")

    update(project)

    assert 'requires_hermes: ">=0.16.0"' in (project / "team_notes/plugin.yaml").read_text()
    assert 'target = ">=0.16.0"' in (project / "pyproject.toml").read_text()
    assert 'hermes_floor = "0.16.0"' in settings.read_text()
    # The file recommends the real host, because the embedded host does not model 0.16.0.
    assert "pytest --hermes-host real --hermes-release 0.16.0 " in (project / "AGENTS.md").read_text()
    settings.write_text(settings.read_text().replace('hermes_floor = "0.16.0"', 'hermes_floor = "nonsense"'))
    commit(project, "Break it")
    with pytest.raises(UsageError, match=r"hermes_floor cannot be 'nonsense'"):
        update(project)


def test_edited_answers_are_used_and_obsolete_ones_dropped(tmp_path: Path) -> None:
    project = new("plugin", tmp_path, name="Team Notes")
    settings = project / SETTINGS
    text = settings.read_text().replace("[answers]\n", '[answers]\nformer = "yes"\n')
    settings.write_text(text.replace("Your Name", "Grace"))
    for arguments in (["init", "--quiet"], ["config", "user.name", "Ada"], ["config", "user.email", "a@example.com"]):
        git(project, *arguments)
    commit(project, "Start")

    update(project)

    assert "former" not in settings.read_text()
    assert 'author: "Grace"' in (project / "team_notes/plugin.yaml").read_text()


def test_command_reports_its_changes(story: Story) -> None:
    # The old template of this test differs from the current one.
    shown = CliRunner().invoke(command, [str(story.project), "--diff"])
    assert (shown.exit_code, "deleted file" in shown.output) == (0, True)
    as_json = json.loads(CliRunner().invoke(command, [str(story.project), "--diff", "--json"]).output)
    assert as_json.pop("diff") == shown.output
    assert as_json == {
        "schema": "hermes-sdk.update/1",
        "template": "plugin",
        "from": "0.0.1",
        "to": __version__,
        "commits": [f"Update to the template 'plugin' of hermes-sdk {__version__}"],
        "conflicts": [],
        "written": False,
    }
    done = CliRunner().invoke(command, [str(story.project)])
    assert (done.exit_code, done.output.splitlines()[0]) == (0, f"Committed {as_json['commits'][0]}")
    again = CliRunner().invoke(command, [str(story.project)])
    assert "up to date" in again.output


def test_command_lists_conflicts(story: Story) -> None:
    story.edit("team_notes/x.py", "X = 1", "X = 2")
    done = CliRunner().invoke(command, [str(story.project)])
    assert done.exit_code == 1
    assert "  team_notes/x.py" in done.output.splitlines()
    assert "git cherry-pick --continue" in done.output


def test_variables_of_a_git_hook_are_ignored(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(story.scratch / "nowhere"))
    done = story.update({"team_notes/x.py": NEW})
    monkeypatch.delenv("GIT_DIR")
    assert log(story.project)[0] == done.commits[0]


LINES = [f"line_{number} = {number}" for number in range(12)]
EDIT = st.lists(st.tuples(st.integers(0, 11), st.sampled_from(["change", "delete", "add"])), max_size=4)


def apply_edits(edits: list[tuple[int, str]], by: str) -> str:
    """Return the text of LINES after some edits."""
    lines = {number: [line] for number, line in enumerate(LINES)}
    for number, edit in edits:
        lines[number] = {"change": [f"{by}_{number} = 0"], "delete": [], "add": [LINES[number], f"{by}_{number} = 1"]}[
            edit
        ]
    return "".join(f"{line}\n" for group in lines.values() for line in group)


@pytest.mark.slow
@settings(max_examples=25)
@given(mine=EDIT, theirs=EDIT)
def test_merge_loses_no_line(
    tmp_path_factory: pytest.TempPathFactory, mine: "list[tuple[int, str]]", theirs: list
) -> None:
    scratch = tmp_path_factory.mktemp("edits")
    project = Template(scratch / "old", "0.0.1", {"x.py": apply_edits([], "")}).start(scratch / "project")
    (project / "x.py").write_text(apply_edits(mine, "mine"))
    if git(project, "status", "--porcelain"):
        commit(project, "Mine")
    template = Template(scratch / "new", "0.1.0", {"x.py": apply_edits(theirs, "theirs")})

    update(project, version="0.1.0", render=template.render)

    result = set((project / "x.py").read_text().splitlines())
    texts = apply_edits(mine, "mine") + apply_edits(theirs, "theirs")
    wrote = [line for line in texts.splitlines() if line not in LINES]
    assert result.issuperset(wrote)


def rewrite_base(project: Path, change: "Callable[[zipfile.ZipFile], object]") -> None:
    """Change the stored copy of the generated project, and commit it."""
    with zipfile.ZipFile(project / BASE, "a", zipfile.ZIP_DEFLATED) as archive:
        change(archive)
    commit(project, "Another base")


def add_link(archive: zipfile.ZipFile) -> None:
    entry = zipfile.ZipInfo("link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(entry, "/etc/passwd")


def add_files(archive: zipfile.ZipFile) -> None:
    for number in range(2_001):
        archive.writestr(f"files/{number}", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda archive: archive.writestr("zeros", bytes(17 << 20)), "more than 2000 files or 16 MiB"),
        (add_files, "more than 2000 files or 16 MiB"),
        (lambda archive: archive.writestr("../outside", ""), r"'../outside', a link or a path outside the project"),
        (lambda archive: archive.writestr("/outside", ""), "'/outside', a link or a path outside the project"),
        (add_link, "'link', a link or a path outside the project"),
    ],
    ids=["large", "many", "above", "absolute", "link"],
)
def test_invalid_base_is_not_extracted(
    story: Story, change: "Callable[[zipfile.ZipFile], object]", message: str
) -> None:
    rewrite_base(story.project, change)
    before = state(story.project)
    with pytest.raises(UsageError, match=message) as caught:
        story.update({"team_notes/x.py": NEW})
    assert caught.value.where == str(story.project / BASE)
    assert state(story.project) == before


@pytest.mark.parametrize("name", [BASE, SETTINGS])
def test_link_out_of_the_project_is_not_read(story: Story, name: str) -> None:
    file = story.project / name
    file.rename(story.scratch / "outside")
    file.symlink_to(story.scratch / "outside")
    commit(story.project, "A link")
    with pytest.raises(UsageError, match="leads out of the directory"):
        story.update({"team_notes/x.py": NEW})


COMMANDS = {
    "filter.x.smudge": "*.py filter=x",
    "filter.x.clean": "*.py filter=x",
    "filter.x.process": "*.py filter=x",
    "merge.x.driver": "*.py merge=x",
    "diff.x.textconv": "*.py diff=x",
    "diff.external": "",
    "gpg.program": "",
    "core.fsmonitor": "",
    "core.hooksPath": "",
}


@pytest.mark.parametrize("setting", COMMANDS)
def test_command_in_the_git_configuration_does_not_run(story: Story, setting: str) -> None:
    """Check that fsmonitor and hooks are disabled, and that other commands are rejected with advice."""
    ran, hooks = story.scratch / "ran", story.scratch / "hooks"
    hooks.mkdir()
    for hook in ("post-checkout", "post-commit", "post-merge", "pre-commit", "reference-transaction"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / hook).chmod(0o755)
    story.edit("team_notes/x.py", "Y = 2", "Y = 20")
    config = story.project / ".git" / "config"
    included = story.scratch / "included"
    git(
        story.project,
        "config",
        f"--file={included}",
        setting,
        str(hooks) if "hooks" in setting else f"touch {ran}; cat",
    )
    git(story.project, "config", f"--file={included}", "commit.gpgSign", str(setting == "gpg.program").lower())
    config.write_text(f"{config.read_text()}[include]\n\tpath = {included}\n")
    (story.project / ".git" / "info" / "attributes").write_text(f"{COMMANDS[setting]}\n")
    if setting in ("core.fsmonitor", "core.hooksPath"):
        story.update({"team_notes/x.py": NEW})
        assert story.read("team_notes/x.py") == NEW.replace("Y = 2", "Y = 20")
    else:
        with pytest.raises(UsageError, match=f"names commands, which Git would run: {setting}"):
            story.update({"team_notes/x.py": NEW})
    assert not ran.exists()


def test_command_in_the_configuration_of_a_submodule_does_not_run(story: Story) -> None:
    inner, ran = story.project / "inner", story.scratch / "ran"
    inner.mkdir()
    (inner / "file").write_text("a")
    for arguments in (["init", "--quiet"], ["config", "user.name", "A"], ["config", "user.email", "a@example.com"]):
        git(inner, *arguments)
    commit(inner, "First")
    commit(story.project, "A submodule")
    git(inner, "config", "filter.x.clean", f"touch {ran}; cat")
    (inner / ".git" / "info" / "attributes").write_text("* filter=x\n")
    (inner / "file").write_text("b")
    story.update({"team_notes/x.py": NEW})
    assert story.read("team_notes/x.py") == NEW
    assert not ran.exists()


def test_repository_of_another_directory_is_rejected(story: Story) -> None:
    (story.scratch / "other").mkdir()
    git(story.project, "config", "core.worktree", str(story.scratch))
    with pytest.raises(UsageError, match="names another directory"):
        story.update({"team_notes/x.py": NEW})
