"""The lists of words in one file: each is used by its module, and each that a module names is there."""

import re
from pathlib import Path

import pytest

from longway.english.words import listed_words

ENGLISH = Path(__file__).parents[2] / "src" / "longway" / "english"
PATHS = [path for path in ENGLISH.rglob("*.py") if path.parent.name != "people"]
MODULES = [path for path in PATHS if "listed_words(__name__)" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_uses_all_its_lists_and_no_others(path):
    code = path.read_text(encoding="utf-8")
    named = re.findall(
        r"_(?:LISTS|WORDS)(?:\.(\w+)|\[\"(\w+)\"\])|listed_words\(__name__\)\[\"(\w+)\"\]", code
    )
    module = ".".join(path.relative_to(ENGLISH).with_suffix("").parts)
    assert {"".join(names) for names in named} == set(listed_words(module))
