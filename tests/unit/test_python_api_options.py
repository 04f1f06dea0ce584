"""Setting and reading pass options from Python: what is accepted, refused and read back (pass options, 1, 7, 8, 12)."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any

import numpy as np
import pytest
from python_api_kernels import rules

from dialect import frontend as pypto
from dialect.compat import Compat
from dialect.frontend import PassOptionError
from dialect.pass_options import Mistake

BOTH = pytest.mark.parametrize("compat", tuple(Compat))
PUBLISHED, PYPTO = Compat.PUBLISHED, Compat.PYPTO


def read_back(compat: Compat, option: str, *values: object) -> object:
    with rules(compat):
        for value in values:
            pypto.set_pass_options(**{option: value})  # pyright: ignore[reportArgumentType]
        return pypto.get_pass_options()[option]


def refusal(compat: Compat, option: str, value: object) -> PassOptionError:
    with rules(compat), pytest.raises(PassOptionError) as caught:
        pypto.set_pass_options(**{option: value})  # pyright: ignore[reportArgumentType]
    assert caught.value.option == option
    return caught.value


class TestReadBack:
    """`get_pass_options` returns what holds, under the keywords of `set_pass_options`."""

    @BOTH
    def test_untouched(self, compat: Compat) -> None:
        """Without any setting the defaults are read; that of the cube merge is row D8."""
        with rules(compat):
            assert pypto.get_pass_options() == {
                "vec_nbuffer_setting": {},
                "cube_l1_reuse_setting": {},
                "cube_nbuffer_setting": {"DEFAULT": 1} if compat is PUBLISHED else {-1: 1},
                "sg_set_scope": (-1, False, False),
                "pg_partition_algorithm": "Iso",
                "auto_mix_partition": 0,
                "enable_slice": False,
                "sg_set_ooo_scope": -1,
                "ooo_sched_mode": "",
                "sg_set_tunevf_mode": 0,
            }

    @BOTH
    def test_keys_are_the_keywords(self, compat: Compat) -> None:
        """Also after a reset, exactly the keywords of the setter are returned."""
        keywords = set(inspect.signature(pypto.set_pass_options).parameters)
        with rules(compat):
            assert set(pypto.get_pass_options()) == keywords
            pypto.set_pass_options(sg_set_scope=3)
            pypto.reset_options()
            assert set(pypto.get_pass_options()) == keywords

    @BOTH
    @pytest.mark.parametrize(
        ("option", "value", "read"),
        [
            ("sg_set_scope", (5, False, False), (5, False, False)),
            ("sg_set_scope", 48, (48, False, False)),
            ("sg_set_scope", (1, True, True), (1, True, True)),
            ("sg_set_scope", [1, True, False], (1, True, False)),
            ("sg_set_scope", 2147483647, (2147483647, False, False)),
            ("cube_l1_reuse_setting", {1: 2}, {1: 2}),
            ("cube_l1_reuse_setting", {-1: 6, 2: 3}, {-1: 6, 2: 3}),
            ("cube_l1_reuse_setting", {-1: 0, 2147483647: 999999}, {-1: 0, 2147483647: 999999}),
            ("cube_l1_reuse_setting", {"DEFAULT": (4, "LEFT")}, {"DEFAULT": (4, "left")}),
            ("cube_l1_reuse_setting", {"DEFAULT": (4, "auto")}, {"DEFAULT": 4}),
            ("cube_nbuffer_setting", {-1: 1}, {-1: 1}),
            ("cube_nbuffer_setting", {3: 4}, {3: 4}),
            ("vec_nbuffer_setting", {-1: 2}, {-1: 2}),
            ("vec_nbuffer_setting", {-2: 1, 0: 1, 1: 1}, {-2: 1, 0: 1, 1: 1}),
            ("vec_nbuffer_setting", {-1: 4, 0: 2, 1: 3}, {-1: 4, 0: 2, 1: 3}),
            ("vec_nbuffer_setting", {"func123_0": 4, "func456_1": 2}, {"func123_0": 4, "func456_1": 2}),
            ("vec_nbuffer_setting", {"DEFAULT": 4}, {"DEFAULT": 4}),
            ("vec_nbuffer_setting", {"DEFAULT": 2, "func123_0": 4}, {"DEFAULT": 2, "func123_0": 4}),
            ("vec_nbuffer_setting", {"conv": 1, "attention": 2}, {"conv": 1, "attention": 2}),
            ("vec_nbuffer_setting", {"func123_0": 1, "conv": 2}, {"func123_0": 1, "conv": 2}),
            ("vec_nbuffer_setting", {-1: 4, "conv": 2}, {-1: 4, "conv": 2}),
            ("vec_nbuffer_setting", {np.int64(-1): np.int32(4)}, {-1: 4}),
            ("pg_partition_algorithm", "OspBsp", "OspBsp"),
            ("auto_mix_partition", 1, 1),
            ("enable_slice", True, True),
            ("sg_set_tunevf_mode", 1, 1),
            ("sg_set_ooo_scope", 7, 7),
            ("ooo_sched_mode", "GAPMIN", "GAPMIN"),
        ],
    )
    def test_round_trip(self, compat: Compat, option: str, value: Any, read: Any) -> None:
        """Both rule sets accept these and read them back alike."""
        assert read_back(compat, option, value) == read

    def test_large_counts_of_l1_reuse(self) -> None:
        """The shipped compiler takes counts from a million on for a code of side and count; 2 is the right side."""
        setting = {0: 2000004, 1: 2147483647}
        assert read_back(PYPTO, "cube_l1_reuse_setting", setting) == {0: (4, "right"), 1: 483647}
        assert read_back(PUBLISHED, "cube_l1_reuse_setting", setting) == setting

    @pytest.mark.parametrize("key", ["func_0", "func123", "Func0_0"])
    def test_nearly_class_names(self, key: str) -> None:
        """Row D3: a label for the shipped compiler, under the published rules an error that says the legal form."""
        assert read_back(PYPTO, "vec_nbuffer_setting", {key: 4}) == {key: 4}
        error = refusal(PUBLISHED, "vec_nbuffer_setting", {key: 4})
        assert error.key == key and "func{magic}_{order}" in str(error)

    @BOTH
    def test_none_changes_nothing(self, compat: Compat) -> None:
        """An option that is not given, or None, keeps its value."""
        with rules(compat):
            pypto.set_pass_options(sg_set_scope=3, vec_nbuffer_setting={"DEFAULT": 2})
            pypto.set_pass_options()
            pypto.set_pass_options(sg_set_scope=None, auto_mix_partition=1)
            read = pypto.get_pass_options()
        assert (read["sg_set_scope"], read["vec_nbuffer_setting"]) == ((3, False, False), {"DEFAULT": 2})

    @pytest.mark.parametrize(
        ("settings", "published", "pypto_reads"),
        [
            (({"DEFAULT": 1}, {}), {}, {"DEFAULT": 1}),
            (({"DEFAULT": 4}, {-1: 2}), {-1: 2}, {-1: 2, "DEFAULT": 4}),
            (({"DEFAULT": 2, "V1": 1}, {"DEFAULT": 4}), {"DEFAULT": 4}, {"DEFAULT": 4, "V1": 1}),
            (({-1: 2}, {"V1": 3}), {"V1": 3}, {"V1": 3}),
            (({-1: 2, "V1": 3}, {"func1_0": 3, "V2": 2}), {"func1_0": 3, "V2": 2}, {"func1_0": 3, "V2": 2}),
            (({"func1_0": 3}, {5: 2, "V2": 2}), {5: 2, "V2": 2}, {5: 2, "func1_0": 3, "V2": 2}),
        ],
    )
    def test_a_second_assignment(self, settings: Any, published: Any, pypto_reads: Any) -> None:
        """Row D7: a new dictionary replaces the old one; in the shipped compiler only its kinds of keys."""
        assert read_back(PUBLISHED, "vec_nbuffer_setting", *settings) == published
        read = read_back(PYPTO, "vec_nbuffer_setting", *settings)
        assert read == pypto_reads
        assert list(read) == list(pypto_reads)  # pyright: ignore[reportArgumentType]  # integers, class names, labels

    def test_labels_clear_the_default_of_the_cube_merge(self) -> None:
        """A dictionary of labels makes all other classes automatic, also for the option that merges nothing."""
        for compat in Compat:
            assert read_back(compat, "cube_nbuffer_setting", {"V1": 3}) == {"V1": 3}


class TestRefused:
    """A value that an option does not take is an error when it is set, and then nothing is set."""

    @BOTH
    @pytest.mark.parametrize(
        ("option", "value", "mistake", "text"),
        [
            ("vec_nbuffer_setting", {-1: 4, "func123_0": 2}, Mistake.VALUE, "integer keys and class names"),
            ("sg_set_scope", "aa", Mistake.TYPE, "found 'aa'"),
            ("sg_set_scope", -2, Mistake.VALUE, "-1..2147483647"),
            ("sg_set_scope", (2147483648, True, False), Mistake.VALUE, "-1..2147483647"),
            ("sg_set_scope", (1, True), Mistake.VALUE, "found 2 elements"),
            ("sg_set_scope", (1, "True", True), Mistake.VALUE, "allow_parallel_merge"),
            ("sg_set_scope", ("1", True, True), Mistake.VALUE, "found '1'"),
            ("sg_set_scope", 1.0, Mistake.TYPE, "found 1.0"),
            ("sg_set_ooo_scope", 100001, Mistake.VALUE, "100000"),
            ("sg_set_ooo_scope", -2, Mistake.VALUE, "-1"),
            ("sg_set_ooo_scope", 0, Mistake.VALUE, "0 is not"),
            ("cube_nbuffer_setting", [1, 2], Mistake.TYPE, "dictionary"),
            ("cube_l1_reuse_setting", {-11: 2}, Mistake.VALUE, "-1..2147483647"),
            ("cube_l1_reuse_setting", {-2: 0}, Mistake.VALUE, "-1..2147483647"),
            ("cube_l1_reuse_setting", {-1: -1}, Mistake.VALUE, "0..2147483647"),
            ("cube_l1_reuse_setting", {"DEFAULT": (0, "left")}, Mistake.VALUE, "1..999999"),
            ("cube_l1_reuse_setting", {"DEFAULT": (4, "top")}, Mistake.VALUE, "left, right, auto"),
            ("cube_l1_reuse_setting", {"DEFAULT": (4, "left", 1)}, Mistake.VALUE, "found 3 elements"),
            ("cube_l1_reuse_setting", {"DEFAULT": (True, "left")}, Mistake.VALUE, "found True"),
            ("cube_nbuffer_setting", {-2: 1}, Mistake.VALUE, "-1..2147483647"),
            ("cube_nbuffer_setting", {-1: 0}, Mistake.VALUE, "1..2147483647"),
            ("cube_nbuffer_setting", {"DEFAULT": (4, "left")}, Mistake.TYPE, "only cube_l1_reuse_setting"),
            ("vec_nbuffer_setting", {-3: 1}, Mistake.VALUE, "-2..2147483647"),
            ("vec_nbuffer_setting", {"DEFAULT": 1.5}, Mistake.TYPE, "found 1.5"),
            ("vec_nbuffer_setting", {"V1": 0}, Mistake.VALUE, "1..2147483647"),
            ("vec_nbuffer_setting", {1.5: 1}, Mistake.TYPE, "found 1.5"),
            ("vec_nbuffer_setting", {"V1": 10**5000}, Mistake.VALUE, "an integer of 16610 bits is not in the range"),
            ("vec_nbuffer_setting", {10**5000: 1}, Mistake.VALUE, "key an integer of 16610 bits"),
            ("vec_nbuffer_setting", {"\ud800": 1}, Mistake.VALUE, "is not valid Unicode text"),
            pytest.param("auto_mix_partition", 10**5000, Mistake.VALUE, "16610 bits is not 0 or 1", id="huge"),
            ("auto_mix_partition", True, Mistake.TYPE, "found True"),
            ("auto_mix_partition", 2, Mistake.VALUE, "0 or 1"),
            ("pg_partition_algorithm", 3, Mistake.TYPE, "found 3"),
            ("enable_slice", 1, Mistake.TYPE, "True or False"),
            ("ooo_sched_mode", "MAX", Mistake.VALUE, "GAPMIN"),
            ("sg_set_tunevf_mode", 3, Mistake.VALUE, "0 or 1 or 2"),
        ],
    )
    def test_in_both(self, compat: Compat, option: str, value: Any, mistake: Mistake, text: str) -> None:
        """Both rule sets refuse these, with the kind of mistake, the option, what was found and what is legal."""
        error = refusal(compat, option, value)
        assert error.mistake is mistake
        assert text in str(error)

    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("vec_nbuffer_setting", {"": 1}),
            ("vec_nbuffer_setting", {"func1_0": 0}),
            ("vec_nbuffer_setting", {True: 1}),
            ("pg_partition_algorithm", "iso"),
            ("sg_set_scope", (-1, True, False)),
        ],
    )
    def test_only_published(self, option: str, value: Any) -> None:
        """What the shipped compiler notices later, or never, is an error at once under the published rules."""
        read_back(PYPTO, option, value)
        refusal(PUBLISHED, option, value)

    @BOTH
    def test_nothing_is_set(self, compat: Compat) -> None:
        """One wrong value of several leaves all options as they were."""
        with rules(compat):
            with pytest.raises(PassOptionError):
                pypto.set_pass_options(sg_set_scope=3, auto_mix_partition=2)
            assert pypto.get_pass_options()["sg_set_scope"] == (-1, False, False)

    def test_unknown_keyword(self) -> None:
        """An unknown keyword, and a positional argument, are Python's TypeError."""
        with pytest.raises(TypeError, match="unexpected keyword argument 'vec_nbuffer'"):
            pypto.set_pass_options(vec_nbuffer={})  # pyright: ignore[reportCallIssue]
        with pytest.raises(TypeError, match="positional"):
            pypto.set_pass_options({})  # pyright: ignore[reportCallIssue]


class TestOptionsScope:
    """`options` opens a scope, as a block or around each call of a function."""

    def test_block(self) -> None:
        """What a block gives and what is set in it ends with it; what it does not set is inherited."""
        with pypto.options(pass_options={"auto_mix_partition": 1}):
            with pypto.options(pass_options={"sg_set_scope": 3}):
                pypto.set_pass_options(vec_nbuffer_setting={"DEFAULT": 2})
                inner = pypto.get_pass_options()
            outer = pypto.get_pass_options()
        assert (inner["sg_set_scope"], inner["vec_nbuffer_setting"]) == ((3, False, False), {"DEFAULT": 2})
        assert (inner["auto_mix_partition"], outer["auto_mix_partition"]) == (1, 1)
        assert (outer["sg_set_scope"], outer["vec_nbuffer_setting"]) == ((-1, False, False), {})

    def test_decorator(self) -> None:
        """Each call of a decorated function has the scope, nested ones too; its name and result stay."""

        @pypto.options(pass_options={"auto_mix_partition": 1})
        def count_down(number: int) -> list[object]:
            """Read the option on each level."""
            read = pypto.get_pass_options()["auto_mix_partition"]
            pypto.set_pass_options(auto_mix_partition=0)
            return [read, *(count_down(number - 1) if number else [])]

        assert count_down(2) == [1, 1, 1]
        assert count_down.__name__ == "count_down"
        assert pypto.get_pass_options()["auto_mix_partition"] == 0

    def test_restored_after_an_exception(self) -> None:
        """An exception ends the scope as well."""
        with pytest.raises(KeyError), pypto.options(pass_options={"sg_set_scope": 3}):
            raise KeyError
        assert pypto.get_pass_options()["sg_set_scope"] == (-1, False, False)

    @pytest.mark.parametrize(
        ("arguments", "error", "text"),
        [
            ({"pass_options": {"vec_nbufer_setting": {}}}, PassOptionError, "did you mean 'vec_nbuffer_setting'"),
            ({"pass_options": {"sg_set_scope": "x"}}, PassOptionError, "sg_set_scope"),
            ({"pass_options": [1]}, TypeError, "expected a dictionary of pass options, found [1]"),
            ({"pass_options": {1: 2}}, TypeError, "names of pass options as keys, found 1"),
            ({"compat": "pypt"}, ValueError, "did you mean 'pypto'"),
            ({"passes": {}}, TypeError, "unexpected keyword"),
        ],
    )
    def test_refused(self, arguments: Any, error: type[Exception], text: str) -> None:
        """Its arguments are checked when the scope is made, before anything is opened."""
        with pytest.raises(error) as caught:
            pypto.options(**arguments)
        assert text in str(caught.value)

    def test_mixed_keys(self) -> None:
        """Integers together with class names: through this way the shipped compiler accepts them."""
        mixed = {"vec_nbuffer_setting": {-1: 4, "func1_0": 2}}
        with rules(PYPTO), pypto.options(pass_options=mixed):
            assert pypto.get_pass_options()["vec_nbuffer_setting"] == {-1: 4, "func1_0": 2}
        with pytest.raises(PassOptionError, match="integer keys and class names"):
            pypto.options(pass_options=mixed)

    def test_numbers_of_passes(self) -> None:
        """A scope also takes the numbers that passes read, within their ranges."""
        pypto.options(pass_options={"pg_lower_bound": 2**31 - 1, "mg_vec_parallel_lb": 48})
        with pytest.raises(PassOptionError, match="mg_vec_parallel_lb: 49"):
            pypto.options(pass_options={"mg_vec_parallel_lb": 49})


class TestReset:
    """`reset_options` forgets what the innermost scope has set."""

    @BOTH
    def test_returns_to_what_is_around(self, compat: Compat) -> None:
        """The values of the scope around hold again, and there is no label."""
        with rules(compat):
            pypto.set_pass_options(auto_mix_partition=1, vec_nbuffer_setting={"DEFAULT": 3})
            with pypto.options(pass_options={"auto_mix_partition": 0}):
                pypto.set_pass_options(vec_nbuffer_setting={"V1": 2})
                pypto.set_semantic_label("V1")
                pypto.reset_options()
                read = pypto.get_pass_options()
                assert pypto.get_semantic_label() == ""
        assert (read["auto_mix_partition"], read["vec_nbuffer_setting"]) == (1, {"DEFAULT": 3})

    @BOTH
    def test_defaults(self, compat: Compat) -> None:
        """Outside everything the defaults hold again."""
        with rules(compat):
            pypto.set_pass_options(cube_nbuffer_setting={"DEFAULT": 5}, sg_set_scope=3)
            pypto.reset_options()
            read = pypto.get_pass_options()
        assert read["cube_nbuffer_setting"] == ({"DEFAULT": 1} if compat is PUBLISHED else {-1: 1})
        assert read["sg_set_scope"] == (-1, False, False)


class TestLabels:
    """Semantic labels: what is refused, and how long one holds."""

    @BOTH
    @pytest.mark.parametrize(
        ("label", "text"),
        [
            ("func123_0", "name of a class"),
            ("\ud800", "not valid Unicode text"),
            (3, "expected a string, found 3"),
            (None, "string"),
        ],
    )
    def test_refused(self, compat: Compat, label: Any, text: str) -> None:
        """A label of the form of a class name, or none at all, is an error and changes nothing."""
        with rules(compat):
            pypto.set_semantic_label("V1")
            with pytest.raises(PassOptionError, match=text):
                pypto.set_semantic_label(label)
            assert pypto.get_semantic_label() == "V1"

    @pytest.mark.parametrize("label", ["DEFAULT", "@a", "~a"])
    def test_that_no_setting_could_name(self, label: str) -> None:
        """Row M8: refused when set; the shipped compiler accepts them."""
        with pytest.raises(PassOptionError):
            pypto.set_semantic_label(label)
        with rules(PYPTO):
            pypto.set_semantic_label(label)
            assert pypto.get_semantic_label() == label
            pypto.set_semantic_label("")

    def test_scoped(self) -> None:
        """A label ends with its scope; in the shipped compiler only the next label ends it."""
        pypto.set_semantic_label("V1")
        with pypto.options():
            assert pypto.get_semantic_label() == "V1"
            pypto.set_semantic_label("V2")
        assert pypto.get_semantic_label() == "V1"
        pypto.set_semantic_label("")
        with rules(PYPTO):
            with pypto.options():
                pypto.set_semantic_label("V2")
            assert pypto.get_semantic_label() == "V2"


class TestThreads:
    """Every thread and every asynchronous task has options and a label of its own."""

    def test_threads(self) -> None:
        """Threads that set options at the same time see only their own."""
        barrier = threading.Barrier(8)
        seen: dict[int, tuple[object, str]] = {}

        def work(number: int) -> None:
            pypto.set_pass_options(sg_set_scope=number)
            pypto.set_semantic_label(f"V{number}")
            barrier.wait()
            seen[number] = pypto.get_pass_options()["sg_set_scope"], pypto.get_semantic_label()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == {number: ((number, False, False), f"V{number}") for number in range(8)}
        assert pypto.get_pass_options()["sg_set_scope"] == (-1, False, False)

    def test_tasks(self) -> None:
        """A task begins with what held where it was made, and changes nothing there."""

        async def work(number: int) -> object:
            with pypto.options(pass_options={"sg_set_scope": number}):
                await asyncio.sleep(0)
                return pypto.get_pass_options()["sg_set_scope"]

        async def main() -> list[object]:
            return list(await asyncio.gather(*(work(number) for number in range(4))))

        assert asyncio.run(main()) == [(number, False, False) for number in range(4)]
