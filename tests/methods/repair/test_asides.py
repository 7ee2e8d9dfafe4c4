"""Sentences and openings that many rows share may go whatever they deny or name: checks look at the rest."""

from longway.methods.repair.recurring import Recurring
from longway.methods.repair.remedy import Proposer, RepairRow, Target
from longway.methods.repair.take_out import TakeOut
from longway.records import Pattern
from longway.verify.check import Candidate
from longway.verify.content_checks import NamesCheck, NegationCheck
from longway.verify.form_checks import SurfaceCheck
from tests.methods.repair.conftest import PLAIN

NEGATION = Pattern("negation", "text", place="text")


def candidate(before, after, *asides, **more):
    return Candidate(0, before, after, "a", asides=frozenset(asides), **more)


def test_a_recurring_sentence_with_a_negation_is_an_aside(read):
    texts = [f"{text} It was never filed." for text in PLAIN]
    row = RepairRow(0, texts[0], "a", None, read)
    remedy = Proposer("take out", TakeOut(Recurring(texts, read=read)).propose)
    ((draft,),) = remedy.drafts([row], Target(NEGATION, "a"))
    assert (draft.after, draft.asides) == (PLAIN[0], {"It was never filed."})
    given = candidate(row.text, draft.after, *draft.asides)
    assert NegationCheck().verdict(given).passed
    assert not NegationCheck().verdict(candidate(row.text, draft.after)).passed


def test_an_aside_may_be_longer_than_the_rest_and_name_somebody():
    before, after = "It works. Sent to Nora Vance by the night desk on Monday.", "It works."
    aside = "Sent to Nora Vance by the night desk on Monday."
    assert SurfaceCheck().verdict(candidate(before, after, aside)).passed
    assert NamesCheck().verdict(candidate(before, after, aside)).passed
    assert not SurfaceCheck().verdict(candidate(before, after)).passed


def test_the_rest_is_still_checked():
    before, after = "It works well. It was never filed.", "It does not work well."
    assert not NegationCheck().verdict(candidate(before, after, "It was never filed.")).passed


def test_asides_of_earlier_edits_count_from_the_start():
    first = candidate("No, it works. It was never filed.", "No, it works.", "It was never filed.")
    second = candidate("No, it works.", "It works.", "No", origin=first.origin_now)
    whole = second.from_the_start()
    assert [whole.without(text) for text in (whole.before, whole.after)] == ["it works.", "It works."]


def test_a_text_that_is_only_an_aside_stays():
    assert candidate("It was never filed.", "", "It was never filed.").without("It was never filed.")
