"""Mentions of people to show, in the manner of `recipes.people_counts`. All figures are invented."""

ROWS = [
    # column, axis, attribute, who, texts of REFUTES and SUPPORTS, mentions of each, words, q
    ("claim", "gender", "man", "a man", (310, 305), (420, 401), [("he", 240), ("his", 170), ("king's son", 4)], 0.91),
    ("claim", "gender", "woman", "a woman", (260, 140), (300, 160), [("she", 120), ("her", 110)], 0.0004),
    ("claim", "age", "child", "a child", (3, 1), (3, 1), [("boy", 4)], None),
    ("evidence", "race", "black", "a Black person", (20, 25), (31, 30), [("African American", 30)], 0.62),
]  # fmt: skip


def people(labels=("REFUTES", "SUPPORTS"), text=str):
    """Rows of findings.json; text: what is made of each word that a dataset brings."""
    return [
        {
            "field": text(field),
            "axis": axis,
            "attribute": attribute,
            "pattern": f"speaks of {who}",
            "texts": dict(zip(labels, texts, strict=False)),
            "mentions": dict(zip(labels, mentions, strict=False)),
            "words": [[text(word), number] for word, number in words],
            "p": None if q is None else q / 9,
            "q": q,
        }
        for field, axis, attribute, who, texts, mentions, words, q in ROWS
    ]
