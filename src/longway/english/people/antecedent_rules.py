"""Rules that score which person a pronoun refers to. Each is a function of one pronoun and one person.

    PAIR_RULES, SPOT_RULES        name -> rule; a rule returns a number, 1 and 0 for yes and no
    rule_values(pair)             the values of all rules for a pronoun and a person
    no_antecedent_values(spot)    the values for "nobody who is named here"

The weight of each rule in each situation is in `chain_weights.json`, fitted by `train/chains.py`. Marked gender and number are
conditions, not rules: a person that does not fit is no candidate (`PronounContext.people`). After the constraints and preferences of
Hobbs 1978, Lappin and Leass 1994, and the GAP paper (Webster et al. 2018).

In the comments "the mention" is the person's nearest mention before the pronoun, else the first one after it (`pair.ahead`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, log1p

from longway.english.document import Word
from longway.english.people.discourse import AntecedentPair, PronounContext, is_finite
from longway.english.people.mentions import Mention
from longway.english.people.person_words import KIN, OPENING_PHRASES, ROLES, SPEECH_VERBS

Pair = AntecedentPair


def _people_between(pair: Pair) -> float:
    if pair.ahead:
        return 0
    between = pair.scene.mentions_between(pair.mention.end, pair.pronoun.start)
    return log1p(len({pair.scene.owner(m) for m in between if m.kind == "name"} - {pair.person}))


def _verbs_between(pair: Pair) -> float:
    if pair.ahead or pair.sentences_back:
        return 0
    words = pair.scene.words[pair.mention.end : pair.pronoun.start]
    return min(3, sum(map(is_finite, words))) / 2


def _steps_in_the_tree(pair: Pair) -> float:
    return min(pair.scene.steps(pair.head, pair.spot.word), 12) / 4 if pair.sentences_back == 0 else 0


def _word_before(pair: Pair, *, where: bool) -> Word | None:
    return pair.scene.before(pair.mention) if where else None


def _is_behind_a_preposition(pair: Pair) -> bool:
    before = _word_before(pair, where=not pair.ahead)
    return before is not None and before.upos == "ADP"


def _is_behind_a_verb(pair: Pair) -> bool:
    before = _word_before(pair, where=pair.in_last_sentence)
    return before is not None and before.upos == "VERB"


def _is_behind_a_comma(pair: Pair, *, where: bool) -> bool:
    before = _word_before(pair, where=where)
    return before is not None and before.text == ","


def _is_subject_in(pair: Pair, mentions: list[Mention], sentence: int) -> bool:
    scene = pair.scene
    return any(scene.sentence(m) == sentence and scene.is_subject_like(m) for m in mentions)


def _is_first_in_its_sentence(pair: Pair) -> bool:
    first, _ = pair.scene.bounds(pair.sentence)
    before = pair.scene.mentions_between(first, pair.mention.start)
    return not pair.ahead and all(m.kind == "pronoun" for m in before)


def _is_described(pair: Pair) -> bool:
    behind = pair.scene.next_words(pair.mention, 2)
    return len(behind) == 2 and behind[0].text == "," and behind[1].upos in ("DET", "PRON", "NOUN")


def _is_another(pair: Pair, subject: Mention | None) -> bool:
    return subject is not None and subject.kind != "pronoun" and not pair.is_mine(subject)


def _subject_of_upper_clause(pair: Pair) -> float:
    steps = (step for step, subject in enumerate(pair.spot.upper_subjects) if pair.is_mine(subject))
    nearest = next(steps, None)
    return 0 if nearest is None else 1 / (1 + nearest)


def _is_right_before_and(pair: Pair) -> bool:
    between = pair.scene.words[pair.mention.end : pair.pronoun.start]
    return len(between) == 1 and between[0].lower in ("and", "or")


def _is_named_below_the_pronoun(pair: Pair) -> bool:
    spot, scene = pair.spot, pair.scene
    clause = scene.document.head(spot.word)
    if clause is None or spot.word.relation != "nsubj" or pair.pronoun.form != "subject":
        return False
    names = (scene.words[m.head] for m in pair.after if m.kind == "name")
    return any(word.index != clause.index and scene.is_below(word, clause) for word in names)


def _is_name_of_a_relative(pair: Pair) -> bool:
    if pair.pronoun.form != "possessive" or not pair.after:
        return False
    between = [w.lower for w in pair.scene.words[pair.pronoun.end : pair.after[0].start]]
    if not 0 < len(between) <= 4 or not {"and", "with", "of", "by", "to"}.isdisjoint(between):
        return False
    return any(word in KIN or word in ROLES for word in between[-2:])


def _are_quoted(pair: Pair) -> tuple[bool, bool]:
    return pair.scene.quoted[pair.pronoun.start], pair.scene.quoted[pair.mention.start]


def _is_speaker_of_another_sentence(pair: Pair) -> bool:
    theirs, own = pair.scene.verb(pair.mention), pair.scene.verb(pair.pronoun)
    return not pair.ahead and theirs in SPEECH_VERBS and own != "" and own not in SPEECH_VERBS


def _is_behind_an_opening_phrase(pair: Pair) -> bool:
    scene, spot = pair.scene, pair.spot
    opener = scene.words[spot.first]
    opens = opener.lower in OPENING_PHRASES or opener.upos in ("SCONJ", "ADP") or opener.tag == "VBG"
    if not (pair.ahead and opens and pair.sentences_back == 0) or spot.names_before:
        return False
    later = scene.mentions_between(pair.pronoun.end, spot.end)
    first = next(m for m in later if m.kind == "name" or m is pair.mention)
    between = scene.words[pair.pronoun.end : pair.mention.start]
    return first is pair.mention and any(word.text == "," for word in between)


def _is_later_possessor(pair: Pair) -> bool:
    behind = (pair.scene.next_words(mention, 1) for mention in pair.after)
    return any(words and words[0].lower in ("'s", "'") for words in behind)


def _agreement(pair: Pair, *, full: bool) -> float:
    """Log odds of the pronoun's gender among the bearers of the first name; 0 if the gender is marked."""
    person = pair.person
    is_usable = person.is_named and not person.marked_gender and person.has_full_name == full
    return person.agreement(pair.pronoun.gender) if is_usable else 0


PAIR_RULES: dict[str, Callable[[Pair], float]] = {
    # Where the person was mentioned last
    "stands_before": lambda p: not p.ahead,
    "same_sentence": lambda p: not p.ahead and p.sentences_back == 0,
    "two_sentences_back": lambda p: p.sentences_back == 2,
    "further_back": lambda p: max(0, p.sentences_back - 2),
    "words_between": lambda p: 0 if p.ahead else log(p.pronoun.start - p.mention.end + 2),
    "words_ahead": lambda p: log(p.mention.start - p.pronoun.start + 1) if p.ahead else 0,
    "people_between": _people_between,  # other people named between, on a log scale
    "verbs_between": _verbs_between,  # finite verbs between, within one sentence; three count as many
    "steps_in_the_tree": _steps_in_the_tree,  # distance in the parse, within one sentence
    # What the mention is in its clause
    "deep_in_the_tree": lambda p: min(p.scene.depths[p.mention.head], 6) / 3,
    "is_object": lambda p: not p.ahead and p.slot == "object",
    "is_possessor": lambda p: not p.ahead and p.head.dep == "nmod:poss",
    "in_a_list": lambda p: not p.ahead and p.in_list,  # Ann in "Bob and Ann"
    "behind_of": lambda p: any(w.lower == "of" for w in p.scene.document.children(p.head, "case")),
    "behind_a_preposition": _is_behind_a_preposition,
    "verb_follows": lambda p: not p.ahead and p.scene.verb_follows(p.mention.end),
    "verb_follows_in_last_sentence": lambda p: p.in_last_sentence and p.scene.verb_follows(p.mention.end),
    "behind_a_verb_in_last_sentence": _is_behind_a_verb,
    "behind_a_comma_in_last_sentence": lambda p: _is_behind_a_comma(p, where=p.in_last_sentence),
    "opens_last_sentence": lambda p: p.in_last_sentence and p.scene.before(p.mention) is None,
    "subject_in_last_sentence": lambda p: _is_subject_in(p, p.before, p.spot.sentence - 1),
    "first_in_its_sentence": _is_first_in_its_sentence,  # apart from pronouns
    "is_described": _is_described,  # "Ann, a nurse", "Ann, who"
    "often_subject": lambda p: log1p(sum(p.scene.slot(mention)[0] == "subject" for mention in p.before)),
    "last_subject": lambda p: p.spot.last_subject is p.person,  # no candidate was a subject more recently
    # How pronoun and person are related in the sentence
    "subject_of_own_clause": lambda p: p.pronoun.form != "subject" and p.is_mine(p.spot.clause_subject),
    "own_clause_has_another_subject": lambda p: (
        p.pronoun.form != "subject" and _is_another(p, p.spot.clause_subject)
    ),
    "subject_of_upper_clause": _subject_of_upper_clause,  # 1 for the next clause above, less for those further up
    "upper_clause_has_another_subject": lambda p: _is_another(p, next(iter(p.spot.upper_subjects), None)),
    "right_before_and": _is_right_before_and,  # "Ann and her brother"
    "behind_the_subject": lambda p: any(
        map(p.is_mine, p.spot.behind_subject)
    ),  # Ann in "Eve met Ann and her"
    "named_below_the_pronoun": _is_named_below_the_pronoun,  # "she said that Ann ..." is not Ann
    "name_of_a_relative": _is_name_of_a_relative,  # "her friend Ann" is not Ann's friend
    # Speech
    "speaks_outside": lambda p: not p.ahead and _are_quoted(p) == (True, False),  # a speaker says "I"
    "both_quoted": lambda p: all(_are_quoted(p)),
    "speaker_of_another_sentence": _is_speaker_of_another_sentence,
    # What comes after the pronoun
    "behind_an_opening_phrase": _is_behind_an_opening_phrase,  # "In her youth, Ann ..."
    "ahead_behind_a_comma": lambda p: _is_behind_a_comma(p, where=p.ahead),
    "later_in_the_sentence": lambda p: any(p.scene.sentence(m) == p.spot.sentence for m in p.after),
    "later_subject_in_the_sentence": lambda p: _is_subject_in(p, p.after, p.spot.sentence),
    "later_subject": lambda p: any(map(p.scene.is_subject_like, p.after)),
    "later_possessor": _is_later_possessor,
    "named_on_both_sides": lambda p: bool(p.before and p.after),
    # Who the person is
    "most_mentioned": lambda p: 1 < p.spot.counts[p.person] == p.spot.most[0],
    "clearly_most_mentioned": lambda p: p.spot.counts[p.person] == p.spot.most[0] > p.spot.most[1],
    "mentioned_once_so_far": lambda p: len(p.before) == 1,
    "mentioned_more_than_once": lambda p: len(p.before) > 1,
    "one_name_only": lambda p: p.person.is_named and not p.person.has_full_name,
    "certainly_a_person": lambda p: any(name.certain for name in p.person.names),
    "gender_is_marked": lambda p: bool(p.person.marked_gender),  # by a title, kin term or role
    "full_name_agrees": lambda p: _agreement(p, full=True),
    "lone_name_agrees": lambda p: _agreement(p, full=False),  # it may be a surname
    "claimed_by_the_other_gender": lambda p: (
        p.claimed
    ),  # probability that a pronoun of the other gender means the person
}
SPOT_RULES: dict[str, Callable[[PronounContext], float]] = {
    "nobody": lambda spot: 1,
    "nobody_among_many": lambda spot: log1p(len(spot.people)),
}
RULES = (*PAIR_RULES, *SPOT_RULES)


def rule_values(pair: Pair) -> list[float]:
    """Return the value of each of `RULES` for a pronoun and a person."""
    return [*(float(rule(pair)) for rule in PAIR_RULES.values()), *(0.0 for _ in SPOT_RULES)]


def no_antecedent_values(spot: PronounContext) -> list[float]:
    """Return the value of each of `RULES` for "nobody who is named here"."""
    return [*(0.0 for _ in PAIR_RULES), *(float(rule(spot)) for rule in SPOT_RULES.values())]
