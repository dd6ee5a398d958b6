"""The few calls of `git` that plugins need, for repositories that nobody vouches for.

No configuration, template, hook, filter or credential helper of the user or the machine takes part, submodules are not
fetched, nothing asks for a password, and every call has a limit of time and of the size of a file.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from hermes_sdk.errors import UnavailableError
from hermes_sdk.hosts.sandbox.process import child_environment, run
from hermes_sdk.operate.text import printable, redacted

TIME_LIMIT = 60.0
"""Seconds that a call may take, as for the host (statement J4)."""

MAX_FILE_BYTES = 256 * 1024 * 1024
"""No file that git writes may be larger: a small pack can hold a file that fills the disk."""

_FIX = "Check the name, the ref and your network connection."
_FULL_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)
_KEPT_VARIABLES = (
    "ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "all_proxy", "https_proxy", "http_proxy", "no_proxy",
    "GIT_SSL_CAINFO", "SSL_CERT_DIR", "SSL_CERT_FILE", "SSH_AUTH_SOCK",
)  # fmt: skip
_VARIABLES = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_TERMINAL_PROMPT": "0",
}
_SETTINGS = (
    "advice.detachedHead=false",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
)


def clone(url: str, directory: Path, ref: str = "") -> None:
    """Clone the newest commit of a repository, and nothing of its past.

    Args:
        url: The repository.
        directory: Where to; it does not exist yet.
        ref: A branch, a tag or a full SHA. Default: the repository's own branch.

    Raises:
        UnavailableError: There is no git, or it does not get the commit in time.
    """
    if not _FULL_SHA.fullmatch(ref):
        chosen = (f"--branch={ref}",) if ref else ()
        options = ("--quiet", "--template=", "--no-recurse-submodules", "--depth=1", *chosen)
        _git("clone", *options, "--", url, str(directory))
        return
    _git("init", "--quiet", "--template=", "--", str(directory))
    _git("remote", "add", "--", "origin", url, within=directory)
    fetch(directory, ref)
    checkout(directory, ref)


def pull(directory: Path) -> bool:
    """Bring a clone to the newest commit of its branch; say whether that changed it.

    Raises:
        UnavailableError: There is no git, or it does not get the commit in time, or not without losing changes.
    """
    before = head(directory)
    fix = "Check your network connection, undo local changes that are in the way, or install it again with --force."
    _git("pull", "--ff-only", "--no-recurse-submodules", within=directory, fix=fix)
    return head(directory) != before


def fetch(directory: Path, commit: str) -> None:
    """Fetch one commit into a clone, and nothing of its past."""
    _git("fetch", "--quiet", "--depth=1", "--no-tags", "origin", commit, within=directory)


def checkout(directory: Path, commit: str) -> None:
    """Check out a commit; local changes stay, and an error says which of them the commit would overwrite."""
    fix = "Undo the local changes that are in the way, or install it again with --force."
    _git("checkout", "--quiet", "--detach", commit, within=directory, fix=fix)


def head(directory: Path) -> str:
    """Return the SHA of the commit that a clone is at."""
    return _git("rev-parse", "HEAD", within=directory)


def branch(directory: Path) -> str:
    """Return the branch that a clone is at; empty for a tag or a commit."""
    name = _git("rev-parse", "--abbrev-ref", "HEAD", within=directory)
    return "" if name == "HEAD" else name


def _git(command: str, *arguments: str, within: Path | None = None, fix: str = _FIX) -> str:
    git = shutil.which("git")
    if git is None:
        raise UnavailableError("git is not installed or not in PATH", fix="Install git, or install from a directory.")
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    limited = ["/bin/sh", "-c", f'ulimit -f {MAX_FILE_BYTES // 512} && exec "$@"', "sh"]
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-git-") as scratch:
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        done = run(
            [*limited, git, *settings, command, *arguments],
            environment=child_environment(Path.home(), Path(scratch), {**kept, **_VARIABLES, **_confined(within)}),
            cwd=within or Path(scratch),
            time_limit=TIME_LIMIT,
        )
    if done.ended == "time limit":
        raise UnavailableError(
            f"git {command} took longer than {TIME_LIMIT:g} s", fix="Try again, or clone it by hand."
        )
    if done.ended == "signal" or done.status:
        told = printable(redacted(done.stderr or done.stdout)).strip() or f"it ended with status {done.status}"
        raise UnavailableError(f"git {command} failed:\n{told}", fix=fix)
    return done.stdout.strip()


def _confined(directory: Path | None) -> dict[str, str]:
    """Keep git from taking a repository around the plugin's, such as one of the home, for it."""
    return {"GIT_CEILING_DIRECTORIES": str(directory.parent)} if directory else {}
