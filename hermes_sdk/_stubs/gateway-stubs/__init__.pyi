"""Types of ``gateway``."""
