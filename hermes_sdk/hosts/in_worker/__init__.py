"""Code that runs in the same process as plugins, on both hosts; the real host's worker loads the package by its path.

Its modules import only the standard library and, relatively, each other.
"""
