"""`Home`: a HERMES_HOME, read as the host reads it and edited safely."""

from __future__ import annotations

import contextlib
import os
import threading
from bisect import insort
from collections.abc import Generator, Hashable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hermes_sdk import links
from hermes_sdk.documents import DocumentError, read_bytes, read_text
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.home.config import edit_config, parse_config
from hermes_sdk.manifest.load import YamlReader, load_yaml

if TYPE_CHECKING:
    from hermes_sdk.home.allowlist import Allowlist

_PRIVATE = 0o600


class Home:
    """A HERMES_HOME directory.

    Writes are atomic and serialised by a lock. An externally managed home (statement K3) is never written.

    Args:
        path: The directory; created by the first write.
        reader: The YAML reader of the release that uses the home.
    """

    def __init__(self, path: Path, *, reader: YamlReader = "libyaml") -> None:
        self.path = path.absolute()
        self._reader: YamlReader = reader
        self._temporary: contextlib.ExitStack | None = None
        self._thread_lock = threading.RLock()
        self._is_locked = False

    @classmethod
    def current(cls) -> Home:
        """Return the home of ``hermes``: HERMES_HOME, or `.hermes` in the home directory, or its active profile.

        Raises:
            UsageError: The active profile has no directory.
        """
        root = Path(os.environ.get("HERMES_HOME", "").strip() or Path.home() / ".hermes")
        file = root / "active_profile"
        # If HERMES_HOME is itself a profile, the user selected it explicitly; otherwise `hermes profile use` decides.
        is_profile = root.parent.name == "profiles"
        name = _read(file, errors="replace").strip() if file.is_file() and not is_profile else ""
        if name in ("", "default"):
            return cls(root)
        if "/" in name or not (root / "profiles" / name).is_dir():
            raise UsageError(
                f"the active profile {name!r} has no directory",
                where=str(file),
                fix="Run `hermes profile use default`.",
            )
        return cls(root / "profiles" / name)

    @classmethod
    def temporary(cls, directory: Path | None = None) -> Home:
        """Create a private empty home in an empty directory, or in a new one that `close` removes.

        Its writes are not synced to disk, and it ignores the environment variable HERMES_MANAGED.
        """
        stack = contextlib.ExitStack()
        if directory is None:
            from tempfile import TemporaryDirectory

            name = stack.enter_context(TemporaryDirectory(prefix="hermes-home-", ignore_cleanup_errors=True))
            directory = Path(name)
        home = cls(Path(os.path.realpath(directory)))
        home._temporary = stack
        home.plugins_dir.mkdir()
        return home

    def close(self) -> None:
        """Remove a temporary home; do nothing for any other."""
        if self._temporary is not None:
            self._temporary.close()

    def __enter__(self) -> Home:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Home({str(self.path)!r})"

    @property
    def plugins_dir(self) -> Path:
        """The directory of the user's plugins."""
        return self.path / "plugins"

    @property
    def config_path(self) -> Path:
        """The file `config.yaml`, whether or not it exists."""
        return self.path / "config.yaml"

    @property
    def env_path(self) -> Path:
        """The file `.env`, whether or not it exists."""
        return self.path / ".env"

    @property
    def allowlist(self) -> Allowlist:
        """The shell hooks that the user has allowed."""
        from hermes_sdk.home.allowlist import FILE_NAME, Allowlist

        return Allowlist(self.path / FILE_NAME, durable=self._temporary is None)

    @property
    def managed(self) -> bool:
        """Return whether another program, such as NixOS, owns the configuration (statement K3)."""
        by_environment = self._temporary is None and bool(os.environ.get("HERMES_MANAGED", "").strip())
        return by_environment or (self.path / ".managed").exists()

    @property
    def config(self) -> dict[str, Any]:
        """The parsed `config.yaml`; empty if it is missing or unreadable, as in the host (B10)."""
        return self._read_config()[0]

    @property
    def config_problem(self) -> str:
        """Why the host cannot use `config.yaml`, on one line; empty if it can."""
        return self._read_config()[1]

    def _read_config(self) -> tuple[dict[str, Any], str]:
        try:
            return parse_config(read_text(links.open_file(self.config_path)), self._reader)
        except FileNotFoundError:
            return {}, ""
        except (OSError, ValueError) as error:
            return {}, str(error)

    def update_config(self, changes: Mapping[str, Any]) -> None:
        """Merge values into `config.yaml`, preserving comments, order and unrelated keys.

        Args:
            changes: The new values; mappings are merged key by key, other values are replaced.

        Raises:
            UsageError: The file is not valid YAML; it is not changed.
            UnavailableError: The home is managed or cannot be written.
        """
        with self.lock():
            old = _read(self.config_path)
            new = edit_config(old, changes, str(self.config_path))
            if new != old:
                self._write(self.config_path, new)

    def enable(self, key: str) -> None:
        """Enable a plugin as ``hermes plugins enable`` does (statement J17).

        Args:
            key: The key of the plugin, such as ``my-plugin`` or ``category/my-plugin``.
        """
        self.switch(on={key: str(self._manifest_name(key))})

    def disable(self, key: str) -> None:
        """Disable a plugin as ``hermes plugins disable`` does (statement J18)."""
        self.switch(off=[key])

    def switch(
        self,
        *,
        on: Mapping[str, str] | None = None,
        off: Iterable[str] = (),
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        """Enable and disable plugins and change other values of `config.yaml` atomically.

        Args:
            on: The keys to enable, each with the name in the manifest, which is also removed from the disabled
                plugins; see `enable`.
            off: The keys to disable, see `disable`.
            changes: Other values, see `update_config`.
        """
        with self.lock():
            enabled, disabled = self.enabled, self.disabled
            for key, name in (on or {}).items():
                if key not in enabled or key in disabled:
                    names = {key, key.rpartition("/")[2], name}
                    enabled, disabled = _insert_key(enabled, key), [each for each in disabled if each not in names]
            for key in off:
                if key in enabled or key not in disabled:
                    names = {key, key.rpartition("/")[2]}
                    enabled, disabled = [each for each in enabled if each not in names], _insert_key(disabled, key)
            changes = dict(changes or {})
            if (enabled, disabled) != (self.enabled, self.disabled):
                others = changes.get("plugins", {})
                changes["plugins"] = {**others, "enabled": enabled, "disabled": disabled}
            self.update_config(changes)

    @property
    def enabled(self) -> list[Any]:
        """The entries of `plugins.enabled`; empty if the host treats the list as empty (statement B1)."""
        return self._read_list("enabled")

    @property
    def disabled(self) -> list[Any]:
        """The entries of `plugins.disabled`; empty if the host treats the list as empty (statement B2)."""
        return self._read_list("disabled")

    def _read_list(self, name: str) -> list[Any]:
        plugins = self.config.get("plugins")
        listed = plugins.get(name) if isinstance(plugins, dict) else None
        if not isinstance(listed, list) or not all(isinstance(item, Hashable) for item in listed):
            return []
        return listed

    def _manifest_name(self, key: str) -> Any:
        try:
            return load_yaml(read_text(self.plugins_dir / key / "plugin.yaml"), self._reader).get("name", key)
        except Exception:  # A plugin without a readable manifest has no second name.
            return key

    @property
    def env(self) -> dict[str, str]:
        """The variables in `.env`; empty if there is no such file."""
        path = self.env_path
        try:
            if not path.exists():
                return {}
            from hermes_sdk.home.dotenv import parse_env

            return parse_env(read_bytes(links.open_file(path)).decode("utf-8-sig", errors="replace"))
        except (OSError, DocumentError):
            return {}

    def set_env(self, name: str, value: str) -> None:
        """Set a variable in `.env`, preserving all other lines; afterwards only the owner may read the file.

        Args:
            name: The variable's name.
            value: Its value, a single line.

        Raises:
            UsageError: The name is not valid, or the value is not a single line.
            UnavailableError: The home is managed or cannot be written.
        """
        from hermes_sdk.home.dotenv import set_in_env

        with self.lock():
            new = set_in_env(_read(self.env_path, errors="surrogateescape"), name, value)
            self._write(self.env_path, new, mode=_PRIVATE)

    def write_private(self, path: Path, text: str) -> None:
        """Create or replace a file of the home that only the owner may read.

        Raises:
            UnavailableError: The home is managed or cannot be written.
        """
        with self.lock():
            self._write(path, text, mode=_PRIVATE)

    @contextlib.contextmanager
    def lock(self) -> Generator[None]:
        """Lock the home against changes by other processes; reentrant.

        Raises:
            UnavailableError: The home is managed or cannot be written.
        """
        self.refuse_managed()
        with self._thread_lock:
            if self._is_locked or self._temporary is not None:
                yield
                return
            from hermes_sdk.home.lock import lock_home
            from hermes_sdk.journal import recover

            with lock_home(self.path):
                self.refuse_foreign_link()
                self._is_locked = True
                recover()
                try:
                    yield
                finally:
                    self._is_locked = False

    def refuse_foreign_link(self) -> None:
        """Raise an error if root would follow a link of another user to reach `plugins`.

        Raises:
            UnavailableError: There is such a link.
        """
        try:
            links.resolve(self.plugins_dir)
        except OSError as error:
            raise UnavailableError(
                f"cannot open the plugins directory: {error.strerror}",
                where=str(self.plugins_dir),
                fix="Run the command as the owner of the home, or replace the link with a directory.",
            ) from error

    def refuse_managed(self) -> None:
        """Raise an error if the home is managed externally.

        Raises:
            UnavailableError: The home is managed.
        """
        if self.managed:
            raise UnavailableError(
                "this Hermes home is managed externally and cannot be changed here",
                where=str(self.path),
                fix="Change its source, such as services.hermes-agent in NixOS, or use another HERMES_HOME.",
            )

    def _write(self, path: Path, text: str, mode: int | None = None) -> None:
        from hermes_sdk.files import write_file

        data = text.encode("utf-8", errors="surrogateescape")
        durable = self._temporary is None
        write_file(path, data, mode=mode, new_mode=_PRIVATE, durable=durable, journalled=durable)


def _insert_key(listed: list[Any], key: str) -> list[Any]:
    """Insert a key into a list in sorted order, as the host does; an unsorted list keeps its order and comments."""
    listed = list(listed)
    if key not in listed:
        insort(listed, key, key=str)
    return listed


def _read(path: Path, errors: str = "strict") -> str:
    """Return the text of a file to edit, with its line ends; empty if it does not exist."""
    try:
        return read_bytes(links.open_file(path)).decode("utf-8-sig", errors=errors)
    except FileNotFoundError:
        return ""
    except DocumentError as error:
        raise UsageError(f"cannot read the file: {error}", where=str(path), fix="Nothing was changed.") from error
    except UnicodeDecodeError as error:
        raise UsageError("the file is not valid UTF-8", where=str(path), fix="Save it as UTF-8 first.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnavailableError(
            f"cannot read the file: {reason}", where=str(path), fix="Nothing was changed."
        ) from error
