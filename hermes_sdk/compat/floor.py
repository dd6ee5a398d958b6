"""Tested range of releases, and its entry in the manifest."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml

from hermes_sdk.compat.outcomes import Matrix, Outcome
from hermes_sdk.contract.ordering import Supported, raise_floor
from hermes_sdk.documents import read_text
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.files import keep_line_ends, write_files
from hermes_sdk.home.edit import set_value
from hermes_sdk.manifest import Located, parse_text

_KEY = "requires_hermes"


class Written(NamedTuple):
    """Result of writing the range to the manifest.

    Attributes:
        path: The manifest.
        before: The old range; None if there was none.
        after: The new range.
        reason: Why the plugin needs the oldest release of the range; empty if there is no older one.
    """

    path: Path
    before: str | None
    after: str
    reason: str


def write_floor(plugin: Located, matrix: Matrix) -> Written:
    """Write the tested range into the manifest, preserving comments, order and all other fields.

    Args:
        matrix: The outcomes of its cells.

    Raises:
        UsageError: The plugin has no manifest, or one in which this field cannot be changed alone.
        HermesSdkError: The plugin passes on no release.
        UnavailableError: The manifest cannot be written.
    """
    if plugin.manifest is None:
        raise UsageError(
            f"{matrix.plugin} has no plugin.yaml to write {_KEY} to.", fix="Create one, or drop --write-floor."
        )
    wanted = true_range(matrix)
    if wanted is None:
        raise HermesSdkError(
            f"{matrix.plugin} does not pass on any release, so there is no range to write.", fix="Nothing was changed."
        )
    if wanted != matrix.requires:
        _write_range(plugin.manifest, plugin.project, wanted)
    return Written(plugin.manifest, matrix.requires, wanted, _explain_floor(matrix))


def true_range(matrix: Matrix) -> str | None:
    """Return the range for the manifest: from the oldest release that passes up to the first newer one that fails.

    The author's upper bounds and exclusions are preserved.
    """
    if matrix.floor is None:
        return None
    wanted = raise_floor(matrix.requires or "", matrix.floor)
    later = list(matrix.judged.items())[[*matrix.judged].index(matrix.floor) :]
    breaks = next((release for release, works in later if not works), None)
    if breaks and Supported.parse(wanted).admits(breaks):
        wanted += f", <{breaks}"
    return wanted


def _explain_floor(matrix: Matrix) -> str:
    """Return the problem in the newest release before the floor."""
    releases = [*matrix.judged]
    before = releases[: releases.index(matrix.floor)] if matrix.floor else []
    if before and before[-1] in matrix.not_run:
        lacking = matrix.not_run[before[-1]]
        return f"{before[-1]} lacks {', '.join(lacking)}" if lacking else f"{before[-1]} was not run: add --real all"
    found = (one for one in matrix.outcomes if before and one.cell.release == before[-1] and one.verdict != "passes")
    return next((f"{before[-1]} {describe_failure(one)}" for one in found), "")


def describe_failure(outcome: Outcome) -> str:
    """Return the problem in a cell as a predicate of its release; empty if there is none."""
    if outcome.missing_apis:
        return f"lacks {', '.join(outcome.missing_apis)}"
    if outcome.error:
        return f"reports: {outcome.error}"
    if outcome.tests and outcome.tests.failed:
        return f"fails {outcome.tests.failed} of the plugin's tests"
    return ""


def _write_range(manifest: Path, root: Path, wanted: str) -> None:
    text = read_text(manifest, root=root, encoding="utf-8-sig")
    new, is_exact = text, False
    try:
        new = set_value(text, [_KEY], wanted)
        is_exact = parse_text(new, manifest).value == {**parse_text(text, manifest).value, _KEY: wanted}
    except (yaml.YAMLError, ValueError, TypeError):
        pass
    if not is_exact:
        raise UsageError(
            f"{_KEY} cannot be written to this manifest.",
            where=str(manifest),
            fix=f"Add `{_KEY}: '{wanted}'` by hand.",
        )
    write_files({manifest: keep_line_ends(text, new).encode()}, root=root)
