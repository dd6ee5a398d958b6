"""What a gateway needs of its host."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface.host import OnSwallowed

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.runtime import Runtime
    from hermes_sdk.hosts.embedded.standins.lent import Lent
    from hermes_sdk.hosts.embedded.tools.approval import ApprovalGate


@dataclass(frozen=True)
class Surroundings:
    """What a gateway needs of its host.

    Attributes:
        contract: The release.
        home: The HERMES_HOME.
        registered: The platforms that plugins registered.
        recording: Where calls are recorded.
        read_config: Reads ``config.yaml``.
        change_config: Merges values into it.
        commands: Gives the slash commands of plugins by name.
        runtime: Makes what a session needs.
        fire: Fires a hook of plugins with those of the values that the release passes.
        ask_model: Asks the model for what is no part of a conversation; returns the text of its answer.
        forget_approvals: Forgets what was approved in a session.
        on_swallowed: Called with a place and the exception whenever the host hides one of a plugin.
        tell: Called with each line that the host prints about event hooks.
    """

    contract: Contract
    home: Path
    registered: Sequence[tuple[Any, dict[str, Any]]]
    recording: Recording
    read_config: Callable[[], dict[str, Any]]
    change_config: Callable[[Mapping[str, Any]], None]
    commands: Callable[[], Mapping[str, Any]]
    runtime: Callable[[], Runtime]
    fire: Callable[..., list[Any]]
    ask_model: Callable[[list[dict[str, Any]]], str]
    forget_approvals: Callable[[str], None]
    on_swallowed: OnSwallowed
    tell: Callable[[str], None]


def surroundings(
    lent: Lent,
    recording: Recording,
    runtime: Callable[[], Runtime],
    on_swallowed: OnSwallowed,
    approval: ApprovalGate,
    tell: Callable[[str], None],
) -> Surroundings:
    """Put together what a gateway needs of what its host has.

    Args:
        lent: What the host lends to its stand-ins.
        recording: Where calls are recorded.
        runtime: Makes what a session needs.
        on_swallowed: Called with a place and the exception whenever the host hides one of a plugin.
        approval: What users approved.
        tell: Called with each line that the host prints about event hooks.
    """
    hooks = lent.contract.hooks

    def fire(hook: str, /, **values: Any) -> list[Any]:
        fact = hooks.get(hook)
        if fact is None or not lent.sweep().hooks.has(hook):
            return []
        passed = {*fact.always, *fact.sometimes}
        return lent.sweep().hooks.fire(hook, **{name: value for name, value in values.items() if name in passed})

    def ask_model(messages: list[dict[str, Any]]) -> str:
        wanted = lent.auxiliary.ask(
            messages, provider=None, model=None, temperature=0, max_tokens=16, extra={}, is_async=False
        )
        return wanted.text

    return Surroundings(
        lent.contract,
        lent.home.path,
        lent.sweep().recorded.platforms,
        recording,
        lent.config.read,
        lent.home.update_config,
        lambda: lent.sweep().commands.by_name,
        runtime,
        fire,
        ask_model,
        approval.forget,
        on_swallowed,
        tell,
    )
