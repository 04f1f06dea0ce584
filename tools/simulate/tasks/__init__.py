"""Tasks: what the schedulers get to see of a function."""
