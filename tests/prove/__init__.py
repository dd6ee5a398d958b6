"""Experiments that find out how a release of Hermes behaves: `make prove RELEASE=0.21.5`. See `__main__`."""
