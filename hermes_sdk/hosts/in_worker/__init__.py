"""What runs beside a plugin in either process: the real host loads these files by their path.

They import the standard library only.
"""
