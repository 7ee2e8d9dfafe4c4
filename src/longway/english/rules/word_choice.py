"""Single words and short fixed expressions. Families: contractions, hedges, words, names.

    contractions    "is not" <-> "isn't", "it is" <-> "it's"
    hedges          "Honestly, the film is fine."      ->  "The film is fine.", "To be honest, the film is fine."
                    "I think that the film is fine."   ->  "The film is fine.", "In my opinion, the film is fine."
    words           "children" -> "kids", "purchased" -> "bought": WordNet synonyms
    names           a person's name in a single text, if the name predicts the label

Contractions skip a possessive 's, "'d" (had or would), a verb at the end of its clause ("as tall as she is"), questions
("Isn't it?"), and keep the space of texts that write " n't". A hedge must start its sentence and precede a comma: "He answered
honestly" stays, and so does "I do not think". Synonyms skip names, titles, and verbs followed by a preposition ("result in")
unless WordNet lists the new verb with one. Names are never changed in pairs, whose context mentions the same person. All
mentions change together to a name of the same gender; the text then says something else, so only the label is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from longway.english.document import Change, Document, Word
from longway.english.inflection import capitalise, match_case
from longway.english.listed_words import listed_phrases, listed_words
from longway.english.people.chains import Chain, find_chains
from longway.english.replacements import Replacement, synonyms, with_article
from longway.english.rules.rule import Rephrasing, Scene
from longway.english.rules.spans import comma_style, is_time, name_indices
from longway.english.wordnet import is_expression, senses

_NEGATED = frozenset("is are was were do does did has have had would could should must need might".split())
_IRREGULAR = {"ca": "cannot", "wo": "will not", "sha": "shall not"}
_SHORT_FORMS = {"is": "'s", "are": "'re", "am": "'m", "will": "'ll", "have": "'ve", "has": "'s"}
_LONG_FORMS = {"'re": "are", "'m": "am", "'ll": "will", "'ve": "have"}
_SUBJECTS = frozenset("i you he she it we they that there".split())
_AUXILIARIES = ("aux", "cop")


def contractions(scene: Scene) -> Iterator[Rephrasing]:
    """Yield the text with one contraction written out, or one pair of words contracted."""
    document = scene.document
    for first, second in zip(document.words, document.words[1:], strict=False):
        if first.index in name_indices(document) or _is_inverted(document, first):
            continue
        if second.lower in ("n't", "n’t"):
            yield from _written_out(document, first, second)
        elif second.lower == "not":
            yield from _contracted(document, first, second)
        elif first.lower in _SUBJECTS and first.upos in ("PRON", "DET"):
            yield from _subject_verb(document, first, second)


def _written_out(document: Document, verb: Word, negation: Word) -> Iterator[Rephrasing]:
    special = _IRREGULAR.get(verb.lower)
    text = special or (f"{verb.lower} not" if verb.lower in _NEGATED or verb.lower == "could" else None)
    if text is None or _ends_clause(document, negation):
        return
    if verb.text[:1].isupper():
        text = text[:1].upper() + text[1:]
    yield Rephrasing.of("contractions.written_out", Change(verb.start, negation.end, text))


def _contracted(document: Document, verb: Word, negation: Word) -> Iterator[Rephrasing]:
    short = {"can": "can't", "will": "won't"}.get(verb.lower)
    text = short or (f"{verb.text}n't" if verb.lower in _NEGATED - {"might", "need"} else None)
    after = document.after(negation)
    if text is None or (negation.head == verb.index and verb.upos == "VERB") or after is None:
        return
    if after.upos == "PUNCT" or after.lower in ("only", "just", "merely", "to"):
        return
    if verb.text[:1].isupper():
        text = text[:1].upper() + text[1:]
    if " n't" in document.text:
        text = text.replace("n't", " n't")
    yield Rephrasing.of("contractions.contracted", Change(verb.start, negation.end, text))


def _subject_verb(document: Document, subject: Word, verb: Word) -> Iterator[Rephrasing]:
    if verb.upos not in ("AUX", "VERB") or _ends_clause(document, verb):
        return
    before = document.lower_at(subject.index - 1)
    if before in ("than", "as"):
        return  # "worse than he is in front of it"
    if subject.relation not in ("nsubj", "expl") or document.words[verb.index + 1].text == "Not":
        return  # "it's" for "its"; a title
    glued = document.text[subject.end : verb.start]
    if verb.lower.startswith(("'", "’")):
        long = _LONG_FORMS.get(verb.lower.replace("’", "'")) or _long_s(document, verb)
        if long is not None:
            yield Rephrasing.of("contractions.written_out", Change(subject.end, verb.end, f" {long}"))
        return
    short = _SHORT_FORMS.get(verb.lower)
    after = document.words[verb.index + 1]
    is_helper = verb.relation in _AUXILIARIES or verb.upos == "AUX"
    if short is None or not glued or not is_helper or after.lower == "not" or after.tag == "TO":
        return
    if verb.lower in ("have", "has") and after.tag != "VBN":
        return
    if subject.lower in ("that", "there") and verb.lower != "is":
        return
    style = " " if " '" in document.text else ""
    yield Rephrasing.of("contractions.contracted", Change(subject.end, verb.end, f"{style}{short}"))


def _long_s(document: Document, verb: Word) -> str | None:
    """Return the verb that "'s" abbreviates; None if it may be a possessive or either verb."""
    if verb.lower not in ("'s", "’s") or verb.tag == "POS":
        return None
    rest = document.words[verb.index + 1 : verb.index + 4]
    after = next((w for w in rest if w.upos != "ADV"), rest[0])
    if after.tag == "VBN":
        return "has" if after.lower in ("been", "got", "had", "become", "gone") else None
    return "is"


def _ends_clause(document: Document, word: Word) -> bool:
    """Return True if the clause ends after the verb: "than she is."."""
    after = document.after(word)
    return after is None or after.upos in ("PUNCT", "CCONJ", "SCONJ")


def _is_inverted(document: Document, verb: Word) -> bool:
    """Return True if the verb starts its sentence or the subject follows: "Isn't it?", "nor is it"."""
    first, _ = document.sentences[document.sentence_number(verb)]
    after = document.words[verb.index + 1 : verb.index + 3]
    if verb.upos != "AUX":
        return False
    opens = verb.index == first or document.words[verb.index - 1].lower in ("nor", "neither", "why")
    return opens or (len(after) == 2 and after[1].tag == "PRP" and after[1].relation == "nsubj")


OPENERS = tuple(listed_phrases(__name__, "openers").values())
_OPINIONS = ("think", "believe", "feel", "find")
_BEFORE_FILLER = frozenset("not n't never so how as too quite very more most".split())  # the filler stays
_FILLERS = frozenset("basically actually honestly literally simply essentially".split())


def hedges(scene: Scene) -> Iterator[Rephrasing]:
    """Yield the text with one hedge dropped or exchanged."""
    document = scene.document
    for number, (first, _) in enumerate(document.sentences):
        yield from _openers(document, number, first)
        yield from _opinion(document, number)
    for word in document:
        yield from _filler(document, word)


def _openers(document: Document, number: int, first: int) -> Iterator[Rephrasing]:
    words = document.sentence(number)
    comma = next((w for w in words[:7] if w.text == ","), None)
    if comma is None or comma.index + 2 >= words[-1].index:
        return
    opener = " ".join(w.lower for w in words if w.index < comma.index)
    group = next((g for g in OPENERS if opener and opener in g), None)
    if group is None:
        return
    after = document.words[comma.index + 1]
    is_capital = words[0].text[:1].isupper()
    for other in group:
        if other == opener or (other == "i think" and after.tag in ("VB", "VBG")):
            continue
        if other == "":
            text = capitalise(after.text) if is_capital else after.text
            yield Rephrasing.of("hedges.dropped", Change(words[0].start, after.end, text))
        elif other == "i think":
            i = "I think" if is_capital else "i think"
            yield Rephrasing.of("hedges.exchanged", Change(words[0].start, comma.end, i))
        else:
            end = document.words[comma.index - 1].end
            text = capitalise(other) if is_capital else other
            yield Rephrasing.of("hedges.exchanged", Change(words[0].start, end, text))


def _opinion(document: Document, number: int) -> Iterator[Rephrasing]:
    """Rephrase "I think (that) X" at the start of a sentence, if X is a whole clause."""
    words = document.sentence(number)
    if len(words) < 5 or words[0].lower != "i" or words[1].lower not in _OPINIONS or words[1].dep != "root":
        return
    clauses = document.children(words[1], "ccomp")
    if len(clauses) != 1 or not document.children(clauses[0], "nsubj") or document.children(words[1], "conj"):
        return
    rest = words[3] if words[2].lower == "that" and words[2].relation == "mark" else words[2]
    if rest.upos == "PUNCT" or rest.lower in ("so", "not", "about", "of"):
        return
    is_capital = words[0].text == "I" and number >= 0 and document.text[words[0].start].isupper()
    text = capitalise(rest.text) if is_capital else rest.text
    yield Rephrasing.of("hedges.dropped", Change(words[0].start, rest.end, text))
    for other in ("In my opinion", "In my view"):
        front = other if is_capital else other.lower()
        change = Change(words[0].start, rest.start, f"{front}{comma_style(document)} ")
        yield Rephrasing.of("hedges.exchanged", change)


def _filler(document: Document, word: Word) -> Iterator[Rephrasing]:
    """Drop a filler before an adjective, a noun phrase or a verb."""
    first, end = document.sentences[document.sentence_number(word)]
    if word.lower not in _FILLERS or word.upos != "ADV" or word.index == first or word.index + 1 >= end:
        return
    before, after = document.words[word.index - 1], document.words[word.index + 1]
    if before.lower in _BEFORE_FILLER or before.upos == "PUNCT" or after.upos not in ("ADJ", "DET", "VERB"):
        return
    if after.upos == "VERB" and word.lower == "simply":
        return  # "simply made" means made in a simple way
    if after.upos == "VERB" and before.upos not in ("AUX", "PRON", "NOUN"):
        return
    yield Rephrasing.of("hedges.filler", Change(before.end, word.end, ""))


_OPEN_CLASSES = ("NOUN", "VERB", "ADJ", "ADV")
_EXCLUDED = listed_words(__name__)["excluded"]
_PREPOSITION_FRAMES = frozenset({4, 22})  # WordNet's frames "Something is ----ing PP", "Somebody ----s PP"


def words(scene: Scene) -> Iterator[Rephrasing]:
    """Yield the text with one word replaced by a synonym; words to avoid come first."""
    document = scene.document
    names = name_indices(document)
    for word in sorted(document, key=lambda w: (w.lower not in scene.avoid, w.index)):
        if word.upos not in _OPEN_CLASSES or word.index in names or not word.text.isalpha():
            continue
        if word.lemma.lower() in _EXCLUDED and word.lower not in scene.avoid:
            continue
        if _is_in_compound(scene, word):
            continue
        preposition = _following_preposition(word, document)
        for replacement in synonyms(word, document):
            if preposition and not _takes(replacement, preposition):
                continue
            if " " in replacement.text and _is_before_modifier(document, word):
                continue  # no "a for the most part red house"
            yield Rephrasing("words.synonym", tuple(with_article(document, replacement)))


def _is_in_compound(scene: Scene, word: Word) -> bool:
    """Return True for parts of "film festival" or "well-known", which are fixed terms."""
    document = scene.document
    glued = "-" in document.text[max(0, word.start - 1) : word.start] + document.text[word.end : word.end + 1]
    has_part = word.upos == "NOUN" and bool(document.children(word, "compound"))
    is_part = word.relation == "compound" or has_part
    is_participle = word.upos == "VERB" and word.relation in ("amod", "compound")  # "purchasing power"
    return glued or is_part or is_participle


def _is_before_modifier(document: Document, word: Word) -> bool:
    head = document.head(word)
    return word.upos == "ADV" and head is not None and head.relation in ("amod", "compound")


def _following_preposition(word: Word, document: Document) -> str:
    """Return the preposition right after a verb that may belong to it ("resulted in"), or "".

    A time ("began in May") and the agent of a passive ("was bought by") are compatible with any verb.
    """
    after = document.words[word.index + 1 : word.index + 2]
    if word.upos != "VERB" or not after or after[0].upos != "ADP":
        return ""
    if after[0].relation not in ("case", "mark"):
        return ""
    governed = document.head(after[0])
    is_passive = bool(document.children(word, "aux:pass", "nsubj:pass")) or word.tag == "VBN"
    if (governed is not None and is_time(document, governed)) or (after[0].lower == "by" and is_passive):
        return ""
    return after[0].lower


def _takes(replacement: Replacement, preposition: str) -> bool:
    """Return True if WordNet lists the new verb, in this sense, with a preposition."""
    if is_expression(f"{replacement.lemma} {preposition}"):
        return True
    same_senses = (sense for sense in senses(replacement.lemma, "VERB") if sense.name == replacement.sense)
    members = (sense.member(replacement.lemma) for sense in same_senses)
    return any(member is not None and bool(member.frames & _PREPOSITION_FRAMES) for member in members)


NAMES = listed_phrases(__name__, "names")
_N_VARIANTS = 4  # new names per person


def names(scene: Scene) -> Iterator[Rephrasing]:
    """Yield the text with one person renamed throughout."""
    if scene.context is not None or not scene.avoid:
        return
    for chain in find_chains(scene.document):
        avoided = scene.avoid & {n for m in chain.mentions for n in (" ".join(m.parts), *m.parts)}
        if chain.number == "sing" and avoided:
            for variant in range(_N_VARIANTS):
                changes = _renamed(scene.document, chain, variant)
                if changes is not None:
                    yield Rephrasing("names.exchanged", changes, keeps="label")


def _renamed(document: Document, chain: Chain, variant: int) -> tuple[Change, ...] | None:
    full = max((m.parts for m in chain.mentions), key=len)
    if not 1 <= len(full) <= 2:
        return None  # middle names, "de la" and "Jr." follow many conventions
    taken = {w.lower for w in document}
    key = f"{document.text}\0{variant}\0"
    first_names = NAMES.get(chain.gender) or NAMES["neutral"]
    new = {}
    if len(full) == 2:
        new[full[0]] = _pick(first_names, key + full[0], taken)
        new[full[1]] = _pick(NAMES["surnames"], key + full[1], taken)
    else:
        is_titled = any(m.title for m in chain.mentions)
        new[full[0]] = _pick(NAMES["surnames"] if is_titled else first_names, key + full[0], taken)
    changes = []
    for mention in chain.mentions:
        if mention.kind != "name":
            continue
        for word in document.words[mention.start : mention.end]:
            if word.lower in new:
                changes.append(word.becomes(match_case(new[word.lower], word.text)))
    return tuple(changes) or None


def _pick(names: tuple[str, ...], key: str, taken: set[str]) -> str:
    """Return a name that is not in the text. It depends on the text, so no name becomes a new shortcut."""
    free = [name for name in names if name.lower() not in taken]
    digest = blake2b(key.encode("utf-8", "replace"), digest_size=4).digest()
    return free[int.from_bytes(digest, "big") % len(free)]
