"""Child processes for untrusted code: start, isolation and communication.

The package must not import other parts of `hosts` except `in_worker`. `isolation` also runs in the Python of an
installed Hermes.
"""
