"""The variables that Hermes describes to its users, to which plugins add theirs."""

from __future__ import annotations

from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.state import HostState


class OptionalVariables(dict[str, Any]):
    """Descriptions by variable: plugins add some, and read those that they added; the rest is not supported."""

    def __init__(self, state: HostState) -> None:
        super().__init__()
        self._state = state

    def _require_own(self, name: object) -> None:
        if not super().__contains__(name):
            raise self._state.unsupported(f"look up the description of the variable {name!r}")

    def __getitem__(self, name: str) -> Any:
        self._require_own(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._require_own(name)
        return True

    def __delitem__(self, name: str) -> None:
        self._require_own(name)
        super().__delitem__(name)

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ARG002
        """Return the description of a variable."""
        return self[name]

    def setdefault(self, name: str, default: Any = None) -> Any:  # noqa: ARG002
        """Return the description of a variable."""
        return self[name]

    def pop(self, name: str, *default: Any) -> Any:
        """Remove a variable, and return its description."""
        self._require_own(name)
        return super().pop(name, *default)

    def _refuse(self, *_: object) -> NoReturn:
        raise self._state.unsupported("list the variables that Hermes describes")

    __iter__ = __reversed__ = __len__ = __eq__ = __ne__ = __or__ = __ror__ = __repr__ = _refuse
    clear = copy = items = keys = popitem = values = _refuse
    __hash__ = None
