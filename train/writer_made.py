"""Rows for the writer that our own parts make: rewritings by rules, triples, changed persons; and what was sampled, after verification.

sources(shared)            texts of three datasets with label and context, to be rewritten
verified(name, ...)        of many rewritings of them those that the product's checks let through
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from longway.engines.asker import Asker
from longway.engines.plausible import content_of, words_of
from longway.engines.prompt import rewrite_prompt
from longway.engines.rules import RulesEngine
from longway.engines.writer_lines import (
    BETWEEN_TRIPLES,
    CLOSE,
    OPEN,
    alter_lines,
    person_lines,
    rewrite_lines,
    say_lines,
    triples_lines,
)
from longway.english.document import Document
from longway.english.people.demographic_mentions import find_demographics
from longway.english.people.demographics import parse_attribute
from longway.english.pipeline import load_pipeline
from longway.english.triples.extract import triples_of
from longway.english.triples.triple import text_of
from longway.methods.perturb.perturber import Place, Request
from longway.methods.perturb.rule_perturber import RulePerturber
from longway.store.journal import Journal
from longway.task import Keeps, Task, task_of
from longway.verify.check import Candidate
from longway.verify.verifier import passed, verifier_for
from writer_data import GENDERS, OPEN_GENDER, SENTENCE_END, Row, Shared, avoided, untagged

LONGEST_IN_TRIPLES = 140  # characters of a sentence that is taken apart
TASKS = {
    "fever": task_of(["entailment", "contradiction"], text_name="claim", context_name="evidence"),
    "snli": task_of(
        ["entailment", "neutral", "contradiction"], text_name="hypothesis", context_name="premise"
    ),
    "sst2": task_of(["positive", "negative"]),
    "imdb": task_of(["positive", "negative"]),
}

TARGETS = {"man": GENDERS["masculine"], "woman": GENDERS["feminine"], "non-binary": OPEN_GENDER}


@dataclass(frozen=True, slots=True)
class Source:
    """A text to be rewritten."""

    text: str
    label: str
    context: str | None = None


def sources(shared: Shared, each: int, seed: int = 0) -> dict[str, list[Source]]:
    """Texts to be rewritten by dataset, at most so many of each."""
    chance = random.Random(seed)
    fever = [Source(row["hypothesis"], row["label"], row["premise"]) for row in shared.fever()]
    snli = [Source(row["hypothesis"], row["label"], row["premise"]) for row in shared.rows("snli/train_pool")]
    sst2 = [Source(row["text"], row["label"]) for row in shared.rows("sst2_sentences/train")]
    found = {"fever": fever, "snli": snli, "sst2": sst2}
    return {name: chance.sample(part, min(each, len(part))) for name, part in found.items()}


def review_sentences(shared: Shared, n: int, chance: random.Random) -> list[Source]:
    """Sentences of reviews, with the label of the review."""
    found = []
    reviews = list(shared.rows("imdb/train"))
    for row in chance.sample(reviews, min(n, len(reviews))):
        fit = [s for s in SENTENCE_END.split(untagged(row["text"])) if 6 <= len(s.split()) <= 40]
        found += [Source(sentence, row["label"]) for sentence in chance.sample(fit, min(2, len(fit)))]
    return found[:n]


def verified(
    name: str, parts: Sequence[Source], rewritten: Sequence[Sequence[str]], *, keeps: Keeps = "meaning"
) -> Iterator[tuple[Source, str]]:
    """The new texts that pass every check of the product, with their source."""
    task: Task = TASKS[name]
    contexts = [one.context or "" for one in parts] if task.is_pair else None
    verifier = verifier_for(task, [one.text for one in parts], [one.label for one in parts], contexts)
    candidates = [
        Candidate(row, one.text, new, one.label, one.context, keeps)
        for row, (one, texts) in enumerate(zip(parts, rewritten, strict=True))
        for new in dict.fromkeys(texts)
        if new.strip() and new != one.text
    ]
    for candidate, verdicts in zip(candidates, verifier.verify(candidates), strict=True):
        if passed(verdicts):
            yield parts[candidate.row], candidate.after
    print(
        name, len(parts), "sources", len(candidates), "candidates; failed:", dict(verifier.failed), flush=True
    )


def by_rules(shared: Shared, each: int, seed: int = 0) -> Iterator[Row]:
    """Texts that our rules put differently, verified."""
    chance = random.Random(seed)
    asker = Asker(RulesEngine(seed), Journal(None))
    for name, parts in sources(shared, each, seed).items():
        prompts = [
            rewrite_prompt(TASKS[name], one.text, label=one.label, context=one.context) for one in parts
        ]
        written = [
            [text for text, how in zip(w.texts, w.how, strict=True) if not how.startswith("label:")]
            for w in asker.write_all(prompts, 4)
        ]
        for one, new in verified(name, parts, written):
            yield Row(
                "rewrite", f"rules_{name}", rewrite_lines(one.text, avoid=avoided(one.text, new, chance)), new
            )


def of_triples(texts: Iterable[str]) -> Iterator[Row]:
    """Short sentences as triples and back; only what our own way back says again in the same words."""
    for document in load_pipeline().analyse_all(texts):
        triples = triples_of(document)
        if not triples or len(document.text) > LONGEST_IN_TRIPLES or any(t.is_whole for t in triples):
            continue
        again = text_of(triples, like=document.text)
        if Counter(content_of(words_of(again))) == Counter(content_of(words_of(document.text))):
            lines = [str(triple) for triple in triples]
            yield Row("triples", "rules", triples_lines(document.text), BETWEEN_TRIPLES.join(lines))
            yield Row("say", "rules", say_lines(lines), document.text)


def altered(turned: Sequence[tuple[str, str, str]]) -> Iterator[Row]:
    """Triples that differ between two versions of a sentence: (text, new text, new label) -> alter rows."""
    olds = load_pipeline().analyse_all([one for one, _, _ in turned])
    news = load_pipeline().analyse_all([new for _, new, _ in turned])
    for old, new, (_, _, label) in zip(olds, news, turned, strict=True):
        before, after = triples_of(old), triples_of(new)
        if len(before) != len(after) or any(t.is_whole for t in [*before, *after]):
            continue
        for one, other in zip(before, after, strict=True):
            if one != other and one.subject.lower() == other.subject.lower():
                yield Row("alter", "turned", alter_lines(str(one), label), str(other))


def changed_people(texts: Sequence[str], seed: int = 0) -> Iterator[Row]:
    """Sentences with one person changed by our rules, a word that names the person in brackets, or with everybody; names stay."""
    chance = random.Random(seed)
    one_person, everyone = RulePerturber(names=False), RulePerturber(names=False, everyone=True)
    for document in load_pipeline().analyse_all(texts):
        request = _person(document, chance)
        if request is None:
            continue
        is_marked = chance.random() < 0.6
        done = (one_person if is_marked else everyone).perturb_one(request)
        if done.segments[0] != document.text:
            start, end = request.place.start, request.place.end
            marked = f"{document.text[:start]}{OPEN}{request.word}{CLOSE}{document.text[end:]}"
            shown = marked if is_marked else document.text
            yield Row("person", "rules", person_lines(shown, TARGETS[request.target.name]), done.segments[0])


def _person(document: Document, chance: random.Random) -> Request | None:
    men, women = parse_attribute("man"), parse_attribute("woman")
    found = [
        f for f in find_demographics(document).words if f.attribute in (men, women) and "name" not in f.kind
    ]
    if not found:
        return None
    one = chance.choice(found)
    other = women if one.attribute == men else men
    target = parse_attribute("non-binary") if chance.random() < 0.3 else other
    return Request((document.text,), Place(0, one.start, one.stop), one.attribute, target)
