"""Merging of subgraphs: the algorithms behind the merge passes."""
