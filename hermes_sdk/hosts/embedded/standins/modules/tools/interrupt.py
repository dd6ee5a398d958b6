"""Stands in for ``tools.interrupt``: interruption of tools."""

from hermes_sdk.hosts.embedded.approval.interrupts import Interrupts
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["clear_current_thread_interrupt", "is_interrupted", "set_interrupt"]

_interrupts = Interrupts(find_plugin_manager(__spec__).state)
clear_current_thread_interrupt = _interrupts.clear
is_interrupted = _interrupts.is_interrupted
set_interrupt = make_placeholder(__spec__, "set_interrupt")
