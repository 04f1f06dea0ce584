"""The performance simulator: predicts what the reference compiler's simulator says of a partitioned function.

It reproduces that simulator, not silicon (cost model).
"""
