"""Code that runs beside a plugin in either process: the real host's worker loads this folder by its path, as a package.

Its modules import each other relatively, and nothing but the standard library besides.
"""
