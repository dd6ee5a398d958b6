"""Stands in for the package ``cron``."""
