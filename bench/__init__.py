"""What `make bench` measures and `make demo` shows. Nothing here is installed."""
