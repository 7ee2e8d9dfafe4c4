"""Are planted shortcuts found in other languages as they are in English, and is the rest left alone?

python runs/languages.py
python runs/languages.py --only de ja --seeds 1 --rows 400
python runs/languages.py --rate 0.03                            rarer plants, of which some are missed in every language

Every text is made here, from a few phrases per language: a subject, a predicate and a circumstance, in one to three clauses. Five shortcuts are planted
in each dataset: a word, an opening phrase, a word that stands first, a length and negations.

recall: planted shortcuts that the audit lists, alone or as a variant of another. false_discovery: patterns called findings where the labels
were shuffled, as a share of what was tested. found: by kind. identified: whether the audit names the language.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass

import common
from longway.data import load
from longway.jobs.audit.job import audit
from longway.jobs.audit.result import AuditResult
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.languages.words import words
from longway.records import Finding

KINDS = ("word", "phrase", "position", "length", "negation")
STRENGTH = 0.95  # share of the rows with a plant that have its label
LONG, MANY = 0.4, 4  # share of the rows of one label that are long, and their clauses
SETTINGS = AuditSettings(levels=levels_named("-grammar"))


@dataclass(frozen=True)
class Phrases:
    """What the texts of one language are made of.

    order: of subject (s), circumstance (c) and predicate (p). between: words; after: a clause. negated: predicates with a negation, and
    negation: the words of which a finding must have one. word, phrase, first: what is planted.
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
        "did not work|was not ready|had no colour", "not no", "lantern", "to be honest", "today",
    ),
    "de": Phrases(
        "die Sitzung|die neue Brücke|mein Nachbar|der Zug|ihr Brief|der Garten|die Lehrerin|der Wochenmarkt",
        "begann spät|war sehr ruhig|kostete mehr als letztes Jahr|sah am Morgen besser aus|änderte den ganzen Plan|stand nahe am Fluss|brauchte viel Zeit|gefiel allen",
        "am Montag|nach dem Regen|in der Altstadt|aus gutem Grund|am Ende der Woche|vor dem Mittagessen",
        "ging nicht|war nicht fertig|hatte keine Farbe", "nicht keine", "Laterne", "um ehrlich zu sein", "heute",
    ),
    "fr": Phrases(
        "la réunion|le nouveau pont|mon voisin|le train|sa lettre|le jardin|l'institutrice|l'ancien marché",
        "a commencé tard|était très calme|coûtait plus que l'année dernière|semblait plus beau le matin|a changé tout le projet|se trouvait près de l'eau|demandait beaucoup de temps|plaisait à tous",
        "lundi|après l'orage|dans la vieille ville|pour une bonne raison|à la fin de la semaine|avant d'aller manger",
        "ne marchait pas|n'était pas prêt|n'avait pas de couleur", "pas ne n'", "lanterne", "pour être honnête", "aujourd'hui",
    ),
    "es": Phrases(
        "la reunión|el puente nuevo|mi vecino|el tren|su carta|el jardín|la maestra|el mercado",
        "empezó tarde|estaba muy tranquilo|costó más que el año pasado|parecía mejor por la mañana|cambió todo el plan|quedaba cerca del río|necesitaba mucho tiempo|gustó a todos",
        "el lunes|después de la lluvia|en el casco antiguo|por una buena razón|al final de la semana|antes de comer",
        "no funcionaba|no estaba listo|no tenía color", "no", "farol", "para ser sincero", "hoy",
    ),
    "ru": Phrases(
        "собрание|новый мост|мой сосед|поезд|её письмо|большой сад|учительница|старый рынок",
        "началось поздно|было очень тихо|стоило больше чем в прошлом году|выглядело лучше утром|изменило весь план|стояло у реки|требовало много времени|понравилось всем",
        "в понедельник|после дождя|в старом городе|по важной причине|в конце недели|перед обедом",
        "не работало|не было готово|не имело цвета", "не", "фонарь", "честно говоря", "сегодня",
    ),
    "ar": Phrases(
        "الاجتماع|الجسر الجديد|جاري القديم|القطار السريع|كتابها الأخير|البستان الكبير|المعلم|السوق",
        "بدأ متأخرا|كان هادئا جدا|كلف أكثر من العام الماضي|بدا أجمل في الصباح|غير الخطة كلها|وقف قرب النهر|احتاج وقتا طويلا|أعجب الجميع",
        "يوم الاثنين|بعد المطر|في المدينة القديمة|لسبب وجيه|في نهاية الأسبوع|قبل الغداء",
        "لم يعمل|لم يكن جاهزا|لم يكن له لون", "لم", "فانوس", "بصراحة تامة", "اليوم", after=". ",
    ),
    "hi": Phrases(
        "बैठक|नया पुल|मेरा पड़ोसी|रेलगाड़ी|उसकी चिट्ठी|बगीचा|अध्यापिका|बाज़ार",
        "देर से शुरू हुई|बहुत शांत थी|पिछले साल से महँगी थी|सुबह अच्छी लगती थी|पूरी योजना बदल गई|नदी के पास थी|बहुत समय लेती थी|सबको पसंद आई",
        "सोमवार को|बारिश के बाद|पुराने शहर में|अच्छे कारण से|सप्ताह के अंत में|खाने से पहले",
        "काम नहीं करती थी|तैयार नहीं थी|रंगीन नहीं थी", "नहीं", "लालटेन", "सच कहूँ तो", "आज", order="scp", after="। ",
    ),
    "zh": Phrases(
        "会议|新桥|我的邻居|火车|她的信|花园|老师|市场",
        "很晚才开始|非常安静|比去年更贵|早上看起来更好|改变了整个计划|就在河边|需要很多时间|让大家高兴",
        "星期一|雨后|在老城区|出于好的理由|周末|午饭前",
        "没有用|没有准备好|没有颜色", "没有 没", "灯笼", "老实说", "今天", order="csp", between="", after="。",
    ),
    "ja": Phrases(
        "会議は|新しい橋は|隣の人は|電車は|彼女の手紙は|庭は|先生は|市場は",
        "遅く始まった|とても静かだった|去年より高かった|朝のほうがきれいだった|計画を全部変えた|川の近くにあった|時間がかかった|みんなを喜ばせた",
        "月曜日に|雨のあと|古い町で|良い理由で|週末に|昼ご飯の前に",
        "動かなかった|準備できなかった|色がなかった", "なかっ ない な", "提灯", "正直に言うと", "今日", order="csp", between="", after="。",
    ),
    "th": Phrases(
        "การประชุม|สะพานใหม่|เพื่อนบ้าน|รถไฟ|จดหมายของเธอ|สวนดอกไม้|คุณครู|ตลาด",
        "เริ่มช้า|เงียบมาก|แพงกว่าปีที่แล้ว|ดูดีขึ้นตอนเช้า|เปลี่ยนแผนทั้งหมด|อยู่ใกล้แม่น้ำ|ใช้เวลานาน|ทำให้ทุกคนยิ้ม",
        "ในวันจันทร์|หลังฝนตก|ในเมืองเก่า|ด้วยเหตุผลที่ดี|ตอนปลายสัปดาห์|ก่อนอาหารกลางวัน",
        "ไม่ทำงาน|ไม่พร้อม|ไม่มีสี", "ไม่ ไม่มี", "โคมไฟ", "พูดตามตรง", "วันนี้", between="", after=" ",
    ),
    "ko": Phrases(
        "회의가|새 다리가|우리 이웃은|기차가|그녀의 편지는|정원이|선생님은|시장이",
        "늦게 시작했다|매우 조용했다|작년보다 비쌌다|아침에 더 좋아 보였다|계획을 모두 바꿨다|강 근처에 있었다|시간이 많이 걸렸다|모두를 기쁘게 했다",
        "월요일에|비가 온 뒤에|오래된 도시에서|좋은 이유로|주말에|점심 전에",
        "작동하지 않았다|준비되지 않았다|빛나지 않았다", "않았다 않", "등불이", "솔직히 말하면", "오늘", order="scp",
    ),
}  # fmt: skip


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
        n_clauses = MANY if label == "b" and rng.random() < LONG * rate / 0.15 else rng.randint(1, 3)
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


def found_kinds(result: AuditResult, phrases: Phrases, language: str) -> dict[str, bool]:
    """Which of the planted shortcuts the audit lists."""
    listed: list[Finding] = [one for finding in result.findings for one in (finding, *finding.variants)]

    def has(text: str, label: str, levels: Sequence[str]) -> bool:
        tokens = set(words(text, language)) or set(text.split())
        return any(
            one.label == label and one.level in levels and tokens & set(one.pattern.words) for one in listed
        )

    negations = any(one.level == "negation" and one.label == "b" for one in listed)
    return {
        "word": has(phrases.word, "a", ("token", "ngram")),
        "phrase": has(phrases.phrase, "b", ("token", "ngram", "position")),
        "position": has(phrases.first, "a", ("position",)),
        "length": any(one.level == "length" and one.label == "b" for one in listed),
        "negation": negations or has(phrases.negation, "b", ("token", "ngram")),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(LANGUAGES), choices=list(LANGUAGES))
    parser.add_argument("--rows", type=int, default=800)
    parser.add_argument("--rate", type=float, default=0.15, help="share of the rows that carry a plant")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{'language':10} {'identified as':14} {'recall':>6} {'false':>8}  missed")
    figures = {}
    for language in options.only:
        phrases, kinds, false, tested, named = LANGUAGES[language], [], 0, 0, set()
        for seed in range(options.seed, options.seed + options.seeds):
            rows = made_rows(phrases, options.rows, seed, options.rate)
            result = audit(load(rows), SETTINGS)
            named.add(" ".join(result.dataset.languages))
            kinds.append(found_kinds(result, phrases, language))
            labels = [row["label"] for row in rows]
            random.Random(seed + 1).shuffle(labels)
            shuffled = audit(
                load([{**row, "label": label} for row, label in zip(rows, labels, strict=True)]), SETTINGS
            )
            false += sum(shuffled.significant.values())
            tested += sum(shuffled.tested.values())
        by_kind = {kind: sum(one[kind] for one in kinds) / len(kinds) for kind in KINDS}
        recall = sum(by_kind.values()) / len(KINDS)
        missed = " ".join(kind for kind in KINDS if by_kind[kind] < 1)
        print(
            f"{language:10} {', '.join(sorted(named)):14} {recall:6.2f} {false / tested:8.5f}  {missed}",
            flush=True,
        )
        figures[language] = {
            "recall": recall,
            "false_discovery": false / tested,
            "found": by_kind,
            "identified": sorted(named) == [language],
        }
    common.finish(
        "runs/languages.py", rows=options.rows, rate=options.rate, seeds=options.seeds, languages=figures
    )


if __name__ == "__main__":
    main()
