"""Git in the user's own repository: with the user's settings, and without hooks.

A repository may come from somebody else, with a `.git/config` that names commands, as for filters. None of them runs:
`working_tree` refuses such a repository, and the file system monitor is off.
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
# Of a Git that called us, they mean its repository and not this one.
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
"""Settings whose values Git runs in the calls below."""

_SHOWN = 5


class GitFailed(UnavailableError):
    """A call of Git failed."""

    def __init__(self, arguments: tuple[str, ...], told: str) -> None:
        super().__init__(f"git {arguments[0]} failed:\n{told.strip()}", fix="The project is unchanged.")


class Tree:
    """A working tree: the user's own, or a temporary one of the same repository."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def git(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        """Run Git and return what it prints.

        Raises:
            GitFailed: It ends with another status than 0.
            UnavailableError: There is no Git.
        """
        git = shutil.which("git")
        if git is None:
            raise UnavailableError("git is not installed or not in PATH", fix="Install git.")
        kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        done = subprocess.run(
            [git, *settings, *arguments],
            cwd=self.directory,
            env={**kept, **_VARIABLES, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        output = done.stdout.decode(errors="replace")
        if done.returncode:
            raise GitFailed(arguments, done.stderr.decode(errors="replace") or output)
        return output

    @property
    def head(self) -> str:
        """The SHA of the commit that is checked out."""
        return self.git("rev-parse", "--verify", "HEAD").strip()

    def refuse_commands(self) -> None:
        """Refuse a repository whose own configuration names commands that Git would run.

        Raises:
            UsageError: There are such commands.
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
        """Refuse to work on a tree with changes.

        Raises:
            UsageError: Something is not committed.
        """
        # To see what changed in a submodule, Git would run in there, with that one's configuration.
        if changes := self.git("status", "--porcelain", "--ignore-submodules=dirty").splitlines():
            more = [f"… and {len(changes) - _SHOWN} more"] if len(changes) > _SHOWN else []
            raise UsageError(
                "the repository has uncommitted changes:\n" + "\n".join([*changes[:_SHOWN], *more]),
                fix="Commit them, or run `git stash --include-untracked`.",
            )

    def added(self, start: str, commit: str = "") -> list[str]:
        """Return the files that a commit, or else this tree, has and `start` has not, relative to the root."""
        commits = (start, commit) if commit else (start,)
        return self.git("diff", "--name-only", "--diff-filter=A", "--no-renames", "-z", *commits).split("\0")[:-1]

    def commit_all(self, message: str) -> bool:
        """Commit what changed, if anything did."""
        self.git("add", "--all")
        if not self.git("status", "--porcelain"):
            return False
        self.git("commit", "--quiet", "--no-verify", f"--message={message}")
        return True

    def commit_of(self, files: Path, index: Path, message: str, parent: str = "") -> str:
        """Make a commit whose tree is a directory, with nothing checked out.

        Args:
            index: A path for the index that is needed meanwhile.

        Returns:
            Its SHA.
        """
        repository = self.git("rev-parse", "--absolute-git-dir").strip()
        environment = {"GIT_INDEX_FILE": str(index), "GIT_DIR": repository, "GIT_WORK_TREE": str(files)}
        Tree(files).git("add", "--force", "--all", ".", environment=environment)
        tree = self.git("write-tree", environment={"GIT_INDEX_FILE": str(index)}).strip()
        parents = ("-p", parent) if parent else ()
        return self.git("commit-tree", tree, *parents, "-m", message).strip()

    def cherry_pick(self, commit: str) -> tuple[str, ...]:
        """Apply what a commit changes as a commit of its own.

        Returns:
            The files that conflict: then Git waits for them to be resolved. None of them when the commit is made.

        Raises:
            GitFailed: It cannot be applied for another reason.
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
        """A second working tree at the same commit, which is gone afterwards.

        Args:
            directory: Where; it does not exist yet.
        """
        self.git("worktree", "add", "--quiet", "--detach", str(directory), "HEAD")
        try:
            yield Tree(directory)
        finally:
            self.git("worktree", "remove", "--force", str(directory))


def working_tree(project: Path) -> Tree:
    """Return the working tree that a project is in.

    Raises:
        UsageError: There is no repository, or no commit.
        UnavailableError: There is no Git.
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


def author_of(directory: Path) -> dict[str, str]:
    """Return the variables `author` and `email` of a template, as far as Git knows them.

    Args:
        directory: Where the project is going to be: a repository there can have an identity of its own.
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
