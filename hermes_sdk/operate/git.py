"""Git for untrusted repositories.

Git runs only in repositories that this module has cloned and that nothing else has written to, each passed explicitly.
A repository that came with a plugin, or that a plugin could reach, is read as data (see `read_clone`). Git ignores the
configuration, templates, hooks, filters and credential helpers of the user and the machine, fetches no submodules, and
never prompts for a password. Every call has a timeout and a file size limit.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from hermes_sdk import links
from hermes_sdk.documents import DocumentError, read_bytes
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.files import staging_directory
from hermes_sdk.hosts.processes.process import child_environment, run
from hermes_sdk.operate.validation import printable, redact

TIME_LIMIT = 60.0
"""Timeout of a call in seconds, as in the host (statement J4)."""

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Maximum size of a file that Git writes: a small pack can contain a file that fills the disk."""

_FIX = "Check the name, the ref and your network connection."
_REINSTALL = "Reinstall the plugin with --force."
_BRANCHES = "refs/heads/"
_MAX_READ_BYTES = 10 * 1024 * 1024
_FULL_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)
_INHERITED_VARIABLES = (
    "ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "all_proxy", "https_proxy", "http_proxy", "no_proxy",
    "GIT_SSL_CAINFO", "SSL_CERT_DIR", "SSL_CERT_FILE", "SSH_AUTH_SOCK",
)  # fmt: skip
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "file:http:https:ssh",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_TERMINAL_PROMPT": "0",
}
_SETTINGS = (
    "advice.detachedHead=false",
    f"core.attributesFile={os.devnull}",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
)


class Clone(NamedTuple):
    """Remote, branch (empty for a tag or a commit) and commit of an installed clone."""

    url: str
    branch: str
    commit: str


def clone(url: str, directory: Path, ref: str = "") -> None:
    """Clone only the newest commit of a repository.

    Args:
        directory: The target; must not exist yet.
        ref: A branch, a tag or a full SHA. Default: the repository's default branch.

    Raises:
        UnavailableError: Git is missing, or cannot fetch the commit before the timeout.
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


def read_clone(directory: Path) -> Clone:
    """Read the ``.git`` of an installed plugin as data: its configuration could make Git run commands.

    Raises:
        UsageError: It is not a repository, or has branches or a stash of the user.
        UnavailableError: Git is not installed.
    """
    repository = directory / ".git"
    if repository.is_symlink() or not repository.is_dir():
        raise UsageError(
            "`.git` is a link or a file, so the repository is elsewhere, and updates do not follow it",
            where=str(repository),
            fix=_REINSTALL,
        )
    reference = _read_entry(repository, "HEAD")
    lines = (line.partition(" ") for line in _read_entry(repository, "packed-refs").splitlines())
    packed = {name: sha for sha, _, name in lines if _FULL_SHA.fullmatch(sha)}
    branch = reference.removeprefix(_BRANCHES) if reference.startswith(_BRANCHES) else ""
    if branch.startswith("-") or ".." in branch:
        raise UsageError(f"the branch name {branch!r} is not valid", where=str(repository), fix=_REINSTALL)
    commit = _read_entry(repository, reference) or packed.get(reference, "") if branch else reference
    if not _FULL_SHA.fullmatch(commit):
        raise UsageError(
            "the Git repository is incomplete: its current commit is missing", where=str(repository), fix=_REINSTALL
        )
    loose = {
        Path(folder, name).relative_to(repository).as_posix()
        for folder, _, names in os.walk(repository / "refs")
        for name in names
    }
    mine = {one for one in {*loose, *packed} if one.startswith("refs/heads/") or one == "refs/stash"}
    if preserved := sorted(mine - {f"refs/heads/{branch}"}):
        raise UsageError(
            f"the Git repository has branches or stashes that an update would lose: {', '.join(preserved)}",
            where=str(repository),
            fix="Delete them, or run `git pull` in the plugin's directory.",
        )
    return Clone(_read_address(repository), branch, commit)


def _read_entry(repository: Path, name: str) -> str:
    """Return the content of a small file in a repository; empty if it cannot be read."""
    try:
        data = read_bytes(repository / name, root=repository, max_bytes=_MAX_READ_BYTES)
    except (OSError, DocumentError):
        return ""
    return data.decode(errors="replace").removeprefix("ref: ").strip()


def _read_address(repository: Path) -> str:
    file = repository / "config"
    if not file.is_file() or links.leads_out(file, repository):
        raise UsageError("the Git repository has no `config` file", where=str(repository), fix=_REINSTALL)
    options = (f"--file={file}", "--no-includes", "--get", "remote.origin.url")
    return _git("config", *options, fix="Set the URL of the remote `origin`, or reinstall the plugin with --force.")


def find_repository(path: Path) -> Path | None:
    """Return the root of the repository that contains a directory, or None; looks only for a ``.git``."""
    return next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)


def read_remote(directory: Path) -> str:
    """Return the URL of the remote `origin`, read as data; a linked worktree has that of its repository.

    Raises:
        UsageError: The repository has no configuration, or no remote `origin`.
        UnavailableError: Git is not installed.
    """
    repository = directory / ".git"
    if repository.is_file():
        tree = directory / _read_entry(directory, ".git").removeprefix("gitdir:").strip()
        repository = (tree / (_read_entry(tree, "commondir") or ".")).resolve()
    fix = "Publish the repository, and run `git remote add origin https://…`."
    try:
        return _read_address(repository)
    except UsageError as error:
        raise UsageError(error.message, where=error.where, fix=fix) from error
    except UnavailableError as error:
        if shutil.which("git") is None:
            raise
        raise UsageError("the repository has no remote `origin`", where=str(directory), fix=fix) from error


def fetch(directory: Path, commit: str) -> None:
    """Fetch a single commit into a clone, without its history."""
    _git("fetch", "--quiet", "--depth=1", "--no-tags", "origin", commit, within=directory)


def checkout(directory: Path, wanted: str) -> None:
    """Check out a commit or a branch; fail if it would overwrite local changes."""
    fix = "Undo the conflicting local changes, or reinstall the plugin with --force."
    _git("checkout", "--quiet", "--no-guess", wanted, "--", within=directory, fix=fix)


def head(directory: Path) -> str:
    """Return the SHA of a clone's current commit."""
    return _git("rev-parse", "HEAD", within=directory)


def branch(directory: Path) -> str:
    """Return the current branch of a clone; empty if HEAD is detached."""
    name = _git("rev-parse", "--abbrev-ref", "HEAD", within=directory)
    return "" if name == "HEAD" else name


def _git(command: str, *arguments: str, within: Path | None = None, fix: str = _FIX) -> str:
    git = shutil.which("git")
    if git is None:
        raise UnavailableError(
            "git is not installed or not in PATH", fix="Install Git, or install the plugin from a directory."
        )
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    limited = ["/bin/sh", "-c", f'ulimit -f {MAX_FILE_BYTES // 512} && exec "$@"', "sh"]
    with staging_directory(Path(tempfile.gettempdir())) as scratch:
        preserved = {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
        completed = run(
            [*limited, git, *settings, command, *arguments],
            environment=child_environment(Path.home(), scratch, {**preserved, **_VARIABLES, **_confine_git(within)}),
            cwd=within or scratch,
            time_limit=TIME_LIMIT,
        )
    if completed.ended == "time limit":
        raise UnavailableError(
            f"git {command} timed out after {TIME_LIMIT:g} s", fix="Try again, or clone the repository by hand."
        )
    if completed.ended == "signal" or completed.status:
        output = printable(redact(completed.stderr or completed.stdout)).strip() or f"exit status {completed.status}"
        raise UnavailableError(f"git {command} failed:\n{output}", fix=fix)
    return completed.stdout.strip()


def _confine_git(directory: Path | None) -> dict[str, str]:
    """Return variables that make Git use only the repository in a directory; without a directory, no repository."""
    if directory is None:
        return {"GIT_CEILING_DIRECTORIES": tempfile.gettempdir()}
    return {"GIT_DIR": str(directory / ".git"), "GIT_WORK_TREE": str(directory)}
