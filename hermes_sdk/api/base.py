"""What the other modules build on: keyword arguments that may grow, unchecked mappings, and classes of the host."""

from collections.abc import Mapping
from typing import NoReturn, TypedDict, TypeVar, dataclass_transform

_Class = TypeVar("_Class")

UncheckedMapping = Mapping[str, object]
"""Accepted next to a TypedDict where a plugin may pass a plain mapping, whose keys are not type-checked.

Annotate the mapping, or the function that returns it, with the TypedDict to have the keys checked.
"""


# The key is not an identifier, so the class syntax cannot express it.
_LaterArguments = TypedDict("_LaterArguments", {"accept **kwargs": object}, total=False)


class AnnotateAsToolSchema:
    """Name for type checkers in the error for a literal with a wrong key. Nothing has this type."""


UncheckedSchema = Mapping[str, AnnotateAsToolSchema]
"""Type of a schema whose keys are not checked: ``dict[str, Any]``, such as one that a library generated.

A literal is not of this type, so that a misspelt key in one is an error.
"""


class OpenArguments(_LaterArguments, total=False):
    """Keyword arguments that may grow: the host adds some to almost every release.

    A callable that takes them must therefore end in ``**kwargs``; without it the first new argument is a TypeError,
    which the host logs and hides from its user. The one key here makes type checkers ask for it: nothing is ever sent
    under that name, and only ``**kwargs`` can take it.
    """


def inherited() -> NoReturn:
    """Stand in for the body of a method that the host's class implements, for type checkers.

    Raises:
        NotImplementedError: Always: at run time a plugin inherits from the host's class.
    """
    raise NotImplementedError


@dataclass_transform()
def host_dataclass(cls: type[_Class]) -> type[_Class]:
    """Have type checkers treat a class as the dataclass that it is on the host, at no cost at run time."""
    return cls


class KnownNameForThisCallback:
    """Name for type checkers in the error for a misspelt name or an unfit callback. Nothing has this type.

    The last overload of a method that has one for each name takes a sequence of these. A text is a sequence too, so for
    mypy this overload is the nearest one, and its error says nothing of the others.
    """
