"""Put a located plugin into a home that is ready to open.

Must not import a host.
"""
