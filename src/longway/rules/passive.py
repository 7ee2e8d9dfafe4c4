"""Active and passive: "Ann Roe directed Blue Sky" and "Blue Sky was directed by Ann Roe".

Only plain sentences of one clause, with tense, number, negation and the pronouns' case kept. A passive without an agent
stays ("was released in 1999"). The passive is made only of verbs that are common in it: "has", "costs" or "stars" have none.
What would change its meaning stays too: "only", "every", "no" and the like, and objects tied to the subject ("his own").
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.clauses import Clause, Number, be, clauses, do, have, number_of, verb_form
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import MONTHS, Piece, in_names, is_year, opening, piece_of
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.inflect import inflect

VERBS = frozenset(
    "direct write produce create found establish compose design develop publish release distribute record perform "
    "portray host narrate edit invent discover build construct own acquire purchase influence inspire precede succeed "
    "defeat murder assassinate nominate lead command govern rule conquer invade destroy appoint coach manage translate "
    "illustrate animate film photograph paint sculpt broadcast adapt finance fund sponsor organize form launch open "
    "hold carry push pull throw kick catch eat drink cook prepare wash clean read watch examine repair fix ride drive fly "
    "chop lift feed chase use wear touch serve sell buy cover describe sign reject accept attack capture arrest "
    "manufacture make win sing celebrate replace review criticize praise damage".split()
)
_WORDS_OF_AMOUNT = frozenset(
    "every each all no any most few neither none nobody nothing both either many some much only just even exclusively "
    "solely mostly mainly partly never hardly rarely almost at".split()
)
_ADVERBS = frozenset(
    "also originally previously later recently officially initially eventually first jointly".split()
)
_IDIOMS = frozenset(
    "place part role attention time way care advantage friend fun sense use debut appearance name life dollar money thing".split()
)
_REFLEXIVES = frozenset("himself herself itself themselves myself yourself ourselves".split())
_TO_OBJECT = {"he": "him", "she": "her", "they": "them", "it": "it"}
_TO_SUBJECT = {"him": "he", "her": "she", "them": "they", "it": "it"}
_NO_AGENTS = frozenset(
    "accident car train bus plane air hand mail law default then now mistake chance way means virtue year end".split()
)
_BELONGING = frozenset(
    "of about from for to with".split()
)  # "a book about trains" is one phrase, "a book on Monday" not
_MOST_WORDS = 14  # of a phrase that moves


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one sentence in the other voice."""
    for clause in clauses(scene.document):
        yield from _to_passive(clause)
        yield from _to_active(clause)


# Active to passive


def _to_passive(clause: Clause) -> Iterator[Rewriting]:
    document, verb = clause.document, clause.head
    if verb.lemma.lower() not in VERBS or verb.upos != "VERB" or clause.rest is None:
        return
    if clause.subject.words[-1].upos in ("PRON", "NUM"):
        return  # "was directed by him" is good grammar and poor style
    if document.children(
        verb, "conj", "iobj", "xcomp", "ccomp", "advcl", "aux:pass", "compound:prt", "parataxis"
    ):
        return
    found = document.children(verb, "obj")
    thing = _object(document, found[0], clause.rest) if len(found) == 1 else None
    if thing is None or _is_tied(thing) or not _may_move(clause.subject, thing):
        return
    if clause.verbs == (verb,) and verb.tag in ("VBZ", "VBP") and _is_bare(thing):
        return  # "Ann makes films" does not say that films are made by Ann
    tail = _tail(document, thing, clause.rest)
    number = number_of(document, thing)
    verbs = None if tail is None or number is None else _passive_verbs(clause, number)
    if verbs is None:
        return
    agent = clause.subject.inside
    patient = opening(document, clause.sentence, _TO_SUBJECT.get(thing.text.lower(), thing.text))
    changes = (
        Change(clause.subject.start, clause.subject.end, patient),
        Change(clause.verbs[0].start, thing.end, f"{verbs} by {agent}"),
    )
    yield Rewriting("passive.to_passive", changes)


def _object(document: Document, head: Word, rest: Piece) -> Piece | None:
    """The object, which must stand right behind the verb; a time or place at its end is none of it."""
    piece = piece_of(document, head)
    if piece is None or piece.first != rest.first or head.lemma.lower() in _IDIOMS:
        return None
    for below in document.children(head, "nmod", "obl"):
        case = next(iter(document.children(below, "case")), None)
        if case is not None and case.index > head.index and case.lower not in _BELONGING:
            piece = Piece(document, piece.first, min(piece.last, case.index - 1))
    if any(w.tag == "VBG" for w in document.children(head, "conj")):
        return None
    if piece.words[-1].upos in ("ADV", "ADP") or any(
        w.tag in ("WDT", "WP", "WRB") or w.text in (",", "(") for w in _outside_names(piece)
    ):
        return None
    return piece


def _is_bare(thing: Piece) -> bool:
    """True for a noun phrase that means a kind: "films", "music"."""
    first = thing.words[0]
    return first.index not in in_names(thing.document) and first.tag not in ("DT", "CD", "PRP", "PRP$")


def _passive_verbs(clause: Clause, number: Number) -> str | None:
    """The verbs of the passive: "was directed", "has not been directed"."""
    participle = inflect(clause.head.lemma.lower(), "VBN")
    negation = " not" if clause.negation is not None else ""
    adverbs = "".join(f" {w.text}" for w in clause.adverbs)
    if participle is None or any(w.lower not in _ADVERBS for w in clause.adverbs):
        return None
    helpers = [w.lower for w in clause.auxiliaries]
    rest = f"{negation}{adverbs}"
    match helpers, clause.head.tag:
        case [], "VBD":
            return f"{be('past', number)}{rest} {participle}"
        case [], ("VBZ" | "VBP"):
            return f"{be('present', number)}{rest} {participle}"
        case ["did"], "VB":
            return f"{be('past', number)}{rest} {participle}"
        case [("does" | "do")], "VB":
            return f"{be('present', number)}{rest} {participle}"
        case [("has" | "have")], "VBN":
            return f"{have('present', number)}{rest} been {participle}"
        case ["had"], "VBN":
            return f"had{rest} been {participle}"
        case [("is" | "are")], "VBG":
            return f"{be('present', number)}{rest} being {participle}"
        case [("was" | "were")], "VBG":
            return f"{be('past', number)}{rest} being {participle}"
        case [("will" | "would" | "can" | "could" | "must" | "should" | "may" | "might") as modal], "VB":
            return f"{modal}{rest} be {participle}"
    return None


# Passive to active


def _to_active(clause: Clause) -> Iterator[Rewriting]:
    document, verb = clause.document, clause.head
    heads = [verb, *document.children(verb, "conj")]
    if verb.tag != "VBN" or clause.rest is None or not document.children(verb, "aux:pass"):
        return
    if (
        document.children(verb, "obj", "iobj", "xcomp", "ccomp", "advcl", "parataxis", "compound:prt")
        or len(heads) > 2
    ):
        return
    agents = [a for head in heads for a in document.children(head, "obl") if _is_agent(document, a)]
    agent = _agent(document, agents[0], clause.rest) if len(agents) == 1 else None
    if agent is None or _is_tied(clause.subject) or _is_tied(agent):
        return
    number = number_of(document, agent)
    if number is None and [w.lower for w in clause.auxiliaries] in (["was"], ["were"]):
        number = "sing"  # "directed" and "did not direct" know no number
    if number is None or not _may_move(clause.subject, agent):
        return
    verbs = _active_verbs(clause, heads, number)
    between = (
        Piece(document, clause.rest.first, agent.first - 2) if agent.first - 2 >= clause.rest.first else None
    )
    middle = "" if between is None or len(heads) == 2 else f" {between.text}"
    if verbs is None or (between is not None and not _is_middle(document, between, heads)):
        return
    if _tail(document, agent, clause.rest) is None:
        return
    subject = opening(document, clause.sentence, _TO_SUBJECT.get(agent.text.lower(), agent.text))
    thing = _TO_OBJECT.get(clause.subject.text.lower(), clause.subject.inside)
    changes = (
        Change(clause.subject.start, clause.subject.end, subject),
        Change(clause.verbs[0].start, agent.end, f"{verbs} {thing}{middle}"),
    )
    yield Rewriting("passive.to_active", changes)


def _is_agent(document: Document, word: Word) -> bool:
    """True for "by" and somebody or something that can do things; not for "by 1999", "by car", "by singing"."""
    cases = document.children(word, "case")
    if not cases or cases[0].lower != "by" or len(cases) > 1 or cases[0].index > word.index:
        return False
    is_bare = word.tag == "NN" and not document.children(word, "det", "nmod:poss", "amod", "compound")
    is_noun = word.upos in ("NOUN", "PROPN") or word.index in in_names(document)
    is_date = is_year(word) or word.lower in MONTHS
    return is_noun and not is_bare and not is_date and word.lemma.lower() not in _NO_AGENTS


def _agent(document: Document, head: Word, rest: Piece) -> Piece | None:
    """The agent without its "by"; a date at its end is none of it ("by Ann Roe in 1999")."""
    piece = piece_of(document, head)
    if piece is None or not rest.first <= piece.first or document.words[piece.first].lower != "by":
        return None
    last = piece.last
    for below in document.children(head, "nmod", "obl", "acl"):
        case = next(iter(document.children(below, "case")), None)
        if case is not None and case.index > head.index and _is_date(document, below):
            last = min(last, case.index - 1)
    piece = Piece(document, piece.first + 1, last)
    if any(w.tag in ("WDT", "WP", "WRB") or w.text in (",", "(") for w in _outside_names(piece)):
        return None
    return piece


def _is_middle(document: Document, between: Piece, heads: list[Word]) -> bool:
    """True where only a time, a place or the second verb stands between the verb and "by"."""
    if len(heads) == 2:
        return [w.lower for w in between.words] == ["and", heads[1].lower]
    return between.words[0].upos == "ADP" and len(between) <= 6


def _active_verbs(clause: Clause, heads: list[Word], number: Number) -> str | None:
    """The verbs of the active: "directed", "did not direct", "has written and directed"."""
    if any(w.lower not in _ADVERBS for w in clause.adverbs):
        return None
    adverbs = "".join(f"{w.text} " for w in clause.adverbs)
    lemmas = [head.lemma.lower() for head in heads]
    helpers = [w.lower for w in clause.auxiliaries]
    negated = clause.negation is not None

    def all_in(tag: str) -> str | None:
        forms = [inflect(lemma, tag) for lemma in lemmas]
        return None if None in forms else " and ".join(form for form in forms if form)

    def finite(tense: str) -> str | None:
        if negated:
            plain = all_in("VB")
            return None if plain is None else f"{do(tense, number)} not {adverbs}{plain}"
        forms = [verb_form(lemma, tense, number) for lemma in lemmas]
        return None if None in forms else adverbs + " and ".join(form for form in forms if form)

    def helped(helper: str, tag: str) -> str | None:
        form = all_in(tag)
        return None if form is None else f"{helper}{' not' if negated else ''} {adverbs}{form}"

    match helpers:
        case [("was" | "were")]:
            return finite("past")
        case [("is" | "are")]:
            return finite("present")
        case [("has" | "have"), "been"]:
            return helped(have("present", number), "VBN")
        case ["had", "been"]:
            return helped("had", "VBN")
        case [("is" | "are"), "being"]:
            return helped(be("present", number), "VBG")
        case [("was" | "were"), "being"]:
            return helped(be("past", number), "VBG")
        case [("will" | "would" | "can" | "could" | "must" | "should" | "may" | "might") as modal, "be"]:
            return helped(modal, "VB")
    return None


# What both need


def _may_move(one: Piece, other: Piece) -> bool:
    """True where neither phrase has words whose meaning hangs on their place, and both are short."""
    for piece in (one, other):
        outside = _outside_names(piece)
        if len(piece) > _MOST_WORDS or any(w.lower in _WORDS_OF_AMOUNT or w.text == "," for w in outside):
            return False
        if (
            piece.words[0].tag in ("PRP", "WP", "EX", "WDT")
            and piece.text.lower() not in _TO_OBJECT | _TO_SUBJECT
        ):
            return False
    return True


def _is_tied(owned: Piece) -> bool:
    """True for "his", "himself": the phrase speaks of the other one."""
    return any(
        w.tag == "PRP$" or w.lower in _REFLEXIVES or w.lower in ("each", "one") for w in _outside_names(owned)
    )


def _tail(document: Document, piece: Piece, rest: Piece) -> str | None:
    """What follows the phrase; None where it is more than a time, or a place with a name.

    "He watched a bird in the sky" must not become "was watched by him in the sky".
    """
    if piece.last == rest.last:
        return ""
    after, names = Piece(document, piece.last + 1, rest.last), in_names(document)
    if piece.last in names and after.first in names:
        return None  # "Trouble with the Horse": where does the name end?
    is_case = after.words[0].lower in ("in", "on", "at", "during", "for", "since", "until")
    known = [is_year(w) or w.lower in MONTHS or w.index in names or w.upos == "NUM" for w in after.words]
    small = [w.upos in ("ADP", "DET") or w.text == "," or w.lower == "century" for w in after.words]
    is_plain = all(one or other for one, other in zip(known, small, strict=True)) and any(known)
    return after.text if is_case and is_plain and len(after) <= 9 else None


def _is_date(document: Document, word: Word) -> bool:
    return any(is_year(w) or w.lower in MONTHS for w in document.subtree(word))


def _outside_names(piece: Piece) -> list[Word]:
    return [w for w in piece.words if w.index not in in_names(piece.document)]
