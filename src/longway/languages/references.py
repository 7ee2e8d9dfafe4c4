"""Options that refer to the other options of their question: "all of the above", in the languages that quizzes are often written in.

    means_others("Keine der genannten Antworten")    ->  True

The whole option must be such a phrase, so that no language has to be identified first: options are too short for that.
"""

from __future__ import annotations

import re
import unicodedata

CORRECT = "correct|true|right|valid|false|wrong|incorrect|untrue|possible|applicable"
PHRASES = {
    "en": rf"(?:both|neither|none|all|either|any|each)(?: of them| of these| of those)?(?: (?:answers?|options?|choices?|statements?))?(?: (?:is|are|was|were))?(?: (?:{CORRECT}))?"
    rf"|(?:all|none|neither|both|any)(?: of)?(?: the)? (?:above|below|preceding|foregoing|aforementioned)(?: (?:answers?|options?|choices?|statements?))?(?: (?:is|are))?(?: (?:{CORRECT}))?"
    r"|(?:more than one|one or more|at least one|at least two|two or more|any two|only one|two|three|several|some|one|not all) of (?:the )?(?:above|these|those|them|others?|other|options|choices|answers)(?: .{,20})?"
    r"|the (?:others?|other (?:one|two|three))|same as (?:the )?(?:above|others?|previous)",
    "ar": r"(?:جميع|كل) ما (?:سبق|ذكر)(?: صحيح)?|(?:لا شيء|ليس أي(?: شيء)?|لا احد|لا أحد) مما (?:سبق|ذكر)|كلاهما|جميع (?:الإجابات|الخيارات)(?: صحيحة)?",
    "de": r"(?:alle|alles|keine[rsn]?|beide|beides|nichts|weder noch)(?: (?:der|die|von|den))?(?: (?:davon|diesen|dieser|beiden|oben|genannten?|obigen|aufgeführten|angegebenen|vorherigen|antworten|optionen|aussagen|möglichkeiten|trifft zu|treffen zu|ist|sind|richtig|falsch|korrekt)){0,6}",
    "es": r"(?:todas|todos|ninguna|ninguno|ambas|ambos|todo lo anterior|nada de lo anterior)(?: de)?(?: (?:las|los|estas|estos))?(?: (?:anteriores|opciones|respuestas|alternativas|dos|mencionad[ao]s|es|son|correct[ao]s?|verdader[ao]s?|fals[ao]s?)){0,4}",
    "fr": r"(?:toutes|tous|aucune?|les deux|tout ce qui précède|rien de tout cela|ni l['’]une? ni l['’]autre)(?: (?:de|des|ces|les|d['’]entre elles|deux|réponses?|propositions?|choix|options?|précédente?s|ci-dessus|n['’]est|est|sont|correcte?s?|vraie?s?|juste?s?|exacte?s?|fausses?)){0,6}",
    "it": r"(?:tutte|tutti|nessuna|nessuno|entrambe|entrambi)(?: (?:le|i|delle|dei|precedenti|risposte|opzioni|alternative|altre|sopra|è|sono|corrett[aei]|giust[aei]|ver[aei]|fals[aei])){0,5}",
    "ja": r"(?:上記|以上|上|前述|これら)(?:の)?(?:うち)?(?:の)?(?:(?:すべて|全て|全部|両方)(?:が?正しい|です)?|いずれでもない|どれでもない|いずれも.{0,8}|どれも.{0,8})|(?:すべて|全て)(?:が?正しい)?|どれでもない|いずれでもない|両方|どちらでもない|該当なし",
    "ko": r"(?:위의?|상기) ?(?:것 ?)?(?:모두|전부|모든 것|어느 것도 아님|답 없음)|모두(?: (?:정답|맞음|해당))?|(?:해당|정답) ?없음|둘 다(?: .{,8})?",
    "nl": r"(?:alle|al het|geen|beide)(?: (?:van|de|het|bovenstaande|bovengenoemde|genoemde|antwoorden|opties|beide|zijn|is|juist|correct|goed|onjuist|fout)){0,6}",
    "pl": r"(?:wszystkie|żadn[aey]|oba|obie|oboje)(?: (?:z|powyższe|powyższych|wymienione|wymienionych|odpowiedzi|są|jest|nie jest|poprawn[ae]|prawidłow[ae])){0,5}",
    "pt": r"(?:todas|todos|nenhuma|nenhum|ambas|ambos)(?: (?:as|os|das|dos|anteriores|acima|alternativas|opções|respostas|duas|está|é|são|estão|corret[ao]s?|cert[ao]s?|verdadeir[ao]s?|fals[ao]s?)){0,5}",
    "ru": r"(?:вс[её]|все|ничего|ни один|ни одна|ни одно|оба|обе)(?: (?:из|эти|этих|вышеперечисленное|вышеперечисленного|вышеперечисленные|перечисленное|перечисленного|перечисленные|перечисленных|выше|вариант[аы]?|вариантов|ответы?|ответов|верны|правильны|неверны|верно|правильно)){0,5}|нет (?:верного|правильного) (?:ответа|варианта)",
    "tr": r"(?:yukarıdakilerin |bunların )?(?:hepsi|hiçbiri|her ikisi)(?: de)?(?: (?:doğru|yanlış))?",
    "zh": r"(?:(?:以上|上述|前述)(?:选项|選項|答案|说法|說法|各项|各項|两者|兩者|三者)?(?:全部|所有|皆|都|均|全)?|(?:两者|兩者|二者|全部|都|皆|均))(?:皆|都|均|全)?(?:是|对|對|正确|正確|不是|非|不对|不對|不正确|不正確|错|錯|错误|錯誤|有|无|無)?",
}  # fmt: skip
MARKS = " \t\n.,;:!?。．！？،()[]\"'“”„«»"
_PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in PHRASES.values()))


def means_others(text: str) -> bool:
    """Whether an option is only a reference to the others.

    >>> [means_others(text) for text in ("None of the above.", "Todas las anteriores", "以上都不是", "All dogs")]
    [True, True, True, False]
    """
    plain = unicodedata.normalize("NFC", text).casefold().strip(MARKS)
    return _PATTERN.fullmatch(" ".join(plain.split())) is not None
