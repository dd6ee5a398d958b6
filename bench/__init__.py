"""The measurements of `make bench` and the commands of `make demo`. This package is not installed."""
