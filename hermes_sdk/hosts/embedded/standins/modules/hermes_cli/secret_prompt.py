"""Stands in for ``hermes_cli.secret_prompt``: how a terminal asks for a secret, which is refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["masked_secret_prompt"]

masked_secret_prompt = refused(__spec__, "masked_secret_prompt")
