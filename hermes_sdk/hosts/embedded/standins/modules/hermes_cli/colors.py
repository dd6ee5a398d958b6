"""Stands in for ``hermes_cli.colors``: colours on a terminal."""

# Tests replace the standard output that Hermes checks through `hermes_cli.colors.sys`.
import sys  # noqa: F401 # pyright: ignore[reportUnusedImport]

from hermes_sdk.hosts.embedded.helpers.terminal import Colors, color, should_use_color

__all__ = ["Colors", "color", "should_use_color"]
