"""The command `tile-opt`: xDSL's optimizer driver with the formats, passes and manners of tile-opt."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from typing import IO, TYPE_CHECKING, ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.passes import PassPipeline
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from tools.driver.arguments import ArgumentParser, add_arguments, describe_inherited
from tools.driver.errors import PlacedVerifyException, UserError, exit_status
from tools.driver.pass_observer import PassObserver
from tools.driver.pipeline import canonical_pass_name, parse_passes
from tools.driver.source import STDIN, frontend_of_path, is_stdin, read_source
from tools.driver.specs import construct, parse_single_spec
from tools.driver.whole_files import check_outputs, written_whole
from transforms.remarks import collect_remarks

if TYPE_CHECKING:
    from tools.atc.resolution import Resolution
    from tools.driver.settings_files import SettingsFile


SUBCOMMANDS: Mapping[str, str] = {"compare": "tools.compare", "what-if": "tools.what_if"}
"""The module of each sub-command, whose `run` does the work; an input file of that name is `./compare`."""


class TileOptMain(xDSLOptMain):
    """One run of `tile-opt`: the constructor refuses wrong arguments, `run` does the work.

    Both raise the errors of `tools.driver.errors`, of xDSL and of the system, and `SystemExit` after `--help` and the
    like.
    """

    version_format: ClassVar[str] = f"tile-opt {version('tile-opt')} (xdsl {{xdsl_version}})"

    resolution: Resolution | None = None
    """The GE and ATC options that hold, None if none were given."""

    is_complete: ClassVar[bool] = False
    """Whether options that were not given hold with their defaults too, as for a compilation."""

    def __init__(self, arguments: Sequence[str] | None = None):
        self.available_frontends = {}
        self.available_passes = {}
        self.available_targets = {}
        self.ctx = Context()
        self.register_all_dialects()
        self.register_all_frontends()
        self.register_all_passes()
        self.register_all_targets()

        parser = ArgumentParser()
        self.register_all_arguments(parser)
        describe_inherited(parser, tuple(self.available_frontends), tuple(self.available_targets))
        self.args = parser.parse_known_names(arguments)
        self.resolve_ge_options()
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        if self.args.disable_verify:
            Attribute.__post_init__ = _skip_verification
        if self.args.syntax_highlight:
            Diagnostic.colored = True

        frontends = cast(Mapping[str, Callable[[], type[Frontend]]], self.available_frontends)
        targets = cast(Mapping[str, Callable[[], type[Target]]], self.available_targets)
        if self.args.frontend is not None:
            construct("frontend", frontends, parse_single_spec("-f/--frontend", self.args.frontend))
        construct("target", targets, parse_single_spec("-t/--target", self.args.target))
        check_outputs("-" if self.args.output_file is None else self.args.output_file, self.args.remarks)
        self.setup_pipeline()
        self.settings_files = self.read_settings_files()

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        add_arguments(arg_parser, self.list_passes, self.describe_pass)

    def register_all_frontends(self) -> None:
        super().register_all_frontends()
        self.available_frontends["mlir"] = _get_text_frontend

    def setup_pipeline(self) -> None:
        self.observer = PassObserver(
            prepare=self.prepare,
            verify=not self.args.disable_verify,
            print_between=self.args.print_between_passes,
            print_times=self.args.time_passes,
        )
        self.pipeline = PassPipeline(
            parse_passes(self.available_passes, self.args.passes, strict_keys=self.args.strict_keys), self.observer
        )

    def resolve_ge_options(self) -> None:
        """Take GE and ATC options from the arguments, if there are any."""
        if self.resolution is None and (self.args.atc_flags or self.args.emit or self.args.check_only):
            from tools.atc.in_tile_opt import resolve_arguments

            self.resolution = resolve_arguments(self.args)

    def run(self) -> None:
        if self.args.emit:
            self.print_ge_options()
        elif not self.args.check_only:
            self.compile()

    def print_ge_options(self) -> None:
        from tools.atc.option_output import print_explanation, print_options

        assert self.resolution is not None, "--emit resolves options"
        print_options(self.resolution)
        if self.args.explain:
            print_explanation(self.resolution)

    def compile(self) -> None:
        with ExitStack() as outputs:
            self.output = outputs.enter_context(written_whole(self.args.output_file))
            if self.args.translate_keys is not None:
                self.translate_keys()
                return
            if not (self.args.explain or self.args.remarks):
                self.run_with_ge_options()
                return
            remark_file = outputs.enter_context(written_whole(self.args.remarks)) if self.args.remarks else None
            with collect_remarks() as remarks:
                self.run_with_ge_options()

            from tools.driver.remark_output import explain, remarks_as_json

            if remark_file:
                remark_file.write(remarks_as_json(remarks))
            if self.args.explain:
                print(explain(remarks), file=sys.stderr)

    def read_module(self) -> ModuleOp:
        """The module of the input after the passes, for sub-commands that show results in their own way."""
        ((chunk, offset),), file_extension = self.prepare_input()
        module = self.parse_chunk(chunk, file_extension, offset)
        assert module is not None
        self.apply_passes(module)
        return module

    def run_with_ge_options(self) -> None:
        if self.resolution is not None:
            from tools.atc.option_output import emit_explanation
            from tools.atc.pipeline_effects import pipeline_with_options

            emit_explanation(self.resolution)
            passes = pipeline_with_options(
                self.pipeline.passes, self.resolution, self.available_passes, levels=self.is_complete
            )
            self.pipeline = PassPipeline(passes, self.observer)
        super().run()

    def translate_keys(self) -> None:
        """Write the settings file of `--translate-keys` with other keys; notes about keys that stay go to stderr."""
        from tools.driver.key_translation import translate_keys

        module = self.read_module()
        try:
            translation = translate_keys(self.ctx, self.args.translate_keys, module)
        except DiagnosticException as error:
            raise UserError(f"--translate-keys: {error}", self.get_input_name()) from error
        for option, key in translation.kept:
            print(f"tile-opt: note: {option}: {key} names no class of the graph and stays as it is", file=sys.stderr)
        self.output.write(translation.text)

    def get_input_name(self) -> str:
        return STDIN if is_stdin(self.args.input_file) else self.args.input_file

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        """The decompressed input and the name of the frontend that reads it."""
        path = self.args.input_file
        if self.args.frontend is not None:
            frontend = parse_single_spec("-f/--frontend", self.args.frontend).name
        else:
            frontend = "mlir" if is_stdin(path) else frontend_of_path(path, self.available_frontends)
        return BytesIO(read_source(path)), frontend

    def prepare_output(self) -> IO[str]:
        return self.output

    def parse_chunk(self, chunk: IO[bytes], file_extension: str, start_offset: int = 0) -> ModuleOp | None:
        data = chunk.read()
        self.mlir_source = (data, start_offset) if file_extension == "mlir" else None
        try:
            module = super().parse_chunk(BytesIO(data), file_extension, start_offset)
        except PlacedVerifyException as error:
            error.span = dataclasses.replace(error.span, line_offset=start_offset)
            raise
        except RecursionError as error:
            raise UserError("the input is nested too deeply", self.get_input_name()) from error
        except DiagnosticException as error:
            if self.args.verify_diagnostics:
                raise
            raise UserError(str(error), self.get_input_name()) from error
        if module is not None:
            self.set_rules(module)
        return module

    def set_rules(self, module: ModuleOp) -> None:
        """Let the module carry what the command line says about compatibility and chip."""
        if self.args.compat is not None:
            module.attributes["tile.compat"] = StringAttr(self.args.compat)
        if self.args.soc_version is not None:
            module.attributes["tile.soc"] = StringAttr(self.args.soc_version)

    def prepare(self, module: ModuleOp) -> None:
        """Let a verified module have what GE options and settings files say."""
        if self.resolution is not None:
            from tools.atc.model_effects import apply_to_module

            apply_to_module(module, self.resolution, needs_static_inputs=self.is_complete)
        self.apply_settings_files(module)

    def read_settings_files(self) -> Sequence[SettingsFile]:
        """The files of `--pass-options`, weakest first."""
        if not self.args.pass_options:
            return ()
        if is_stdin(self.args.input_file) and any(is_stdin(path) for path in self.args.pass_options):
            raise UserError("--pass-options=- and the input cannot both come from stdin")

        from tools.driver.settings_files import read_settings_file

        return [read_settings_file(path) for path in self.args.pass_options]

    def apply_settings_files(self, module: ModuleOp) -> None:
        """Let the functions and ops of the module carry what `--pass-options` says."""
        if self.settings_files:
            from tools.driver.settings_files import layers_of
            from transforms.module_rules import compat_of
            from transforms.option_layers import apply_option_layers

            apply_option_layers(module, layers_of(self.settings_files, module, compat_of(module)))

    def apply_passes(self, prog: ModuleOp) -> None:
        try:
            super().apply_passes(prog)
        except DiagnosticException as error:
            if self.args.verify_diagnostics:
                raise
            raise self.failure(prog, error) from error
        except Exception as error:
            if self.observer.running is not None:
                error.add_note(f"in pass '{self.observer.running}'")
            raise

    def output_resulting_program(self, prog: ModuleOp) -> str:
        try:
            return super().output_resulting_program(prog)
        except Exception as error:
            error.add_note(f"in target '{self.args.target}'")
            raise

    def failure(self, module: ModuleOp, error: DiagnosticException) -> Exception:
        """What to tell the user when a pass gave up, or the module does not verify."""
        from tools.driver.verification import describe_failure, place_failure

        name = self.get_input_name()
        if self.observer.running is not None:
            return UserError(f"{self.observer.running}: {error}", name)
        if self.observer.finished is not None:
            return UserError(f"after {self.observer.finished}: {describe_failure(module, str(error))}", name)
        if self.mlir_source is not None:
            placed = place_failure(self.ctx, *self.mlir_source, name, str(error))
            if placed is not None:
                return placed
        return UserError(describe_failure(module, str(error)), name)

    def list_passes(self, _: object) -> str:
        """The text of `--list-passes`."""
        from tools.driver.pass_help import list_passes
        from transforms import get_all_passes

        return list_passes(self.available_passes, get_all_passes())

    def describe_pass(self, name: str) -> str:
        """The text of `--help-pass`."""
        from tools.driver.pass_help import describe_pass, describe_pipeline
        from transforms import NAMED_PIPELINES

        canonical = canonical_pass_name(self.available_passes, name)
        if canonical in NAMED_PIPELINES:
            return describe_pipeline(canonical, self.available_passes)
        return describe_pass(canonical, self.available_passes[canonical]())


def _skip_verification(self: Attribute) -> None:
    """Stands in for the verification of attributes under `--disable-verify`."""


def _get_text_frontend() -> type[Frontend]:
    from tools.driver.text_frontend import TextFrontend

    return TextFrontend


@contextmanager
def _deep_recursion() -> Generator[None]:
    """Within the block, xDSL's parser, verifier and printer may enter scopes that are nested 1,000 deep."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 10_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `tile-opt` with the arguments of the command line, or the given ones, and return its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    with _deep_recursion():
        if given and (module := SUBCOMMANDS.get(given[0])) is not None:
            return exit_status(lambda: import_module(module).run(given[1:]))
        return exit_status(lambda: TileOptMain(given).run())


if __name__ == "__main__":
    sys.exit(main())
