"""Wrong predictions explained in two ways: a saliency map, and the strongest rule of the tree (section 6, Table 9 of the paper).

python papers/grammar/table9.py                                                             learns a small grammar of SNLI here
python papers/grammar/table9.py --trees train_balanced_trees.txt dev_trees.txt              with what was parsed elsewhere

A classifier is trained on the rows that the grammar learned from. For the wrong predictions on held-out rows that rules favour most it prints
both texts with the five words of the saliency map in brackets (the highest L2 norms of integrated gradients), the phrases of the
rules, and what the classifier predicts without the words of the first rule. If that is right, it relied on the phrase.
Options: see shared.py.
"""

from __future__ import annotations

import shared
from longway.grammars.forest import Forest
from longway.jobs.grammar.tables import wrong_predictions
from runs_common import common
from saliency import Explained, with_saliency
from shared import examples, inputs_of, trained
from snli import DEV, LABELS, TRAIN


def main() -> None:
    parser = shared.parser_of(__doc__)
    parser.add_argument("--test-limit", type=int, help="held-out rows")
    shared.add_classifiers(parser)
    options = parser.parse_args()
    train, held_out = shared.parsed(options, TRAIN, DEV)
    forest, rows = Forest(train.trees), {row.id: row for row in examples(held_out)}
    figures = {}
    for asked in options.models:
        answers = trained(asked, options, train, held_out)
        model = answers.models[0]
        predicted = model.predict(inputs_of(examples(held_out)))
        wrong = wrong_predictions(forest, train, held_out, LABELS, predicted)
        explained = with_saliency(wrong, [rows[one.id] for one in wrong], model)
        for one in explained:
            show(one)
        tested = [one for one in explained if one.without is not None]
        right = sum(one.without == one.row.label for one in tested)
        print(f"\nwithout the phrase, the prediction becomes right in {right} of {len(tested)}")
        figures[answers.name] = {"explained": len(explained), "tested": len(tested), "becomes_right": right}
    common.finish("papers/grammar/table9.py", rows=len(train.rows), held_out=len(held_out.rows), **figures)


def show(one: Explained) -> None:
    """Print a wrong prediction with its saliency map, its rules, and the prediction without the phrase."""
    print(f"\n{one.row.id}: {one.row.label}, predicted {one.wrong.answer}")
    for field, text in (("context", one.row.context or ""), ("text", one.row.text)):
        words = [word for word in one.salient if word.field == field]
        for word in sorted(words, key=lambda word: word.start, reverse=True):
            text = f"{text[: word.start]}[{text[word.start : word.end]}]{text[word.end :]}"
        print(f"    {text}")
    for rule in one.wrong.rules:
        print(f"    {rule.span}: {rule.ratio:.1f} times as frequent in rows of the predicted label")
    if one.without is not None:
        print(f"    without {one.wrong.rules[0].span}: predicted {one.without}")


if __name__ == "__main__":
    main()
