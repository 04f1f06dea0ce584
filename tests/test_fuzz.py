"""A short form of the fuzzer; `python tests/fuzz.py` runs 10,000 inputs."""

from fuzz import run


def test_damaged_inputs() -> None:
    """No traceback, hang, waste of memory or partial output file for 120 damaged inputs."""
    assert run(count=120, seed=2026) == []
