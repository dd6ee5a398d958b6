"""Stands in for ``tools.url_safety``: rules for network addresses. Calls are not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = ["is_safe_url"]

is_safe_url = make_placeholder(__spec__, "is_safe_url")
