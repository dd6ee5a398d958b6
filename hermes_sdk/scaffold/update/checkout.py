"""The user's working tree, moved to another commit: if the command is killed, the next update undoes its half."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hermes_sdk.disk import signals_blocked
from hermes_sdk.documents import read_text
from hermes_sdk.errors import UnavailableError
from hermes_sdk.files import write_files
from hermes_sdk.home.lock import locked
from hermes_sdk.scaffold.git import Tree

NAME = "hermes-sdk-update"
"""In the Git directory: the lock, the worktree, and the file that names the commit that a tree is moved to."""

_LOCKS = ("HEAD.lock", "ORIG_HEAD.lock", "index.lock")
"""Files that a Git leaves that is killed."""


@contextmanager
def exclusive(tree: Tree) -> Generator[bool]:
    """Keep other updates of the repository out; yield whether one that was killed had to be undone."""
    repository = tree.directory / tree.git("rev-parse", "--git-common-dir").removesuffix("\n")
    with locked(repository / f"{NAME}.lock"):
        for stale in repository.glob(f"worktrees/{NAME}*"):
            shutil.rmtree(stale)
        yield _undo_killed(tree, repository)


def move(tree: Tree, commit: str, conflicting: str) -> None:
    """Bring the user's tree to a commit, and leave a conflicting one there as Git leaves a cherry-pick.

    Raises:
        UnavailableError: The tree cannot be written; it is as it was.
    """
    start, mark = tree.head, _mark(tree)
    target = conflicting or commit
    with signals_blocked():
        write_files({mark: target.encode()}, root=mark.parent)
        try:
            tree.git("merge", "--quiet", "--ff-only", commit)
            if conflicting:
                tree.cherry_pick(conflicting)
        except UnavailableError:
            tree.git("reset", "--quiet", "--hard", start)
            if added := tree.added(start, target):  # None of them was there before.
                tree.git("clean", "--quiet", "--force", "-d", "-x", "--", *added)
            mark.unlink()
            raise
        mark.unlink()


def _mark(tree: Tree) -> Path:
    return Path(tree.git("rev-parse", "--absolute-git-dir").removesuffix("\n"), NAME)


def _undo_killed(tree: Tree, repository: Path) -> bool:
    """Put a half of a move into the stash: the user may have edited files since."""
    mark = _mark(tree)
    if not mark.exists():
        return False
    has_conflicts = (mark.parent / "CHERRY_PICK_HEAD").exists()  # Then the move was complete.
    if not has_conflicts:
        for lock in (*map(mark.parent.joinpath, _LOCKS), *repository.glob("refs/**/*.lock")):
            lock.unlink(missing_ok=True)
        tree.git("add", "--all")
        added = tree.added("HEAD", read_text(mark, root=mark.parent))
        if there := [name for name in added if os.path.lexists(tree.directory / name)]:
            tree.git("add", "--force", "--", *there)
        tree.git("stash", "push", "--quiet", "--message=A half of hermes-sdk update, which was killed")
    mark.unlink()
    return not has_conflicts
