"""The Hermes that a user has installed: where it is, and how to run it without changing it.

    launchers.py   reads launchers, environments and checkouts: which Python, which code
    own.py         finds the user's own Hermes, and describes what is at a path
    borrowing.py   makes a Python of ours that runs that code
    startup.py     runs first in that Python: nothing there is written, and no secrets beside the code are read

Must not import other parts of `hosts`; `environments` uses it.
"""

from __future__ import annotations

from hermes_sdk.hosts.installed.borrowing import Borrowed, borrow, find_borrowed
from hermes_sdk.hosts.installed.own import INSTALLED, find_own, is_place, list_own, list_places, name_host

__all__ = [
    "INSTALLED",
    "Borrowed",
    "borrow",
    "find_borrowed",
    "find_own",
    "is_place",
    "list_own",
    "list_places",
    "name_host",
]
