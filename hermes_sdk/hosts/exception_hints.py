"""Suggests how to repair the exception with which code of a plugin ended, as far as its traceback tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.contract import Contract
from hermes_sdk.contract.suggestions import suggest, suggest_member

_FRAME = r'(?m)^  File "(.+?)", line \d+, in (.+)$'
_EXCEPTION = r"(?m)^(?:\w+\.)*(\w+)(?:: (.*))?$"
_LIBRARY = re.compile(r"<frozen |.*/importlib/__init__\.py$").match


class _Traceback(NamedTuple):
    """The last exception of a traceback; `files` and `functions` are those of its frames, the innermost last."""

    kind: str
    message: str
    files: list[str]
    functions: list[str]
    contract: Contract


def suggest_fix(traceback: str, contract: Contract) -> str:
    """Describe how to repair an exception.

    Args:
        traceback: The exception as Python prints it; modules are looked for beside the files that it names.
        contract: What the release promises on which it was raised.

    Returns:
        One or two sentences, or an empty text when nothing better is known than the exception itself.
    """
    last = traceback.rpartition("Traceback (most recent call last):\n")[2]
    frames = re.findall(_FRAME, last)
    raised = re.search(_EXCEPTION, last)
    suggest = _SUGGESTIONS.get(raised[1]) if raised else None
    if raised is None or suggest is None:
        return ""
    files, functions = [file for file, _ in frames], [function for _, function in frames]
    return suggest(_Traceback(raised[1], raised[2] or "", files, functions, contract))


def _suggest_for_key(found: _Traceback) -> str:
    key = found.message
    if found.functions and found.functions[-1] == "__getitem__" and re.search(r"\bos(\.py)?>?$", found.files[-1]):
        return f"Set {key} in the environment, declare it in requires_env, and read it with os.environ.get({key})."
    return f"Provide the key {key}, or read it with .get({key}) and handle None."


def _suggest_for_module(found: _Traceback) -> str:
    match = re.match(r"No module named '([^']+)'", found.message)
    if match is None:
        return ""
    inside = re.match(r"hermes_plugins\.[^.]+\.(.+)", match[1])
    if inside:
        return f"Correct the import: the plugin has no module {inside[1]}."
    top = match[1].partition(".")[0]
    own = _find_own_module(top, [Path(file) for file in found.files if not _LIBRARY(file)])
    if own:
        return f"Write `from {own} import {top}`: the plugin's directory is not on the path."
    if top in found.contract.host_packages:
        return f"Hermes {found.contract.release} does not have this module: guard the import, or raise requires_hermes."
    return f"Install {top}, and add it to the dependencies in pyproject.toml; or guard the import."


def _find_own_module(name: str, files: list[Path]) -> str | None:
    """Find a module in the package of the importing file and those around it: the dots of its relative import."""
    directory = files[-1].parent if files else Path()
    dots = "."
    while (directory / "__init__.py").is_file():
        if (directory / f"{name}.py").is_file() or (directory / name / "__init__.py").is_file():
            return dots
        directory, dots = directory.parent, f"{dots}."
    return None


def _suggest_for_name(found: _Traceback) -> str:
    match = re.match(r"cannot import name '(.+?)' from '(.+?)'", found.message)
    return f"Define {match[1]} in {match[2].rpartition('.')[2]}, or correct the name." if match else ""


def _suggest_for_call(found: _Traceback) -> str:
    if re.match(r"register\(\) takes ", found.message):
        return "Write `def register(ctx):`."
    match = re.match(r"PluginContext\.(\w+)\(\) (got an unexpected|missing|takes)(?:.*? '(\w+)')?", found.message)
    member = found.contract.context.get(match[1]) if match else None
    if match is None or member is None:
        return ""
    if match[2] == "got an unexpected":
        return _suggest_for_keyword(member.name, match[3], found.contract)
    return f"Correct the call: ctx.{member.name} takes {', '.join(one.name for one in member.parameters)}."


def _suggest_for_keyword(call: str, keyword: str, contract: Contract) -> str:
    def names_of(other: Contract) -> Collection[str]:
        return [one.name for one in other.context[call].parameters] if call in other.context else []

    told = suggest(keyword, contract, names_of) or f"; it takes {', '.join(names_of(contract))}"
    return _end(f"ctx.{call} of Hermes {contract.release} has no {keyword}={told}")


def _suggest_for_attribute(found: _Traceback) -> str:
    match = re.match(r"'PluginContext' object has no attribute '(\w+)'", found.message)
    if match:
        told = suggest_member(match[1], found.contract) or "; check with `hasattr(ctx, …)` first"
        return _end(f"Hermes {found.contract.release} has no ctx.{match[1]}{told}")
    if "register_skill" in found.functions and found.message.endswith("has no attribute 'exists'"):
        return "Pass the path as a pathlib.Path, such as `Path(__file__).parent / 'skills' / 'notes' / 'SKILL.md'`."
    return ""


def _end(sentence: str) -> str:
    return sentence if sentence.endswith("?") else f"{sentence}."


def _suggest_for_file(found: _Traceback) -> str:
    if not re.search(r": '[^/~]", found.message):
        return ""
    return "Build the path from `Path(__file__).parent`: the working directory is the host's."


_SUGGESTIONS: Mapping[str, Callable[[_Traceback], str]] = {
    "KeyError": _suggest_for_key,
    "ModuleNotFoundError": _suggest_for_module,
    "ImportError": _suggest_for_name,
    "TypeError": _suggest_for_call,
    "AttributeError": _suggest_for_attribute,
    "FileNotFoundError": _suggest_for_file,
}
