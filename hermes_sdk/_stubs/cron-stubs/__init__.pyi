"""Types of ``cron``."""
