"""Policy for symbolic links, and functions that open, rename and remove files accordingly.

- A path that the user passes, such as a project, a plugin, a home or its ``config.yaml``, may be a link or contain
  links. It is resolved once. The same applies to a plugin directory that is a link, as created by Nix and ``plugins
  install --link``.
- Nothing inside the directory that the user passed leads out of it: with a `root`, links may only point to places in
  it, and a path outside of it is rejected.
- Writes do not follow links: they use a resolved path.
- Root follows no link of another user, who could point it to a file of root, and no link in a directory of another
  user, who could replace the link.

If links matter, a path is walked component by component, each opened relative to the descriptor of its parent, so that
nobody can insert a link between a check and its use. `openat2` would save a few calls on Linux, but it requires ctypes,
whose import takes longer than all of them, and other systems need the walk anyway.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Generator, Iterable
from pathlib import Path

from hermes_sdk.system import IS_POSIX, is_root


def _flags(*names: str) -> int:
    """Combine flags of `os.open`, ignoring those that the system lacks."""
    return sum(getattr(os, f"O_{name}", 0) for name in names)


NEW_FILE = _flags("WRONLY", "CREAT", "EXCL", "NOFOLLOW", "CLOEXEC", "BINARY")
"""Flags to create a file, which must not exist."""

LOCK_FILE = _flags("RDWR", "CREAT", "NOFOLLOW", "NONBLOCK", "CLOEXEC")
"""Flags to open or create a lock file without changing its content."""

_DIRECTORY = _flags("PATH", "DIRECTORY", "NOFOLLOW", "CLOEXEC")
_MAX_LINKS = 40
READ = _flags("RDONLY", "CLOEXEC", "NONBLOCK", "BINARY")
"""Flags to read a file; a FIFO does not block."""


class LinkError(OSError):
    """The path uses a link that must not be followed, or leads out of its directory."""

    def __init__(self, reason: str, path: Path) -> None:
        super().__init__(errno.ELOOP, reason, str(path))


def resolve(path: Path, root: Path | None = None) -> Path:
    """Return the absolute path with all links resolved. Missing components stay unchanged.

    Args:
        root: A directory that the path must not leave; see above.

    Raises:
        LinkError: The path uses a link that must not be followed.
    """
    if not IS_POSIX or (root is None and not is_root()):
        return _resolve_by_name(path, root)
    try:
        with _walk_to(path, root) as (walk, name):
            return walk.path / name
    except (FileNotFoundError, NotADirectoryError):
        if path.name in ("", "..") or path == path.parent or path == root:
            raise
        return resolve(path.parent, root) / path.name


def _resolve_by_name(path: Path, root: Path | None) -> Path:
    real = Path(os.path.realpath(path))
    if root is not None and not real.is_relative_to(os.path.realpath(root)):
        raise _escape_error(root, path)
    return real


def _escape_error(root: Path, path: Path) -> LinkError:
    return LinkError(f"the path leads out of the directory '{root.absolute().name}'", path)


def leads_out(path: Path, root: Path) -> bool:
    """Return whether a path leads out of a directory, by a link or by its name."""
    try:
        resolve(path, root)
    except LinkError:
        return True
    except OSError:  # The path does not exist.
        return False
    return False


def open_file(path: Path, root: Path | None = None, flags: int = READ, mode: int = 0o666) -> int:
    """Open a file and return its descriptor; see `resolve` for `root`.

    Raises:
        LinkError: The path uses a link that must not be followed.
        OSError: The file cannot be opened.
    """
    if not IS_POSIX or (root is None and not is_root()):
        return os.open(path if root is None else _resolve_by_name(path, root), flags, mode)
    with _walk_to(path, root, last=not flags & os.O_NOFOLLOW) as (walk, name):
        return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=walk.folder)


@contextlib.contextmanager
def directory(path: Path) -> Generator[int]:
    """Open a directory for a ``with`` block and yield its descriptor, for use as `dir_fd`.

    Raises:
        LinkError: The path uses a link that must not be followed.
        OSError: There is no such directory.
    """
    if not is_root():
        descriptor = os.open(path, _DIRECTORY & ~os.O_NOFOLLOW)
    else:
        with _walk_to(path) as (walk, name):
            descriptor = os.open(name, _DIRECTORY, dir_fd=walk.folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def subdirectory(name: str, folder: int) -> Generator[int]:
    """Open a directory relative to an open directory for a ``with`` block.

    Raises:
        OSError: There is no such directory, or it is a link.
    """
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_status(path: Path) -> os.stat_result:
    """Return the status of a file, a directory or a link."""
    if not IS_POSIX:
        return path.lstat()
    with directory(path.parent) as folder:
        return os.stat(path.name, dir_fd=folder, follow_symlinks=False)


def rename(source: Path, target: Path) -> None:
    """Rename a file, directory or link, replacing an existing file."""
    if not IS_POSIX:
        source.replace(target)
        return
    with directory(source.parent) as old, directory(target.parent) as new:
        os.rename(source.name, target.name, src_dir_fd=old, dst_dir_fd=new)


def unlink(path: Path) -> None:
    """Remove a file or a link if it exists."""
    if not IS_POSIX:
        path.unlink(missing_ok=True)
        return
    with contextlib.suppress(FileNotFoundError), directory(path.parent) as folder:
        os.unlink(path.name, dir_fd=folder)


def remove_empty(path: Path) -> None:
    """Remove an empty directory."""
    if not IS_POSIX:
        path.rmdir()
        return
    with directory(path.parent) as folder:
        os.rmdir(path.name, dir_fd=folder)


def remove_tree(path: Path, *, ignore_errors: bool = False) -> None:
    """Remove a directory with its content, a file, or a link without its target.

    Args:
        ignore_errors: Whether to continue if a part of a directory cannot be removed.

    Raises:
        OSError: The path does not exist, or a part cannot be removed.
    """
    import shutil

    if not IS_POSIX:
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        else:
            shutil.rmtree(path, ignore_errors)
        return
    with directory(path.parent) as folder:
        if stat.S_ISDIR(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
            shutil.rmtree(path.name, ignore_errors, dir_fd=folder)
        else:
            os.unlink(path.name, dir_fd=folder)


Ignore = Callable[[Path, list[str]], Iterable[str]]
"""Callback that receives a directory and its entries, and returns the names not to copy."""


def _ignore_nothing(_: Path, __: list[str]) -> Iterable[str]:
    return ()


class NotAFileError(OSError):
    """The entry is neither a file, a directory nor a link; `filename` is its path."""


def copy_tree(
    source: Path,
    target: str,
    folder: int,
    *,
    ignore: Ignore = _ignore_nothing,
    owner: tuple[int, int] | None = None,
    durable: bool = False,
) -> None:
    """Copy a directory with its files, directories and links; links are copied, not followed.

    Args:
        target: The name of the copy in the open directory `folder`; must not exist yet.
        owner: User and group of the copies, for root.
        durable: Whether to sync the copies to disk.

    Raises:
        NotAFileError: There is a special file such as a pipe or a device.
        OSError: A file cannot be read or written.
    """
    with directory(source) as old:
        _TreeCopier(ignore, owner, durable).copy_directory(source, old, target, folder)


class _TreeCopier:
    """Copies a tree from one directory descriptor to another."""

    def __init__(self, ignore: Ignore, owner: tuple[int, int] | None, durable: bool) -> None:
        self._ignore, self._owner, self._durable = ignore, owner, durable

    def copy_directory(self, path: Path, source: int, name: str, folder: int) -> None:
        """Copy an open directory."""
        os.mkdir(name, 0o700, dir_fd=folder)
        with subdirectory(".", source) as old, subdirectory(name, folder) as new:
            names = os.listdir(old)  # noqa: PTH208 - of a descriptor
            for one in sorted({*names} - {*self._ignore(path, names)}):
                self._copy(path / one, old, new)
            self._finish(old, new)

    def _copy(self, path: Path, source: int, target: int) -> None:
        name = path.name
        kind = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
        if stat.S_ISLNK(kind):
            os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
            if self._owner:
                os.chown(name, *self._owner, dir_fd=target, follow_symlinks=False)
        elif stat.S_ISDIR(kind):
            with subdirectory(name, source) as old:
                self.copy_directory(path, old, name, target)
        elif stat.S_ISREG(kind):
            self._copy_file(name, source, target)
        else:
            raise NotAFileError(errno.EINVAL, "neither a file nor a directory", str(path))

    def _copy_file(self, name: str, source: int, target: int) -> None:
        import shutil

        with (
            os.fdopen(os.open(name, READ | os.O_NOFOLLOW, dir_fd=source), "rb") as old,
            os.fdopen(os.open(name, NEW_FILE, 0o600, dir_fd=target), "wb") as new,
        ):
            shutil.copyfileobj(old, new, 1024 * 1024)
            new.flush()
            self._finish(old.fileno(), new.fileno())

    def _finish(self, source: int, target: int) -> None:
        """Set owner, permissions and times of a copy; a directory belongs to root until it is complete."""
        status = os.fstat(source)
        if self._owner:
            os.fchown(target, *self._owner)
        os.fchmod(target, stat.S_IMODE(status.st_mode))
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
        if self._durable:
            os.fsync(target)


@contextlib.contextmanager
def _walk_to(path: Path, root: Path | None = None, *, last: bool = True) -> Generator[tuple[_Walk, str]]:
    """Walk to the parent directory of a path; yield the walk and the name in that directory.

    Args:
        last: Whether to resolve the last component if it is a link; if not, the caller handles it.
    """
    walk = _Walk(path, root)
    try:
        yield walk, walk.go(last=last)
    finally:
        walk.close()


class _Walk:
    """A walk along a path, with open descriptors of all directories on the way, so that `..` is the actual parent."""

    def __init__(self, path: Path, root: Path | None) -> None:
        self._wanted, self._root = path, root
        self._names: list[str] = []
        self._opened = [os.open(root or "/", _DIRECTORY & ~os.O_NOFOLLOW)]

    @property
    def folder(self) -> int:
        """The descriptor of the current directory."""
        return self._opened[-1]

    @property
    def path(self) -> Path:
        """The path of the current directory, without links."""
        return Path(os.path.realpath(self._root or "/"), *self._names)

    def close(self) -> None:
        """Close all descriptors."""
        for descriptor in self._opened:
            os.close(descriptor)

    def go(self, *, last: bool) -> str:
        """Walk to the parent directory of the path; return the name in it, which is `.` for the start itself."""
        pending, links = self._split(), 0
        while pending:
            name = pending.pop()
            if name in ("/", "//"):
                self._return_to_start()
            elif name == "..":
                self._go_up()
            elif (pending or last) and (target := self._read_link(name)) is not None:
                links += 1
                if links > _MAX_LINKS:
                    raise LinkError("too many links", self._wanted)
                pending += reversed(Path(target).parts)
            elif pending:
                self._enter(name)
            else:
                return name
        return "."

    def _split(self) -> list[str]:
        if self._root is None:
            return [*reversed(self._wanted.absolute().parts)]
        try:
            return [*reversed(Path(os.path.abspath(self._wanted)).relative_to(os.path.abspath(self._root)).parts)]  # noqa: PTH100
        except ValueError:
            raise self._escape() from None

    def _read_link(self, name: str) -> str | None:
        try:
            target = os.readlink(name, dir_fd=self.folder)
        except OSError:
            return None
        if self._root is None and is_root():
            if os.stat(name, dir_fd=self.folder, follow_symlinks=False).st_uid != 0:
                raise LinkError(f"another user owns the link {self.path / name}", self._wanted)
            if os.fstat(self.folder).st_uid != 0:
                raise LinkError(f"another user owns the directory of the link {self.path / name}", self._wanted)
        return target

    def _enter(self, name: str) -> None:
        self._opened.append(os.open(name, _DIRECTORY, dir_fd=self.folder))
        self._names.append(name)

    def _go_up(self) -> None:
        if self._names:
            os.close(self._opened.pop())
            self._names.pop()
        elif self._root is not None:
            raise self._escape()

    def _return_to_start(self) -> None:
        if self._root is not None:
            raise self._escape()
        while self._names:
            self._go_up()

    def _escape(self) -> LinkError:
        assert self._root is not None
        return _escape_error(self._root, self._wanted)
