"""Stands in for ``tools.website_policy``: rules for visiting websites. Calls are not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = ["check_website_access"]

check_website_access = make_placeholder(__spec__, "check_website_access")
