"""Stands in for ``tools.website_policy``, which tells what sites may be visited; calls are refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["check_website_access"]

check_website_access = refused(__spec__, "check_website_access")
