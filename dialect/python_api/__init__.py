"""The Python API, made public by `dialect.frontend`: kernels are Python functions that are traced into tile graphs."""
