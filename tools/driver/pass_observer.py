"""What happens between the passes of a pipeline: verification, printing, timing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer


@dataclass
class PassObserver:
    """Called between passes by xDSL's `PassPipeline`; prints on stderr."""

    prepare: Callable[[ModuleOp], None]
    """Called with the module, once it is verified, before the first pass."""
    verify: bool
    print_between: bool
    print_times: bool
    finished: str | None = field(init=False, default=None)
    """The pass that ended last, if any."""
    running: str | None = field(init=False, default=None)
    """The pass that is at work; None while the module is verified."""
    _started: float = field(init=False, default=0.0)

    def __call__(self, previous_pass: ModulePass | None, module: ModuleOp, next_pass: ModulePass | None) -> None:
        """Note that `previous_pass` has ended, look at the module, and note that `next_pass` begins."""
        duration = time.perf_counter() - self._started
        self.running = None
        self.finished = previous_pass.name if previous_pass else None
        if previous_pass and self.print_times:
            print(f"Pass {previous_pass.name} took {duration:.6f} seconds", file=sys.stderr)
        if self.verify:
            module.verify()
        if previous_pass is None:
            self.prepare(module)
        if previous_pass and next_pass and self.print_between:
            print(f"IR after {previous_pass.name}:", file=sys.stderr)
            Printer(stream=sys.stderr).print_op(module)
            print("\n", file=sys.stderr)
        self.running = next_pass.name if next_pass else None
        self._started = time.perf_counter()
