"""The pass `resolve-pass-options`."""
