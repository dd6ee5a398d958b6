"""Experiments that determine the behaviour of a release of Hermes: `make prove RELEASE=0.21.5`. See `__main__`."""
