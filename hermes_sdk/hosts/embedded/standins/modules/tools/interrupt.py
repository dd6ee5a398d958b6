"""Stands in for ``tools.interrupt``: whether a tool has to stop."""

from hermes_sdk.hosts.embedded.approval.interrupts import Interrupts
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["clear_current_thread_interrupt", "is_interrupted", "set_interrupt"]

_interrupts = Interrupts(find_plugin_manager(__spec__).state)
clear_current_thread_interrupt = _interrupts.clear
is_interrupted = _interrupts.is_interrupted
set_interrupt = refused(__spec__, "set_interrupt")
