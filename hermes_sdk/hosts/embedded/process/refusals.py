"""Record of unsupported uses, including those whose exceptions plugin code swallows."""

from __future__ import annotations

import inspect
from collections.abc import Container
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from hermes_sdk.hosts.interface import NotSupported

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Unsupported


def find_plugin_frame(
    frame: FrameType | None, plugin_files: Container[str], until: tuple[str, ...] = ()
) -> FrameType | None:
    """Return the innermost frame of plugin code, or None if a file below one of `until` comes first."""
    while frame is not None and not frame.f_code.co_filename.startswith(until):
        if frame.f_code.co_filename in plugin_files:
            return frame
        frame = frame.f_back
    return None


class Refusals:
    """Record of unsupported uses since the host started, with their exceptions."""

    def __init__(self, plugin_files: Container[str]) -> None:
        self._plugin_files = plugin_files
        # A plugin may change the working directory, or remove it.
        self._directory = Path.cwd()
        self._noted: list[tuple[Unsupported, BaseException | None]] = []

    def note(self, what: str, fix: str = "", *, error: BaseException | None = None) -> None:
        """Record an unsupported use in the current code: `what`, such as ``model gateway.run``, and its exception."""
        from hermes_sdk.hosts.interface import Unsupported

        self._noted.append((Unsupported(what, self._find_place(), fix), error))

    def forget(self, error: BaseException) -> None:
        """Forget a use whose exception reaches the user."""
        self._noted = [one for one in self._noted if one[1] is not error]

    def list_uses(self) -> list[Unsupported]:
        """Return the unsupported uses in order, without duplicates."""
        return list(dict.fromkeys(one for one, _ in self._noted))

    def __len__(self) -> int:
        return len(self._noted)

    def list_actions(self, since: int) -> frozenset[str]:
        """Return the unsupported actions after the first `since` uses, without failed imports."""
        return frozenset(one.what for one, error in self._noted[since:] if isinstance(error, NotSupported))

    def _find_place(self) -> str:
        """Return the location of the innermost plugin code in this thread, or an empty string."""
        frame = find_plugin_frame(inspect.currentframe(), self._plugin_files)
        if frame is None:
            return ""
        # A plugin under test is linked into the home; show the path of its source.
        file = Path(frame.f_code.co_filename).resolve()
        shown = file.relative_to(self._directory) if file.is_relative_to(self._directory) else file
        return f"{shown}:{frame.f_lineno}"
