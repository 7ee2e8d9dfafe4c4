"""Learning a grammar from a few texts: it learns, stops, goes on, lies on disk, and parses what it is given."""

import json
from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning a grammar needs torch (longway[neural])")

from longway.errors import DataError, SettingError, TrainingError  # noqa: E402
from longway.grammars import induction  # noqa: E402
from longway.grammars.induction import InduceSettings, induce  # noqa: E402
from longway.grammars.parser import Grammar  # noqa: E402
from longway.grammars.trees import Tree, nodes, sides  # noqa: E402
from longway.grammars.vocabulary import UNKNOWN  # noqa: E402

SIZES = {"nonterminals": 3, "preterminals": 5, "dimension": 8, "at_least": 1, "batch": 4}


def pairs_of_people():
    """Pairs such as (a man runs, a woman runs), and some with one side only."""
    found = [
        (f"a {who} {does}".split(), f"a {other} {does}".split())
        for (who, other), does in product((("man", "woman"), ("boy", "girl")), ("runs", "sits"))
    ]
    return [*found, (["runs"], []), ([], ["a", "girl"]), (["man"], ["woman"])]


def sentences():
    return [(first, []) for first, _ in pairs_of_people() if first]


def trained(texts, *, validation=None, checkpoint=None, progress=None, **changes):
    settings = InduceSettings(**SIZES | {"epochs": 2} | changes)
    return induce(
        texts,
        validation=validation or texts[::2],
        settings=settings,
        checkpoint=checkpoint,
        progress=progress,
    )


def weights_of(grammar):
    return {name: weight.tolist() for name, weight in grammar.model.state_dict().items()}


@pytest.fixture(scope="module")
def pair_grammar():
    return trained(pairs_of_people())


class PowerOffError(Exception):
    """The power goes off."""


def stop_after(monkeypatch, steps):
    """Lets a training take some steps, and no more."""
    step = induction._Induction._step
    left = iter(range(steps))

    def one_less(self, batch):
        if next(left, None) is None:
            raise PowerOffError
        return step(self, batch)

    monkeypatch.setattr(induction._Induction, "_step", one_less)


# learning


@pytest.mark.parametrize("texts", [pairs_of_people(), sentences()], ids=["pairs", "sentences"])
def test_texts_become_more_likely(texts):
    seen = []
    grammar = trained(texts, epochs=5, learning_rate=0.03, progress=seen.append)
    assert grammar.kind == ("pair" if any(second for _, second in texts) else "sentence")
    first, last = seen[0], seen[-1]
    assert last.nats_per_word < first.nats_per_word - 0.3
    assert (last.epoch, last.done) == (5, len(texts))


def turned_around():
    """Held-out texts that get the less likely, the better the grammar knows the others."""
    return [(first[::-1], []) for first, _ in sentences()]


def held_out_figures(grammar):
    return [each["held_out"] for each in grammar.trained.history]


def test_the_grammar_is_the_one_that_liked_the_held_out_texts_most():
    held_out = turned_around()
    grammar = trained(sentences(), validation=held_out, epochs=12, learning_rate=0.03, patience=20)
    figures = held_out_figures(grammar)
    assert len(figures) == 12
    assert min(figures) < figures[-1]
    words = sum(len(first) for first, _ in held_out)
    assert -grammar.log_likelihood(held_out).sum() / words == pytest.approx(min(figures), rel=1e-5)


def test_training_ends_once_the_held_out_texts_get_no_more_likely():
    grammar = trained(sentences(), validation=turned_around(), epochs=30, learning_rate=0.03, patience=2)
    figures = held_out_figures(grammar)
    assert len(figures) < 30
    assert min(figures[-2:]) >= min(figures[:-2])
    assert figures.index(min(figures)) == len(figures) - 3


def stopping(steps, calls):
    """A progress function that ends the training after so many steps."""
    last = len(calls) + steps

    def progress(at):
        calls.append(at)
        if len(calls) == last:
            raise PowerOffError

    return progress


@pytest.mark.parametrize(
    "keep",
    [
        pytest.param(-1.0, marks=pytest.mark.soak, id="kept at each step"),
        pytest.param(1e9, id="kept at each epoch"),
    ],
)
def test_a_stopped_training_goes_on_to_the_same_grammar(tmp_path, monkeypatch, keep):
    monkeypatch.setattr(induction, "_CHECKPOINT_SECONDS", keep)  # seconds between two checkpoints
    undisturbed = trained(pairs_of_people(), epochs=3)
    for steps in (1, 7):  # in the first epoch, and in a later one
        with pytest.MonkeyPatch.context() as patch:
            stop_after(patch, steps)
            with pytest.raises(PowerOffError):
                trained(pairs_of_people(), epochs=3, checkpoint=tmp_path)
    seen = []
    resumed = trained(pairs_of_people(), epochs=3, checkpoint=tmp_path, progress=seen.append)
    assert seen[0].epoch > 1  # the first was not done again
    assert weights_of(resumed) == weights_of(undisturbed)
    assert resumed.trained == undisturbed.trained


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU: Adam's update is one kernel there alone")
def test_a_training_stopped_on_a_gpu_goes_on(tmp_path, monkeypatch):
    undisturbed = trained(pairs_of_people(), epochs=3, device="cuda")
    stop_after(monkeypatch, 7)
    with pytest.raises(PowerOffError):
        trained(pairs_of_people(), epochs=3, checkpoint=tmp_path, device="cuda")
    monkeypatch.undo()
    seen = []
    resumed = trained(pairs_of_people(), epochs=3, checkpoint=tmp_path, progress=seen.append, device="cuda")
    assert seen[0].epoch > 1
    expected = undisturbed.trained.held_out_nats_per_word
    assert resumed.trained.held_out_nats_per_word == pytest.approx(expected, rel=1e-3)


def test_a_finished_training_is_not_done_again(tmp_path):
    done = trained(sentences(), checkpoint=tmp_path)
    seen = []
    again = trained(sentences(), checkpoint=tmp_path, progress=seen.append)
    assert not seen
    assert weights_of(again) == weights_of(done)


@pytest.mark.parametrize("change", [{"seed": 5}, {"learning_rate": 0.1}, {"texts": 1}])
def test_a_checkpoint_of_another_training_is_not_gone_on_with(tmp_path, change):
    trained(sentences(), epochs=1, checkpoint=tmp_path)
    texts = sentences()[change.pop("texts", 0) :]
    found, expected = (trained(texts, epochs=1, checkpoint=folder, **change) for folder in (tmp_path, None))
    assert weights_of(found) == weights_of(expected)


@pytest.mark.parametrize("name", ["nonterminals", "preterminals", "dimension", "patience"])
def test_a_setting_below_one_is_named(name):
    with pytest.raises(SettingError, match=f"'{name}' must be at least 1. Got 0"):
        InduceSettings(**{name: 0})


# a trained grammar

OTHERS = [
    ("the girl sits".split(), "the dragon sits".split()),  # the grammar never saw a dragon
    ("a man".split(), []),
    ([], "a man runs".split()),
    (["runs"], []),
    ([], ["boy"]),
    (["boy"], ["girl"]),
    ("a a a the the".split(), ["runs"]),
]


@pytest.mark.parametrize("how", ["parse", "draw"])
def test_trees_write_the_texts_in_their_order(pair_grammar, how):
    known = pair_grammar.vocabulary.known
    expected = [(tuple(known(first)), tuple(known(second))) for first, second in OTHERS]
    trees = getattr(pair_grammar, how)(OTHERS)
    assert [sides(tree) for tree in trees] == expected
    assert UNKNOWN in expected[0][1]
    for tree in trees:
        for node in nodes(tree):
            assert (node.symbol < pair_grammar.nonterminals) == (node.parts is not None)


def test_progress_counts_the_parsed_texts(pair_grammar):
    counts = []
    pair_grammar.parse(OTHERS, progress=counts.append)
    assert sum(counts) == len(OTHERS)


def test_texts_are_as_likely_alone_as_together(pair_grammar):
    alone = [pair_grammar.log_likelihood([text])[0] for text in OTHERS]
    assert pair_grammar.log_likelihood(OTHERS) == pytest.approx(np.array(alone), rel=1e-5)


def test_a_tree_is_less_likely_than_its_text(pair_grammar):
    """And no drawn tree is more likely than the best one."""
    for text in OTHERS:
        (best,), (drawn,) = pair_grammar.parse([text]), pair_grammar.draw([text], seed=3)
        total = pair_grammar.log_likelihood([text])[0]
        assert log_of(drawn, pair_grammar) - 1e-4 <= log_of(best, pair_grammar) <= total + 1e-4


def log_of(tree: Tree, grammar: Grammar) -> float:
    """The log probability of one tree, rule by rule."""
    with torch.no_grad():
        rules = grammar.model.rules()
        total = rules.root[tree.symbol]
        for node in nodes(tree):
            if node.parts:
                total = total + rules.binary[node.symbol, node.parts[0].symbol, node.parts[1].symbol]
            else:
                first, second = (
                    torch.tensor([grammar.vocabulary.ids([word] if word else [])]).long()
                    for word in node.words
                )
                leaves = grammar.model.leaves(first, second)[
                    0, -1
                ]  # of both words the last, of one the only one
                total = total + leaves[node.symbol - grammar.nonterminals]
    return total.item()


@pytest.mark.parametrize("texts", [pairs_of_people(), sentences()], ids=["pairs", "sentences"])
def test_a_saved_grammar_comes_back(texts, tmp_path):
    grammar = trained(texts, epochs=1)
    grammar.save(tmp_path / "grammar")
    back = Grammar.load(tmp_path / "grammar")
    assert {path.name for path in (tmp_path / "grammar").iterdir()} == {"grammar.json", "grammar.safetensors"}
    assert (back.kind, back.nonterminals, back.vocabulary) == (
        grammar.kind,
        grammar.nonterminals,
        grammar.vocabulary,
    )
    assert back.trained == grammar.trained
    assert weights_of(back) == weights_of(grammar)
    assert back.parse(texts) == grammar.parse(texts)


@pytest.mark.parametrize("harm", ["missing", "no json", "other format", "other sizes"])
def test_a_broken_grammar_says_what_is_wrong(pair_grammar, tmp_path, harm):
    pair_grammar.save(tmp_path)
    about = tmp_path / "grammar.json"
    content = json.loads(about.read_text())
    if harm == "missing":
        (tmp_path / "grammar.safetensors").unlink()
    elif harm == "no json":
        about.write_text("{")
    elif harm == "other format":
        about.write_text(json.dumps(content | {"format": 99}))
    else:
        about.write_text(json.dumps(content | {"sizes": content["sizes"] | {"dimension": 4}}))
    with pytest.raises(DataError, match=r"(?s)No grammar can be read from .* or induce the grammar again"):
        Grammar.load(tmp_path)


def test_a_text_without_a_word_has_no_tree(pair_grammar):
    with pytest.raises(DataError, match="Text 1 has no word"):
        pair_grammar.parse([(["a"], []), ([], [])])


def test_a_grammar_of_sentences_takes_no_pair():
    grammar = trained(sentences(), epochs=1)
    with pytest.raises(DataError, match="Text 0 is a pair"):
        grammar.log_likelihood([(["a"], ["a"])])


def test_nothing_is_learned_from_no_texts():
    with pytest.raises(DataError, match="Give at least one"):
        induce([], validation=sentences())


def test_texts_whose_words_are_all_rare_say_so():
    with pytest.raises(DataError, match=r"at least two words that occur 3 times .* Got 0 in 8 texts"):
        induce(
            [([f"one{i}"], [f"other{i}"]) for i in range(8)],
            validation=[(["a"], ["b"])],
            settings=InduceSettings(epochs=1),
        )


def test_a_training_that_goes_astray_says_so():
    with pytest.raises(TrainingError, match="Try a smaller learning rate than 1e"):
        trained(sentences(), learning_rate=1e30, epochs=3)


def test_on_another_kind_of_device_an_epoch_begins_again(tmp_path, monkeypatch):
    monkeypatch.setattr(induction, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(induction, "_CHECKPOINT_SECONDS", 0.0)
    with pytest.raises(PowerOffError):
        trained(pairs_of_people(), epochs=1, checkpoint=tmp_path, progress=stopping(2, []))
    limits = induction.TRAINING["cpu"]
    monkeypatch.setitem(
        induction.TRAINING, "cpu", induction.replace(limits, cells=limits.cells * 10, waste=4.0)
    )
    seen = []
    resumed = trained(pairs_of_people(), epochs=1, checkpoint=tmp_path, progress=seen.append)
    assert seen[-1].done == seen[-1].texts
    assert len(resumed.trained.history) == 1


def test_damaged_weights_are_no_grammar(tmp_path):
    trained(sentences(), epochs=1).save(tmp_path)
    (tmp_path / "grammar.safetensors").write_bytes(b"damaged")
    with pytest.raises(DataError, match="No grammar can be read"):
        Grammar.load(tmp_path)
