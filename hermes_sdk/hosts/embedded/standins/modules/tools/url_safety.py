"""Stands in for ``tools.url_safety``, which tells what addresses may be reached; calls are refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["is_safe_url"]

is_safe_url = refused(__spec__, "is_safe_url")
