"""Stands in for ``hermes_cli.colors``: colours on a terminal."""

import sys  # noqa: F401 - tests replace the output that Hermes asks with `hermes_cli.colors.sys`

from hermes_sdk.hosts.embedded.helpers.terminal import Colors, color, should_use_color

__all__ = ["Colors", "color", "should_use_color"]
