"""Detection of mutants by `check` and the contract suites, and of the lines that their findings name."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mutants.operators import Mutant

from hermes_sdk import contract
from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.manifest import locate
from hermes_sdk.testing import MemoryProviderContract, PluginContract
from hermes_sdk.testing.suites.contract import Contract, Failures, message, run_rule_on_host
from hermes_sdk.testing.suites.rules.running import suite
from hermes_sdk.testing.suites.rules.time_limit import TIMED_OUT

TIME_LIMIT = 4.0
_PLACE = re.compile(r"([\w./-]+\.(?:py|yaml))(?:\", line |:)(\d+)")


class Found(NamedTuple):
    """A finding of `check` or a suite.

    Attributes:
        code: The code of the rule.
        text: The message and its locations.
    """

    code: str
    text: str


class Verdict(NamedTuple):
    """Findings about a mutant.

    Attributes:
        codes: The rules that found it, until the first rule that names the line; later rules did not run.
        has_line: Whether a rule names the line.
    """

    codes: list[str]
    has_line: bool


def find(kind: str, project: Path, mutant: Mutant) -> Verdict:
    """Run `check`, and then the suites, on a mutated project until a finding names the line of the mistake."""
    codes: list[str] = []
    for found in _look(kind, project):
        codes.append(found.code)
        if _names_line(found.text, locate(project).directory, mutant):
            return Verdict(codes, has_line=True)
    return Verdict(codes, has_line=False)


def _names_line(text: str, directory: Path, mutant: Mutant) -> bool:
    """Return whether a text names the line of a mistake.

    This is a line of the function with the mistake, a line that uses the changed name, or, if a registration or a key
    of the manifest was dropped, any line of the manifest, which declares the missing part.
    """
    for file, number in _PLACE.findall(text):
        name, line = Path(file).name, int(number)
        if name == mutant.file and mutant.around[0] <= line <= mutant.around[1]:
            return True
        if name == "plugin.yaml" and mutant.operator in ("drop-key", "drop-registration"):
            return True
        source = directory / name
        lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
        is_used = line <= len(lines) and mutant.detail in lines[line - 1]
        if is_used and (name == mutant.file or mutant.operator == "rename-function"):
            return True
    return False


def _look(kind: str, project: Path) -> Iterator[Found]:
    for one in check(project, Options(strict=True, profile="catalog")).findings:
        yield Found(one.code, f"{one.path}:{one.line}: {one.message}")
    for cls in _list_suites(kind, project):
        failures = Failures()
        for rule in suite(cls.suite).RULES:
            result = run_rule_on_host(cls, rule, project.parent, "embedded", contract.DEFAULT, failures)
            # A timeout while no plugin code is running is caused by a busy machine instead of the mutant.
            is_slow = result["message"].startswith(TIMED_OUT) and not result.get("place")
            if is_slow:
                continue
            if result["outcome"] in ("broken", "blocked"):
                yield Found(result["code"] or rule.code, message(rule, result))
            if result["outcome"] == "blocked":
                failures.steps[result["code"]] = result["message"]


def _list_suites(kind: str, project: Path) -> list[type[Contract]]:
    values = {"plugin": project.name, "time_limit": TIME_LIMIT}
    if kind == "memory-provider":
        return [type("Suite", (MemoryProviderContract,), values)]
    plugin = type("Suite", (PluginContract,), values)
    return [type("Suite", (_import_suite(project),), values), plugin] if kind == "platform" else [plugin]


def _import_suite(project: Path) -> Any:
    """Import the platform's suite, which the project's tests define together with its transport."""
    for name in ("tests", "tests.network", "tests.test_contract"):
        file = project / f"{name.replace('.', '/')}.py" if "." in name else project / "tests"
        if name == "tests":
            package = type(sys)(name)
            package.__path__ = [str(file)]
            sys.modules[name] = package
            continue
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules["tests.test_contract"].TestPlatformContract
