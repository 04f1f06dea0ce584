"""Leaves: what a subgraph becomes on a core, and how long it takes there."""
