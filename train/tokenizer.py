"""The tokeniser of our pipeline: spaCy's English one, brought closer to how the treebank cuts words.

What differs: runs of marks ("!!!", "<<", "***", "----") stay together; prefixes with a hyphen ("pre-owned", "e-mail"),
numbers with hyphens ("555-0137") and a few abbreviations ("etc.") are one word; "and/or" is three. Learned by
reading what was cut differently in the training part. The rules are saved with the pipeline; nothing of this file is needed to run it.
"""

from __future__ import annotations

from spacy.language import Language
from spacy.symbols import ORTH
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

RUNS = [
    r"[!?]{2,}",
    r"\*{2,}",
    r"={2,}",
    r"_{2,}",
    r"~{2,}",
    r"#{2,}",
    r"\+{2,}",
    r"<{2,}",
    r">{2,}",
    r"-{2,}",
    r"\.\?+",
    r"\){2,}",
]
PREFIXES = (
    "anti|bi|co|counter|cyber|de|e|eco|ex|extra|hyper|inter|intra|macro|mega|micro|mid|mini|multi|neo|non|over|post|pre|"
    "pro|pseudo|psycho|quasi|re|semi|sub|super|trans|tri|ultra|un|under|uni|vice"
)  # fmt: skip
ABBREVIATIONS = (
    "Ft. No. Lt. Sat. Sun. Mon. Tue. Tues. Wed. Thu. Thur. Thurs. Fri. Attn. Reps. Capt. Col. Sgt. Ave. Blvd. approx. "
    "vs. Vol. vol. Dept. dept. Fig. fig. Tel. tel. Ph.D. al. Jan. Feb. Mar. Apr. Aug. Sept. Sep. Oct. Nov. Dec."
).split()  # fmt: skip
CUT = {
    "and/or": "and / or",
    "And/or": "And / or",
    "wanna": "wan na",
    "Wanna": "Wan na",
    "lemme": "lem me",
    "gimme": "gim me",
}
KEPT = (
    "id",
    "Id",
    "ID",
    "its",
    "Its",
    "Wed",
    "wed",
    "ill",
    "Ill",
    "hell",
    "Hell",
    "shed",
    "Shed",
    "well",
    "Well",
    "were",
    "Were",
)


def treebank_tokenizer(nlp: Language) -> None:
    """Give the pipeline a tokeniser that cuts words as the treebank does."""
    defaults = nlp.Defaults
    hyphens = [p for p in defaults.infixes if "(?:-|–" in p]
    between_digits = r"(?<=[0-9])[+\-\*^](?=[0-9-])"
    infixes = [p for p in defaults.infixes if p not in hyphens and p != between_digits]
    assert len(hyphens) == 1
    assert between_digits in defaults.infixes
    # A hyphen between letters cuts, unless a prefix stands before it at the start of the word.
    lookbehinds = "".join(f"(?<!^{prefix})" for prefix in PREFIXES.split("|"))
    letter = "[^\\W\\d_]"
    infixes += [
        rf"(?<={letter})(?:–|—|--|---|——|~)(?={letter})",
        rf"(?i:{lookbehinds})(?<={letter})-(?={letter}|\d)",
        rf"(?<=\d)-(?={letter})",
        r"(?<=[0-9])[+*^](?=[0-9-])",
        r"(?<=[0-9])(?<!\b\d{3})-(?=[0-9])",  # "1990-95" is cut, a telephone number is not
        rf"(?<={letter})/(?={letter}{{2}})(?<={letter}{letter}/)",
        *(rf"(?<=[\w.,)\]]){run}(?=\S)" for run in RUNS),
    ]
    nlp.tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    nlp.tokenizer.prefix_search = compile_prefix_regex([*RUNS, *defaults.prefixes]).search
    nlp.tokenizer.suffix_search = compile_suffix_regex(
        [*RUNS, r"(?<=:\d\d)(?i:[ap]m)", *defaults.suffixes]
    ).search
    for word, parts in defaults.tokenizer_exceptions.items():  # "DON'T" as "don't"
        if (
            ("'" in word or "’" in word)
            and word.islower()
            and word.upper() not in defaults.tokenizer_exceptions
        ):
            capitals = [{**part, ORTH: part[ORTH].upper()} for part in parts]
            nlp.tokenizer.add_special_case(word.upper(), capitals)
    for word in ABBREVIATIONS:
        nlp.tokenizer.add_special_case(word, [{ORTH: word}])
    for word in KEPT:
        nlp.tokenizer.add_special_case(word, [{ORTH: word}])
    for word, parts in CUT.items():
        nlp.tokenizer.add_special_case(word, [{ORTH: part} for part in parts.split()])
