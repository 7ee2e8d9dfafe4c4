"""The small model with the writer's adapter in its weights, run inside this process by ONNX Runtime.

    model = loaded_with(path, adapter)                 both GGUF files; read once however many engines share it
    model.draw(lines, [0.7, 0.7, 0.9], ...)            a continuation for each temperature, all written side by side
    model.likelihoods(lines, options)                  how likely each option is as the continuation

Nothing stays from call to call: the same call on the same machine gives the same answer, whatever was asked before. Other machines and
versions may differ in the last digits, and a draw with them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np

from longway.errors import CallFailed, EngineError, SettingError
from longway.llm.gguf import CONTEXT, Draw
from longway.llm.llama_onnx import Network, with_adapter
from longway.llm.own_thread import OwnThread
from longway.llm.scoring.gguf_weights import open_gguf
from longway.llm.scoring.llama import BETWEEN_TEXTS, tokenizer_of
from longway.llm.token_draws import draw_token

TOKENS_AT_ONCE = 6144  # remembered for all continuations together: 46 KB each
ENDED = 4  # continuations that must have ended before the others are moved together
_LINE_END = "Ċ"  # as the vocabulary writes it
_ENDS = (BETWEEN_TEXTS, "<|im_end|>")


def loaded_with(path: Path, adapter: Path) -> OnnxModel:
    """The model in a file with an adapter in its weights."""
    with _loading:
        key = str(path.resolve()), str(adapter.resolve())
        model = _models.get(key)
        if model is None:
            model = _models[key] = OnnxModel(path, adapter)
        return model


def onnx_back_end() -> str:
    """Name and version of what runs the model."""
    return f"onnxruntime {version('onnxruntime')}"


class OnnxModel(OwnThread):
    """A loaded model; `loaded_with` gives one."""

    def __init__(self, path: Path, adapter: Path) -> None:
        super().__init__()
        try:
            file = with_adapter(open_gguf(path), open_gguf(adapter))
            self._network = Network(file)
        except (ValueError, KeyError, OSError, SettingError) as error:
            raise EngineError(
                f"{path.name} could not be loaded with {adapter.name}. An adapter that fits the model was expected: {error}. "
                "Install longway again, or use --engine local:plain."
            ) from None
        self._tokenizer = tokenizer_of(file.settings)
        self._ends = frozenset(
            number
            for token, number in self._tokenizer.get_vocab().items()
            if _LINE_END in token or token in _ENDS
        )

    def draw(
        self,
        lines: str,
        temperatures: Sequence[float],
        *,
        top_p: float,
        most: int,
        seed: int,
        pushed: Mapping[int, float] | None = None,
    ) -> list[Draw]:
        """For each temperature a continuation to the end of its line, of at most `most` tokens.

        pushed: what is added to the log-likelihoods of some tokens.
        """
        ids = self._ids(lines)
        together = max(1, TOKENS_AT_ONCE // (len(ids) + most))
        found: list[Draw] = []
        for at in range(0, len(temperatures), together):
            rows = range(at, min(at + together, len(temperatures)))
            chances = [np.random.default_rng([seed, row]) for row in rows]
            found += self._drawn(ids, temperatures[at : rows.stop], chances, top_p, most, pushed or {})
        return found

    def likelihoods(self, lines: str, options: Sequence[str]) -> list[list[float]]:
        """For each option the log-likelihood of each of its tokens, after the lines."""
        said = [self._tokenizer.encode(option, add_special_tokens=False).ids for option in options]
        longest = max(map(len, said))
        reading = self._network.read(self._ids(lines), rows=len(said), room=longest)
        found: list[list[float]] = [[] for _ in said]
        for place in range(longest):
            for row, ids in enumerate(said):
                if place < len(ids):
                    found[row].append(float(reading.log_p[row, ids[place]]))
            if place + 1 < longest:  # a row that has ended reads on: nobody asks what follows
                reading.go_on([ids[min(place, len(ids) - 1)] for ids in said])
        return found

    def _ids(self, lines: str) -> list[int]:
        ids = list(self._tokenizer.encode(lines, add_special_tokens=False).ids)
        if len(ids) > CONTEXT:
            raise CallFailed(
                f"The small model was not asked. A text of a few sentences was expected. Got {len(lines)} characters, {len(ids)} tokens; "
                f"it takes {CONTEXT}."
            )
        return ids

    def _drawn(
        self,
        ids: list[int],
        temperatures: Sequence[float],
        chances: Sequence[np.random.Generator],
        top_p: float,
        most: int,
        pushed: Mapping[int, float],
    ) -> list[Draw]:
        tokens, amounts = list(pushed), np.array(list(pushed.values()), np.float32)
        written: list[list[int]] = [[] for _ in temperatures]
        totals, ended = [0.0] * len(written), [False] * len(written)
        reading = self._network.read(ids, rows=len(written), room=most)
        going = list(range(len(written)))  # which continuation each row of the reading is
        for _ in range(most):
            chosen = []
            for row, i in enumerate(going):
                log_p = reading.log_p[row]
                if tokens:
                    log_p = log_p.copy()
                    log_p[tokens] += amounts
                at = float(chances[i].random())
                token = draw_token(log_p, temperature=temperatures[i], top_p=top_p, at=at)
                if not ended[i]:
                    ended[i] = token in self._ends
                    written[i].append(token)
                    totals[i] += float(reading.log_p[row, token])
                chosen.append(token)
            if all(ended[i] for i in going):
                break
            on = [row for row, i in enumerate(going) if not ended[i]]
            if len(going) - len(on) >= ENDED:
                reading.keep(on)
                going, chosen = [going[row] for row in on], [chosen[row] for row in on]
            reading.go_on(chosen)
        return [
            Draw(
                self._tokenizer.decode([token for token in one if token not in self._ends]).strip(),
                end,
                len(one),
                total / max(1, len(one)),
            )
            for one, end, total in zip(written, ended, totals, strict=True)
        ]


_loading = threading.Lock()
_models: WeakValueDictionary[tuple[str, str], OnnxModel] = WeakValueDictionary()
