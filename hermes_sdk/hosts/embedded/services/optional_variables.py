"""Descriptions of environment variables for users, to which plugins add their own."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.state import HostState

_MANIFESTS = "*/plugin.y*ml"
_DESCRIBING_FILES = (_MANIFESTS, f"platforms/{_MANIFESTS}", "model-providers/*/*.py")
"""Files in the home's plugins from which Hermes may take variables: manifests of platforms, and model providers."""
_OF_PLATFORM = re.compile(r"^\W*kind\W+platform\b", re.MULTILINE)


class OptionalVariables(dict[str, Any]):
    """Descriptions by variable; plugins add and read their own, and check which others Hermes describes.

    The content of Hermes' own descriptions is not supported.
    """

    def __init__(self, state: HostState) -> None:
        super().__init__()
        self._state = state
        self._names = frozenset(state.contract.section("optional_variables"))

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._names or self._may_be_of_home(name)

    def _may_be_of_home(self, name: object) -> bool:
        for part in _DESCRIBING_FILES:
            for file in (self._state.home.path / "plugins").glob(part):
                text = file.read_text("utf-8", "replace")
                if str(name) in text and (part != _MANIFESTS or _OF_PLATFORM.search(text)):
                    self._refuse_own(name)
        return False

    def _is_added(self, name: object) -> bool:
        """Return whether a plugin added a variable; raise `NotSupported` for those that Hermes describes."""
        if super().__contains__(name):
            return True
        if name in self:
            self._refuse_own(name)
        return False

    def _refuse_own(self, name: object) -> NoReturn:
        raise self._state.unsupported(f"look up the description of the variable {name!r}")

    def __getitem__(self, name: str) -> Any:
        self._is_added(name)
        return super().__getitem__(name)

    def __delitem__(self, name: str) -> None:
        self._is_added(name)
        super().__delitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the description of a variable."""
        return super().get(name, default) if self._is_added(name) else default

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the description of a variable, and add one if it has none."""
        self._is_added(name)
        return super().setdefault(name, default)

    def pop(self, name: str, *default: Any) -> Any:
        """Remove a variable, and return its description."""
        self._is_added(name)
        return super().pop(name, *default)

    def _refuse(self, *_: object) -> NoReturn:
        raise self._state.unsupported("list the variables that Hermes describes")

    __iter__ = __reversed__ = __len__ = __eq__ = __ne__ = __or__ = __ror__ = __repr__ = _refuse
    clear = copy = items = keys = popitem = values = _refuse
    __hash__ = None
