"""Wheels of projects whose plugin is not in the source tree."""

from __future__ import annotations

from pathlib import Path

import click

from hermes_sdk.manifest import MissingModuleError, find_plugins


def build_wheel(missing: MissingModuleError, *, online: bool = False, full_isolation: bool = False) -> Path:
    """Build the wheel of a project, and return the directory of its contents, which exists until the command ends.

    Args:
        missing: The error for the source tree, raised again if the wheel does not contain a plugin either.
        online: Whether the build backend may be fetched.
        full_isolation: Whether to refuse to build if a layer of the isolation is missing.
    """
    from hermes_sdk.check.wheel import unpacked_wheel

    if not (missing.root / "pyproject.toml").is_file():
        raise missing
    unpacked = unpacked_wheel(missing.root, online=online, full_isolation=full_isolation)
    folder: Path = click.get_current_context().with_resource(unpacked)
    try:
        find_plugins(folder)
    except MissingModuleError:
        raise missing from None
    click.echo("The plugin is not in the source tree; using the wheel that the project builds.", err=True)
    return folder
