"""Engines by hand, for tests that need no server."""

from longway.engines.engine import Engine, Judgement, Usage, Written


class ToyEngine(Engine):
    """Computes here: says the text backwards, and counts what it was asked."""

    name = "toy"
    can = frozenset({"write", "judge"})

    def __init__(self, *, on_write=None):
        self.asked, self.on_write = [], on_write

    @property
    def identity(self):
        return {"engine": "toy"}

    async def write(self, prompt, n, sampling, call=None):
        self.asked.append(prompt.text)
        if self.on_write is not None:
            self.on_write(self)
        return Written((prompt.text[::-1],), how=("backwards",), usage=Usage(cost=0.0))

    async def judge(self, prompt, options, call=None):
        self.asked.append(prompt.text)
        return Judgement({option: 1 / len(options) for option in options})

    async def close(self):
        self.asked.append("closed")
