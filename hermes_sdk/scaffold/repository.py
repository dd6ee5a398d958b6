"""What `new` has to do with Git: the author comes from its configuration, and a new project becomes a repository."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.errors import UnavailableError
from hermes_sdk.scaffold.git import GitFailed, Tree

_SETTINGS = {"author": "user.name", "email": "user.email"}
_NO_COMMIT = "The project is a Git repository without a commit"


def author_of(directory: Path) -> dict[str, str]:
    """Return the variables `author` and `email` of a template, as far as Git knows them.

    Args:
        directory: Where the project is going to be: a repository there can have an identity of its own.
    """
    directory = directory.resolve()
    tree = Tree(next(one for one in (directory, *directory.parents) if one.is_dir()))
    found: dict[str, str] = {}
    for variable, setting in _SETTINGS.items():
        try:
            found[variable] = tree.git("config", "--get", setting).strip()
        except UnavailableError:
            continue
    return found


def start_repository(project: Path, message: str) -> str:
    """Make a repository of a project, with a first commit; do nothing inside a repository and without Git.

    Returns:
        What users should know: why there is no commit. Empty when there is nothing to say.
    """
    tree = Tree(project)
    try:
        tree.git("rev-parse", "--git-dir")
        return ""
    except GitFailed as error:
        if "not a git repository" not in error.message:
            return ""
    except UnavailableError:
        return ""
    try:
        tree.git("init", "--quiet")
        # The template decides what belongs to the project; the user's own ignore file may name archives.
        tree.git("add", "--force", "--all")
        tree.git("-c", "user.useConfigOnly=true", "commit", "--quiet", "--no-verify", f"--message={message}")
    except GitFailed as error:
        if "tell me who you are" in error.message:
            return (
                f"{_NO_COMMIT}: Git does not know your name. Set it, then commit in the project:\n"
                "  git config --global user.name 'Ada Lovelace'\n"
                "  git config --global user.email ada@example.com\n"
                "  git commit --message Start"
            )
        return f"{_NO_COMMIT}: {error.message.splitlines()[-1]}"
    return ""
