"""Choice between the forms of a plugin, for commands that use one form."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.inspection.parent import inspect_plugin
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.manifest import Form, Located


def find_working_form(path: Path, form: Form | None, plugin: str, release: str) -> tuple[Located, str]:
    """Return the first form of a plugin that loads, or the first form if none loads.

    The embedded host loads them, with the newest proven release if it does not model the requested release. A plugin
    that has only one form is not loaded.

    Args:
        path: See `manifest.locate`.
        form: See `manifest.locate`.
        plugin: See `manifest.locate`.

    Returns:
        The form, and a sentence that says why it is not the first form, or an empty string.

    Raises:
        UsageError: There is no plugin, or more than one.
    """
    first, *others = manifest.locate_forms(path, form, plugin).forms
    if not others:
        return first, ""
    modelled = release if contract.is_modelled(release) else contract.DEFAULT
    error = _explain_failure(path, first.form, plugin, modelled)
    if error:
        for one in others:
            if not _explain_failure(path, one.form, plugin, modelled):
                return one, f"{one.name} runs as a {one.form}; as a {first.form} it does not load: {error}"
    return first, ""


@lru_cache
def _explain_failure(path: Path, form: Form, plugin: str, release: str) -> str:
    """Return why a form of a plugin does not load on the embedded host; empty if it loads or is not supported."""
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
