"""Any op of the table of opcodes, for those that have no function of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dialect.opcodes import OPCODE_BY_NAME
from dialect.python_api.data_types import DataType, data_type_of
from dialect.python_api.errors import value_error
from dialect.python_api.movement import memory_argument
from dialect.python_api.recording import list_argument, record, shape_argument, string_argument, tensor_argument
from dialect.python_api.tensors import Tensor
from dialect.suggestions import did_you_mean


def operation(
    opcode: str,
    inputs: Sequence[Tensor],
    results: Sequence[tuple[Sequence[int], DataType | object]],
    *,
    params: Mapping[str, object] | None = None,
    memories: Sequence[str] | None = None,
) -> tuple[Tensor, ...]:
    """An op of any opcode; the inputs are brought to the memories that the table of opcodes names.

    ```python
    values, places = pypto.operation("TOPK_SORT", [x], [((1, 64), pypto.DT_FP32), ((1, 64), pypto.DT_INT32)])
    ```

    Parameters:
        opcode: the opcode's name, as in dumps.
        results: per result its shape and element type.
        params: the op's parameters: booleans, integers, floats, strings and lists of these.
        memories: where the results live, if not where the table says.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: there is no such opcode, or one that has a window and so a function of its own.
    """
    function = "operation"
    row = OPCODE_BY_NAME.get(string_argument(function, "opcode", opcode))
    if row is None:
        raise value_error(function, "opcode", "the name of an opcode", opcode, did_you_mean(opcode, OPCODE_BY_NAME))
    if row.is_windowed:
        raise value_error(function, "opcode", "an opcode without window; see view and assemble", opcode)
    items = list_argument(function, "inputs", "a list of tensors", inputs)
    names = [f"inputs[{place}]" for place in range(len(items))]
    operands = [(name, tensor_argument(function, name, item)) for name, item in zip(names, items, strict=True)]
    made: list[tuple[tuple[int, ...], DataType]] = []
    for place, result in enumerate(results):
        name = f"results[{place}]"
        pair = list_argument(function, name, "a shape and a data type", result)
        if len(pair) != 2:
            raise value_error(function, name, "a shape and a data type", result)
        made.append((shape_argument(function, name, pair[0]), data_type_of(pair[1], function, name)))
    places = None
    if memories is not None:
        if len(memories) != len(made):
            raise value_error(function, "memories", f"{len(made)} memories, one for each result", list(memories))
        places = [memory_argument(function, "memories", name) for name in memories]
    return record(function, opcode, operands, made, params, memories=places)
