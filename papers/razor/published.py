"""The figures that the RAZOR paper prints, for papers/razor/tables.py to show beside ours.

Yang, Prenkaj, Kasneci: "RAZOR: Sharpening Knowledge by Cutting Bias with Unsupervised Text Rewriting" (AAAI 2025), with its
appendix. Per cent, mean ± standard deviation as printed. The paper does not define its F1. On FEVER-Adversarial, which is balanced,
it is above accuracy, which is impossible for macro F1; so it is the F1 of one label there.
"""

from __future__ import annotations

Figure = tuple[float, float | None]  # mean and standard deviation

CLASSIFIERS = ("BERT", "RoBERTa")
# Table 1. Each line: accuracy and F1 of BERT, then of RoBERTa.
_TABLE_1 = {
    "FEVER": """
Original        87.93±0.51 86.65±0.78 90.05±0.48 88.90±0.69
EDA             87.99±0.30 87.03±0.50 89.25±0.32 89.00±0.66
CrossAug        90.28±0.42 89.37±0.54 91.00±0.46 91.98±0.78
ReW             87.50±0.88 87.76±1.19 89.09±1.21 89.44±2.01
PoE             86.25±1.78 86.98±1.89 90.20±1.78 89.79±1.90
CLEVER          85.13±1.20 85.33±2.03 86.55±1.72 84.54±2.33
RAZOR_(Llama)   87.97±1.20 87.22±2.03 90.59±2.32 89.11±2.56
RAZOR_(ChatGPT) 88.73±2.23 88.39±2.20 90.45±1.99 90.22±2.11
""",
    "FEVER-Adversarial": """
Original        64.10±1.21 69.81±1.45 66.99±1.30 73.13±1.82
EDA             65.20±0.99 69.55±0.86 66.35±1.54 69.98±1.97
CrossAug        63.58±1.20 66.74±1.56 67.02±1.44 72.04±1.77
ReW             64.52±2.21 69.85±2.30 67.23±2.03 74.20±2.68
PoE             65.20±2.76 70.45±2.58 68.00±2.49 72.12±2.61
CLEVER          56.16±2.54 58.93±2.27 62.63±2.96 63.35±2.35
RAZOR_(Llama)   66.03±1.95 69.61±1.88 68.77±3.01 73.76±2.50
RAZOR_(ChatGPT) 66.66±1.98 73.78±1.37 69.21±1.64 76.08±2.02
""",
}
# Tables 2 (ChatGPT writes) and 3 (Llama writes). Test set, then the training set in parentheses; columns as above.
_ORIGINAL_NLI = """
MNLI(MNLI)  86.70±1.21 86.85±1.79 90.85±1.10 90.75±1.53
SNLI(MNLI)  83.05±1.38 84.41±2.01 90.30±1.27 91.08±1.55
MNLI(SNLI)  70.15±2.89 62.75±2.77 85.35±2.04 84.93±1.48
SNLI(SNLI)  91.65±0.80 91.74±0.91 95.05±0.72 95.01±0.80
"""
_RAZOR_NLI = {
    "2": """
MNLI(MNLI)  88.50±1.32 87.90±1.80 91.15±1.26 91.14±1.48
SNLI(MNLI)  84.75±1.72 85.07±2.44 91.45±1.29 91.42±1.68
MNLI(SNLI)  74.10±3.20 67.86±3.57 86.50±2.20 86.22±1.72
SNLI(SNLI)  93.20±1.11 93.16±1.26 95.15±0.70 95.17±0.98
""",
    "3": """
MNLI(MNLI)  86.80±1.32 86.88±1.80 91.55±1.38 91.45±1.70
SNLI(MNLI)  84.10±1.52 83.51±2.00 90.90±1.29 91.13±1.68
MNLI(SNLI)  74.25±2.92 68.73±3.14 85.50±1.98 85.76±2.24
SNLI(SNLI)  92.90±1.27 92.81±1.32 95.60±0.70 95.71±0.98
""",
}
# Table 4: corpus BLEU of the training set against the test sets FEVER and FEVER-Adversarial.
BLEU = {"Original": (13.33, 11.02), "RAZOR": (12.02, 22.41)}
# Section 4.1 with Fig. 3: change of "no" and "not" in 500 pairs of claims, per cent.
NEGATIONS = -36.2
# What the text says about figures whose points are not printed as numbers.
CLAIMS = {
    "fig3": 'paper: "no" and "not" fall by 36.2%; accuracy and F1 rise by ~3 points (BERT) and ~2 (RoBERTa)',
    "fig4": "paper: RAZOR is above the original, and far above the embedding space (curves, no figures)",
    "fig5": "paper: RAZOR gains 2 to 4 points of accuracy and F1 (curves, no figures)",
    "fig6": "paper: RAZOR reduces class confusion, especially of RoBERTa (a picture, no figures)",
    "repetition": "paper: repetition rates rule out leakage of test data (section 4.2, no figures)",
    "rounds": "paper: rounds end when Eq. 14 no longer improves (no figures)",
}


def _lines(block: str) -> dict[str, list[Figure]]:
    """Each line by its name.

    >>> _lines("A_b 1.5±0.25")
    {'A b': [(1.5, 0.25)]}
    """
    found: dict[str, list[Figure]] = {}
    for line in block.strip().splitlines():
        name, *cells = line.split()
        pairs = (cell.split("±") for cell in cells)
        found[name.replace("_", " ")] = [(float(mean), float(std)) for mean, std in pairs]
    return found


def table_1(test: str) -> dict[str, list[Figure]]:
    """The lines of Table 1 for FEVER or FEVER-Adversarial."""
    return _lines(_TABLE_1[test])


def table_nli(number: str) -> dict[str, tuple[list[Figure], list[Figure]]]:
    """Tables 2 and 3: test and training set -> the figures of the original and of RAZOR."""
    original, razor = _lines(_ORIGINAL_NLI), _lines(_RAZOR_NLI[number])
    return {name: (original[name], razor[name]) for name in original}
