"""Does the concept level find topics and tones that no word carries, and nothing where there is nothing?

    python runs/concepts.py --rows 6000 --jobs 2                       planted concepts on three datasets
    python runs/concepts.py --rows 6000 --developed --only snli        those that were used while the level was developed
    python runs/concepts.py --permute 100 --rows 1500                  audits of permuted labels: how many list no concept
    python runs/concepts.py --time                                     minutes and memory of the level on 10,000 rows
    python runs/concepts.py --list imdb fever                          the concepts found, with names and rows, to be judged by hand

A planted concept is 5% of the rows (at least 4%, if there are not so many): rows about a topic, by a list of words that the audit does not know, or rows of another dataset (another genre or tone). All of them have one label;
the labels of all other rows are permuted, so that every other finding is false. Texts are cut to lower-case words. No word may predict the label of the planted rows: an audit of words is run until it finds none, at most 15 times.
Of a topic, each word is in at most 12 planted rows; a word that is found is allowed in half as many, and other rows of the topic replace those rows. Rows of another dataset lose the words that are found.
A planted concept counts as found if the audit lists a concept for its label in whose rows planted ones are at least three times as frequent as in all. A finding is false if they are less than twice as
frequent. Beside it: the topics of a non-negative matrix factorization (NMF) of words, tested in the same way.

Permuted labels: single texts with two labels, and pairs with three labels, where rows with the same context have the same label.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import common
from longway.data import Dataset, as_dataset, load
from longway.detect.clusters import Clusters
from longway.detect.concepts.concepts import Concepts
from longway.detect.concepts.detector import ConceptDetector, SampledRows
from longway.detect.concepts.kmeans import bounds_for
from longway.detect.findings import Search, search
from longway.detect.leak import linked_rows
from longway.detect.levels import detectors_for
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.jobs.audit.concept_level import concept_detectors, out_of_fold
from longway.jobs.audit.rows import examples_by_place, grouped, places_of

SETS = {
    "mr": ("rotten_tomatoes_mr/all.jsonl.gz", "text"),
    "snli": ("snli/train_balanced.jsonl.gz", "hypothesis"),
    "fever": ("fever_claims/paper_dev.jsonl.gz", "claim"),
}
REAL = {
    "sst2": ("sst2_sentences/train.jsonl.gz", ("text",)),
    "imdb": ("imdb/train.jsonl.gz", ("text",)),
    "fever": ("fever/paper_test_supports_refutes.jsonl.gz", ("claim", "evidence")),
    "snli": ("snli/train_balanced.jsonl.gz", ("hypothesis", "premise")),
    "hate": ("hate_speech_human_cf/dev.jsonl.gz", ("text",)),
}
# Rows of another dataset.
GUESTS = {
    "restaurants": ("yelp_sentences/dev_sample.jsonl.gz", "text"),
    "questions": ("qqp/dev_7600.jsonl.gz", "question1"),
    "films": ("subj/all.jsonl.gz", "text"),
    "captions": ("snli/dev.jsonl.gz", "premise"),
    "claims": ("fever_claims/paper_dev.jsonl.gz", "claim"),
    # of the planted concepts below
    "news": ("mrpc/train.jsonl.gz", "sentence1"),
    "examples": ("cola/train.jsonl.gz", "text"),
    "puzzles": ("choice/cqa.jsonl.gz", "question"),
    "posts": ("hate_speech_human_cf/dev.jsonl.gz", "text"),
}
# Rows with one of these words are about a topic. The first group was used while the level was developed.
TOPICS = {
    "animals": "dog dogs cat cats horse horses bird birds puppy puppies cow cows cattle sheep animal animals fish fishes bear bears lion lions elephant elephants monkey monkeys goat goats pig pigs duck ducks rabbit rabbits tiger tigers wolf wolves pet pets snake snakes kitten kittens rat rats mouse mice shark sharks whale whales dolphin dolphins turtle turtles frog frogs insect insects butterfly bee bees spider spiders crocodile chicken chickens eagle parrot deer fox zoo species wildlife dinosaur dinosaurs creature creatures mammal leash bull camel donkey",
    "food": "food foods eat eats eating ate dinner lunch breakfast pizza sandwich sandwiches bread cake cakes fruit fruits apple apples banana orange meal meals cook cooks cooking cooked chef soup meat cheese chicken burger burgers rice salad snack snacks coffee tea beer wine drink drinks drinking drank kitchen restaurant restaurants recipe delicious tasty hungry pasta noodles egg eggs bacon steak vegetable vegetables candy chocolate cookie cookies popcorn grill grilling barbecue bake baking bakery cafe waiter waitress menu dessert pie ice cream cuisine flavor bar juice milk",
    "music": "music musical musicals song songs singer singers sing sings singing sang sung band bands album albums guitar guitarist piano pianist drums drummer drum concert concerts musician musicians rapper rap pop rock jazz orchestra violin tune tunes melody recorded record records single singles soundtrack score lyrics lyric composer composed opera symphony hip hop grammy billboard chart charts vocals vocalist vocal choir bass duo punk metal folk blues country dance dancing dancer ballet beatles elvis tour karaoke noise sound sounds rhythm trumpet instrument instruments",
    "sports": "ball soccer football basketball baseball tennis team teams game games player players race races racing racer swim swims swimming swimmer bike bikes biking skateboard skateboarding skateboarder surfing surfer surf ski skiing skier golf hockey league season cup olympic olympics boxing boxer match champion champions championship coach coached coaching athlete athletes wrestling wrestler wrestlers stadium tournament goal goals quarterback nfl nba fifa uefa rugby cricket volleyball gymnastics runner running marathon medal sport sports goalkeeper striker defender club clubs jump jumping tackle score scored skating skater",
    "war": "war wars battle battles army armies soldier soldiers military weapon weapons gun guns killed kill kills killing murder murders murdered murderer crime crimes criminal criminals police prison prisoner terrorist terrorism violence violent killer killers bomb bombs bombing enemy enemies fight fights fighting fought assassin assassinated assassination attack attacked attacks nazi nazis holocaust vietnam navy marine marines troops combat invasion invaded gangster gangsters mafia thief robbery heist shoot shooting shot detective cop cops jail victim victims genocide revolution rebel rebels dictator hostage sword knife bullet bullets blood bloody gore massacre hitler vengeance revenge serial spy",
    "family": "family families mother mothers father fathers son sons daughter daughters brother brothers sister sisters sibling siblings wife wives husband husbands married marry marries marriage marriages parents parent child children baby babies kids kid grandfather grandmother grandparents grandma grandpa wedding divorce divorced mom mommy moms dad daddy dads twin twins uncle aunt cousin niece nephew spouse bride groom engaged engagement fiance infant toddler toddlers boyfriend girlfriend couple couples relatives adopted teen teens teenager teenagers teenage adolescent childhood home domestic pregnant pregnancy birthday",
    "religion": "god gods church churches religion religions religious christian christians christmas catholic catholics priest priests nun nuns prayer prayers praying pray prays holy angel angels devil devils hell heaven heavenly soul souls soulful spiritual spirit spirits faith faithful bible biblical jesus christ jewish jews muslim muslims islam islamic buddhist buddhism hindu temple temples monk monks pope saint saints ghost ghosts evil demon demons satan sin sins sinners sacred divine miracle miracles worship preacher cathedral myth mythical mythology wizard witch witches magic magical supernatural",
    # of the planted concepts below
    "health": "hospital hospitals doctor doctors nurse nurses patient patients disease diseases cancer surgery surgeon surgical medicine medicines medical drug drugs sick sickness illness ill pain painful painfully injury injured injuries hurt blood heart brain brains dead death deaths die died dies dying suicide drunk alcoholic alcohol addict addiction health healthy therapy therapist mental mad madness insane insanity depression depressed depressing crazy body bodies disorder symptom symptoms virus infection vaccine wound wounds cure ambulance dentist diagnosed autism aids hiv autopsy corpse funeral grief wheelchair blind deaf disabled sleep sleeping asleep tired nap exhausted smoking cigarette",
    "school": "school schools student students teacher teachers teaching teach teaches taught class classes classroom classrooms college colleges university universities education educated educational homework exam exams test tests study studying studied studies learn learns learning learned lesson lessons graduate graduated graduates degree professor professors campus library book books read reads reading reader readers write writes writing writer writers wrote written author authors novel novels novelist literature literary poem poems poet poetry essay letter letters page pages story harvard yale academy academic scholar dictionary math history historian philosophy philosopher intellectual lecture published publisher magazine newspaper",
    "money": "money business businesses company companies corporation bank banks banking rich richer richest wealth wealthy poor poverty buy buys buying bought sell sells selling sold sale sales price prices pay pays paying paid job jobs office offices store stores shop shops shopping shopper market markets stock million millions billion dollar dollars cost costs cheap expensive owner owners owned own boss worker workers working employee employees career economy economic economics financial finance budget investment invest investor trade customer customers salesman credit debt tax cash check profit industry industrial commercial entrepreneur executive gross grossed box earned deal manager",
    "travel": "car cars truck trucks bus buses train trains boat boats ship ships plane planes airplane airplanes aircraft airport airports airline driver drivers drive drives driving drove driven road roads highway traffic taxi cab motorcycle motorcycles bicycle bicycles ride rides riding rode rider travel travels traveling traveled traveler trip trips vehicle vehicles station subway pilot pilots fly flies flying flew flight journey journeys tour tourist tourists tourism vacation holiday hotel passenger passengers railroad railway wheel wheels engine sail sailing sailor cruise voyage helicopter bridge street streets tunnel map luggage canoe kayak",
    "nature": "water waters ocean oceans sea seas river rivers lake lakes beach beaches snow snowy rain rains rainy raining storm storms sun sunny sunset sunshine sunlight mountain mountains hill hills tree trees forest forests woods jungle grass grassy garden gardens flower flowers rose leaf leaves plant plants sky skies island islands desert winter summer spring autumn sand sandy wind windy earth moon star stars cloud clouds cloudy ice cold hot heat weather wave waves pond field fields rock rocks rocky cliff valley volcano hurricane flood fire fires dirt mud muddy park wild wilderness nature natural pool outdoors outside",
    "politics": "president presidents presidential election elections elected elect government governments political politically politics politician politicians minister ministers congress senate senator senators party vote votes voted voting republican republicans democrat democrats democratic democracy law laws legal lawyer court courts supreme judge state states nation nations national country countries king kings queen queens prince princess empire emperor royal royalty kingdom governor mayor parliament liberal conservative communist communism socialist republic constitution treaty policy campaign candidate federal union citizen citizens capital propaganda satire monarch throne crown dynasty reign protest protesting protesters activist activists rights flag",
    "clothes": "shirt shirts hat hats cap dress dresses dressed dressing pants shoes shoe jacket jackets coat coats jeans suit suits uniform uniforms clothes clothing clothed costume costumes skirt skirts shorts sweater hoodie helmet helmets glasses sunglasses goggles tie boots scarf gloves glove jewelry necklace earrings vest apron robe bikini swimsuit underwear socks sandals barefoot shirtless wig hair haired beard bearded bald mustache naked nude topless fashion fashionable wear wears wearing worn outfit outfits blouse tank overalls tuxedo gown pajamas umbrella mask backpack purse tattoo tattoos makeup",
    "home": "house houses home homes room rooms bedroom kitchen bathroom door doors doorway window windows floor roof wall walls table tables chair chairs couch sofa bed beds bench benches building buildings apartment apartments street town towns city cities village villages neighborhood furniture lamp garage yard backyard porch stairs steps ladder fence gate bridge castle palace tower towers hall cabin tent hotel stage ceiling indoors inside corner sidewalk downtown construction carpet rug desk mirror shelf laundry cleaning clean cleans washing broom sweeping paint painting painted hammer tools architecture architect monument located resident residents",
    "science": "science sciences scientist scientists scientific computer computers technology technologies technological internet online web website robot robots robotic machine machines machinery space spaceship astronaut planet planets physics physicist chemistry chemist biology biologist research researcher theory theories engineer engineering engineers software hardware data video videos digital phone phones cellphone camera cameras photo photos photograph photographer photography electric electrical electronic electronics energy nuclear alien aliens experiment experiments experimental invention invented inventor laboratory lab sci fi futuristic future cyber android genetic evolution mathematics mathematician formula chemical element galaxy orbit moon telescope laptop television tv radio screen effects special device programming microsoft apple google facebook twitter youtube",
}  # fmt: skip
PLANTED = {
    "mr": ("news", "examples", "health", "money", "nature", "science"),
    "snli": ("examples", "puzzles", "clothes", "travel", "home", "health"),
    "fever": ("examples", "posts", "school", "politics", "money", "science"),
}
DEVELOPED = {
    "mr": ("restaurants", "questions", "war", "music", "family", "religion"),
    "snli": ("claims", "films", "animals", "food", "sports", "family"),
    "fever": ("restaurants", "captions", "music", "sports", "family", "war"),
}
SHARE = 0.05
FEWEST_PLANTED = 0.8  # of the rows that are wanted
PER_WORD = 12  # planted rows with a word of the topic, at most
ROUNDS = 15
TELL_TALES = ("token", "ngram", "position")
WORD_LEVELS = ("token", "ngram", "position", "length", "surface", "people", "negation")
TOPIC_SIZES = (16, 64)
PAIRS = "pairs"  # texts with contexts that repeat, and three labels
FOUND, FALSE = 3.0, 2.0  # times as frequent as in all rows

Mixed = Callable[[list[str], list[str]], tuple[list[str], np.ndarray, np.ndarray]]


def texts_of(file: str, column: str) -> list[str]:
    """The texts of a column as lower-case words, each once."""
    with gzip.open(common.data(file), "rt", encoding="utf-8") as opened:
        texts = (" ".join(re.findall(r"\w+", json.loads(line)[column].lower())) for line in opened)
        return list(dict.fromkeys(text for text in texts if len(text.split()) >= 4))


@dataclass(frozen=True)
class Plant:
    """Rows with a planted concept. left: words that still predict its label."""

    texts: list[str]
    labels: np.ndarray
    planted: np.ndarray
    left: int


def planted_concept(name: str, concept: str, n: int, seed: int) -> Plant:
    """Rows of a dataset, some of them about the concept, all with label "a"; the labels of the others are permuted."""
    random = np.random.default_rng(seed)
    host, wanted = texts_of(*SETS[name]), round(SHARE * n)
    order = random.permutation(n)
    labels = random.permutation(n) % 2

    def mixed(about: list[str], others: list[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
        """The rows, which of them are planted, and their labels."""
        rows = about + others[: n - len(about)]
        places = order[order < len(rows)]
        planted = places < len(about)
        return [rows[i] for i in places], planted, np.where(planted, 0, labels[: len(rows)])

    made = _guests if concept in GUESTS else _about_a_topic
    about, others, left = made(concept, host, wanted, mixed, random)
    if len(about) < FEWEST_PLANTED * wanted:
        raise SystemExit(
            f"{name} has {len(about)} rows about {concept}; {wanted} are wanted. Use fewer rows."
        )
    texts, planted, labels = mixed(about, others)
    return Plant(texts, labels, planted, left)


def _guests(
    concept: str, host: list[str], wanted: int, mixed: Mixed, random: np.random.Generator
) -> tuple[list[str], list[str], int]:
    """Rows of another dataset without the words that an audit finds in them."""
    low, high = np.quantile([len(text.split()) for text in host], [0.1, 0.9])
    known, gone = set(host), set[str]()
    about = [
        text for text in texts_of(*GUESTS[concept]) if low <= len(text.split()) <= high and text not in known
    ]
    about = [about[i] for i in random.permutation(len(about))[:wanted]]
    for _ in range(ROUNDS):
        found = tell_tales(mixed(about, host))
        new = {word for words in found for word in words} - gone
        if not new:
            break
        gone |= new
        about = [" ".join(word for word in text.split() if word not in gone) or "x" for text in about]
    return about, host, len(found)


def _about_a_topic(
    concept: str, host: list[str], wanted: int, mixed: Mixed, random: np.random.Generator
) -> tuple[list[str], list[str], int]:
    """Rows with words of a topic, the words taking turns, so many for each word that an audit finds none; texts are not changed."""
    words = TOPICS[concept].split()
    candidates = in_turn([host[i] for i in random.permutation(len(host))], words)
    others = [text for text in host if not set(words) & set(text.split())]
    most = {frozenset([word]): PER_WORD for word in words}
    for _ in range(ROUNDS):
        about = _with_at_most(candidates, most)[:wanted]
        found = tell_tales(mixed(about, others))
        counts = {tell: sum(tell <= set(text.split()) for text in about) for tell in found}
        if not any(counts.values()):
            break
        most |= {tell: count // 2 for tell, count in counts.items()}
    return about, others, len(found)


def in_turn(texts: list[str], words: list[str]) -> list[str]:
    """Texts with one of the words, the words taking turns, so that none of them is frequent."""
    found: dict[str, list[str]] = {word: [] for word in words}
    for text in texts:
        for word in set(text.split()) & found.keys():
            found[word].append(text)
    turns = [
        some[turn]
        for turn in range(max(map(len, found.values())))
        for some in found.values()
        if turn < len(some)
    ]
    return list(dict.fromkeys(turns))


def _with_at_most(texts: list[str], most: dict[frozenset[str], int]) -> list[str]:
    """The first texts such that no set of words is in more of them than allowed."""
    kept, left = [], dict(most)
    for text in texts:
        words = set(text.split())
        mine = [limited for limited in left if limited <= words]
        if all(left[limited] for limited in mine):
            kept.append(text)
            for limited in mine:
                left[limited] -= 1
    return kept


def tell_tales(rows: tuple[list[str], np.ndarray, np.ndarray]) -> set[frozenset[str]]:
    """The words of each pattern that an audit of words finds for the label of the planted rows."""
    texts, _, labels = rows
    reading = Reading.of(dataset_of(texts, labels))
    found = search(reading, detectors=detectors_for(reading, TELL_TALES)).chosen
    return {frozenset(one.finding.pattern.words) for one in found if one.finding.label == "a"}


def dataset_of(texts: list[str], labels: np.ndarray) -> Dataset:
    rows = [{"text": text, "label": "ab"[label]} for text, label in zip(texts, labels, strict=True)]
    return as_dataset(rows)


def nmf_detector(reading: Reading, texts: list[str], like: ConceptDetector, seed: int) -> ConceptDetector:
    """The topics of a factorization of words as concepts, made from and tested on the same rows as others."""
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(min_df=3, stop_words="english", sublinear_tf=True)
    made = np.flatnonzero(~like.is_tested)
    words.fit([texts[i] for i in made])
    features = words.transform(texts)
    loads, kept_bounds = [], []
    for size in TOPIC_SIZES:
        model = NMF(size, init="nndsvda", max_iter=200, random_state=seed).fit(features[made])
        load = model.transform(features).astype(np.float32)
        load /= np.maximum(np.linalg.norm(load, axis=1, keepdims=True), 1e-9)
        members = np.bincount(load[made].argmax(axis=1)[load[made].max(axis=1) > 0], minlength=size)
        kept_bounds.append(np.maximum(bounds_for(load[made], np.maximum(members, 1)), 1e-6))
        loads.append(load)
    vectors = np.concatenate(loads, axis=1) / np.sqrt(len(TOPIC_SIZES), dtype=np.float32)
    width = vectors.shape[1]
    topics = Concepts(
        np.zeros(width, np.float32),
        np.eye(width, dtype=np.float32),
        np.concatenate(kept_bounds) / np.sqrt(len(TOPIC_SIZES), dtype=np.float32),
        tuple("NMF" for _ in range(width)),
        "text",
    )
    return ConceptDetector(
        reading, TEXT, topics, SampledRows(like.places, vectors, like.is_tested, like.surface)
    )


def judged(found: Search, detector: ConceptDetector, planted: np.ndarray) -> dict[str, object]:
    """Whether the planted concept was found, and how many findings there are and are false."""
    chosen = [one for one in found.chosen if one.detector is detector]
    base = planted.mean()
    lift = [
        float(planted[detector.places][detector.members[:, one.key].toarray().ravel() > 0].mean() / base)
        for one in chosen
    ]
    right = [x for one, x in zip(chosen, lift, strict=True) if one.finding.label == "a"]
    names = [
        f"{one.finding.pattern.name} ({x:.1f}x)"
        for one, x in sorted(zip(chosen, lift, strict=True), key=lambda pair: -pair[1])[:2]
    ]
    return {
        "found": any(x >= FOUND for x in right),
        "findings": len(chosen),
        "false": sum(x < FALSE for x in lift),
        "names": names,
    }


def planted(task: tuple[str, str, argparse.Namespace]) -> dict[str, dict[str, object]]:
    """The figures of one planted concept, by way."""
    name, concept, options = task
    plant = planted_concept(name, concept, options.rows, options.seed)
    data = dataset_of(plant.texts, plant.labels)
    reading = Reading.of(data)
    clusters = Clusters.of(reading)
    made, problems = concept_detectors(data, reading, clusters, seed=options.seed, folder=options.cache)
    if not made:
        raise SystemExit(problems[0].message)
    ways = {"concepts": made[0], "nmf": nmf_detector(reading, plant.texts, made[0], options.seed)}
    figures = {}
    for way, own in ways.items():
        found = search(reading, detectors=[*detectors_for(reading, WORD_LEVELS), own], clusters=clusters)
        figures[way] = {
            **judged(found, own, plant.planted),
            "rows": int(plant.planted.sum()),
            "words_left": plant.left,
        }
    return figures


def plant(options: argparse.Namespace) -> None:
    plants = DEVELOPED if options.developed else PLANTED
    tasks = [
        (name, concept, options)
        for name in options.only or SETS
        for concept in plants[name]
        if not options.concept or concept in options.concept
    ]
    figures: list[dict[str, dict[str, object]]] = []
    for (name, concept, _), by_way in zip(
        tasks, common.each(planted, [(one,) for one in tasks], options.jobs), strict=True
    ):
        figures.append(by_way)
        for way, one in by_way.items():
            print(
                f"{name:6} {concept:11} {way:9} {one['rows']:4} rows  found {one['found']!s:5} findings {one['findings']:3} false {one['false']:2}"
                f"  words left {one['words_left']}  {'; '.join(one['names'])}",
                flush=True,
            )
    totals = {}
    for way in ("concepts", "nmf"):
        all_of = [by_way[way] for by_way in figures]
        n_findings = sum(one["findings"] for one in all_of)
        totals[way] = {
            "recall": sum(one["found"] for one in all_of) / max(len(all_of), 1),
            "false_discovery": sum(one["false"] for one in all_of) / max(n_findings, 1),
            "findings": n_findings,
            "planted": len(all_of),
            "planted_with_words_left": sum(one["words_left"] > 0 for one in all_of),
        }
        print(
            f"{way}: recall {totals[way]['recall']:.0%}, false discovery {totals[way]['false_discovery']:.1%} of {n_findings} findings, {len(all_of)} planted concepts"
        )
    common.finish("runs/concepts.py", rows=options.rows, **totals["concepts"], nmf=totals["nmf"])


def permuted(task: tuple[str, range, argparse.Namespace]) -> int:
    """How many of these audits of permuted labels have no concept."""
    name, audits, options = task
    random = np.random.default_rng(options.seed)
    if name == PAIRS:
        rows = list(real_rows("snli/dev.jsonl.gz", ("hypothesis", "premise"), options.rows))
        data = load(rows, text="hypothesis", context="premise", label="label")
    else:
        texts = texts_of(*SETS[name])
        texts = [texts[i] for i in random.permutation(len(texts))[: options.rows]]
        data = dataset_of(texts, np.arange(len(texts)) % 2)
    reading = Reading.of(data)
    clusters = Clusters.of(reading)
    detectors, problems = concept_detectors(data, reading, clusters, seed=options.seed, folder=options.cache)
    if not detectors:
        raise SystemExit(problems[0].message)
    # Rows with one context have one label, which is permuted among contexts.
    together = clusters.copies[CONTEXT] if name == PAIRS else np.arange(reading.n_texts)
    clean = 0
    for audit in audits:
        random = np.random.default_rng(audit)
        reading.labels[:] = (random.permutation(int(together.max()) + 1) % reading.n_labels)[together]
        for own in detectors:
            related = linked_rows(reading, own.places, (own.role,), clusters)
            own.surface = out_of_fold(reading, own.role, own.places, related, audit)[own.is_tested]
        levels = [*detectors_for(reading, WORD_LEVELS), *detectors]
        clean += not search(reading, detectors=levels, clusters=clusters).significant["concept"]
    return clean


def permute(options: argparse.Namespace) -> None:
    figures = {}
    for name in options.only or (*SETS, PAIRS):
        audits = range(options.permute)
        tasks = [((name, audits[i :: options.jobs], options),) for i in range(options.jobs)]
        figures[name] = sum(common.each(permuted, tasks, options.jobs))
        print(
            f"{name}: {figures[name]} of {options.permute} audits of permuted labels have no concept",
            flush=True,
        )
    common.finish("runs/concepts.py", rows=options.rows, permutations=options.permute, clean=figures)


def timed(options: argparse.Namespace) -> None:
    figures = {}
    for name, (file, columns) in REAL.items():
        if options.only and name not in options.only:
            continue
        rows = list(real_rows(file, columns, options.rows))
        data = load(rows, text=columns[0], context=columns[1] if len(columns) > 1 else "", label="label")
        reading = Reading.of(data)
        clusters = Clusters.of(reading)
        started, cpu = time.monotonic(), time.process_time()
        found, _ = concept_detectors(data, reading, clusters, seed=options.seed, folder=options.cache)
        search(reading, detectors=[*detectors_for(reading, ("token",)), *found], clusters=clusters)
        minutes, cpu_minutes = (time.monotonic() - started) / 60, (time.process_time() - cpu) / 60
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        figures[name] = {
            "rows": len(rows),
            "minutes": round(minutes, 2),
            "processor_minutes": round(cpu_minutes, 2),
            "peak_mb": round(peak),
        }
        print(
            f"{name}: {len(rows):,} rows, {minutes:.1f} minutes, {cpu_minutes:.1f} of processor time, peak {peak:.0f} MB",
            flush=True,
        )
    common.finish("runs/concepts.py", **figures)


def real_rows(file: str, columns: tuple[str, ...], n: int) -> Iterator[dict[str, str]]:
    with gzip.open(common.data(file), "rt", encoding="utf-8") as opened:
        for line, _ in zip(opened, range(n), strict=False):
            row = json.loads(line)
            yield {name: row[name] for name in (*columns, "label")}


def listed(options: argparse.Namespace) -> None:
    levels = [level for level in options.levels.split(",") if level != "concept"]
    for name in options.list:
        file, columns = REAL[name]
        rows = list(real_rows(file, columns, options.rows))
        data = load(rows, text=columns[0], context=columns[1] if len(columns) > 1 else "", label="label")
        reading = Reading.of(data)
        clusters = Clusters.of(reading)
        detectors, problems = concept_detectors(
            data, reading, clusters, seed=options.seed, folder=options.cache
        )
        if not detectors:
            raise SystemExit(problems[0].message)
        search_ = search(reading, detectors=[*detectors_for(reading, levels), *detectors], clusters=clusters)
        places = np.unique(places_of(search_.chosen))
        findings = grouped(search_.chosen, examples_by_place(data, reading, places))
        found = [finding for finding in findings if finding.level == "concept"]
        for i, finding in enumerate(found, 1):
            print(
                f"{name} {i}. {finding.pattern.name}  [{finding.pattern.field}]  ->  {finding.label} {finding.label_share:.0%} of {finding.count} (usual {finding.base_rate:.0%}), q {finding.q:.1g}"
            )
            for kind, ids, texts in (
                ("typical", finding.supporting, finding.typical),
                ("other label", finding.counter, finding.untypical),
            ):
                for row, text in zip(ids[:3], texts[:3], strict=False):
                    print(f"    {kind}, row {row}: {text}")
            for other in finding.variants:
                print(f"    also: {other.pattern.name} ({other.count})")
        common.finish(
            "runs/concepts.py",
            dataset=name,
            rows=len(rows),
            tested=search_.tested.get("concept", 0),
            concepts=len(found),
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--concept", nargs="+", help="planted concepts to try")
    parser.add_argument("--permute", type=int, metavar="N")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--list", nargs="+", choices=REAL)
    parser.add_argument("--levels", default="token,ngram,length,concept", help="of --list")
    parser.add_argument(
        "--developed", action="store_true", help="plant the concepts that were used in development"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes for planted concepts and permutations")
    parser.add_argument(
        "--cache", type=Path, help="a folder that keeps concepts and the vectors of texts between runs"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    action = timed if options.time else permute if options.permute else listed if options.list else plant
    action(options)


if __name__ == "__main__":
    main()
