"""Comparison of an example on both hosts: equal, unsupported, or different."""

from __future__ import annotations

import json
import re
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from conformance.case import Case, observe_host, run, without_handlers
from conformance.conversations import comparable_turn
from conformance.differences import list_differences
from conformance.raw_keys import name_sentences
from conformance.shell_hooks import ACCEPTED
from fuzz.examples import Example

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.inspection import show
from hermes_sdk.hosts.interface import REFUSAL, Host, HostKind, NotSupported, Turn
from hermes_sdk.traces import Difference, Normaliser, Trace, compare, format_value, play_in_process, read_scenario
from hermes_sdk.traces.trace import is_typing

Result = Literal["equal", "refused", "different"]

_ENDED = "ended the host"
_ATTEMPTS = 4
"""The number of runs on the real host for an example on which the hosts differ."""

_HOST_LINES = re.compile(r'^  File "(?![^"\n]*/plugins/)[^\n]*\n(?:    [^\n]*\n)+', re.MULTILINE)
_RESULT_OF_HOOK = re.compile(r"turns\[\d+\]\.hooks\[\d+\]\[2\]")
_SECTIONS = re.compile(r"<!-- hermes-plugin-sections:start.*?sections:end -->", re.DOTALL)


@dataclass(frozen=True)
class Played:
    """Result of an example on one host.

    Attributes:
        seen: Compared values in addition to the trace, as JSON values.
        trace: The trace of a scenario.
        refusals: The features that the example needs but the embedded host does not support.
    """

    seen: Any
    trace: Trace | None = None
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """Result of a comparison: `differences` has the paths, and the values on the embedded and on the real host."""

    result: Result
    differences: tuple[tuple[str, str, str], ...] = ()
    refusals: tuple[str, ...] = ()
    asked: int = field(default=0, compare=False)

    @property
    def signature(self) -> str:
        """Return a name for the first difference, which is the same for examples that differ at the same path."""
        return re.sub(r"\d+", "#", self.differences[0][0]) if self.differences else ""


def play_on_both(example: Example, release: str) -> Outcome:
    """Play an example on both hosts, and compare the results.

    The order of concurrent actions on a real host, such as a turn and a delegated task, or a status message and the end
    of a turn, differs between runs. The embedded host has only one order, which must be one of them: if the results
    differ, the example is repeated on the real host.
    """
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True) as folder:
        path = example.write(Path(folder, "example"))
        embedded = _play(example, path, "embedded", release, Path(folder, "embedded"))
        outcomes: list[Outcome] = []
        while len(outcomes) < _ATTEMPTS:
            real = _play(example, path, "real", release, Path(folder, f"real{len(outcomes)}"))
            outcomes.append(_compare(embedded, real, release))
            if outcomes[-1].result != "different":
                return outcomes[-1]
    return outcomes[0]


def play_embedded(example: Example, release: str) -> Played:
    """Play an example on the embedded host only."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True) as folder:
        return _play(example, example.write(Path(folder, "example")), "embedded", release, Path(folder, "embedded"))


def _compare(embedded: Played, real: Played, release: str) -> Outcome:
    """Compare the results of two hosts."""
    # The result of a real host was passed as JSON, which joins surrogate pairs.
    shown = [name_sentences(json.loads(json.dumps(one.seen)), release) for one in (embedded, real)]
    differences = [*list_differences("", *shown)]
    asked = 0
    # If a plugin ended the process of a real host, the recorded events are lost.
    if embedded.trace and real.trace and _ENDED not in str(real.trace.problems):
        compared = compare(embedded.trace, real.trace)
        found = [one for one in compared if not _is_left_behind(one)]
        if len(found) < len(compared):
            differences = [one for one in differences if not _RESULT_OF_HOOK.fullmatch(one[0])]
        places = [(f"{one.event} {one.path}".strip(), one.left, one.right) for one in found]
        differences = [*places, *differences]
        asked = max(sum(event["name"] == "main" for event in one.trace.events) for one in (embedded, real) if one.trace)
    result: Result = "refused" if embedded.refusals else "different" if differences else "equal"
    listed = tuple((place, format_value(left), format_value(right)) for place, left, right in differences)
    return Outcome(result, listed, embedded.refusals, asked)


def _is_left_behind(one: Difference) -> bool:
    """Return whether a callback that exceeded its deadline returned before the end of only one run."""
    sides = [format_value(value) for value in (one.left, one.right)]
    return one.path == "returned" and one.thread.startswith("hermes-hook-") and "nothing" in sides


def _play(example: Example, path: Path, kind: HostKind, release: str, folder: Path) -> Played:
    """Play an example on a host; exceptions of the embedded host itself are differences."""
    what = example.kind.split()[-1]
    try:
        with without_handlers():
            if what == "show":
                return _show(path.parent / "p", kind, release)
            return _call(example, kind, release, folder) if what == "calls" else _converse(path, kind, release)
    except NotSupported as error:
        return Played({"ended": str(error)}, refusals=(str(error),))
    except HermesSdkError as error:
        return Played({"ended": _portable(str(error)), "by": type(error).__name__})
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Played({"crashed": type(error).__name__, "where": traceback.format_exc()[-2000:]})


def _converse(path: Path, kind: HostKind, release: str) -> Played:
    """Play a scenario, and return its trace, the state of the host at its end, and the ends of turns."""
    seen: dict[str, Any] = {}

    def observe(host: Host, turns: Sequence[Turn]) -> None:
        normaliser = Normaliser({str(host.home): "<home>", str(path.parent): "<scenario>"})
        seen["turns"] = _without_hosts([comparable_turn(normaliser, one) for one in turns])
        try:
            shown = {key: value for key, value in observe_host(host).items() if key != "log"}
            seen["host"] = normaliser.event({"value": {**shown, "definitions": host.definitions()}, "thread": ""})
        except HermesSdkError as error:
            seen["host"] = {"raised": _portable(str(error))}
            if isinstance(error, NotSupported):
                seen["refused"] = str(error)

    trace = play_in_process(read_scenario(path), kind, release, observe=observe)
    # The events of a real host were passed as JSON, which joins surrogate pairs.
    events = json.loads(json.dumps(trace.events))
    events = [{**one, "raised": _portable(one["raised"])} if "raised" in one else one for one in events]
    trace = replace(trace, events=tuple(name_sentences(events, release)))
    refusals = [problem for problem in trace.problems if REFUSAL in problem]
    refusals += [seen.pop("refused")] if "refused" in seen else []
    seen["problems"] = [_portable(problem) for problem in trace.problems if REFUSAL not in problem]
    ended = any(_ENDED in problem for problem in trace.problems)
    # If a plugin ended the process of a real host, its state is unknown.
    seen["host"] = None if ended else _without_hosts(seen.get("host"))
    if not ended:
        seen["sent"], seen["sections"] = _list_sent(trace), _list_sections(trace)
    return Played(seen, trace, tuple(refusals))


def _list_sent(trace: Trace) -> dict[str, list[Any]]:
    """Return the sent messages of each chat, in order."""
    sent: dict[str, list[Any]] = {}
    for event in trace.events:
        given = event.get("arguments")
        if event["kind"] == "adapter" and not is_typing(event) and isinstance(given, dict) and "chat_id" in given:
            sent.setdefault(str(given["chat_id"]), []).append([event["name"], given.get("content")])
    return sent


def _list_sections(trace: Trace) -> list[str]:
    """Return the plugins' sections of the system prompt of each request, without the host's own text."""
    requests = [
        one["arguments"]["messages"] for one in trace.events if (one["kind"], one["name"]) == ("llm_request", "main")
    ]
    prompts = [str(messages[0].get("content")) if messages else "" for messages in requests]
    return ["\n".join(_SECTIONS.findall(prompt)) for prompt in prompts]


def _call(example: Example, kind: HostKind, release: str, folder: Path) -> Played:
    """Call methods of a host, and return their results or exceptions, and the state of the host."""
    refusals: list[str] = []
    done: list[Any] = []

    def act(host: Host) -> Any:
        for call in example.content["calls"]:
            done.append(_do(host, *call))
            if _ENDED in str(done[-1]):
                raise HermesSdkError(_ENDED)
        refusals.extend([*map(str, host.unsupported), *(one for one in done if REFUSAL in str(one))])
        return done

    files = {f"plugins/p/{name}": text for name, text in example.plugins[0].files.items()}
    case = Case("fuzz", "calls", files, example.content["config"], ACCEPTED, act)
    try:
        seen = run(case, kind, release, folder)
    except HermesSdkError:
        if done and _ENDED in str(done[-1]):
            return Played({"answer": done})
        raise
    seen.pop("log", None)
    return Played(_without_hosts(seen), refusals=tuple(map(str, refusals)))


def _do(host: Host, name: str, *given: Any) -> Any:
    try:
        done = getattr(host, name)(*given)
    except HermesSdkError as error:
        return {"raised": _portable(str(error))}
    value = getattr(done, "value", vars(done) if hasattr(done, "__dict__") else done)
    return {"returned": json.loads(json.dumps(value, default=lambda one: {"__repr__": repr(one)}))}


def _show(path: Path, kind: HostKind, release: str) -> Played:
    report: dict[str, Any] = {**show(path, host=kind, release=release)}
    refused = (str(report["error"]),) if report["status"] == "unsupported" else ()
    return Played(_without_hosts(report), refusals=refused)


def _without_hosts(value: Any) -> Any:
    """Remove the kind of the host, and values that differ between runs."""
    if isinstance(value, dict):
        kept = {key: _without_hosts(one) for key, one in value.items() if key not in ("host", "release")}
        if isinstance(told := kept.get("swallowed"), list):
            # The real host's exceptions come from its log, which lacks those that cannot be formatted.
            kept["swallowed"] = [one for one in told if one[-1] != "Unprintable: "]
        return kept
    if isinstance(value, list):
        return [_without_hosts(one) for one in value]
    return _portable(value) if isinstance(value, str) else value


def _portable(text: str) -> str:
    """Remove directories, addresses, and details that the real host adds to errors: modules, tracebacks and lines."""
    # The requests are compared separately.
    text = re.sub(r"(\nThe last of \d+ requests|, which) ended with\n.*", "", text, flags=re.DOTALL)
    text = re.sub(r"\nTraceback \(most recent call last\):\n.*", "", text, flags=re.DOTALL)
    # On the real host, the messages of the gateway come from several requests.
    text = re.sub(rf"^the gateway's \w+(?= {_ENDED})", "the gateway", text)
    text = re.sub(r"(no platform is connected\.) The gateway logged:.*", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"(the host failed with )(?:[\w<>]+\.)*(\w+)(?:: ?$)?", r"\1\2", text)
    text = _HOST_LINES.sub("", text)
    # The options of `hermes` itself are not modelled, and argparse prints them together with the names of commands.
    text = re.sub(r"^usage: hermes \[-h\].*?(?=^hermes: error: )", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"/tmp/(hermes-sdk-[\w-]+|pytest[\w/-]+)", "<tmp>", text)
    return re.sub(r"\bat 0x[0-9a-f]+", "at <address>", text)
