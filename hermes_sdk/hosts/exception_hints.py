"""Suggestions for fixing exceptions of plugin code, based on their tracebacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.contract import Contract
from hermes_sdk.contract.suggestions import suggest, suggest_member

_FRAME = r'(?m)^  File "(.+?)", line \d+, in (.+)$'
_EXCEPTION = r"(?m)^(?:\w+\.)*(\w+)(?:: (.*))?$"
_HOST = re.compile(r".*/(hermes_sdk/hosts/.+|hermes_cli/plugins\.py|tools/registry\.py)$").match
_LIBRARY = re.compile(r"<frozen |.*/importlib/__init__\.py$").match


class _Traceback(NamedTuple):
    """The last exception of a traceback, with the files and functions of its frames, innermost last."""

    kind: str
    message: str
    files: list[str]
    functions: list[str]
    contract: Contract


def suggest_fix(traceback: str, contract: Contract) -> str:
    """Describe how to fix an exception.

    Args:
        traceback: The formatted traceback; modules are searched for in the directories of its files.
        contract: The contract of the release that raised the exception.

    Returns:
        One or two sentences, or an empty string if no fix is known.
    """
    last = traceback.rpartition("Traceback (most recent call last):\n")[2]
    frames = re.findall(_FRAME, last)
    exception = re.search(_EXCEPTION, last)
    suggest = _SUGGESTIONS.get(exception[1]) if exception else None
    if exception is None or suggest is None:
        return ""
    files, functions = [file for file, _ in frames], [function for _, function in frames]
    return suggest(_Traceback(exception[1], exception[2] or "", files, functions, contract))


def _suggest_for_key(error: _Traceback) -> str:
    key = error.message
    if error.functions and error.functions[-1] == "__getitem__" and re.search(r"\bos(\.py)?>?$", error.files[-1]):
        return f"Set {key} in the environment, declare it in requires_env, and read it with os.environ.get({key})."
    return f"Provide the key {key}, or read it with .get({key}) and handle None."


def _suggest_for_module(error: _Traceback) -> str:
    match = re.match(r"No module named '([^']+)'", error.message)
    if match is None:
        return ""
    inside = re.match(r"hermes_plugins\.[^.]+\.(.+)", match[1])
    if inside:
        return f"Correct the import: the plugin has no module {inside[1]}."
    top = match[1].partition(".")[0]
    own = _find_own_module(top, [Path(file) for file in error.files if not _LIBRARY(file)])
    if own:
        return f"Write `from {own} import {top}`: the plugin's directory is not on the path."
    if top in error.contract.host_packages:
        return f"Hermes {error.contract.release} does not have this module: guard the import, or raise requires_hermes."
    return f"Install {top}, and add it to the dependencies in pyproject.toml; or guard the import."


def _find_own_module(name: str, files: list[Path]) -> str | None:
    """Find a module in the package of the importing file or its parents; return the dots of the relative import."""
    directory = files[-1].parent if files else Path()
    dots = "."
    while (directory / "__init__.py").is_file():
        if (directory / f"{name}.py").is_file() or (directory / name / "__init__.py").is_file():
            return dots
        directory, dots = directory.parent, f"{dots}."
    return None


def _suggest_for_name(error: _Traceback) -> str:
    match = re.match(r"cannot import name '(.+?)' from '(.+?)'", error.message)
    return f"Define {match[1]} in {match[2].rpartition('.')[2]}, or correct the name." if match else ""


def _suggest_for_call(error: _Traceback) -> str:
    if re.match(r"register\(\) takes ", error.message):
        return "Write `def register(ctx):`."
    match = re.match(r"PluginContext\.(\w+)\(\) (got an unexpected|missing|takes)(?:.*? '(\w+)')?", error.message)
    if match is None:
        return _suggest_for_callback(error)
    member = error.contract.context.get(match[1])
    if member is None:
        return ""
    if match[2] == "got an unexpected":
        return _suggest_for_keyword(member.name, match[3], error.contract)
    return f"Correct the call: ctx.{member.name} takes {', '.join(one.name for one in member.parameters)}."


def _suggest_for_callback(error: _Traceback) -> str:
    match = re.match(r"(\S+)\(\) got an unexpected keyword argument", error.message)
    if match is None or not any(map(_HOST, error.files[-1:])):
        return ""
    callback = match[1].rpartition(".")[2]
    return f"Add `**kwargs` to {callback}: Hermes passes more keyword arguments than it accepts (HS402)."


def _suggest_for_keyword(call: str, keyword: str, contract: Contract) -> str:
    def list_parameters(other: Contract) -> Collection[str]:
        return [one.name for one in other.context[call].parameters] if call in other.context else []

    hint = suggest(keyword, contract, list_parameters) or f"; it takes {', '.join(list_parameters(contract))}"
    return _add_period(f"ctx.{call} of Hermes {contract.release} has no {keyword}={hint}")


def _suggest_for_attribute(error: _Traceback) -> str:
    match = re.match(r"'PluginContext' object has no attribute '(\w+)'", error.message)
    if match:
        hint = suggest_member(match[1], error.contract) or "; check with `hasattr(ctx, …)` first"
        return _add_period(f"Hermes {error.contract.release} has no ctx.{match[1]}{hint}")
    if "register_skill" in error.functions and error.message.endswith("has no attribute 'exists'"):
        return "Pass the path as a pathlib.Path, such as `Path(__file__).parent / 'skills' / 'notes' / 'SKILL.md'`."
    return ""


def _add_period(sentence: str) -> str:
    return sentence if sentence.endswith("?") else f"{sentence}."


def _suggest_for_file(error: _Traceback) -> str:
    if not re.search(r": '[^/~]", error.message):
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
