"""Types of ``plugins``."""
