"""The checks before `CheckFlags`: global ones, framework, weight, chip and mode (ATC options, e.1 to e.4)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tools.atc.flag_values import FlagValues
from tools.atc.messages import failure
from tools.atc.paths import check_directory, check_input_path
from tools.atc.provenance import Source

CAFFE, MINDSPORE, TENSORFLOW, ONNX = "0", "1", "3", "5"
"""Values of `--framework`."""

UNSET_FRAMEWORK = "-1"

OM, MODEL_TO_JSON, PRE_CHECK, DUMP_TO_JSON, DISPLAY, OM2, NANO = "0", "1", "3", "5", "6", "7", "30"
"""Values of `--mode`."""

MODEL_MODES = frozenset({OM, PRE_CHECK, OM2, NANO})

NANO_CHIPS = ("Ascend035", "Ascend035A", "Ascend035B")
"""The chips of mode 30."""

KNOWN_FORMATS = ("ND", "NCHW", "NHWC", "CHWN", "NC1HWC0", "NHWC1C0", "NCDHW", "NDHWC")
"""The input formats that the parser knows."""

_FORMATS_OF_FRAMEWORK: Mapping[str, tuple[str, ...]] = {
    CAFFE: ("NCHW", "ND"),
    TENSORFLOW: ("NCHW", "NHWC", "ND", "NCDHW", "NDHWC"),
    ONNX: ("NCHW", "ND", "NCDHW"),
}


def check_global_flags(flags: FlagValues) -> None:
    """Raise `AtcError` for what holds in every mode and with `--singleop` (e.1, e.3)."""
    if flags["auto_tune_mode"]:
        reason = "the feature was removed, use the AOE tool"
        raise failure("E10001", flags["auto_tune_mode"], "--auto_tune_mode", reason)
    if not flags.is_given("deterministic_level"):
        return
    switch, level = flags["deterministic"], flags["deterministic_level"]
    if (switch == "0") != (level == "0"):
        parameter = "ge.deterministic / ge.deterministicLevel"
        raise failure("E10001", f"{switch} / {level}", parameter, "both must be zero, or both must not")


def check_framework_and_chip(flags: FlagValues, *, needs_required: bool) -> None:
    """Raise `AtcError` unless framework, weight, chip and mode fit together (e.2).

    Without `needs_required` the framework may be absent.
    """
    mode, framework, weight, chip = flags["mode"], flags["framework"], flags["weight"], flags["soc_version"]
    if mode == MODEL_TO_JSON and framework not in (UNSET_FRAMEWORK, CAFFE, TENSORFLOW, ONNX):
        raise failure("E10001", framework, "--framework", "with --mode=1 expected 0, 3 or 5")
    if weight:
        check_input_path(weight, "weight")
    if mode in (OM, PRE_CHECK, NANO) and needs_required:
        if framework == UNSET_FRAMEWORK:
            raise failure("E10007", "--framework", "0 (Caffe), 1 (MindSpore), 3 (TensorFlow), 5 (ONNX)")
        if framework == CAFFE and not weight:
            raise failure("E10008")
    if mode == NANO and chip not in NANO_CHIPS:
        chips = ", ".join(NANO_CHIPS)
        raise failure("E10055", f"--mode=30 needs --soc_version to be one of {chips}, found '{chip}'")
    if mode != NANO and chip in NANO_CHIPS:
        raise failure("E10055", f"--soc_version={chip} needs --mode=30, found --mode={mode}")


def place_check_report(flags: FlagValues, environment: Mapping[str, str]) -> FlagValues:
    """The flags with the report of the pre-check moved to `ASCEND_WORK_PATH`, unless its place was given (e.2, 7).

    Raises:
        AtcError: E10001, the directory does not exist and cannot be created.
    """
    directory = environment.get("ASCEND_WORK_PATH", "")
    if not directory or flags.is_given("check_report"):
        return flags
    check_directory(directory, directory, "ASCEND_WORK_PATH")
    place = os.path.join(os.path.realpath(directory), "check_result.json")
    return flags.with_changed("check_report", place, Source.ENVIRONMENT)


def fill_input_format(flags: FlagValues) -> FlagValues:
    """The flags with the framework's default input format if none is given (e.4).

    Raises:
        AtcError: E10001, the framework does not take the format.
    """
    framework, layout = flags["framework"], flags["input_format"]
    if not layout:
        return flags.with_changed("input_format", "NHWC" if framework == TENSORFLOW else "NCHW")
    allowed = _FORMATS_OF_FRAMEWORK.get(framework, (layout,))
    if layout not in allowed:
        reason = f"with --framework={framework} expected one of {', '.join(allowed)}"
        raise failure("E10001", layout, "--input_format", reason)
    return flags


def check_known_format(flags: FlagValues) -> None:
    """Raise `AtcError` (E10061) unless the parser knows the input format (e.4)."""
    if flags["input_format"] not in KNOWN_FORMATS:
        raise failure("E10061", flags["input_format"], "--input_format", ", ".join(KNOWN_FORMATS))


def fill_host(flags: FlagValues, host: tuple[str, str]) -> FlagValues:
    """The flags with the local operating system and CPU where none are given (e.4)."""
    for name, local in zip(("host_env_os", "host_env_cpu"), host, strict=True):
        if not flags[name]:
            flags = flags.with_changed(name, local, Source.HOST)
    return flags


def local_host(environment: Mapping[str, str]) -> tuple[str, str]:
    """Operating system and CPU: as the installed operator package says, else those of this machine.

    A machine that ATC has no name for counts as Linux on x86_64, which is where it is built for.
    """
    found: dict[str, str] = {}
    for package in ("", os.path.join("..", "runtime")):
        if "ASCEND_OPP_PATH" in environment:
            path = os.path.join(environment["ASCEND_OPP_PATH"], package, "scene.info")
            found = {**_scene_info(path), **found}
    machine = os.uname().machine if hasattr(os, "uname") else ""
    cpu = {"aarch64": "aarch64", "arm64": "aarch64"}.get(machine, "x86_64")
    return found.get("os", "linux"), found.get("arch", cpu)


def _scene_info(path: str) -> Mapping[str, str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [line.strip().partition("=") for line in file]
    except OSError:
        return {}
    return {name: value for name, _, value in lines if name in ("os", "arch") and value}
