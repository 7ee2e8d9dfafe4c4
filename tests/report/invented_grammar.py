"""A grammar run to show: pairs in the manner of SNLI. All sentences and figures are invented."""

from copy import deepcopy

from longway.grammars.trees import Tree, brackets

TREE = "(3 (14 (41 a/a) (32 man/woman)) (7 (78 sits/sits) (17 (49 ε/to) (50 ε/rest))))"


NAME = "a ___ (man → woman, boy → girl or 7 more)"


def composite(root=14, label="no", spans=("a man/a woman", "a boy/a girl"), q=1e-4, name=NAME):
    example = {
        "id": "5",
        "text": "A woman sits.",
        "context": "A man sits.",
        "marks": [[0, 7]],
        "context_marks": [[0, 5]],
        "phrase": "a man → a woman",
    }
    return {
        "root": root, "label": label, "spans": list(spans), "subtrees": 9, "count": 120, "counts": {"no": 108, "yes": 12},
        "share": 0.9, "mutual_information": 0.08, "q": q, "name": name, "tested": 90, "tested_share": 0.85, "points": 0.07, "low": 0.762, "high": 0.909,
        "relation": "replaced" if " → " in name else "added", "examples": [example],
    }  # fmt: skip


def tables():
    """The content of tables.json."""
    side = {"group": "supporting", "n": 10, "accuracy": 0.8, "low": 0.5, "high": 0.9}
    accuracy = {"supporting": side, "counter": side | {"group": "counter", "n": 4, "accuracy": 0.25}, "gap": 0.55, "gap_low": 0.1, "gap_high": 0.8}  # fmt: skip
    picture = {"root": 14, "composite": "no", "side": "supporting", "id": "7", "label": "no", "tree": TREE, "marks": [2], "marked": "a man/a woman", "name": NAME}  # fmt: skip
    return {
        "version": 1, "longway": "0.1", "created": "2026-01-01T00:00:00Z",
        "dataset": {"name": "pairs.jsonl", "rows": 600, "used": 600, "labels": {"no": 300, "yes": 300}, "fields": {"text": "hypothesis", "context": "premise"}, "guessed": [], "fingerprint": "f"},
        "grammar": {
            "kind": "pair", "nonterminals": 32, "preterminals": 64, "dimension": 256, "words": 1200, "device": "cpu", "rows": 510, "labels": {"no": 255, "yes": 255},
            "texts": 510, "held_out": "held out", "held_out_rows": 90, "held_out_texts": 90, "epochs": 5, "held_out_nats_per_word": 2.41,
            "history": [{"epoch": 1, "held_out": 3.0}, {"epoch": 2, "held_out": 2.41}], "kinds": 58, "tested_rows": 384, "min_word_count": 3,
        },
        "composites": [composite() | {"accuracy": accuracy}, composite(17, "yes", ["ε/to rest"], None, "added: to rest")],
        "rules": [{"rule": "3 → 14 7", "label": "no", "outlines": ["(3 (14 a man/a woman) (7 sits/sits))"], "count": 40, "share": 0.7, "mutual_information": 0.02, "q": 0.01, "name": "a man → a woman + copied: sits"}],
        "classifier": {"name": "bow", "accuracy": 0.71, "rows": 90},
        "pictures": [picture, picture | {"side": "counter", "label": "yes", "id": "8"}],
        "wrong": [{"id": "9", "label": "yes", "answer": "no", "tree": TREE, "marks": [2], "rules": [{"rule": "14 → 41 32", "ratio": 6.5, "span": "a man/a woman", "name": "a man → a woman"}]}],
        "contrast": [
            {
                "edit": "hypernym", "sets": 25, "examples": 40, "counted": 20, "error": 0.25, "low": 0.112, "high": 0.469, "shortcut": "yes",
                "example": {"id": "11", "edit": "hypernym", "before": "A man bakes.", "after": "A person bakes.", "label": "no", "what": "man → person", "context": "A man sails.", "row_label": "no", "answer": "yes"},
            }
        ],
        "tested": {"grammar": 900}, "significant": {"grammar": 60},
        "problems": [{"kind": "too_long", "message": "12 pairs were not parsed.", "count": 12, "next_step": "Nothing to do.", "rows": []}],
        "settings": {"nonterminals": 32, "seed": 0, "texts": None},
    }  # fmt: skip


def hostile_tables(hostile_text):
    """The same with hostile text wherever a dataset can put some, in far larger lists."""
    bad = hostile_text
    made = tables()
    names = [bad(at) for at in range(40)]
    made["dataset"] |= {
        "name": bad(0),
        "labels": dict.fromkeys(names, 5),
        "fields": {"text": bad(5), "context": bad(6)},
    }
    made["grammar"] |= {"labels": dict.fromkeys(names, 5)}
    row = made["composites"][0]
    made["composites"] = [
        row
        | {
            "label": bad(at),
            "spans": [bad(at + i) for i in range(9)],
            "name": bad(at),
            "relation": bad(at),
            "examples": [bad_row(bad, at)] * 9,
            "q": None if at % 3 else 0.01,
        }
        for at in range(90)
    ]
    made["rules"] = [
        made["rules"][0] | {"label": bad(at), "outlines": [bad(at)] * 9, "name": bad(at)} for at in range(50)
    ]
    made["classifier"]["name"] = bad(1)
    picture, wrong = made["pictures"][0], made["wrong"][0]
    made["pictures"] = [
        picture | {"root": at, "composite": bad(at), "label": bad(at), "id": bad(at), "tree": tree(bad, at), "marks": [0, 99, -1], "marked": bad(at), "name": bad(at)}
        for at in range(60)
    ]  # fmt: skip
    made["wrong"] = [
        deepcopy(wrong) | {"id": bad(at), "label": bad(at), "answer": bad(at + 1), "tree": tree(bad, at)} for at in range(60)
    ]  # fmt: skip
    contrast = made["contrast"][0]
    bad_example = contrast["example"] | {"id": bad(1), "before": bad(2), "after": bad(3), "label": bad(4), "context": bad(5), "answer": bad(6)}  # fmt: skip
    made["contrast"] = [contrast | {"edit": bad(at), "shortcut": bad(at), "example": bad_example} for at in range(40)]  # fmt: skip
    made["problems"] = [made["problems"][0] | {"message": bad(at), "next_step": bad(at)} for at in range(90)]
    return made


def bad_row(bad, at):
    return {
        "id": bad(at),
        "text": bad(at),
        "context": bad(at + 1),
        "marks": [[0, 3], [-5, 10**9]],
        "context_marks": [[9, 2]],
        "phrase": bad(at),
    }


def tree(bad, at):
    """A tree of hostile words: of two leaves, of many, of far too many."""
    made = Tree(40, words=(bad(at), bad(at + 1)))
    for i in range((1, 20, 200)[at % 3]):
        made = Tree(1, (Tree(41, words=(bad(at + i), "")), made))
    return brackets(made, pair=True)
