"""Writes `docs/evaluator.md` from the evaluator's tables: `python docs/make_evaluator_page.py`.

With `--check` it only compares.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from generated_page import write_or_check

from dialect.opcodes import OPCODES
from tools.evaluate.number_formats import covered_elements
from tools.evaluate.semantics import SEMANTICS, WINDOWS

PAGE = Path(__file__).parent / "evaluator.md"

INTRODUCTION = """\
# The evaluator

Made from its tables by `docs/make_evaluator_page.py`.

`tile-opt FILE -p PASSES -t evaluate` runs every function on random inputs with numpy and prints what it writes. Merging
never changes a value; this is how to see it:

```console
$ tile-opt examples/attention_512.json.gz -t evaluate
@k_PATH0_hiddenfunc_5
  %out: 512x128xf32, mean 0.499982, checksum …
$ tile-opt examples/attention_512.json.gz -p graph-partition,n-buffer-merge,outline-subgraphs -t evaluate
```

Both print the same line. The checksum is of all bits of the output; it holds on one machine with one numpy, since
libraries differ in the last bits of functions such as the exponential.

* A function without subgraph ids runs op by op in text order. If all ops have ids it runs subgraph by subgraph, in an
  order in which writers come before readers, so that a result that needs another order shows. An outlined function runs
  launch by launch, each in a space of its own that has just what the launch gives to the leaf.
* `seed` chooses the random inputs: floats in [0.25, 0.75), integers 0 to 7.
* `symbols` gives values to the symbols in offsets and valid shapes: `-t 'evaluate{symbols="loop_idx_i=1,n=64"}'`.
* In Python, `tools.evaluate.evaluator.evaluate(function, inputs, symbols, leaves)` takes and returns arrays.

The semantics below are this project's, made to fit the kernels that the compiler dumps; they are no statement about
the hardware. What is not covered is refused with a message that names it: other opcodes, dynamic shapes, element types,
ops whose parameters change their meaning, windows in an uninterpreted `attr`, and two ops that write different values
to one element, whose result would depend on their order.

## Values

* Results are rounded to their element type after every op, to nearest even; integers wrap. Operands are converted to
  the element type of the result first. bf16 is computed in f32 and rounded.
* A tensor has a valid shape if its `valid` says so (`tensor_valid` of view-like and assemble-like ops). What lies
  beyond it is 0; reductions see only what is valid, and an assemble writes only that.
* Outputs after the first are scratch space: 0. An `outs` holds 0 where nothing is written.
* `op_attr_atomic_add` and the combine-axis parameters are covered only as 0 or false.
"""


def page() -> Iterator[str]:
    """The lines of the page."""
    yield from INTRODUCTION.splitlines()
    yield ""
    yield "Element types: " + ", ".join(f"`{element.type}`" for element in covered_elements()) + "."
    yield ""
    yield "## Opcodes"
    yield ""
    yield "a, b, c are the inputs in order, s is the parameter `SCALAR`; *reversed* means `op_attr_reverseOperand`."
    yield ""
    yield "| opcode | inputs | first output |"
    yield "|---|---|---|"
    for opcode in OPCODES:
        if opcode.name in WINDOWS:
            yield f"| `{opcode.name}` | 1 | {WINDOWS[opcode.name]} |"
        elif opcode.name in SEMANTICS:
            semantics = SEMANTICS[opcode.name]
            yield f"| `{opcode.name}` | {semantics.input_count} | {semantics.meaning} |"
    missing = [f"`{opcode.name}`" for opcode in OPCODES if opcode.name not in SEMANTICS and opcode.name not in WINDOWS]
    yield ""
    yield f"## Not covered ({len(missing)} of {len(OPCODES)})"
    yield ""
    yield ", ".join(missing) + "."


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page()))
