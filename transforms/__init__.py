"""Passes over tile functions."""
