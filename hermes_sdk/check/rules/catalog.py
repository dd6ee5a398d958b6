"""HS68x, HS69x: admission rules of the public catalog of plugins, only with ``--profile catalog``.

The catalog has sixteen admission rules (documentation of Hermes Agent, "catalog submission"). Those that the check can
decide are rules with `catalog`, here or in another family. Those that need a person, or a release of the host that is
not out, are questions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Problem, Rule, Rules, example
from hermes_sdk.errors import UnavailableError, UsageError

if TYPE_CHECKING:
    from packaging.requirements import Requirement

RULES = Rules()
rule = RULES.rule

QUARANTINE = timedelta(days=14)
REQUIRED = ("name", "version", "description")

_TIME_LIMIT = 120


@rule(
    "HS690",
    severity="warning",
    catalog=(14,),
    profile="catalog",
    bad=example(manifest="name: example\nkind: standalone\n"),
    good=example(),
)
def fields_for_the_catalog(plugin: Plugin) -> Iterator[Problem]:
    """manifest lacks fields that the catalog shows

    The catalog's own check rejects the entry.

    Fix: Add the field to plugin.yaml.
    """
    manifest = plugin.manifest or plugin.portable
    if manifest is None:
        yield Problem("the plugin has no plugin.yaml", plugin.entry, fix="Create one next to the module.")
        return
    for field in REQUIRED:
        value = manifest.value.get(field) if isinstance(manifest.value, dict) else None
        if value is None or not str(value).strip():
            path = plugin.relative(manifest.path)
            yield Problem(f"the manifest has no {field}", path, *manifest.position(field))


@rule(
    "HS691",
    severity="warning",
    online=True,
    catalog=(10,),
    profile="catalog",
    bad=example(
        files={"pyproject.toml": '[project]\nname = "example"\nversion = "1"\ndependencies = ["idna>=2000000"]\n'}
    ),
    good=example(),
)
def dependencies_in_quarantine(plugin: Plugin) -> Iterator[Problem]:
    """dependencies need a release that is too new

    The catalog and its hosts ignore releases of the last 14 days, so the dependencies cannot be installed there.

    Fix: Lower the bounds to older releases, or wait.
    """
    from hermes_sdk.requirements import parse_requirements

    try:
        wanted = parse_requirements(list_dependencies(plugin), plugin.pyproject_file.name)
    except UsageError as error:
        raise UnavailableError(error.message) from None
    problem = _resolve(wanted) if wanted else ""
    if problem:
        path = plugin.relative(plugin.pyproject_file if plugin.pyproject else plugin.located.directory)
        yield Problem(f"the dependencies cannot be resolved as of 14 days ago: {problem}", path)


def list_dependencies(plugin: Plugin) -> list[str]:
    """List the Python dependencies in the project, else those in the manifest."""
    project = plugin.pyproject.get("project")
    found: Any = project.get("dependencies") if isinstance(project, dict) else plugin.fields.get("python_dependencies")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _resolve(requirements: Sequence[Requirement]) -> str:
    """Resolve requirements without releases in quarantine, and only from wheels, which run no code.

    Returns:
        The reason why there is no solution; empty if there is one.

    Raises:
        UnavailableError: uv is not installed, or there is no network.
    """
    import subprocess

    from hermes_sdk.installer import find_uv, isolated_environment

    uv = find_uv()
    if uv is None:
        raise UnavailableError("`uv`, which resolves dependencies as of a date, is not installed.")
    until = (datetime.now(UTC) - QUARANTINE).date().isoformat()
    # Without --python, uv would run the interpreter of a `.venv` in the plugin.
    command = [uv, "pip", "compile", "--no-config", "--quiet", "--only-binary", ":all:", "--python", sys.executable]
    try:
        with isolated_environment() as (environment, scratch):
            done = subprocess.run(
                [*command, "--exclude-newer", until, "-"],
                input="\n".join(map(str, requirements)),
                env=environment,
                cwd=scratch,
                capture_output=True,
                text=True,
                timeout=_TIME_LIMIT,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"the package index did not answer within {_TIME_LIMIT} s.") from None
    if done.returncode and "No solution found" not in done.stderr:
        raise UnavailableError(f"uv failed: {done.stderr.strip()[-300:]}")
    return " ".join(done.stderr.replace("╰─▶", " ").split()) if done.returncode else ""


_QUESTIONS = (
    (
        "HS681",
        2,
        "entry is pinned to a commit",
        "The catalog rejects entries that name a branch, a tag or a short hash.",
        "The entry names the repository by https and the commit by all 40 digits of its hash.",
    ),
    (
        "HS682",
        4,
        "updates are new pull requests",
        "The catalog withdraws entries that change after review.",
        "A new commit of the plugin is submitted as a new pull request.",
    ),
    (
        "HS683",
        5,
        "submitted by its owner",
        "The catalog closes entries of other people's plugins, unless its maintainers collect them.",
        "The submitter owns the repository, or is one of its major contributors.",
    ),
    (
        "HS684",
        7,
        "install scanner passes",
        "The catalog rejects entries that the scanner calls dangerous.",
        "`hermes-sdk check --upstream` reports no finding of the scanner that is an error.",
    ),
    (
        "HS685",
        8,
        "desktop code stays within its interface",
        "The catalog rejects JavaScript that patches the application or evaluates code to access its internals.",
        "The plugin has no desktop surface, or it uses the desktop SDK only.",
    ),
    (
        "HS686",
        12,
        "runs unattended",
        "A call that waits for a person blocks every scheduled run and every chat.",
        "No tool, hook or command waits for input or bypasses an approval.",
    ),
    (
        "HS687",
        13,
        "risks are disclosed",
        "The catalog may reject plugins with risks that the README omits.",
        "The README says which hosts, programs, files and variables are used; telemetry is off until the user asks.",
    ),
    (
        "HS688",
        15,
        "neither a skin nor a fork of a bundled plugin",
        "The catalog rejects such entries.",
        "The plugin does something that no bundled plugin does.",
    ),
    (
        "HS689",
        16,
        "one listing for a lineage",
        "The catalog rejects a second entry for the same work, and provider names that do not belong to the submitter.",
        "No other entry is the same plugin under another name.",
    ),
)
"""Code, number in the catalog, title, what happens to an entry that does not comply, and what to confirm."""

RULES.extend(
    Rule(
        code=code,
        name="question",
        title=title,
        why=why,
        fix="Confirm this before you submit the entry.",
        severity="info",
        bad=example(),
        good=example(),
        subject="person",
        catalog=(number,),
        profile="catalog",
        question=question,
    )
    for code, number, title, why, question in _QUESTIONS
)
