"""The base of every set of keyword arguments that a later release of the host may add to."""

from typing import TypedDict


class OpenArguments(TypedDict, total=False):
    """Keyword arguments that may grow: the host adds some to almost every release.

    A callable that takes them must therefore end in ``**kwargs``; without it the first new argument is a TypeError,
    which the host logs and hides from its user. The one key here makes type checkers ask for it: nothing is ever sent
    under that name, and only ``**kwargs`` can take it.
    """

    _arguments_of_later_releases: object
