"""How subgraphs become leaves and launches, and launches ops again."""
