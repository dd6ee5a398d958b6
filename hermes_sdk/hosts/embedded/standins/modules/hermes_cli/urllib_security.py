"""Stands in for ``hermes_cli.urllib_security``: requests whose credentials must not reach another server."""

from hermes_sdk.hosts.embedded.helpers.requests import open_credentialed_url, url_origin
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["SafeCredentialRedirectHandler", "open_credentialed_url", "url_origin"]

SafeCredentialRedirectHandler = refused(__spec__, "SafeCredentialRedirectHandler")
