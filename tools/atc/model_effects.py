"""What resolved options do to a module before its passes run: rules, chip, shapes, outputs, element types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from dialect.opcodes import CoreType
from dialect.ops import FuncOp, functions_of
from dialect.targets import resolve_soc
from dialect.types import DYNAMIC
from tools.atc.core_checks import check_core_counts
from tools.atc.entry_checks import NANO_CHIPS, TENSORFLOW
from tools.atc.messages import failure
from tools.atc.model_names import find_inputs, find_output
from tools.atc.output_selection import OutputTypes, parse_output_nodes, parse_output_types
from tools.atc.resolution import Resolution
from tools.atc.shapes import (
    UNKNOWN,
    NamedShape,
    ShapeRange,
    dynamic_flags_of,
    first_of_each_name,
    gears_of,
    parse_indexed_ranges,
    parse_named_ranges,
    parse_shapes,
)
from transforms.cast_boundaries import ELEMENT_BY_NAME, WantedElement, cast_boundaries
from transforms.function_arguments import ArgumentPlace, arguments_of
from transforms.module_rules import AIC_CORES, AIV_CORES, compat_of, target_of
from transforms.select_outputs import select_outputs
from transforms.set_input_shapes import GEAR, WantedShape, set_input_shapes

_ELEMENT_OF_TYPE: Mapping[str, str] = {
    "FP32": "f32",
    "FP16": "f16",
    "UINT8": "ui8",
    "INT8": "i8",
    "HIF8": "hf8",
    "HIF4": "hf4",
    "FP8E5M2": "fp8e5m2",
    "FP8E4M3FN": "fp8e4m3",
}
"""Our names of the output types."""


def apply_to_module(module: ModuleOp, resolution: Resolution, *, needs_static_inputs: bool) -> None:
    """Let a verified module have what the options say about it, and carry the option map as `ge.options`.

    With `needs_static_inputs` a dynamic dim of an incast needs a shape or range on the command line.

    Raises:
        AtcError: a name that the module does not have, a shape that does not fit, a chip that is not known.
    """
    module.attributes["ge.options"] = _option_attribute(resolution)
    _choose_chip(module, resolution)
    try:
        _set_shapes(module, resolution)
    except PassFailedException as error:
        given = resolution.flags["input_shape"] or resolution.flags["input_shape_range"]
        raise failure("E10001", given, "--input_shape", error) from error
    if needs_static_inputs and not resolution.flags["input_shape_range"]:
        _refuse_dynamic_inputs(module)
    try:
        _choose_outputs(module, resolution)
    except PassFailedException as error:
        raise failure("E19999", error) from error


def _option_attribute(resolution: Resolution) -> DictionaryAttr:
    for key, entry in resolution.options.items():
        try:
            entry.value.encode("utf-8")
        except UnicodeEncodeError:
            raise failure("E19999", f"the value of {key} is not UTF-8 text") from None
    return DictionaryAttr({key: StringAttr(entry.value) for key, entry in resolution.options.items()})


def _choose_chip(module: ModuleOp, resolution: Resolution) -> None:
    flags = resolution.flags
    name = flags["soc_version"]
    if name and name not in NANO_CHIPS:
        try:
            module.attributes["tile.soc"] = StringAttr(resolve_soc(name))
        except ValueError as error:
            raise failure("E19999", f"--soc_version: {error}") from None
    stated = {key: module.attributes.pop(key) for key in (AIC_CORES, AIV_CORES) if key in module.attributes}
    chip = target_of(module)
    if not name:
        module.attributes.update(stated)
    cube, vector = check_core_counts(flags["aicore_num"], (chip.aic_cores, chip.aiv_cores))
    if flags["core_type"] == "VectorCore":
        _refuse_cube_ops(module)
        module.attributes[AIC_CORES] = IntegerAttr(0, i64)
    elif cube:
        module.attributes[AIC_CORES] = IntegerAttr(cube, i64)
    if vector:
        module.attributes[AIV_CORES] = IntegerAttr(vector, i64)


def _refuse_cube_ops(module: ModuleOp) -> None:
    for function in functions_of(module):
        for op in function.operations():
            if op.opcode.core == CoreType.AIC:
                reason = f"{op.display_name} of @{function.symbol} runs on a cube core"
                raise failure("E10001", "VectorCore", "--core_type", reason)


def _set_shapes(module: ModuleOp, resolution: Resolution) -> None:
    flags = resolution.flags
    functions = list(functions_of(module))
    shape_range = flags["input_shape_range"]
    if shape_range:
        named = ":" in shape_range
        ranges = parse_named_ranges(shape_range) if named else parse_indexed_ranges(shape_range)
        set_input_shapes(module, _wanted_of_ranges(functions, ranges), ())
        return
    shapes = first_of_each_name(parse_shapes(flags["input_shape"])) if flags["input_shape"] else ()
    gear_flags = dynamic_flags_of(flags)
    gears = gears_of(flags) if gear_flags else ()
    wanted: list[WantedShape] = []
    gear_place = 0
    for shape in shapes:
        dims = _wanted_dims(shape, gear_flags)
        for place in find_inputs(functions, shape.name or "", "--input_shape"):
            wanted.append(WantedShape(place, dims, gear_place))
        gear_place += 0 if "dynamic_dims" not in gear_flags else dims.count(GEAR)
    set_input_shapes(module, wanted, gears)


def _wanted_dims(shape: NamedShape, gear_flags: Sequence[str]) -> tuple[int, ...]:
    """The dims of a shape; those that a gear fills are marked, other dynamic ones stay as they are."""
    if "dynamic_batch_size" in gear_flags:
        is_counted = shape.dims[:1] == (UNKNOWN,) and all(dim >= 0 for dim in shape.dims[1:])
        return (GEAR, *shape.dims[1:]) if is_counted else tuple(max(dim, DYNAMIC) for dim in shape.dims)
    return tuple(GEAR if dim == UNKNOWN else max(dim, DYNAMIC) for dim in shape.dims)


def _wanted_of_ranges(functions: Sequence[FuncOp], ranges: Sequence[ShapeRange]) -> list[WantedShape]:
    wanted: list[WantedShape] = []
    for index, shape in enumerate(ranges):
        dims = tuple(dim.low if dim.low == dim.high else DYNAMIC for dim in shape.dims)
        places = _indexed_input(functions, index) if shape.name is None else None
        if places is None:
            places = find_inputs(functions, shape.name or "", "--input_shape")
        wanted += [WantedShape(place, dims) for place in places]
    return wanted


def _indexed_input(functions: Sequence[FuncOp], index: int) -> Sequence[ArgumentPlace]:
    if len(functions) != 1:
        reason = f"shapes without names need a model of one function, found {len(functions)}"
        raise failure("E10001", f"input {index}", "--input_shape", reason)
    inputs = tuple(arguments_of(functions[0], outs=False))
    if index >= len(inputs):
        raise failure("E10001", f"input {index}", "--input_shape", f"the model has {len(inputs)} inputs")
    return [inputs[index]]


def _refuse_dynamic_inputs(module: ModuleOp) -> None:
    for function in functions_of(module):
        for place in arguments_of(function, outs=False):
            if DYNAMIC in place.type.shape:
                reason = f"the input '{place.name}' of @{function.symbol} has dynamic dims and needs a shape"
                raise failure("E10001", "NULL", "--input_shape", reason)


def _choose_outputs(module: ModuleOp, resolution: Resolution) -> None:
    flags = resolution.flags
    functions = list(functions_of(module))
    nodes = parse_output_nodes(flags["out_nodes"], allow_names=flags["framework"] != TENSORFLOW)
    chosen = [place for node in nodes for place in find_output(functions, node, "--out_nodes")]
    types = parse_output_types(flags["output_type"], nodes)
    half = ELEMENT_BY_NAME["f16"]
    inputs = [
        WantedElement(place, half)
        for name in (flags["input_fp16_nodes"].split(";") if flags["input_fp16_nodes"] else ())
        for place in find_inputs(functions, name, "--input_fp16_nodes")
    ]
    outputs = _wanted_outputs(functions, chosen, types)
    cast_boundaries(inputs, outputs)
    if chosen:
        select_outputs(chosen, compat_of(module))


def _wanted_outputs(
    functions: Sequence[FuncOp], chosen: Sequence[ArgumentPlace], types: OutputTypes
) -> list[WantedElement]:
    if types.common is not None:
        places = chosen or [place for function in functions for place in arguments_of(function, outs=True)]
        return [WantedElement(place, _element(types.common)) for place in places]
    return [
        WantedElement(place, _element(type))
        for node, type in types.of_node
        for place in find_output(functions, node, "--output_type")
    ]


def _element(type: str) -> Attribute:
    return ELEMENT_BY_NAME[_ELEMENT_OF_TYPE[type]]
