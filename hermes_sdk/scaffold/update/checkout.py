"""Move the user's working tree to another commit, and undo a partial move of a killed update."""

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
from hermes_sdk.home.lock import lock_file
from hermes_sdk.scaffold.git import Tree

NAME = "hermes-sdk-update"
"""Name, in the Git directory, of the lock, the worktree, and the file with the target commit."""

_LOCKS = ("HEAD.lock", "ORIG_HEAD.lock", "index.lock")
"""Lock files that a killed Git leaves behind."""


@contextmanager
def exclusive(tree: Tree) -> Generator[bool]:
    """Lock out other updates of the repository; yield whether a killed update had to be undone."""
    repository = tree.directory / tree.git("rev-parse", "--git-common-dir").removesuffix("\n")
    with lock_file(repository / f"{NAME}.lock"):
        for stale in repository.glob(f"worktrees/{NAME}*"):
            shutil.rmtree(stale)
        yield _undo_killed(tree, repository)


def move(tree: Tree, commit: str, conflicting: str) -> None:
    """Move the user's tree to a commit; then cherry-pick a conflicting one and leave its conflicts to the user.

    Raises:
        UnavailableError: The tree cannot be written; it is unchanged.
    """
    start, marker = tree.head, _marker_file(tree)
    target = conflicting or commit
    with signals_blocked():
        write_files({marker: target.encode()}, root=marker.parent)
        try:
            tree.git("merge", "--quiet", "--ff-only", commit)
            if conflicting:
                tree.cherry_pick(conflicting)
        except UnavailableError:
            tree.git("reset", "--quiet", "--hard", start)
            if added := tree.list_added(start, target):  # The merge created these files.
                tree.git("clean", "--quiet", "--force", "-d", "-x", "--", *added)
            marker.unlink()
            raise
        marker.unlink()


def _marker_file(tree: Tree) -> Path:
    return Path(tree.git("rev-parse", "--absolute-git-dir").removesuffix("\n"), NAME)


def _undo_killed(tree: Tree, repository: Path) -> bool:
    """Stash the partial changes of a killed move, since the user may have edited files in the meantime."""
    marker = _marker_file(tree)
    if not marker.exists():
        return False
    # Git writes this file only after it has changed all files, so the move is complete if it exists.
    has_conflicts = (marker.parent / "CHERRY_PICK_HEAD").exists()
    if not has_conflicts:
        for lock in (*map(marker.parent.joinpath, _LOCKS), *repository.glob("refs/**/*.lock")):
            lock.unlink(missing_ok=True)
        tree.git("add", "--all")
        added = tree.list_added("HEAD", read_text(marker, root=marker.parent))
        if there := [name for name in added if os.path.lexists(tree.directory / name)]:
            tree.git("add", "--force", "--", *there)
        tree.git("stash", "push", "--quiet", "--message=A half of hermes-sdk update, which was killed")
    marker.unlink()
    return not has_conflicts
