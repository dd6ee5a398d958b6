"""Builder for wheels of plugins."""

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.wheel import Wheel, building


def build(plugin: Plugin, *, online: bool = False, full_isolation: bool = False) -> Wheel:
    with building(plugin, online=online, full_isolation=full_isolation) as finish:
        return finish()
