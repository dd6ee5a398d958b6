"""Stands in for ``agent.portal_tags``: tags for the origin of model requests. Calls are not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = ["nous_portal_tags"]

nous_portal_tags = make_placeholder(__spec__, "nous_portal_tags")
