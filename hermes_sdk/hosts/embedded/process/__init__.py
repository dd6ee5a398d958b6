"""What a host changes in the Python process, how it comes back, and how plugin code runs in it.

Knows nothing of plugins or releases: must not import any other part of the embedded host.
"""
