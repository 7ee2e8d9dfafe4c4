"""croissant.json: the dataset and what is wrong with it, as machines read it.

Croissant 1.0 (mlcommons.org/croissant) with its extension for responsible AI: `rai:dataBiases` has the findings of severity high or worse,
`rai:dataLimitations` the leak and the problems of the data. Files and columns are described where the data was read from files.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from longway.detect.severity import HIGH, at_least
from longway.jobs.audit.result import AuditResult
from longway.report.excerpts import PATTERN_LIMIT, cut

FILE = "croissant.json"
CONTEXT = Path(__file__).with_name(
    "croissant_context.json"
)  # the words of JSON-LD, as the standard gives them
MAX_BIASES = 50
_ENCODINGS = {
    ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".jsonl": "application/jsonlines", ".ndjson": "application/jsonlines",
    ".parquet": "application/x-parquet", ".pq": "application/x-parquet",
}  # fmt: skip
_OTHER = "application/octet-stream"


def croissant(result: AuditResult, verdict: str, path: Path | None = None) -> dict[str, object]:
    """The content of croissant.json. verdict: the sentence of the report. path: the file that the data was read from, if it is one."""
    dataset = result.dataset
    content: dict[str, object] = {
        "@context": json.loads(CONTEXT.read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": _name(dataset.name),
        "description": f"{dataset.used:,} labelled texts. Audited with Longway {result.longway}: {verdict}",
        "rai:dataBiases": biases(result),
        "rai:dataLimitations": limitations(result),
    }
    if path is not None and path.is_file():
        content["distribution"] = [_file(path)]
        if path.suffix in _ENCODINGS:  # others cannot be read column by column
            content["recordSet"] = [_records(result)]
    return content


def biases(result: AuditResult) -> list[str]:
    """The findings of severity high or worse in words."""
    severe = at_least(HIGH, result.findings)[:MAX_BIASES]
    return [
        f"The pattern “{cut(finding.pattern.name, PATTERN_LIMIT)}” in {finding.field} predicts the label {cut(finding.label, PATTERN_LIMIT)}: "
        f"{finding.label_share:.0%} of the {finding.count:,} rows with it, {finding.base_rate:.0%} of all rows."
        for finding in severe
    ] or ["No surface pattern of severity high or worse was found."]


def limitations(result: AuditResult) -> list[str]:
    """The leak and the problems of the data in words."""
    leaks = [
        f"From {' + '.join(leak.columns)} a simple model predicts {leak.accuracy:.0%} of the labels (chance: {leak.majority:.0%})."
        for leak in (result.all_leaks or result.leaks).values()
    ]
    return [*leaks, *(problem.message for problem in result.problems)]


def _file(path: Path) -> dict[str, object]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": "file",
        "name": _name(path.name),
        "contentUrl": path.name,
        "encodingFormat": _ENCODINGS.get(path.suffix, _OTHER),
        "sha256": digest,
    }


def _records(result: AuditResult) -> dict[str, object]:
    columns = [column for column in result.dataset.fields.values() if column]
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"rows/{_name(column)}-{number}",
            "name": column,
            "dataType": "sc:Text",
            "source": {"fileObject": {"@id": "file"}, "extract": {"column": column}},
        }
        for number, column in enumerate(columns)
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": "rows",
        "name": "rows",
        "description": "One labelled text per row.",
        "field": fields,
    }


def _name(text: str) -> str:
    """The text as Croissant takes a name: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII).strip("-") or "dataset"
