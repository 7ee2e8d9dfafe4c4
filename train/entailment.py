"""Train the entailment model that ships with the package: `pack` here, `train` where a GPU is, `export` here.

    python train/entailment.py pack                                 datasets -> build/device/entailment (tokenised, with MiniLM)
    python train/entailment.py train --data DIR --out DIR           several teachers, then one model that learns from them
    python train/entailment.py export --from DIR                    weights and card -> src/longway/models/entailment_model

`train` needs torch, numpy and safetensors and nothing else, no dataset and no network: some 7 minutes on a large GPU.
Teachers differ in seed, rate and in how far they are kept from answering by the text alone (a product with the
answers of a bag of words that reads the text only, Clark et al. 2019). The final model learns their mean answer.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
BITS = {"e": 1, "c": 2, "n": 4}
TEACHERS = (
    {"rate": 3e-4, "product": 0.5},
    {"rate": 5e-4, "product": 0.5},
    {"rate": 3e-4, "product": 0.0},
    {"rate": 5e-4, "product": 0.25},
)


def pack(args: argparse.Namespace) -> None:
    """Tokenise every pair and write what training needs, in a vocabulary of the tokens that occur."""
    from safetensors.numpy import save_file

    from entailment_data import perturbed, read_all, reworded
    from longway.models.minilm import MiniLM

    train, choose, tests = read_all(args.shared)
    if args.limit:
        train, choose = train[:: len(train) // args.limit], choose[: args.limit]
        tests = {name: part[: args.limit] for name, part in tests.items()}
    train += perturbed(train, seed=1, limit=args.perturb) + reworded(train, seed=1, limit=args.perturb // 2)
    few = choose[:500] + choose[-700:]
    kinds = perturbed(few, seed=2, limit=700) + reworded(few, seed=2, limit=200)
    parts = {"train": train, "choose": choose, "perturbed": kinds, **tests}
    encoder = MiniLM.load()
    tokens = {name: tokenised(encoder, part) for name, part in parts.items()}
    vocabulary = np.unique(np.concatenate([t["ids"] for t in tokens.values()] + [np.zeros(1, np.int64)]))
    args.out.mkdir(parents=True, exist_ok=True)
    sources = sorted({p.source for part in parts.values() for p in part})
    for name, part in parts.items():
        arrays = tokens[name]
        arrays["ids"] = np.searchsorted(vocabulary, arrays["ids"]).astype(np.uint16)
        arrays["answers"] = np.array([sum(BITS[a] for a in p.answers) for p in part], np.uint8)
        arrays["twice"] = np.array([p.source in ("fever", "cad") for p in part])
        arrays["source"] = np.array([sources.index(p.source) for p in part], np.uint8)
        arrays["bias"] = text_only(part) if name == "train" else np.zeros((len(part), 3), np.float16)
        np.savez_compressed(args.out / f"{name}.npz", **arrays)
    weights = {
        name: value.astype(np.float16) for name, value in encoder.weights.items() if "pooler" not in name
    }
    weights["embeddings.word_embeddings.weight"] = weights["embeddings.word_embeddings.weight"][vocabulary]
    save_file(in_bytes(weights), args.out / "minilm.safetensors")
    about = {"sources": sources, "tests": list(tests), "pairs": {name: len(p) for name, p in parts.items()}}
    (args.out / "about.json").write_text(json.dumps(about, indent=1))
    size = sum(p.stat().st_size for p in args.out.iterdir()) / 2**20
    print(f"{args.out}: {size:.1f} MiB, {len(vocabulary)} tokens, {about['pairs']}")


def in_bytes(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The layers' matrices in 8 bits, each row with its own scale; the rest as it is."""
    found: dict[str, np.ndarray] = {}
    for name, value in weights.items():
        if value.ndim == 2 and name.startswith("encoder.layer"):
            value = value.astype(np.float32)
            scale = np.abs(value).max(axis=1) / 127
            found[name], found[f"{name}.scale"] = np.round(value / scale[:, None]).astype(np.int8), scale
        else:
            found[name] = value
    return found


def tokenised(encoder: Any, pairs: list[Any]) -> dict[str, np.ndarray]:
    """Token ids one after the other, the length of each pair and where its second part begins."""
    from longway.models.entailment import MAX_TOKENS, shortened

    found = encoder.tokenized([(shortened(p.context, p.text), p.text) for p in pairs], MAX_TOKENS)
    return {
        "ids": np.concatenate([np.array(ids) for ids, _ in found]),
        "lengths": np.array([len(ids) for ids, _ in found], np.uint16),
        "second": np.array([segments.index(1) for _, segments in found], np.uint16),
    }


def text_only(pairs: list[Any]) -> np.ndarray:
    """What a bag of words answers from the text alone, as log-probabilities; learned on the other four fifths."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold

    found = np.full((len(pairs), 3), np.log(1 / 3), np.float16)
    families = np.array([p.source.partition("+")[0] for p in pairs])
    for family in np.unique(families):
        rows = np.flatnonzero((families == family) & np.array([len(p.answers) == 1 for p in pairs]))
        if len({pairs[i].answers for i in rows}) < 2 or len(rows) < 100:
            continue  # RTE tells entailed from not: nothing to learn here
        texts = CountVectorizer(
            ngram_range=(1, 2), min_df=3, binary=True, token_pattern=r"\S+"
        ).fit_transform(pairs[i].text for i in rows)
        y = np.array(["ecn".index(pairs[i].answers) for i in rows])
        for learn, answer in KFold(5, shuffle=True, random_state=0).split(rows):
            model = LogisticRegression(C=0.1, max_iter=200, tol=1e-3).fit(texts[learn], y[learn])
            found[rows[answer][:, None], model.classes_] = np.log(
                model.predict_proba(texts[answer]) * 0.97 + 0.01
            )
    return found


def train(args: argparse.Namespace) -> None:
    """Teachers, then the model that learns from them; writes weights, figures and curves."""
    import torch
    from safetensors.torch import load_file, save_file

    from entailment_model import CrossEncoder, Packed

    started = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kept = load_file(args.data / "minilm.safetensors")
    weights = {
        name: (
            value.float() * kept[f"{name}.scale"][:, None] if f"{name}.scale" in kept else value.float()
        ).to(device)
        for name, value in kept.items()
        if not name.endswith(".scale")
    }
    about = json.loads((args.data / "about.json").read_text())
    names = ["train", "choose", "perturbed", *about["tests"]]
    data = {name: Packed(dict(np.load(args.data / f"{name}.npz")), device) for name in names}
    args.out.mkdir(parents=True, exist_ok=True)
    curves: list[dict[str, Any]] = []
    figures: dict[str, Any] = {"device": device, "about": about}

    def fresh(seed: int) -> CrossEncoder:
        torch.manual_seed(seed)
        return CrossEncoder(weights).to(device)

    left = args.minutes * 60
    seconds = epoch_seconds(fresh(0), data["train"], args)
    affordable = (left - (time.time() - started) - 40) / max(seconds, 1e-3)
    teachers = TEACHERS[: args.teachers]
    n_teach = int(np.clip(affordable * 0.55 / len(teachers), 1, 7))
    n_final = int(np.clip(affordable - n_teach * len(teachers), 1, 20))
    print(
        f"{device}: {seconds:.1f} s an epoch; teachers {n_teach} epochs each, the model {n_final}", flush=True
    )
    answers, scores = [], []
    for seed, teacher in enumerate(teachers):
        model = fresh(seed + 1)
        fit(model, data["train"], n_teach, args, curves, name=f"teacher{seed}", seed=seed, **teacher)
        measured = measure_all(model, data, about)
        figures[f"teacher{seed}"] = {**teacher, **measured}
        print(
            f"teacher{seed}", teacher, {k: v for k, v in measured.items() if isinstance(v, float)}, flush=True
        )
        answers.append(predict(model, data["train"]).softmax(1))
        scores.append(measured["choose"])
    target = torch.stack(answers).mean(0)
    best = int(np.argmax(scores))
    model = fresh(99)
    fit(
        model, data["train"], n_final, args, curves, name="model", seed=99,
        rate=TEACHERS[best]["rate"], product=0.0, target=target,
    )  # fmt: skip
    figures["model"] = measure_all(model, data, about)
    print("model", json.dumps(figures["model"]), flush=True)
    learned = {name: value.cpu().half() for name, value in model.named().items()}
    full = {name: value.contiguous() for name, value in learned.items()}
    for i in (0, 1):  # two files of about the same size
        part = dict(sorted(full.items(), key=lambda kept: (kept[1].numel(), kept[0]))[i::2])
        save_file(part, args.out / f"weights-{i}.safetensors")
    for how in ("int8", "rank32", "rank64", "rank96"):
        model.put(
            {
                k: v.to(device)
                for k, v in lossy(model.named() if how == "int8" else full, weights, how).items()
            }
        )
        figures[f"model_{how}"] = measure_all(model, data, about)
        print(how, {k: v for k, v in figures[f"model_{how}"].items() if isinstance(v, float)}, flush=True)
        model.put({k: v.float().to(device) for k, v in full.items()})
    np.savez_compressed(
        args.out / "logits.npz", **{n: predict(model, data[n]).cpu().numpy() for n in names if n != "train"}
    )
    figures["seconds"] = round(time.time() - started, 1)
    (args.out / "figures.json").write_text(json.dumps(figures, indent=1))
    (args.out / "curves.json").write_text(json.dumps(curves))
    print(f"done in {figures['seconds']} s; {args.out}")


def epoch_seconds(model: Any, data: Any, args: argparse.Namespace) -> float:
    """How long one epoch takes, measured on some steps once the first ones have warmed everything up."""
    import torch

    steps = len(data.batches(rows_of(data), args.tokens, torch.Generator().manual_seed(0)))
    n = min(steps, 120 if data.device == "cuda" else 3)
    curves: list[dict[str, Any]] = []
    for _ in range(2):
        fit(model, data, 1, args, curves, name="warm", seed=0, rate=1e-5, product=0.0, steps=n)
    return curves[-1]["s"] / n * steps


def rows_of(data: Any) -> Any:
    """The rows of one epoch: the scarce datasets, FEVER and human counterfactuals, come twice."""
    import torch

    rows = torch.arange(len(data))
    return torch.cat([rows, rows[data.twice]])


def fit(
    model: Any, data: Any, epochs: int, args: argparse.Namespace, curves: list[dict[str, Any]], *,
    name: str, seed: int, rate: float, product: float, target: Any = None, steps: int | None = None,
) -> None:  # fmt: skip
    """Train a model; loss: the probability of the right answers, and where `target` is given its answers, too."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    plan = [b for _ in range(epochs) for b in data.batches(rows_of(data), args.tokens, generator)]
    plan = plan[: steps or args.steps or len(plan)]
    groups = [
        {"params": [p for p in model.parameters() if p.requires_grad and p.ndim > 1], "weight_decay": 0.01},
        {"params": [p for p in model.parameters() if p.requires_grad and p.ndim == 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=data.device == "cuda")
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=len(plan) + 1, pct_start=0.08, cycle_momentum=False
    )
    model.train()
    started, total = time.time(), torch.zeros((), device=data.device)
    for step, rows in enumerate(plan):
        with torch.autocast(data.device, dtype=torch.bfloat16, enabled=data.device == "cuda"):
            logits = model(*data.batch(rows))
        on = rows.to(data.device)
        log_p = (logits + product * data.bias[on]).log_softmax(1)
        loss = -log_p.masked_fill(~data.right[on], -1e9).logsumexp(1).mean()
        if target is not None:
            loss = 0.4 * loss - (target[on] * log_p).sum(1).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.detach()
        if (step + 1) % 200 == 0 or step + 1 == len(plan):
            n = 200 if (step + 1) % 200 == 0 else (step + 1) % 200
            curves.append(
                {"model": name, "step": step + 1, "loss": float(total) / n, "s": time.time() - started}
            )
            total.zero_()


def predict(model: Any, data: Any) -> Any:
    """Logits of every pair."""
    import torch

    model.eval()
    found = torch.zeros(len(data), 3, device=data.device)
    with torch.no_grad(), torch.autocast(data.device, dtype=torch.bfloat16, enabled=data.device == "cuda"):
        for rows in data.batches(torch.arange(len(data)), 65_536 if data.device == "cuda" else 4096, None):
            found[rows.to(data.device)] = model(*data.batch(rows)).float()
    return found


def measure_all(model: Any, data: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    """Accuracy on every set that was not trained on; for perturbations by kind."""
    found: dict[str, Any] = {}
    for name, part in data.items():
        if name == "train":
            continue
        logits = predict(model, part)
        if bool(part.right.sum(0)[2] == 0):  # two answers: the third is not asked
            found[name + "_of_three"] = right(logits, part.right)
            logits = logits[:, :2]
        found[name] = right(logits, part.right)
        if name == "perturbed":
            found["kinds"] = {
                about["sources"][s]: [right(logits[m := part.source == s], part.right[m]), int(m.sum())]
                for s in sorted(set(part.source.tolist()))
            }
    return found


def right(logits: Any, answers: Any) -> float:
    """Share of pairs whose likeliest answer is a right one."""
    best = logits.argmax(1, keepdim=True)
    return round(float(answers.gather(1, best).float().mean()), 4)


def lossy(learned: dict[str, Any], start: dict[str, Any], how: str) -> dict[str, Any]:
    """The weights after being kept in fewer bytes: whole ones in 8 bits, or what changed as a product of thin matrices."""
    import torch

    found = {}
    for name, value in learned.items():
        value = value.float().cpu()
        if value.ndim == 2 and name.startswith("encoder.layer"):
            if how == "int8":
                scale = value.abs().amax(1, keepdim=True) / 127
                value = (value / scale).round() * scale
            else:
                before = start[name].float().cpu()
                u, s, v = torch.linalg.svd(value - before, full_matrices=False)
                rank = int(how.removeprefix("rank"))
                thin, wide = u[:, :rank] * s[:rank].sqrt(), s[:rank].sqrt()[:, None] * v[:rank]
                value = before + thin.half().float() @ wide.half().float()
        found[name] = value
    return found


def export(args: argparse.Namespace) -> None:
    """Weights in 8 bits, each row with its own scale, and their card, into the package."""
    from safetensors.numpy import load_file, save_file

    stored: dict[str, np.ndarray] = {}
    for part in sorted(args.trained.glob("weights-*.safetensors")):
        stored |= in_bytes(load_file(part))
    logits = np.load(args.trained / "logits.npz")["choose"].astype(np.float64)
    answers = np.load(args.data / "choose.npz")["answers"]
    stored["temperature"] = np.array([temperature(logits, answers)], np.float32)
    figures = json.loads((args.trained / "figures.json").read_text())
    args.out.mkdir(parents=True, exist_ok=True)
    save_file(stored, args.out / "weights.safetensors")
    (args.out / "weights.safetensors").chmod(0o644)
    (args.out / "card.md").write_text(card(figures), encoding="utf-8")
    size = (args.out / "weights.safetensors").stat().st_size / 1e6
    print(f"{args.out}: {size:.1f} MB, temperature {stored['temperature'][0]:.2f}")


def temperature(logits: np.ndarray, answers: np.ndarray) -> float:
    """What to divide logits by so that the right answers are likeliest, on pairs that were not trained on."""
    right = (answers[:, None] >> np.arange(3)) & 1

    def loss(t: float) -> float:
        odds = np.exp((logits - logits.max(axis=1, keepdims=True)) / t)
        return float(-np.log((odds * right).sum(axis=1) / odds.sum(axis=1)).mean())

    return float(min(np.arange(0.5, 4, 0.02), key=loss))


def card(figures: dict[str, Any]) -> str:
    """The model's card, from its template and the measured figures."""
    model, pairs = figures["model_int8"], figures["about"]["pairs"]
    kinds = model["kinds"]
    lines = [
        f"| {title} | {pairs[name]:,} | {100 * model[name]:.1f}% |"
        for name, title in TESTS.items()
    ]  # fmt: skip
    lines += [
        f"| held-out perturbations: {title} | {kinds[kind][1]:,} | {100 * kinds[kind][0]:.1f}% |"
        for kind, title in KINDS.items()
        if kind in kinds
    ]
    teachers = [about for name, about in figures.items() if name.startswith("teacher")]
    filled = {
        "{pairs}": f"{pairs['train']:,}",
        "{teachers}": str(len(teachers)),
        "{kept}": str(sum(teacher["product"] > 0 for teacher in teachers)),
        "{table}": "\n".join(lines),
    }
    text = Path(__file__).with_name("entailment_card.md").read_text(encoding="utf-8")
    for place, value in filled.items():
        text = text.replace(place, value)
    return text


TESTS = {
    "fever_test": "FEVER, supported or refuted (no claim or evidence shared with training)",
    "symmetric_v0.1": "FEVER Symmetric v0.1",
    "symmetric_v0.2": "FEVER Symmetric v0.2, dev",
    "snli_test": "SNLI test, three labels",
    "human_cad_snli": "human counterfactuals of SNLI, dev, three labels",
    "mnli_matched": "MultiNLI matched, three labels",
}
KINDS = {
    "fever+reworded": "a claim put differently by our rules",
    "fever+not_in": "a claim negated",
    "fever+not_out": "a claim's negation taken out",
    "fever+not_self": "a text against its own negation",
    "fever+not_both": "one negation in two wordings",
    "fever+number": "another number",
    "fever+name": "another name",
    "fever+context": "evidence about something else",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("pack", help="tokenise the datasets")
    command.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    command.add_argument("--out", type=Path, default=ROOT / "build" / "device" / "entailment")
    command.add_argument(
        "--perturb", type=int, default=6000, help="sentences of each other dataset to perturb"
    )
    command.add_argument("--limit", type=int, default=0, help="pairs of each kind, for trying out")
    command.set_defaults(run=pack)
    command = commands.add_parser("train", help="train the model")
    command.add_argument("--data", type=Path, required=True)
    command.add_argument("--out", type=Path, required=True)
    command.add_argument("--minutes", type=float, default=7.0)
    command.add_argument("--tokens", type=int, default=16_384, help="tokens a batch")
    command.add_argument("--teachers", type=int, default=len(TEACHERS))
    command.add_argument("--steps", type=int, default=0, help="steps for each model, for trying out")
    command.set_defaults(run=train)
    command = commands.add_parser("export", help="put the trained model into the package")
    command.add_argument("--from", dest="trained", type=Path, required=True)
    command.add_argument("--data", type=Path, default=ROOT / "build" / "device" / "entailment")
    command.add_argument("--out", type=Path, default=ROOT / "src" / "longway" / "models" / "entailment_model")
    command.set_defaults(run=export)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
