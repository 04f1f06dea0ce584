"""Graph partition: which operations run together as one subgraph."""
