"""Long texts in passages: they are divided without loss, asked for one by one, and put together again."""

import random
import re

import pytest

from longway.engines.asker import Asker
from longway.engines.costs import Price
from longway.engines.engine import Sampling, Written
from longway.engines.passages import LONGEST_PASSAGE, PassagePlan, passage_spans, put_together
from longway.engines.prompt import counterfactual_prompt, rewrite_prompt
from longway.engines.recording import ReplayEngine
from longway.engines.served import ServedEngine
from longway.errors import BudgetSpent
from longway.store import Journal
from longway.task import task_of
from longway.text.tokenizer import tokenize
from tests.engines.loopback import Loopback, echo

TASK = task_of(["negative", "positive"])
SCRIPTS = {
    "english": ["Dr. Ode saw it. ", "Great fun! ", "A film, long; slow", " and <br /><br />", "\n\n", "word ", "e.g. ", "“So?” "],
    "chinese": ["这部电影很好。", "我喜欢它！", "真的吗？", "，但是", "演员", "「好。」"],
    "hindi": ["यह फिल्म अच्छी है। ", "सच? ", "और "],
    "arabic": ["هل أعجبك؟ ", "نعم، ", "فيلم "],
    "thai": ["หนังเรื่องนี้ดีมาก", " "],
    "odd": ["\t", "İ", "’", "...", "…", "\u2028", "a", "🎬", "\x00", " . "],
}  # fmt: skip


def random_text(seed):
    draw = random.Random(seed)
    pieces = draw.choice([*SCRIPTS.values(), [one for some in SCRIPTS.values() for one in some]])
    return "".join(draw.choice(pieces) for _ in range(draw.randrange(120)))


@pytest.mark.parametrize("seed", range(150))
def test_passages_put_together_are_the_text(seed):
    text, longest = random_text(seed), random.Random(seed).choice([1, 3, 10, 40])
    spans = passage_spans(text, longest=longest)
    assert put_together(text, spans, {}) == text
    assert put_together(text, spans, {i: text[a:b] for i, (a, b) in enumerate(spans)}) == text
    places = [0, *(place for span in spans for place in span), len(text)]
    assert places == sorted(places)
    gaps = [text[a:b] for a, b in zip(places[::2], places[1::2], strict=True)]
    assert not re.sub(r"<br\s*/?>|\s", "", "".join(gaps))  # nothing is lost between them
    for start, end in spans:
        assert text[start:end] == text[start:end].strip()
        assert len(tokenize(text[start:end])) <= longest


def test_passages_are_whole_sentences_unless_one_is_too_long():
    def divided(text, longest):
        return [text[start:end] for start, end in passage_spans(text, longest=longest)]

    assert divided("One two. Three four. Five six.", 6) == ["One two. Three four.", "Five six."]
    assert divided("One. " + "six, " * 5 + "seven.", 7) == ["One. six, six,", "six, six, six,", "seven."]
    assert divided("one two three four five", 2) == ["one two", "three four", "five"]
    assert divided("这部电影很好。我喜欢它！", 7) == ["这部电影很好。", "我喜欢它！"]


def review(*words, sentences=60):
    """A review of about 660 words; words: put into the sentences of these numbers."""
    rows = [f"Sentence {i} tells us a little about the long plot here." for i in range(sentences)]
    for i, word in words:
        rows[i] = rows[i].replace("little", word)
    return " ".join(rows)


def served(server, **more):
    return ServedEngine("toy", base_url=server.url, backoff=0.001, **more)


def test_only_the_passages_with_words_to_avoid_are_requested_and_the_others_stay():
    text = review((3, "splendid"), (40, "splendid"))
    prompt = rewrite_prompt(TASK, text, label="positive", avoid=["splendid"])
    with Loopback(echo) as server, Asker(served(server), Journal(None)) as asker:
        [written] = asker.write_all([prompt], 4)
        asked = [call.text for call in server.calls]
    assert len(asked) == 2
    assert all("splendid" in passage and passage in text for passage in asked)
    assert all(len(tokenize(passage)) <= LONGEST_PASSAGE for passage in asked)
    assert server.calls[0].question["content"].count("<before>") == 1
    assert len(written.texts) == 4
    first, *_ = written.texts
    assert first.replace("Indeed, ", "") == text
    assert first.count("Indeed, ") == 2


def test_a_phrase_over_the_end_of_a_sentence_belongs_to_both_passages():
    text = review()
    start = passage_spans(text)[1][0]
    phrase = " ".join([*tokenize(text[:start])[-2:], *tokenize(text[start:])[:2]])
    assert PassagePlan.of(rewrite_prompt(TASK, text, label="positive", avoid=[phrase])).numbers == (0, 1)


def test_without_words_to_avoid_every_passage_is_requested():
    plan = PassagePlan.of(rewrite_prompt(TASK, review(), label="positive"))
    assert plan.numbers == tuple(range(len(plan.passages)))


def test_short_texts_papers_and_other_prompts_are_requested_whole():
    text, bare = review(), TASK.without_examples()
    assert not PassagePlan.of(rewrite_prompt(TASK, "Short.", label="positive")).numbers
    assert not PassagePlan.of(rewrite_prompt(bare, text, label="positive")).numbers
    assert not PassagePlan.of(counterfactual_prompt(TASK, text, label="positive", target="negative")).numbers


def test_a_passage_without_a_text_stays_as_it_is():
    plan = PassagePlan.of(
        rewrite_prompt(TASK, review((3, "fab"), (40, "fab")), label="positive", avoid=["fab"])
    )
    one = plan.joined([Written(("A.", "B.")), Written((), ("declined",))])
    assert [text[:2] for text in one.texts] == ["A.", "B."]
    assert all("fab" in text for text in one.texts)
    assert one.refusals == ("declined",)
    assert plan.joined([Written(("A.", "B.")), Written(("C.",))]).texts[1].startswith("B.")
    assert plan.joined([None, None]) is None
    assert plan.joined([Written(()), None]).texts == ()


def test_passages_are_stored_and_resumed_one_by_one(tmp_path):
    prompt = rewrite_prompt(TASK, review((3, "fab"), (40, "fab")), label="positive", avoid=["fab"])
    price = Price(1.0, 1.0)
    with Loopback(echo) as server:
        asker = Asker(served(server, price=price), journal := Journal(tmp_path / "a.sqlite"))
        plan = PassagePlan.of(prompt)
        costs = [
            asker.engine.first_write_cost(*one)
            for one in zip(plan.prompts, (4, 4), plan.samplings(Sampling(), 4), strict=True)
        ]
        assert asker.first_cost(prompt, 4, Sampling()) == pytest.approx(sum(costs))
        with (
            Asker(served(server, price=price), journal, budget=1.001 * costs[0]) as asker,
            pytest.raises(BudgetSpent) as spent,
        ):
            asker.write_all([prompt], 4)
        [partial] = spent.value.answers  # what was paid for is used
        assert len(partial.texts) == 4
        with Asker(served(server, price=price), journal) as asker:
            [whole] = asker.write_all([prompt], 4)
            assert (asker.asked, asker.found) == (1, 1)
            assert asker.estimate([prompt], 4).calls == 0
        journal.close()
        assert len(server.calls) == 2
    with Asker(ReplayEngine(tmp_path / "a.sqlite"), Journal(None)) as asker:
        assert asker.write_all([prompt], 4)[0].texts == whole.texts


def test_a_number_or_a_time_is_never_divided():
    text = "It cost 1,000,000 dollars, at 10:30 " * 40
    spans = passage_spans(text)
    assert len(spans) > 2
    for start, end in spans:
        assert not (text[start].isdigit() and text[start - 1] in ",:")
        assert not (text[end - 1] in ",:" and text[end : end + 1].isdigit())
