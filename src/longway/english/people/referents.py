"""Whether a word refers to a person: titles of works, ships, countries, animals, colours and names do not.

words_in_titles(document)                 indices of the words of titles: "Emma is a novel", "I read Jane Eyre to her"
pronouns_for_things(document, chains)     indices of "she" and "he" for ships, countries and animals: "The ship lost her mast."
reason_not_a_person(document, ...)        why a listed word describes no person here; "" if it does

"Stephen King"     a surname                  "a black shirt"     a colour
"King's College"   part of a name             "Asian markets"     said of a thing
"chick flicks"     describes a thing          "to father a plan"  a verb here
"hit and miss"     no title here              "a sister city"     no person is meant
"the seventies"    nobody's age               "a female cat"      said of an animal
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from longway.english.document import Document, Word, any_lower
from longway.english.inflection import is_all_caps
from longway.english.people.mentions import Mention, find_mentions, is_mainly_first_name, person_noun_kind
from longway.english.people.person_names import census_first_name
from longway.english.people.words import NOT_PERSON, PLACES, DemographicEntry, entries_for
from longway.english.wordnet import senses
from longway.english.words import listed_words

if TYPE_CHECKING:
    from longway.english.people.chains import Chain

_LISTS = listed_words(__name__)
WORKS = _LISTS["works"]
_WRITTEN = _LISTS.read | {"write"}


def words_in_titles(document: Document) -> frozenset[int]:
    """Return the indices of the words in titles of works."""
    return frozenset(
        word.index
        for head in _heads(document)
        if _is_capital(head)
        for word in _words_of_title(document, head)
    )


def _heads(document: Document) -> Iterator[Word]:
    """Yield the main words of things that are called a work, or are read or written."""
    for word in document:
        if is_work(word):
            yield from _called(document, word)
        elif word.lemma in _WRITTEN:
            yield from _objects_of_reading(document, word)


def is_work(word: Word) -> bool:
    """True for "novel", "films"."""
    return word.upos == "NOUN" and word.lemma.lower() in WORKS


def _called(document: Document, noun: Word) -> Iterator[Word]:
    """Yield what a noun calls a work: "Emma is a novel", "the novel is Emma", "Emma, a novel", "the novel Emma"."""
    if document.children(noun, "cop") and not document.children(noun, "case"):  # not "Emma was on the show"
        yield from document.children(noun, "nsubj")
    above = document.head(noun)
    if above is not None and noun.relation == "appos":
        yield above
    if above is not None and noun.relation == "nsubj" and document.children(above, "cop"):
        yield from () if document.children(above, "case") else (above,)  # "The play is Emma's"
    if noun.relation != "nmod":  # "the author of the novel, Jane Roe"
        yield from document.children(noun, "appos")
    behind = document.after(noun)
    if behind is not None and _is_capital(behind) and _is_named_so(document, noun, behind):
        yield behind


def _is_named_so(document: Document, noun: Word, name: Word) -> bool:
    """True for "the film Emma", not for "in the film Emma sings" and "the book Emma bought is old"."""
    if name.head == noun.index and name.relation in ("appos", "flat", "compound", "nmod"):
        return not document.children(name, "case")
    verb = document.head(name)
    is_misread = noun.dep == "root" and not document.children(noun, "cop")  # "The film Emma made her famous"
    return is_misread and verb is not None and verb.relation == "acl" and verb.head == noun.index


def _objects_of_reading(document: Document, verb: Word) -> Iterator[Word]:
    """Yield what is read or written. A single name is skipped after "write": "I wrote Mary" is about a letter."""
    if document.children(verb, "iobj", "compound:prt"):
        return
    yield from document.children(verb, "nsubj:pass")
    for thing in document.children(verb, "obj"):
        n_capitals = sum(map(_is_capital, _words_of_title(document, thing)))
        if verb.lemma in _LISTS.read or n_capitals > 1:
            yield thing


def _words_of_title(document: Document, head: Word) -> Iterator[Word]:
    """Yield the words of a title: its main word and what belongs to it, without its owner and its maker."""
    yield head
    for word in document.children(head):
        is_of_somebody = word.dep == "nmod:poss" or any(
            case.lower in ("by", "from") for case in document.children(word, "case")
        )
        is_part = word.relation not in ("nmod", "conj") or _is_capital(word)
        if word.relation in _LISTS.inside and is_part and not is_of_somebody:
            yield from _words_of_title(document, word)


def _is_capital(word: Word) -> bool:
    return word.text[:1].isupper() and word.upos not in ("PRON", "DET")


ANIMALS = _LISTS["animals"]


def is_animal(word: Word) -> bool:
    """True for "cat", "wolves"."""
    if word.upos not in ("NOUN", "PROPN") or not word.text[1:].islower():
        return False
    meanings = () if person_noun_kind(word) else senses(word.lemma, "NOUN")  # a queen is a bee, too
    return word.lemma.lower() in ANIMALS or bool(meanings and meanings[0].field == "noun.animal")


def pronouns_for_things(document: Document, chains: Sequence[Chain]) -> frozenset[int]:
    """Return the indices of "he" and "she", in all forms, that refer to a ship, a country or an animal."""
    if not any(
        word.lemma.lower() in ANIMALS | _LISTS.called_she or word.lower in PLACES for word in document
    ):
        return frozenset()
    mentions = find_mentions(document)
    groups = [chain.mentions for chain in chains]
    known = {mention.start for group in groups for mention in group}
    groups += [(mention,) for mention in mentions if mention.start not in known]
    return frozenset(
        mention.head
        for group in groups
        for mention in group
        if (mention.kind == "pronoun" and _is_animals_name(document, group))
        or (
            _is_led_by_pronouns(group, mention)
            and any(_is_of_a_thing(document, other, mentions) for other in group if other.kind == "pronoun")
        )
    )


def _is_country(word: Word) -> bool:
    """True for "France", not for "Victoria", who may be a person."""
    return word.lower in PLACES and not is_mainly_first_name(word.lower)


def _is_animals_name(document: Document, group: Sequence[Mention]) -> bool:
    """True for "our cat Duchess"."""
    nouns = (m for m in group if m.kind != "pronoun")
    return any(is_animal(word) for m in nouns for word in document.words[m.start : m.end])


def _is_led_by_pronouns(group: Sequence[Mention], pronoun: Mention) -> bool:
    """True for a pronoun that no name or noun of its group precedes: "The dog wagged his tail when the postman came"."""
    return pronoun.kind == "pronoun" and all(m.kind == "pronoun" or m.start > pronoun.start for m in group)


def _is_of_a_thing(document: Document, pronoun: Mention, mentions: Sequence[Mention]) -> bool:
    if not pronoun.gender:
        return False
    number = document.sentence_number(document.words[pronoun.head])
    if any_lower(document.sentence(number), ("it", "its")):
        return False  # "The ship was old, but she loved it"
    may_be_meant = any(
        mention.start < pronoun.start and mention.person == 3 and mention.certain
        and mention.number == "sing" and mention.gender in ("", pronoun.gender)
        for mention in mentions
    )  # fmt: skip
    names = ANIMALS | _LISTS.called_she if pronoun.gender == "feminine" else ANIMALS
    if may_be_meant:
        return False
    topics = list(_topics(document, pronoun))
    is_country = pronoun.gender == "feminine" and any(
        other.upos == "PROPN" and _is_country(other) for other in topics
    )
    return is_country or any(other.lemma.lower() in names for other in topics)


def _topics(document: Document, pronoun: Mention) -> Iterator[Word]:
    """Yield the topics of the sentence before, and for "her" and "his" those of its own sentence up to the pronoun; a ship always."""
    number = document.sentence_number(document.words[pronoun.head])
    first, _ = document.sentences[number]
    start = document.sentences[number - 1][0] if number else first
    for word in document.words[start : pronoun.start]:
        is_own = word.index >= first
        if word.tag in ("NN", "NNP") and word.relation in ("nsubj", "root"):
            is_ship = word.lemma.lower() in _LISTS.called_she and not document.children(word, "case")
            if not is_own or pronoun.form == "possessive" or is_ship:
                yield word
            elif _is_country(word) and word.head == document.words[pronoun.head].head:
                yield word  # "France honoured her fallen"


IN_A_NAME = "part of a name"
SAID_OF_A_THING = "said of a thing"
COMMON = 1000  # bearers from which a name counts
_OPENING = ('"', "“", "``", "«", "‘", "`")
_CLOSING = ('"', "”", "''", "»", "’", "'")
_LONGEST_TITLE = 8  # words


def reason_not_a_person(document: Document, first: int, end: int, entry: DemographicEntry) -> str:
    """Return why a listed word describes no person here; "" if it does."""
    word, opening = document.words[end - 1], document.words[first]
    if entry.kind == "thing":
        return "no person is meant"
    if end - first == 1 and word.upos in ("VERB", "AUX", "ADP") and entry.pos in ("NOUN", "PROPN"):
        return "a verb here"
    if entry.attribute.axis == "age" and entry.pos == "NOUN" and word.relation == "amod":
        return "an adjective here"  # "a senior official"
    if entry.word in ("count", "counts") and not _is_count_of(document, first, end):
        return "a number here"
    is_in_capitals = word.text.isupper() and len(word.text) > 1 and not entry.word.isupper()
    if is_in_capitals and not is_all_caps(document.text):
        return "an abbreviation"
    if entry.pos == "PROPN" and entry.kind == "title" and not _has_name_behind(document, end, opening):
        return "no title here"
    if _is_surname(document, first, end):
        return "a surname"
    if _is_in_a_name(document, first, end, entry):
        return IN_A_NAME
    if _is_piece_or_card(document, first, end, entry):
        return "a piece or card of a game"
    if entry.attribute.axis == "age" and _is_offspring(document, word, entry):
        return "says whose child it is"
    if entry.attribute.axis == "age" and entry.pos == "NOUN":
        if any_lower(document.children(word, "case"), ("as",)):
            return "a time of life"  # "I loved this as a kid"
        if word.lower in ("elder", "elders") and document.children(word, "compound", "amod"):
            return "a rank"  # "clan elders"
    if word.lower == "people" and any_lower(document.children(word, "det"), ("a", "an")):
        return "no person is meant"  # "an ignored people"
    if word.text in ("man", "woman") and _is_humankind(document, word):
        return "no person is meant"
    if word.lower == "old" and any_lower(document.children(word), ("how",)):
        return "asks for an age"
    if word.lower == "old" and document.lower_at(first - 1) in _LISTS.units:
        return "part of an age"  # "_num_ years old"
    if word.lower in ("old", "older", "elder", "senior") and _is_former_or_senior(document, word):
        return SAID_OF_A_THING  # "her old boyfriend", "elder statesmen"
    if word.lower in _LISTS.degrees and document.lower_at(end) == "of":
        return "no person is meant"  # "Bachelor of Fine Arts", "a master of disguise"
    if (
        "colour" in entry.notes
        and word.tag == "NNS"
        and word.text.islower()
        and not _are_people(document, word)
    ):
        return "a colour"  # "sun-splashed whites"
    needs_people = entry.notes & {"colour", "place", "thing"} or (entry.kind, entry.pos) == ("group", "ADJ")
    if needs_people and not _is_said_of_people(document, word):
        return "a colour" if "colour" in entry.notes else SAID_OF_A_THING
    if entry.kind == "phase" and document.lower_at(end) == "of":
        return "nobody's age"  # "the ripe old age of 42"
    if entry.kind == "decade" and (
        not document.children(word, "nmod:poss")
        or document.text[opening.start - 1 : opening.start] in ("'", "’")
    ):
        return "nobody's age"  # "in the seventies", but "in her seventies"
    if entry.pos == "ADJ" and _is_said_of_an_animal(document, word):
        return "said of an animal"
    if entry.kind == "kin" and _is_of_all(document, word):
        return "no person is meant"
    if _describes_a_thing(document, word, entry):
        return "describes a thing"
    return ""


def _is_former_or_senior(document: Document, word: Word) -> bool:
    """True if an adjective may say how long or of which rank: it says an age only of "man", "people" and the like."""
    above = document.head(word)
    return word.relation == "amod" and above is not None and above.lower not in _LISTS.aged


_OFFSPRING = frozenset("child children kid kids baby babies little one ones".split())


def _is_humankind(document: Document, word: Word) -> bool:
    """True for "confirmed in man or animals": a singular without an article inside a sentence."""
    is_bare = not document.children(word, "det", "nmod:poss", "nummod", "amod", "compound", "cop")
    return is_bare and word.relation in ("obl", "nmod", "obj") and not document.text.islower()


def _is_piece_or_card(document: Document, first: int, end: int, entry: DemographicEntry) -> bool:
    """True for "the white queen" in a text about chess, "the queen of spades"."""
    words = [word.lower for word in document.words[first : end + 2]]
    if words[0] in _LISTS.pieces and words[1:2] == ["of"] and words[2:3] and words[2] in _LISTS.suits:
        return True
    piece = words[0] if words[0] in _LISTS.pieces else words[1] if len(words) > 1 else ""
    if piece not in _LISTS.pieces or not ("colour" in entry.notes or words[0] in _LISTS.pieces):
        return False
    lower = [word.lower for word in document]
    coloured = sum(a in ("black", "white") and b in _LISTS.pieces for a, b in pairwise(lower))
    return coloured > 1 or not _LISTS.board_words.isdisjoint(lower)


def _is_offspring(document: Document, word: Word, entry: DemographicEntry) -> bool:
    """True for "her kids", "their only child", "a mother of two children": it says whose, not how old."""
    if entry.pos != "NOUN" or word.lower not in _OFFSPRING:
        return False
    above = document.head(word)
    is_owned = bool(document.children(word, "nmod:poss"))
    is_had = above is not None and above.lemma == "have" and word.relation == "obj"
    is_of_parent = (
        above is not None
        and word.relation == "nmod"
        and any(entry.kind == "kin" for entry in entries_for(above.text))
    )
    is_of_somebody = any(
        other.upos == "PROPN" and [case.lower for case in document.children(other, "case")] == ["of"]
        for other in document.children(word, "nmod")
    )  # "the children of Gustav Vasa"
    is_born = any(clause.lemma == "bear" for clause in document.children(word, "acl"))  # "children born to"
    is_of_number = (
        above is not None and word.relation == "nmod" and above.upos in ("NUM", "ADJ")
    )  # "fourth of five children"
    is_ranked = (
        is_of_somebody
        or is_born
        or is_of_number
        or any_lower(document.children(word, "amod"), _LISTS.among_siblings)
    )
    return is_owned or is_had or is_of_parent or is_ranked


def is_person(word: Word) -> bool:
    """True if a word refers to a person or to people."""
    if word.lower in _LISTS.communities or person_noun_kind(word) is not None or word.lower in _LISTS.people:
        return True
    is_noun = word.upos in ("NOUN", "PROPN") and word.text.islower()
    meanings = (senses(word.lemma, "NOUN") or senses(word.lower, "NOUN")) if is_noun else ()
    if meanings and meanings[0].field == "noun.person":  # "weaver", "florist"
        return True
    return any(entry.attribute.axis == "gender" and entry.kind != "thing" for entry in entries_for(word.text))


def is_capitalised(word: Word) -> bool:
    """True for "Duke", not for "duke" and "DUKE"."""
    return word.text[:1].isupper() and not (word.text.isupper() and len(word.text) > 1)


def starts_a_thing(document: Document, end: int, *, places: bool = False) -> bool:
    """True for "King George County", "Duke Street": a word of the name shows that it is not a person.

    places: include names of places, for "Miss Malawi"; but "Queen Victoria" is a queen.
    """
    is_one_name = True
    for word in document.words[end : end + 7]:
        if not word.text[:1].isupper():
            if word.lower not in _LISTS.inside_names:
                return _is_year_of_a_work(document, word.index)
            is_one_name = False  # "Prince of Wales's Theatre": from here on only words for buildings decide
        elif word.lower in _LISTS.place_words or (
            is_one_name and (word.lower in NOT_PERSON or (places and word.lower in PLACES))
        ):
            return True
    return False


def is_a_place(document: Document, end: int) -> bool:
    """True if a comma and a place follow a name: "Trenton, New Jersey"."""
    comma, after = document.word_at(end), document.word_at(end + 1)
    if comma is None or after is None or comma.text != ",":
        return False
    further = document.word_at(end + 2)
    both = f"{after.lower} {further.lower}" if further is not None else ""
    return after.text[:1].isupper() and (after.lower in PLACES or both in PLACES or after.lower == "new")


def _is_year_of_a_work(document: Document, index: int) -> bool:
    """True if "(1994)" follows a name: a film or a book, since people have two years."""
    texts = [word.text for word in document.words[index : index + 3]]
    return len(texts) == 3 and texts[0] == "(" and texts[2] == ")" and bool(re.fullmatch(r"\d{4}", texts[1]))


def _is_count_of(document: Document, first: int, end: int) -> bool:
    """True for "the Count", "a count of Savoy"; not for "one count of theft"."""
    head = document.words[end - 1]
    has_article = any_lower(document.children(head, "det"), ("the", "a", "this"))
    has_he = any_lower(document, ("he", "his", "him", "himself"))
    is_somebody = head.tag in ("NN", "NNP") and head.relation in ("nsubj", "conj") and has_he
    if is_somebody and has_article and document.lower_at(end) != "of":
        return True  # "The count and his children left"
    after = document.word_at(end + 1)
    is_of_a_place = document.lower_at(end) == "of" and after is not None and is_capitalised(after)
    return is_of_a_place or is_capitalised(document.words[first])


def _has_name_behind(document: Document, end: int, title: Word) -> bool:
    after = document.word_at(end)
    if after is None or document.text[document.words[end - 1].end : after.start].strip():
        return False
    return after.text[:1].isupper() or (after.upos == "PROPN" and title.upos == "PROPN")


def _is_surname(document: Document, first: int, end: int) -> bool:
    """True for the second word of "Stephen King"; "The King" and "Sister Ann Prior" have none."""
    word, before = document.words[first], document.word_at(first - 1)
    if end - first > 1 or before is None or not is_capitalised(word) or not is_capitalised(before):
        return False
    known = census_first_name(before.text)
    is_first = known is not None and known.count >= COMMON and before.upos == "PROPN"
    return is_first and before.end + 1 == word.start and not entries_for(before.text)


def _is_in_a_name(document: Document, first: int, end: int, entry: DemographicEntry) -> bool:
    """True for the "Man" of "Iron Man", the "King" of "King's College", the "Bride" of "Child Bride".

    Not for "Women's Amateur", "Girls High School" and "Best Actress", which describe people.
    """
    word = document.words[first]
    if _is_title_in_quotes(document, first, end) or word.text == "God":
        return True
    if document.text.islower() and _may_be_a_small_title(document, first, end, entry):
        return True
    if "colour" in entry.notes and _is_capital_inside(document, word) and entry.pos == "ADJ":
        return True  # "the White Witch"
    if not is_capitalised(word) or entry.pos == "ADJ":
        return False
    if _is_in_a_capital_title(document, word):
        return True
    before, after = document.word_at(first - 1), document.word_at(end)
    if entry.kind == "group" and before is not None and before.upos == "PROPN" and before.head == end - 1:
        return True  # "a Jeep Cherokee"
    if entry.number == "plur" and entry.kind in ("person", "kin"):
        # "Friday Night Boys", not "Girls High School"
        is_noun = after is not None and is_capitalised(after) and after.upos not in ("VERB", "ADJ", "ADV")
        if (
            after is not None
            and is_capitalised(after)
            and not is_noun
            and not _opens_sentence(document, word)
        ):
            return True  # "Girls Gone Wild"
        is_followed = is_noun or document.lower_at(end) in ("'s", "'")
        return _is_led_by_a_capital(document, word) and not is_followed
    if document.lower_at(end) in ("'s", "'"):
        owned = document.word_at(end + 1)
        return owned is not None and (is_capitalised(owned) or owned.lower in _LISTS.place_words)
    is_form_of_address = word.lower.rstrip(".") in ("mr", "mrs", "ms", "mx")  # "Mrs. Hall" is no hall
    if not is_form_of_address and starts_a_thing(document, end, places=word.lower == "miss"):
        return True
    is_led = _is_led_by_a_capital(document, word)
    if entry.kind in ("title", "noble"):
        is_titling = after is not None and (after.lower == "of" or is_capitalised(after))
        before = document.before(word)  # "in The Princess and the Goat": a capital "The" starts a title
        is_the = before is not None and before.text == "The" and not _opens_sentence(document, before)
        return not is_titling and (is_led or is_the or not _has_determiner(document, first))
    if entry.kind == "kin":
        return is_led and not (after is not None and is_capitalised(after))
    leads = after is not None and is_capitalised(after) and after.upos == "PROPN"
    return entry.kind == "person" and (is_led or (leads and not _opens_sentence(document, word)))


def _is_capital_inside(document: Document, word: Word) -> bool:
    """True for a capitalised word inside a sentence with a capitalised noun in the singular behind it."""
    after = document.word_at(word.index + 1)
    is_inside = is_capitalised(word) and not _opens_sentence(document, word)
    return is_inside and after is not None and is_capitalised(after) and after.tag in ("NN", "NNP")


def _are_people(document: Document, word: Word) -> bool:
    """True for the "whites" of "the whites and the blacks", "most whites", "whites left town"."""
    has_determiner = any(det.lower != "the" for det in document.children(word, "det"))
    others = (w for w in document if w is not word)
    is_one_of_groups = any(entry.kind == "group" for w in others for entry in entries_for(w.text))
    return has_determiner or is_one_of_groups or word.relation == "nsubj"


def _is_in_a_capital_title(document: Document, word: Word) -> bool:
    """True for the "Man" of "I finished The Old Man and the Sea": a capital article inside a sentence starts a title."""
    for before in reversed(document.words[max(0, word.index - _LONGEST_TITLE) : word.index]):
        if not before.text[:1].isupper() and before.lower not in _LISTS.inside_names:
            return False
        if before.text in ("The", "A", "An", "My", "Her", "His", "All") and not _opens_sentence(
            document, before
        ):
            return True
    return False


def _opens_sentence(document: Document, word: Word) -> bool:
    return word.index == document.sentence_of(word)[0].index


def _is_led_by_a_capital(document: Document, word: Word) -> bool:
    """True if a capitalised word that is not a title precedes a word inside a sentence."""
    before = document.before(word)
    return (
        before is not None
        and not _opens_sentence(document, word)
        and is_capitalised(before)
        and before.upos in ("PROPN", "NOUN", "ADJ", "VERB", "NUM")
        and not (_opens_sentence(document, before) and before.upos != "PROPN")
        and before.lower not in _LISTS.before_titles
    )


def _may_be_a_small_title(document: Document, first: int, end: int, entry: DemographicEntry) -> bool:
    """True in a text without capitals for "the lion king", "nine queens", "queen of the damned", "undercover brother".

    A singular noun needs an article in English; without one it may be a name.
    """
    before, after = document.word_at(first - 1), document.word_at(end)
    if after is not None and after.upos == "NUM":
        return True  # "spy kids 2"
    if before is not None and before.upos == "PROPN" and entry.number == "plur":
        return True  # "warner bros"
    is_owner = document.lower_at(end) in ("'s", "’s") and document.lower_at(first - 1) == "the"
    if is_owner and entry.number == "sing" and entry.kind in ("kin", "noble"):
        return True  # "the son 's room"
    if entry.kind == "noble":
        return document.lower_at(end) == "of" or (
            before is not None and before.upos in ("NOUN", "NUM", "PROPN")
        )
    if entry.kind == "title" or entry.number != "sing" or entry.word in _LISTS.called_by:
        return False
    head = document.words[end - 1]
    above = [document.words[head.head]] if head.relation == "conj" else []
    is_listed = any(map(is_person, (*document.children(head, "conj"), *above)))  # "father and son"
    return not is_listed and not document.children(head, "det", "nmod:poss", "nummod")


def _has_determiner(document: Document, first: int) -> bool:
    """True for "the King", "their Queen", "Denmark's King", and at the start of a sentence or clause."""
    before = document.word_at(first - 1)
    if before is None or _opens_sentence(document, document.words[first]):
        return True
    return (
        before.upos in ("DET", "ADJ", "NUM", "PUNCT", "ADP")
        or before.tag in ("PRP$", "POS")
        or before.lower in _LISTS.before_titles
    )


def _is_title_in_quotes(document: Document, first: int, end: int) -> bool:
    """True in quotes around a few capitalised words, or, in a text without capitals, around a few words without a verb."""
    reach = _LONGEST_TITLE
    before = range(first - 1, max(-1, first - 1 - reach), -1)
    opening = next((i for i in before if document.words[i].text in _OPENING), None)
    behind = range(end, min(len(document), end + reach))
    closing = next((i for i in behind if document.words[i].text in _CLOSING), None)
    if opening is None or closing is None:
        return False
    inside = [w for w in document.words[opening + 1 : closing] if w.text.isalpha()]
    if len(inside) > reach:
        return False
    if document.text.islower():
        return not any(w.upos in ("VERB", "AUX") for w in inside)
    return all(w.text[:1].isupper() or len(w.text) <= 4 for w in inside)


def _is_said_of_people(document: Document, word: Word) -> bool:
    """True if an adjective describes people, or is itself used as a noun for them ("the old", "Blacks")."""
    if word.tag in ("NNS", "NNPS"):
        return True
    if word.upos == "NOUN" and not document.children(word, "compound") and word.relation != "compound":
        return bool(document.children(word, "det"))
    above = document.head(word)
    if word.relation in ("amod", "compound", "conj", "nmod", "flat") and above is not None:
        is_list = word.relation == "conj" and above.upos == "ADJ"
        thing = document.head(above) if above.relation == "compound" and above.text.islower() else None
        if thing is not None and thing.index > above.index and not is_person(thing):
            return False  # "white clown make-up"
        is_of_people = (
            is_person(above) or _starts_full_name(document, word, above) or _is_one_of_people(document, above)
        )
        return is_of_people or (is_list and _is_said_of_people(document, above))
    subject = next(iter(document.children(word, "nsubj")), None)
    return subject is not None and is_person(subject)


def _starts_full_name(document: Document, adjective: Word, word: Word) -> bool:
    """True for "a black Austin Powers", not for "the White House": a first name and another follow an adjective."""
    mentions = (m for m in find_mentions(document) if m.start > adjective.index)
    names = (m for m in mentions if m.kind == "name" and len(m.parts) > 1)
    firsts = (census_first_name(m.parts[0]) for m in names if m.start <= word.index < m.end)
    return any(first is not None and first.count >= COMMON for first in firsts)


def _is_one_of_people(document: Document, word: Word) -> bool:
    """True for the "ones" of "nine white members and three black ones"."""
    above = document.head(word)
    return (
        word.lower in ("one", "ones") and above is not None and word.relation == "conj" and is_person(above)
    )


def _is_said_of_an_animal(document: Document, word: Word) -> bool:
    """True for "a female cat", "the cat is female"."""
    above = document.head(word)
    is_before = word.relation == "amod" and above is not None and is_animal(above)
    return is_before or any(map(is_animal, document.children(word, "nsubj")))


def _is_of_all(document: Document, word: Word) -> bool:
    """True for "the mother of all battles", not for "the mother of all these children"."""
    return any(
        not is_person(other)
        and [case.lower for case in document.children(other, "case")] == ["of"]
        and any_lower(document.children(other, "det"), ("all",))
        for other in document.children(word, "nmod")
    )


def _describes_a_thing(document: Document, word: Word, entry: DemographicEntry) -> bool:
    """True for "chick flick", "witch hunt": a singular before a noun that is not a person.

    Also for a plural in a name of several words: "the pep boys location".
    """
    above = document.head(word)
    if word.relation != "compound" or above is None or entry.kind in ("title", "group"):
        return False
    if entry.number == "plur" or entry.kind == "noble":
        return entry.number == "plur" and word.text.islower() and bool(document.children(word, "compound"))
    adjective = above if above.relation == "amod" else None
    above = document.words[above.head] if adjective is not None else above
    between = document.words[word.index + 1 : above.index]  # "the boy next door" is no kind of door
    is_one_noun = all(w.upos in ("NOUN", "PROPN") or w.text == "-" or w is adjective for w in between)
    return above.index > word.index and above.upos == "NOUN" and is_one_noun and not is_person(above)
