"""Every call on the published page of the pass options, on kernels of our own, with the effect that it promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from python_api_kernels import HALF, SQUARE, captured, operations, parsed, resolved, traced
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from dialect import frontend as pypto
from dialect.frontend import PassOptionError, Tensor
from dialect.ops import functions_of
from dialect.values import integer_of
from transforms import get_all_passes

F32 = pypto.DT_FP32
ROWS = pypto.tensor((256, 64), F32)


def after(module: ModuleOp, *passes: str) -> ModuleOp:
    """What a pipeline makes of the text of a module."""
    result = parsed(str(module))
    for name in ("resolve-pass-options", *passes):
        get_all_passes()[name]()().apply(Context(), result)
        result.verify()
    return result


def sizes(module: ModuleOp, opcode: str) -> list[int]:
    """How many ops of an opcode each subgraph holds that holds any, in ascending order."""
    counts: dict[int | None, int] = {}
    for op in operations(module):
        if op.opcode.name == opcode:
            counts[op.subgraph] = counts.get(op.subgraph, 0) + 1
    return sorted(counts.values())


def tiles(x: Tensor, y: Tensor, label_of_first: str = "") -> None:
    """Eight independent tiles, each loaded, computed and stored; the multiply of the first may be labelled."""
    for row in range(0, 256, 32):
        if row == 0:
            pypto.set_semantic_label(label_of_first)
        scaled = pypto.mul(x[row : row + 32], 0.125)
        pypto.set_semantic_label("")
        y[row : row + 32] = pypto.exp(scaled)


def merged(call: Callable[[], None], label: str = "", **options: object) -> list[int]:
    """The sizes of the vector subgraphs after the vector merge, where the kernel begins with a call."""

    def k(x: Tensor, y: Tensor) -> None:
        call()
        tiles(x, y, label)

    return sizes(after(traced(k, ROWS, ROWS, **options), "graph-partition", "n-buffer-merge"), "EXP")  # pyright: ignore[reportArgumentType]


class TestMergeSettings:
    """The three dictionaries."""

    def test_all_three_by_function(self) -> None:
        """Class names and a default for all three options at once; they are carried as they are written."""
        setting = {"DEFAULT": 4, "func8_0": 1, "func8_1": 1}

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(
                vec_nbuffer_setting=setting, cube_l1_reuse_setting=setting, cube_nbuffer_setting=setting
            )
            tiles(x, y)

        module = resolved(traced(k, ROWS, ROWS))
        assert captured(next(functions_of(module))) == {
            "vec_nbuffer_setting": setting,
            "cube_l1_reuse_setting": setting,
            "cube_nbuffer_setting": setting,
        }

    @pytest.mark.parametrize(
        ("setting", "expected"),
        [
            ({"DEFAULT": 1}, [1] * 8),
            ({"DEFAULT": 2}, [2] * 4),
            ({"DEFAULT": 4}, [4] * 2),
            ({"DEFAULT": 4, "func1_0": 1}, [1] * 8),
            ({"DEFAULT": 2, "func1_0": 4}, [4] * 2),
            ({"DEFAULT": 2, "func1_1": 4}, [2] * 4),
            ({"func1_0": 2}, [2] * 4),
            ({}, [1] * 8),
        ],
    )
    def test_precedence(self, setting: dict[str, int], expected: list[int]) -> None:
        """The exact class before DEFAULT before the automatic number; 1 does not merge."""
        assert merged(lambda: pypto.set_pass_options(vec_nbuffer_setting=setting)) == expected

    @pytest.mark.parametrize(
        ("setting", "expected"),
        [
            ({"DEFAULT": 2, "V1": 1}, [1] * 8),
            ({"DEFAULT": 4, "V1": 2}, [2] * 4),
            ({"DEFAULT": 1, "V1": 4}, [4] * 2),
            ({"DEFAULT": 2, "func1_0": 2, "V1": 8}, [8]),
        ],
    )
    def test_labels(self, setting: dict[str, int], expected: list[int]) -> None:
        """A label replaces the number of the class of the op that carries it, and covers the class as a whole."""
        assert merged(lambda: pypto.set_pass_options(vec_nbuffer_setting=setting), "V1") == expected

    def test_set_behind_the_ops(self) -> None:
        """Options may be set at any time: behind the ops too, in a kernel whose label stands before."""

        def k(x: Tensor, y: Tensor) -> None:
            tiles(x, y, "V1")
            pypto.set_pass_options(vec_nbuffer_setting={"DEFAULT": 2, "V1": 4})

        assert sizes(after(traced(k, ROWS, ROWS), "graph-partition", "n-buffer-merge"), "EXP") == [4, 4]

    def test_two_labels_on_one_class(self) -> None:
        """The larger of the numbers holds."""

        def k(x: Tensor, y: Tensor) -> None:
            for row in range(0, 256, 32):
                pypto.set_semantic_label("V1")
                scaled = pypto.mul(x[row : row + 32], 0.125)
                pypto.set_semantic_label("V2")
                y[row : row + 32] = pypto.exp(scaled)
            pypto.set_semantic_label("")
            pypto.set_pass_options(vec_nbuffer_setting={"DEFAULT": 2, "V1": 1, "V2": 4})

        assert sizes(after(traced(k, ROWS, ROWS), "graph-partition", "n-buffer-merge"), "EXP") == [4, 4]

    def test_label_of_a_matmul(self) -> None:
        """A label as the only key of the L1 option: it acts on the subgraphs that carry it."""

        def k(a: Tensor, b: Tensor, out: Tensor) -> None:
            pypto.set_pass_options(cube_l1_reuse_setting={"MM1": 4})
            for row in range(0, 256, 32):
                pypto.set_semantic_label("MM1" if row < 128 else "")
                out[row : row + 32] = pypto.matmul(a[row : row + 32], b)
            pypto.set_semantic_label("")

        tall = pypto.tensor((256, 64), pypto.DT_FP16)
        module = traced(k, tall, HALF, ROWS)
        whole = after(module, "graph-partition", "n-buffer-merge", "l1-copy-in-reuse-merge")
        assert sizes(whole, "A_MUL_B") == [1, 1, 1, 1, 4]

    @pytest.mark.parametrize("key", ["Func0_0", "func_0", "func123"])
    def test_illegal_keys(self, key: str) -> None:
        """The three keys that the page calls illegal are errors that say the legal form."""
        for option in ("vec_nbuffer_setting", "cube_l1_reuse_setting", "cube_nbuffer_setting"):
            with pytest.raises(PassOptionError, match=r"expected func\{magic\}_\{order\}"):
                pypto.set_pass_options(**{option: {key: 2}})  # pyright: ignore[reportArgumentType]

    @pytest.mark.parametrize("key", ["func0_0", "func123_5", "func8_1"])
    def test_legal_keys(self, key: str) -> None:
        """The three keys that the page calls legal."""
        with pypto.options():
            pypto.set_pass_options(vec_nbuffer_setting={key: 2})
            assert pypto.get_pass_options()["vec_nbuffer_setting"] == {key: 2}

    def test_label_that_no_op_carries(self) -> None:
        """It fails to compile, naming the label and those that exist."""
        with pytest.raises(PassFailedException, match=r"'V3'.*V1"):
            merged(lambda: pypto.set_pass_options(vec_nbuffer_setting={"V3": 2}), "V1")

    def test_scope_of_settings(self) -> None:
        """A setting is local to its loop; without one, that of the surrounding scope is inherited."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(vec_nbuffer_setting={"DEFAULT": 2})
            for _ in pypto.loop(2, name="own"):
                pypto.set_pass_options(vec_nbuffer_setting={"DEFAULT": 4})
                tiles(x, y)
            for _ in pypto.loop(2, name="inherited"):
                tiles(x, y)

        whole = after(traced(k, ROWS, ROWS), "graph-partition", "n-buffer-merge")
        own, inherited = functions_of(whole)
        assert [max(op.subgraph or 0 for op in function.operations()) + 1 for function in (own, inherited)] == [2, 4]


class TestScopes:
    """`sg_set_scope`: the four calls, the scenarios, the constraints."""

    @pytest.mark.parametrize(
        ("value", "read"),
        [
            (10, (10, False, False)),
            ((1, True, False), (1, True, False)),
            ((2, False, True), (2, False, True)),
            (-1, (-1, False, False)),
        ],
    )
    def test_forms(self, value: int | tuple[int, bool, bool], read: tuple[int, bool, bool]) -> None:
        """An id alone means no flags; -1 is the default again."""
        with pypto.options(pass_options={"sg_set_scope": 7}):
            pypto.set_pass_options(sg_set_scope=value)
            assert pypto.get_pass_options()["sg_set_scope"] == read

    def test_whole_graph_in_one_subgraph(self) -> None:
        """Scenario 1: with parallel merging allowed, branches that nothing connects become one subgraph."""

        def k(scope: Sequence[int]) -> Callable[[Tensor, Tensor], None]:
            def body(x: Tensor, y: Tensor) -> None:
                pypto.set_pass_options(sg_set_scope=tuple(scope))  # pyright: ignore[reportArgumentType]
                tiles(x, y)

            return body

        assert sizes(after(traced(k((1, True, False)), ROWS, ROWS), "graph-partition"), "EXP") == [8]
        assert sizes(after(traced(k((1, False, False)), ROWS, ROWS), "graph-partition"), "EXP") == [1] * 8

    def test_marked_cube_and_vector_ops(self) -> None:
        """Scenario 2.1 (A5): a scope around a product and the vector ops next to it gives a mixed subgraph."""

        def k(x: Tensor, w: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(sg_set_scope=(1, False, False))
            product = pypto.matmul(x, w)
            scaled = pypto.mul(product, 0.5)
            pypto.set_pass_options(sg_set_scope=-1)
            y[:] = scaled

        module = traced(k, HALF, HALF, SQUARE, soc="a5")
        assert fused(after(module, "graph-partition", "reduce-copy-merge"))
        free = traced(lambda x, w, y: y.move(pypto.mul(pypto.matmul(x, w), 0.5)), HALF, HALF, SQUARE, soc="a5")
        assert not fused(after(free, "graph-partition", "reduce-copy-merge"))

    def test_anchor_that_grows(self) -> None:
        """Scenario 2.2 (A5): with cross-scope merging allowed, vector ops without scope join those of the anchor."""

        def k(cross: bool) -> Callable[[Tensor, Tensor, Tensor], None]:
            def body(x: Tensor, w: Tensor, y: Tensor) -> None:
                before = pypto.cast(pypto.exp(pypto.cast(x, F32)), pypto.DT_FP16)
                pypto.set_pass_options(sg_set_scope=(1, False, cross))
                product = pypto.matmul(before, w)
                added = pypto.add(product, 1.0)
                pypto.set_pass_options(sg_set_scope=-1)
                y[:] = pypto.sqrt(added)

            return body

        def together(cross: bool) -> bool:
            module = after(traced(k(cross), HALF, HALF, SQUARE, soc="a5"), "graph-partition")
            subgraph = {op.opcode.name: op.subgraph for op in operations(module)}
            return subgraph["ADDS"] == subgraph["SQRT"]

        assert (together(True), together(False)) == (True, False)

    def test_cube_and_vector_on_separate_cores(self) -> None:
        """The same scope on A2/A3 is an error that names both ops."""

        def k(x: Tensor, w: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(sg_set_scope=1)
            y[:] = pypto.mul(pypto.matmul(x, w), 0.5)

        with pytest.raises(PassFailedException, match=r"scope 1 holds the cube op A_MUL_B .* and the vector op MULS"):
            resolved(traced(k, HALF, HALF, SQUARE))

    def test_one_scope_with_two_kinds_of_flags(self) -> None:
        """All ops of a scope must have the same flags; the error names two that differ."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(sg_set_scope=(1, True, False))
            t = pypto.exp(x)
            pypto.set_pass_options(sg_set_scope=(1, False, False))
            y[:] = pypto.sqrt(t)

        with pytest.raises(PassFailedException, match="scope 1 has different flags"):
            resolved(traced(k))

    @pytest.mark.parametrize("flags", [(True, False), (False, True), (True, True)])
    def test_flags_without_scope(self, flags: tuple[bool, bool]) -> None:
        """With id -1 both flags must be False."""
        with pytest.raises(PassOptionError, match="with scope id -1"):
            pypto.set_pass_options(sg_set_scope=(-1, *flags))

    def test_different_scopes_stay_apart(self) -> None:
        """Two scopes that may grow do not grow into one another."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(sg_set_scope=(1, False, True))
            t = pypto.exp(x)
            pypto.set_pass_options(sg_set_scope=(2, False, True))
            y[:] = pypto.sqrt(t)

        module = after(traced(k), "graph-partition", "check-partition")
        subgraph = {op.opcode.name: op.subgraph for op in operations(module)}
        assert subgraph["EXP"] != subgraph["SQRT"]


def fused(module: ModuleOp) -> bool:
    """Whether the product and the vector op that reads it carry one fuse id and ended up in one subgraph."""
    ops = {op.opcode.name: op for op in operations(module)}
    product, vector = ops["A_MUL_B"], ops["MULS"]
    same_id = integer_of(product.properties.get("cv_fuse_id")) is not None and (
        product.properties.get("cv_fuse_id") == vector.properties.get("cv_fuse_id")
    )
    return same_id and product.subgraph == vector.subgraph


class TestOtherOptions:
    """The algorithm of the partition, and automatic mixing."""

    @pytest.mark.parametrize("algorithm", ["Iso", "OspSarkar", "OspBsp"])
    def test_algorithms(self, algorithm: str) -> None:
        """The three names are accepted and reach the function."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(pg_partition_algorithm=algorithm)
            tiles(x, y)

        assert captured(next(functions_of(resolved(traced(k, ROWS, ROWS))))) == {"pg_partition_algorithm": algorithm}

    def test_unknown_algorithm(self) -> None:
        """Another name is an error that lists the three."""
        with pytest.raises(PassOptionError, match="expected one of 'Iso', 'OspSarkar', 'OspBsp', found 'Osp'"):
            pypto.set_pass_options(pg_partition_algorithm="Osp")

    @pytest.mark.parametrize(("value", "mixed"), [(0, False), (1, True)])
    def test_automatic_mixing(self, value: int, mixed: bool) -> None:
        """On chips with mixed cores 1 lets a product and its vector op become one subgraph; 0 does not."""

        def k(x: Tensor, w: Tensor, y: Tensor) -> None:
            pypto.set_pass_options(auto_mix_partition=value)
            y[:] = pypto.mul(pypto.matmul(x, w), 0.5)

        module = after(traced(k, HALF, HALF, SQUARE, soc="a5"), "graph-partition", "reduce-copy-merge")
        subgraph = {op.opcode.name: op.subgraph for op in operations(module)}
        assert (subgraph["A_MUL_B"] == subgraph["MULS"]) is mixed

    def test_no_value_returned(self) -> None:
        """The call returns nothing."""
        with pypto.options():
            assert pypto.set_pass_options(auto_mix_partition=0) is None  # pyright: ignore[reportFunctionCallReturnType]
