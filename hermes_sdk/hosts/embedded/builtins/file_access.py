"""Access rules of the file tools, and the history of a task's reads and writes."""

from __future__ import annotations

import difflib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from hermes_sdk.hosts.embedded.builtins.terminal import get_directory
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext
from hermes_sdk.hosts.embedded.dispatch import OTHER_CALLS
from hermes_sdk.hosts.embedded.state import HostState

STATE = "files"
WRITERS = "writers of files"
WARNED_FROM, BLOCKED_FROM = 3, 4
"""Numbers of consecutive identical reads or searches from which the host warns, and blocks."""
SYSTEM_FOLDERS = ("/etc/", "/boot/", "/usr/lib/systemd/", "/private/etc/")
VARIABLE_FOLDERS = ("/private/var/",)
VARIABLE_SYSTEM_FOLDERS = ("/private/var/db/", "/private/var/root/")
MIN_SIMILARITY = 0.8
"""Lowest similarity of a file's name for suggesting it in place of a missing file."""
SOCKETS = ("/var/run/docker.sock", "/run/docker.sock")
DEVICES = frozenset(
    f"/dev/{name}" for name in ("zero", "random", "urandom", "full", "stdin", "stdout", "stderr", "tty", "console")
)
CREDENTIALS = (".env", ".anthropic_oauth.json", "auth.json", "auth.lock", "webhook_subscriptions.json")
SECRET_FOLDERS = (".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gh", ".config/gcloud")
SECRET_FILES = (".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials")
"""Protected folders and files in the user's home directory."""
OWN_FOLDERS = ("mcp-tokens", "pairing", "sessions")
OWN_FILES = (".env", ".anthropic_oauth.json")
"""Protected folders and files in the Hermes home."""
SOMETIMES_PROTECTED = ("cache/bws_cache.enc.json", "state.db")
"""Files in the Hermes home that only some releases protect."""
ENVIRONMENT_FILES = tuple(
    f".env{suffix}" for suffix in ("", ".local", ".development", ".production", ".test", ".staging", "rc")
)

BINARY_SUFFIXES = frozenset(
    f".{name}"
    for names in (
        "png jpg jpeg gif bmp ico webp tiff tif",
        "mp4 mov avi mkv webm wmv flv m4v mpeg mpg",
        "mp3 wav ogg flac aac m4a wma aiff opus",
        "zip tar gz bz2 7z rar xz z tgz iso",
        "exe dll so dylib bin o a obj lib app msi deb rpm",
        "doc docx xls xlsx ppt pptx odt ods odp",
        "ttf otf woff woff2 eot",
        "pyc pyo class jar war ear node wasm rlib",
        "sqlite sqlite3 db mdb idx",
        "psd ai eps sketch fig xd blend 3ds max swf fla lockb dat data",
    )
    for name in names.split()
)
"""Suffixes of files that the host treats as binary."""

KINDS = {
    b"\x89PNG\r\n\x1a\n": "PNG image data",
    b"\xff\xd8\xff": "JPEG image data",
    b"GIF87a": "GIF image data",
    b"GIF89a": "GIF image data",
    b"RIFF": "RIFF container (WAV/AVI/WebP family)",
    b"%PDF-": "PDF document",
    b"PK\x03\x04": "ZIP archive (also docx/xlsx/jar/apk)",
    b"PK\x05\x06": "ZIP archive (empty)",
    b"\x1f\x8b": "gzip compressed data",
    b"BZh": "bzip2 compressed data",
    b"\xfd7zXZ\x00": "xz compressed data",
    b"7z\xbc\xaf\x27\x1c": "7-Zip archive",
    b"\x7fELF": "ELF executable",
    b"MZ": "Windows PE executable",
    b"\xcf\xfa\xed\xfe": "Mach-O executable (64-bit)",
    b"\xca\xfe\xba\xbe": "Mach-O universal binary / Java class",
    b"SQLite format 3\x00": "SQLite database",
    b"OggS": "Ogg container",
    b"fLaC": "FLAC audio",
    b"ID3": "MP3 audio (ID3 tag)",
    b"BM": "BMP image data",
    b"II*\x00": "TIFF image data (little-endian)",
    b"MM\x00*": "TIFF image data (big-endian)",
}
"""First bytes of a file -> the host's name for its kind."""


def name_kind(start: bytes) -> str:
    """Return the host's name for the kind of a binary file."""
    if start.startswith(b"\0\0\0") and start[4:8] == b"ftyp":
        return "ISO media container (MP4/MOV family)"
    return next((kind for mark, kind in KINDS.items() if start.startswith(mark)), "unknown binary")


@dataclass
class FileHistory:
    """The files that a task, such as a turn, has read and written."""

    task: str
    writers: dict[str, tuple[str, float]]
    """File -> the task and the time of the last write; shared by all tasks."""
    stamps: dict[str, tuple[float, bool, float]] = field(default_factory=dict)
    """File -> its modification time at the last access, whether that was a partial read, and the time of the access."""
    regions: dict[tuple[str, int, int], float] = field(default_factory=dict)
    """File and region -> the file's modification time when the region was read."""
    repeats: dict[tuple[str, int, int], int] = field(default_factory=dict)
    """File and region -> the number of repeated reads without a change of the file."""
    failures: dict[str, int] = field(default_factory=dict)
    """File -> the number of consecutive patches that did not match."""
    blind: set[str] = field(default_factory=set)
    """Files that the task patched without having read them completely."""
    other_calls: int = 0
    """The number of calls of other tools before the task's last read or search."""
    last: tuple[object, ...] = ()
    """The last read or search."""
    times: int = 0
    """The number of consecutive `last` calls of the task."""

    @classmethod
    def of(cls, context: ToolContext) -> FileHistory:
        """Return the history of the calling task."""
        histories: dict[str, FileHistory] = context.state.memory.setdefault(STATE, {})
        writers: dict[str, tuple[str, float]] = context.state.memory.setdefault(WRITERS, {})
        history = histories.setdefault(context.task_id, cls(context.task_id, writers))
        other_calls = context.state.memory.get(OTHER_CALLS, {}).get(context.task_id, 0)
        if other_calls != history.other_calls:
            history.other_calls, history.last = other_calls, ()
            history.repeats.clear()
        return history

    def count(self, *call: object) -> int:
        """Count a read or search, and return the number of consecutive identical calls."""
        self.times = self.times + 1 if call == self.last else 1
        self.last = call
        return self.times

    @staticmethod
    def forget(state: HostState, task: str) -> None:
        """Discard the history of a task that has ended, as later releases do."""
        state.memory.get(STATE, {}).pop(task, None)
        writers: dict[str, tuple[str, float]] = state.memory.get(WRITERS, {})
        for path in [path for path, (writer, _) in writers.items() if writer == task]:
            del writers[path]

    def record_read(self, file: Path, *, partial: bool) -> None:
        """Record that the task read a file."""
        self.stamps[str(file)] = (file.stat().st_mtime, partial, time.time())
        if not partial:
            self.blind.discard(str(file))

    def has_seen(self, path: str) -> bool:
        """Return whether the task has written a file or read it completely."""
        return path in self.stamps and not self.stamps[path][1] and path not in self.blind

    def explain_unread(self, file: Path, context: ToolContext) -> str | None:
        """Return why the task does not know the content of a file, or None."""
        if not file.exists() or self.has_seen(str(file)):
            return None
        which = "blind" if str(file) in self.blind else "never_read"
        return context.state.wording(f"write_file.{which}", file=file)

    def find_conflict(self, path: str, context: ToolContext) -> str | None:
        """Return the warning for writing a file that has changed since the task read it, or None."""
        if not Path(path).exists():
            return None
        writer, written = self.writers.get(path, (self.task, 0.0))
        modified, partial, seen = self.stamps.get(path, (None, False, 0.0))
        if writer != self.task and modified is None:
            return (
                f"{path} was modified by sibling subagent {writer!r} but this agent never read it."
                " Read it before you write it."
            )
        if writer != self.task and written > seen:
            return (
                f"{path} was modified by sibling subagent {writer!r} at {_format_time(written)} —"
                f" after this agent's last read at {_format_time(seen)}. Read it again before you"
                " write it."
            )
        if modified is not None and Path(path).stat().st_mtime != modified:
            return (
                f"{path} was modified since you last read it on disk (external edit or unrecorded"
                " writer). Read it again before you write it."
            )
        if partial:
            return context.state.wording("write_file.partial", file=path)
        return None

    def record_write(self, path: str) -> None:
        """Record that the task wrote a file, which counts as a complete read."""
        self.record_read(Path(path), partial=False)
        self.writers[path] = (self.task, time.time())
        self.failures.pop(path, None)


def _format_time(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def resolve_path(path: str, context: ToolContext) -> Path:
    """Resolve a path, including ``~``; relative paths start at the terminal's working directory."""
    start = get_directory(context) or os.environ.get("TERMINAL_CWD") or Path.cwd()
    return (Path(start) / Path(path).expanduser()).resolve()


def refuse_read(path: str, file: Path, context: ToolContext) -> str | None:
    """Return why the host refuses to read a file, or None."""
    if os.path.normpath(path) in DEVICES or str(file) in DEVICES:
        return f"Cannot read '{path}': this is a device file that would block or produce infinite output."
    if file.suffix.lower() in BINARY_SUFFIXES:
        return f"Cannot read binary file '{path}' ({file.suffix.lower()}). Look at it with another tool."
    end = "(This prevents accidents, not intent.)"
    if file.parent == context.state.home.path.resolve() and file.name in CREDENTIALS:
        return (
            f"Access denied: {file} is a Hermes credential store and cannot be read directly. The"
            f" tools of its provider read it. {end}"
        )
    if file.name in ENVIRONMENT_FILES:
        return (
            f"Access denied: {file} is a secret-bearing environment file and cannot be read to prevent"
            f" credential leakage. Its keys may be in .env.example. {end}"
        )
    return None


def refuse_change(path: str, file: Path, context: ToolContext) -> str | None:
    """Return why the host rejects a call that would change a file, or None."""
    system = (
        *SYSTEM_FOLDERS,
        *(VARIABLE_SYSTEM_FOLDERS if context.behaviour.odd_files_recognised else VARIABLE_FOLDERS),
    )
    if str(file).startswith(system) or os.path.normpath(path).startswith(system) or str(file) in SOCKETS:
        return f"Refusing to write to sensitive system path: {path}\nThe user can change it in a terminal."
    if file == (context.state.home.path / "config.yaml").resolve():
        return f"Refusing to write to Hermes config file: {path}\nThe user can change it with `hermes config`."
    return None


def refuse_write(name: str, file: Path, context: ToolContext) -> str | None:
    """Return why the host denies a write to a file, or None.

    Raises:
        NotSupported: Hermes asks for approval, or only some releases deny the write.
    """
    user, home = Path.home().resolve(), context.state.home.path.resolve()
    if file == user / ".ssh" / "config" or file in [home / one for one in SOMETIMES_PROTECTED]:
        raise context.state.unsupported(f"decide whether a tool may write {file}")
    folders = [*(user / one for one in SECRET_FOLDERS), *(home / one for one in OWN_FOLDERS)]
    files = [*(user / one for one in SECRET_FILES), *(home / one for one in OWN_FILES)]
    if file in files or not {*folders}.isdisjoint(file.parents):
        return f"Write denied: '{name}' is a protected system/credential file."
    return None


def find_similar(path: str, context: ToolContext) -> list[str]:
    """Return the files with the most similar names in the folder of a missing file."""
    parent, _, missing = path.rpartition("/")
    folder = parent or "."
    try:
        names = sorted(one.name for one in resolve_path(folder, context).iterdir() if not one.name.startswith("."))[:50]
    except OSError:
        return []
    scored = [(_rate_similarity(name.lower(), missing.lower(), context), f"{folder}/{name}") for name in names]
    best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
    return [name for _, name in best[:5]]


def _rate_similarity(name: str, missing: str, context: ToolContext) -> int:
    stem, suffix = PurePath(missing).stem, PurePath(missing).suffix
    if name == missing:
        return 100
    if PurePath(name).stem == stem:
        return 90
    if name.startswith(missing) or missing.startswith(name):
        return 70
    if missing in name:
        return 60
    if name in missing and len(name) > 2:
        return 40
    common = len(set(missing) & set(name))
    if suffix and name.endswith(suffix) and common >= max(len(missing), len(name)) * 0.4:
        return 30
    if not context.behaviour.odd_files_recognised:
        return 0
    return 50 if difflib.SequenceMatcher(None, missing, name).ratio() >= MIN_SIMILARITY else 0


def mark_guardrail(context: ToolContext) -> dict[str, bool]:
    """Return the field that marks results that a guardrail blocked, on releases that have it."""
    return {"guardrail_refusal": True} if context.behaviour.refusals_are_no_failures else {}
