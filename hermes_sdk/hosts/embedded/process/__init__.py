"""Changes to the Python process, their restoration, and the limits in which plugin code runs.

Knows nothing of plugins or releases: must not import any other part of the embedded host.
"""
