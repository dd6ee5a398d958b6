"""Stands in for ``agent.portal_tags``, which says for whom a request to a model is; calls are refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["nous_portal_tags"]

nous_portal_tags = refused(__spec__, "nous_portal_tags")
