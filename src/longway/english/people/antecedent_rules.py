"""The rules that say which person a pronoun stands for: each a small function of one pair of pronoun and person.

    RULES                    name -> rule; a rule gives a number, 1 and 0 for yes and no
    rule_values(pair)        what all rules say about a pair
    no_antecedent_values(spot)      the same for "nobody who is named here"

What each rule is worth in which situation is not decided here: `train/chains.py` fits the weights
(`chain_weights.json`). Gender and number that are marked are not rules but conditions: a person that does not fit is
no candidate (`Spot.people`). After the constraints and preferences of Hobbs 1978, Lappin and Leass 1994, and the GAP
paper (Webster et al. 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, log1p

from longway.english.people.discourse import AntecedentPair, PronounContext, is_finite
from longway.english.people.person_words import KIN, OPENING_PHRASES, ROLES, SPEECH_VERBS

# Where the person was mentioned last


def stands_before(pair: AntecedentPair) -> float:
    """The person is mentioned before the pronoun."""
    return not pair.ahead


def same_sentence(pair: AntecedentPair) -> float:
    """Last mentioned earlier in the pronoun's sentence."""
    return not pair.ahead and pair.sentences_back == 0


def two_sentences_back(pair: AntecedentPair) -> float:
    """Last mentioned two sentences back."""
    return pair.sentences_back == 2


def further_back(pair: AntecedentPair) -> float:
    """How many sentences further back than two."""
    return max(0, pair.sentences_back - 2)


def words_between(pair: AntecedentPair) -> float:
    """How many words stand between mention and pronoun, on a log scale."""
    return 0 if pair.ahead else log(pair.pronoun.start - pair.mention.end + 2)


def words_ahead(pair: AntecedentPair) -> float:
    """The same for a person that is only mentioned behind the pronoun."""
    return log(pair.mention.start - pair.pronoun.start + 1) if pair.ahead else 0


def people_between(pair: AntecedentPair) -> float:
    """How many other people are named between, on a log scale."""
    if pair.ahead:
        return 0
    between = pair.scene.mentions_between(pair.mention.end, pair.pronoun.start)
    return log1p(len({pair.scene.owner(m) for m in between if m.kind == "name"} - {pair.person}))


def verbs_between(pair: AntecedentPair) -> float:
    """How many finite verbs stand between, within one sentence; three count as many."""
    if not same_sentence(pair):
        return 0
    words = pair.scene.words[pair.mention.end : pair.pronoun.start]
    return min(3, sum(map(is_finite, words))) / 2


def steps_in_the_tree(pair: AntecedentPair) -> float:
    """How far apart they are in the parse, within one sentence."""
    return min(pair.scene.steps(pair.head, pair.spot.word), 12) / 4 if pair.sentences_back == 0 else 0


# What the last mention is in its clause


def deep_in_the_tree(pair: AntecedentPair) -> float:
    """How many words stand above the mention."""
    return min(pair.scene.depths[pair.mention.head], 6) / 3


def is_object(pair: AntecedentPair) -> float:
    """The mention is an object."""
    return not pair.ahead and pair.slot == "object"


def is_possessor(pair: AntecedentPair) -> float:
    """The mention is a possessor: "Ann's"."""
    return not pair.ahead and pair.head.dep == "nmod:poss"


def in_a_list(pair: AntecedentPair) -> float:
    """The mention is a later member of a list: Ann in "Bob and Ann"."""
    return not pair.ahead and pair.in_list


def behind_of(pair: AntecedentPair) -> float:
    """The mention stands behind "of"."""
    return any(word.lower == "of" for word in pair.scene.document.children(pair.head, "case"))


def behind_a_preposition(pair: AntecedentPair) -> float:
    """A preposition stands right in front of the mention."""
    before = None if pair.ahead else pair.scene.before(pair.mention)
    return before is not None and before.upos == "ADP"


def verb_follows(pair: AntecedentPair) -> float:
    """A finite verb stands right behind the mention."""
    return not pair.ahead and pair.scene.verb_follows(pair.mention.end)


def verb_follows_in_last_sentence(pair: AntecedentPair) -> float:
    """The same, in the sentence before."""
    return pair.in_last_sentence and pair.scene.verb_follows(pair.mention.end)


def behind_a_verb_in_last_sentence(pair: AntecedentPair) -> float:
    """In the sentence before, right behind a verb."""
    before = pair.scene.before(pair.mention) if pair.in_last_sentence else None
    return before is not None and before.upos == "VERB"


def behind_a_comma_in_last_sentence(pair: AntecedentPair) -> float:
    """In the sentence before, right behind a comma."""
    before = pair.scene.before(pair.mention) if pair.in_last_sentence else None
    return before is not None and before.text == ","


def opens_last_sentence(pair: AntecedentPair) -> float:
    """The sentence before opens with the mention."""
    return pair.in_last_sentence and pair.scene.before(pair.mention) is None


def subject_in_last_sentence(pair: AntecedentPair) -> float:
    """Somewhere in the sentence before, the person is a subject by the order of words."""
    scene, last = pair.scene, pair.spot.sentence - 1
    return any(scene.sentence(m) == last and scene.is_subject_like(m) for m in pair.before)


def first_in_its_sentence(pair: AntecedentPair) -> float:
    """Nobody is mentioned before them in that sentence, pronouns apart."""
    if pair.ahead:
        return 0
    first, _ = pair.scene.bounds(pair.sentence)
    return not any(m.kind != "pronoun" for m in pair.scene.mentions_between(first, pair.mention.start))


def is_described(pair: AntecedentPair) -> float:
    """A description follows: "Ann, a nurse", "Ann, who"."""
    behind = pair.scene.next_words(pair.mention, 2)
    return len(behind) == 2 and behind[0].text == "," and behind[1].upos in ("DET", "PRON", "NOUN")


def often_subject(pair: AntecedentPair) -> float:
    """How often the person was a subject so far, on a log scale."""
    return log1p(sum(pair.scene.slot(mention)[0] == "subject" for mention in pair.before))


def last_subject(pair: AntecedentPair) -> float:
    """Nobody who fits was a subject more recently."""
    return pair.spot.last_subject is pair.person


# How pronoun and person stand to one another in the sentence


def subject_of_own_clause(pair: AntecedentPair) -> float:
    """The subject of the clause that the pronoun stands in: good for "his", bad for "him"."""
    return pair.pronoun.form != "subject" and pair.is_mine(pair.spot.clause_subject)


def own_clause_has_another_subject(pair: AntecedentPair) -> float:
    """Somebody else is the subject of that clause."""
    subject = pair.spot.clause_subject
    is_other = subject is not None and subject.kind != "pronoun" and not pair.is_mine(subject)
    return is_other and pair.pronoun.form != "subject"


def subject_of_upper_clause(pair: AntecedentPair) -> float:
    """The subject of a clause above: 1 for the next one, less for those further up."""
    for step, subject in enumerate(pair.spot.upper_subjects):
        if pair.is_mine(subject):
            return 1 / (1 + step)
    return 0


def upper_clause_has_another_subject(pair: AntecedentPair) -> float:
    """Somebody else is the subject of the next clause above."""
    subject = pair.spot.upper_subjects[0] if pair.spot.upper_subjects else None
    return subject is not None and subject.kind != "pronoun" and not pair.is_mine(subject)


def right_before_and(pair: AntecedentPair) -> float:
    """Only "and" or "or" stands between: "Ann and her brother"."""
    between = pair.scene.words[pair.mention.end : pair.pronoun.start]
    return len(between) == 1 and between[0].lower in ("and", "or")


def behind_the_subject(pair: AntecedentPair) -> float:
    """Mentioned between the nearest subject and the pronoun: Ann in "Eve met Ann and her"."""
    return any(pair.is_mine(mention) for mention in pair.spot.behind_subject)


def named_below_the_pronoun(pair: AntecedentPair) -> float:
    """Named inside the clause whose subject the pronoun is: "she said that Ann ..." is not Ann."""
    spot, scene = pair.spot, pair.scene
    clause = scene.document.head(spot.word)
    if clause is None or spot.word.relation != "nsubj" or pair.pronoun.form != "subject":
        return 0
    names = (scene.words[m.head] for m in pair.after if m.kind == "name")
    return any(word.index != clause.index and scene.is_below(word, clause) for word in names)


def name_of_a_relative(pair: AntecedentPair) -> float:
    """Named right behind somebody of the pronoun's: "her friend Ann" is not Ann's friend."""
    if pair.pronoun.form != "possessive" or not pair.after:
        return 0
    between = [w.lower for w in pair.scene.words[pair.pronoun.end : pair.after[0].start]]
    if not 0 < len(between) <= 4 or not {"and", "with", "of", "by", "to"}.isdisjoint(between):
        return 0
    return any(word in KIN or word in ROLES for word in between[-2:])


# Speech


def speaks_outside(pair: AntecedentPair) -> float:
    """The pronoun stands inside quotation marks, the mention outside: whoever speaks says "I"."""
    quoted = pair.scene.quoted
    return not pair.ahead and quoted[pair.pronoun.start] and not quoted[pair.mention.start]


def both_quoted(pair: AntecedentPair) -> float:
    """Both stand inside quotation marks."""
    quoted = pair.scene.quoted
    return quoted[pair.pronoun.start] and quoted[pair.mention.start]


def speaker_of_another_sentence(pair: AntecedentPair) -> float:
    """The mention is the subject of a verb of speech, the pronoun of another verb."""
    theirs, own = pair.scene.verb(pair.mention), pair.scene.verb(pair.pronoun)
    return not pair.ahead and theirs in SPEECH_VERBS and own != "" and own not in SPEECH_VERBS


# What comes behind the pronoun


def behind_an_opening_phrase(pair: AntecedentPair) -> float:
    """The first name behind an opening phrase with the pronoun: "In her youth, Ann ..."."""
    scene, spot = pair.scene, pair.spot
    opener = scene.words[spot.first]
    opens = opener.lower in OPENING_PHRASES or opener.upos in ("SCONJ", "ADP") or opener.tag == "VBG"
    if not (pair.ahead and opens and pair.sentences_back == 0) or spot.names_before:
        return 0
    first = next(
        m for m in scene.mentions_between(pair.pronoun.end, spot.end) if m.kind == "name" or m is pair.mention
    )
    between = scene.words[pair.pronoun.end : pair.mention.start]
    return first is pair.mention and any(word.text == "," for word in between)


def ahead_behind_a_comma(pair: AntecedentPair) -> float:
    """Only mentioned behind the pronoun, right behind a comma."""
    before = pair.scene.before(pair.mention) if pair.ahead else None
    return before is not None and before.text == ","


def later_in_the_sentence(pair: AntecedentPair) -> float:
    """Mentioned later in the pronoun's sentence."""
    return any(pair.scene.sentence(mention) == pair.spot.sentence for mention in pair.after)


def later_subject_in_the_sentence(pair: AntecedentPair) -> float:
    """Later in the pronoun's sentence, a subject by the order of words."""
    scene = pair.scene
    return any(scene.sentence(m) == pair.spot.sentence and scene.is_subject_like(m) for m in pair.after)


def later_subject(pair: AntecedentPair) -> float:
    """A subject somewhere behind the pronoun: the text goes on about them."""
    return any(map(pair.scene.is_subject_like, pair.after))


def later_possessor(pair: AntecedentPair) -> float:
    """A possessor somewhere behind the pronoun."""
    behind = (pair.scene.next_words(mention, 1) for mention in pair.after)
    return any(words and words[0].lower in ("'s", "'") for words in behind)


def named_on_both_sides(pair: AntecedentPair) -> float:
    """Mentioned before and behind the pronoun."""
    return bool(pair.before and pair.after)


# Who the person is


def most_mentioned(pair: AntecedentPair) -> float:
    """Nobody who fits is mentioned more often around here."""
    count = pair.spot.counts[pair.person]
    return count > 1 and count == pair.spot.most[0]


def clearly_most_mentioned(pair: AntecedentPair) -> float:
    """Everybody else who fits is mentioned less often around here."""
    count = pair.spot.counts[pair.person]
    return count == pair.spot.most[0] > pair.spot.most[1]


def mentioned_once_so_far(pair: AntecedentPair) -> float:
    """New to the text: mentioned once before the pronoun."""
    return len(pair.before) == 1


def mentioned_more_than_once(pair: AntecedentPair) -> float:
    """Known to the text: mentioned more than once before the pronoun."""
    return len(pair.before) > 1


def one_name_only(pair: AntecedentPair) -> float:
    """Known by one name alone, as somebody is whom the text takes for known."""
    return pair.person.is_named and not pair.person.has_full_name


def certainly_a_person(pair: AntecedentPair) -> float:
    """The name is one for sure."""
    return any(name.certain for name in pair.person.names)


def gender_is_marked(pair: AntecedentPair) -> float:
    """A title, kin term or role says the pronoun's gender."""
    return bool(pair.person.marked_gender)


def full_name_agrees(pair: AntecedentPair) -> float:
    """Log odds of the pronoun's gender among those that bear the first name."""
    return _agreement(pair) if pair.person.has_full_name else 0


def lone_name_agrees(pair: AntecedentPair) -> float:
    """The same for somebody with one name, which may be a surname."""
    return 0 if pair.person.has_full_name else _agreement(pair)


def _agreement(pair: AntecedentPair) -> float:
    usable = pair.person.is_named and not pair.person.marked_gender
    return pair.person.agreement(pair.pronoun.gender) if usable else 0


def claimed_by_the_other_gender(pair: AntecedentPair) -> float:
    """How sure another pronoun, of the other gender, stands for the person."""
    return pair.claimed


# The alternative: nobody who is named here


def nobody(spot: PronounContext) -> float:
    """The pronoun stands for nobody who is named near it."""
    return 1


def nobody_among_many(spot: PronounContext) -> float:
    """The more people there are, the better the odds that one of them is meant."""
    return log1p(len(spot.people))


PAIR_RULES: tuple[Callable[[AntecedentPair], float], ...] = (
    stands_before, same_sentence, two_sentences_back, further_back, words_between, words_ahead, people_between, verbs_between,
    steps_in_the_tree, deep_in_the_tree, is_object, is_possessor, in_a_list, behind_of, behind_a_preposition,
    verb_follows, verb_follows_in_last_sentence, behind_a_verb_in_last_sentence, behind_a_comma_in_last_sentence,
    opens_last_sentence, subject_in_last_sentence, first_in_its_sentence, is_described, often_subject, last_subject,
    subject_of_own_clause, own_clause_has_another_subject, subject_of_upper_clause, upper_clause_has_another_subject,
    right_before_and, behind_the_subject, named_below_the_pronoun, name_of_a_relative,
    speaks_outside, both_quoted, speaker_of_another_sentence, behind_an_opening_phrase, ahead_behind_a_comma,
    later_in_the_sentence, later_subject_in_the_sentence, later_subject, later_possessor, named_on_both_sides,
    most_mentioned, clearly_most_mentioned, mentioned_once_so_far, mentioned_more_than_once, one_name_only,
    certainly_a_person, gender_is_marked, full_name_agrees, lone_name_agrees,
    claimed_by_the_other_gender,
)  # fmt: skip
SPOT_RULES: tuple[Callable[[PronounContext], float], ...] = (nobody, nobody_among_many)
RULES = tuple(rule.__name__ for rule in (*PAIR_RULES, *SPOT_RULES))


def rule_values(pair: AntecedentPair) -> list[float]:
    """What each of `RULES` says about a pronoun and a person."""
    return [*(float(rule(pair)) for rule in PAIR_RULES), *(0.0 for _ in SPOT_RULES)]


def no_antecedent_values(spot: PronounContext) -> list[float]:
    """What each of `RULES` says about "nobody who is named here"."""
    return [*(0.0 for _ in PAIR_RULES), *(float(rule(spot)) for rule in SPOT_RULES)]
