"""The user's installed Hermes: find it, and run it without changing it.

    launchers.py   find the Python and the code of launchers, environments and checkouts
    own.py         find the user's own Hermes, and name the Hermes at a path
    borrowing.py   create a Python environment of ours that runs that code
    startup.py     startup code of that environment: block writes to the installation, and reads of its secrets

Used by `environments`. The package must not import other parts of `hosts`.
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
