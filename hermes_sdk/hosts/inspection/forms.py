"""Choice of the form of a plugin for a command that uses one form."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.inspection.parent import inspect_plugin
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.manifest import Form, Located


def find_working_form(path: Path, form: Form | None, plugin: str, release: str) -> tuple[Located, str]:
    """Return the first form of a plugin that loads, or the first one if none does.

    The embedded host loads them, of the newest proven release if it does not model the one that is asked for. A plugin
    with one form is not loaded.

    Args:
        path: As in `manifest.locate`.
        form: As in `manifest.locate`.
        plugin: As in `manifest.locate`.

    Returns:
        The form, and a sentence that says why it is not the first one, else an empty text.

    Raises:
        UsageError: There is no plugin, or more than one.
    """
    first, *others = manifest.locate_forms(path, form, plugin).forms
    if not others:
        return first, ""
    judge = release if contract.is_modelled(release) else contract.DEFAULT
    error = _explain_failure(path, first.form, plugin, judge)
    if error:
        for one in others:
            if not _explain_failure(path, one.form, plugin, judge):
                return one, f"{one.name} runs as a {one.form}; as a {first.form} it does not load: {error}"
    return first, ""


@lru_cache
def _explain_failure(path: Path, form: Form, plugin: str, release: str) -> str:
    """Return why one form of a plugin does not load on the embedded host; empty if it does, or that cannot tell."""
    try:
        inspection = inspect_plugin(path, release=release, form=form, plugin=plugin)
    except (NotSupported, UsageError):
        return ""
    except HermesSdkError as error:
        return error.message
    failure, report = inspection["failure"], inspection["report"]
    if report["status"] != "failed":
        return ""
    return failure["error"] if failure else str(report["error"])
