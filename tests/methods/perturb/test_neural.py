"""The neural perturber: what it reads, what it writes, and what it refuses; small networks that learned a few sentences by heart."""

import shlex
import subprocess
import sys
from dataclasses import replace

import pytest

from longway.english.people.change import Place, Request
from longway.english.people.words import parse_attribute
from longway.errors import MissingExtra, SettingError
from longway.methods.perturb import networks
from longway.methods.perturb.neural import CUT, NeuralPerturber
from longway.methods.perturb.windows import NAMED_TWICE
from panda import PandaRow
from tests.methods.perturb.toy_sentences import learned, request_of, toy_rows

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
MAN, WOMAN = parse_attribute("man"), parse_attribute("woman")
PAIR = PandaRow(("She sold her boat in May.", "She has no boat now."), "She", MAN, ("He sold his boat in May.", "He has no boat now."))  # fmt: skip
KNOWN = [*toy_rows(7), PAIR]
REQUESTS = [request_of(row) for row in KNOWN]
KINDS = ["tiny", "causal"]


@pytest.fixture(scope="module")
def by_heart(tmp_path_factory, bases):
    """Gives the folder of a network of a kind that was trained until it knew eight rows by heart."""
    made = {}

    def folder(kind):
        if kind not in made:
            base = kind if kind == "tiny" else str(bases(kind))
            plan = "--epochs=50 --batch-size=8 --lr=3e-3 --patience=50".split()
            out = tmp_path_factory.mktemp("by_heart") / kind
            before = torch.get_num_threads()
            torch.set_num_threads(1)
            learned(base, KNOWN, out, *plan, validation=KNOWN)
            made[kind] = out
            torch.set_num_threads(before)
        return made[kind]

    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_learned_is_written_segment_by_segment(by_heart, kind):
    perturber = NeuralPerturber(by_heart(kind), device="cpu")
    found = perturber.perturb(REQUESTS)
    assert [done.segments for done in found] == [row.after for row in KNOWN]
    assert [done.reason for done in found] == [""] * len(KNOWN)
    assert perturber.name == f"neural:{kind}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_writes_what_each_request_gets_alone(by_heart, kind):
    """Sorted, filled up and put back in order: nothing of that shows."""
    unseen = [request_of(row) for row in toy_rows(12, seed=5)]
    mixed = [REQUESTS[-1], *unseen[:6], *REQUESTS[:3], *unseen[6:]]
    perturber = NeuralPerturber(by_heart(kind), batch_size=5)
    together = perturber.perturb(mixed)
    assert together == [perturber.perturb([request])[0] for request in mixed]
    assert together == NeuralPerturber(by_heart(kind), batch_size=100).perturb(mixed)


def test_writing_takes_the_likeliest_token_each_time(by_heart):
    """The slow twin: the network is run anew for every token."""
    perturber = NeuralPerturber(by_heart("tiny"))
    network, request = perturber.network, request_of(toy_rows(12, seed=5)[-1])
    read, mask = network.padded([perturber._tokens(request)])
    written = [network.model.config.decoder_start_token_id]
    with torch.inference_mode():
        while len(written) < 80:
            scores = network.model(
                input_ids=read, attention_mask=mask, decoder_input_ids=torch.tensor([written])
            )
            written.append(int(scores.logits[0, -1].argmax()))
            if written[-1] == network.tokenizer.eos_token_id:
                break
    assert list(perturber._written([perturber._tokens(request)])) == [network.text_of(written)]


def test_settings_of_the_base_model_do_not_change_what_is_written(by_heart, tmp_path):
    """BART's own settings forbid a phrase twice, which every copy of a text that has one needs."""
    import shutil

    from longway.store.atomic import read_json, write_json

    folder = shutil.copytree(by_heart("tiny"), tmp_path / "copy")
    own = read_json(folder / "generation_config.json")
    write_json(
        folder / "generation_config.json",
        {**own, "no_repeat_ngram_size": 1, "num_beams": 3, "min_length": 60},
    )
    assert NeuralPerturber(folder).perturb(REQUESTS) == NeuralPerturber(by_heart("tiny")).perturb(REQUESTS)


def answered(perturber, monkeypatch, request, answer):
    monkeypatch.setattr(perturber, "_written", lambda read: [answer] * len(read))
    (found,) = perturber.perturb([request])
    return found


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, CUT),
        ("She sold her boat in May. <SEP> She has no boat now.", "nothing was changed"),
        ("He sold his boat in May. He has no boat now.", "2 segments were sent and 1 came back"),
        (
            "The judge fixed the clock after work. <SEP> It rained all day.",
            "12 of 11 words were changed, and 6 may be",
        ),
        ("He <PERT_SEP> He sold his boat. <SEP> He has none.", "the answer contains <PERT_SEP>"),
    ],
)
def test_an_answer_that_cannot_be_the_text_is_refused_with_the_reason(by_heart, monkeypatch, answer, why):
    found = answered(NeuralPerturber(by_heart("tiny")), monkeypatch, REQUESTS[-1], answer)
    assert why in found.reason
    assert found.segments == PAIR.before


def test_a_network_that_does_not_end_is_cut_off(bases):
    """One that has learned nothing writes on and on."""
    (found,) = NeuralPerturber(bases("causal")).perturb([REQUESTS[0]])
    assert found.reason == CUT
    assert found.segments == REQUESTS[0].segments


def test_a_text_that_just_fits_gets_an_answer(bases):
    """The places for the answer are as many as those for the question; one that writes on and on may not run over them."""
    perturber = NeuralPerturber(bases("bart"))

    def asked(n):
        return Request((" ".join(["he"] * n),), Place(0, 0, 2), MAN, WOMAN)

    n = perturber.network.longest - len(perturber._tokens(asked(1))) + 1
    assert len(perturber._tokens(asked(n))) == perturber.network.longest
    assert perturber.perturb([asked(n)])[0].reason == CUT
    assert perturber._is_too_long(asked(n + 1))


def test_texts_that_cannot_be_sent_are_refused_before(by_heart, monkeypatch):
    perturber = NeuralPerturber(by_heart("tiny"))
    monkeypatch.setattr(perturber, "_written", lambda read: pytest.fail("was asked"))
    marked = Request(("She <SEP> left.",), Place(0, 0, 3), WOMAN, MAN)
    long = Request(("Ann left. " * 400,), Place(0, 0, 3), WOMAN, MAN)
    refused, too_long = perturber.perturb([marked, long])
    assert refused.reason == "the text itself contains <SEP>"
    assert too_long.reason == NAMED_TWICE
    assert too_long.segments == long.segments
    assert perturber.perturb([]) == []


def test_a_row_that_is_too_long_is_sent_in_windows(by_heart, monkeypatch):
    perturber = NeuralPerturber(by_heart("tiny"))
    network, sent = perturber.network, []

    def written(read):
        texts = [network.text_of(tokens).split("<PERT_SEP>")[1] for tokens in read]
        sent.extend(texts)
        return [text.replace("Ann", "Al").replace("she", "he") for text in texts]

    monkeypatch.setattr(perturber, "_written", written)
    rain = "It rained on the old road all day. " * 60
    long = Request((f"Ann sold a boat. {rain}Then she left.",), Place(0, 0, 3), WOMAN, MAN)
    (found,) = perturber.perturb([long])
    assert found.segments == (f"Al sold a boat. {rain}Then he left.",)
    assert len(sent) == 2
    assert sum(map(len, sent)) < len(long.segments[0])


def test_a_folder_that_says_nothing_reads_the_released_form(bases, by_heart):
    released = NeuralPerturber(bases("t5"))
    assert released.network.read("her, man <PERT_SEP> She left.")
    assert released.form.name == "released"
    assert NeuralPerturber(by_heart("tiny")).form.name == "paper"
    assert NeuralPerturber(by_heart("tiny"), form="released").form.name == "released"


def test_the_fingerprint_is_that_of_the_files(bases, by_heart):
    prints = [
        NeuralPerturber(folder).fingerprint for folder in (by_heart("tiny"), bases("causal"), bases("t5"))
    ]
    assert len(set(prints)) == 3


def test_tokens_come_back_as_the_text_with_its_marks(by_heart):
    network = NeuralPerturber(by_heart("tiny")).network
    text = "Zoë’s  café\tcost 3 <SEP> yen?\n"
    assert network.text_of(network.tokenizer(text)["input_ids"]) == text


@pytest.mark.soak
def test_a_pickle_is_not_read_and_the_way_to_convert_it_works(by_heart, tmp_path):
    import shutil

    from safetensors.torch import load_file

    folder = shutil.copytree(by_heart("tiny"), tmp_path / "pickled")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(
        SettingError, match=r"pytorch_model\.bin, a pickle.*Expected model\.safetensors"
    ) as told:
        NeuralPerturber(folder)
    python, *options = shlex.split(str(told.value).partition("causal model): ")[2])
    assert python == "python"
    subprocess.run([sys.executable, *options], check=True, capture_output=True)
    assert NeuralPerturber(folder).perturb(REQUESTS) == NeuralPerturber(by_heart("tiny")).perturb(REQUESTS)


def test_what_is_no_model_is_told_with_the_next_step(tmp_path, monkeypatch):
    with pytest.raises(SettingError, match=r"cannot be read.*huggingface-cli download"):
        NeuralPerturber(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(SettingError, match="'nobody/nothing' cannot be read"):
        NeuralPerturber("nobody/nothing")


def test_mistakes_are_told(by_heart, monkeypatch):
    with pytest.raises(SettingError, match="'batch_size'"):
        NeuralPerturber(by_heart("tiny"), batch_size=0)
    with pytest.raises(SettingError, match="paper, released"):
        NeuralPerturber(by_heart("tiny"), form="other")
    monkeypatch.setattr(networks, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"longway\[neural\]"):
        NeuralPerturber(by_heart("tiny"))


def test_a_tokenizer_without_an_end_is_refused(by_heart, tmp_path):
    import shutil

    folder = shutil.copytree(by_heart("tiny"), tmp_path / "copy")
    tokenizer = NeuralPerturber(folder).network.tokenizer
    tokenizer.eos_token = None
    tokenizer.save_pretrained(folder)
    with pytest.raises(SettingError, match="never stop writing"):
        NeuralPerturber(folder)


def test_the_chosen_word_steers_what_is_written(by_heart):
    """The control stands in what the network reads: another word or another attribute is another source."""
    perturber = NeuralPerturber(by_heart("tiny"))
    request = REQUESTS[-1]
    sources = {
        tuple(perturber._tokens(changed))
        for changed in (
            request,
            replace(request, target=parse_attribute("non-binary")),
            replace(request, place=Place(0, 9, 12)),
        )
    }
    assert len(sources) == 3
