"""Compatibility matrix: plugins against every modelled release of Hermes, and optionally on real hosts.

    cells.py        cells of the matrix: a host, a release and a Python version each
    outcomes.py     outcomes of cells, and the supported range that follows from them
    apis.py         APIs that a plugin uses and a release lacks
    loading.py      loading of a plugin in a cell
    testing.py      run of a plugin's tests in a cell
    runner.py       worker process with all imports done, which forks for each cell
    pool.py         pool of workers
    matrix.py       matrices of plugins and cells
    floor.py        the tested range of releases, and its entry in the manifest
    report/         text, JSON, JUnit, HTML, the badge

Must not import `cli` or `operate`.
"""
