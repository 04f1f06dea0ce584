"""Command lines and file formats."""
