"""A text's grammar as a tree that can be changed: what `text/clear.py` works on and `text/clear_words.py` reads."""

from __future__ import annotations

from collections.abc import Sequence

from longway.text.document import Word

BE = frozenset("be am is are was were been being 'm 're 's ai".split())  # as verbs, where "'s" is not "have"
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
AUXILIARIES = ("aux", "aux:pass", "cop")


class Tree:
    """Words with heads and labels that can be changed; call `refresh` after changes to see them from above."""

    def __init__(self, words: Sequence[Word], head: list[int], dep: list[str]) -> None:
        self.words, self.head, self.dep = words, head, dep
        self.tag = [word.tag for word in words]
        self.lower = [word.lower for word in words]
        for i, above in enumerate(head):
            if above == i:
                dep[i] = "root"
            elif dep[i] in ("ROOT", "root"):
                dep[i] = "dep"
        self.refresh()

    def refresh(self) -> None:
        """See the tree from above anew, after changes."""
        self.below: list[list[int]] = [[] for _ in self.words]
        self._labelled: list[dict[str, list[int]]] = [{} for _ in self.words]
        for i, above in enumerate(self.head):
            if above != i:
                self.below[above].append(i)
                self._labelled[above].setdefault(self.dep[i], []).append(i)

    def labelled(self, i: int, *labels: str) -> list[int]:
        """The words below with one of the labels, in order."""
        if not self.below[i]:
            return []
        found = [self._labelled[i][label] for label in labels if label in self._labelled[i]]
        return found[0] if len(found) == 1 else sorted(k for group in found for k in group)

    def has(self, i: int, *labels: str) -> bool:
        """True where a word below has one of the labels."""
        return any(label in self._labelled[i] for label in labels)

    def promote(self, i: int, label: str) -> None:
        """The word takes its head's place; the head goes below it with the label."""
        above = self.head[i]
        self.head[i] = i if self.head[above] == above else self.head[above]
        self.dep[i] = self.dep[above]
        self.head[above], self.dep[above] = i, label

    def move(self, i: int, above: int, label: str) -> None:
        """The word goes below another one, with a label."""
        self.head[i], self.dep[i] = above, label

    def downwards(self) -> list[int]:
        """All words, each after its head."""
        order = [i for i, above in enumerate(self.head) if above == i]
        for i in order:  # it grows while it is read
            order.extend(self.below[i])
        return order

    def is_verb(self, i: int) -> bool:
        """True for a verb, by tag or part of speech."""
        return self.tag[i].startswith("VB") or self.words[i].upos in ("VERB", "AUX")

    def is_be(self, i: int) -> bool:
        """True for a form of be, contracted ones too."""
        lemma = self.words[i].lemma
        return self.is_verb(i) and (lemma == "be" or (self.lower[i] in BE and lemma != "have"))

    def is_preposition(self, i: int) -> bool:
        """True for a preposition, by tag, part of speech or label."""
        return self.words[i].upos == "ADP" or self.tag[i] == "IN" or self.dep[i] in ("prep", "agent")

    def is_infinitive(self, i: int) -> bool:
        """True for a verb with to."""
        return any(self.tag[k] == "TO" for k in self.labelled(i, "aux", "mark"))

    def is_person(self, i: int) -> bool:
        """True for a word of a person's name."""
        return self.words[i].upos == "PROPN" and self.words[i].entity == "PERSON"

    def is_first_name(self, i: int) -> bool:
        """True for a name that CLEAR hangs on a later name of the same person."""
        return self.dep[i] == "compound" and self.is_person(i) and self.is_person(self.head[i])

    def is_clause(self, i: int) -> bool:
        """True for a verb or whatever else has a subject."""
        return self.is_verb(i) or self.has(i, *SUBJECTS, "mark", "aux")
