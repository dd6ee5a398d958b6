"""Stands in for the package ``gateway``."""
