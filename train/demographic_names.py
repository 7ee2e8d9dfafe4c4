"""Choose the names that the perturbation writes, out of the census table that ships (`longway.english.people.person_names`).

python train/demographic_names.py

    first names   97 of 100 of one gender, 75 of 100 of one group ("any": of no group so clearly), borne by enough people (`LEAST`)
    open names    first names of both: at least a quarter each, 5,000 people or more; for people whose gender is left open
    surnames      75 of 100 of one group
    by hand       Native American and Pacific Islander names, which the census hardly tells apart

Of each kind the commonest, a few for each first letter, so that nearly every name finds one with its own letter. Names that
read as another word at the start of a sentence are left out. The same table always gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "longway"
FOLDER = PACKAGE / "english" / "people"
SOURCE, TARGET = FOLDER / "census_names.tsv.gz", FOLDER / "replacement_names.tsv"
GROUPS = ("white", "black", "asian", "native-american", "hispanic")  # the columns of the table
FROM_THE_TABLE = ("white", "black", "hispanic", "asian", "any")
SURE_GENDER, SURE_GROUP, OPEN = 97, 75, (25, 75)  # per cent
LEAST = {
    "white": 10_000,
    "any": 10_000,
    "hispanic": 3_000,
    "black": 1_000,
    "asian": 1_000,
}  # people that bear a first name
LEAST_OPEN = 5_000
SHORTEST = 3  # letters of a first name; shorter ones are words too often
A_LETTER, A_LETTER_SURNAME = 6, 4  # names for each first letter

LEFT_OUT = frozenset(
    # words, places and titles
    "an ash baby do ma infante banks battle best blessing brisa cadet capers carey charity chase cherish cherry chin china comfort cook cooks "
    "crystal dawn day dean deja desire destiny doe drew drum dung essence evens faith fan fanta favors flor ford forrest "
    "frank georgia german ginger god grace grant gross han hang harsh heath heaven holly hong hope hung hunter im innocent "
    "ireland islam israel ivory ivy jasmine jesus jewel joy justice king lam lang legend loan long love luz mahogany major "
    "malaysia mark marquis may mercy merry messiah milan miles miracle montana my nana ni ocean oh olive oo opal ou pearl "
    "penny per phoenix pierce piper polite precious prince princess promise queen quick ref reign reina rich river rob robin "
    "rose royal sage said sailor saint salem sandy sang scout session shu sky smalls sol song sow star storm sue summer sun "
    "sunny tanner the tiger tong tram trinidad trinity tucker unique urban uy valentine van virginia wade walker will willow "
    "wing winsome wolf wood york young "
    # surnames that are first names or the other way round
    "alexis antoine baker begum ben billie billy booker campbell carter chan charley chen chung collins cooper dick ellison "
    "eugene evan factor janis jim joe johns jose juan jules kaur kim largo lee leonard li mason mathew md mike mohamed mohammed "
    "monroe muhammad murphy nguyen palmer parker pete richards ryan sam santana singh syed syeda todd tom tracy tyler vincent "
    "wang willie yang "
    # short for a phrase in another language, or of no clear use as a name
    "ahn asuncion babu bah cam cing cris cuc hye kyaw nery obdulia sanjuana sanjuanita tou "
    # which the census writes without the marks and spaces they have
    "annemarie annmarie deangelo delacruz delarosa delatorre deleon jeanbaptiste jeancharles jeanlouis jeanpierre joann "
    "macdonald maryann maryanne maryjane mccarthy mcdonald mcguire mckinley mckoy mclaughlin obrien oconnor odonnell oneal "
    "oneil oneill pierrelouis williemae".split()
)
BY_HAND = {
    ("first", "woman", "native-american"): "Aiyana Anevay Chenoa Halona Kateri Keyah Lahoma Natane Nizhoni Orenda Sacheen Shandiin "
    "Shoni Tallulah Tashina Tehya Wenona Winona Wynema",
    ("first", "man", "native-american"): "Chayton Cochise Dasan Delsin Dyami Faron Kenai Leander Manuelito Mato Philbert Takoda Tecumseh "
    "Tyee Wacey",
    ("first", "non-binary", "native-american"): "Chaska Dakota Nakoma Nakota Quanah Sequoyah Tayen",
    ("surname", "-", "native-american"): "Antone Bahe Begay Begaye Benally Billiot Bitsui Chavis Chee Chino Curley Decoteau Defoe Deschenie "
    "Echohawk Etsitty Goldtooth Harjo Honanie Locklear Lomayesva Manygoats Nakai Nez Oxendine Peshlakai Platero Redhouse "
    "Silversmith Tallchief Tso Tsosie Vandever Walkingstick Whitehorse Yazzie Youngbear",
    ("first", "woman", "pacific-islander"): "Haunani Hokulani Ilima Iolani Kahealani Kailani Kalolaine Kanoelani Kawehi Kealani Kehaulani "
    "Kuuipo Kuulei Lani Lehua Leialoha Leilani Leimomi Leinaala Mahealani Malia Mele Meleane Moana Momi Nalani Nani Noelani Pualani "
    "Puanani Salote Seini Uilani",
    ("first", "man", "pacific-islander"): "Akoni Ikaika Inoke Ioane Kaimana Kaipo Kaleo Kamuela Kanoa Kapena Kapono Kawika Kealii Kekai "
    "Kekoa Kelii Keola Keoni Koa Lopaka Makoa Manoa Nainoa Palani Pono Semisi Siaosi Sione Tevita Viliami",
    ("first", "non-binary", "pacific-islander"): "Kaimi Kalai Kawai Kealoha Makana",
    ("surname", "-", "pacific-islander"): "Aguon Akana Faumuina Fifita Finau Fonoti Fonua Havili Kahale Kahele Kaleikini Kalua Kamaka Kanahele "
    "Kapule Kaufusi Keawe Kekona Lafaele Latu Leiataua Leota Mafnas Mahe Mahoe Manibusan Mauga Moala Nakoa Naputi Palakiko Quinata "
    "Quitugua Seumalo Tagaloa Taitano Toilolo Tuiasosopo Tuilagi Tupou Vea",
}  # fmt: skip


class Row(NamedTuple):
    """A line of the file."""

    name: str
    gender: str
    group: str
    kind: str
    source: str


def main() -> None:
    """Choose, write, say how many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    chosen = rows()
    options.out.write_text(written(chosen), encoding="utf-8")
    for (kind, group, gender), count in sorted(Counter((r.kind, r.group, r.gender) for r in chosen).items()):
        print(f"{count:5} {kind} {group} {gender}")


def rows() -> list[Row]:
    """All lines of the file, in its order."""
    first, _, last = gzip.decompress(SOURCE.read_bytes()).decode().partition("\n\n")
    by_hand = [
        Row(name, gender, group, kind, "hand")
        for (kind, gender, group), names in BY_HAND.items()
        for name in names.split()
    ]
    taken = LEFT_OUT | {row.name.lower() for row in by_hand}
    chosen = [*_first_names(_table(first), taken), *_surnames(_table(last), taken)]
    return sorted({*chosen, *by_hand}, key=lambda r: (r.kind, r.group, r.gender, r.name))


def written(chosen: Iterable[Row]) -> str:
    """The text of the file."""
    head = [
        "# Names that people get when their gender or their group is changed. Made by train/demographic_names.py; word_lists.md describes the rule.",
        "# " + "\t".join(Row._fields),
    ]
    return "\n".join([*head, *("\t".join(row) for row in chosen)]) + "\n"


def _table(text: str) -> list[tuple[str, list[int]]]:
    """Names with their figures, the commonest first."""
    lines = (line.split("\t") for line in text.splitlines())
    return sorted(((name, [int(n) for n in rest]) for name, *rest in lines), key=lambda r: (-r[1][0], r[0]))


def _first_names(table: list[tuple[str, list[int]]], taken: frozenset[str]) -> Iterator[Row]:
    room = Counter[tuple[str, str, str]]()
    for name, (count, female, *shares) in table:
        gender = _gender(female)
        group = _group(shares)
        if name in taken or len(name) < SHORTEST or gender is None or group not in FROM_THE_TABLE:
            continue
        least = LEAST_OPEN if gender == "non-binary" else LEAST[group]
        room[group, gender, name[0]] += count >= least
        if count >= least and room[group, gender, name[0]] <= A_LETTER:
            yield Row(name.capitalize(), gender, group, "first", "census")


def _surnames(table: list[tuple[str, list[int]]], taken: frozenset[str]) -> Iterator[Row]:
    room = Counter[tuple[str, str]]()
    for name, (_, *shares) in table:
        group = _group(shares)
        if name not in taken and group in FROM_THE_TABLE and group != "any":
            room[group, name[0]] += 1
            if room[group, name[0]] <= A_LETTER_SURNAME:
                yield Row(name.capitalize(), "-", group, "surname", "census")


def _gender(female: int) -> str | None:
    if max(female, 100 - female) >= SURE_GENDER:
        return "woman" if female > 50 else "man"
    return "non-binary" if OPEN[0] <= female <= OPEN[1] else None


def _group(shares: list[int]) -> str:
    share, group = max(zip(shares, GROUPS, strict=True))
    return group if share >= SURE_GROUP else "any"


if __name__ == "__main__":
    main()
