"""Stands in for the package ``agent``."""
