"""Types of ``tools``."""
