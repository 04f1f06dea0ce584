"""Kernels of the Python API: their arguments, the functions that they become, and the tensors between these."""

from __future__ import annotations

import gc
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from python_api_kernels import (
    HALF,
    SQUARE,
    mnemonics,
    only_function,
    operations,
    parsed,
    resolved,
    traced,
)
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import BlockArgument

from dialect import frontend as pypto
from dialect.compat import Compat
from dialect.frontend import PassOptionError, Tensor
from dialect.ops import FuncOp, functions_of
from dialect.scopes import LoopOp

F32 = pypto.DT_FP32


def functions(module: ModuleOp) -> dict[str, FuncOp]:
    return {function.symbol: function for function in functions_of(module)}


def arguments(function: FuncOp) -> tuple[list[str | None], list[str | None]]:
    """The names of the incasts and of the outcasts."""
    return [argument.name_hint for argument in function.ins], [argument.name_hint for argument in function.outs]


class TestArguments:
    """Where the shapes and types of a kernel's tensors come from."""

    def test_annotations(self) -> None:
        """Tensors that are declared by annotations need no call; other parameters have their defaults."""

        @pypto.jit
        def scale(x: pypto.tensor((128, 64), F32), y: pypto.tensor((128, 64), F32), factor: float = 0.5) -> None:  # pyright: ignore[reportInvalidTypeForm]
            """Multiply by a factor."""
            y[:] = x * factor

        assert scale.__name__ == "scale" and scale.__doc__ == "Multiply by a factor."
        assert mnemonics(scale.module) == ["view", "muls", "assemble"]
        assert "tile.scalar<f32, 0.5>" in str(scale.module)
        assert "tile.scalar<f32, 2.0>" in str(scale(factor=2.0))
        assert "tile.scalar<f32, 2.0>" in str(scale.module)

    def test_examples(self) -> None:
        """A call with declarations or arrays takes their shapes and types; a flag reaches the function as it is."""

        @pypto.jit()
        def k(x: Any, y: Any, twice: bool) -> None:
            y[:] = x + x if twice else x

        module = k(np.zeros((8, 16), np.float16), pypto.tensor((8, 16), pypto.DT_FP16), True)
        assert mnemonics(module) == ["view", "add", "assemble"]
        assert k.module is module
        torch_like = SimpleNamespace(shape=(8, 16), dtype="torch.bfloat16")
        assert "8x16xbf16" in str(k(torch_like, torch_like, twice=False))

    def test_dynamic_extents(self) -> None:
        """An extent that is not known yet is declared as -1; an example may say it."""

        @pypto.jit
        def k(x: pypto.tensor((-1, 64), F32), y: pypto.tensor((-1, 64), F32)) -> None:  # pyright: ignore[reportInvalidTypeForm]
            for i in pypto.loop(8):
                y[i * 32 : i * 32 + 32] = pypto.exp(x[i * 32 : i * 32 + 32])

        assert "%x: !tile.tensor<?x64xf32, ddr>" in str(k.module)
        assert "%x: !tile.tensor<256x64xf32, ddr>" in str(k(np.zeros((256, 64), np.float32)))

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            ((), "k: no shape and element type for 'x', 'y': annotate them"),
            ((np.zeros((2, 2), np.float32),), "k: no shape and element type for 'y'"),
            ((1, 2, 3, 4), "k: too many positional arguments"),
            ((np.zeros((2, 2), np.complex64), 1), "k: argument 'x': expected a data type such as DT_FP32"),
            ((np.zeros((2, 2), np.float32), SQUARE, 5), "k: argument 'z': expected a tensor such as Tensor([64, 64]"),
            ((SQUARE, SQUARE, HALF), "k: argument 'z': expected Tensor([64, 64], DT_FP32, ddr), as it is annotated"),
            ((SQUARE, SQUARE, np.zeros((64, 1), "f4")), "as it is annotated, found Tensor([64, 1]"),
        ],
    )
    def test_mistakes(self, given: tuple[object, ...], text: str) -> None:
        """A mistake names the kernel and the argument, and leaves what the kernel was traced with before."""

        def k(x: Any, y: Any, z: SQUARE) -> None:  # pyright: ignore[reportInvalidTypeForm]
            pypto.exp(x)

        kernel = pypto.jit(k)
        with pytest.raises(TypeError) as caught:
            kernel(*given)
        assert text in str(caught.value)
        module = kernel(SQUARE, SQUARE)
        with pytest.raises(TypeError):
            kernel(1, 2, 3, 4)
        assert kernel.module is module

    def test_tensors_of_other_kernels(self) -> None:
        """A tensor of a finished kernel is no argument of another one, nor can it be used there."""
        kept: list[Tensor] = []

        def first(x: Tensor, y: Tensor) -> None:
            kept.extend([x, x + 1])

        traced(first)
        for tensor in kept:
            with pytest.raises(TypeError, match="argument 'x': expected a declared tensor"):
                traced(first, tensor, SQUARE)
            with pytest.raises(TypeError, match="argument 'input': expected a tensor of this kernel"):
                traced(lambda x, y: pypto.exp(tensor))  # noqa: B023

    @pytest.mark.parametrize(
        ("keywords", "error", "text"),
        [
            ({"pass_options": {"vec_nbuffer": {}}}, TypeError, "unexpected option 'vec_nbuffer', did you mean"),
            ({"pass_options": {"pg_lower_bound": 3}}, TypeError, "unexpected option 'pg_lower_bound'"),
            ({"pass_options": 3}, TypeError, "expected a dictionary of pass options, found 3"),
            ({"pass_options": {"sg_set_scope": "a"}}, PassOptionError, "sg_set_scope"),
            ({"compat": "x"}, ValueError, "jit: argument 'compat': expected 'published' or 'pypto', found 'x'"),
            ({"soc": "a6"}, ValueError, "unknown SoC 'a6'"),
            ({"passoptions": {}}, TypeError, "unexpected keyword"),
            ({"function": lambda *x: x}, TypeError, "the parameters of a kernel have names of their own, found '*x'"),
            ({"function": 3}, TypeError, "jit: argument 'function': expected a function, found 3"),
        ],
    )
    def test_mistakes_of_decorators(self, keywords: Any, error: type[Exception], text: str) -> None:
        """The decorator's arguments are checked where they stand."""
        with pytest.raises(error) as caught:
            pypto.jit(**keywords)
        assert text in str(caught.value)

    def test_rules_and_chip(self) -> None:
        """The module says by which rules and for which chip it was made."""
        module = traced(lambda x, y: x, compat=Compat.PYPTO, soc="Ascend950PR_9579")
        assert module.attributes == {"tile.compat": StringAttr("pypto"), "tile.soc": StringAttr("Ascend950PR_9579")}


class TestFunctions:
    """A function ends where a loop begins or ends, and where the kernel ends."""

    def test_names_and_nesting(self) -> None:
        """Functions are named by kernel and loops; loops say their index and bounds."""

        def k(x: Tensor, y: Tensor) -> None:
            y[0:32] = pypto.exp(x[0:32])
            for i in pypto.loop(2, name="rows"):
                for j in pypto.loop(i, 8, 2, idx_name="column"):
                    y[32:64] = x[i * 4 + j : i * 4 + j + 32] + 1
            for _ in pypto.loop(1, 3):
                pypto.exp(x)

        module = traced(k)
        assert list(functions(module)) == ["k", "k_rows_loop", "k_loop_1"]
        loops = {op.sym_name.data: op for op in module.walk() if isinstance(op, LoopOp)}
        assert {name: str(loop.attributes["frontend.index"]) for name, loop in loops.items()} == {
            "rows": '"loop_idx_rows"',
            "loop": '"column"',
            "loop_1": '"loop_idx_loop_1"',
        }
        assert str(loops["loop"].attributes["frontend.range"]) == '["loop_idx_rows", 8 : i64, 2 : i64]'
        assert [f.symbol for f in functions_of(resolved(module))] == ["k", "k_rows_loop", "k_loop_1"]
        view = operations(module)[3]
        assert str(view.properties["dyn_offsets"]) == '["loop_idx_rows * 4 + column", 0 : i64]'

    def test_no_op_no_function(self) -> None:
        """A kernel, a loop and a block without ops leave no function."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(sg_set_scope=1)
            for _ in pypto.loop(3):
                with pypto.options():
                    pass

        module = traced(k)
        assert functions(module) == {}
        assert str(parsed(str(module))) == str(module)

    def test_arguments(self) -> None:
        """What a function reads are its incasts, what it writes its outcasts, in the kernel's order."""

        def k(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> None:
            d[:] = pypto.exp(b) + a
            c[:] = b

        assert arguments(only_function(traced(k, SQUARE, SQUARE, SQUARE, SQUARE))) == (["a", "b"], ["c", "d"])

    def test_results_of_earlier_functions(self) -> None:
        """A result that a later function reads becomes an outcast of the one and an incast of the other."""

        def k(x: Tensor, y: Tensor) -> None:
            t = pypto.exp(x)
            for i in pypto.loop(2):
                u = t[i * 32 : i * 32 + 32] + 1
            y[0:32] = u + 1  # pyright: ignore[reportPossiblyUnboundVariable]

        module = traced(k)
        assert {name: arguments(function) for name, function in functions(module).items()} == {
            "k": (["x"], ["t2"]),
            "k_loop": (["t2"], ["t3"]),
            "k_1": (["t3"], ["y"]),
        }
        assert mnemonics(module) == [*["view", "exp", "assemble"], *["view", "adds", "assemble"] * 2]

    def test_windows_of_earlier_functions(self) -> None:
        """A window of an argument is taken again where it is read, unless the argument was written since."""

        def k(x: Tensor, y: Tensor) -> None:
            before, after = x[0:32], x[32:64]
            pypto.exp(before)
            for _ in pypto.loop(2):
                x[32:64] = pypto.exp(before)
            y[0:32] = after + before

        module = traced(k)
        assert {name: arguments(function) for name, function in functions(module).items()} == {
            "k": (["x"], ["t2", "t3"]),
            "k_loop": (["x"], ["x"]),
            "k_1": (["t2", "t3"], ["y"]),
        }

    def test_windows_at_the_index_of_a_loop_that_has_ended(self) -> None:
        """Behind the loop the index means nothing: the window is stored in the loop."""

        def k(x: Tensor, y: Tensor) -> None:
            for i in pypto.loop(2, name="rows"):
                window = x[i * 32 : i * 32 + 32]
            y[0:32] = pypto.exp(window)  # pyright: ignore[reportPossiblyUnboundVariable]

        assert arguments(functions(traced(k))["k"]) == (["t2"], ["y"])

    def test_a_result_in_ddr_is_not_copied_again(self) -> None:
        """What already stands in DDR is read there by later functions."""

        def k(x: Tensor, y: Tensor) -> None:
            (t,) = pypto.operation("HUB", [x], [((64, 64), F32)])
            for _ in pypto.loop(2):
                y[:] = pypto.exp(t)

        module = traced(k)
        assert mnemonics(module) == ["hub", "view", "exp", "assemble"]
        assert "tile.hub %x into %t2" in str(module)

    def test_local_tensors(self) -> None:
        """A tensor that one function alone uses is a buffer of it; one that several use is an argument of each."""

        def k(x: Tensor, y: Tensor) -> None:
            local, shared = pypto.tensor((64, 64), F32), pypto.tensor((64, 64), F32, name="shared")
            for place in (0, 32):
                local[place : place + 32] = pypto.exp(x[place : place + 32])
            shared[:] = local + 1
            for _ in pypto.loop(2):
                y[:] = shared

        module = traced(k)
        assert {name: arguments(function) for name, function in functions(module).items()} == {
            "k": (["x"], ["shared"]),
            "k_loop": (["shared"], ["y"]),
        }
        assert str(module).count("tile.buffer : !tile.tensor<64x64xf32, ddr>") == 1

    def test_local_tensors_on_chip(self) -> None:
        """A tensor on chip is a buffer, and does not outlive its function."""

        def k(x: Tensor, y: Tensor, *, later: bool) -> None:
            tile = pypto.tensor((64, 64), F32, memory="l1")
            tile[:] = pypto.exp(x)
            y[:] = tile @ x
            if later:
                for _ in pypto.loop(2):
                    y[:] = tile @ x

        module = traced(lambda x, y: k(x, y, later=False), soc="a5")
        assert "tile.buffer : !tile.tensor<64x64xf32, l1>" in str(module)
        with pytest.raises(ValueError, match="was written in another function; only tensors in ddr outlive"):
            traced(lambda x, y: k(x, y, later=True))

    def test_in_place(self) -> None:
        """An argument that is read and then written is an incast and an outcast of one storage."""

        def k(x: Tensor, y: Tensor) -> None:
            x[:] = pypto.exp(x)
            y[:] = x + 1

        function = only_function(traced(k))
        assert arguments(function) == (["x"], ["x", "y"])
        incast, outcast, other = function.properties_of_arguments()
        assert incast["storage"] == outcast["storage"] and not other
        load, _, store, load_again, _, _ = function.operations()
        assert load.operands[0] is function.ins[0]
        assert store.operands[-1] is load_again.operands[0] is function.outs[0]

    def test_written_again_after_a_read(self) -> None:
        """One function cannot express it; another one can."""

        def k(x: Tensor, y: Tensor, *, loop: bool) -> None:
            y[0:32] = pypto.exp(x[0:32])
            t = y + 1
            for _ in pypto.loop(2) if loop else range(1):
                y[32:64] = t[32:64]

        with pytest.raises(ValueError, match="written after it has been read again: within one function"):
            traced(lambda x, y: k(x, y, loop=False))
        assert len(functions(traced(lambda x, y: k(x, y, loop=True)))) == 2

    def test_locations(self) -> None:
        """Every op says the file and line of the call that made it, the loads and stores for it too."""

        def k(x: Tensor, y: Tensor) -> None:
            y[:] = pypto.exp(x)

        line = k.__code__.co_firstlineno + 1
        assert [str(op.properties["loc"]) for op in operations(traced(k))] == [
            f'"test_python_api_kernels.py:{line}"'
        ] * 3


class TestLeftEarly:
    """Loops and kernels that are left before their end."""

    @pytest.mark.parametrize("way", ["break", "return", "next"])
    def test_loop(self, way: str) -> None:
        """The device runs the loop, so leaving its body early is an error."""

        def k(x: Tensor, y: Tensor) -> None:
            if way == "next":
                next(iter(pypto.loop(3, name="rows")))
                return
            for _ in pypto.loop(3, name="rows"):
                if way == "return":
                    return
                break

        with pytest.raises(RuntimeError, match="k: the body of loop 'rows' was left early"):
            traced(k)
        assert pypto.get_pass_options()["sg_set_scope"] == (-1, False, False)

    def test_exception(self) -> None:
        """An exception ends all scopes, also when Python forgets the loop only later; the next kernel is fine."""
        kept: list[BaseException] = []

        def k(x: Tensor, y: Tensor) -> None:
            with pypto.options(pass_options={"sg_set_scope": 3}):
                for _ in pypto.loop(3):
                    pypto.set_semantic_label("V")
                    raise KeyError

        with pytest.raises(KeyError) as caught:
            traced(k)
        kept.append(caught.value)
        pypto.set_pass_options(auto_mix_partition=1)
        kept.clear()
        del caught
        gc.collect()
        assert pypto.get_pass_options()["auto_mix_partition"] == 1
        pypto.reset_options()
        assert (pypto.get_semantic_label(), pypto.get_pass_options()["sg_set_scope"]) == ("", (-1, False, False))
        assert mnemonics(traced(lambda x, y: x + 1)) == ["view", "adds"]

    def test_exception_that_the_kernel_handles(self) -> None:
        """An exception may leave a block; ops behind the block have what held before it."""

        def k(x: Tensor, y: Tensor) -> None:
            try:
                with pypto.options(pass_options={"sg_set_scope": 3}):
                    pypto.exp(x)
                    raise KeyError
            except KeyError:
                pypto.sqrt(x)

        module = resolved(traced(k))
        assert ["scope_id" in op.properties for op in operations(module)] == [True, True, False, False]

    def test_kernel_in_kernel(self) -> None:
        """A kernel is no function of another one, neither with its tensors nor with others."""
        inner = pypto.jit(lambda x, y: x)
        inner(SQUARE, SQUARE)

        def k(x: Tensor, y: Tensor) -> None:
            inner(x, y)

        def other(x: Tensor, y: Tensor) -> None:
            inner(SQUARE, SQUARE)

        with pytest.raises(TypeError, match="in a kernel call plain functions, not kernels"):
            traced(k)
        with pytest.raises(RuntimeError, match="cannot be called while kernel other is traced; call a plain function"):
            traced(other)

    def test_rules_inside_a_kernel(self) -> None:
        """The rules of a kernel cannot be changed in the middle."""

        def k(x: Tensor, y: Tensor) -> None:
            with pypto.options(compat="pypto"):
                pypto.exp(x)

        with pytest.raises(RuntimeError, match="the rules in a kernel are those of the kernel"):
            traced(k)


class TestLoops:
    """The arguments of loops."""

    @pytest.mark.parametrize(
        ("given", "keywords", "error", "text"),
        [
            ((), {}, TypeError, "expected end; start, end; or start, end, step; found 0 numbers"),
            ((1, 2, 3, 4), {}, TypeError, "found 4 numbers"),
            ((1.5,), {}, TypeError, "loop: argument 'bounds': expected an integer, found 1.5"),
            ((0, 4, 0), {}, ValueError, "loop: argument 'step': expected a number of at least 1, found 0"),
            ((4,), {"name": "a b"}, ValueError, "loop: argument 'name': expected an identifier, found 'a b'"),
            ((4,), {"idx_name": 3}, TypeError, "loop: argument 'idx_name': expected a string, found 3"),
            ((4,), {"unroll": 3}, TypeError, "unexpected keyword"),
        ],
    )
    def test_mistakes(self, given: Any, keywords: Any, error: type[Exception], text: str) -> None:
        """A mistake is an error where the loop stands, before its body."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.loop(*given, **keywords)

        with pytest.raises(error) as caught:
            traced(k)
        assert text in str(caught.value)

    def test_branches(self) -> None:
        """A kernel cannot branch on an index."""

        def k(x: Tensor, y: Tensor) -> None:
            for i in pypto.loop(4):
                if i % 2:
                    pypto.exp(x)

        with pytest.raises(TypeError, match="a kernel cannot branch on a loop index"):
            traced(k)


def test_threads_trace_kernels_of_their_own() -> None:
    """Kernels that several threads trace at the same time do not see one another."""
    barrier = threading.Barrier(4)
    modules: dict[int, str] = {}

    def work(number: int) -> None:
        def k(x: Tensor, y: Tensor) -> None:
            for _ in pypto.loop(2):
                pypto.set_pass_options(sg_set_scope=number + 1)
                barrier.wait()
                y[:] = x + number
                barrier.wait()

        modules[number] = str(traced(k))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        text = modules[number]
        assert f"sg_set_scope = {number + 1}" in text and f"tile.scalar<f32, {number}.0>" in text
        assert text.count("tile.adds") == 1 and text.count("tile.set_pass_options") == 1


def test_values_of_the_module_are_named() -> None:
    """Arguments keep the names of the parameters through the text."""
    module = parsed(str(traced(lambda x, y: y.move(x))))
    function = only_function(module)
    assert all(isinstance(argument, BlockArgument) for argument in function.arguments)
    assert arguments(function) == (["x"], ["y"])
