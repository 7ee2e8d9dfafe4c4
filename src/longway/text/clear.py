"""Grammar in the ClearNLP scheme made into Universal Dependencies.

    words with CLEAR heads and labels (en_core_web_sm, _md, _lg, _trf)  ->  to_universal  ->  words as in UD English-EWT

In CLEAR a preposition governs its noun and "is" governs "happy"; in Universal Dependencies the noun and "happy"
govern. CLEAR also hangs each conjunct on the one before it, and a conjunction on the word before it.

How it works, so that no tree can come out broken:

    1. mend      what CLEAR itself reads differently (run-on sentences, "see him go", "what did you look at")
    2. lift      a word may name one word below it that stands in for its phrase: "in" its noun, "is" its predicate
    3. attach    the stand-in goes where the phrase went; the word and its other dependents go to the stand-in
    4. fuse      expressions that the treebank counts as one word ("because of", "as well as")
    5. describe  part of speech, lemma and features by the treebank's conventions (`text/clear_words.py`)

Each step moves a phrase up, or to a neighbour below the same head, never below itself. The scheme is that of Choi and
Palmer 2012, "Guidelines for the CLEAR Style Constituent to Dependency Conversion"; where Universal Dependencies leave
a choice, the English Web Treebank's is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from longway.text.clear_tree import SUBJECTS, Tree
from longway.text.clear_words import lemma_of, morph_of, upos_of
from longway.text.document import Word

_FINITE = frozenset("VBD VBP VBZ MD".split())
_NOMINAL = frozenset("NOUN PROPN PRON NUM SYM DET X".split())
_NOMINATIVE = frozenset("i he she we they".split())
_CLAUSES = ("ccomp", "xcomp", "advcl")
# Adverbs that can be all there is after "be": "he is here", "where is he".
_PREDICATIVE = frozenset(
    "abroad ahead apart around away back below down downstairs far here home how in inside near nearby next off on out "
    "outside over overseas so there through together under up upstairs when where why".split()
)
# Verbs whose object does the thing: "let him go", "saw him leaving", "had it done".
_CAUSATIVE = frozenset(
    "catch feel find get have hear help keep leave let make notice observe see want watch".split()
)
# Verbs after the words they report: '"I left," he said' is no run-on sentence.
_REPORTING = frozenset(
    "add admit agree announce answer argue ask assume believe claim complain conclude continue cry declare deny explain "
    "feel figure find guess hear hope imagine insist know learn mean note notice observe promise realise realize "
    "recall remember reply report say scream see seem shout show state suggest suppose suspect swear tell think "
    "understand warn whisper wish wonder write yell".split()
)
_MONTHS = frozenset(
    "january february march april may june july august september october november december "
    "jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec.".split()
)
_CURRENCIES = frozenset("$ £ € ¥ us$ c$ a$".split())
# First words of prepositions of two words; the parser takes some of them for verbs, adjectives or adverbs.
_COMPLEX = frozenset("according because due instead out prior such".split())
# "at least", "at all": CLEAR reads both words as adverbs.
_AFTER_AT = frozenset("all best first last least most once worst".split())
_JOINING_MARKS = frozenset(", ; - -- – —".split())

# Expressions that the treebank counts as one word, with their relation; "" keeps the one they have.
_FUSED = {
    "according to": "", "as for": "", "as of": "", "as to": "", "as well": "advmod", "as well as": "cc",
    "because of": "", "due to": "", "each other": "", "in order": "", "instead of": "", "kind of": "advmod",
    "of course": "advmod", "one another": "", "prior to": "", "rather than": "", "so that": "mark",
    "sort of": "advmod", "such as": "", "whether or not": "mark",
}  # fmt: skip
_FUSED_BEFORE_NUMBERS = frozenset(("less than", "more than", "up to"))
_FUSED_FIRST = frozenset(text.split()[0] for text in (*_FUSED, *_FUSED_BEFORE_NUMBERS))

# Labels beside "prep" that are seen on prepositions, and those that make a noun of "most" in "most of us".
_ON_PREPOSITIONS = frozenset("acomp advmod amod attr dep mark npadvmod oprd prt quantmod".split())
_NOUN_PLACES = frozenset("nsubj nsubjpass dobj pobj attr".split())
_RENAMED = {
    "acomp": "xcomp", "attr": "xcomp", "auxpass": "aux:pass", "csubjpass": "csubj:pass", "dobj": "obj",
    "intj": "discourse", "meta": "dep", "nsubjpass": "nsubj:pass", "oprd": "xcomp", "poss": "nmod:poss",
    "preconj": "cc:preconj", "predet": "det:predet", "prt": "compound:prt", "": "dep",
}  # fmt: skip


def is_clear(labels: Iterable[str]) -> bool:
    """True where a parser's labels are those of the ClearNLP scheme.

    >>> is_clear(["nsubj", "dobj", "punct"]), is_clear(["nsubj", "obj", "punct"])
    (True, False)
    """
    return not {"dobj", "pobj"}.isdisjoint(labels)


def to_universal(words: Sequence[Word]) -> tuple[Word, ...]:
    """The same words with heads, relations, parts of speech, lemmas and features of Universal Dependencies.

    words: a whole document, or whole sentences of one in a row; their `dep` holds CLEAR labels. A word that is its
    own head is a root. Texts, places, tags and entities stay as they are, and so does the number of roots.

    >>> he = Word(0, 0, 2, "He", "he", "PRON", "PRP", "", 1, "nsubj")
    >>> was = Word(1, 3, 6, "was", "be", "AUX", "VBD", "", 1, "ROOT")
    >>> old = Word(2, 7, 10, "old", "old", "ADJ", "JJ", "", 1, "acomp")
    >>> [(word.text, word.dep, word.head) for word in to_universal([he, was, old])]
    [('He', 'nsubj', 2), ('was', 'cop', 2), ('old', 'root', 2)]
    """
    if not words:
        return ()
    first = words[0].index
    tree = Tree(words, [word.head - first for word in words], [word.dep for word in words])
    _mend(tree)
    tree = _attach(tree, _Lift(tree))
    _fuse(tree)
    return tuple(
        replace(
            word,
            head=tree.head[i] + first,
            dep=tree.dep[i],
            upos=upos_of(tree, i),
            lemma=lemma_of(tree, i),
            morph=morph_of(tree, i),
        )
        for i, word in enumerate(words)
    )


def _mend(tree: Tree) -> None:
    for step in (_run_ons, _purposes, _small_clauses, _stranded, _at_least):
        before = list(tree.head), list(tree.dep)
        step(tree)
        if before != (tree.head, tree.dep):
            tree.refresh()


def _run_ons(tree: Tree) -> None:
    # "I love it, it is great": CLEAR puts the first sentence below the second, the treebank the second below the first.
    for i in tree.downwards():
        clauses = [k for k in tree.labelled(i, "ccomp") if k < i]
        if tree.dep[i] == "root" and clauses and _is_run_on(tree, clauses[0], i):
            # "The bell rings, dogs bark and children run" is one list.
            label = "conj" if tree.has(i, "cc") and tree.has(i, "conj") else "parataxis"
            tree.promote(clauses[0], label)
            for clause in clauses[1:]:
                tree.move(clause, clauses[0], label)
            last = tree.below[i][-1]
            if last > i and tree.dep[last] == "punct":  # the full stop ends both
                tree.head[last] = clauses[0]


def _is_run_on(tree: Tree, clause: int, i: int) -> bool:
    subject = next((k for k in tree.labelled(i, *SUBJECTS) if clause < k < i), -1)
    return (
        tree.words[i].lemma not in _REPORTING
        and tree.has(clause, *SUBJECTS)
        and not tree.has(clause, "mark")
        and any(clause < k < subject for k in tree.labelled(i, "punct"))
    )


def _purposes(tree: Tree) -> None:
    # "in order to go", "in case it rains": the verb modifies what "in" modified.
    for i, word in enumerate(tree.lower[:-1]):
        if word != "in" or tree.lower[i + 1] not in ("order", "case") or tree.head[i + 1] != i:
            continue
        clause = next((k for k in tree.labelled(i + 1, "acl", "relcl", "ccomp", "advcl") if k > i + 1), None)
        if clause is not None and tree.head[clause] == i + 1:
            tree.promote(clause, "fixed")
            tree.promote(clause, "mark")
            tree.move(i + 1, i, "fixed")
            if tree.dep[clause] in ("prep", "pcomp", "advmod"):
                tree.dep[clause] = "advcl"


def _small_clauses(tree: Tree) -> None:
    # "let him go", "want him to go", "make him happy": "him" is the object of the first verb.
    for clause in range(len(tree.words)):
        above = tree.head[clause]
        if tree.dep[clause] != "ccomp" or tree.has(above, "dobj"):
            continue
        if tree.is_be(above) or not tree.is_verb(above):
            continue
        subjects = [i for i in tree.labelled(clause, "nsubj", "nsubjpass") if above < i < clause]
        if (
            len(subjects) == 1
            and tree.lower[subjects[0]] not in _NOMINATIVE
            and _is_bare(tree, clause, above)
        ):
            tree.move(subjects[0], above, "dobj")
            tree.dep[clause] = "xcomp"


def _is_bare(tree: Tree, clause: int, above: int) -> bool:
    """True where the clause has no tense of its own."""
    tags = {tree.tag[i] for i in tree.labelled(clause, "aux", "auxpass")} | {tree.tag[clause]}
    if tree.has(clause, "mark") or tags & _FINITE:
        return False
    is_verbless = not tree.tag[clause].startswith("VB")
    return is_verbless or tree.is_infinitive(clause) or tree.words[above].lemma in _CAUSATIVE


def _stranded(tree: Tree) -> None:
    # "What did you look at?", where the parser took "what" for the verb's object: the preposition governs it.
    for verb in range(len(tree.words)):
        questions = [i for i in tree.labelled(verb, "dobj") if i < verb and tree.tag[i] in ("WP", "WDT")]
        if questions:
            bare = [i for i in tree.labelled(verb, "prep") if i > verb and not tree.below[i]]
            if bare:
                tree.move(questions[0], bare[-1], "pobj")


def _at_least(tree: Tree) -> None:
    # "at least", "at all": two adverbs in CLEAR, a preposition and what it governs in the treebank.
    for i, word in enumerate(tree.lower[:-1]):
        if word != "at" or tree.lower[i + 1] not in _AFTER_AT:
            continue
        if tree.head[i] == i + 1:
            tree.promote(i, "pobj")
        elif tree.head[i] == tree.head[i + 1] and not tree.below[i]:
            tree.head[i + 1] = i
        if tree.head[i + 1] == i:
            tree.dep[i + 1] = "pobj"
            if tree.dep[i] in ("advmod", "quantmod", "amod"):
                tree.dep[i] = "prep"


class _Lift:
    """Which word stands in for each phrase.

    child[i]: the word right below `i` that its phrase is handed on to, -1 for none; role[i]: what `i` then is to it.
    top[i]: the word that stands in for the phrase of `i` in the end. clause[i]: whether that phrase is a clause.
    """

    def __init__(self, tree: Tree) -> None:
        n = len(tree.words)
        self.tree = tree
        self.child, self.role = [-1] * n, [""] * n
        self.top, self.clause = list(range(n)), [False] * n
        for i in reversed(tree.downwards()):
            self._choose(i)

    def is_marker(self, i: int) -> bool:
        """True for a preposition that has something to govern."""
        return self.role[i] in ("case", "mark")

    def _choose(self, i: int) -> None:
        for choose in (self._governed, self._predicate, self._money, self._day, self._first_name):
            child, role = choose(i)
            if child >= 0:
                self.child[i], self.role[i], self.top[i] = child, role, self.top[child]
                break
        # "by reading" is a clause because "reading" is; "by train" is none.
        self.clause[i] = self.role[i] == "mark" if self.is_marker(i) else self.tree.is_clause(i)

    def _governed(self, i: int) -> tuple[int, str]:
        tree = self.tree
        found = tree.labelled(i, "pobj") or tree.labelled(i, "pcomp") or self._loosely_governed(i)
        if not found:
            return -1, ""
        child = next((k for k in found if k > i), found[0])
        is_clausal = tree.dep[child] not in ("pobj", "amod", "advmod") and self.clause[child]
        return child, "mark" if is_clausal else "case"

    def _loosely_governed(self, i: int) -> list[int]:
        """What a preposition without object governs: "from under the bed", "in general", "in and around the house"."""
        tree = self.tree
        if tree.lower[i] in _COMPLEX and i + 1 in tree.labelled(i, "prep"):
            return [i + 1]
        if not tree.is_preposition(i) or tree.dep[i] in ("prt", "advmod", "mark", "cc", "quantmod"):
            return []
        shared = [k for k in tree.labelled(i, "conj") if self.is_marker(k)]
        for found in (tree.labelled(i, "prep"), shared, tree.labelled(i, "amod", "advmod")):
            if found and found[-1] > i:
                return [k for k in found if k > i]
        return []

    def _predicate(self, i: int) -> tuple[int, str]:
        tree = self.tree
        if not tree.is_be(i) or tree.dep[i] in ("aux", "auxpass") or _is_existential(tree, i):
            return -1, ""
        child = next(_predicates(tree, i), -1)
        if child >= 0 and tree.dep[child] == "xcomp" and _is_modal(tree, i, child):
            return child, "aux"
        return child, "cop"

    def _money(self, i: int) -> tuple[int, str]:
        # "$ 5": the treebank counts dollars, CLEAR a number with a sign.
        if self.tree.tag[i] != "CD":
            return -1, ""
        signs = (k for k in self.tree.below[i] if k < i and self.tree.lower[k] in _CURRENCIES)
        return next(signs, -1), "nummod"

    def _day(self, i: int) -> tuple[int, str]:
        # "May 5": the day is the head in the treebank.
        tree, day = self.tree, i + 1
        is_date = tree.lower[i] in _MONTHS and tree.has(i, "nummod") and tree.labelled(i, "nummod")[0] == day
        is_date = is_date and tree.tag[day] == "CD" and len(tree.lower[day]) <= 2
        return (day, "nmod:unmarked") if is_date else (-1, "")

    def _first_name(self, i: int) -> tuple[int, str]:
        # "Ada King Lovelace": CLEAR's head is the last name, the treebank's the first.
        tree, name = self.tree, i
        while name > 0 and tree.head[name - 1] == i and tree.is_first_name(name - 1):
            name -= 1
        return (name, "flat") if name < i else (-1, "")


def _is_existential(tree: Tree, be: int) -> bool:
    """True for "is" in "there is a house"."""
    found = tree.labelled(be, "expl", "nsubj", "advmod")
    return any(tree.tag[i] == "EX" or (tree.dep[i] == "expl" and tree.lower[i] != "it") for i in found)


def _predicates(tree: Tree, be: int) -> Iterator[int]:
    """What "be" can say of its subject, the likeliest first."""
    for label in ("attr", "acomp", "oprd", "dobj"):
        found = tree.labelled(be, label)
        yield from [i for i in found if i > be] or found
    yield from (i for i in tree.labelled(be, "ccomp", "xcomp") if i > be)
    adverbs = [i for i in tree.labelled(be, "advmod", "prt") if tree.lower[i] in _PREDICATIVE]
    places = sorted([*tree.labelled(be, "prep"), *adverbs])
    yield from (i for i in places if i > be)
    yield from places
    yield from (i for i in tree.labelled(be, "npadvmod") if i > be)
    yield from (i for i in tree.labelled(be, "advcl") if i > be and tree.has(i, "mark"))


def _is_modal(tree: Tree, be: int, verb: int) -> bool:
    """True for "he is to leave" and "it is to be done", False for "the plan is to leave"."""
    tags = {tree.tag[i] for i in tree.labelled(be, "nsubj", "nsubjpass")}
    is_about_someone = not tags.isdisjoint(("PRP", "WP", "WDT", "NNP", "NNPS"))
    return tree.is_infinitive(verb) and (is_about_someone or tree.has(verb, "auxpass"))


def _attach(tree: Tree, lift: _Lift) -> Tree:
    """The tree of Universal Dependencies, before expressions are fused."""
    head, dep = list(tree.head), list(tree.dep)
    joined = _Joined(tree, lift)
    extraposed = {i: relation for i in range(len(head)) if (relation := _extraposed(tree, lift, i))}
    for i in tree.downwards():
        above, top = tree.head[i], lift.top[i]
        if lift.child[i] >= 0:
            head[i], dep[i] = top, lift.role[i]
        if above == i:
            head[top], dep[top] = top, "root"
        elif i in joined.shared:
            head[i], dep[i] = joined.shared[i], "conj"
        elif lift.child[above] != i:
            head[top] = _governor(tree, lift, joined, i)
            dep[top] = _relation(tree, lift, extraposed.get(above, ""), i)
    return Tree(tree.words, head, dep)


class _Joined:
    """What coordination ties together.

    first[i]: the first of the conjuncts that `i` belongs to. following[i]: the conjunct that a conjunction or
    comma stands before. shared[i]: for "around" in "in and around the house", "in".
    """

    def __init__(self, tree: Tree, lift: _Lift) -> None:
        self.first: dict[int, int] = {}
        self.following: dict[int, int] = {}
        self.shared: dict[int, int] = {}
        for i in tree.downwards():
            above = tree.head[i]
            if tree.dep[i] == "conj":
                self.first[i] = self.first.get(above, above)
                if lift.child[above] == i and lift.is_marker(above):
                    self.shared[i] = self.shared.get(above, above)
            if tree.has(i, "conj"):
                self._follow(tree, i)

    def _follow(self, tree: Tree, i: int) -> None:
        conjunct = next_to = -1
        for k in reversed(tree.below[i]):
            if tree.dep[k] == "conj":
                conjunct = next_to = k
            elif k < i:
                break  # what stands before the first conjunct joins nothing
            elif tree.dep[k] == "cc":
                self.following[k] = conjunct
            elif tree.dep[k] == "punct" and tree.lower[k] in _JOINING_MARKS:
                self.following[k] = next_to
            else:
                next_to = -1


def _governor(tree: Tree, lift: _Lift, joined: _Joined, i: int) -> int:
    """The word that the phrase of `i` depends on."""
    above, conjunct = tree.head[i], joined.following.get(i, -1)
    if conjunct >= 0:
        return conjunct if conjunct in joined.shared else lift.top[conjunct]
    if i in joined.first:
        return lift.top[joined.first[i]]
    if lift.role[above] == "nummod" and tree.dep[i] in ("advmod", "compound", "nummod", "quantmod"):
        return above  # "$ 5 million": "5" belongs to the million
    return lift.top[above]


def _extraposed(tree: Tree, lift: _Lift, i: int) -> str:
    """What a clause is that "it" stands for: "csubj" in "it is good to see you"; "" where there is none."""
    if not any(tree.lower[k] == "it" for k in tree.labelled(i, "nsubj")):
        return ""
    lemma, child = tree.words[i].lemma, lift.child[i]
    if lift.role[i] == "cop" and tree.dep[child] in ("acomp", "attr", "oprd"):
        return "csubj" if any(k > child for k in tree.labelled(i, "ccomp", "xcomp")) else ""
    if lemma in ("seem", "appear") and tree.has(i, "ccomp"):
        return "ccomp"
    return "csubj" if lemma == "take" and tree.has(i, "xcomp") else ""


def _relation(tree: Tree, lift: _Lift, extraposed: str, i: int) -> str:
    """What the phrase of `i` is to the word it depends on."""
    label, above = tree.dep[i], tree.head[i]
    if label in ("prep", "agent", "dative", "pobj", "pcomp") or (
        lift.is_marker(i) and label in _ON_PREPOSITIONS
    ):
        return _prepositional(tree, lift, i)
    if label in ("nsubj", "csubj", "nsubjpass"):
        return "expl" if extraposed and tree.lower[i] == "it" else _subject(tree, lift, i)
    if label in ("ccomp", "xcomp", "advcl", "acl", "relcl"):
        return extraposed if extraposed and label in ("ccomp", "xcomp") else _clause(tree, lift, i)
    if label == "attr" and tree.is_be(above) and not tree.has(above, "nsubj"):
        return "nsubj"  # "there is a house"; the second of two attributes
    if label == "aux":
        return "mark" if tree.tag[i] == "TO" else "aux"
    if label in ("compound", "nmod", "nummod", "quantmod", "npadvmod"):
        return _modifier(tree, lift, i)
    if label in ("neg", "det"):
        return _determiner(tree, i)
    if label in ("dep", "meta", "") and tree.words[i].upos in ("INTJ", "PUNCT"):
        return "discourse" if tree.words[i].upos == "INTJ" else "punct"
    return _RENAMED.get(label, label)


def _is_nominal(tree: Tree, lift: _Lift, i: int) -> bool:
    """True where the phrase of `i` is a noun's and no clause."""
    if lift.is_marker(i):
        if lift.role[i] == "mark":
            return False
        i = lift.top[i]
    return tree.words[i].upos in _NOMINAL and not tree.tag[i].startswith("VB") and not tree.has(i, *SUBJECTS)


def _prepositional(tree: Tree, lift: _Lift, i: int) -> str:
    label, above = tree.dep[i], tree.head[i]
    is_nominal = _is_nominal(tree, lift, above) or (tree.lower[i] == "of" and tree.dep[above] in _NOUN_PLACES)
    if label == "dative" and not tree.is_preposition(i):
        return "iobj"
    if label == "pcomp" and tree.is_preposition(i) and not tree.below[i]:
        return "case"  # "of" in "because of the rain"
    if lift.clause[i] and label != "pobj":
        return "acl" if is_nominal else "advcl"
    if label in ("oprd", "acomp", "attr"):
        return "xcomp"
    if label == "agent" and lift.is_marker(i):
        return "obl:agent"
    return "nmod" if is_nominal else "obl"


def _subject(tree: Tree, lift: _Lift, i: int) -> str:
    label, above = tree.dep[i], tree.head[i]
    # "the problem is that he left": the clause has a subject of its own
    if lift.role[above] == "cop" and tree.dep[lift.child[above]] in _CLAUSES:
        return label.removesuffix("pass") + ":outer"
    if lift.role[above] == "aux" and tree.has(lift.child[above], "auxpass"):
        return label.removesuffix("pass") + ":pass"
    return _RENAMED.get(label, label)


def _clause(tree: Tree, lift: _Lift, i: int) -> str:
    label, above = tree.dep[i], tree.head[i]
    is_nominal = _is_nominal(tree, lift, above)
    if label in ("acl", "relcl"):
        kind = "acl" if is_nominal or tree.words[above].upos == "ADJ" else "advcl"
        # "someone to talk to" is no relative clause in the treebank
        return kind if label == "acl" or tree.is_infinitive(i) else f"{kind}:relcl"
    return "acl" if is_nominal else label


def _modifier(tree: Tree, lift: _Lift, i: int) -> str:
    label, above, upos = tree.dep[i], tree.head[i], tree.words[i].upos
    if label == "npadvmod":
        if tree.is_person(i):
            return "vocative"
        return "nmod:unmarked" if _is_nominal(tree, lift, above) else "obl:unmarked"
    if label == "quantmod":
        return {"NUM": "compound", "SYM": "compound", "PUNCT": "punct"}.get(upos, _before_number(tree, i))
    if label == "nummod":
        return "nmod:unmarked" if tree.lower[above] in _MONTHS and i > above else "nummod"
    if label == "nmod":
        return {"ADJ": "amod", "NUM": "nummod"}.get(upos, "compound" if i < above else "nmod")
    if lift.role[above] == "flat" and lift.child[above] < i < above:
        return "flat"
    return "nmod:desc" if tree.is_person(above) and not tree.is_person(i) and i < above else "compound"


def _before_number(tree: Tree, i: int) -> str:
    return "case" if tree.lower[i] in ("to", "between", "from") else "advmod"


def _determiner(tree: Tree, i: int) -> str:
    if tree.tag[i] == "PDT":
        return "det:predet"
    return "det" if tree.dep[i] == "det" or tree.tag[i] == "DT" else "advmod"


def _fuse(tree: Tree) -> None:
    """Expressions that count as one word hang on their first word."""
    fused: dict[int, int] = {}
    for i, word in enumerate(tree.lower):
        if word in _FUSED_FIRST and i not in fused:
            relation, others = _expression(tree, i)
            for k in others:
                fused[k] = i
                tree.move(k, i, "fixed")
            if relation:
                tree.dep[i] = relation
    for i, above in enumerate(tree.head):
        if i not in fused:
            tree.head[i] = fused.get(above, above)
    tree.refresh()


def _expression(tree: Tree, first: int) -> tuple[str, range]:
    """The relation and the other words of an expression that starts here; its first word takes the place of all."""
    for length in (3, 2):
        text = " ".join(tree.lower[first : first + length])
        others = range(first + 1, first + length)
        if (text in _FUSED or text in _FUSED_BEFORE_NUMBERS) and others[-1] < len(tree.words):
            # All must hang on one word, or they are no phrase: "he gave more than her".
            members = (first, *others)
            hanging = [k for k in members if tree.head[k] == k or tree.head[k] not in members]
            above = {tree.head[k] for k in hanging}
            relations = [tree.dep[k] for k in hanging]
            is_subject = text == "so that" and "nsubj" in relations  # "so that does not matter"
            if len(above) == 1 and not is_subject and (text in _FUSED or tree.tag[min(above)] == "CD"):
                relation = _fused_relation(text, relations)
                tree.head[first] = first if relation == "root" else min(above)
                return relation, others
    return "", range(0)


def _fused_relation(text: str, relations: list[str]) -> str:
    for relation in ("root", "conj", "parataxis"):
        if relation in relations:
            return relation
    found = next((r for r in ("cc", "mark", "case") if r in relations), relations[0])
    return "advmod" if text in _FUSED_BEFORE_NUMBERS else _FUSED[text] or found
