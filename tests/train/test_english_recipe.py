"""The recipe that trains the English pipeline: reading a treebank, cutting words, and a whole small run."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

spacy = pytest.importorskip("spacy")
pytest.importorskip("conllu")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "train"))

import treebank  # noqa: E402
from raw_text import sentences as cut_sentences  # noqa: E402
from tokenizer import treebank_tokenizer  # noqa: E402

# Two paragraphs of our own; the second sentence has a multi-word token and an empty node.
TINY = """\
# newdoc id = one
# sent_id = 1
# text = Dogs bark.
1	Dogs	dog	NOUN	NNS	Number=Plur	2	nsubj	_	_
2	bark	bark	VERB	VBP	VerbForm=Fin|Mood=Ind	0	root	_	SpaceAfter=No
3	.	.	PUNCT	.	_	2	punct	_	_

# sent_id = 2
# text = They don't sleep
1	They	they	PRON	PRP	_	4	nsubj	_	_
2-3	don't	_	_	_	_	_	_	_	_
2	do	do	AUX	VBP	_	4	aux	_	_
3	n't	not	PART	RB	_	4	advmod	_	_
4	sleep	sleep	VERB	VB	_	0	root	_	_
4.1	sleep	sleep	VERB	VB	_	_	_	_	_

# newpar
# sent_id = 3
# text = Cats
1	Cats	cat	NOUN	NNS	Number=Plur	0	root	_	_

"""


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "ud_ewt"
    path.mkdir()
    for part in ("train", "dev", "test"):
        with gzip.open(path / f"{part}.conllu.gz", "wt", encoding="utf-8") as file:
            file.write(TINY)
    return tmp_path


def test_a_treebank_becomes_paragraphs_with_exact_text_heads_and_sentence_ends(tiny):
    docs = list(treebank.documents(tiny / "ud_ewt" / "train.conllu.gz", spacy.blank("en").vocab))
    assert [doc.text.strip() for doc in docs] == ["Dogs bark. They don't sleep", "Cats"]
    first = docs[0]
    assert [sentence.text for sentence in first.sents] == ["Dogs bark.", "They don't sleep"]
    assert [(t.text, t.head.text, t.dep_) for t in first if t.text in ("Dogs", "n't")] == [
        ("Dogs", "bark", "nsubj"),
        ("n't", "sleep", "advmod"),
    ]
    assert str(first[1].morph) == "Mood=Ind|VerbForm=Fin"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Great!!! Really?!", "Great !!! Really ?!"),
        ("pre-owned e-mail well-known", "pre-owned e-mail well - known"),
        ("Call 555-0137 in 1990-95.", "Call 555-0137 in 1990 - 95 ."),
        ("and/or this -- that", "and / or this -- that"),
        ("I don't; they'd wanna.", "I do n't ; they 'd wan na ."),
        ("its id", "its id"),
    ],
)
def test_words_are_cut_as_the_treebank_cuts_them(text, words):
    nlp = spacy.blank("en")
    treebank_tokenizer(nlp)
    assert [token.text for token in nlp.make_doc(text)] == words.split()


def test_plain_text_is_cut_after_full_stops_and_at_breaks():
    assert cut_sentences("One is here. Two is not.<br />three\nFour") == [
        "One is here.",
        "Two is not.",
        "three",
        "Four",
    ]


ALL_BUT_THE_TEACHER = ["corpus", "first-leg", "pipeline", "lemmatizer", "export"]


@pytest.mark.parametrize(
    "stages",
    [
        pytest.param(["--plain"], marks=pytest.mark.soak),
        pytest.param(
            [part for stage in ALL_BUT_THE_TEACHER for part in ("--stage", stage)], marks=pytest.mark.soak
        ),
    ],
)
def test_the_recipe_runs_from_treebank_to_shipped_pipeline(tiny, stages):
    small = [
        "--set",
        "components.tok2vec.model.encode.width=16",
        "--set",
        "components.parser.min_action_freq=1",
    ]
    small += ["--set", "training.max_steps=4", "--set", "training.eval_frequency=2", "--lemma-steps", "4"]
    small += ["--set", "components.trainable_lemmatizer.min_tree_freq=1"]
    command = [
        sys.executable,
        str(ROOT / "train" / "english.py"),
        *stages,
        "--data",
        str(tiny),
        "--work",
        str(tiny / "work"),
    ]
    command += ["--out", str(tiny / "model"), *small]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    nlp = spacy.load(tiny / "model")
    assert nlp.pipe_names == ["tok2vec", "tagger", "morphologizer", "parser", "trainable_lemmatizer"]
    assert [token.text for token in nlp("They don't bark.")] == ["They", "do", "n't", "bark", "."]
    assert "longway" not in (tiny / "model" / "vocab" / "strings.json").read_text()


def test_torchs_tok2vec_equals_spacys_number_for_number(tiny):
    torch = pytest.importorskip("torch")
    from spacy import util
    from spacy.training import Example

    import distil

    width, depth, rows, attrs = 16, 3, [50, 20, 30, 20], ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
    config = util.load_config(ROOT / "train" / "english.cfg")
    config["components"]["tok2vec"]["model"]["embed"]["rows"] = rows
    config["components"]["tok2vec"]["model"]["encode"].update(width=width, depth=depth)
    config["initialize"] = {}
    nlp = util.load_model_from_config(config.interpolate(), auto_fill=True)
    docs = list(treebank.documents(tiny / "ud_ewt" / "train.conllu.gz", nlp.vocab))
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    ours = distil.Tok2Vec(width, depth, rows)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    distil.put_into(nlp, ours.arrays())
    data = distil.Data(docs, attrs=attrs, rows=rows)
    keys = torch.stack([torch.from_numpy(data.unique[i][data.index[:, i]]) for i in range(len(rows))], 1)
    places, place = [], 0
    for doc in docs:
        place += depth
        places += range(place, place + len(doc))
        place += len(doc)
    expected = np.concatenate(nlp.get_pipe("tok2vec").model.predict(docs))
    assert np.allclose(ours(keys, torch.tensor(places)).detach().numpy(), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("heads", "answer"),
    [([2, 0, 2], True), ([2, 1, 0], False), ([0, 0], False), ([0], True), ([3, 1, 2], False)],
)
def test_a_tree_has_one_root_and_no_circle(heads, answer):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from teacher import is_tree

    assert is_tree(heads) is answer
