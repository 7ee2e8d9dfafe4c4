"""Answers in lines from a served engine: by schema, as plain text, repaired once."""

import asyncio
import json

import pytest

from longway.engines.answers import read_identified, read_pair
from longway.engines.asker import Asker
from longway.engines.engine import Sampling
from longway.engines.prompt import identify_prompt, mended, realise_prompt, triples_prompt
from longway.english.triples.triple import BadTriples, Triple, parse
from longway.store.journal import Journal
from longway.task import task_of
from tests.engines.conftest import REVIEWS, engine_of
from tests.engines.loopback import Loopback, completion, script

PROMPT = triples_prompt(REVIEWS, "The soup was cold and the waiter was rude.")
LINES = ["1. The soup | was | cold", "2. The waiter | was | rude"]
GOOD = completion(json.dumps({"lines": LINES}))


def write(engine, prompt=PROMPT, *, n=1, sampling=None):
    async def ask():
        try:
            return await engine.write(prompt, n, sampling or Sampling())
        finally:
            await engine.close()

    return asyncio.run(ask())


def test_lines_are_asked_for_by_a_schema_of_their_own_and_come_back_as_one_text():
    with Loopback(script(GOOD)) as server:
        written = write(engine_of(server))
        schema = server.calls[0].body["response_format"]["json_schema"]["schema"]
    assert written.texts == ("\n".join(LINES),)
    assert parse(written.texts[0])[0] == Triple("The soup", "was", "cold")
    assert schema["required"] == ["lines"]


def test_a_form_that_was_not_asked_for_is_repaired_once_and_then_refused():
    with Loopback(script(completion("Sure! 1. The soup | was | cold"), GOOD)) as server:
        assert write(engine_of(server)).texts == ("\n".join(LINES),)
        assert "not one JSON object" in server.calls[1].body["messages"][-1]["content"]
    with Loopback(lambda call: completion("no")) as server:
        written = write(engine_of(server))
        assert len(server.calls) == 2
    assert written.texts == ()
    assert "not even after a repair" in written.refusals[0]


def test_lines_that_were_cut_off_get_twice_the_room():
    cut = completion('{"lines": ["1. The soup | was', finish="length")
    with Loopback(script(cut, GOOD)) as server:
        assert write(engine_of(server), sampling=Sampling(max_tokens=600)).texts
        assert [call.body["max_tokens"] for call in server.calls] == [600, 1200]


def test_triples_that_do_not_parse_are_asked_for_again_with_the_reason():
    """What CoBA does: the form is right, and the triples are not."""
    bad = completion(json.dumps({"lines": ["1. The soup was cold"]}))
    with Loopback(script(bad, GOOD)) as server, Asker(engine_of(server), Journal(None)) as asker:
        answer = asker.write_all([PROMPT], 1)[0].texts[0]
        with pytest.raises(BadTriples, match="1 part") as refused:
            parse(answer)
        again = asker.write_all([mended(PROMPT, answer, str(refused.value))], 1)[0].texts[0]
        assert "1 part instead of three" in server.calls[1].body["messages"][-1]["content"]
    assert len(parse(again)) == 2


def test_pairs_and_words_come_through_the_same_way():
    pairs = task_of(["entailment", "contradiction"], text_name="hypothesis", context_name="premise")
    triples = [Triple("It", "rains", "")]
    realise = realise_prompt(pairs, triples, label="entailment", text="x", context_triples=triples)
    two = completion(json.dumps({"lines": ["context: It rains.", "text: It is wet."]}))
    words = completion(json.dumps({"lines": ["principal: cold", "spurious: soup"]}))
    with Loopback(script(two, words)) as server, Asker(engine_of(server), Journal(None)) as asker:
        answers = asker.write_all([realise], 1)
        answers += asker.write_all([identify_prompt(REVIEWS, "Cold soup.", label="neg", k=5)], 1)
    assert read_pair(answers[0].texts[0]) == ("It rains.", "It is wet.")
    assert read_identified(answers[1].texts[0]) == (("cold",), ("soup",))
