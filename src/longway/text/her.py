"""Object or owner: which of "him" and "his" is a "her" that stands between a verb and what looks like a noun?

    I saw her leave        him    she does it: behind "let", "make", "help", "have" and verbs of seeing and hearing
    I gave her money       him    she gets it: behind verbs with two objects
    They call her boss     him    she is it: behind "call", "name", "elect"
    I like her dance       his

    is_object(document, her, after)   True where one of the three is sure enough

A parser takes nearly all of these for owners, since most are. English word order helps: a second object that can be counted
needs an article ("gave her a book"), so without one only plurals and stuff are looked at, and whoever gives her own money is a
"she". Where both readings are left ("I saw her dance on TV"), the choice is the one that "him" and "his" take in the
same place in running text: "saw him play", "watched him dance", but "saw his work".
"""

from __future__ import annotations

from longway.text.document import Document, Word
from longway.text.finite import is_base_form, is_participle
from longway.text.inflect import lemmas
from longway.text.person_words import KIN, ROLES, TITLES

# --- she does it: "I saw her leave"
_CAUSE = frozenset("let make help bid".split())
_PERCEIVE = frozenset("see hear watch feel notice observe".split())
# Nouns that are doings: behind these verbs they are verbs more often.
_DOINGS = frozenset(
    "ache act answer bark bleed blush bow breathe climb cope cough crawl cry dance deal decline die dig dive doubt drive "
    "drown eat escape fail fall fight flinch float flounder fly frown fume giggle glow go groan grope grow gulp jog jump "
    "kick kneel laugh leap leave lie look moan mourn move panic pass pause perform play plead pray quit rest return ride "
    "run say scream shine shiver shout shrug sigh sit skate sleep slip smile smoke sneeze snore sob speak squeal squirm "
    "stand stare stay steal struggle study succeed suffer surf swim talk tremble try turn venture vote wait wake walk "
    "weep win wonder yawn yell".split()
)
_CAUSED = frozenset("dress drop fit sound trip work".split())  # "made her work", but "saw her work"
_SEEN = frozenset("answer deal decline return stand study turn win".split())  # things too: "I saw her answer"
# Doings that count only with an object behind them: "had her check the tickets".
_DONE_TO = frozenset(
    "break build carry catch change check choose cook cover cut defeat design drop feed fix hand hit hoist hold hug hunt "
    "kick kill kiss lift locate make meet open overthrow paint pass play pull push raise reach read shoot show sign steal "
    "stuff switch take test throw torture touch train turn use wear win write".split()
)
_MAKES_HER_OWN = frozenset(
    "break call case choice deal debut escape living mark move name offer pass point promise return run stand start "
    "turn".split()
)  # "she made her mark"

# --- she gets it: "I gave her money"
# What one is given and hardly ever owns, so that the subject need not be looked at: "Ann gave her advice".
_GIVEN = frozenset(
    "access advice asylum credit directions feedback goosebumps headaches hell hints hope immunity instructions lessons "
    "liberty nightmares plenty pointers problems questions solace tips trouble".split()
)
_FOOD = (
    "bread breakfast cake candy chocolate chocolates coffee cookies dinner drinks food lunch medicine milk pancakes "
    "sandwiches soup supper sweets tea water wine"
)
_PRESENTS = f"{_FOOD} clothes flowers gifts money presents roses tickets toys"
_FEELINGS = "comfort fame happiness joy luck misfortune peace pleasure shame success trouble"
_STUFF = (
    f"{_PRESENTS} {_FEELINGS} attention cash confidence control courage employment encouragement energy freedom help "
    "information permission power protection relief respect shelter space strength support time work"
)
_SECOND_OBJECTS = {
    verb: frozenset(nouns.split())
    for verb, nouns in {
        "give": _STUFF,
        "offer": f"{_STUFF} asylum advice",
        "promise": _STUFF,
        "send": f"{_PRESENTS} letters messages details",
        "bring": f"{_PRESENTS} {_FEELINGS} letters news",
        "buy": _PRESENTS,
        "get": "flowers gifts help information presents",
        "lend": "books cash clothes money",
        "owe": "cash money thanks",
        "pay": "attention cash compliments heed homage money tribute",
        "feed": _FOOD,
        "cook": "breakfast dinner lunch pancakes soup supper",
        "make": "breakfast coffee cookies dinner lunch pancakes sandwiches soup supper tea",
        "write": "letters notes poems",
        "tell": "jokes lies secrets stories tales things ways",
        "teach": "chess grammar history karate manners math mathematics maths music tricks",
        "ask": "questions riddles things",
        "show": "affection attention compassion images kindness mercy photographs photos pics pictures slides sympathy "
        "videos",
        "grant": "access asylum bail citizenship control custody entry freedom leave permission",
        "deny": "access asylum bail entry food permission treatment water",
        "refuse": "access asylum bail entry help permission treatment",
        "allow": "access entry freedom time",
        "wish": f"{_FEELINGS} farewell",
        "bid": "farewell goodbye welcome",
        "cost": "money plenty time",
        "cause": "anxiety distress embarrassment grief harm headaches pain problems sorrow stress trouble",
        "charge": "interest",
        "earn": "acclaim accolades fame nominations notoriety plaudits praise recognition status",
        "win": "acclaim fame friends praise recognition",
        "keep": "company",
    }.items()
}
_TAKE_ANY_PLURAL = frozenset("give offer send lend owe promise cost".split())
_TAKE_NUMBERS = _TAKE_ANY_PLURAL | frozenset("bring buy pay earn win take feed hand show".split())
_QUANTITIES = frozenset("enough much plenty several such".split())  # never owned: "gave her much trouble"
_ONES_OWN = frozenset(
    "eyes feelings hands keys legs lines lives names opinions orders papers powers reasons regards services skills "
    "talents things thoughts views vows words".split()
)  # given without a word of whom to: "we gave her reasons"
_MOVED = frozenset("back away up off aside".split())  # "gave her keys back"
_TIMES = frozenset(
    "afternoon day evening hour minute moment month morning night season second summer time today tomorrow tonight week "
    "weekend winter year yesterday".split()
)
_ANIMALS = frozenset("animal bird cat cow dog fish horse kitten pet pony puppy sheep".split())

# --- she is it: "they call her boss"
_NAME = frozenset("call name elect appoint crown dub declare proclaim make consider".split())
_NICKNAMES = frozenset(KIN) | frozenset("baby boss buddy friend hero master mate pal".split())
_ADDRESSES = frozenset("daddy mommy mummy names".split())  # "called her names", never by telephone
# Somebody's: "they called her doctor", "he named her successor".
_RELATED = _NICKNAMES | frozenset(
    "agent ally assassin assistant captor carer client co-star coach colleague companion confidant counsellor doctor "
    "editor employer enemy ex family fan guardian guest heir housemate killer kid landlady landlord lawyer lover manager "
    "mentor murderer nemesis neighbor neighbour nurse opponent people predecessor publisher rival roommate secretary "
    "servant solicitor stalker student successor teacher team therapist tutor".split()
)
_FIND = frozenset("find leave have see keep get make want consider".split())

_ENDS = frozenset({".", "!", "?", ";", ":", ")", "”", '"', "''", "..."})
_NEVER_HERS = frozenset(
    "i we you they he it this that these those which what everyone everybody someone somebody nobody".split()
)


def is_object(document: Document, her: Word, after: Word) -> bool:
    """True where the verb before "her" tells that she does, gets or is what stands behind it.

    after: the word behind "her".
    """
    verb = document.words[her.index - 1] if her.index else None
    if verb is None or verb.upos not in ("VERB", "AUX"):
        return False
    return (
        _does(document, verb, after)
        or _gets(document, verb, after)
        or _is_called(document, verb, after)
        or _becomes(document, verb, after)
    )


# --- she does it --------------------------------------------------------------------------------------


def _does(document: Document, verb: Word, after: Word) -> bool:
    """True for "saw her leave", "helps her sleep", "had her check the tickets"."""
    if verb.lemma not in _CAUSE | _PERCEIVE | {"have"} or after.tag in ("NNS", "NNP", "NNPS"):
        return False
    if not is_base_form(after.lower) or _is_joined_to_a_noun(document, after):
        return False
    is_cause = verb.lemma in _CAUSE
    if verb.lemma == "make" and after.lower in _MAKES_HER_OWN and _may_be_she(document, verb):
        return False
    if (is_cause or after.lower in _DONE_TO) and _has_an_object(document, after):
        return True
    if any(said.index > after.index for said in document.children(verb, "xcomp")):
        return False  # "made her work difficult"
    if verb.lemma in _PERCEIVE:
        is_watched = verb.lemma == "watch" and after.lower == "work"
        return is_watched or after.lower in _DOINGS - _SEEN or _is_no_noun(after)
    is_doing = after.lower in _DOINGS | _CAUSED or _is_no_noun(after)
    return is_doing and (
        is_cause or not _may_be_she(document, verb)
    )  # "I had her work", but "she had her say"


def _is_no_noun(word: Word) -> bool:
    return not lemmas(word.lower, "NOUN") and word.upos not in ("ADJ", "ADV")


def _has_an_object(document: Document, verb: Word) -> bool:
    """True for "help her carry it", "see her play a villain"; not for "saw her play the other day"."""
    after = _at(document, verb.index + 1)
    return (
        after is not None
        and after.tag in ("DT", "PDT", "PRP", "PRP$")
        and not _begins_a_time(document, after)
    )


def _is_joined_to_a_noun(document: Document, after: Word) -> bool:
    """True for "we watched her dance and her play"."""
    joint, behind = _at(document, after.index + 1), _at(document, after.index + 2)
    return joint is not None and behind is not None and joint.tag == "CC" and behind.tag in ("PRP$", "DT")


# --- she gets it --------------------------------------------------------------------------------------


def _gets(document: Document, verb: Word, after: Word) -> bool:
    """True for "gave her money", "told her stories", "offered her better terms"."""
    phrase = _noun_phrase(document, after)
    if not phrase or verb.lemma not in _TAKE_NUMBERS | _SECOND_OBJECTS.keys():
        return False
    noun = phrase[-1]
    if any(_is_alive(word) for word in phrase) or _is_kept_apart(document, noun) or after.tag == "JJS":
        return False  # "gave her mother flowers", "gave her keys back", "gave her best advice"
    second = _SECOND_OBJECTS.get(verb.lemma, frozenset())
    is_taken = noun.lower in second
    if verb.lemma in ("wish", "bid") and is_taken:
        return True
    if noun is after and noun.lower in _GIVEN and (is_taken or verb.lemma in _TAKE_ANY_PLURAL):
        return True
    if after.lower in _QUANTITIES or (after.lower == "more" and len(phrase) == 2):
        return True
    if after.upos == "NUM" and noun.tag == "NNS" and verb.lemma in _TAKE_NUMBERS:
        return not _may_be_she(document, verb) or verb.lemma in ("take", "give", "cost", "earn")
    is_plural = noun.tag == "NNS" and verb.lemma in _TAKE_ANY_PLURAL and noun.lower not in _ONES_OWN
    is_stuff = is_taken or (noun.lower in _GIVEN and verb.lemma in _TAKE_ANY_PLURAL)
    return (is_plural or is_stuff) and not _may_be_she(document, verb)


def _noun_phrase(document: Document, after: Word) -> tuple[Word, ...]:
    """The words from the first one to the last of the nouns that follow: "better terms", "two dinner plates"."""
    found: list[Word] = []
    for word in document.words[after.index : after.index + 6]:
        is_noun = word.upos in ("NOUN", "PROPN")
        has_noun = bool(found) and found[-1].upos in ("NOUN", "PROPN")
        if (has_noun and (not is_noun or word.lemma in _TIMES)) or (
            not is_noun and word.upos not in ("ADJ", "NUM")
        ):
            break
        if has_noun and found[-1].relation != "compound":
            return ()  # "gave her dog water": two objects
        found.append(word)
    return tuple(found) if found and found[-1].upos in ("NOUN", "PROPN") else ()


def _is_alive(word: Word) -> bool:
    lemma = word.lemma.lower()
    return lemma in KIN or lemma in ROLES or lemma in _RELATED or lemma in _ANIMALS or word.upos == "PROPN"


def _is_kept_apart(document: Document, noun: Word) -> bool:
    """True where what follows a noun shows that it was no second object: "her money to Tom", "her keys back"."""
    after = _at(document, noun.index + 1)
    if after is None:
        return False
    behind = _at(document, noun.index + 2)
    if after.lower == "to":
        return noun.lower != "access" and (behind is None or behind.tag not in ("VB", "VBP"))
    if after.lower in ("in", "over", "out"):
        return behind is None or behind.upos == "PUNCT"
    if after.upos == "ADJ":
        return after.lower not in ("last", "next")
    return (
        after.lower in _MOVED
        or after.tag in ("POS", "VBN")
        or (after.tag in ("DT", "PRP$", "PRP") and not _begins_a_time(document, after))
    )


def _begins_a_time(document: Document, article: Word) -> bool:
    """True for the first word of "every day", "that night", "the other day"."""
    rest = document.words[article.index : article.index + 4]
    return any(word.lemma in _TIMES for word in rest)


# --- she is it ----------------------------------------------------------------------------------------


def _is_called(document: Document, verb: Word, after: Word) -> bool:
    """True for "they call her boss", "elected her president", "made her one of them"."""
    if verb.lemma not in _NAME:
        return False
    behind = _at(document, after.index + 1)
    is_last = behind is None or behind.text in _ENDS | {","}
    lower = after.lower
    if lower in ("one", "part"):
        return behind is not None and behind.lower == "of"
    if lower in _ADDRESSES:
        return verb.lemma == "call"
    if lower in _RELATED:  # "they called her boss" may be a phone call
        is_habit = verb.lemma == "call" and verb.tag in ("VBP", "VBZ") and lower in _NICKNAMES
        return is_habit and is_last and not _may_be_she(document, verb)
    if after.tag == "NNP" and verb.lemma in ("call", "name"):
        return behind is None or behind.tag != "POS"
    is_role = lower in ROLES or lower in TITLES
    return is_role and (is_last or (behind is not None and behind.lower in ("of", "in", "for", "and")))


def _becomes(document: Document, verb: Word, after: Word) -> bool:
    """True for "found her guilty", "had her freed", where the word was taken for a noun."""
    if verb.lemma not in _FIND or after.tag not in ("NN", "VBN") or lemmas(after.lower, "NOUN"):
        return False
    behind = _at(document, after.index + 1)
    is_said = bool(lemmas(after.lower, "ADJ")) or is_participle(after.lower)
    return is_said and (
        behind is None or behind.upos not in ("NOUN", "PROPN", "ADJ", "PUNCT") or behind.text in _ENDS
    )


# --- whose it could be --------------------------------------------------------------------------------


def _may_be_she(document: Document, verb: Word) -> bool:
    """True where the subject of a verb could be the woman herself: "she gave her money", "Ann offered her help"."""
    subject = _subject(document, verb)
    if subject is None:
        return verb.tag not in ("VB", "VBP")  # "give her time!"
    lower = subject.lower
    if lower == "she" or subject.upos == "PROPN":
        return True
    if lower in _NEVER_HERS or subject.tag == "NNS":
        return False
    genders = [words[lower] for words in (KIN, ROLES, TITLES) if lower in words]
    return bool(genders) and "masculine" not in genders


def _subject(document: Document, verb: Word) -> Word | None:
    """The subject of a verb, also the one it shares with the verb it is joined to or depends on."""
    current: Word | None = verb
    while current is not None:
        subjects = [
            s for s in document.children(current, "nsubj") if s.index < verb.index and s.dep != "nsubj:outer"
        ]
        if current.dep == "acl:relcl" and (not subjects or subjects[-1].tag in ("WP", "WDT")):
            return document.head(current)
        if subjects:
            return subjects[-1]
        if current.relation not in ("conj", "xcomp", "advcl"):
            return None
        current = document.head(current)
    return None


def _at(document: Document, index: int) -> Word | None:
    return document.words[index] if 0 <= index < len(document) else None
