"""Latencies and pipes of operations beyond the recorded ones."""

from __future__ import annotations

import pytest

from dialect.opcodes import OPCODE_BY_NAME, OPCODES
from tools.simulate.leaves.latency_table import LatencyTable, Line, latency_tables
from tools.simulate.leaves.pipes import Pipe, pipe_of, pipes

F16, F32, I32, I8 = 6, 7, 3, 1


def a2a3() -> LatencyTable:
    return latency_tables()["A2A3"]


def cycles(opcode: str, *shapes: tuple[int, ...], element: int = F32, table: str = "A2A3") -> int:
    return latency_tables()[table].cycles(opcode, [(shape, element) for shape in shapes], [])


def test_views_and_assembles_cost_one_cycle() -> None:
    """Whatever their shapes."""
    assert [cycles(name, (64, 64)) for name in ("RESHAPE", "VIEW", "ASSEMBLE", "SLICE", "CONTRACT")] == [1] * 5


def test_fixed_cost_of_copies() -> None:
    """1400 and 300 cycles for COPY_IN and COPY_OUT alone; the other copies have the same line without it."""
    assert cycles("COPY_IN", (64, 64)) - cycles("UB_COPY_IN", (64, 64)) == 1400
    assert cycles("COPY_OUT", (64, 64)) - cycles("L0C_COPY_OUT", (64, 64)) == 300


def test_the_smallest_operand_decides() -> None:
    """A small operand makes an operation cheap, as a scalar or a vector does, which count as one element."""
    assert cycles("ADD", (64, 64), (1, 8)) == cycles("ADD", (1, 8))
    assert cycles("ADD", (4096,)) == cycles("ADD", ()) == cycles("ADD", (1, 1))


def test_leading_dimensions_multiply() -> None:
    """The constant part too."""
    assert cycles("ADD", (3, 5, 64, 64)) == 15 * cycles("ADD", (64, 64))


def test_dynamic_and_empty_dimensions_count_as_256() -> None:
    """In the last two dimensions and before them."""
    assert cycles("ADD", (-1, 64)) == cycles("ADD", (0, 64)) == cycles("ADD", (256, 64))
    assert cycles("ADD", (-1, 8, 8)) == cycles("ADD", (256, 8, 8))


def test_only_some_operations_run_at_full_rate() -> None:
    """MUL of INT32 and EXP of FP32 cost their line once, MUL of FP32 twice."""
    line = Line(1.0, 0.0)
    table = LatencyTable("one", {"MUL": line, "EXP": line})
    sizes = {
        (opcode, element): table.cycles(opcode, [((512, 512), element)], [])
        for opcode, element in (("MUL", I32), ("MUL", F32), ("EXP", F32), ("EXP", F16))
    }
    assert sizes == {("MUL", I32): 2098, ("MUL", F32): 4195, ("EXP", F32): 2098, ("EXP", F16): 2098}


def test_operations_without_a_line() -> None:
    """Two cycles for each 256 bytes after ten for the first; L1_TO_L0At of the usual types has no first part."""
    assert cycles("BRCB", (8, 8)) == cycles("BRCB", (4, 31)) == 11
    assert cycles("BRCB", (64, 64)) == 10 + 2 * 64 - 1
    assert cycles("L1_TO_L0At", (64, 64), element=F16) == 2 * 32 - 1
    assert cycles("L1_TO_L0At", (64, 64), element=I8) == 10 + 2 * 16 - 1
    assert cycles("L1_TO_L0At", (64, 64), element=F16, table="A5") == cycles("L1_TO_L0A", (64, 64), element=F16)


def test_huge_shapes_have_a_latency() -> None:
    """Beyond what single precision holds."""
    huge = (2**63 - 1,) * 4
    assert all(cycles(opcode.name, huge) > 0 for opcode in OPCODES)


def test_an_operation_without_operands() -> None:
    """Costs the smallest footprint."""
    assert a2a3().cycles("VEC_DUP", [], []) == 11


def test_lines_can_be_replaced() -> None:
    """A measured line holds; the table that it came from is as before."""
    measured = a2a3().with_lines({"MAXIMUM": Line(2.40457, 0.0188), "BRCB": Line(0, 0.001, 7)})
    assert measured.cycles("MAXIMUM", [((64, 64), F32)], []) == cycles("ADD", (64, 64))
    assert measured.cycles("BRCB", [((64, 64), F32)], []) == 3 + 7
    assert cycles("MAXIMUM", (64, 64)) == 20233


@pytest.mark.parametrize(
    ("opcode", "pipe"),
    [
        ("CONV2D", Pipe.CUBE),
        ("At_MUL_Bt", Pipe.CUBE),
        ("ERF", Pipe.VECTOR_ALU),
        ("PAIRARGMAX", Pipe.VECTOR_ALU),
        ("CONTRACT", Pipe.PIPE_S),
        ("GATHER_IN_UB", Pipe.MTE_IN),
        ("NCDHW2NDC1HWC0", Pipe.MTE_OUT),
        ("FIX_COPY_IN_QUANT_PRE", Pipe.MTE1),
        ("CONV_D2S", Pipe.PIPE_FIX),
        ("S_ADD", Pipe.VECTOR_ALU),
    ],
)
def test_pipes(opcode: str, pipe: Pipe) -> None:
    """One opcode of each kind; those that the reference has no pipe for go where their kind of work goes."""
    assert pipe_of(opcode) is pipe


def test_every_opcode_has_a_pipe_and_no_row_is_foreign() -> None:
    """302 opcodes, none on a pipe that only allocates."""
    assert all(pipe_of(opcode.name) > Pipe.L0C_ALLOCATION for opcode in OPCODES)
    assert set(pipes()) <= set(OPCODE_BY_NAME)
