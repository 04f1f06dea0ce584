"""What can go wrong in an evaluation."""

from __future__ import annotations

from tools.driver.errors import UserError


class EvaluationError(UserError):
    """The graph cannot be evaluated; the message says what of it, and what would do."""
