"""Building blocks of the other modules: open keyword arguments, unchecked mappings and host classes."""

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
    """Marker that type checkers name in the error for a literal with a wrong key. No value has this type."""


UncheckedSchema = Mapping[str, AnnotateAsToolSchema]
"""Type of a schema whose keys are not checked: ``dict[str, Any]``, such as one that a library generated.

A dict literal does not have this type, so that a misspelt key in it is an error.
"""


class OpenArguments(_LaterArguments, total=False):
    """Keyword arguments to which almost every release of the host adds some.

    A callable that takes them must accept ``**kwargs``; without it, the first new argument raises a TypeError, which
    the host logs but does not show to the user. The only key here makes type checkers require ``**kwargs``: the
    host never passes it, and no other parameter can take it.
    """


def provided_by_host() -> NoReturn:
    """Raise NotImplementedError, as placeholder for the body of a method that the host's class implements.

    Raises:
        NotImplementedError: Always: at run time a plugin inherits from the host's class.
    """
    raise NotImplementedError


@dataclass_transform()
def host_dataclass(cls: type[_Class]) -> type[_Class]:
    """Declare a class as a dataclass for type checkers, without creating one at run time."""
    return cls


class KnownNameForThisCallback:
    """Marker that type checkers name in the error for a misspelt name or an incompatible callback.

    No value has this type. Methods with one overload for each name end with an overload for a sequence of markers.
    Since a str is a sequence too, mypy reports this overload as the closest one and does not list the others.
    """
