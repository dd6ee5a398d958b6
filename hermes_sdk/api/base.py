"""What the other modules build on: keyword arguments that may grow, and mappings that nobody checks."""

from collections.abc import Mapping
from typing import TypedDict

UncheckedMapping = Mapping[str, object]
"""Stands beside a TypedDict wherever a plugin may also give a plain mapping, whose keys no type checker looks at.

Annotate the mapping, or the function that returns it, with the TypedDict to have the keys checked.
"""


class OpenArguments(TypedDict, total=False):
    """Keyword arguments that may grow: the host adds some to almost every release.

    A callable that takes them must therefore end in ``**kwargs``; without it the first new argument is a TypeError,
    which the host logs and hides from its user. The one key here makes type checkers ask for it: nothing is ever sent
    under that name, and only ``**kwargs`` can take it.
    """

    _arguments_of_later_releases: object
