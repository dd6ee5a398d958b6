"""What a host changes in the Python process, how it comes back, and how plugin code runs in it."""
