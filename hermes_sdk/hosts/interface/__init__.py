"""What every host offers: the `Host` and `Gateway` interfaces, and the values that they return.

Everything above `hosts` works with these. Must not import any host.
"""
