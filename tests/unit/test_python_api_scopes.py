"""Which options and label ops and functions of a kernel get (pass options, sections 2 to 6), as Python and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from python_api_kernels import (
    SQUARE,
    captured,
    captured_values,
    operations,
    parsed,
    resolved,
    rules,
    traced,
)
from xdsl.dialects.builtin import FloatData, UnitAttr

from dialect import frontend as pypto
from dialect.attributes import ScalarAttr
from dialect.compat import Compat
from dialect.frontend import Tensor
from dialect.operation import TileOperation
from dialect.ops import functions_of
from dialect.pass_options import MergeSetting, default_of, option_from_python, option_to_python
from dialect.values import integer_of
from transforms.remarks import collect_remarks

BOTH = pytest.mark.parametrize("compat", tuple(Compat))
PUBLISHED, PYPTO = Compat.PUBLISHED, Compat.PYPTO
VEC = "vec_nbuffer_setting"


def vec(count: int) -> None:
    pypto.set_pass_options(vec_nbuffer_setting={"DEFAULT": count})


def settings_of(body: object, compat: Compat = PUBLISHED, **options: object) -> dict[str, object]:
    """Per function of a kernel, its `vec_nbuffer_setting`; None if nobody has set it."""
    module = resolved(traced(body, compat=compat, **options))  # pyright: ignore[reportArgumentType]
    return {function.symbol: captured(function, compat).get(VEC) for function in functions_of(module)}


class TestCapture:
    """The inheritance table: which value a function gets (pass options, section 4)."""

    @BOTH
    def test_inside_a_loop_body_the_end_counts(self, compat: Compat) -> None:
        """A call in the middle of a body is no boundary: the last one wins and applies to the whole function."""

        def k(x: Tensor, y: Tensor) -> None:
            for _ in pypto.loop(4, name="rows"):
                vec(2)
                pypto.exp(x)
                vec(3)
                pypto.exp(x)
                vec(4)

        assert settings_of(k, compat) == {"k_rows": {"DEFAULT": 4}}

    @BOTH
    def test_inner_loop_inherits_when_it_begins(self, compat: Compat) -> None:
        """An inner body gets what the outer scope was when it began; a later call in the outer body comes too late."""

        def k(x: Tensor, y: Tensor) -> None:
            vec(2)
            for _ in pypto.loop(4, name="rows"):
                pypto.exp(x)
                vec(3)
                for _ in pypto.loop(4, name="columns"):
                    pypto.exp(x)
                for _ in pypto.loop(4, name="own"):
                    pypto.exp(x)
                    vec(9)
                vec(5)
                pypto.exp(x)

        assert settings_of(k, compat) == {
            "k_rows": {"DEFAULT": 3},
            "k_rows_columns": {"DEFAULT": 3},
            "k_rows_own": {"DEFAULT": 9},
            "k_rows_1": {"DEFAULT": 5},
        }

    @BOTH
    def test_siblings_are_isolated(self, compat: Compat) -> None:
        """What one loop sets is not seen by the next."""

        def k(x: Tensor, y: Tensor) -> None:
            for name in ("first", "second"):
                for _ in pypto.loop(4, name=name):
                    pypto.exp(x)
                    if name == "first":
                        vec(2)

        assert settings_of(k, compat) == {"k_first": {"DEFAULT": 2}, "k_second": None}

    @pytest.mark.parametrize(("compat", "first"), [(PUBLISHED, 2), (PYPTO, 4)])
    def test_top_level(self, compat: Compat, first: int) -> None:
        """A segment ends where a loop begins and gets what holds there.

        The shipped compiler finishes the segments of the top level after the whole kernel: the final value counts.
        """

        def k(x: Tensor, y: Tensor) -> None:
            vec(1)
            pypto.exp(x)
            vec(2)
            for _ in pypto.loop(4, name="rows"):
                pypto.exp(x)
            vec(3)
            pypto.exp(x)
            vec(4)

        assert settings_of(k, compat) == {
            "k": {"DEFAULT": first},
            "k_rows": {"DEFAULT": 2},
            "k_1": {"DEFAULT": 4},
        }

    @BOTH
    def test_block_inside_a_function(self, compat: Compat) -> None:
        """An options block that closes before its function ends has no effect on merges; a remark says so (row D14)."""

        def k(x: Tensor, y: Tensor) -> None:
            with pypto.options(pass_options={VEC: {"DEFAULT": 5}, "sg_set_scope": 3}):
                pypto.exp(x)
                vec(6)
            pypto.exp(x)

        module = traced(k, compat=compat)
        with collect_remarks() as remarks:
            after = resolved(module)
        assert captured(next(functions_of(after))) == {}
        assert [op.properties.get("scope_id") is not None for op in operations(after)] == [True, True, False, False]
        assert [remark.kind for remark in remarks if remark.kind == "without-effect"] == ["without-effect"] * 2

    @pytest.mark.parametrize(("compat", "first"), [(PUBLISHED, {"DEFAULT": 5}), (PYPTO, {})])
    def test_block_around_a_loop(self, compat: Compat, first: object) -> None:
        """A block is in force for what ends in it: the loop, and the segment before the loop; not the one behind."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.sqrt(x)
            with pypto.options(pass_options={VEC: {"DEFAULT": 5}, "sg_set_scope": 3}):
                pypto.exp(x)
                for _ in pypto.loop(4, name="rows"):
                    pypto.exp(x)
                pypto.exp(x)
            pypto.sqrt(x)

        module = traced(k, compat=compat)
        after = resolved(module)
        assert {f.symbol: captured(f, compat).get(VEC) for f in functions_of(after)} == {
            "k": first,
            "k_rows": {"DEFAULT": 5},
            "k_1": None,
        }
        scoped = {op.properties.get("scope_id") is not None for op in operations(after) if op.opcode.name == "EXP"}
        free = {op.properties.get("scope_id") is not None for op in operations(after) if op.opcode.name == "SQRT"}
        assert (scoped, free) == ({True}, {False})

    @BOTH
    def test_process_level_values(self, compat: Compat) -> None:
        """A kernel inherits what is set around it when it is traced, and is traced anew when that has changed."""

        @pypto.jit
        def k(x: SQUARE, y: SQUARE) -> None:  # pyright: ignore[reportInvalidTypeForm]
            assert pypto.get_pass_options()["cube_l1_reuse_setting"] == expected
            pypto.exp(x)

        with rules(compat):
            expected: object = {1: 4}
            pypto.set_pass_options(cube_l1_reuse_setting={1: 4})
            first = k.module
            assert k.module is first
            assert captured(next(functions_of(resolved(first))), compat) == {"cube_l1_reuse_setting": {1: 4}}
            expected = {1: 5}
            pypto.set_pass_options(cube_l1_reuse_setting={1: 5})
            assert captured(next(functions_of(resolved(k.module))), compat) == {"cube_l1_reuse_setting": {1: 5}}

    def test_process_level_and_decorator(self) -> None:
        """Process level `{"DEFAULT": 4}`, decorator `{-1: 2}`: the shipped compiler uses 4, the published rules 2."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.exp(x)

        read = dict[Compat, object]()
        for compat in Compat:
            with rules(compat):
                vec(4)
                (read[compat],) = settings_of(k, compat, **{VEC: {-1: 2}}).values()
        assert read == {PUBLISHED: {-1: 2}, PYPTO: {-1: 2, "DEFAULT": 4}}

    @BOTH
    def test_kernels_are_isolated(self, compat: Compat) -> None:
        """A kernel with a jit option, then one without: the second reads the default; so does the process."""
        seen: list[object] = []

        def k(x: Tensor, y: Tensor) -> None:
            seen.append(pypto.get_pass_options()[VEC])
            vec(3)
            pypto.exp(x)

        with rules(compat):
            assert settings_of(k, compat, **{VEC: {-1: 8}}).values()
            assert settings_of(k, compat).values()
            assert pypto.get_pass_options()[VEC] == {}
        assert seen == [{-1: 8}, {}]

    @BOTH
    def test_reset_in_a_kernel(self, compat: Compat) -> None:
        """A reset returns to what is around the kernel, and does not touch what a finished loop got."""

        def k(x: Tensor, y: Tensor) -> None:
            vec(3)
            for _ in pypto.loop(4, name="rows"):
                pypto.exp(x)
                vec(4)
            pypto.reset_options()
            pypto.set_semantic_label("V")
            pypto.exp(x)

        with rules(compat):
            vec(2)
            assert settings_of(k, compat, **{VEC: {"DEFAULT": 8}}) == {"k_rows": {"DEFAULT": 4}, "k": {"DEFAULT": 2}}
            pypto.set_semantic_label("")


class TestOperations:
    """What is put on ops: what holds where they are made (pass options, sections 5 and 6)."""

    def test_scope_and_label_of_each_op(self) -> None:
        """Ops get scope and label where they stand, and so do the loads and stores that the API adds for them."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_semantic_label("V1")
            pypto.set_pass_options(sg_set_scope=(2, True, False))
            t = pypto.exp(x)
            pypto.set_semantic_label("")
            pypto.set_pass_options(sg_set_scope=-1)
            pypto.assemble(pypto.sqrt(t), (0, 0), y)

        ops = operations(resolved(traced(k)))
        assert [(op.opcode.name, op.semantic_label, scope_of(op)) for op in ops] == [
            ("VIEW", "V1", (2, True, False)),
            ("EXP", "V1", (2, True, False)),
            ("SQRT", None, (-1, False, False)),
            ("ASSEMBLE", None, (-1, False, False)),
        ]

    def test_store_for_a_later_function(self) -> None:
        """A result that a later function reads is stored where it is made, with the scope and label of its op."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_semantic_label("V1")
            t = pypto.exp(x)
            pypto.set_semantic_label("V2")
            pypto.sqrt(x)
            for _ in pypto.loop(4):
                pypto.abs(t)

        ops = operations(resolved(traced(k)))
        assert [(op.opcode.name, op.semantic_label) for op in ops] == [
            ("VIEW", "V1"),
            ("EXP", "V1"),
            ("ASSEMBLE", "V1"),
            ("VIEW", "V2"),
            ("SQRT", "V2"),
            ("VIEW", "V2"),
            ("ABS", "V2"),
        ]

    @pytest.mark.parametrize(("compat", "labels"), [(PUBLISHED, ["A", "B", "A"]), (PYPTO, ["A", "B", "B"])])
    def test_labels_of_loops(self, compat: Compat, labels: list[str]) -> None:
        """A label ends with its scope; that of the shipped compiler holds until the next one (row L1)."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.set_semantic_label("A")
            pypto.exp(x)
            for _ in pypto.loop(4):
                pypto.set_semantic_label("B")
                pypto.exp(x)
            pypto.exp(x)

        ops = operations(resolved(traced(k, compat=compat)))
        assert [op.semantic_label for op in ops if op.opcode.name == "EXP"] == labels

    def test_labels_of_kernels(self) -> None:
        """A label ends with its kernel; under the rules of the shipped compiler the next kernel begins with it."""

        def k(x: Tensor, y: Tensor) -> None:
            pypto.exp(x)
            pypto.set_semantic_label("A")

        for compat, expected in ((PUBLISHED, None), (PYPTO, "A")):
            with rules(compat):
                traced(k)
                assert {op.semantic_label for op in operations(resolved(traced(k)))} == {expected}
                pypto.set_semantic_label("")


def scope_of(op: TileOperation) -> tuple[int, bool, bool]:
    properties = op.properties
    flags = [properties.get(flag) for flag in ("allow_parallel_merge", "allow_cross_scope_merge")]
    return (
        integer_of(properties.get("scope_id")) or -1,
        isinstance(flags[0], UnitAttr),
        isinstance(flags[1], UnitAttr),
    )


# Programs for the comparison with a model of its own.


@dataclass(frozen=True)
class Op:
    """An op, of the kernel's argument or of the last op's result."""

    chained: bool


@dataclass(frozen=True)
class Set:
    options: Mapping[str, object]


@dataclass(frozen=True)
class Label:
    text: str


@dataclass(frozen=True)
class Reset:
    pass


@dataclass(frozen=True)
class Block:
    """An `options` block, or a loop if it has no options."""

    options: Mapping[str, object] | None
    body: tuple[Statement, ...]


Statement: TypeAlias = "Op | Set | Label | Reset | Block"

counts = st.integers(1, 9)
by_string = st.dictionaries(st.sampled_from(["DEFAULT", "func1_0", "V1", "V 2"]), counts, max_size=3)
by_integer = st.dictionaries(st.integers(0, 3), counts, max_size=2)
merge_settings: st.SearchStrategy[dict[object, object]] = st.one_of(
    by_string, by_integer, st.builds(lambda a, b: a | b, by_integer, st.just({"V1": 4}))
)
scopes = st.sampled_from([-1, 1, (2, True, False), (3, False, True)])
option_sets = st.fixed_dictionaries(
    {},
    optional={
        VEC: merge_settings,
        "cube_nbuffer_setting": merge_settings,
        "sg_set_scope": scopes,
        "auto_mix_partition": st.integers(0, 1),
    },
).filter(bool)
simple = st.one_of(
    st.builds(Op, st.booleans()),
    st.builds(Set, option_sets),
    st.builds(Label, st.sampled_from(["V1", "V 2", ""])),
    st.builds(Reset),
)


def programs(depth: int) -> st.SearchStrategy[tuple[Statement, ...]]:
    """Statements, among them blocks and loops that nest up to `depth`."""
    statement: st.SearchStrategy[Statement] = st.one_of(st.builds(Op, st.booleans()), simple)
    if depth:
        body = programs(depth - 1)
        statement = st.one_of(statement, st.builds(Block, st.one_of(st.none(), option_sets), body))
    return st.lists(statement, max_size=5).map(tuple)


class Run:
    """The real thing: a program as a kernel; op number n adds n."""

    def __init__(self) -> None:
        self.count = 0
        self.last: Tensor | None = None

    def run(self, program: Sequence[Statement], x: Tensor) -> None:
        for statement in program:
            match statement:
                case Op(chained):
                    source = self.last if chained and self.last is not None else x
                    self.last = pypto.add(source, self.count)
                    self.count += 1
                case Set(options):
                    pypto.set_pass_options(**options)  # pyright: ignore[reportArgumentType]
                case Label(text):
                    pypto.set_semantic_label(text)
                case Reset():
                    pypto.reset_options()
                case Block(None, body):
                    for _ in pypto.loop(4):
                        self.run(body, x)
                case Block(options, body):
                    with pypto.options(pass_options=options):
                        self.run(body, x)


Maps: TypeAlias = "tuple[Mapping[object, object], Mapping[object, object], Mapping[object, object]]"


@dataclass
class Function:
    ops: list[int] = field(default_factory=list[int])
    options: dict[str, object] = field(default_factory=dict[str, object])


class Model:
    """The same in a few dictionaries: what each op and each function of a program should get."""

    def __init__(self, compat: Compat, given: Mapping[str, object]):
        self.compat = compat
        self.label = ""
        self.count = 0
        self.stamps: list[tuple[object, str]] = []
        self.functions: list[Function] = []
        self.current = Function()
        self.top_level: list[Function] = []
        self.before: dict[str, object] = {}
        self.now: dict[str, object] = {}
        self.depth = 0
        self.set(given)

    def set(self, options: Mapping[str, object]) -> None:
        for name, value in options.items():
            if isinstance(value, Mapping) and self.compat is PYPTO:
                old = self.now.get(name, {-1: 1} if name == "cube_nbuffer_setting" else {})
                value = join(*three_maps(old, value))
            elif name == "sg_set_scope" and isinstance(value, int):
                value = (value, False, False)
            self.now[name] = value

    def finish_function(self) -> None:
        if self.current.ops:
            self.functions.append(self.current)
            if not self.depth:
                self.top_level.append(self.current)
            self.current.options = {name: value for name, value in self.now.items() if name != "sg_set_scope"}
        self.current = Function()

    def run(self, program: Sequence[Statement]) -> None:
        for statement in program:
            match statement:
                case Op():
                    self.stamps.append((self.now.get("sg_set_scope", (-1, False, False)), self.label))
                    self.current.ops.append(self.count)
                    self.count += 1
                case Set(options):
                    self.set(options)
                case Label(text):
                    self.label = text
                case Reset():
                    self.now, self.label = dict(self.before), ""
                case Block(options, body):
                    self.run_block(options, body)

    def run_block(self, options: Mapping[str, object] | None, body: Sequence[Statement]) -> None:
        saved = self.before, self.now, self.label
        if options is None:
            self.finish_function()
            self.depth += 1
        self.before, self.now = dict(self.now), dict(self.now)
        self.set(options or {})
        self.run(body)
        if options is None:
            self.finish_function()
            self.depth -= 1
        self.before, self.now, label = saved
        if self.compat is PUBLISHED:
            self.label = label

    def end(self) -> None:
        self.finish_function()
        if self.compat is PYPTO:
            for function in self.top_level:
                function.options = {name: value for name, value in self.now.items() if name != "sg_set_scope"}


def three_maps(old: object, new: Mapping[object, object]) -> Maps:
    """The table of pass options, section 3: integers are replaced always, the other kinds only by entries."""
    assert isinstance(old, Mapping)
    kinds = [
        lambda key: isinstance(key, int),
        is_class_name,
        lambda key: isinstance(key, str) and not is_class_name(key),
    ]
    of_old, of_new = ([{k: v for k, v in m.items() if kind(k)} for kind in kinds] for m in (old, new))  # pyright: ignore[reportUnknownVariableType]
    return of_new[0], of_new[1] or of_old[1], of_new[2] or of_old[2]  # pyright: ignore[reportUnknownVariableType]


def is_class_name(key: object) -> bool:
    return key in ("DEFAULT", "func1_0")


def join(*maps: Mapping[object, object]) -> dict[object, object]:
    return {key: value for entries in maps for key, value in entries.items()}


def numbered(ops: Iterator[TileOperation]) -> dict[int, TileOperation]:
    """The ops of `Run` by number."""
    found: dict[int, TileOperation] = {}
    for op in ops:
        if op.opcode.name == "ADDS":
            scalar = op.properties["params"].data["SCALAR"]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
            assert isinstance(scalar, ScalarAttr) and isinstance(scalar.value, FloatData)
            found[int(scalar.value.data)] = op
    return found


@given(program=programs(3), given_options=st.one_of(st.none(), option_sets), around=st.one_of(st.none(), option_sets))
@pytest.mark.parametrize("compat", tuple(Compat))
@settings(max_examples=150, deadline=None)
def test_any_program(
    compat: Compat,
    program: Sequence[Statement],
    given_options: Mapping[str, object] | None,
    around: Mapping[str, object] | None,
) -> None:
    """Any nesting of loops, blocks, settings, labels and resets: ops and functions get what the model says.

    And the kernel's text means the same as the kernel itself: printed, parsed and resolved it gives the same functions.
    """
    run = Run()

    def k(x: Tensor, y: Tensor) -> None:
        run.run(program, x)

    with rules(compat), pypto.options(pass_options=around) if around else nullcontext():
        module = traced(k, compat=compat, **(given_options or {}))
        pypto.set_semantic_label("")
    text = str(module)
    again = parsed(text)
    assert str(again) == text
    after = resolved(module)
    assert str(resolved(again)) == str(after)

    model = Model(compat, around or {})
    model.before = dict(model.now)
    model.set(given_options or {})
    model.run(program)
    model.end()

    ops = numbered(op for function in functions_of(after) for op in function.operations())
    stamps = [(scope_of(ops[number]), ops[number].semantic_label or "") for number in range(len(model.stamps))]
    assert stamps == model.stamps
    functions = list(functions_of(after))
    assert [sorted(numbered(function.operations())) for function in functions] == [f.ops for f in model.functions]
    for function, expected in zip(functions, model.functions, strict=True):
        values = captured_values(function, compat)
        for name in (VEC, "cube_nbuffer_setting", "auto_mix_partition"):
            held = values.get(name, default_of(name, compat))
            if name in expected.options:
                wanted = option_from_python(name, expected.options[name], compat, mixed_keys=True)
            else:
                wanted = default_of(name, compat)
            assert held == wanted, (name, option_to_python(held))
        assert not any(isinstance(value, MergeSetting) for name, value in values.items() if name.startswith("sg_"))
