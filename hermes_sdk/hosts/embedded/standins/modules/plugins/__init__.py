"""Stands in for the package ``plugins``."""
