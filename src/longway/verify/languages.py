"""Which script and language a text is in, as far as frequent words tell.

    scripts("Фильм был долгим.")                       {"CYRILLIC"}
    language("Der Film war nicht gut.")                "de"
    other_language(texts)                              "German": what most texts are in, if it is not English
    strange(before, after, context)                    why the new text is in another script or language; "" if it is not

A row is compared with its own language, never with English. A language is known by its function words; a text that has too few of them
has none, and nothing is said about it. English rows are tested further in `form_checks.py`, which knows more about English.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from longway.verify.wordforms import words

MOST_OTHER = 0.2  # share of Latin letters in a text of another script: names, brands
LOOKED_AT, LONGEST = 300, 500  # texts of a dataset, characters of each
CLEAR = 2  # function words of a language, more than of any other
# Function words of languages in Latin script, the most frequent ones that few others have.
_LISTS = {
    "en": "the and of to is was were are it that this with for but not you he she they have has had be been which from there what would could than its "
    "his her their an very so who when one or if about all just more a i in on at as by do does did my me no we our your can how into will some any only",
    "de": "der die das und ist war nicht ein eine einen einem einer den dem des mit von zu auf für im am sich auch es sie er wir ich aber wie noch nur "
    "sehr so wurde wird hat haben hatte als bei nach über aus dass oder zum zur kein keine sind waren mehr schon viel sein seine ihre",
    "fr": "le la les un une des du de et est sont était ne pas que qui dans pour sur avec ce cette ces il elle nous vous je mais très plus au aux par se sa son ses "
    "leur être fait trop bien tout comme",
    "es": "el la los las un una unos de del y es son era fue no que en con por para se su sus lo pero muy más como al está este esta hay ha me mi nos todo ni sin",
    "it": "il lo la gli le un una di del della dei che e è sono era non con per in si nel nella ma molto più come anche questo questa ha hanno mi ci alla dal al",
    "pt": "o a os as um uma de do da dos das e é são era foi não que em no na com por para se seu sua mas muito mais como ao está este esta há nem sem",
    "nl": "de het een en is was niet van in op te dat met voor zijn er aan maar ook als ze hij wij ik deze dit door naar om bij nog veel erg heel worden werd",
    "sv": "och att det är en ett som på för med inte av den till var har om men så vi jag han hon från mycket också när än",
    "da": "og at det er en et som på for med ikke af den til var har om men så vi jeg han hun fra meget også når end blev",
    "pl": "i w na z że się jest nie to był była było do jak ale o po za od tak bardzo przez co dla ten ta są oraz już tylko",
    "cs": "a v na se je že to byl byla bylo do jak ale o po za od tak velmi pro co ten ta jsou nebo už jen není který",
    "tr": "ve bir bu da de için çok ile ama daha gibi en o ne kadar değil olan olarak var",
    "id": "yang dan di ini itu dengan untuk tidak dari dalam akan pada juga adalah ke karena sangat saya",
}
_WORDS = {name: frozenset(words.split()) for name, words in _LISTS.items()}
_NAMES = {
    "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch", "sv": "Swedish", "da": "Danish",
    "pl": "Polish", "cs": "Czech", "tr": "Turkish", "id": "Indonesian",
}  # fmt: skip
_SCRIPTS = {"CJK": "Chinese, Japanese or Korean"}
# Scripts that are used together in one text.
_TOGETHER = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "BOPOMOFO": "CJK", "HANGUL": "CJK"}


def scripts(text: str) -> Counter[str]:
    """The letters of a text by script; Chinese characters, kana and Korean are one.

    >>> dict(scripts("Фильм «Heat»"))
    {'CYRILLIC': 5, 'LATIN': 4}
    """
    return Counter(name for character in text if (name := _script(character)))


def language(text: str, *, clearly: bool = False) -> str:
    """The language whose function words a text in Latin script has most of; "" if there is none. clearly: at least `CLEAR` more.

    >>> language("Der Film war nicht gut."), language("Toller Film!")
    ('de', '')
    """
    (best, most), (_, next_most) = _ranked(text)
    return best if most - next_most >= (CLEAR if clearly else 1) else ""


def other_language(texts: Iterable[str]) -> str:
    """The language that texts are in, or their script; "" if they are English or nothing is known. Looks at the first `LOOKED_AT` texts.

    Texts whose words are of no known language do not count: English headlines and names are not called foreign.

    >>> other_language(["Der Film war nicht gut.", "Ein Film mit viel Musik."]), other_language(["Фильм был долгим."])
    ('German', 'a language in Cyrillic script')
    >>> other_language(["The film was not good.", "Bon film!"])
    ''
    """
    known: Counter[str] = Counter()
    for text in (text[:LONGEST] for text in islice(texts, LOOKED_AT)):
        letters = scripts(text)
        if not letters:
            continue
        script, n = letters.most_common(1)[0]
        is_other = script != "LATIN" and 2 * n > letters.total()
        known[
            _SCRIPTS.get(script, f"a language in {script.capitalize()} script")
            if is_other
            else language(text)
        ] += 1
    del known[""]
    best, n = known.most_common(1)[0] if known else ("en", 0)
    return "" if best == "en" or 2 * n <= known.total() else _NAMES.get(best, best)


def is_english(text: str) -> bool:
    """Whether a text is English, or may be: it is in Latin script, and not known to be in another language."""
    letters = scripts(text)
    return letters["LATIN"] * 2 >= letters.total() and language(text) in ("", "en")


def function_words(text: str) -> frozenset[str]:
    """The function words of a text's language, as far as they are listed."""
    return _WORDS.get(language(text), frozenset())


def strange(before: str, after: str, context: str = "") -> str:
    """Why the new text is not in the script or the language of the row, of which the context is a part; "" if it is."""
    given = f"{before} {context}"
    old, new = scripts(given), scripts(after)
    is_latin = not old or old["LATIN"] * 2 >= old.total()
    for character in after:
        script = _script(character)
        if script and script not in old and character not in given and (is_latin or script != "LATIN"):
            return (
                f"a letter that is not Latin: {character!r}"
                if is_latin
                else f"a letter of another script: {character!r}"
            )
    if not is_latin:
        share = new["LATIN"] / max(1, new.total())
        return "another script" if share > max(MOST_OTHER, 2 * old["LATIN"] / old.total()) else ""
    row, other = language(before), language(after)
    if not row or not other or row == other or row == "en":
        return ""
    has_own = any(word in _WORDS[row] for word in words(after))
    # Related languages share words: only a clear case counts, or a text without one word of the row's language.
    if language(before, clearly=True) and (language(after, clearly=True) or not has_own):
        known = sorted(set(words(after)) & _WORDS[other] - _WORDS[row])
        return f"another language: {', '.join(map(repr, known[:3]))}"
    return ""


def _ranked(text: str) -> list[tuple[str, int]]:
    """The two languages with most function words in a text."""
    tokens = words(text)
    counts = {name: sum(token in known for token in tokens) for name, known in _WORDS.items()}
    return sorted(counts.items(), key=lambda item: -item[1])[:2]


@lru_cache(maxsize=20_000)
def _script(character: str) -> str:
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "").partition(" ")[0]
    return _TOGETHER.get(name, name)
