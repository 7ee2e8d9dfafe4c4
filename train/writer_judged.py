"""What a larger model says of the answers to the writer's questions: how likely a rewriting is good, or a turned text has its new label.

    judge(folder, model=..., base_url=...)      shares in judged.jsonl, by question and answer; goes on where it stopped
    judged(folder)                              {(question, answer): share}

The model continues a text of solved cases; the likelihoods of the next word are compared. Any server with `/completions` and log-likelihoods will do.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from writer_taught import Question, read_answers, read_questions, whole_lines

JUDGED = "judged.jsonl"
MOST_CONTEXT = 500  # characters
SHARES = 20  # likeliest words that a server is asked for
OPTIONS = {
    "rewrite": {"good": " good", "bad": " bad"},
    "sentiment": {"positive": " positive", "negative": " negative", "mixed": " mixed"},
    "pair": {"entailment": " true", "contradiction": " false", "neutral": " open"},
}


def judge(folder: Path, *, model: str, base_url: str, minutes: float, at_once: int) -> None:
    """Have a server judge as many answers as the time allows; those that were judged are not judged again."""
    asked, done = read_questions(folder), judged(folder)
    answers = [(number, text) for number, texts in read_answers(folder) for text in dict.fromkeys(texts)]
    waiting = iter([one for one in answers if one not in done and one[1] != asked[one[0]].source.text])
    with whole_lines(folder / JUDGED) as file:
        asyncio.run(_judge(waiting, asked, file, model, base_url, time.time() + 60 * minutes, at_once))


def judged(folder: Path) -> dict[tuple[int, str], float]:
    """The share of each judged answer: that it is good, or has the label asked for. A last line that was cut off does not count."""
    if not (folder / JUDGED).exists():
        return {}
    lines = (folder / JUDGED).read_text("utf-8").split("\n")[:-1]
    return {(one["number"], one["text"]): one["share"] for one in map(json.loads, lines)}


def case(question: Question, text: str) -> tuple[str, str, str]:
    """The kind of case, the text that a model continues, and the answer that is wanted."""
    source = question.source
    if question.job == "rewrite":
        return "rewrite", f"{REWRITE}First: {source.text}\nSecond: {text}\nVerdict:", "good"
    if source.context is None:
        return "sentiment", f"{SENTIMENT}Review: {text}\nSentiment:", question.wanted["to"]
    context = source.context[:MOST_CONTEXT]
    return "pair", f"{PAIR}Text: {context}\nStatement: {text}\nAnswer:", question.wanted["to"]


def share_of(wanted: str, options: Mapping[str, str], likely: Mapping[str, float]) -> float:
    """The probability of the wanted option among the options. likely: log-likelihoods of the next word; what is missing is unlikely.

    >>> round(share_of("good", OPTIONS["rewrite"], {" good": -0.1, " bad": -2.4, " fine": -3.0}), 2)
    0.91
    """
    lowest = min(likely.values(), default=0.0)
    shares = {name: math.exp(likely.get(word, lowest)) for name, word in options.items()}
    return shares[wanted] / sum(shares.values())


async def _judge(
    waiting: Any, asked: Sequence[Question], file: Any, model: str, base_url: str, end: float, at_once: int
) -> None:
    async with httpx.AsyncClient(base_url=base_url.rstrip("/") + "/", timeout=600) as client:

        async def worker() -> None:
            for number, text in waiting:
                if time.time() > end:
                    return
                kind, prompt, wanted = case(asked[number], text)
                request = {
                    "model": model,
                    "prompt": prompt,
                    "max_tokens": 1,
                    "temperature": 0,
                    "logprobs": SHARES,
                }
                answer = await client.post("completions", json=request)
                answer.raise_for_status()
                likely = answer.json()["choices"][0]["logprobs"]["top_logprobs"][0]
                share = share_of(wanted, OPTIONS[kind], likely)
                line = {"number": number, "text": text, "share": round(share, 4)}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

        await asyncio.gather(*(worker() for _ in range(at_once)))


REWRITE = """\
Each second sentence should say exactly what the first one says, in other words, and be correct and natural English. Decide whether it does.

First: The old bridge was closed after the storm.
Second: After the storm, the old bridge was closed.
Verdict: good

First: A boy is throwing a ball to his dog.
Second: A boy is throwing a ball to his father.
Verdict: bad (something else is said)

First: The novel was translated into nine languages.
Second: The novel has been translated into nine languages.
Verdict: good

First: Her speech was short, but it moved everyone in the room.
Second: Her speech was brief, yet it moved everyone in the room.
Verdict: good

First: The singer was born in Lisbon in 1958.
Second: The singer is born of Lisbon on 1958.
Verdict: bad (not correct English)

First: Two women are waiting at a bus stop.
Second: Two women are sitting at a bus stop.
Verdict: bad (something else is said)

First: The museum has a large collection of coins.
Second: There is a large collection of coins in the museum.
Verdict: good

First: The food was cold and the waiter never smiled.
Second: The food was cold.
Verdict: bad (something is missing)

First: He works for a bank in Zurich.
Second: He is employed by a bank in Zurich.
Verdict: good

First: The plot is thin, and the jokes are older than the actors.
Second: The plot is narrow, and the quips are older than the performers.
Verdict: bad (not natural English)

"""
SENTIMENT = """\
Decide whether each sentence of a review is positive, negative, or mixed (neither, or both).

Review: The waiters were rude and the soup was cold.
Sentiment: negative

Review: A warm and witty story that stays with you for days.
Sentiment: positive

Review: The acting is superb, but the plot is a mess.
Sentiment: mixed

Review: I would watch it again tomorrow.
Sentiment: positive

Review: It never becomes more than a string of tired jokes.
Sentiment: negative

Review: The film was shot in Canada.
Sentiment: mixed

Review: Not the disaster I had feared; in fact I enjoyed every minute.
Sentiment: positive

Review: The lovely pictures can not save this dull film.
Sentiment: negative

"""
PAIR = """\
Decide whether the text shows that the statement is true, shows that it is false, or leaves it open.

Text: A man in a red coat is feeding pigeons in a square.
Statement: A man is outdoors with birds.
Answer: true

Text: A man in a red coat is feeding pigeons in a square.
Statement: The man is a tourist.
Answer: open

Text: A man in a red coat is feeding pigeons in a square.
Statement: The man is asleep at home.
Answer: false

Text: The Glass River is a 1994 novel by the Irish writer Nora Keane, which won the Booker Prize.
Statement: The Glass River was written by an American.
Answer: false

Text: The Glass River is a 1994 novel by the Irish writer Nora Keane, which won the Booker Prize.
Statement: The Glass River was made into a film.
Answer: open

Text: The Glass River is a 1994 novel by the Irish writer Nora Keane, which won the Booker Prize.
Statement: Nora Keane wrote The Glass River.
Answer: true

Text: Three children are running along a beach.
Statement: Some children are running to their mother.
Answer: open

Text: Three children are running along a beach.
Statement: Nobody is on the beach.
Answer: false

"""
