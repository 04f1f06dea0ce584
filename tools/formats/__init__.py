"""File formats that tile-opt reads and writes."""
