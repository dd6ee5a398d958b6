"""What the host does with the values that the callbacks of a hook return, as the types in `api` say it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from hermes_sdk import api
from hermes_sdk.contract import Contract

_IGNORED = "Its return value is ignored."
_SINCE = re.compile(r"\s*Since (\d+(?:\.\d+)*)\.")


class Outcome(NamedTuple):
    """What comes of the values of a hook.

    Attributes:
        rule: What a callback may return, and which one wins.
        effects: What the turn does with each value that counts, by its position.
        effect: What the turn does with all of them.
        heeded: Whether the host looks at the values at all.
    """

    rule: str
    effects: Mapping[int, str]
    effect: str
    heeded: bool = True


def find_outcome(hook: str, values: Sequence[Any], contract: Contract) -> Outcome:
    """Find what the host does with the values that callbacks returned, None left out."""
    callback = getattr(api, "".join(part.title() for part in hook.split("_")) + "Callback", None)
    rule = _read_text(callback)
    if callback is None or rule == _IGNORED:
        return Outcome(rule, {}, "The turn goes on as it would without the plugin.", heeded=False)
    found = _find_shapes(get_type_hints(callback.__call__).get("return"))
    shapes = [one for one in found if one is str or _is_known(one, contract)]
    winners = _find_winners(hook, values, shapes, contract)
    if not winners:
        return Outcome(rule, {}, "Nothing that was returned counts: the turn goes on unchanged.")
    told = {one: _tell(hook, values[one], shapes) for one in winners}
    return Outcome(rule, told, " ".join(told.values()))


def _find_winners(hook: str, values: Sequence[Any], shapes: Sequence[Any], contract: Contract) -> list[int]:
    """Return the positions of the values that count."""
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
        # Without a decision, all changes add up.
        return decisive[:1] or valid
    return valid[:1]


def _find_context(value: Any) -> str:
    text = value.get("context") if isinstance(value, Mapping) else value
    return text if isinstance(text, str) and text.strip() else ""


def _find_shapes(hint: Any) -> list[Any]:
    """Return what a callback may return: text, or mappings with certain keys."""
    if is_typeddict(hint) or hint is str:
        return [hint]
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return [shape for one in parts for shape in _find_shapes(one)]


def _is_known(shape: Any, contract: Contract) -> bool:
    """Tell whether a release has what a callback may return."""
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
        what = "It is added to the user's message:" if hook == "pre_llm_call" else "It takes the place of the original:"
        return f"{what} {value}"
    shape = next((one for one in shapes if one is not str and _fits(value, one)), None)
    said = _SINCE.sub("", (getattr(shape, "__doc__", "") or "").partition("\n")[0]).replace("``", "")
    given = "; ".join(f"{key}: {one}" for key, one in value.items() if key != "action")
    return f"{said} {f'({given})' if given else ''}".strip()


def _read_text(callback: Any) -> str:
    """Return what the type of a callback says, without its name."""
    paragraphs = (getattr(callback, "__doc__", "") or "").split("\n\n")
    told = " ".join(" ".join(one.split()) for one in paragraphs)
    return told.partition("``. ")[2].replace("``", "") or told.replace("``", "") or _IGNORED
