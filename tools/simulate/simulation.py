"""Simulates a partitioned function."""
