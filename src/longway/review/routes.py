"""Every address of the review in one table: what can be asked, with which values, and what comes back.

    PAGES     GET  /edits          a page, and its JSON at /edits.json; the values behind ? and in the path reach the page as one dict
    ACTIONS   POST /decide         a JSON object or a form; answers JSON
    EXPORTS   GET  /export/...     a file to keep

server.py makes the application of it, openapi.py the description at /openapi.json. No value of these is ever a path of a file.
"""

from __future__ import annotations

from longway.review.fields import Field, Group, Text, Texts, Whole

KEY = Text(longest=24, pattern=r"[0-9a-f]{16}(-[0-9]{1,6})?")
NAME = Text(longest=60, pattern=r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,59}")
ANY = Text(longest=500, required=False)
NUMBER = Text(longest=12, required=False)
SEEN = Whole(required=False)
BACK = Text(
    longest=2000, pattern=r"/([^/\\\x00-\x20\x7f].*)?", required=False
)  # a form's: the page to go back to

FILTER: dict[str, Text | Whole | Texts] = {
    "status": Text(choices=("all", "kept", "refused"), required=False),
    "choice": Text(choices=("", "none", "accept", "reject", "hand"), required=False),
    "label": ANY,
    "method": ANY,
    "engine": ANY,
    "check": ANY,
    "search": ANY,
    "order": Text(choices=("file", "random", "score"), required=False),
}
PAGED = {"page": NUMBER, "size": NUMBER}

# Values behind the ? of each page; {…} in a name is a value in the path.
PAGES: dict[str, dict[str, Text | Whole | Texts]] = {
    "": {},
    "findings": {
        **dict.fromkeys(("level", "label", "field", "search", "choice"), ANY),
        "max_q": NUMBER,
        **PAGED,
    },
    "findings/{key}": {},
    "edits": {**FILTER, **PAGED},
    "edits/{key}": {**FILTER, "part": NUMBER},
    "data": {"search": ANY, "label": ANY, **PAGED},
    "data/{id}": {"part": NUMBER},
    "trees": {"page": NUMBER},
    "proof": {"page": NUMBER},
    "run": {},
    "sample": {},
    "sample/{name}": {"page": NUMBER},
}

ACTIONS: dict[str, dict[str, Field]] = {
    "decide": {
        "kind": Text(choices=("edit", "finding")),
        "key": KEY,
        "choice": Text(choices=("accept", "reject", "signal", "shortcut", "none")),
        "seen": SEEN,
        "back": BACK,
    },
    "decide-many": {
        "kind": Text(choices=("edit",)),
        "filter": Group(FILTER),
        "choice": Text(choices=("accept", "reject", "none")),
        "back": BACK,
    },
    "undo": {"batch": Whole(required=False), "back": BACK},
    "prepare": {"key": KEY},
    "hand": {"key": KEY, "text": Text(longest=100_000), "seen": SEEN, "back": BACK},
    "sample": {"name": NAME, "size": Whole(1, 2000), "seed": Whole(), "back": BACK},
    "tag": {
        "sample": NAME,
        "key": KEY,
        "tags": Texts(Text(longest=40), most=10),
        "seen": SEEN,
        "back": BACK,
    },
}

UNDECIDED = Text(choices=("as_run", "reject"), required=False)
EXPORTS = {
    "dataset": "the dataset with what was decided, in the format of the input",
    "edits.csv": "all edits and decisions, for spreadsheets",
    "everything.json": "all edits, findings and decisions",
}
