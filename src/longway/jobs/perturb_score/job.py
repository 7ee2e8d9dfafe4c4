"""Score perturbers: let each rewrite texts that people rewrote, and compare (Tables 2 and 8 of the perturbation paper).

    a file in PANDA's form -> the person in each text -> every perturber's rewrite -> BLEU, ROUGE-2, distance, exact, perplexity
                           -> texts that several people rewrote -> agreement of people, and of each perturber with people

Every perturber gets the text, the word and the target attribute of the file, as in section 4 of the paper. What it refuses counts as
unchanged. Unlike in `longway perturb`, its rewrites are not filtered by guards. Writes score.json, results.json, rewrites.jsonl and
report.html into a run folder. Answers of networks and language models are in the journal: the same command resumes the run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from math import exp
from pathlib import Path
from random import Random
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from longway.engines.asker import Asker
from longway.engines.paid import PaidWriting
from longway.engines.prompt import Prompt
from longway.errors import DataError, with_checked_arguments
from longway.jobs.documents import ANALYSES_FILE, Documents
from longway.jobs.edit_counts import reason_counts
from longway.jobs.engine_use import (
    Engines,
    RunEstimate,
    addresses_of,
    close,
    costs,
    costs_money,
    engines_in,
    estimate_calls,
    failed_calls,
    sampled,
)
from longway.jobs.options import settings_from
from longway.jobs.perturb.perturbers import AT_ONCE, Kept, Who, who_perturbs
from longway.jobs.perturb.perturbing import LONGEST, TOO_LONG, in_short
from longway.jobs.perturb.settings import RULES
from longway.jobs.perturb_score.result import (
    COMMAND,
    COPIED,
    FILE,
    REWRITES_FILE,
    ROWS_FILE,
    NamedAgreement,
    PartScore,
    PerturberScore,
    PerturbScoreResult,
    ScoredRewrite,
)
from longway.jobs.perturb_score.settings import PerturbScoreSettings
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher, folder_of
from longway.methods.perturb.asked import prompt_of, sampling_of
from longway.methods.perturb.panda import Panda, PandaRow, read_panda, request_of
from longway.methods.perturb.perturber import Perturbed, Perturber, Request
from longway.methods.perturb.segments import as_one
from longway.metrics.intervals import Measurement, percentage, resampled, resampled_sums
from longway.metrics.rewrites import (
    agreement,
    agreement_with,
    closeness,
    closeness_rows,
    mean_agreement,
    pairwise_agreement,
    word_distance,
)
from longway.show import html
from longway.store import Journal, JournalEntry, now, read_json, replacing
from longway.store.journal import key_of
from longway.tokens.tokenizer import is_longer_than

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ASKED_AT_ONCE = 64  # requests that a perturber gets together
SHOWN = 6  # examples per perturber
NOT_THERE = "the selected word does not occur in the text"
PEOPLE, PEOPLE_IN_PAIRS = "people", "people in pairs"


@with_checked_arguments
def perturb_score(
    data: object,
    settings: PerturbScoreSettings | None = None,
    *,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> PerturbScoreResult:
    """Let perturbers rewrite texts that people rewrote, and measure how close they come.

    data: a file in PANDA's form, with the columns original, selected_word, target_attribute and perturbed; anything that `load` reads.
    engines: addresses, a budget, and where a network computes. out: the run folder; True for a folder in `longway-runs/` named after the
    data; None to write nothing. The same call with the same folder resumes the run, or reads it if it is done.
    options: those of `longway perturb score` by name, such as `perturbers=("rules", "neural:my-perturber")`.
    """
    chosen = settings_from(PerturbScoreSettings, settings, options)
    engines, watcher = engines or Engines(), watcher or Watcher()
    panda = read_panda(data, limit=chosen.limit, encoding=chosen.encoding)
    with _named(chosen, engines) as who, folder_of(out) as folder:
        planned = PlannedRun.choose(_identity(panda, chosen, who), panda.name, folder)
        if planned.finished(FILE, budget=engines.budget) is None:
            with planned.start(watcher) as run:
                result = _Scoring(run, panda, chosen, who, engines.budget).result()
                watcher.step("writing the report")
                run.run.write(ROWS_FILE, result.rows_of_results())
                run.finish(FILE, result.to_dict(), report=html.render(result.page()))
        result = PerturbScoreResult.from_dict(read_json(planned.folder / FILE))
        return replace(result, folder=planned.folder) if out else result


@contextmanager
def _named(settings: PerturbScoreSettings, engines: Engines) -> Iterator[dict[str, Who]]:
    """The perturbers by the names they were given; their engines are closed at the end."""
    who: dict[str, Who] = {}
    try:
        for name in settings.perturbers:
            who[name] = who_perturbs(settings.of(name), engines)
        yield who
    finally:
        close(*(one.engine for one in who.values()))


def _identity(panda: Panda, settings: PerturbScoreSettings, who: dict[str, Who]) -> RunIdentity:
    more = {
        "data": panda.name,
        "networks": {name: one.fingerprint for name, one in who.items() if one.fingerprint},
        "addresses": {name: addresses_of(one.engine, None)["base_url"] for name, one in who.items() if one.engine},
    }  # fmt: skip
    return RunIdentity(COMMAND, {**asdict(settings), **more}, panda.fingerprint)


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """What a perturber made of all rows. likelihoods: (rows, 2), the log-likelihood of the person's rewrite and its tokens, for a network."""

    name: str
    done: Sequence[Perturbed]
    likelihoods: Floats | None = None

    @property
    def texts(self) -> list[str]:
        """The rewrites; several texts of a row as one."""
        return [" ".join(one.segments) for one in self.done]


class _Scoring:
    """One run. rows, requests: those that can be scored. skipped: the others, by reason."""

    def __init__(
        self,
        run: ActiveRun,
        panda: Panda,
        settings: PerturbScoreSettings,
        who: dict[str, Who],
        budget: float | None,
    ) -> None:
        self.run, self.panda, self.settings, self.who, self.budget = run, panda, settings, who, budget
        self.documents: Documents | None = None
        if any(one.settings.model is None for one in who.values()):  # a network reads the word alone
            self.documents = Documents(run.folder / ANALYSES_FILE)
        self.skipped = Counter(panda.skipped)
        self.rows: list[PandaRow] = []
        self.requests: list[Request] = []
        run.watcher.step("reading who is mentioned")
        for row, request in self._asked():
            if isinstance(request, str):
                self.skipped[request] += 1
            else:
                self.rows.append(row)
                self.requests.append(request)
            run.watcher.progress(len(self.rows), len(panda.rows))
        if not self.rows:
            raise DataError(
                f"{panda.name} has no row that can be scored: {self.skipped.most_common(1)[0][0]}. "
                "Expected a selected_word that occurs in original. Check both columns."
            )
        texts = {text: number for number, text in enumerate(dict.fromkeys(row.before for row in self.rows))}
        self.together: Ints = np.array([texts[row.before] for row in self.rows])
        self.wanted = [" ".join(row.after) for row in self.rows]
        self.askers: list[Asker] = []

    def _asked(self) -> Iterator[tuple[PandaRow, Request | str]]:
        """Each row with its request, or why it has none."""
        rows = self.panda.rows
        short = [row for row in rows if not is_longer_than(as_one(row.before), LONGEST)]
        yield from ((row, TOO_LONG) for row in rows if is_longer_than(as_one(row.before), LONGEST))
        read = self.documents.all(as_one(row.before) for row in short) if self.documents else None
        for row in short:
            yield row, request_of(row, next(read) if read else None) or NOT_THERE

    def result(self) -> PerturbScoreResult:
        """Let every perturber rewrite all rows, and measure."""
        copied = _Rewriting(COPIED, [Perturbed(request.segments) for request in self.requests])
        made = [copied, *(self._rewriting(name, who) for name, who in self.who.items())]
        self.run.watcher.step("comparing with people")
        self._write_rewrites(made)
        result = PerturbScoreResult(
            data=self.panda.name,
            fingerprint=self.panda.fingerprint,
            rows=len(self.rows),
            texts=int(self.together.max()) + 1,
            skipped=reason_counts(self.skipped),
            perturbers=tuple(self._score(one) for one in made),
            agreement=tuple(self._agreement(made)),
            examples=tuple(example for one in made[1:] for example in self._examples(one)),
            settings=self.run.identity.settings,
            failed_calls=reason_counts(failed_calls(*self.askers)),
            cost=costs(self.run.journal, *(who.engine for who in self.who.values())),
            budget=self.budget,
            longway=version("longway"),
            created=now(),
        )
        if self.documents is not None:
            self.documents.forget()
        return result

    # ---- rewriting

    def _rewriting(self, name: str, who: Who) -> _Rewriting:
        self.run.watcher.step(f"rewriting: {name}")
        if who.settings.model is None:
            return _Rewriting(name, self._rewritten(self._perturber(who)))
        from longway.methods.perturb.neural import NeuralPerturber

        network = NeuralPerturber(who.settings.model, device=who.device, batch_size=who.batch_size)
        at_once = max(AT_ONCE, who.batch_size)
        done = self._rewritten(Kept(network, self.run.journal, version=who.fingerprint, at_once=at_once))
        self.run.watcher.step(f"perplexity: {name}")
        known = _Likelihoods(network, self.run.journal, who.fingerprint)
        found = []
        for start in range(0, len(self.rows), ASKED_AT_ONCE):
            part = slice(start, start + ASKED_AT_ONCE)
            found += known.of(self.requests[part], [row.after for row in self.rows[part]])
            self.run.watcher.progress(len(found), len(self.rows))
        return _Rewriting(name, done, np.array(found))

    def _perturber(self, who: Who) -> Perturber:
        """The rules, or a language model whose price is confirmed first."""
        engine, journal, watcher = who.engine, self.run.journal, self.run.watcher
        asker = None
        if engine is not None:
            prompts = self._some_prompts()
            if costs_money(engine):
                writes = [estimate_calls(one, prompts, len(self._distinct)) for one in engines_in(engine)]
                watcher.estimate(RunEstimate.of(len(self.rows), writes, spent=journal.spent()))
            asker = Asker(engine, journal, budget=self.budget, say=watcher.say)
            PaidWriting(asker).check(prompts, 1, [sampling_of(prompt) for prompt in prompts])
            self.askers.append(asker)
        assert self.documents is not None  # only networks need none
        return who.perturber(journal=journal, asker=asker, read=self.documents)

    @property
    def _distinct(self) -> list[Request]:
        """The requests without repetitions: several people may have rewritten the same person of a text."""
        return list(dict.fromkeys(self.requests))

    def _some_prompts(self) -> list[Prompt]:
        requests = self._distinct
        prompts = (prompt_of(requests[i]) for i in sampled(len(requests)))
        return [prompt for prompt in prompts if prompt is not None]

    def _rewritten(self, perturber: Perturber) -> list[Perturbed]:
        """The answer to the request of each row. BudgetSpent passes through: scores on other rows could not be compared."""
        requests, found = self._distinct, dict[Request, Perturbed]()
        for start in range(0, len(requests), ASKED_AT_ONCE):
            part = requests[start : start + ASKED_AT_ONCE]
            if self.documents is not None and perturber.name == RULES:
                self.documents.at_hand(as_one(request.segments) for request in part)
            found |= zip(part, perturber.perturb(part), strict=True)
            self.run.watcher.progress(len(found), len(requests))
        return [found[request] for request in self.requests]

    def _write_rewrites(self, made: Sequence[_Rewriting]) -> None:
        """All rewrites of all rows; rewrites.jsonl."""
        with (
            replacing(self.run.folder / REWRITES_FILE) as temporary,
            temporary.open("w", encoding="utf-8") as file,
        ):
            for place, row in enumerate(self.rows):
                wrote = {one.name: one.done[place] for one in made[1:]}
                line = {
                    "original": list(row.before),
                    "selected_word": row.word,
                    "target_attribute": str(row.target),
                    "perturbed": list(row.after),
                    "rewrites": {name: {"texts": list(one.segments), "reason": one.reason} for name, one in wrote.items()},
                }  # fmt: skip
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

    # ---- measuring

    def _score(self, one: _Rewriting) -> PerturberScore:
        rows = closeness_rows(one.texts, self.wanted)
        targets = [row.target for row in self.rows]
        axes = list(dict.fromkeys(target.axis for target in sorted(targets)))
        parts = [("", ""), *((axis, "") for axis in axes)]
        parts += [(target.axis, target.name) for target in sorted(set(targets))]
        reasons = Counter(in_short(done.reason) for done in one.done if done.reason)
        unlikely = 0 if one.likelihoods is None else int((one.likelihoods[:, 1] == 0).sum())
        return PerturberScore(
            one.name,
            tuple(self._part(one, rows, *part) for part in parts),
            reason_counts(reasons),
            unlikely,
        )

    def _part(self, one: _Rewriting, rows: Floats, axis: str, attribute: str) -> PartScore:
        """The measures of the rows with this target."""
        chosen = np.array(
            [axis in ("", row.target.axis) and attribute in ("", row.target.name) for row in self.rows]
        )
        together, seed = self.together[chosen], self.settings.seed
        done = [(self.requests[i], one.done[i]) for i in np.flatnonzero(chosen).tolist()]
        close_to = closeness(rows[chosen], together=together, seed=seed)
        return PartScore(
            **_fields(close_to),
            axis=axis,
            attribute=attribute,
            unchanged=percentage(sum(made.segments == asked.segments for asked, made in done), len(done)),
            refused=sum(bool(made.reason) for _, made in done),
            perplexity=None if one.likelihoods is None else perplexity(one.likelihoods[chosen], together, seed=seed),
        )  # fmt: skip

    def _agreement(self, made: Sequence[_Rewriting]) -> Iterator[NamedAgreement]:
        """Appendix D, for people and for each perturber with people; nothing if nobody rewrote the same person of a text twice."""
        tasks: dict[tuple[object, ...], list[int]] = {}
        for place, row in enumerate(self.rows):
            tasks.setdefault((row.before, row.word, row.target), []).append(place)
        several = [places for places in tasks.values() if len(places) > 1]
        if not several:
            return
        together = self.together[[places[0] for places in several]]
        people = [[self.wanted[place] for place in places] for places in several]
        values = {PEOPLE: [agreement(some) for some in people]}
        if any(len(some) > 2 for some in people):
            values[PEOPLE_IN_PAIRS] = [pairwise_agreement(some) for some in people]
        for one in made:
            texts = one.texts
            mine = [texts[places[0]] for places in several]
            values[one.name] = [agreement_with(text, some) for text, some in zip(mine, people, strict=True)]
        for name, found in values.items():
            mean = mean_agreement(found, together=together, seed=self.settings.seed)
            yield NamedAgreement(**_fields(mean), name=name)

    def _examples(self, one: _Rewriting) -> Iterator[ScoredRewrite]:
        """Random rows that a perturber wrote otherwise than people."""
        texts = one.texts
        differ = [i for i, text in enumerate(texts) if word_distance(text, self.wanted[i])[0]]
        for i in sorted(Random(self.settings.seed).sample(differ, min(SHOWN, len(differ)))):
            row = self.rows[i]
            yield ScoredRewrite(
                perturber=one.name,
                word=row.word,
                target=str(row.target),
                before=" ".join(row.before),
                wanted=self.wanted[i],
                wrote=texts[i],
                distance=word_distance(texts[i], self.wanted[i])[0],
                reason=one.done[i].reason,
            )


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass, by name; unlike with `asdict`, their values stay what they are."""
    return {each.name: getattr(record, each.name) for each in fields(record)}


def perplexity(likelihoods: Floats, together: Ints, *, seed: int = 0) -> Measurement:
    """The perplexity per token, e to the mean negative log-likelihood, with its interval; unknown without tokens.

    likelihoods: (rows, 2), log-likelihoods and numbers of tokens.

    >>> round(perplexity(np.array([[-2.0, 2.0], [-4.0, 4.0]]), np.arange(2)).value, 3)
    2.718
    """
    total, tokens = likelihoods.sum(axis=0).tolist()
    if not tokens:
        return Measurement(float("nan"), float("nan"), float("nan"))
    drawn = resampled_sums(likelihoods, together=together, seed=seed)
    known = drawn[drawn[:, 1] > 0]
    return resampled(exp(-total / tokens), np.exp(-known[:, 0] / known[:, 1]))


class _Likelihoods:
    """How likely a network finds rewrites; what was computed before is in the journal. version: a fingerprint of the network."""

    def __init__(self, network: Any, journal: Journal, version: str) -> None:
        self._network, self._journal, self._version = network, journal, version

    def of(self, requests: Sequence[Request], rewrites: Sequence[Sequence[str]]) -> list[tuple[float, int]]:
        """The log-likelihood of each rewrite and its tokens; 0 and 0 if the network cannot read it."""
        keys = [self._key(*pair) for pair in zip(requests, rewrites, strict=True)]
        known = self._journal.get_all(dict.fromkeys(keys))
        missing = [i for i, key in enumerate(keys) if key not in known]
        found = self._network.likelihoods([requests[i] for i in missing], [rewrites[i] for i in missing])
        new = {
            keys[i]: {"log_likelihood": 0.0, "tokens": 0} if one is None else asdict(one)
            for i, one in zip(missing, found, strict=True)
        }
        self._journal.put_all(
            JournalEntry(key, "likelihood", self._network.name, answer) for key, answer in new.items()
        )
        known |= new
        return [(float(known[key]["log_likelihood"]), int(known[key]["tokens"])) for key in keys]

    def _key(self, request: Request, rewrite: Sequence[str]) -> str:
        asked = {"segments": request.segments, "word": request.word, "target": str(request.target)}
        return key_of({"likelihood": self._version, **asked, "rewrite": list(rewrite)})
