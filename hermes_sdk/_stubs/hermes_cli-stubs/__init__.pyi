"""Types of ``hermes_cli``."""

__version__: str
