"""`RealGateway`: the gateway of a real host, which runs in the host's process."""

from __future__ import annotations

import time
from collections.abc import Callable, Set
from typing import Any

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.interface import Gateway, Host, Message, Sent
from hermes_sdk.hosts.processes.answers import invalid_answer

_SLICE = 0.05
"""Seconds that one request waits, so that requests of other threads can run in between."""


class RealGateway(Gateway):
    """The gateway of a real host; see `Gateway`.

    To save time, it differs from ``hermes gateway run`` in two ways: it accepts messages as soon as its platforms are
    connected, and it retries failed sends without delay. It does not run cron jobs. A message to an agent that has just
    started is delayed by the milliseconds until the host can stop the agent. `ask` calls a method of the gateway in the
    host's process, and `run` starts the gateway there.
    """

    def __init__(self, host: Host, run: Callable[[], object], ask: Callable[..., Any]) -> None:
        super().__init__(host)
        self._run = run
        self._ask = ask

    def start(self) -> None:
        """Connect the adapters; see `Gateway.start`."""
        self._run()
        self._stopped = False
        # In a gateway, a message of the user interrupts the agent, so no signal is needed.
        self.host.llm.on_interrupt = lambda: None

    @property
    def platforms(self) -> list[str]:
        """The names of the connected platforms, sorted."""
        return list(self._ask("platforms"))

    @property
    def sent(self) -> list[Sent]:
        """All messages passed to adapters, in order."""
        found = self._ask("sent_messages")
        if not all({"platform", "chat_id", "text"} <= one.keys() <= Sent.__dataclass_fields__.keys() for one in found):
            raise invalid_answer("not messages")
        return [Sent(**one) for one in found]

    @property
    def printed(self) -> list[str]:
        """The gateway's output about event hooks, as lines."""
        return list(self._ask("printed_lines"))

    def _receive(self, message: Message) -> None:
        found, wanted = self.platforms, message.get("platform")
        if wanted not in found:
            raise UsageError(
                f"the platform {wanted!r} is not connected", fix=f"Connected platforms: {', '.join(found) or 'none'}."
            )
        self._ask("receive", message=message)

    def _list_busy(self) -> list[str]:
        return list(self._ask("busy", patience=0, asked=[]))

    def _settle(self, asked: Set[str], time_limit: float) -> None:
        deadline = time.monotonic() + time_limit
        while busy := self._ask("busy", patience=_SLICE, asked=sorted(asked)):
            if time.monotonic() > deadline:
                raise HermesSdkError(f"These chats are still busy after {time_limit:g} s: {', '.join(busy)}")

    def _wait_for(self, chat_id: str, start: int, text: str, time_limit: float) -> None:
        deadline = time.monotonic() + time_limit
        while not self._has_arrived(chat_id, start, text):
            if time.monotonic() > deadline:
                raise HermesSdkError(f"No message with {text!r} was sent to {chat_id} within {time_limit:g} s.")
            time.sleep(_SLICE / 10)

    def stop(self) -> None:
        """Disconnect the adapters and stop; a second call does nothing."""
        if not self._stopped:
            self._stopped = True
            self._ask("stop")
