"""The card of a perturbed dataset: what was done to it, for whoever gets the file later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longway.show.markdown import plain


def perturb_card(perturb: Mapping[str, Any]) -> str:
    """The card as Markdown; it holds figures and settings, and no text of the dataset."""
    dataset, settings = perturb["dataset"], perturb["settings"]
    done = (
        f"{perturb['added']:,} were added, none was changed"
        if settings["add"]
        else f"{perturb['changed']:,} have another text, none was added"
    )
    lines = [
        f"# {plain(dataset['name'])}, perturbed by Longway {perturb['longway']}",
        "",
        f"- Made: {perturb['created']}; engine {plain(perturb['engine'])}, sampling {settings['sampling']}, seed {settings['seed']}.",
        f"- Rows: {dataset['used']:,} used of {dataset['rows']:,}; {perturb['perturbable']:,} tell somebody's gender, race or age; {done}. "
        "Labels are as they were.",
        f"- Changed: {_axes(perturb)}.",
        f"- Who is spoken of, rows before and now: {_balance(perturb['balance'])}.",
        f"- Blocked as offensive: {perturb['blocked']:,}. Label in doubt, since the contrast of the pair went with the change: "
        f"{perturb['warned']:,}, of which {perturb['kept_warned']:,} were kept.",
        f"- Stopped because {perturb['stopped'] or 'it was done'}.",
        f"- Fingerprint of the data it was made from: {dataset['fingerprint']}.",
        "",
        "Every change is in edits.jsonl, with the word that was chosen and what it was to become. The column longway_id names the row it belongs to.",
        "Facts about people may no longer be true. Perturbed data does not make a model fair: it weakens what a model can learn from the",
        "words that were changed, and nothing else was measured here. The categories are those of the US Census and leave people out.",
        "",
    ]
    return "\n".join(lines)


def _axes(perturb: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{row['axis']} in {row['perturbed']:,} rows (of {row['rows']:,} that tell one)"
        for row in perturb["axes"]
    )


def _balance(rows: list[Mapping[str, Any]]) -> str:
    told = [
        f"{row['attribute']} {row['rows_before']:,} and {row['rows_after']:,}"
        for row in rows
        if row["rows_before"] or row["rows_after"]
    ]
    return ", ".join(told) or "nobody"
