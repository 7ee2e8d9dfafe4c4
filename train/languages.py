"""Train the identifier of languages from the translated messages of Python packages.

python train/languages.py --wheels FOLDER

    pip download --no-deps --dest FOLDER django wagtail djangorestframework django-allauth
    messages (*.mo, by language), the built-in English samples  ->  whole messages and cuts of them  ->  softmax regression per script  ->  identifier.npz

The packages have the BSD or MIT licence. Only weights of hashed n-grams are stored, as whole numbers of one byte, no text.
"""

from __future__ import annotations

import argparse
import gettext
import io
import json
import random
import re
import zipfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, diags
from sklearn.linear_model import LogisticRegression

import longway.languages
from longway.languages.identify import FEWEST_LETTERS, MODEL, buckets
from longway.sample import NAMES, sample_path

LANGUAGES = {
    "Latin": "en de fr es it pt nl sv da nb pl cs sk hu ro tr id vi fi ca hr sl et lt lv eu",
    "Cyrillic": "ru uk bg be sr mk kk mn",
    "Arabic": "ar fa ur ckb ug",
    "Devanagari": "hi mr ne",
}
BUCKETS = {"Latin": 1 << 13, "Cyrillic": 1 << 12, "Arabic": 1 << 12, "Devanagari": 1 << 12}
TEXTS = 3000  # of each language
STRENGTH = 30.0  # of the fit: the inverse of the pull to 0
FREQUENT, ADVANTAGE = (
    ("hi", "ru", "ar"),
    1.0,
)  # most texts in their scripts are in these languages: log odds over the others
_FILE = re.compile(r"locale/([a-z]+)[A-Za-z_@]*/LC_MESSAGES/\w+\.mo$")
_MARKUP = re.compile(r"%\(\w+\)[sd]|%[sd]|\{[^}]*\}|<[^>]+>|&\w+;|https?://\S+")


def messages(folder: Path) -> dict[str, list[str]]:
    """The messages by language; English ones are those that the others translate."""
    found: dict[str, set[str]] = {"en": set()}
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if match := _FILE.search(name):
                    catalog = gettext.GNUTranslations(io.BytesIO(archive.read(name)))._catalog  # type: ignore[attr-defined]
                    for key, text in catalog.items():
                        source = key if isinstance(key, str) else key[0]
                        if text and source and text != source:
                            found.setdefault(match[1], set()).add(plain(text))
                            found["en"].add(plain(source))
    found["en"].update(sample_texts())
    return {language: sorted(texts) for language, texts in found.items()}


def sample_texts() -> list[str]:
    """The texts of the built-in samples."""
    rows = [json.loads(line) for name in NAMES for line in sample_path(name).read_text("utf-8").splitlines()]
    return [row[field] for row in rows for field in ("review", "claim", "evidence") if field in row]


def plain(text: str) -> str:
    """A message without places for values, markup and addresses."""
    return " ".join(_MARKUP.sub(" ", text).split())


def training_texts(texts: list[str], rng: random.Random) -> list[str]:
    """Messages, several in a row, and short cuts of them."""
    made: list[str] = []
    while len(made) < TEXTS:
        words = " ".join(rng.choice(texts) for _ in range(rng.choice([1, 1, 1, 2, 4]))).split()
        if rng.random() < 0.5 and len(words) > 6:
            start = rng.randrange(len(words) - 5)
            words = words[start : start + rng.randint(3, 10)]
        text = " ".join(words)
        if sum(character.isalpha() for character in text) >= FEWEST_LETTERS:
            made.append(text)
    return made


def features(texts: list[str], n_buckets: int) -> csr_matrix:
    """Texts x buckets, as `ScriptModel.probabilities` computes it for one text."""
    found = [buckets(text, n_buckets=n_buckets) for text in texts]
    starts = np.cumsum([0, *map(len, found)])
    matrix = csr_matrix((np.ones(starts[-1]), np.concatenate(found), starts), shape=(len(texts), n_buckets))
    matrix.sum_duplicates()
    matrix.data = np.sqrt(matrix.data)
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return csr_matrix(diags(1 / lengths) @ matrix)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    by_language, rng = messages(options.wheels), random.Random(options.seed)
    saved: dict[str, np.ndarray] = {"scripts": np.array(list(LANGUAGES))}
    for script, names in LANGUAGES.items():
        languages = names.split()
        texts = [text for language in languages for text in training_texts(by_language[language], rng)]
        answers = np.repeat(np.arange(len(languages)), TEXTS)
        model = LogisticRegression(C=STRENGTH, max_iter=60, tol=1e-3)
        model.fit(features(texts, BUCKETS[script]), answers)
        scale = np.abs(model.coef_).max() / 127
        saved[f"{script}_languages"] = np.array(languages)
        saved[f"{script}_weights"] = np.round(model.coef_.T / scale).astype(np.int8)
        saved[f"{script}_scale"] = np.float32(scale)
        saved[f"{script}_intercepts"] = (model.intercept_ + ADVANTAGE * np.isin(languages, FREQUENT)).astype(
            np.float32
        )
        print(f"{script}: {len(languages)} languages, {len(texts):,} texts", flush=True)
    path = Path(longway.languages.__file__).parent / MODEL
    np.savez_compressed(path, **saved)
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
