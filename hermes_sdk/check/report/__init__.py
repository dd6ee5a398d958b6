"""How a result is printed, one file a format: each has ``write(result, stream)``. Must not run rules."""
