"""Parts of speech, lemmas and features by the conventions of the English Web Treebank, for words in the ClearNLP scheme.

The last step of `text/clear.py`: the tree is already one of Universal Dependencies, and tells what a word is in its place ("that" as a
pronoun or a conjunction, "have" as a verb or an auxiliary, "you" as a subject or an object).
"""

from __future__ import annotations

from longway.text.clear_tree import AUXILIARIES, Tree

_UPOS = {
    "CC": "CCONJ", "EX": "PRON", "MD": "AUX", "POS": "PART", "PRP": "PRON", "PRP$": "PRON", "RP": "ADP", "UH": "INTJ",
    "WP": "PRON", "WP$": "PRON", "WRB": "ADV",
}  # fmt: skip
_DEMONSTRATIVES = {"this": "this", "that": "that", "these": "this", "those": "that"}
_INDEFINITE = frozenset(
    f"{first}{last}" for first in "any every no some".split() for last in "body one thing".split()
)


def upos_of(tree: Tree, i: int) -> str:
    """The universal part of speech of a word."""
    word, tag, dep = tree.words[i], tree.tag[i], tree.dep[i]
    if dep in AUXILIARIES and tree.is_verb(i):
        return "AUX"
    if tree.is_be(i):
        return "VERB" if tree.has(i, "expl") else "AUX"
    if tag.startswith("VB") and word.upos == "AUX":
        return "VERB"
    if tag in ("DT", "WDT"):
        is_pronoun = not dep.startswith("det") and (tag == "WDT" or tree.lower[i] in _DEMONSTRATIVES)
        return "PRON" if is_pronoun else "DET"
    if tag in ("IN", "TO") and dep in ("mark", "case"):
        return "ADP" if dep == "case" else "PART" if tag == "TO" else "SCONJ"
    if _is_not(tree, i):
        return "PART"
    if tag == "NN" and tree.lower[i] in _INDEFINITE:
        return "PRON"
    return _UPOS.get(tag, word.upos)


def _is_not(tree: Tree, i: int) -> bool:
    return tree.tag[i] == "RB" and tree.lower[i] in ("not", "n't", "nt")


_PRONOUNS = {
    "i": "I", "me": "I", "him": "he", "them": "they", "us": "we", "'em": "they", "'s": "we", "mine": "my", "ours": "our",
    "yours": "your", "hers": "her", "theirs": "their",
}  # fmt: skip
_SHORT = {
    ("MD", "'ll"): "will", ("MD", "wo"): "will", ("MD", "ca"): "can", ("MD", "sha"): "shall", ("MD", "'d"): "would",
    ("VBD", "'d"): "have", ("VB", "'ve"): "have", ("VBP", "'ve"): "have", ("VBP", "'re"): "be", ("VBP", "'m"): "be",
    ("POS", "'"): "'s", ("POS", "'s"): "'s", ("DT", "an"): "a", ("TO", "na"): "to", ("TO", "ta"): "to",
    ("RB", "n't"): "not", ("RB", "nt"): "not",
}  # fmt: skip


def lemma_of(tree: Tree, i: int) -> str:
    """The lemma of a word."""
    word, tag, lower = tree.words[i], tree.tag[i], tree.lower[i]
    if tag == "PRP":
        return "she" if lower == "her" else _PRONOUNS.get(lower, lower)
    if tag in ("PRP$", "WP$") or word.lemma == "-PRON-":
        return _PRONOUNS.get(lower, lower)
    if tag == "DT" and lower in _DEMONSTRATIVES:
        return _DEMONSTRATIVES[lower]
    if tag == "VBZ" and lower == "'s" and word.lemma not in ("be", "have"):
        is_perfect = tree.dep[i] == "aux" and tree.tag[tree.head[i]] == "VBN"
        return "have" if is_perfect else "be"
    return _SHORT.get((tag, lower), word.lemma)


_NOT_IN_TREEBANK = frozenset("Aspect ConjType Hyph NounType PunctSide PunctType VerbType".split())
_TENSES = {"VBD": "Past", "VBP": "Pres", "VBZ": "Pres", "VBN": "Past"}


def morph_of(tree: Tree, i: int) -> str:
    """The features of a word, as in `Word.morph`."""
    pairs = (pair.partition("=") for pair in tree.words[i].morph.split("|") if "=" in pair)
    features = {name: value for name, _, value in pairs if name not in _NOT_IN_TREEBANK}
    tag = tree.tag[i]
    if tag.startswith("VB") and tree.is_verb(i):
        features.update(_verb_features(tree, i))
    elif tag == "PRP" and tree.lower[i] in ("you", "it"):
        features["Case"] = "Nom" if tree.dep[i].startswith(("nsubj", "expl")) else "Acc"
    elif tag == "PRP$":
        features.update(Case="Gen", Poss="Yes")
    elif tag in ("WP", "WDT", "WP$", "WRB"):
        features["PronType"] = "Rel" if _is_relative(tree, i) else "Int"
    elif _is_not(tree, i):
        features["Polarity"] = "Neg"
    return "|".join(f"{name}={features[name]}" for name in sorted(features, key=str.lower))


def _verb_features(tree: Tree, i: int) -> dict[str, str]:
    tag = tree.tag[i]
    if tag == "VB":
        return {"Mood": "Imp", "VerbForm": "Fin"} if _is_imperative(tree, i) else {"VerbForm": "Inf"}
    if tag == "VBG":
        is_participle = tree.has(i, "aux") or tree.dep[i] in _PARTICIPLES
        return {"Tense": "Pres", "VerbForm": "Part"} if is_participle else {"VerbForm": "Ger"}
    if tag == "VBN":
        features = {"Tense": "Past", "VerbForm": "Part"}
        return features | {"Voice": "Pass"} if _is_passive(tree, i) else features
    if tag in _TENSES:
        return {"Mood": "Ind", "Tense": _TENSES[tag], "VerbForm": "Fin"} | _agreement(tree, i)
    return {}


_PARTICIPLES = ("root", "advcl", "acl:relcl", "parataxis", "conj", "case", *AUXILIARIES)


def _agreement(tree: Tree, i: int) -> dict[str, str]:
    """Number and person of a finite verb, which the treebank gives by its subject ("they went")."""
    if tree.tag[i] == "VBZ":
        return {"Number": "Sing", "Person": "3"}
    subject = _subject_of(tree, i)
    if subject < 0:
        return {}
    number, person = _PERSONS.get(tree.lower[subject], ("", "3"))
    if person == "3" and (tree.tag[i] == "VBP" or tree.lower[i] in ("was", "were")):
        number = "Sing" if tree.lower[i] == "was" else "Plur"  # the form tells
    elif tree.has(subject, "conj") or tree.tag[subject] in ("NNS", "NNPS"):
        number = "Plur"
    return {"Number": number or "Sing", "Person": person}


_PERSONS = {
    "i": ("Sing", "1"), "we": ("Plur", "1"), "you": ("Sing", "2"), "they": ("Plur", "3"),
}  # fmt: skip


def _subject_of(tree: Tree, i: int) -> int:
    """The word that a verb agrees with, -1 where it is not said."""
    clause = tree.head[i] if tree.dep[i] in AUXILIARIES else i
    labels = (
        ("nsubj:outer",)
        if tree.dep[i] == "cop" and tree.has(clause, "nsubj:outer")
        else ("nsubj", "nsubj:pass")
    )
    if tree.dep[clause] == "conj" and not tree.has(clause, *labels):
        clause = tree.head[clause]  # "they came and went"
    subject = next((tree.labelled(clause, label)[0] for label in labels if tree.has(clause, label)), -1)
    is_relative = subject >= 0 and tree.tag[subject] in ("WDT", "WP") and tree.dep[clause] == "acl:relcl"
    return tree.head[clause] if is_relative else subject  # "the men who came"


def _is_passive(tree: Tree, i: int) -> bool:
    if tree.dep[i] in AUXILIARIES:
        return False
    if tree.dep[i] == "conj" and not tree.has(i, "aux", "aux:pass"):  # "was seen and heard"
        return tree.has(tree.head[i], "aux:pass") or not tree.has(tree.head[i], "aux")
    return tree.has(i, "aux:pass") or not tree.has(i, "aux")


def _is_imperative(tree: Tree, i: int) -> bool:
    clause = tree.head[i] if tree.dep[i] in AUXILIARIES else i
    governors = (clause, tree.head[clause]) if tree.dep[clause] == "conj" else (clause,)
    if tree.dep[governors[-1]] not in ("root", "parataxis"):
        return False
    if any(tree.has(k, "nsubj", "nsubj:pass", "nsubj:outer", "csubj", "expl", "mark") for k in governors):
        return False
    verbs = [tree.labelled(clause, label)[0] for label in AUXILIARIES if tree.has(clause, label)]
    return i == (verbs[0] if verbs else clause)  # "do not go", "be quiet": the first verb commands


def _is_relative(tree: Tree, i: int) -> bool:
    for _ in range(3):  # "the man whose dog's name I know" is as deep as it goes
        i = tree.head[i]
        if tree.dep[i] in ("acl:relcl", "advcl:relcl"):
            return True
    return False
