"""Git in the user's own repository, with the user's settings but without hooks.

The `.git/config` of an untrusted repository may name commands, such as filters. None of them runs: `working_tree`
rejects such a repository, and the file system monitor is off.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hermes_sdk.errors import UnavailableError, UsageError

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=false",
    "gc.auto=0",
    "merge.directoryRenames=true",
    "merge.renames=true",
    "rerere.enabled=false",
    "submodule.recurse=false",
)
# Git sets these variables when it runs this program, for example from a hook; they would select the wrong repository.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",  # Missing objects of a partial clone are not fetched.
    "GIT_EDITOR": "true",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_COMMANDS = re.compile(
    r"filter\..*\.(clean|smudge|process)|merge\..*\.driver|diff\.(.*\.(textconv|command)|external)"
    r"|gpg\.(.*\.)?(program|defaultkeycommand)|core\.alternaterefscommand",
    re.DOTALL,
)
"""Settings with commands that the Git calls below would run."""

_MAX_SHOWN = 5


class GitFailed(UnavailableError):
    """A Git command failed."""

    def __init__(self, arguments: tuple[str, ...], error_output: str) -> None:
        super().__init__(f"git {arguments[0]} failed:\n{error_output.strip()}", fix="The project is unchanged.")


class Tree:
    """A working tree: the user's own, or a temporary worktree of the same repository."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def git(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        """Run Git and return its standard output.

        Raises:
            GitFailed: It exits with a status other than 0.
            UnavailableError: Git is not installed.
        """
        git = shutil.which("git")
        if git is None:
            raise UnavailableError("git is not installed or not in PATH", fix="Install git.")
        inherited = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        completed = subprocess.run(
            [git, *settings, *arguments],
            cwd=self.directory,
            env={**inherited, **_VARIABLES, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        output = completed.stdout.decode(errors="replace")
        if completed.returncode:
            raise GitFailed(arguments, completed.stderr.decode(errors="replace") or output)
        return output

    @property
    def head(self) -> str:
        """The SHA of the checked-out commit."""
        return self.git("rev-parse", "--verify", "HEAD").strip()

    def refuse_commands(self) -> None:
        """Reject a repository whose own configuration names commands that Git would run.

        Raises:
            UsageError: The configuration names commands.
        """
        words = self.git("config", "--list", "--show-scope", "--name-only", "-z").split("\0")[:-1]
        own = {name for scope, name in zip(words[::2], words[1::2], strict=True) if scope in ("local", "worktree")}
        if found := sorted(filter(_COMMANDS.fullmatch, own)):
            raise UsageError(
                f"the repository's own configuration names commands, which Git would run: {', '.join(found)}",
                where=str(self.directory / ".git" / "config"),
                fix="If you trust them, move the settings to your own configuration, `git config --global`.",
            )

    def refuse_changes(self) -> None:
        """Reject a working tree with uncommitted changes.

        Raises:
            UsageError: There are uncommitted changes.
        """
        # Checking a submodule for changes would run Git there with the submodule's configuration.
        if changes := self.git("status", "--porcelain", "--ignore-submodules=dirty").splitlines():
            more = [f"… and {len(changes) - _MAX_SHOWN} more"] if len(changes) > _MAX_SHOWN else []
            raise UsageError(
                "the repository has uncommitted changes:\n" + "\n".join([*changes[:_MAX_SHOWN], *more]),
                fix="Commit them, or run `git stash --include-untracked`.",
            )

    def list_added(self, start: str, commit: str = "") -> list[str]:
        """Return the files that a commit, or else this tree, adds to `start`, relative to the root."""
        commits = (start, commit) if commit else (start,)
        return self.git("diff", "--name-only", "--diff-filter=A", "--no-renames", "-z", *commits).split("\0")[:-1]

    def commit_all(self, message: str) -> bool:
        """Commit all changes; return whether there were any."""
        self.git("add", "--all")
        if not self.git("status", "--porcelain"):
            return False
        self.git("commit", "--quiet", "--no-verify", f"--message={message}")
        return True

    def commit_directory(self, files: Path, index: Path, message: str, parent: str = "") -> str:
        """Create a commit whose tree is a directory, without checking anything out.

        Args:
            index: Path of the temporary index.

        Returns:
            The SHA of the commit.
        """
        repository = self.git("rev-parse", "--absolute-git-dir").strip()
        environment = {"GIT_INDEX_FILE": str(index), "GIT_DIR": repository, "GIT_WORK_TREE": str(files)}
        Tree(files).git("add", "--force", "--all", ".", environment=environment)
        tree = self.git("write-tree", environment={"GIT_INDEX_FILE": str(index)}).strip()
        parents = ("-p", parent) if parent else ()
        return self.git("commit-tree", tree, *parents, "-m", message).strip()

    def cherry_pick(self, commit: str) -> tuple[str, ...]:
        """Apply the changes of a commit as a new commit.

        Returns:
            The conflicting files, which Git then waits for the user to resolve; empty if the commit was made.

        Raises:
            GitFailed: Git cannot apply the commit for another reason.
        """
        try:
            self.git("cherry-pick", commit)
        except GitFailed:
            if conflicts := self.git("diff", "--name-only", "--diff-filter=U", "-z").split("\0")[:-1]:
                return tuple(sorted(conflicts))
            raise
        return ()

    @contextmanager
    def temporary_tree(self, directory: Path) -> Generator[Tree]:
        """Create a second worktree at the same commit, and remove it afterwards.

        Args:
            directory: Path of the worktree; must not exist yet.
        """
        self.git("worktree", "add", "--quiet", "--detach", str(directory), "HEAD")
        try:
            yield Tree(directory)
        finally:
            self.git("worktree", "remove", "--force", str(directory))


def working_tree(project: Path) -> Tree:
    """Return the working tree that contains a project.

    Raises:
        UsageError: There is no repository or no commit, or the repository's configuration is not safe.
        UnavailableError: Git is not installed.
    """
    if not project.is_dir():
        raise UsageError(f"{project} is not a directory", fix="Pass the root directory of a project.")
    tree = Tree(project)
    try:
        root = Path(tree.git("rev-parse", "--show-toplevel").removesuffix("\n"))
    except GitFailed as error:
        if "not a git repository" not in error.message:
            raise
        raise UsageError(
            f"{project} is not in a Git repository, so you could not review or undo an update",
            fix='Create one: git init && git add . && git commit -m "Start"',
        ) from None
    tree = Tree(root)
    if not (root / ".git").exists():
        raise UsageError(
            f"the configuration of the Git repository names another directory, {root}",
            where=str(project),
            fix="Run `git config --unset core.worktree`.",
        )
    tree.refuse_commands()
    try:
        tree.head  # noqa: B018
    except GitFailed:
        raise UsageError(
            f"{root} has no commits yet", fix='Commit the project: git add . && git commit -m "Start"'
        ) from None
    return tree


_AUTHOR = {"author": "user.name", "email": "user.email"}
_NO_COMMIT = "The project is a Git repository without a commit"


def find_author(directory: Path) -> dict[str, str]:
    """Return the template variables `author` and `email`, as far as Git knows them.

    Args:
        directory: Future directory of the project: a repository there can configure its own identity.
    """
    directory = directory.resolve()
    tree = Tree(next(one for one in (directory, *directory.parents) if one.is_dir()))
    found: dict[str, str] = {}
    for variable, setting in _AUTHOR.items():
        try:
            found[variable] = tree.git("config", "--get", setting).strip()
        except UnavailableError:
            continue
    return found


def start_repository(project: Path, message: str) -> str:
    """Create a repository with a first commit for a project; do nothing inside a repository or without Git.

    Returns:
        A message for users that says why there is no commit; empty if there is nothing to report.
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
        # The workflows name this branch. `git init --initial-branch` needs Git 2.28.
        tree.git("symbolic-ref", "HEAD", "refs/heads/main")
        # --force: the template decides what belongs to the project; the user's global ignore file may list archives.
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
