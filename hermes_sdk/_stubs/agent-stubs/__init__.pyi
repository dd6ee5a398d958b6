"""Types of ``agent``: the base classes of providers."""
