"""The pass `resolve-pass-options`: what each op and function is left with, and what is refused.

The table of pass options 4 is here row by row; rows such as D14 are of docs/compatibility.md.
"""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import PassFailedException, VerifyException

from dialect.compat import Compat
from dialect.ops import FuncOp, functions_of
from dialect.pass_options import option_from_attribute, option_to_python
from dialect.tile import TILE
from dialect.values import integer_of
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass
from transforms.remarks import Remark, collect_remarks
from transforms.resolve_pass_options.resolve_pass_options_pass import ResolvePassOptionsPass

VEC = "vec_nbuffer_setting"


def module_of(body: str, compat: Compat = Compat.PUBLISHED, soc: str = "a2a3") -> ModuleOp:
    """The verified module of a text."""
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(TILE)
    text = f'builtin.module attributes {{tile.compat = "{compat}", tile.soc = "{soc}"}} {{\n{body}\n}}'
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def resolve(body: str, compat: Compat = Compat.PUBLISHED, soc: str = "a2a3") -> ModuleOp:
    """The module of a text after the pass."""
    module = module_of(body, compat, soc)
    ResolvePassOptionsPass().apply(Context(), module)
    module.verify()
    return module


def remarks_of(body: str, compat: Compat = Compat.PUBLISHED) -> list[Remark]:
    """The remarks of the pass on a text."""
    with collect_remarks() as remarks:
        resolve(body, compat)
    return remarks


def text_of(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


def func(name: str, *lines: str) -> str:
    """A function; each line that is a number is an op, whose magic that is, and any other one stands as it is."""
    body = [
        f"%{line} = tile.exp %x {{magic = {line}}} : !tile.tensor<64x64xf32, ub>" if line.isdecimal() else line
        for line in lines
    ]
    return f"tile.func @{name} ins(%x: !tile.tensor<64x64xf32, ub>) {{\n" + "\n".join(body) + "\n}"


def vec(count: int) -> str:
    return f"tile.set_pass_options {{{VEC} = {{DEFAULT = {count}}}}}"


def captured(module: ModuleOp) -> dict[str, dict[str, object]]:
    """What each function carries, by its name."""
    return {
        function.symbol: {}
        if function.pass_options is None
        else {
            name: option_to_python(option_from_attribute(name, value, Compat.PYPTO, mixed_keys=True))
            for name, value in function.pass_options.data.items()
        }
        for function in functions_of(module)
    }


def stamps(function: FuncOp) -> dict[int, tuple[object, ...]]:
    """By magic, the scope id, the two flags and the label of each op."""
    found: dict[int, tuple[object, ...]] = {}
    for op in function.operations():
        flags = [name in op.properties for name in ("allow_parallel_merge", "allow_cross_scope_merge")]
        assert op.magic is not None
        found[op.magic] = (integer_of(op.properties.get("scope_id")), *flags, op.semantic_label)
    return found


def vec_of(body: str, compat: Compat = Compat.PUBLISHED) -> dict[str, object]:
    """The vector setting that each function is left with."""
    return {name: options.get(VEC) for name, options in captured(resolve(body, compat)).items()}


def test_the_last_setting_of_a_function_holds_for_all_of_it() -> None:
    """A set in the middle is no boundary for merge options (pass options 4)."""
    body = func("f", vec(4), "1", vec(2), "2")
    assert vec_of(f"tile.kernel @k {{ tile.loop @l {{ {body} }} }}") == {"f": {"DEFAULT": 2}}


def test_a_nested_loop_inherits_what_held_where_it_begins() -> None:
    """A later set in the outer body does not reach the inner loop (pass options 4)."""
    body = f"""
    tile.kernel @k {{
      {vec(2)}
      tile.loop @outer {{
        tile.loop @inherits {{ {func("inner", "1")} }}
        tile.loop @sets {{ {vec(3)} {func("own", "1")} }}
        {vec(4)}
        {func("behind", "1")}
      }}
      {func("top", "1")}
    }}"""
    assert vec_of(body) == {
        "inner": {"DEFAULT": 2},
        "own": {"DEFAULT": 3},
        "behind": {"DEFAULT": 4},
        "top": {"DEFAULT": 2},
    }


def test_a_segment_ends_with_its_function() -> None:
    """In the text a function ends at its brace: what is set behind it reaches later functions only."""
    body = f"tile.kernel @k {{ {vec(2)} {func('a', '1')} {vec(4)} {func('b', '1')} }}"
    assert vec_of(body) == {"a": {"DEFAULT": 2}, "b": {"DEFAULT": 4}}


def test_sibling_loops_and_kernels_are_isolated() -> None:
    """What one loop or kernel sets, scope and label included, does not reach the next (pass options 2 and 12)."""
    body = f"""
    tile.kernel @k1 {{
      tile.loop @l1 {{
        {vec(2)}
        tile.set_pass_options {{sg_set_scope = 5}}
        tile.set_semantic_label "V1"
        {func("a", "1")}
      }}
      tile.loop @l2 {{ {func("b", "1")} }}
      {vec(8)}
    }}
    tile.kernel @k2 {{ {func("c", "1")} }}"""
    module = resolve(body)
    assert captured(module) == {"a": {VEC: {"DEFAULT": 2}}, "b": {}, "c": {}}
    assert [stamps(function)[1] for function in functions_of(module)] == [
        (5, False, False, "V1"),
        (None, False, False, None),
        (None, False, False, None),
    ]


def test_process_level_settings_are_visible_in_kernels() -> None:
    """What stands in the module reaches the kernels behind it."""
    body = f"{func('before', '1')} {vec(4)} tile.kernel @k {{ {func('inside', '1')} }}"
    assert vec_of(body) == {"before": None, "inside": {"DEFAULT": 4}}


def test_op_level_options_act_where_they_stand() -> None:
    """Scope, flags and label are those at the op; scope -1 and the empty label end them (pass options 5 and 6)."""
    body = func(
        "f",
        "1",
        "tile.set_pass_options {sg_set_scope = [3, true, false]}",
        'tile.set_semantic_label "V1"',
        "2",
        "tile.set_pass_options {sg_set_scope = 4}",
        "3",
        "tile.set_pass_options {sg_set_scope = -1}",
        'tile.set_semantic_label ""',
        "4",
    )
    (function,) = functions_of(resolve(body))
    assert stamps(function) == {
        1: (None, False, False, None),
        2: (3, True, False, "V1"),
        3: (4, False, False, "V1"),
        4: (None, False, False, None),
    }
    assert function.pass_options is None


def test_the_functions_of_a_kernel_are_one_trace() -> None:
    """What a function sets holds behind it, up to the end of its kernel or loop."""
    first = func("a", "1", "tile.set_pass_options {sg_set_scope = 3}", vec(2))
    second = func("b", "1")
    module = resolve(f"tile.kernel @k {{ {first} tile.options {{}} {{ {second} }} }} {func('c', '1')}")
    assert [stamps(function)[1][0] for function in functions_of(module)] == [None, 3, None]
    assert captured(module) == {"a": {VEC: {"DEFAULT": 2}}, "b": {VEC: {"DEFAULT": 2}}, "c": {}}


def test_a_function_outside_of_kernels_is_a_kernel_of_its_own() -> None:
    first = func("a", 'tile.set_semantic_label "V1"', vec(2), "1")
    module = resolve(f"{first} tile.options {{pg_lower_bound = 1}} {{ {func('b', vec(3), '1')} {func('c', '1')} }}")
    assert captured(module) == {
        "a": {VEC: {"DEFAULT": 2}},
        "b": {VEC: {"DEFAULT": 3}, "pg_lower_bound": 1},
        "c": {"pg_lower_bound": 1},
    }
    assert [stamps(function)[1][3] for function in functions_of(module)] == ["V1", None, None]


def test_an_options_block_around_functions_has_an_effect() -> None:
    body = f"tile.kernel @k {{ tile.options {{{VEC} = {{DEFAULT = 9}}}} {{ {func('a', '1')} }} {func('b', '1')} }}"
    assert vec_of(body) == {"a": {"DEFAULT": 9}, "b": None}


def test_an_options_block_that_closes_before_its_function_ends() -> None:
    """D14: only the op-level options of it have an effect, and a remark says so."""
    body = func(
        "f",
        vec(2),
        f"tile.begin_options {{{VEC} = {{DEFAULT = 4}}, sg_set_scope = 6}}",
        "1",
        "tile.set_pass_options {sg_set_scope = 7}",
        "2",
        "tile.end_options",
        "3",
    )
    for compat in Compat:
        (function,) = functions_of(resolve(body, compat))
        assert [stamp[0] for stamp in stamps(function).values()] == [6, 7, None]
        assert vec_of(body, compat) == {"f": {"DEFAULT": 2}}
        (remark,) = [remark for remark in remarks_of(body, compat) if remark.kind == "without-effect"]
        assert remark.function == "f"
        assert remark.message == (
            f'{VEC} = {{"DEFAULT": 4}}, set by tile.begin_options in @f has no effect: the options block closes before '
            "its function ends, and what holds at the end counts"
        )


def test_a_setting_that_no_function_gets_is_a_remark() -> None:
    body = f"tile.kernel @k {{ {vec(2)} tile.loop @l {{ {vec(3)} {func('f', '1')} }} }}"
    (remark,) = [remark for remark in remarks_of(body) if remark.kind == "without-effect"]
    assert remark.message == (
        f'{VEC} = {{"DEFAULT": 2}}, set by tile.set_pass_options in @k has no effect: no function ends while it holds'
    )
    assert remark.details["place"] == "@k"


def test_remarks_say_where_a_function_has_its_options_from() -> None:
    body = f"{vec(2)} tile.kernel @k {{ tile.loop @l {{ {func('f', '1')} }} }}"
    (remark,) = remarks_of(body)
    assert (remark.kind, remark.function) == ("captured", "f")
    assert remark.message == f'{VEC} = {{"DEFAULT": 2}}, set by tile.set_pass_options in the module'


def test_reset_forgets_what_the_scope_has_set() -> None:
    """Inside a kernel, what held around it holds again; the label ends (pass options 2)."""
    body = f"""
    {vec(2)}
    tile.kernel @k {{
      {vec(3)}
      tile.set_semantic_label "V1"
      tile.set_pass_options {{pg_lower_bound = 7}}
      tile.loop @l {{ tile.reset_options {func("inner", "1")} }}
      tile.reset_options
      {func("outer", "1")}
    }}"""
    module = resolve(body)
    assert captured(module) == {"inner": {VEC: {"DEFAULT": 3}, "pg_lower_bound": 7}, "outer": {VEC: {"DEFAULT": 2}}}
    assert [stamps(function)[1][3] for function in functions_of(module)] == [None, None]


def test_stale_entries_survive_under_pypto_only() -> None:
    """D7: the shipped compiler replaces per kind of key, and a remark names it."""
    body = f"""
    tile.set_pass_options {{{VEC} = {{DEFAULT = 4, V1 = 5}}}}
    tile.kernel @k {{ tile.set_pass_options {{{VEC} = {{"-1" = 2}}}} {func("f", "1")} }}"""
    assert vec_of(body) == {"f": {-1: 2}}
    assert vec_of(body, Compat.PYPTO) == {"f": {-1: 2, "DEFAULT": 4, "V1": 5}}
    assert [remark.kind for remark in remarks_of(body, Compat.PYPTO)].count("stale-entries") == 1
    assert "stale-entries" not in [remark.kind for remark in remarks_of(body)]


def test_what_ops_and_functions_carry_stays() -> None:
    """Captured options and stamped ops are results already; the pass changes a module once only."""
    body = f"""
    {vec(2)}
    tile.set_pass_options {{sg_set_scope = 3, pg_lower_bound = 1}}
    tile.set_semantic_label "V1"
    tile.func @f ins(%x: !tile.tensor<64x64xf32, ub>)
        attributes {{pass_options = {{{VEC} = {{"-1" = 9, func1_0 = 2}}}}}} {{
      %0 = tile.exp %x {{scope_id = 8, allow_cross_scope_merge, semantic_label = "own"}} : !tile.tensor<64x64xf32, ub>
      %1 = tile.exp %x {{scope_id = -1, semantic_label = ""}} : !tile.tensor<64x64xf32, ub>
      %2 = tile.exp %x : !tile.tensor<64x64xf32, ub>
    }}"""
    module = resolve(body)
    assert captured(module) == {"f": {VEC: {-1: 9, "func1_0": 2}, "pg_lower_bound": 1}}
    (function,) = functions_of(module)
    assert list(stamps(function).values()) == [
        (8, False, True, "own"),
        (None, False, False, ""),
        (3, False, False, "V1"),
    ]
    before = text_of(module)
    ResolvePassOptionsPass().apply(Context(), module)
    assert text_of(module) == before


def test_magics_and_names_of_flat_functions() -> None:
    """Magics that nobody states are 1, 2, … without the stated ones; equal names get those of their scopes."""
    stated = "tile.func @c magic(2) {}"
    body = f"""
    tile.kernel @k {{
      tile.func @a {{}}
      tile.loop @l {{ tile.func @b {{}} {stated} }}
      tile.loop @m {{ tile.func @b {{}} }}
    }}
    tile.func @a {{}}
    tile.func @d {{}}
    tile.kernel @k2 {{ tile.options {{}} {{ tile.func @a {{}} }} tile.func @a {{}} }}"""
    module = resolve(body)
    assert [(function.symbol, function.magic and function.magic.value.data) for function in functions_of(module)] == [
        ("k_a", 1),
        ("k_l_b", 3),
        ("c", 2),
        ("k_m_b", 4),
        ("a", 5),
        ("d", 6),
        ("k2_a", 7),
        ("k2_a_1", 8),
    ]
    assert [op.name for op in module.body.block.ops] == ["tile.func"] * 8
    renamed = [remark.message for remark in remarks_of(body) if remark.kind == "renamed"]
    assert renamed[1] == "@b of @k/@l is called @k_l_b now"


def test_an_empty_module_and_other_ops_are_left_alone() -> None:
    assert text_of(resolve("")) == text_of(module_of(""))
    nothing = "tile.kernel @k { tile.loop @l {} }"
    assert not list(resolve(nothing).body.block.ops)


CUBE_AND_VECTOR = (
    "%c = tile.a_mul_b %x, %x : !tile.tensor<64x64xf32, l0c>",
    "%v = tile.exp %x : !tile.tensor<64x64xf32, ub>",
)


@pytest.mark.parametrize("compat", Compat)
def test_cube_and_vector_ops_in_one_scope(compat: Compat) -> None:
    """An error on chips with separate cores, with both ops; fine on a5, and in different scopes (pass options 5)."""
    body = func("f", "tile.set_pass_options {sg_set_scope = 1}", *CUBE_AND_VECTOR)
    with pytest.raises(PassFailedException) as caught:
        resolve(body, compat)
    assert str(caught.value) == (
        "@f: scope 1 holds the cube op A_MUL_B 10000 and the vector op EXP 10001, and the chip runs them on separate "
        "cores; give them different scopes, or choose a chip with mixed cores (a5)"
    )
    resolve(body, compat, soc="a5")
    in_two = (
        "tile.set_pass_options {sg_set_scope = 1}",
        CUBE_AND_VECTOR[0],
        "tile.set_pass_options {sg_set_scope = 2}",
    )
    resolve(func("f", *in_two, CUBE_AND_VECTOR[1]), compat)


@pytest.mark.parametrize("compat", Compat)
def test_one_scope_with_different_flags(compat: Compat) -> None:
    """An error with both ops and where the program has them; in different functions it is fine (pass options 5)."""
    located = '%b = tile.exp %x {loc = "kernel.py:12"} : !tile.tensor<64x64xf32, ub>'
    body = func(
        "f",
        "tile.set_pass_options {sg_set_scope = 1}",
        "1",
        "tile.set_pass_options {sg_set_scope = [1, true, false]}",
        located,
    )
    with pytest.raises(PassFailedException) as caught:
        resolve(body, compat)
    assert str(caught.value) == (
        "@f: scope 1 has different flags: allow_parallel_merge holds at EXP 10001 (kernel.py:12) and not at EXP 1; "
        "all ops of a scope have the same flags"
    )
    one = func("f", "tile.set_pass_options {sg_set_scope = 1}", "1")
    other = func("g", "tile.set_pass_options {sg_set_scope = [1, true, false]}", "1")
    resolve(f"tile.kernel @k {{ {one} {other} }}", compat)


def test_flags_without_a_scope() -> None:
    """D16: refused when set by the published rules, at the first op by the shipped compiler."""
    setting = "tile.set_pass_options {sg_set_scope = [-1, true, false]}"
    with pytest.raises(VerifyException, match="sg_set_scope: with scope id -1"):
        module_of(func("f", setting, "1"))
    with pytest.raises(PassFailedException, match=r"@f: EXP 1 has the scope \(-1, True, False\): with scope id -1"):
        resolve(func("f", setting, "1"), Compat.PYPTO)
    resolve(func("f", "1", setting), Compat.PYPTO)


def test_later_passes_ask_for_the_resolution() -> None:
    """A pass that would overlook scopes or directives says what to run first."""
    for body in (vec(2), f"tile.kernel @k {{ {func('f', '1')} }}", func("f", vec(2), "1")):
        with pytest.raises(PassFailedException, match="run resolve-pass-options before this pass"):
            GraphPartitionPass().apply(Context(), module_of(body))


# A small model of the scopes, written from the specification alone: programs are nested tuples.

_COUNTS = st.integers(1, 9)
_SETTINGS = st.one_of(
    st.dictionaries(st.sampled_from(["DEFAULT", "func1_0", "V1", "V2"]), _COUNTS, max_size=3),
    st.dictionaries(st.sampled_from([-1, 0, "V1"]), _COUNTS, max_size=2),
)
_OPTIONS = st.one_of(
    st.tuples(st.just(VEC), _SETTINGS),
    st.tuples(st.just("cube_nbuffer_setting"), _SETTINGS),
    st.tuples(st.just("sg_set_scope"), st.integers(-1, 3)),
    st.tuples(st.just("pg_lower_bound"), st.integers(0, 9)),
)
_SET = st.tuples(st.just("set"), st.one_of(_OPTIONS, st.tuples(st.just(VEC), _SETTINGS)))
_LABEL = st.tuples(st.just("label"), st.sampled_from(["", "V1", "V2"]))
_RESET = st.tuples(st.just("reset"))
_OP = st.tuples(st.just("op"))
_LINE = st.one_of(_OP, _OP, _SET, _SET, _LABEL, _RESET)
_BLOCK = st.tuples(st.just("block"), _OPTIONS, st.lists(st.one_of(_LINE, _SET), max_size=3))
_FUNCTION = st.tuples(st.just("func"), st.lists(st.one_of(_LINE, _LINE, _BLOCK), max_size=5))
_PROGRAM = st.recursive(
    st.lists(st.one_of(_FUNCTION, _SET, _SET, _LABEL), min_size=1, max_size=5),
    lambda inner: st.lists(
        st.one_of(
            _FUNCTION,
            _SET,
            _SET,
            _LABEL,
            _RESET,
            st.tuples(st.just("kernel"), inner),
            st.tuples(st.just("loop"), inner),
            st.tuples(st.just("options"), _OPTIONS, inner),
        ),
        min_size=2,
        max_size=6,
    ),
    max_leaves=8,
)

Item = tuple[object, ...]


def option_text(option: tuple[str, object]) -> str:
    """An option as the IR has it."""
    name, value = option
    if isinstance(value, dict):
        entries = ", ".join(f'"{key}" = {count}' for key, count in value.items())
        return f"{name} = {{{entries}}}"
    return f"{name} = {value}"


class Writer:
    """Writes a program as IR, with names and magics by position."""

    def __init__(self) -> None:
        self.names = 0

    def name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def items(self, items: list[Item]) -> str:
        return "\n".join(self.item(item) for item in items)

    def item(self, item: Item) -> str:
        match item:
            case ("op",):
                return f"%{self.name()} = tile.exp %x : !tile.tensor<64x64xf32, ub>"
            case ("set", option):
                return f"tile.set_pass_options {{{option_text(option)}}}"
            case ("label", label):
                return f'tile.set_semantic_label "{label}"'
            case ("reset",):
                return "tile.reset_options"
            case ("block", option, inner):
                return f"tile.begin_options {{{option_text(option)}}}\n{self.items(inner)}\ntile.end_options"
            case ("options", option, inner):
                return f"tile.options {{{option_text(option)}}} {{\n{self.items(inner)}\n}}"
            case ("func", lines):
                return f"tile.func @{self.name()} ins(%x: !tile.tensor<64x64xf32, ub>) {{\n{self.items(lines)}\n}}"
            case (kind, inner):
                return f"tile.{kind} @{self.name()} {{\n{self.items(inner)}\n}}"
        raise AssertionError(item)


class Model:
    """The options and the label at each op, and the options at the end of each function."""

    def __init__(self, compat: Compat):
        self.pypto = compat is Compat.PYPTO
        self.scopes: list[tuple[dict[str, object], str]] = []
        self.options: dict[str, object] = {}
        self.label = ""
        self.ops: list[list[tuple[object, str | None]]] = []
        self.functions: list[dict[str, object]] = []

    def set(self, name: str, value: object) -> None:
        if isinstance(value, dict) and self.pypto:
            default = {-1: 1} if name == "cube_nbuffer_setting" else {}
            old = self.options.get(name, default)
            kinds: tuple[Callable[[object], bool], ...] = (
                lambda key: key == "DEFAULT" or str(key).startswith("func"),
                lambda key: str(key).startswith("V"),
            )
            kept = {key: count for key, count in value.items() if isinstance(key, int)}
            for is_kind in kinds:
                new_entries = {key: count for key, count in value.items() if is_kind(key)}
                kept |= new_entries or {key: count for key, count in old.items() if is_kind(key)}
            value = kept
        self.options = self.options | {name: value}

    def scope(self, run: Callable[[], None]) -> None:
        self.scopes.append((self.options, self.label))
        run()
        self.options, self.label = self.scopes.pop()

    def run(self, items: list[Item], *, in_kernel: bool) -> None:
        for item in items:
            match item:
                case ("op",):
                    scope = self.options.get("sg_set_scope", -1)
                    self.ops[-1].append((None if scope == -1 else scope, self.label or None))
                case ("set", (name, value)):
                    self.set(name, value)
                case ("label", label):
                    self.label = label
                case ("reset",):
                    self.options, self.label = self.scopes[-1][0] if self.scopes else {}, ""
                case ("func", lines):
                    if in_kernel:
                        self.function(lines)
                    else:
                        self.scope(lambda lines=lines: self.function(lines))
                case ("block" | "options", (name, value), inner):

                    def with_option(name: str = name, value: object = value, inner: list[Item] = inner) -> None:
                        self.set(name, value)
                        self.run(inner, in_kernel=in_kernel)

                    self.scope(with_option)
                case (_, inner):
                    self.scope(lambda inner=inner: self.run(inner, in_kernel=True))

    def function(self, lines: list[Item]) -> None:
        self.ops.append([])
        self.run(lines, in_kernel=True)
        self.functions.append({name: value for name, value in self.options.items() if name != "sg_set_scope"})


@settings(deadline=None, derandomize=True, max_examples=200)
@given(_PROGRAM, st.sampled_from(list(Compat)))
def test_scopes_against_a_model(program: list[Item], compat: Compat) -> None:
    """Nested scopes, settings, labels, resets and blocks, also after the module went through text."""
    text = Writer().items(program)
    module = resolve(text, compat)
    model = Model(compat)
    model.run(program, in_kernel=False)
    functions = list(functions_of(module))
    assert [list(options.items()) for options in captured(module).values()] == [
        sorted(options.items(), key=lambda entry: [VEC, "cube_nbuffer_setting", "pg_lower_bound"].index(entry[0]))
        for options in model.functions
    ]
    assert [[(stamp[0], stamp[3]) for stamp in stamps(function).values()] for function in functions] == model.ops
    assert [op.name for op in module.body.block.ops] == ["tile.func"] * len(functions)
    printed = text_of(module_of(text, compat)).split("\n", 1)[1].rsplit("}", 1)[0]
    assert text_of(resolve(printed, compat)) == text_of(module)
