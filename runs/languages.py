"""Are planted shortcuts found in other languages as they are in English, and is the rest left alone?

python runs/languages.py
python runs/languages.py --only de ja --seeds 1 --rows 400 --rates 0.15
python runs/languages.py --jobs 6                              datasets are audited in six processes

Every text is made here, from a few phrases per language: a subject, a predicate and a circumstance, in one to three clauses. Five shortcuts are planted
in each dataset: a word, an opening phrase, a word that stands first, a length and negations; which word or phrase depends on the seed. With 20 seeds
there are 100 plants per language and rate, so one plant is one point.

rate: share of the rows that carry a plant; of the rare ones some are missed in every language.
recall: planted shortcuts that the audit lists, alone or as a variant of another. A phrase counts if two of its words in sequence are listed, a
word if all of it is. A negation counts by its word or by the negation level; negation_level: by the level alone, for languages with tables.
false_discovery: patterns called findings where the labels were shuffled, as a share of what was tested. found: by kind. identified: whether the
audit names the language.
"""

from __future__ import annotations

import argparse
import os
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes side by side

import common
from longway.data import load
from longway.jobs.audit.job import audit
from longway.jobs.audit.result import AuditResult
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.language_names import ENGLISH
from longway.languages.word_lists import has_words
from longway.languages.words import words
from longway.records import Finding

KINDS = ("word", "phrase", "position", "length", "negation")
STRENGTH = 0.95  # share of the rows with a plant that have its label
MANY = 5  # clauses of a long row; others have one to three
SETTINGS = AuditSettings(levels=levels_named("-grammar"))


@dataclass(frozen=True)
class Phrases:
    """What the texts of one language are made of.

    order: of subject (s), circumstance (c) and predicate (p). between: words; after: a clause. negated: predicates with a negation, and
    negation: the words of which a finding must have one. word, phrase, first: what may be planted; phrases have three words in every
    language, since each of their n-grams is tested and more of them are found more easily.
    """

    subjects: str
    predicates: str
    circumstances: str
    negated: str
    negation: str
    word: str
    phrase: str
    first: str
    order: str = "spc"
    between: str = " "
    after: str = ". "


LANGUAGES = {
    "en": Phrases(
        "the meeting|the new bridge|my neighbour|the train|her letter|the garden|the teacher|the market",
        "began late|was very quiet|cost more than last year|looked better in the morning|changed the whole plan|stood near the river|took a lot of time|pleased everyone",
        "on Monday|after the rain|in the old town|for a good reason|at the end of the week|before lunch",
        "did not work|was not ready|had no colour", "not no", "lantern|umbrella|violin|copper", "to be honest|truth be told|in my opinion", "today|yesterday|suddenly",
    ),
    "de": Phrases(
        "die Sitzung|die neue Brücke|mein Nachbar|der Zug|ihr Brief|der Garten|die Lehrerin|der Wochenmarkt",
        "begann spät|war sehr ruhig|kostete mehr als letztes Jahr|sah am Morgen besser aus|änderte den ganzen Plan|stand nahe am Fluss|brauchte viel Zeit|gefiel allen",
        "am Montag|nach dem Regen|in der Altstadt|aus gutem Grund|am Ende der Woche|vor dem Mittagessen",
        "ging nicht|war nicht fertig|hatte keine Farbe", "nicht keine", "Laterne|Regenschirm|Geige|Kupferdraht", "ganz offen gesagt|unter uns gesagt|meiner Meinung nach", "heute|gestern|plötzlich",
    ),
    "fr": Phrases(
        "la réunion|le nouveau pont|mon voisin|le train|sa lettre|le jardin|l'institutrice|l'ancien marché",
        "a commencé tard|était très calme|coûtait plus que l'année dernière|semblait plus beau le matin|a changé tout le projet|se trouvait près de l'eau|demandait beaucoup de temps|plaisait à tous",
        "lundi|après l'orage|dans la vieille ville|pour une bonne raison|à la fin de la semaine|avant d'aller manger",
        "ne marchait pas|n'était pas prêt|n'avait pas de couleur", "pas ne n'", "lanterne|parapluie|violon|cuivre", "pour être honnête|à vrai dire|à mon avis", "aujourd'hui|hier|soudain",
    ),
    "es": Phrases(
        "la reunión|el puente nuevo|mi vecino|el tren|su carta|el jardín|la maestra|el mercado",
        "empezó tarde|estaba muy tranquilo|costó más que el año pasado|parecía mejor por la mañana|cambió todo el plan|quedaba cerca del río|necesitaba mucho tiempo|gustó a todos",
        "el lunes|después de la lluvia|en el casco antiguo|por una buena razón|al final de la semana|antes de comer",
        "no funcionaba|no estaba listo|no tenía color", "no", "farol|paraguas|violín|cobre", "para ser sincero|a decir verdad|en mi opinión", "hoy|ayer|ahora",
    ),
    "ru": Phrases(
        "собрание|новый мост|мой сосед|поезд|её письмо|большой сад|учительница|старый рынок",
        "началось поздно|было очень тихо|стоило больше чем в прошлом году|выглядело лучше утром|изменило весь план|стояло у реки|требовало много времени|понравилось всем",
        "в понедельник|после дождя|в старом городе|по важной причине|в конце недели|перед обедом",
        "не работало|не было готово|не имело цвета", "не", "фонарь|зонтик|скрипка|медь", "если честно сказать|по правде сказать|на мой взгляд", "сегодня|вчера|вдруг",
    ),
    "ar": Phrases(
        "الاجتماع|الجسر الجديد|جاري القديم|القطار السريع|كتابها الأخير|البستان الكبير|المعلم|السوق",
        "بدأ متأخرا|كان هادئا جدا|كلف أكثر من العام الماضي|بدا أجمل في الصباح|غير الخطة كلها|وقف قرب النهر|احتاج وقتا طويلا|أعجب الجميع",
        "يوم الاثنين|بعد المطر|في المدينة القديمة|لسبب وجيه|في نهاية الأسبوع|قبل الغداء",
        "لم يعمل|لم يكن جاهزا|لم يكن له لون", "لم", "فانوس|مظلة|كمان|نحاس", "أقول بصراحة تامة|في حقيقة الأمر|في رأيي الخاص", "اليوم|أمس|فجأة", after=". ",
    ),
    "hi": Phrases(
        "बैठक|नया पुल|मेरा पड़ोसी|रेलगाड़ी|उसकी चिट्ठी|बगीचा|अध्यापिका|बाज़ार",
        "देर से शुरू हुई|बहुत शांत थी|पिछले साल से महँगी थी|सुबह अच्छी लगती थी|पूरी योजना बदल गई|नदी के पास थी|बहुत समय लेती थी|सबको पसंद आई",
        "सोमवार को|बारिश के बाद|पुराने शहर में|अच्छे कारण से|सप्ताह के अंत में|खाने से पहले",
        "काम नहीं करती थी|तैयार नहीं थी|रंगीन नहीं थी", "नहीं", "लालटेन|छाता|वायलिन|ताँबा", "सच कहूँ तो|सच तो यही|मेरी राय में", "आज|कल|अचानक", order="scp", after="। ",
    ),
    "zh": Phrases(
        "会议|新桥|我的邻居|火车|她的信|花园|老师|市场",
        "很晚才开始|非常安静|比去年更贵|早上看起来更好|改变了整个计划|就在河边|需要很多时间|让大家高兴",
        "星期一|雨后|在老城区|出于好的理由|周末|午饭前",
        "没有用|没有准备好|没有颜色", "没有 没", "灯笼|雨伞|小提琴|铜线", "就个人来说|我个人觉得|跟你说实话", "今天|昨天|忽然", order="csp", between="", after="。",
    ),
    "ja": Phrases(
        "会議は|新しい橋は|隣の人は|電車は|彼女の手紙は|庭は|先生は|市場は",
        "遅く始まった|とても静かだった|去年より高かった|朝のほうがきれいだった|計画を全部変えた|川の近くにあった|時間がかかった|みんなを喜ばせた",
        "月曜日に|雨のあと|古い町で|良い理由で|週末に|昼ご飯の前に",
        "動かなかった|準備できなかった|色がなかった", "なかっ ない な", "提灯|雨傘|バイオリン|太鼓", "実のところ|正直な話|私の考え", "今日|昨日|突然", order="csp", between="", after="。",
    ),
    "th": Phrases(
        "การประชุม|สะพานใหม่|เพื่อนบ้าน|รถไฟ|จดหมายของเธอ|สวนดอกไม้|คุณครู|ตลาด",
        "เริ่มช้า|เงียบมาก|แพงกว่าปีที่แล้ว|ดูดีขึ้นตอนเช้า|เปลี่ยนแผนทั้งหมด|อยู่ใกล้แม่น้ำ|ใช้เวลานาน|ทำให้ทุกคนยิ้ม",
        "ในวันจันทร์|หลังฝนตก|ในเมืองเก่า|ด้วยเหตุผลที่ดี|ตอนปลายสัปดาห์|ก่อนอาหารกลางวัน",
        "ไม่ทำงาน|ไม่พร้อม|ไม่มีสี", "ไม่ ไม่มี", "โคมไฟ|ร่ม|ไวโอลิน|ทองแดง", "พูดกันตรงๆ|ตามความเห็นฉัน|บอกกันตามตรง", "วันนี้|เมื่อวาน|ทันใดนั้น", between="", after=" ",
    ),
    "ko": Phrases(
        "회의가|새 다리가|우리 이웃은|기차가|그녀의 편지는|정원이|선생님은|시장이",
        "늦게 시작했다|매우 조용했다|작년보다 비쌌다|아침에 더 좋아 보였다|계획을 모두 바꿨다|강 근처에 있었다|시간이 많이 걸렸다|모두를 기쁘게 했다",
        "월요일에|비가 온 뒤에|오래된 도시에서|좋은 이유로|주말에|점심 전에",
        "작동하지 않았다|준비되지 않았다|빛나지 않았다", "않았다 않", "등불|우산|바이올린|구리", "한마디로 말하면|사실을 말하면|내가 보기에는", "오늘|어제|갑자기", order="scp",
    ),
}  # fmt: skip


def planted_in(language: str, seed: int) -> Phrases:
    """The phrases of a language with one word, phrase and first word to plant."""
    phrases, rng = LANGUAGES[language], random.Random(seed)
    return replace(
        phrases,
        word=rng.choice(phrases.word.split("|")),
        phrase=rng.choice(phrases.phrase.split("|")),
        first=rng.choice(phrases.first.split("|")),
    )


def clause(phrases: Phrases, rng: random.Random, *, negated: bool = False, word: str = "") -> str:
    """One clause. word: stands after the subject."""
    parts = {
        "s": rng.choice(phrases.subjects.split("|")) + (phrases.between + word if word else ""),
        "c": rng.choice(phrases.circumstances.split("|")),
        "p": rng.choice((phrases.negated if negated else phrases.predicates).split("|")),
    }
    return phrases.between.join(parts[part] for part in phrases.order)


def made_rows(phrases: Phrases, n: int, seed: int, rate: float = 0.15) -> list[dict[str, str]]:
    """n rows with two labels and five planted shortcuts, each with its own label. rate: share of the rows that carry one."""
    rng = random.Random(seed)
    labels = ["a", "b"] * (n // 2)
    rng.shuffle(labels)

    def carries(label: str, of: str) -> bool:
        """Whether a row gets a plant of the label `of`."""
        share = STRENGTH if label == of else 1 - STRENGTH
        return rng.random() < 2 * rate * share

    rows = []
    for at, label in enumerate(labels):
        n_clauses = MANY if carries(label, "b") else rng.randint(1, 3)
        negated, word = carries(label, "b"), phrases.word if carries(label, "a") else ""
        clauses = [
            clause(phrases, rng, negated=negated and i == 0, word=word if i == 0 else "")
            for i in range(n_clauses)
        ]
        if rng.random() < 2.5 * rate:  # as frequent in both labels; first in one, inside the other
            is_first = rng.random() < (STRENGTH if label == "a" else 1 - STRENGTH)
            place = 0 if is_first else rng.randrange(1, n_clauses + 1)
            clauses.insert(place, phrases.first) if place else clauses.__setitem__(
                0, f"{phrases.first}{phrases.between}{clauses[0]}"
            )
        elif carries(label, "b"):
            clauses[0] = f"{phrases.phrase}, {clauses[0]}"
        rows.append({"id": str(at), "text": phrases.after.join([*clauses, ""]).strip(), "label": label})
    return rows


def has_part(pattern: Sequence[str], planted: Sequence[str]) -> bool:
    """Whether a pattern has two words of a planted phrase in sequence, or its only word."""
    n = min(2, len(planted))
    parts = {tuple(planted[at : at + n]) for at in range(len(planted) - n + 1)}
    return any(tuple(pattern[at : at + n]) in parts for at in range(len(pattern) - n + 1))


def found_kinds(result: AuditResult, phrases: Phrases, language: str) -> dict[str, bool]:
    """Which of the planted shortcuts the audit lists."""
    listed: list[Finding] = [one for finding in result.findings for one in (finding, *finding.variants)]

    def has(text: str, label: str) -> bool:
        planted = words(text, language)
        return any(
            one.label == label and one.level in ("token", "ngram") and has_part(one.pattern.words, planted)
            for one in listed
        )

    def is_at(level: str, label: str, planted: Sequence[str] = ()) -> bool:
        return any(
            one.label == label and one.level == level and one.pattern.words == tuple(planted)
            for one in listed
        )

    by_level = is_at("negation", "b")
    return {
        "word": has(phrases.word, "a"),
        "phrase": has(phrases.phrase, "b"),
        "position": is_at("position", "a", words(phrases.first, language)[:1]),
        "length": is_at("length", "b"),
        "negation": by_level or any(has(word, "b") for word in phrases.negation.split()),
        "negation_level": by_level,
    }


@dataclass(frozen=True)
class Trial:
    """One dataset: what was found, and how many of the tested patterns were significant with shuffled labels."""

    language: str
    rate: float
    found: dict[str, bool]
    false: int
    tested: int
    named: tuple[str, ...]


def trial(language: str, rate: float, seed: int, n_rows: int) -> Trial:
    """Make a dataset, audit it, and audit it again with shuffled labels."""
    phrases = planted_in(language, seed)
    rows = made_rows(phrases, n_rows, seed, rate)
    result = audit(load(rows), SETTINGS)
    labels = [row["label"] for row in rows]
    random.Random(seed + 1).shuffle(labels)
    shuffled = audit(
        load([{**row, "label": label} for row, label in zip(rows, labels, strict=True)]), SETTINGS
    )
    return Trial(
        language,
        rate,
        found_kinds(result, phrases, language),
        sum(shuffled.significant.values()),
        sum(shuffled.tested.values()),
        tuple(result.dataset.languages),
    )


def summary(trials: Sequence[Trial], language: str) -> dict[str, object]:
    """The figures of one language at one rate."""
    by_kind = {kind: sum(one.found[kind] for one in trials) / len(trials) for kind in trials[0].found}
    level = by_kind.pop("negation_level")
    return {
        "recall": sum(by_kind.values()) / len(by_kind),
        "false_discovery": sum(one.false for one in trials) / sum(one.tested for one in trials),
        "found": by_kind,
        "negation_level": level if language == ENGLISH or has_words(language) else None,
        "identified": all(one.named == (language,) for one in trials),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(LANGUAGES), choices=list(LANGUAGES))
    parser.add_argument("--rows", type=int, default=800)
    parser.add_argument("--rates", type=float, nargs="*", default=[0.15, 0.05, 0.03])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.seeds)
    asked = [(one, rate, seed) for rate in options.rates for one in options.only for seed in seeds]
    print(
        f"{'rate':>5} {'language':9} {'recall':>6} {'false':>8} "
        + " ".join(f"{k:>8}" for k in KINDS)
        + "  by level"
    )
    figures: dict[str, dict[str, object]] = defaultdict(dict)
    done = common.each(trial, [(*one, options.rows) for one in asked], options.jobs)
    for rate in options.rates:
        for language in options.only:
            of = summary([next(done) for _ in seeds], language)
            figures[str(rate)][language] = of
            kinds = " ".join(f"{of['found'][kind]:8.2f}" for kind in KINDS)
            level = "" if of["negation_level"] is None else f"{of['negation_level']:.2f}"
            named = "" if of["identified"] else "  not identified"
            print(
                f"{rate:5.2f} {language:9} {of['recall']:6.2f} {of['false_discovery']:8.5f} {kinds}  {level}{named}",
                flush=True,
            )
    common.finish("runs/languages.py", rows=options.rows, seeds=options.seeds, rates=figures)


if __name__ == "__main__":
    main()
