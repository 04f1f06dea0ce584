"""The pass options: their values, what is legal, and their forms in Python, IR, JSON and pipelines.

Everything that knows the options calls this package. A value is made by `option_from_python`, `option_from_attribute`,
`option_from_json` or `setting_from_text`, which check it (pass options, section 8), and written back by its counterpart
`option_to_…`. `assigned` says what an option is after it was set again, `default_of` what it is before.
"""

from dialect.pass_options.attributes import (
    option_from_attribute,
    option_to_attribute,
    options_from_dictionary,
    options_to_dictionary,
)
from dialect.pass_options.errors import Mistake, PassOptionError
from dialect.pass_options.json_values import option_from_json, option_to_json
from dialect.pass_options.keys import DEFAULT_KEY, is_class_name, is_stable_name
from dialect.pass_options.pipeline_text import setting_from_text, setting_to_text
from dialect.pass_options.python_values import (
    FLAGS_WITHOUT_SCOPE,
    check_semantic_label,
    option_from_python,
    option_to_python,
)
from dialect.pass_options.settings import (
    NO_SCOPE_SETTING,
    MergeCount,
    MergeSetting,
    OptionValue,
    ScopeSetting,
    Side,
    assigned,
)
from dialect.pass_options.table import (
    MERGE_OPTIONS,
    PASS_OPTIONS,
    OptionType,
    PassOption,
    default_of,
    find_option,
)

__all__ = [
    "DEFAULT_KEY",
    "FLAGS_WITHOUT_SCOPE",
    "MERGE_OPTIONS",
    "NO_SCOPE_SETTING",
    "PASS_OPTIONS",
    "MergeCount",
    "MergeSetting",
    "Mistake",
    "OptionType",
    "OptionValue",
    "PassOption",
    "PassOptionError",
    "ScopeSetting",
    "Side",
    "assigned",
    "check_semantic_label",
    "default_of",
    "find_option",
    "is_class_name",
    "is_stable_name",
    "option_from_attribute",
    "option_from_json",
    "option_from_python",
    "option_to_attribute",
    "option_to_json",
    "option_to_python",
    "options_from_dictionary",
    "options_to_dictionary",
    "setting_from_text",
    "setting_to_text",
]
