"""Versions of a template, to create a project with an old version and update it to a new one."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from cookiecutter.main import cookiecutter

ROOT = Path(__file__).parents[3]
IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
TOOLS = "team_notes/tools.py"

Files = Mapping[str, str | bytes | None]
"""Path in the project -> content of an additional file of the template, or None to omit it."""


def git(directory: Path, *arguments: str) -> str:
    """Run Git, and return its output."""
    done = subprocess.run(["git", *IDENTITY, *arguments], cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Template:
    """A version of the template `plugin`, rendered by cookiecutter.

    Args:
        directory: Directory of the template.
        version: Version in the settings of its projects.
        files: Additional files.
        executable: Names of additional files that are executable.
    """

    def __init__(self, directory: Path, version: str, files: Files = {}, executable: tuple[str, ...] = ()) -> None:  # noqa: B006
        self.directory = directory
        shutil.copytree(ROOT / "templates/plugin", directory / "plugin", symlinks=False)
        project = directory / "plugin/{{cookiecutter.plugin_slug}}"
        for name, content in files.items():
            if content is not None:
                file = project / name.replace("team_notes", "{{cookiecutter.__package}}")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content if isinstance(content, bytes) else content.encode())
                file.chmod(0o755 if name in executable else 0o644)
        settings = directory / "plugin/templates/hermes-sdk.toml"
        settings.write_text(settings.read_text().replace('version = "0.1.0"', f'version = "{version}"'))

    def render(self, kind: str, answers: Mapping[str, str], target: Path) -> None:
        """Create a project, as `template.render` does."""
        assert kind == "plugin"
        config = self.directory / "config.json"
        config.write_text(json.dumps({"cookiecutters_dir": str(self.directory), "replay_dir": str(self.directory)}))
        made = cookiecutter(
            str(self.directory / "plugin"),
            no_input=True,
            extra_context=dict(answers),
            output_dir=str(self.directory / "made"),
            config_file=str(config),
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        Path(made).rename(target)

    def start(self, target: Path) -> Path:
        """Create a project and commit it."""
        self.render("plugin", {"plugin_name": "Team Notes"}, target)
        git(target, "init", "--quiet", "--initial-branch=main")
        git(target, "config", "user.name", "Ada")
        git(target, "config", "user.email", "ada@example.com")
        commit(target, "Start")
        return target


def commit(project: Path, message: str) -> None:
    """Commit all changes."""
    git(project, "add", "--all")
    git(project, "commit", "--quiet", f"--message={message}")


def state(project: Path) -> dict[str, object]:
    """Return the files, commits, branches, index and worktrees, which a failed update must not change."""
    files = {
        path.relative_to(project).as_posix(): (path.read_bytes(), os.access(path, os.X_OK))
        for path in sorted(project.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(project).parts[:1]
    }
    return {
        "files": files,
        "head": git(project, "rev-parse", "HEAD"),
        "branch": git(project, "branch", "--all"),
        "status": git(project, "status", "--porcelain"),
        "worktrees": git(project, "worktree", "list").count("\n"),
    }
