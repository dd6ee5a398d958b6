"""Stands in for the package ``hermes_cli``."""

from hermes_sdk.hosts.embedded.standins.lent import lent

__all__ = ["__version__"]

__version__ = lent(__spec__).contract.release
