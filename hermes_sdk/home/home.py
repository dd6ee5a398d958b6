"""`Home`: one HERMES_HOME, read as the host reads it and edited safely."""

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

    Writes replace whole files, so that a reader never sees half of one, and one process writes at a time. A home that
    is managed from outside (statement K3) is never written.

    Args:
        path: The directory; it is made by the first write.
        reader: What reads `config.yaml` and manifests in the release that uses the home.
    """

    def __init__(self, path: Path, *, reader: YamlReader = "libyaml") -> None:
        self.path = path.absolute()
        self._reader: YamlReader = reader
        self._temporary: contextlib.ExitStack | None = None
        self._thread_lock = threading.RLock()
        self._is_locked = False

    @classmethod
    def current(cls) -> Home:
        """The home that ``hermes`` works on: HERMES_HOME, else `.hermes` in the home directory, or its active profile.

        Raises:
            UsageError: The active profile has no directory.
        """
        root = Path(os.environ.get("HERMES_HOME", "").strip() or Path.home() / ".hermes")
        file = root / "active_profile"
        # A home that is a profile itself was chosen on purpose; any other follows `hermes profile use`.
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
        """Make a private empty home, in a directory that is empty or in one that `close` removes.

        Its writes do not wait for the disk, and the environment's HERMES_MANAGED does not count for it.
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
        """Remove a temporary home; leave any other alone."""
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
        """The shell hooks that the user allowed to run."""
        from hermes_sdk.home.allowlist import FILE_NAME, Allowlist

        return Allowlist(self.path / FILE_NAME, durable=self._temporary is None)

    @property
    def managed(self) -> bool:
        """Return whether something else, such as NixOS, owns the configuration (statement K3)."""
        by_environment = self._temporary is None and bool(os.environ.get("HERMES_MANAGED", "").strip())
        return by_environment or (self.path / ".managed").exists()

    @property
    def config(self) -> dict[str, Any]:
        """The parsed `config.yaml`; empty when there is none or when it cannot be read, as for the host (B10)."""
        return self._read_config()[0]

    @property
    def config_problem(self) -> str:
        """Why the host cannot use `config.yaml`, on one line; empty when it can."""
        return self._read_config()[1]

    def _read_config(self) -> tuple[dict[str, Any], str]:
        try:
            return parse_config(read_text(links.open_file(self.config_path)), self._reader)
        except FileNotFoundError:
            return {}, ""
        except (OSError, ValueError) as error:
            return {}, str(error)

    def update_config(self, changes: Mapping[str, Any]) -> None:
        """Merge values into `config.yaml`; comments, order and keys of others stay.

        Args:
            changes: The new values; mappings are merged key by key, every other value is replaced.

        Raises:
            UsageError: The file is not readable YAML; it is left as it is.
            UnavailableError: The home is managed or cannot be written.
        """
        with self.locked():
            old = _read(self.config_path)
            new = edit_config(old, changes, str(self.config_path))
            if new != old:
                self._write(self.config_path, new)

    def enable(self, key: str) -> None:
        """Let the host load a plugin, as ``hermes plugins enable`` does (statement J17).

        Args:
            key: The key of the plugin, such as ``my-plugin`` or ``category/my-plugin``.
        """
        self.switch(on={key: str(self._manifest_name(key))})

    def disable(self, key: str) -> None:
        """Keep the host from loading a plugin, as ``hermes plugins disable`` does (statement J18)."""
        self.switch(off=[key])

    def switch(
        self,
        *,
        on: Mapping[str, str] | None = None,
        off: Iterable[str] = (),
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        """Enable and disable plugins and change other values of `config.yaml`, all of it or nothing.

        Args:
            on: The keys to enable, see `enable`, each with the manifest's name, which is no longer disabled either.
            off: The keys to disable, see `disable`.
            changes: Other values, see `update_config`.
        """
        with self.locked():
            enabled, disabled = self.enabled, self.disabled
            for key, name in (on or {}).items():
                if key not in enabled or key in disabled:
                    names = {key, key.rpartition("/")[2], name}
                    enabled, disabled = _with(enabled, key), [each for each in disabled if each not in names]
            for key in off:
                if key in enabled or key not in disabled:
                    names = {key, key.rpartition("/")[2]}
                    enabled, disabled = [each for each in enabled if each not in names], _with(disabled, key)
            changes = dict(changes or {})
            if (enabled, disabled) != (self.enabled, self.disabled):
                others = changes.get("plugins", {})
                changes["plugins"] = {**others, "enabled": enabled, "disabled": disabled}
            self.update_config(changes)

    @property
    def enabled(self) -> list[Any]:
        """Return what `plugins.enabled` lists; empty when the host takes it for empty (statement B1)."""
        return self._listed("enabled")

    @property
    def disabled(self) -> list[Any]:
        """Return what `plugins.disabled` lists; empty when the host takes it for empty (statement B2)."""
        return self._listed("disabled")

    def _listed(self, name: str) -> list[Any]:
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
        """The variables that `.env` sets; empty when there is none."""
        path = self.env_path
        try:
            if not path.exists():
                return {}
            from hermes_sdk.home.dotenv import parse_env

            return parse_env(read_bytes(links.open_file(path)).decode("utf-8-sig", errors="replace"))
        except (OSError, DocumentError):
            return {}

    def set_env(self, name: str, value: str) -> None:
        """Set a variable in `.env`; all other lines stay, and only the owner may read the file afterwards.

        Args:
            name: The variable's name.
            value: Its value: one line.

        Raises:
            UsageError: The name is not one of a variable, or the value does not fit on a line.
            UnavailableError: The home is managed or cannot be written.
        """
        from hermes_sdk.home.dotenv import set_in_env

        with self.locked():
            new = set_in_env(_read(self.env_path, errors="surrogateescape"), name, value)
            self._write(self.env_path, new, mode=_PRIVATE)

    def write_private(self, path: Path, text: str) -> None:
        """Replace a file of the home, or create it, so that only the owner may read it.

        Raises:
            UnavailableError: The home is managed or cannot be written.
        """
        with self.locked():
            self._write(path, text, mode=_PRIVATE)

    @contextlib.contextmanager
    def locked(self) -> Generator[None]:
        """Keep other processes from changing the home during a ``with`` block; it nests.

        Raises:
            UnavailableError: The home is managed or cannot be written.
        """
        self.refuse_managed()
        with self._thread_lock:
            if self._is_locked or self._temporary is not None:
                yield
                return
            from hermes_sdk.home.lock import home_locked
            from hermes_sdk.journal import recover

            with home_locked(self.path):
                self.refuse_foreign_link()
                self._is_locked = True
                recover()
                try:
                    yield
                finally:
                    self._is_locked = False

    def refuse_foreign_link(self) -> None:
        """Do nothing, except for root where `plugins` is, or lies behind, a link of another user.

        Raises:
            UnavailableError: There is such a link.
        """
        try:
            links.resolve(self.plugins_dir)
        except OSError as error:
            raise UnavailableError(
                f"cannot open the plugins: {error.strerror}",
                where=str(self.plugins_dir),
                fix="Run the command as the owner of the home, or replace the link by a directory.",
            ) from error

    def refuse_managed(self) -> None:
        """Do nothing, except for a home that something else owns.

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
        lasts = self._temporary is None
        write_file(path, data, mode=mode, new_mode=_PRIVATE, durable=lasts, journalled=lasts)


def _with(listed: list[Any], key: str) -> list[Any]:
    """Add a key where a sorted list has it: the host sorts these lists, and the comments of an unsorted one stay."""
    listed = list(listed)
    if key not in listed:
        insort(listed, key, key=str)
    return listed


def _read(path: Path, errors: str = "strict") -> str:
    """Return the text of a file that is going to be edited, with its line ends; empty when there is none."""
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
