"""The few calls of `git` that plugins need, for repositories that nobody vouches for.

Git runs in repositories only that this module has cloned and nothing else has written to, each named explicitly; one
that came with a plugin, or that a plugin could reach, is read as data (see `read_clone`). No configuration, template,
hook, filter or credential helper of the user or the machine takes part, submodules are not fetched, nothing asks for a
password, and every call has a limit of time and of the size of a file.
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
from hermes_sdk.operate.untrusted import printable, redact

TIME_LIMIT = 60.0
"""Seconds that a call may take, as for the host (statement J4)."""

MAX_FILE_BYTES = 256 * 1024 * 1024
"""No file that git writes may be larger: a small pack can hold a file that fills the disk."""

_FIX = "Check the name, the ref and your network connection."
_REINSTALL = "Reinstall the plugin with --force."
_BRANCHES = "refs/heads/"
_MAX_READ_BYTES = 10 * 1024 * 1024
_FULL_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)
_KEPT_VARIABLES = (
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
    """Clone the newest commit of a repository, and nothing of its past.

    Args:
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


def read_clone(directory: Path) -> Clone:
    """Read the ``.git`` of an installed plugin as data: no git works in it, since its configuration could run commands.

    Raises:
        UsageError: It is none, or has branches or a stash of the user.
        UnavailableError: There is no git.
    """
    repository = directory / ".git"
    if repository.is_symlink() or not repository.is_dir():
        raise UsageError(
            "`.git` is a link or a file, so the repository is elsewhere, and updates do not follow it",
            where=str(repository),
            fix=_REINSTALL,
        )
    reference = _read(repository, "HEAD")
    lines = (line.partition(" ") for line in _read(repository, "packed-refs").splitlines())
    packed = {name: sha for sha, _, name in lines if _FULL_SHA.fullmatch(sha)}
    branch = reference.removeprefix(_BRANCHES) if reference.startswith(_BRANCHES) else ""
    if branch.startswith("-") or ".." in branch:
        raise UsageError(f"the branch name {branch!r} is not valid", where=str(repository), fix=_REINSTALL)
    commit = _read(repository, reference) or packed.get(reference, "") if branch else reference
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
    if kept := sorted(mine - {f"refs/heads/{branch}"}):
        raise UsageError(
            f"the Git repository has branches or stashes that an update would lose: {', '.join(kept)}",
            where=str(repository),
            fix="Delete them, or run `git pull` in the plugin's directory.",
        )
    return Clone(_read_address(repository), branch, commit)


def _read(repository: Path, name: str) -> str:
    """Return the content of a small file of a repository; empty when it is none."""
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
    """Return the root of the repository that a directory is in, found by name alone; None outside of one."""
    return next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)


def read_remote(directory: Path) -> str:
    """Return the URL of the remote `origin` of a repository, read as data; a work tree has that of its repository.

    Raises:
        UsageError: The repository has no configuration, or no such remote.
        UnavailableError: There is no git.
    """
    repository = directory / ".git"
    if repository.is_file():
        tree = directory / _read(directory, ".git").removeprefix("gitdir:").strip()
        repository = (tree / (_read(tree, "commondir") or ".")).resolve()
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
    """Fetch one commit into a clone, and nothing of its past."""
    _git("fetch", "--quiet", "--depth=1", "--no-tags", "origin", commit, within=directory)


def checkout(directory: Path, wanted: str) -> None:
    """Check out a commit or a branch; local changes stay, and an error says which of them would be overwritten."""
    fix = "Undo the conflicting local changes, or reinstall the plugin with --force."
    _git("checkout", "--quiet", "--no-guess", wanted, "--", within=directory, fix=fix)


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
        raise UnavailableError(
            "git is not installed or not in PATH", fix="Install Git, or install the plugin from a directory."
        )
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    limited = ["/bin/sh", "-c", f'ulimit -f {MAX_FILE_BYTES // 512} && exec "$@"', "sh"]
    with staging_directory(Path(tempfile.gettempdir())) as scratch:
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        done = run(
            [*limited, git, *settings, command, *arguments],
            environment=child_environment(Path.home(), scratch, {**kept, **_VARIABLES, **_confine_git(within)}),
            cwd=within or scratch,
            time_limit=TIME_LIMIT,
        )
    if done.ended == "time limit":
        raise UnavailableError(
            f"git {command} timed out after {TIME_LIMIT:g} s", fix="Try again, or clone the repository by hand."
        )
    if done.ended == "signal" or done.status:
        told = printable(redact(done.stderr or done.stdout)).strip() or f"exit status {done.status}"
        raise UnavailableError(f"git {command} failed:\n{told}", fix=fix)
    return done.stdout.strip()


def _confine_git(directory: Path | None) -> dict[str, str]:
    """Keep git from taking any other repository for the one in a directory, or for that of a call without one."""
    if directory is None:
        return {"GIT_CEILING_DIRECTORIES": tempfile.gettempdir()}
    return {"GIT_DIR": str(directory / ".git"), "GIT_WORK_TREE": str(directory)}
