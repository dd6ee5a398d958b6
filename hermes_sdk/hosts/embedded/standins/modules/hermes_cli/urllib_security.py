"""Stands in for ``hermes_cli.urllib_security``: requests whose credentials must not reach another server."""

from hermes_sdk.hosts.embedded.helpers.requests import open_credentialed_url, url_origin
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = ["SafeCredentialRedirectHandler", "open_credentialed_url", "url_origin"]

SafeCredentialRedirectHandler = make_placeholder(__spec__, "SafeCredentialRedirectHandler")
