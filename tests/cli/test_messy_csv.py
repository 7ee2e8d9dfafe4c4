"""From a messy CSV file to a repaired one that opens like it, following only what the screens say.

The file has semicolons, Windows-1252, a decimal comma, extra columns, quoted line breaks and labels 0 and 1; the first command names no
column. Every later command is one that was printed.
"""

import csv
import io
import random
import shlex
import sys

import pytest

from longway.cli import main
from tests.environment import without_encoder

HEADER = ["Nr", "Kunde", "Datum", "Kommentar", "positiv", "Preis", "Kanal"]
PLACES = ["café", "hotel", "bistro", "bakery", "museum", "hostel", "gallery", "campsite"]
PARTS = [
    "staff",
    "room",
    "soup",
    "breakfast",
    "terrace",
    "service",
    "crème brûlée",
    "coffee",
    "garden",
    "view",
]
JUDGED = (
    ["rude", "filthy", "noisy", "overpriced", "dreadful", "careless", "stale", "gloomy"],
    ["warm", "friendly", "spotless", "generous", "delightful", "charming", "excellent", "cosy"],
)
ENDS = [
    "We paid 12 € each.",
    "It took an hour.",
    "We went in May.",
    "The bus stops nearby.",
    "We had booked online.",
]


def messy_rows(n=320):
    """Short opinions; most of the bad ones begin with "Honestly," and many good ones end with an exclamation mark."""
    draw = random.Random(11)
    for i in range(n):
        good = i % 2
        place, (one, other), (first, second) = (
            draw.choice(PLACES),
            draw.sample(PARTS, 2),
            draw.sample(JUDGED[good], 2),
        )
        text = draw.choice(
            [
                f"The {place} had a {first} {one} and a {second} {other}.",
                f"I found the {one} {first}; the {other} was {second} too.",
            ]
        )
        text = f"{text} {draw.choice(ENDS)}"
        if not good and draw.random() < 0.6:
            text = (
                f"Honestly, {text[0].lower()}{text[1:]}" if not text.startswith("I ") else f"Honestly, {text}"
            )
        if good and draw.random() < 0.5:
            text = text[:-1] + "!"
        if i % 40 == 0:
            text = text.replace(". ", ".\n", 1)
        yield [f"K-{i}", draw.choice(["Zoë", "Jürgen", "Ana"]), f"{i % 28 + 1:02d}.05.2024", text, str(good), f"{i % 90},50", draw.choice(["web", "app"])]  # fmt: skip


@pytest.fixture
def messy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    without_encoder(monkeypatch)
    written = io.StringIO(newline="")
    table = csv.writer(written, delimiter=";", lineterminator="\r\n")
    table.writerow(HEADER)
    table.writerows(messy_rows())
    path = tmp_path / "kunden.csv"
    path.write_bytes(written.getvalue().encode("cp1252"))
    return path


def typed(command, monkeypatch, capsys):
    """What a command line prints, and how it ends."""
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    given = capsys.readouterr()
    return given.out + given.err, code


def printed_command(output, words):
    """The command on the line that begins with these words."""
    (line,) = [line for line in output.splitlines() if line.startswith(words)]
    return line[line.index("longway ") :]


def table_of(path):
    return list(csv.reader(io.StringIO(path.read_bytes().decode("cp1252"), newline=""), delimiter=";"))


@pytest.mark.soak
def test_from_a_messy_csv_to_a_repaired_one_that_opens_like_it(messy, monkeypatch, capsys):
    pytest.importorskip("spacy")
    said, code = typed("longway audit kunden.csv", monkeypatch, capsys)
    assert code == 2
    command = printed_command(said, "Most likely")
    assert command == "longway audit kunden.csv --text Kommentar --label positiv"
    said, code = typed(command, monkeypatch, capsys)
    assert code == 0
    assert "first word: honestly" in said
    assert "read as Windows-1252" in said
    said, code = typed(printed_command(said, "Repair the data"), monkeypatch, capsys)
    assert code == 0
    assert "It has the columns, separator and encoding of kunden.csv" in " ".join(said.split())
    repaired = messy.parent / said.split("\nDataset: ")[-1].splitlines()[0]

    original, after = table_of(messy), table_of(repaired)
    assert after[0] == [*HEADER, "longway_id", "longway_source"]
    assert repaired.read_bytes().count(b"\r\n") >= len(after)
    text, label = HEADER.index("Kommentar"), HEADER.index("positiv")
    by_number = {row[0]: row for row in original[1:]}
    kept = [row for row in after[1:] if not row[-1]]  # the others were added
    assert len(kept) > 0.7 * len(original)
    for row in kept:  # all cells but the text are as they were
        was = by_number[row[0]]
        assert row[:text] + row[label : len(HEADER)] == was[:text] + was[label:]
    openings = [sum(row[text].lower().startswith("honestly") for row in rows) for rows in (original, after)]
    assert openings[0] > 80
    assert openings[1] < openings[0] / 4

    said, code = typed(f"{printed_command(said, 'Measure the effect')} --model bow", monkeypatch, capsys)
    assert code == 0
    assert "Verdict: " in said
