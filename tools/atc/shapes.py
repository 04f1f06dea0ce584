"""Texts of shapes, shape ranges and gears (ATC options, e.6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tools.atc.entry_checks import KNOWN_FORMATS
from tools.atc.flag_values import FlagValues
from tools.atc.messages import AtcError, Message, failure, message

SHAPE_SAMPLE = "input_a:1,3,224,224;input_b:1~10,-1"
RANGE_SAMPLE = "input_a:[1~10,3,-1];input_b:[2,3]"

UNKNOWN = -1
"""A dim that is not known."""

_LARGEST_INT64, _SMALLEST_INT64 = 2**63 - 1, -(2**63)

_RANGE_CHARACTERS = re.compile(r"[0-9 ,~\-]*")
_BLANKS = " \t\n\v\f\r"
_LEADING_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_SIGNED_INTEGER = re.compile(r"[+-]?[0-9]+")


class NamedShape(NamedTuple):
    """The shape of an input, as it was written; no dims are a scalar, the name of the index form is None."""

    name: str | None
    dims: tuple[int, ...]
    text: str


class DimRange(NamedTuple):
    """The values that a dim may have; no `high` is no upper limit."""

    low: int
    high: int | None


class ShapeRange(NamedTuple):
    """The range of an input's shape; the name of the index form is None."""

    name: str | None
    dims: tuple[DimRange, ...]


DYNAMIC_FLAGS = ("dynamic_batch_size", "dynamic_image_size", "dynamic_dims")


def dynamic_flags_of(flags: FlagValues) -> tuple[str, ...]:
    """The flags of gears that are set."""
    return tuple(name for name in DYNAMIC_FLAGS if flags[name])


def transfer_dynamic_shape(flags: FlagValues) -> tuple[FlagValues, tuple[str, ...]]:
    """The flags with a dynamic `input_shape` moved to `input_shape_range`, and warnings (check 17).

    Whether a shape is dynamic is seen by the characters `~` and `-1` in its text, names included.

    Raises:
        AtcError: E10040 for `~` together with gears, E10002 for a malformed shape.
    """
    shape = flags["input_shape"]
    if flags["input_shape_range"]:
        warnings = ["--input_shape_range is deprecated, --input_shape takes ranges too"]
        if shape:
            warnings.append("--input_shape is ignored, because --input_shape_range is given")
        return flags.with_changed("input_shape", ""), tuple(warnings)
    if dynamic_flags_of(flags):
        if "~" in shape:
            raise failure("E10040")
        return flags, ()
    if not shape or ("~" not in shape and "-1" not in shape):
        return flags, ()
    pieces = shape.split(";")
    if ":" not in shape:
        text = ",".join(f"[{_range_text(piece, piece)}]" for piece in pieces)
    else:
        text = ";".join(piece for piece in map(_range_of_named_piece, pieces) if piece)
    moved = flags.with_changed("input_shape_range", text, flags.given("input_shape").source)
    return moved.with_changed("input_shape", ""), ()


def _range_of_named_piece(piece: str) -> str:
    name, colon, value = piece.rpartition(":")
    if not colon:
        raise failure("E10002", piece, "':' between name and shape is missing", SHAPE_SAMPLE)
    if not name:
        raise failure("E10002", piece, "the name is empty", SHAPE_SAMPLE)
    return f"{name}:[{_range_text(value, piece)}]" if value else ""


def _range_text(value: str, piece: str) -> str:
    if not _RANGE_CHARACTERS.fullmatch(value):
        raise failure("E10002", piece, "a shape range holds only digits, blanks, ',', '~' and '-'", SHAPE_SAMPLE)
    return value


def parse_shapes(text: str) -> tuple[NamedShape, ...]:
    """The shapes of `name:d,d;name:d,d` (check 19, 3).

    Raises:
        AtcError: E10002, E10013 or E10014, a piece or a dim is malformed.
    """
    shapes: list[NamedShape] = []
    for piece in text.split(";"):
        name, colon, value = piece.rpartition(":")
        if not colon:
            raise failure("E10002", piece, "':' between name and shape is missing", SHAPE_SAMPLE)
        dims = tuple(_parse_dim(dim, piece) for dim in value.split(",")) if value else ()
        shapes.append(NamedShape(name.strip(_BLANKS), dims, piece))
    return tuple(shapes)


def _parse_dim(dim: str, piece: str) -> int:
    if "." in dim:
        raise failure("E10002", piece, f"the dim '{dim}' is no integer", SHAPE_SAMPLE)
    number = parse_leading_integer(dim, "--input_shape")
    if not re.fullmatch(r"-?[0-9]*", dim):
        raise failure("E10002", piece, f"the dim '{dim}' may hold only digits behind a '-'", SHAPE_SAMPLE)
    return number


def parse_leading_integer(text: str, parameter: str) -> int:
    """The integer that a text begins with, blanks before it and anything behind it left out.

    Raises:
        AtcError: E10014, the text does not begin with an integer; E10013, it has more than 64 bits.
    """
    match = _LEADING_INTEGER.match(text)
    if match is None:
        raise failure("E10014", text, parameter)
    number = _bounded(match[1])
    if number is None:
        raise failure("E10013", text, parameter)
    return number


def _bounded(digits: str) -> int | None:
    """The integer of a decimal text, or None if it has more than 64 bits."""
    if len(digits.lstrip("+-").lstrip("0")) > 20:
        return None
    number = int(f"{digits[:1] if digits[:1] in '+-' else ''}{digits.lstrip('+-').lstrip('0') or '0'}")
    return number if _SMALLEST_INT64 <= number <= _LARGEST_INT64 else None


def check_static_shapes(text: str) -> tuple[NamedShape, ...]:
    """The shapes of a text without dynamic dims.

    Raises:
        AtcError: as `parse_shapes`, and E10011 for a dim that is not positive.
    """
    shapes = parse_shapes(text)
    for shape in shapes:
        for dim in shape.dims:
            if dim <= 0:
                reason = "without gears and ranges every dim must be positive"
                raise AtcError(
                    message("E10011", shape.text, dim), message("E10001", shape.text, "--input_shape", reason)
                )
    return shapes


def parse_named_ranges(text: str) -> tuple[ShapeRange, ...]:
    """The ranges of `name:[d,a~b];name:[d]` (check 19, 2).

    Raises:
        AtcError: E10048, a piece or a dim is malformed.
    """
    ranges: list[ShapeRange] = []
    for piece in text.split(";"):
        name, colon, value = piece.rpartition(":")
        if not colon:
            raise _bad_range(piece, "':' between name and range is missing")
        if not value:
            raise _bad_range(piece, "the range is empty")
        brackets = [letter for letter in value if letter in "[]"]
        if brackets != ["[", "]"]:
            raise _bad_range(piece, "a range stands in one pair of brackets")
        dims = value.removeprefix("[").removesuffix("]").split(",")
        ranges.append(ShapeRange(name.strip(_BLANKS), tuple(_parse_range(dim, piece) for dim in dims)))
    return tuple(ranges)


def parse_indexed_ranges(text: str) -> tuple[ShapeRange, ...]:
    """The ranges of `[d,a~b],[d]`, where `[]` is a scalar.

    Raises:
        AtcError: E10048, a piece or a dim is malformed.
    """
    if not re.fullmatch(r"\[[^\[\]]*\](,\[[^\[\]]*\])*", text):
        raise _bad_range(text, "each input has its range in brackets, with ',' between them")
    ranges: list[ShapeRange] = []
    for content in text[1:-1].split("],["):
        dims = content.split(",") if content.strip(_BLANKS) else []
        ranges.append(ShapeRange(None, tuple(_parse_range(dim, text) for dim in dims)))
    return tuple(ranges)


def _parse_range(dim: str, piece: str) -> DimRange:
    numbers: list[int] = []
    for part in dim.split("~"):
        digits = part.strip(_BLANKS)
        number = _bounded(digits) if _SIGNED_INTEGER.fullmatch(digits) else None
        if number is None:
            raise _bad_range(piece, f"'{part}' in the dim '{dim}' is no 64-bit integer")
        numbers.append(number)
    match numbers:
        case [number] if number < 0:
            return DimRange(0, None)
        case [number]:
            return DimRange(number, number)
        case [low, high] if low >= 0 and high >= 0:
            return DimRange(low, high)
        case [_, _]:
            raise _bad_range(piece, f"the dim '{dim}' has a negative limit")
        case _:
            raise _bad_range(piece, f"the dim '{dim}' has more than one '~'")


def _bad_range(piece: str, reason: str) -> AtcError:
    return failure("E10048", piece, reason, RANGE_SAMPLE)


def check_dynamic_inputs(flags: FlagValues) -> tuple[Message, ...]:
    """Check gears and ranges (check 19); the messages are reported, but are no failure.

    Raises:
        AtcError: the first failure.
    """
    given = dynamic_flags_of(flags)
    shape_range = flags["input_shape_range"]
    if len(given) + bool(shape_range) > 1:
        raise failure("E10009")
    if not given:
        if ":" in shape_range:
            parse_named_ranges(shape_range)
        return ()
    if not flags["input_shape"]:
        raise failure("E10004", "input_shape")
    shapes = first_of_each_name(parse_shapes(flags["input_shape"]))
    match given[0]:
        case "dynamic_batch_size":
            return _check_batch_gears(shapes, flags["dynamic_batch_size"])
        case "dynamic_image_size":
            _check_image_gears(shapes, flags["dynamic_image_size"], flags["input_format"])
        case _:
            _check_dim_gears(shapes, flags["dynamic_dims"])
    return ()


def first_of_each_name(shapes: Sequence[NamedShape]) -> tuple[NamedShape, ...]:
    """The shapes without those whose name stood before."""
    kept: dict[str | None, NamedShape] = {}
    for shape in shapes:
        kept.setdefault(shape.name, shape)
    return tuple(kept.values())


def _check_batch_gears(shapes: Sequence[NamedShape], gears: str) -> tuple[Message, ...]:
    reported: list[Message] = []
    dynamic = 0
    for shape in shapes:
        if not shape.dims:
            raise AtcError(*reported, message("E10012", shape.name))
        if shape.dims[0] == UNKNOWN:
            if any(dim < 0 for dim in shape.dims[1:]):
                reported.append(message("E10018", shape.name, shape.text))
            else:
                dynamic += 1
    if not dynamic:
        raise AtcError(*reported, message("E10031"))
    if not re.fullmatch(r"[0-9,]*", gears.removesuffix(",")):
        raise failure("E10003", gears, "--dynamic_batch_size", "expected digits and ','")
    return tuple(reported)


def _check_image_gears(shapes: Sequence[NamedShape], gears: str, layout: str) -> None:
    if layout not in KNOWN_FORMATS:
        raise failure("E10003", layout, "--input_format", f"expected one of {', '.join(KNOWN_FORMATS)}")
    places = {"NCHW": (2, 3), "NHWC": (1, 2)}.get(layout)
    dynamic = 0
    for shape in shapes:
        unknown = tuple(index for index, dim in enumerate(shape.dims) if dim == UNKNOWN)
        if not unknown:
            continue
        if len(shape.dims) != 4:
            raise failure("E10019", f"'{shape.text}' has -1 and is not 4-D")
        if places is None:
            raise AtcError(
                message("E10003", layout, "--input_format", "dynamic image sizes need NCHW or NHWC"),
                message("E10019", f"--input_format is {layout}"),
            )
        if unknown != places:
            raise failure("E10019", f"in '{shape.text}' ({layout}) -1 stands elsewhere, or not in both")
        dynamic += 1
    if not dynamic:
        raise failure("E10019", "no input has -1 there")
    text = gears.removesuffix(";")
    if not re.fullmatch(r"[0-9, ;]*", text):
        raise failure("E10003", gears, "--dynamic_image_size", "expected digits, ',', blanks and ';'")
    for gear in text.split(";"):
        if len(gear.split(",")) != 2:
            raise failure("E10020", gear)


def _check_dim_gears(shapes: Sequence[NamedShape], gears: str) -> None:
    count = sum(shape.dims.count(UNKNOWN) for shape in shapes)
    if not count:
        raise failure("E10001", "0", "number of dynamic dims in --input_shape", "--dynamic_dims needs dims of -1")
    text = gears.removesuffix(";")
    if not text:
        raise failure("E10058", "--dynamic_dims")
    for gear in text.split(";"):
        values = gear.split(",")
        if len(values) != count:
            reason = f"the gear '{gear}' has {len(values)} values, the shapes have {count} dims of -1"
            raise failure("E10003", gears, "--dynamic_dims", reason)
        for value in values:
            if not re.fullmatch(r"[0-9]*", value):
                raise failure("E10001", value, "--dynamic_dims", "expected digits")


def gears_of(flags: FlagValues) -> tuple[tuple[int, ...], ...]:
    """The gears of the flag that is set, checked as the build does; empty items are skipped.

    Raises:
        AtcError: E10013, a value has more than 64 bits; E10035, fewer than two gears; E10037, gears of different
            length; E10039, a gear twice.
    """
    (name,) = dynamic_flags_of(flags)
    separator = "," if name == "dynamic_batch_size" else ";"
    texts = [gear for gear in flags[name].split(separator) if gear.strip(_BLANKS)]
    gears = [
        tuple(parse_leading_integer(value, f"--{name}") for value in gear.split(",") if value.strip(_BLANKS))
        for gear in texts
    ]
    if len(gears) < 2:
        raise failure("E10035", len(gears), 2)
    for text, gear in zip(texts, gears, strict=True):
        if len(gear) != len(gears[0]):
            raise failure("E10037", len(gears[0]), len(gear))
        if gears.count(gear) > 1:
            raise failure("E10039", text)
    return tuple(gears)
