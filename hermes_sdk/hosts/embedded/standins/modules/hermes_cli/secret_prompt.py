"""Stands in for ``hermes_cli.secret_prompt``: prompts for secrets, which are not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = ["masked_secret_prompt"]

masked_secret_prompt = make_placeholder(__spec__, "masked_secret_prompt")
