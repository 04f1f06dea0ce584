"""What holds for all tests."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "same everywhere",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("same everywhere")
"""No property test depends on the time, on chance, or on what failed before."""
