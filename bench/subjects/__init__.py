"""Programs that measure one host from the inside and print the figures as JSON.

`embedded` and `real` take the same names of measurements and print the same figures. `real` runs in the environment of
a release, so neither it nor `timing` imports code of hermes-sdk.
"""
