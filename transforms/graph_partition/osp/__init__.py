"""Acyclic coarsening and scheduling of weighted DAGs: the partitions OspSarkar and OspBsp, on plain arrays."""
