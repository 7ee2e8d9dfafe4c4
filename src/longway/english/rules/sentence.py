"""What all rules read of a sentence: names and titles, phrases, plain clauses, persons, times; and how texts with titles are parsed.

    name_indices(document)      indices of words in names and titles ("Mutiny on the Barge"); rules never change them
    WordSpan                    consecutive words
    span_of(document, word)     the phrase below a word, None if it is not contiguous
    plain_sentences(document)   sentences that rules may rebuild, without the final mark

    clauses(document)                       plain clauses: subject, verbs, rest
    is_plural_span(document, span)          True, False, or None if unsure: what a verb must agree with
    is_plain_statement(document, index)     one main clause that starts with its subject, nothing joined to it
    embedded_after(scene, first, words)     the change that puts "It is false that" before a sentence
    is_person(document, word), is_known_person(scene, subject)

    read_all(pipeline, texts)      one Document per text

"Pearl (album) was recorded" and "Exit the Queen is a comedy" confuse a parser. So a bracket after a name, and a title at the
start of a sentence that was not understood, are removed before parsing. In the resulting Document they are part of one
word, "Pearl (album)" or "Exit the Queen", at its exact offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from longway.english.denials import subject_of
from longway.english.document import Change, Document, Word, Words, any_lower, apply_changes
from longway.english.inflection import MONTHS, capitalise
from longway.english.people.mentions import find_mentions, person_noun_kind
from longway.english.pipeline import EnglishPipeline
from longway.english.rules.rule import Scene
from longway.english.words import listed_words

_LISTS = listed_words(__name__)
MONTH_WORDS = frozenset(map(str.lower, MONTHS))


@lru_cache(maxsize=256)
def name_indices(document: Document) -> frozenset[int]:
    """Return the indices of words in names and titles, including brackets after them and quotations."""
    capital = [_is_capital(document, word) for word in document]
    indices = {i for i, is_capital in enumerate(capital) if is_capital}
    indices |= set(_connectors(document, capital))
    indices |= set(_brackets(document, indices)) | set(_quoted(document)) | set(_numbers(document, indices))
    return frozenset(indices)


def _is_capital(document: Document, word: Word) -> bool:
    """Return True if a capital marks a name; at the start of a sentence more evidence is needed."""
    text = word.text
    if not any(c.isupper() for c in text) or text in ("I", "I'm"):
        return False
    if " " in text:
        return True  # a title that parsing merged into one word
    first, end = document.sentences[document.sentence_number(word)]
    if word.index > first and document.words[word.index - 1].text not in ("“", '"', "``", "''", "'"):
        return True
    if any(c.isupper() or c.isdigit() for c in text[1:]):
        return True
    if word.lower in _LISTS.openers:
        return _opens_a_number_title(document, word, end)
    return (
        word.upos == "PROPN"
        or _leads_to_a_capital(document, word, end)
        or _may_be_a_title(document, word, end)
    )


def _may_be_a_title(document: Document, word: Word, end: int) -> bool:
    """Return True for the first word of "Telephone was released": a noun without an article may be a title."""
    after = document.words[word.index + 1] if word.index + 1 < end else None
    return after is not None and word.tag in ("NN", "NNP", "VB", "JJ") and after.tag in ("VBZ", "VBD", "MD")


def _leads_to_a_capital(document: Document, word: Word, end: int) -> bool:
    """Return True for "Mutiny" in "Mutiny on the Barge": only connectors precede the next capital or bracket."""
    for other in document.words[word.index + 1 : min(end, word.index + 5)]:
        if other.text[:1].isupper() or other.text == "(":
            return True
        if other.lower not in _LISTS.name_connectors:
            return False
    return False


def _opens_a_number_title(document: Document, word: Word, end: int) -> bool:
    """Return True for "Two" in "Two and a Half Cats", "No" in "No Way Back", "It" in "It Happens"."""
    if word.lower in ("the", "a", "an") or word.upos == "ADP" or word.index + 1 >= end:
        return False
    after = document.words[word.index + 1]
    follows = after.text[:1].isupper() and after.text != "I"
    return (follows and after.upos != "PROPN") or (
        after.lower == "and" and _leads_to_a_capital(document, word, end)
    )


def _connectors(document: Document, capital: list[bool]) -> Iterator[int]:
    """Yield the connectors between two capitals, and "The" at the start of a title."""
    last = len(capital)
    for index, is_capital in enumerate(capital):
        if not is_capital:
            continue
        between = document.words[last + 1 : index]
        if len(between) <= 3 and all(w.lower in _LISTS.name_connectors or w.upos == "NUM" for w in between):
            yield from (word.index for word in between)
        last = index
    for index in range(len(capital) - 1):
        word = document.words[index]
        if word.text in ("The", "A", "An") and capital[index + 1]:
            first, *rest = document.sentence_of(word)
            if first.index != index or any(other.lemma.lower() in _LISTS.title_words for other in rest):
                yield index


def _numbers(document: Document, names: set[int]) -> Iterator[int]:
    """Yield the "2" of "Blue Sky 2"."""
    for word in document:
        is_bare = word.upos == "NUM" and word.text.isdigit() and len(word.text) < 3
        if is_bare and word.index - 1 in names and document.words[word.index - 1].lower not in MONTH_WORDS:
            yield word.index


def _brackets(document: Document, names: set[int]) -> Iterator[int]:
    """Yield brackets right after a name: "Pearl (album)"."""
    opened: int | None = None
    for word in document:
        if word.text == "(" and word.index - 1 in names:
            opened = word.index
        elif word.text == ")" and opened is not None:
            yield from range(opened, word.index + 1)
            opened = None


def _quoted(document: Document) -> Iterator[int]:
    opened: int | None = None
    for word in document:
        if word.text in ('"', "“", "”", "``", "''"):
            if opened is None:
                opened = word.index
            else:
                yield from range(opened, word.index + 1)
                opened = None


@dataclass(frozen=True, slots=True)
class WordSpan:
    """The words from `first` to `last` (inclusive) of a document."""

    document: Document
    first: int
    last: int

    @property
    def start(self) -> int:
        """Offset of its first character."""
        return self.document.words[self.first].start

    @property
    def end(self) -> int:
        """Offset after its last character."""
        return self.document.words[self.last].end

    @property
    def text(self) -> str:
        """Its text."""
        return self.document.text[self.start : self.end]

    @property
    def words(self) -> Words:
        """Its words."""
        return self.document.words[self.first : self.last + 1]

    @property
    def inside(self) -> str:
        """Its text as written inside a sentence, without the capital of a sentence start."""
        word = self.document.words[self.first]
        opens = any(first == self.first for first, _ in self.document.sentences)
        if not opens or self.first in name_indices(self.document) or word.lower.startswith(("i'", "i ")):
            return self.text
        is_name = word.upos == "PROPN" or word.text == "I" or any(c.isupper() for c in word.text[1:])
        # "Up was released", "Her won a prize": a subject that cannot be one is a title.
        is_name |= word.relation.startswith("nsubj") and (
            word.upos in ("ADV", "ADP") or word.lower in _LISTS.object_pronouns
        )
        return self.text if is_name else self.text[:1].lower() + self.text[1:]

    def becomes(self, text: str) -> Change:
        """Return the change that replaces the span."""
        return Change(self.start, self.end, text)

    def __len__(self) -> int:
        return self.last - self.first + 1


def span_of(document: Document, word: Word) -> WordSpan | None:
    """Return the phrase below a word; None if it is not contiguous."""
    below = document.subtree(word)
    first, last = below[0].index, below[-1].index
    return WordSpan(document, first, last) if last - first + 1 == len(below) else None


def as_sentence_start(document: Document, sentence: int, text: str) -> str:
    """Return a text with a capital if the sentence starts with one."""
    first = document.words[document.sentences[sentence][0]].text
    return capitalise(text) if first[:1].isupper() and text[:1].isalpha() else text


def comma_style(document: Document) -> str:
    """Return a comma as the text writes it: some corpora have a space before it."""
    return " ," if " , " in document.text or document.text.endswith(" .") else ","


def plain_sentences(document: Document) -> Iterator[tuple[int, WordSpan]]:
    """Yield the sentences that can be rebuilt: their number and their words up to the final mark.

    Skips questions, quotations, sentences with several marks, and a last word that includes the full stop ("Sun.").
    """
    for number, (first, end) in enumerate(document.sentences):
        last = end - 1
        while last > first and document.words[last].upos == "PUNCT":
            last -= 1
        marks = "".join(word.text for word in document.words[last + 1 : end])
        inner = document.words[first : last + 1]
        if marks not in ("", ".", "!") or document.words[last].text.endswith((".", "]")):
            continue
        before = document.word_at(first - 1)
        if (
            before is not None
            and len(before.text) <= 3
            and before.text not in (".", "!", "?", "...", '"', ")")
        ):
            continue  # the rest of a sentence that was split after "J."
        broken = any(w.text in _BREAKING and w.index not in name_indices(document) for w in inner)
        if last - first >= 1 and not broken and inner[0].upos != "PUNCT":
            yield number, WordSpan(document, first, last)


_BREAKING = frozenset(
    {'"', "“", "”", "``", "''", ";", ":", "?", "!", "...", "…", "--", "–", "—", "|", "-lrb-", "-rrb-"}
)


def is_time(document: Document, word: Word) -> bool:
    """Return True for the head of a time phrase: "1984", "May", "the 20th century"."""
    words = [word, *document.children(word)]
    if word.upos == "NUM" or word.lower in MONTH_WORDS | _LISTS.days:
        return any(is_year(w) or w.lower in MONTH_WORDS | _LISTS.days for w in words)
    return word.lower in _LISTS.times


def is_year(word: Word) -> bool:
    """Return True for "1984", "1990s"."""
    digits = word.text.rstrip("s").rstrip("'’")
    return len(digits) == 4 and digits.isdigit() and digits[0] in "12"


def has_scope(words: Words) -> bool:
    """Return True if "not", "only" or the like is among the words: their scope depends on the order."""
    return any_lower(words, _LISTS.scope_words)


NOT_WORDS = frozenset({"not", "n't", "n’t"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A plain sentence: subject, verbs, rest.

    sentence: its number. subject: the phrase before the verbs. head: the main verb, or the predicate after "be". verbs:
    auxiliaries, negation, adverbs and the main verb, in order. rest: the words after them, if any.
    """

    document: Document
    sentence: int
    subject: WordSpan
    head: Word
    verbs: Words
    rest: WordSpan | None

    @property
    def finite(self) -> Word:
        """The verb that agrees with the subject."""
        return self.verbs[0]

    @property
    def negation(self) -> Word | None:
        """The "not" among the verbs."""
        return next((word for word in self.verbs if word.lower in NOT_WORDS), None)

    @property
    def adverbs(self) -> Words:
        """The adverbs among the verbs, without "not"."""
        return tuple(w for w in self.verbs if w.upos in ("ADV", "PART") and w.lower not in NOT_WORDS)

    @property
    def auxiliaries(self) -> Words:
        """The verbs before the main one, including "be"."""
        return tuple(w for w in self.verbs if w.upos in ("AUX", "VERB") and w.index != self.head.index)


def clauses(document: Document) -> Iterator[Clause]:
    """Yield the clauses that make up a plain sentence, at most one per sentence.

    Sentences with anything but the subject before the verbs are skipped.
    """
    for number, sentence in plain_sentences(document):
        clause = _parse_clause(document, number, sentence)
        if clause is not None:
            yield clause


def _parse_clause(document: Document, number: int, sentence: WordSpan) -> Clause | None:
    head = next((w for w in sentence.words if w.dep == "root"), None)
    if head is None:
        return None
    below = document.children(head, "aux", "cop")
    is_verb = head.upos in ("VERB", "AUX")
    if not is_verb and not any(w.relation == "cop" for w in below):
        return None
    verbs = [w.index for w in below if w.index <= head.index] + ([head.index] if is_verb else [])
    if not verbs:
        return None  # "be" after its predicate
    first, last = min(verbs), max(verbs)
    while first - 1 > sentence.first and _is_verbal_adverb(document, document.words[first - 1], head):
        first -= 1
    if first == sentence.first or last > sentence.last:
        return None
    if not is_verb:
        while last + 1 < head.index and _is_verbal_adverb(document, document.words[last + 1], head):
            last += 1
    group = document.words[first : last + 1]
    if any(w.upos not in ("AUX", "VERB", "ADV", "PART") for w in group):
        return None
    subject = WordSpan(document, sentence.first, first - 1)
    rest = WordSpan(document, last + 1, sentence.last) if last < sentence.last else None
    clause = Clause(document, number, subject, head, group, rest)
    return clause if _is_plain(clause) else None


def _is_verbal_adverb(document: Document, word: Word, head: Word) -> bool:
    is_adverb = word.upos == "ADV" or word.lower in NOT_WORDS
    return is_adverb and word.head == head.index and word.index not in name_indices(document)


def _is_plain(clause: Clause) -> bool:
    """Return True if one noun phrase precedes the verbs, and no verb is shared or missing."""
    document, subject = clause.document, clause.subject
    if clause.finite.tag not in ("VBD", "VBZ", "VBP", "MD") and not clause.adverbs:
        return False
    names = name_indices(document)
    if any(w.index in names for w in clause.verbs):
        return False
    if all(w.index in names or w.tag == "DT" for w in subject.words):
        return True  # a name, however "Born in Paris" was parsed
    heads = [w for w in document.children(clause.head, "nsubj") if w.index <= subject.last]
    if len(heads) != 1:
        return False
    below = document.subtree(heads[0])
    return len(below) == len(subject) and below[0].index == subject.first and below[-1].index == subject.last


def is_plural_span(document: Document, span: WordSpan) -> bool | None:
    """Return True if a phrase is plural for a verb, False if it is singular, None if unsure."""
    words, names = span.words, name_indices(document)
    if all(w.index in names or w.tag == "DT" for w in words):
        return None if _may_be_several(words) else False
    inside = {w.index for w in words}
    heads = [w for w in words if w.head not in inside or w.dep == "root"]
    if len(heads) != 1:
        return None
    head = heads[0]
    if any(w.index in inside for w in document.children(head, "conj")):
        return True if any(w.lower == "and" for w in words) else None
    if head.upos == "PRON":
        return (
            True
            if head.lower in _LISTS.plural_pronouns
            else False
            if head.lower in _LISTS.singular_pronouns
            else None
        )
    if head.tag in ("NNS", "NNPS"):
        return True if head.index not in names else None
    is_single = any_lower(words, ("a", "an", "this", "one"))
    if head.lemma.lower() in _LISTS.same_in_plural and not is_single:
        return None
    return False if head.tag in ("NN", "NNP", "VBG", "CD") else None


def _may_be_several(words: Words) -> bool:
    """Return True for names such as "Jane and Joan" (two people, or a title) and "The Kinks"."""
    lower = [w.lower for w in words]
    if "and" in lower or "&" in lower or any(w.tag == "NNPS" for w in words):
        return True
    return lower[0] == "the" and lower[-1].endswith("s") and not lower[-1].endswith("ss")


def is_plural_subject(clause: Clause) -> bool | None:
    """Return the number that the verb shows, else that of the subject."""
    verb = clause.finite.lower
    if verb in ("is", "was", "has", "does", "isn", "wasn") or clause.finite.tag == "VBZ":
        return False
    is_first = clause.subject.words[0].lower == "i"
    shows_plural = clause.finite.tag == "VBP" and verb not in ("am", "have", "do") and not is_first
    if verb in ("are", "were") or shows_plural:
        return True
    if is_first and len(clause.subject) == 1:
        return None
    return is_plural_span(clause.document, clause.subject)


_EXTRA_CLAUSES = ("conj", "parataxis", "advcl", "ccomp", "csubj", "discourse", "dislocated", "vocative")
_PERSON_PATTERN = re.compile(
    r"\bborn\b|\b(?:he|she|his|her) \b|\b(?:actor|actress|singer|politician|director|writer|author|player|musician|producer"
    r"|model|comedian|rapper|wrestler|painter|lawyer|businessman|businesswoman|journalist|philosopher|composer|king|queen"
    r"|emperor|screenwriter|novelist|poet|boxer|footballer|coach|racing driver|scientist|songwriter|host)\b"
)


def main_clause_root(document: Document, index: int) -> Word | None:
    """Return the root of the sentence if the word belongs to its main verb group, else None."""
    word: Word | None = document.words[index]
    while word is not None and word.relation != "root":
        if word.relation not in ("aux", "cop", "xcomp", "advcl", "ccomp", "advmod", "obl"):
            return None
        word = document.head(word)
    return word


def is_plain_statement(document: Document, index: int) -> bool:
    """Return True if a word belongs to the main verb of a sentence that is a single statement starting with its subject."""
    main = main_clause_root(document, index)
    if main is None or document.children(main, *_EXTRA_CLAUSES):
        return False
    words = document.sentence_of(main)
    subject = subject_of(document, main)
    number = document.sentence_number(main)
    around = document.sentences[max(0, number - 1) : number + 2]
    # A sentence of one or two words beside it is probably a name with initials that was split.
    is_cut = any(end - first < 3 for first, end in around if first != words[0].index)
    if subject is None or words[-1].text not in (".", "!") or is_cut:
        return False
    phrase = document.subtree(subject)
    is_first = phrase[0].index == words[0].index and phrase[-1].index < index
    return is_first and not any(w.text in (";", ":", "?") for w in words if w.index > index)


def is_known_person(scene: Scene, subject: Word | None) -> bool:
    """Return True if a subject is surely one person, judging by the name and the context."""
    if subject is None:
        return False
    mention = next((m for m in find_mentions(scene.document) if m.start <= subject.index < m.end), None)
    if mention is None or mention.number != "sing" or mention.kind == "pronoun":
        return mention is not None and mention.number == "sing"
    if mention.kind != "name":
        return True
    opening = (scene.context or "")[:400]
    return mention.certain and len(mention.parts) > 1 and bool(_PERSON_PATTERN.search(opening))


def lowercase_first(scene: Scene, first: Word) -> str | None:
    """Return the first word of a sentence as written inside one; None if unknown."""
    text, document = first.text, scene.document
    small = text[:1].lower() + text[1:]
    if text == "I" or text == small or text[1:] != text[1:].lower():
        return text
    after = document.words[first.index + 1].text if first.index + 1 < len(document) else ""
    context = scene.context or ""
    if first.upos == "DET" or first.tag == "PRP$":
        if not after[:1].isupper():
            return small
        in_context = re.search(rf"\w ({text}|{small}) {re.escape(after)}\b", context)
        if in_context is not None:
            return in_context[1]
        # "an American band", "the Corvane Bridge"; but a title has its capital from the first word on.
        head = document.head(first)
        is_plain_noun = head is not None and head.text.islower()
        opening = re.findall("[a-z]+", context[:400].lower())
        is_work = first.index in name_indices(document) or not _LISTS.title_words.isdisjoint(opening)
        return small if is_plain_noun or (text == "The" and not is_work) else text
    if first.index in name_indices(document):
        return text
    if first.upos == "PRON" or re.search(rf"\b{re.escape(small)}\b", context):
        return small
    if re.search(rf"\b{re.escape(text)}\b", context):  # a title of one word: "Reanimation"
        return text
    return small if first.tag in ("NNS", "JJ") and not after[:1].isupper() else None


def embedded_after(scene: Scene, first: Word, words: str) -> Change | None:
    """Return the change that puts words before a sentence: "It is false that", with the first word in lower case."""
    new = lowercase_first(scene, first)
    return None if new is None else first.becomes(f"{words} {new}")


def is_person(document: Document, word: Word) -> bool:
    """Return True if a word surely denotes a person."""
    if word.lower in _LISTS.person_pronouns or (word.upos == "NOUN" and person_noun_kind(word) is not None):
        return word.index not in name_indices(document) or word.lower in _LISTS.person_pronouns
    names = (m for m in find_mentions(document) if m.kind == "name" and m.certain)
    return any(name.start <= word.index < name.end for name in names)


PLACEHOLDER = "Hamlet"  # parsers know it as a name
_BRACKET = re.compile(r"(?<=[\w.!?'’]) \([^()\n]{1,60}\)(?= )")
_TITLE = re.compile(
    r"(?:[A-Z0-9][\w'’.:&!-]*|\d+)(?: (?:(?:of|the|and|in|on|a|an|to|for|with|at|from|by|de|la|&|[A-Z0-9][\w'’.:&!?-]*) )*"
    r"(?:[A-Z0-9][\w'’.:&!?-]*))(?= (?:is|was|are|were|has|had|have|did|does|will|can|could|would|\w+(?:ed|s)|won|came|began|took) )"
)


def read_all(pipeline: EnglishPipeline, texts: Iterable[str]) -> Iterator[Document]:
    """Yield one document per text, in order."""
    originals = list(texts)
    all_cuts = [list(_name_brackets(text)) for text in originals]
    shortened = [apply_changes(text, cuts) for text, cuts in zip(originals, all_cuts, strict=True)]
    parsed = pipeline.analyse_all(shortened)
    for text, cuts, short_document in zip(originals, all_cuts, parsed, strict=True):
        document = _restore(short_document, text, cuts)
        if document is None or not any(clauses(document)):
            document = _read_with_title(pipeline, text, cuts, document)
        yield document


def _read_with_title(
    pipeline: EnglishPipeline, text: str, cuts_before: list[Change], document: Document | None
) -> Document:
    """Parse again with the opening title as one name; keep the result if it makes the sentence clear."""
    title = _TITLE.match(apply_changes(text, cuts_before))
    if title is not None and " " in title[0]:
        end = _original_offset(title.end(), cuts_before, is_end=True)
        cuts = [Change(0, end, PLACEHOLDER), *(cut for cut in cuts_before if cut.start > end)]
        reparsed = _restore(pipeline.analyse(apply_changes(text, cuts)), text, cuts)
        if reparsed is not None and any(clauses(reparsed)):
            return reparsed
    return document if document is not None else pipeline.analyse(text)


def _name_brackets(text: str) -> Iterator[Change]:
    """Yield brackets after a capitalised word: they distinguish things with the same name."""
    for match in _BRACKET.finditer(text):
        before = text[: match.start()].split()[-1:]
        if any(c.isupper() for word in before for c in word):
            yield Change(match.start(), match.end(), "")


def _restore(document: Document, text: str, cuts: list[Change]) -> Document | None:
    """Map the document of the shortened text to the whole text; None if a cut was inside a word."""
    if not cuts:
        return document
    words: list[Word] = []
    for word in document:
        start = _original_offset(word.start, cuts, is_end=False)
        end = _original_offset(word.end, cuts, is_end=True)
        if words and start < words[-1].end:
            return None
        words.append(replace(word, start=start, end=end, text=text[start:end]))
    return Document(text, tuple(words), document.sentences)


def _original_offset(offset: int, cuts: list[Change], *, is_end: bool) -> int:
    """Map an offset of the shortened text to the whole text. The end of a word includes the cut after it."""
    removed = 0
    for cut in cuts:
        cut_offset = cut.start - removed  # of the cut in the shortened text
        if offset < cut_offset or (offset == cut_offset and not is_end and not cut.text):
            break
        if cut.text and offset < cut_offset + len(cut.text):
            return cut.start
        removed += cut.end - cut.start - len(cut.text)
    return offset + removed
