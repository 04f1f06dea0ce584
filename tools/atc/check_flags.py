"""`CheckFlags`: the checks of the modes that read a model, in ATC's order (ATC options, e.5 and e.8)."""

from __future__ import annotations

from collections.abc import Callable

from tools.atc.entry_checks import NANO, OM, OM2
from tools.atc.flag_values import FlagValues
from tools.atc.messages import AtcError, Message, failure, message
from tools.atc.paths import check_input_path, check_output_path
from tools.atc.raw_file import check_static_limit
from tools.atc.shapes import check_dynamic_inputs, dynamic_flags_of, transfer_dynamic_shape
from tools.atc.tables import flags as flag_table

WRITTEN_SUFFIX = {OM: ".om", OM2: ".om2", NANO: ".exeom"}
"""What ATC appends to `--output`, by the modes that write a model."""

_MIXED_PRECISION = ("allow_mix_precision", "allow_mix_precision_fp16", "allow_mix_precision_bf16")
_MIXED_PRECISION_V2 = ("mixed_float16", "mixed_bfloat16", "mixed_hif8")

_HOSTS = {"host_env_os": ("linux", "minios"), "host_env_cpu": ("x86_64", "aarch64", "arm64", "arm")}

_TRUE_OR_FALSE = ("", "true", "false")
_BIT = ("", "0", "1")


def check_flags(
    flags: FlagValues, host: tuple[str, str], *, needs_required: bool
) -> tuple[FlagValues, tuple[Message, ...]]:
    """The flags as ATC goes on with them, and messages that are no failure.

    Without `needs_required` chip, output and model may be absent.

    Raises:
        AtcError: the first check that fails.
    """
    _check_files(flags, needs_required=needs_required)
    flags = check_operator_flags(flags)
    flags, warnings = transfer_dynamic_shape(flags)
    if flags["input_hint_shape"] and (gears := dynamic_flags_of(flags)):
        reason = f"it cannot be used together with --{gears[0]}"
        raise failure("E10001", flags["input_hint_shape"], "--input_hint_shape", reason)
    reported = check_dynamic_inputs(flags)
    if flags["insert_op_conf"] and flags["dynamic_dims"]:
        raise failure("E10001", flags["insert_op_conf"], "--insert_op_conf", "AIPP does not work with --dynamic_dims")
    for name in ("weight", "cal_conf", "op_name_map", "insert_op_conf", "compress_weight_conf"):
        if flags[name]:
            check_input_path(flags[name], name)
    _check_word(flags, "enable_compress_weight", "E10005", _TRUE_OR_FALSE)
    if flags["enable_compress_weight"] == "true" and flags["compress_weight_conf"]:
        raise failure("E10047", "--enable_compress_weight", "--compress_weight_conf")
    _check_file_twice(flags, "keep_dtype")
    check_output_path(flags["check_report"], "--check_report")
    _check_word(flags, "save_original_model", "E10005", _TRUE_OR_FALSE)
    _check_word(flags, "enable_single_stream", "E10005", _TRUE_OR_FALSE)
    _check_word(flags, "ac_parallel_enable", "E10006", _BIT)
    _check_word(flags, "tiling_schedule_optimize", "E10006", _BIT)
    if flags["mode"] == NANO and flags["display_model_info"] == "1":
        raise failure("E10001", "1", "--display_model_info", "--mode=30 cannot display the model")
    if flags["mode"] == OM2:
        _check_om2(flags, host)
    else:
        _check_host(flags)
    check_hf32(flags)
    _check_word(flags, "quant_dumpable", "E10006", _BIT)
    _check_word(flags, "enable_attr_compression", "E10005", _TRUE_OR_FALSE, str.lower)
    if flags["static_model_ops_lower_limit"]:
        check_static_limit(flags["static_model_ops_lower_limit"])
    return flags, (*(Message("", text) for text in warnings), *reported)


def _check_files(flags: FlagValues, *, needs_required: bool) -> None:
    """Rows 1 to 8."""
    mode, output, model = flags["mode"], flags["output"], flags["model"]
    suffix = WRITTEN_SUFFIX.get(mode)
    if needs_required:
        if not flags["soc_version"]:
            raise failure("E10054", "--soc_version")
        if suffix and not output:
            raise failure("E10054", "--output")
        if not model:
            raise failure("E10054", "--model")
    if model:
        check_input_path(model, "model")
    if suffix and output:
        check_output_path(output + suffix, "--output")
        if output.endswith("/"):
            raise failure("E10022", output, "--output")
        if mode == NANO:
            check_output_path(f"{output}.dbg", "--output")


def check_operator_flags(flags: FlagValues) -> FlagValues:
    """Rows 10 to 16, which hold with `--singleop` too: implementation, precision, weights; the flags, filled.

    Raises:
        AtcError: the first check that fails.
    """
    if flags["optypelist_for_implmode"] and not flags["op_select_implmode"]:
        raise failure("E10001", "", "--op_select_implmode", "--optypelist_for_implmode needs it, give both")
    if not flags["op_select_implmode"]:
        flags = flags.with_changed("op_select_implmode", "high_performance")
    _check_file_twice(flags, "op_precision_mode")
    _check_word(flags, "is_weight_clip", "E10006", _BIT[1:])
    precision, precision_v2, mixlist = (
        flags[name] for name in ("precision_mode", "precision_mode_v2", "modify_mixlist")
    )
    if precision and precision_v2:
        raise failure("E10056", "ge.exec.precision_mode", "ge.exec.precision_mode_v2")
    if mixlist and precision not in _MIXED_PRECISION and precision_v2 not in _MIXED_PRECISION_V2:
        if precision:
            reason = f"with --precision_mode expected one of {', '.join(_MIXED_PRECISION)}, found {precision}"
        elif precision_v2:
            reason = f"with --precision_mode_v2 expected one of {', '.join(_MIXED_PRECISION_V2)}, found {precision_v2}"
        else:
            reason = "it needs a mode of mixed precision, such as --precision_mode_v2=mixed_float16"
        raise failure("E10001", mixlist, "--modify_mixlist", reason)
    return flags


def check_hf32(flags: FlagValues) -> None:
    """Raise `AtcError` unless `allow_hf32` is a word it takes (row 34)."""
    _check_word(flags, "allow_hf32", "E10005", _TRUE_OR_FALSE)


def _check_word(
    flags: FlagValues, name: str, code: str, allowed: tuple[str, ...], fold: Callable[[str], str] = str
) -> None:
    value = flags[name]
    if fold(value) in allowed:
        return
    if code == "E10005":
        raise failure("E10005", value, f"--{name}")
    raise failure("E10006", value, f"--{name}", " or ".join(word for word in allowed if word))


def _check_file_twice(flags: FlagValues, name: str) -> None:
    if not flags[name]:
        return
    try:
        check_input_path(flags[name], name)
    except AtcError as error:
        missing = message("E10001", flags[name], f"--{name}", "the file is not found")
        raise AtcError(*error.messages, missing) from None


def _check_host(flags: FlagValues) -> None:
    for name, allowed in (
        ("host_env_os", ("linux", "minios")),
        ("host_env_cpu", ("x86_64", "aarch64", "arm64", "arm")),
    ):
        if flags[name] not in allowed:
            raise failure("E10001", flags[name], f"--{name}", f"expected one of {', '.join(allowed)}")


def _check_om2(flags: FlagValues, host: tuple[str, str]) -> None:
    for name, flag in flag_table().items():
        if flag.is_rejected_in_om2 and flags.is_given(name):
            raw = flags.raw.get(name)
            origin = "" if raw is None else f" (raw option '{raw.key}')"
            raise failure("E10001", flags[name], name, f"not supported in OM2 mode (--mode=7){origin}")
    system, cpu = flags["host_env_os"], flags["host_env_cpu"]
    if (system, _same_cpu(cpu)) == (host[0], _same_cpu(host[1])):
        return
    if system != "linux" or _same_cpu(cpu) != "aarch64":
        reason = "OM2 is built for this machine, or for linux on aarch64"
        raise failure("E10001", f"{system}, {cpu}", "--host_env_os/--host_env_cpu", reason)


def _same_cpu(cpu: str) -> str:
    return "aarch64" if cpu == "arm64" else cpu
