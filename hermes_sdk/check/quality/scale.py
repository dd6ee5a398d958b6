"""Rules of the quality scale; each is a function that returns what is missing from a project."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from hermes_sdk.check.model import Finding, Result
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.documents import read_text
from hermes_sdk.manifest import locate_all

_MAX_FILES = 500
_CI = ("*.yml", "*.yaml")


class Project:
    """Project with its plugins; a workspace has several."""

    def __init__(self, path: Path, result: Result) -> None:
        base = path if path.is_dir() else path.parent
        located = locate_all(path)
        self.plugins = [Plugin(one, base) for one in located]
        shared = len(located) > 1 or (base / "pyproject.toml").is_file()
        self.root = base.absolute() if shared else self.plugins[0].located.project
        self.result = result

    def read(self, name: str) -> str:
        """Return the text of a file of the project; empty if it cannot be read."""
        try:
            return read_text(self.root / name, root=self.root)
        except (OSError, ValueError):
            return ""

    @cached_property
    def readme(self) -> str:
        """The text of the README."""
        return self.read("README.md") or self.read("README.rst") or self.read("README")

    @cached_property
    def tests(self) -> str:
        """The text of all test modules."""
        found = sorted(file for file in self.root.rglob("test_*.py") if not _is_hidden(file, self.root))
        return "\n".join(self.read(str(file.relative_to(self.root))) for file in found[:_MAX_FILES])

    @cached_property
    def ci(self) -> str:
        """The text of the CI workflows, the Makefile and similar files."""
        workflows = self.root / ".github" / "workflows"
        files = sorted(file for pattern in _CI for file in workflows.glob(pattern))
        named = [
            self.root / name for name in (".gitlab-ci.yml", ".woodpecker.yml", "Makefile", "noxfile.py", "tox.ini")
        ]
        return "\n".join(self.read(str(file.relative_to(self.root))) for file in [*files, *named])

    @property
    def is_registering(self) -> bool:
        """True if a plugin of the project has ``register(ctx)``."""
        return any(one.located.manifest or one.located.entry_point for one in self.plugins)

    def find(self, codes: Collection[str]) -> list[Finding]:
        """Return the findings of some rules."""
        return [one for one in self.result.findings if one.code in codes]

    def runs_in_ci(self, pattern: str) -> bool:
        """Return whether a regular expression matches a command in a CI workflow."""
        return re.search(pattern, self.ci) is not None


def _is_hidden(file: Path, root: Path) -> bool:
    parts = file.relative_to(root).parts
    return any(part.startswith(".") or part in ("node_modules", "venv", "build", "dist") for part in parts)


Tier = Literal["bronze", "silver", "gold", "platinum"]

TIERS: tuple[Tier, ...] = get_args(Tier)
"""From the lowest to the highest."""

_MANIFEST_FIELDS = ("name", "version", "description")
_BLOCKING = ("HS202", "HS312", "HS409")
_SWALLOWED = ("HS213", "HS315")
_SUITE = re.compile(r"from hermes_sdk\.testing[\w.]* import [^\n]*\w+Contract\b|class \w+\(\w+Contract\)")


class QualityRule(NamedTuple):
    """Rule of the quality scale.

    Attributes:
        id: Its name in ``quality.yaml``.
        missing: Returns the unmet requirement of a project; empty if the project meets the rule.
        required: Whether projects cannot be exempt.
        proof: The command that proves a requirement of which the rule reads only signs in the project's files; empty if
            the files are sufficient.
    """

    id: str
    tier: Tier
    title: str
    how: str
    missing: Callable[[Project], str]
    required: bool = False
    proof: str = ""


RULES: list[QualityRule] = []
"""All rules, from bronze to platinum."""


def _rule(
    tier: Tier, *, required: bool = False, proof: str = ""
) -> Callable[[Callable[[Project], str]], Callable[[Project], str]]:
    """Register a function as a rule: its name is the id, and its docstring has the title and the instructions."""

    def add(missing: Callable[[Project], str]) -> Callable[[Project], str]:
        title, how = (" ".join(part.split()) for part in (missing.__doc__ or "").split("\n\n"))
        RULES.append(QualityRule(missing.__name__.replace("_", "-"), tier, title, how, missing, required, proof))
        return missing

    return add


@_rule("bronze", required=True)
def check_passes(project: Project) -> str:
    """`hermes-sdk check` finds no error.

    Run `hermes-sdk check`, and fix what it finds.
    """
    count = project.result.number("error")
    return f"{count} error{'s' if count != 1 else ''}" if count else ""


@_rule("bronze", required=True)
def manifest_complete(project: Project) -> str:
    """The manifest has a name, a version and a description.

    Add the fields to plugin.yaml or plugin.json. Hooks and core tools have no manifest.
    """
    for plugin in project.plugins:
        parsed = plugin.manifest or plugin.portable
        fields: Any = parsed.value if parsed else None
        absent = [name for name in _MANIFEST_FIELDS if isinstance(fields, dict) and not fields.get(name)]
        if parsed and absent:
            return f"{plugin.relative(parsed.path)} has no {' and no '.join(absent)}"
    return ""


@_rule("bronze")
def readme_installation(project: Project) -> str:
    """The README says how to install the plugin.

    Add a section "Install" to README.md.
    """
    found = re.search(r"(?im)^(#+ .*instal|.*\n[=-]+$.*instal)", project.readme)
    return "" if found else "README.md has no section about installation"


@_rule("bronze")
def license_file(project: Project) -> str:
    """The project has a license.

    Add a file LICENSE.
    """
    names = ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING")
    return "" if any(map(project.read, names)) else "there is no LICENSE"


@_rule("bronze", proof="pytest")
def tests_present(project: Project) -> str:
    """The plugin has tests.

    Write tests in `tests/test_….py`; `hermes-sdk add` writes one with each feature.
    """
    return "" if re.search(r"def test_|Contract\)", project.tests) else "there are no tests"


@_rule("silver")
def check_strict(project: Project) -> str:
    """`hermes-sdk check --strict` finds nothing, in every release that the project supports.

    Run `hermes-sdk check --strict`, and fix what it finds.
    """
    count = project.result.number("warning") + project.result.number("error")
    if count:
        return f"{count} finding{'s' if count != 1 else ''}"
    skipped = project.result.not_run
    codes = sorted({one.code for one in skipped})
    return f"{', '.join(codes)} could not run: {skipped[0].reason}" if skipped else ""


@_rule("silver", proof="pytest")
def contract_suite(project: Project) -> str:
    """The tests include the contract suite of the plugin's kind.

    Write a class `TestPlugin(PluginContract)`, or of another suite of `hermes_sdk.testing`. Only plugins with
    `register(ctx)` have suites.
    """
    needed = project.is_registering and not _SUITE.search(project.tests)
    return "no test class uses a contract suite" if needed else ""


@_rule("silver")
def no_blocking_hook(project: Project) -> str:
    """No hook or import blocks a turn.

    Fix the findings of the rules HS202, HS312 and HS409.
    """
    return _format(project, _BLOCKING)


@_rule("silver")
def no_swallowed_exception(project: Project) -> str:
    """The plugin handles its own exceptions; the host would swallow them.

    Fix the findings of the rules HS213 and HS315.
    """
    return _format(project, _SWALLOWED)


@_rule("silver")
def settings_documented(project: Project) -> str:
    """The README names every setting and every variable of the manifest.

    Describe each key of `config_schema` and each variable of `requires_env` and `optional_env` in README.md.
    """
    named = [name for plugin in project.plugins for name in _list_settings(plugin.fields)]
    absent = sorted({name for name in named if name not in project.readme})
    return f"README.md does not name {', '.join(absent)}" if absent else ""


@_rule("silver", proof="pytest")
def tests_in_ci(project: Project) -> str:
    """Continuous integration runs the tests and the check.

    Run `hermes-sdk verify`, or `pytest` and `hermes-sdk check`, in a workflow; the workflow of a template does.
    """
    if project.runs_in_ci(r"\bhermes-sdk verify\b"):
        return ""
    absent = [name for name in ("pytest", "hermes-sdk check") if not project.runs_in_ci(rf"\b{name}\b")]
    return f"no workflow runs {' or '.join(absent)}" if absent else ""


@_rule("gold", proof="mypy")
def strict_types(project: Project) -> str:
    """A type checker runs in strict mode.

    Set `strict = true` under `[tool.mypy]`, or `typeCheckingMode = "strict"` under `[tool.pyright]`, in pyproject.toml.
    """
    settings = project.read("pyproject.toml") + project.read("mypy.ini") + project.read("pyrightconfig.json")
    table = r"^\[(tool\.)?mypy\]((?!^\[).)*?^strict ?= ?[tT]rue"
    found = re.search(rf"(?ms){table}|typeCheckingMode\"? ?[=:] ?\"strict\"", settings)
    return "" if found else "neither mypy nor pyright is strict"


@_rule("gold", proof="hermes-sdk compat --real all")
def tested_on_both_hosts(project: Project) -> str:
    """The tests run on the embedded and on the real host.

    Run `hermes-sdk compat --real all` or `pytest --hermes-host real` in a workflow.
    """
    found = project.runs_in_ci(r"hermes-sdk compat\b[^\n]*--(real|only)\b|--hermes-host[ =]real\b")
    return "" if found else "no workflow runs the tests on the real host"


@_rule("gold")
def floor_declared(project: Project) -> str:
    """The oldest supported release is declared, and the check finds no error there.

    Set `requires_hermes`, or `target` under `[tool.hermes-sdk.check]`; `hermes-sdk compat --write-floor` finds it.
    """
    for plugin in project.plugins:
        check: Any = plugin.pyproject.get("tool", {}).get("hermes-sdk", {}).get("check", {})
        shared = re.search(r"(?m)^target ?= ?\".*[>=]", project.read("pyproject.toml"))
        if not (plugin.fields.get("requires_hermes") or check.get("target") or shared):
            return f"{plugin.entry}: neither requires_hermes nor target names a release"
    return check_passes(project)


@_rule("platinum", proof="hermes-sdk compat")
def compat_in_ci(project: Project) -> str:
    """Continuous integration tests every supported release.

    Run `hermes-sdk compat` in a workflow.
    """
    return "" if project.runs_in_ci(r"hermes-sdk compat\b(?! --from)") else "no workflow runs hermes-sdk compat"


@_rule("platinum", proof="pytest")
def surfaces_tested(project: Project) -> str:
    """A test also runs the plugin in a gateway.

    Use the fixture `hermes_gateway`, or `hermes.on("gateway")`, in a test.
    """
    found = re.search(r"hermes_gateway\b|\.on\((surface|.gateway)", project.tests)
    return "" if found else "no test uses a gateway"


@_rule("platinum", proof="hermes-sdk replay")
def replayed_conversation(project: Project) -> str:
    """A recorded conversation is replayed.

    Run `hermes-sdk trace --compare` on a scenario, or `hermes-sdk replay` on a recording, in a workflow or a test.
    """
    found = re.search(r"hermes-sdk (replay|trace)\b|\breplay\(", f"{project.ci}\n{project.tests}")
    return "" if found else "no workflow and no test replays a conversation"


def _format(project: Project, codes: tuple[str, ...]) -> str:
    return ", ".join(f"{one.code} at {one.path}:{one.line}" for one in project.find(codes))


def _list_settings(fields: dict[Any, Any]) -> list[str]:
    """List the names of a manifest's settings and variables."""
    schema = fields.get("config_schema")
    names: list[Any] = [*schema] if isinstance(schema, dict) else []
    for key in ("requires_env", "optional_env"):
        listed = fields.get(key)
        for one in listed if isinstance(listed, list) else []:
            names.append(one.get("name") if isinstance(one, dict) else one)
    return [name for name in names if isinstance(name, str)]
