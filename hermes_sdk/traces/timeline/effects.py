"""Effects of callbacks on a run: blocked, rewritten or injected values, and results without an effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from hermes_sdk import api
from hermes_sdk.contract import Contract
from hermes_sdk.traces.trace import Event

_IGNORED = "Its return value is ignored."
_SINCE = re.compile(r"\s*Since (\d+(?:\.\d+)*)\.")


class Outcome(NamedTuple):
    """Effect of the return values of a hook.

    Attributes:
        rule: A description of the allowed values, and of which value wins.
        effects: The effect of each value that the host uses, by its position.
        effect: The effect of all values together.
        heeded: Whether the host uses the values.
    """

    rule: str
    effects: Mapping[int, str]
    effect: str
    heeded: bool = True


def find_outcome(hook: str, values: Sequence[Any], contract: Contract) -> Outcome:
    """Return the effect of the callbacks' return values, which do not include None."""
    callback = getattr(api, "".join(part.title() for part in hook.split("_")) + "Callback", None)
    rule = _read_text(callback)
    if callback is None or rule == _IGNORED:
        return Outcome(rule, {}, "The turn continues as without the plugin.", heeded=False)
    found = _find_shapes(get_type_hints(callback.__call__).get("return"))
    shapes = [one for one in found if one is str or _is_known(one, contract)]
    winners = _find_winners(hook, values, shapes, contract)
    if not winners:
        return Outcome(rule, {}, "All return values are ignored: the turn continues unchanged.")
    told = {one: _tell(hook, values[one], shapes) for one in winners}
    return Outcome(rule, told, " ".join(told.values()))


def _find_winners(hook: str, values: Sequence[Any], shapes: Sequence[Any], contract: Contract) -> list[int]:
    """Return the positions of the values that the host uses."""
    if hook == "pre_llm_call":
        return [at for at, one in enumerate(values) if _find_context(one)]
    valid = [at for at, one in enumerate(values) if any(_fits(one, shape) for shape in shapes)]
    if hook == "pre_transcription":
        return valid
    if hook == "transform_llm_output":
        valid = [at for at in valid if values[at]]
    if hook == "pre_tool_call":
        decisive = [at for at in valid if values[at]["action"] != "modify"]
        if contract.behaviour.block_beats_approve:
            decisive.sort(key=lambda at: values[at]["action"] != "block")
        # Without a decision, all changes apply.
        return decisive[:1] or valid
    return valid[:1]


def _find_context(value: Any) -> str:
    text = value.get("context") if isinstance(value, Mapping) else value
    return text if isinstance(text, str) and text.strip() else ""


def _find_shapes(hint: Any) -> list[Any]:
    """Return the allowed return values of a callback: text, or mappings with certain keys."""
    if is_typeddict(hint) or hint is str:
        return [hint]
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return [shape for one in parts for shape in _find_shapes(one)]


def _is_known(shape: Any, contract: Contract) -> bool:
    """Return whether a release supports a return value."""
    since = _SINCE.search(getattr(shape, "__doc__", "") or "")
    has = re.findall(r"\d+", contract.base)
    return since is None or not has or [*map(int, since[1].split("."))] <= [*map(int, has)]


def _fits(value: Any, shape: Any) -> bool:
    if shape is str:
        return isinstance(value, str)
    if not isinstance(value, Mapping) or not shape.__required_keys__ <= value.keys():
        return False
    if not all(value[key] for key in shape.__required_keys__ & {"message", "args"}):
        return False
    action = get_type_hints(shape).get("action")
    return get_origin(action) is not Literal or value["action"] in get_args(action)


def _tell(hook: str, value: Any, shapes: Sequence[Any]) -> str:
    if isinstance(value, str):
        what = "It is added to the user's message:" if hook == "pre_llm_call" else "It replaces the original:"
        return f"{what} {value}"
    shape = next((one for one in shapes if one is not str and _fits(value, one)), None)
    said = _SINCE.sub("", (getattr(shape, "__doc__", "") or "").partition("\n")[0]).replace("``", "")
    given = "; ".join(f"{key}: {one}" for key, one in value.items() if key != "action")
    return f"{said} {f'({given})' if given else ''}".strip()


def _read_text(callback: Any) -> str:
    """Return the docstring of a callback's type, without the name."""
    paragraphs = (getattr(callback, "__doc__", "") or "").split("\n\n")
    told = " ".join(" ".join(one.split()) for one in paragraphs)
    return told.partition("``. ")[2].replace("``", "") or told.replace("``", "") or _IGNORED


Verb = Literal[
    "blocked", "rewrote", "injected", "answered", "asked", "allowed", "decided", "overruled", "ignored", "raised"
]

_VERBS: Mapping[str, Verb] = {
    "allow": "allowed",
    "approve": "asked",
    "block": "blocked",
    "continue": "blocked",
    "deny": "blocked",
    "handled": "answered",
    "modify": "rewrote",
    "rewrite": "rewrote",
    "skip": "blocked",
}
_POLICY = "pre_tool_call"
_MAX_INSIDE = 1_000
"""Maximum number of examined events within an execution."""

_HOST = ("agent.", "gateway.", "tools.", "hermes_cli.")
_KEYS = {"tool_request": "args", "llm_request": "request"}


class Effect(NamedTuple):
    """Effect of one callback on the run: a verb, and a sentence."""

    verb: Verb
    text: str


class Step(NamedTuple):
    """A group of calls that a host made together, such as the callbacks of a hook.

    Attributes:
        name: The hook, or the kind of middleware.
        positions: The positions of the events of its callbacks, in order.
    """

    name: str
    positions: list[int]


def plugin_of(event: Event) -> str:
    """Return the plugin whose callback was called in an event; empty if there is none."""
    if event["kind"] == "shell_hook":
        return "shell hook"
    if event["kind"] == "register":
        return str(event["thread"]).partition("plugin-load:")[2]
    label = event.get("callback", "")
    found = re.match(r"(?:hermes_plugins\.|_hermes_user_memory\.|hermes_hook_)(.+?)(?:__source_[^.]*)?(?:\.|$)", label)
    if found:
        return found[1]
    return "" if label.startswith(_HOST) else label.partition(".")[0]


def find_steps(events: Sequence[Event]) -> list[Step]:
    """Group calls that a host made together: those of one hook, or of one kind of request middleware."""
    steps: list[Step] = []
    begun: dict[str, Step] = {}
    callbacks: dict[str, set[str | None]] = {}
    for at, event in enumerate(events):
        kind, name = event["kind"], event["name"]
        if kind in ("turn", "message") or (kind, name) == ("llm_request", "main"):
            begun.clear()
        if kind not in ("hook", "shell_hook", "middleware", "memory", "context_engine", "gateway_hook"):
            continue
        step = begun.get(name)
        if step is None or not _belongs(event, events[step.positions[0]], callbacks[name]):
            step = begun[name] = Step(name, [])
            steps.append(step)
            callbacks[name] = set()
        step.positions.append(at)
        callbacks[name].add(event.get("callback"))
    return steps


def _belongs(event: Event, first: Event, callbacks: Set[str | None]) -> bool:
    """Return whether a call belongs to the step that began with the event `first` and has called `callbacks`."""
    kind, name = event["kind"], event["name"]
    if kind in ("memory", "context_engine") or name.endswith("_execution"):
        return False
    given, before = event.get("arguments", {}), first.get("arguments", {})
    shared = given.keys() & before.keys()
    if any(given[key] != before[key] for key in shared if key.endswith("_id")):
        return False
    return event.get("callback") not in callbacks or all(given[key] == before[key] for key in shared)


def find_effects(events: Sequence[Event], steps: Sequence[Step], contract: Contract) -> dict[int, Effect]:
    """Return the effects of callbacks, by the positions of their events.

    The release decides which of several results counts, so `contract` must be that of the run.
    """
    found: dict[int, Effect] = {}
    registered = (one for one in events if (one["kind"], one["name"]) == ("register", "register_tool"))
    tools = {str(one["arguments"].get("name")) for one in registered}
    for step in steps:
        found.update(_judge(step, events, tools, contract))
    for at, event in enumerate(events):
        if "raised" in event and event["kind"] != "turn":
            found.setdefault(at, Effect("raised", "It raised an exception, and the run continued without its answer."))
    return found


def _judge(step: Step, events: Sequence[Event], tools: Set[str], contract: Contract) -> Iterator[tuple[int, Effect]]:
    match events[step.positions[0]]["kind"]:
        case "hook" | "shell_hook":
            yield from _judge_hook(step, events, contract)
        case "middleware" if step.name in _KEYS:
            yield from _judge_requests(step, events, contract)
        case "middleware":
            for at in step.positions:
                yield from _judge_execution(at, events, tools)
        case "gateway_hook":
            yield from _judge_event_hooks(step, events)
        case _:
            for at in step.positions:
                yield from _judge_provider(at, events[at])


def _judge_hook(step: Step, events: Sequence[Event], contract: Contract) -> Iterator[tuple[int, Effect]]:
    values: dict[int, Any] = {}
    for at in step.positions:
        value = events[at].get("returned")
        if "raised" in events[at] and step.name == _POLICY and contract.behaviour.failing_policy_blocks:
            value = {"action": "block", "message": events[at]["raised"]}
        if value is not None:
            values[at] = value
    outcome = find_outcome(step.name, [*values.values()], contract)
    if not outcome.heeded:
        return
    for position, (at, value) in enumerate(values.items()):
        if position in outcome.effects:
            yield at, Effect(_find_verb(step.name, value), outcome.effects[position])
        elif outcome.effects:
            yield at, Effect("overruled", "The answer of another callback took precedence.")
        else:
            yield at, Effect("ignored", f"Its return value is ignored. {outcome.rule}")


def _find_verb(hook: str, value: Any) -> Verb:
    if isinstance(value, Mapping) and "action" in value:
        return _VERBS.get(str(value["action"]), "decided")
    if hook == "pre_llm_call":
        return "injected"
    return "rewrote" if isinstance(value, str) else "decided"


def _judge_requests(step: Step, events: Sequence[Event], contract: Contract) -> Iterator[tuple[int, Effect]]:
    key = _KEYS[step.name]
    answers = {at: value for at in step.positions if isinstance(value := _get(events[at].get("returned"), key), dict)}
    for at, value in answers.items():
        if not contract.behaviour.middleware_chained and at != max(answers):
            yield at, Effect("overruled", "On this release, the last answer takes precedence.")
        elif value != events[at]["arguments"].get(key):
            what = "the arguments of the tool" if key == "args" else "the request to the model"
            reason = _get(events[at]["returned"], "reason")
            yield at, Effect("rewrote", f"It changed {what}{f': {reason}' if reason else ''}.")


def _judge_execution(at: int, events: Sequence[Event], tools: Set[str]) -> Iterator[tuple[int, Effect]]:
    """Find the effect of an execution middleware from the events within it.

    Args:
        tools: The tools of plugins.
    """
    event = events[at]
    if "returned" not in event:
        return
    inside = list(islice(_inside(at, events), _MAX_INSIDE))
    if event["name"] == "llm_execution":
        if not any(one["kind"] == "llm_request" for one in inside):
            yield at, Effect("answered", "It answered instead of the model.")
        return
    name = event["arguments"].get("tool_name")
    names = (name, event["name"], _POLICY)
    below = [one for one in inside if one["name"] in names]
    # Tools of the host have no events.
    if not below and str(name) in tools:
        yield at, Effect("answered", "It answered instead of the tool.")
        return
    given = event["arguments"].get("args")
    passed = [_get(one.get("arguments"), "args") for one in below]
    if passed and passed[0] != given:
        yield at, Effect("rewrote", "It passed other arguments to the tool.")
        return
    changes = ("transform_tool_result", "transform_terminal_output")
    seen = [one.get("returned") for one in inside if one["name"] in (*names, *changes)]
    ran = any(one["kind"] in ("tool", "middleware") for one in below)
    if ran and event["returned"] not in seen:
        yield at, Effect("rewrote", "It replaced the result of the tool.")


def _inside(at: int, events: Sequence[Event]) -> Iterator[Event]:
    """Yield the events within a call: until its thread returns to the same depth, or the next request to the model."""
    outer = events[at]
    for event in events[at + 1 :]:
        if event["thread"] == outer["thread"] and event["depth"] <= outer["depth"]:
            return
        if (event["kind"], event["name"]) == ("llm_request", "main") and outer["name"] == "tool_execution":
            return
        yield event


def _judge_event_hooks(step: Step, events: Sequence[Event]) -> Iterator[tuple[int, Effect]]:
    decided = False
    for at in step.positions:
        verb = _VERBS.get(str(_get(events[at].get("returned"), "decision")))
        if step.name.startswith("command:") and verb and verb != "allowed":
            told = _get(events[at]["returned"], "message")
            yield (
                at,
                Effect("overruled" if decided else verb, f"It decided on the command{f': {told}' if told else ''}."),
            )
            decided = True


def _judge_provider(at: int, event: Event) -> Iterator[tuple[int, Effect]]:
    returned = event.get("returned")
    if event["kind"] == "memory":
        if event["name"] in ("prefetch", "system_prompt_block") and isinstance(returned, str) and returned.strip():
            yield at, Effect("injected", "The model reads it in its prompt.")
    elif event["name"] == "compress" and isinstance(returned, list):
        given = event["arguments"].get("messages", next(iter(event["arguments"].values()), None))
        if returned != given:
            yield at, Effect("rewrote", "It replaced the messages of the conversation.")


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None
