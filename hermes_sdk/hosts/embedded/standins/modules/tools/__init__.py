"""Stands in for the package ``tools``."""
