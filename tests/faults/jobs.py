"""The commands that the campaign disturbs, on rows that were made for it, and servers that count what they are asked.

with Bench(folder) as bench:
    job = bench.job("rewrite")
    code, said = bench.starts.run(job.args("out"), cwd=bench.folder, env=bench.env)
"""

from __future__ import annotations

import csv
from contextlib import ExitStack
from dataclasses import dataclass, replace

from tests.engines.loopback import Loopback
from tests.faults.starts import Starts
from tests.jobs import toy_augment, toy_perturb, toy_run

N_ROWS = 40
COMMANDS = {
    "audit": "audit data.csv --levels -grammar",
    "rewrite": "rewrite data.csv --engine served:toy --paper --rounds 2 --k 14 --candidates 3 --stop never --balance equal",
    "augment": "augment data.csv --method counterfactual --engine served:toy --model bow",
    "coba": "augment praise.csv --engine rules --model bow --spurious sadly --variants 2",
    "perturb": "perturb bakers.csv --engine served:toy --axis gender",
    "prove": "prove data.csv after.csv --test other=test.csv --model nb --seeds 2",
}
ANSWERS = {"rewrite": toy_run.answer, "augment": toy_augment.answer, "perturb": toy_perturb.answer}


@dataclass(frozen=True)
class Job:
    """One command. server: who is asked, None where nobody is."""

    name: str
    server: Loopback | None

    @property
    def data(self):
        """The name of the file that it reads."""
        return COMMANDS[self.name].split()[1]

    def args(self, out):
        """The words of the command line."""
        address = [] if self.server is None else ["--base-url", self.server.url]
        return [*COMMANDS[self.name].split(), *address, "--out", out]

    def forget(self):
        """Have the server know nothing of earlier runs."""
        if self.server is not None:
            for counts in (self.server.keys, self.server.charged, self.server._made):
                counts.clear()

    def requests(self):
        """How often a request came for each key of a journal."""
        counts = {}
        for key, n in {} if self.server is None else list(self.server.keys.items()):
            call = key.split("-")[0]
            counts[call] = counts.get(call, 0) + n
        return counts


class Bench:
    """A folder with data, the process that starts commands, and the servers they ask."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {"XDG_CONFIG_HOME": str(folder / "config"), "LONGWAY_API_KEY": "", "OPENAI_API_KEY": ""}
        self._open = ExitStack()

    def __enter__(self):
        rows = toy_run.rows_of(2 * N_ROWS)
        write(self.folder / "data.csv", rows[:N_ROWS])
        write(self.folder / "after.csv", rows[:N_ROWS], "sadly ", "")
        write(self.folder / "test.csv", rows[N_ROWS:], "saw", "met")
        write(self.folder / "praise.csv", rows_to_turn_round(16))
        toy_perturb.write(self.folder / "bakers.csv", toy_perturb.bakers_of(N_ROWS))
        self.starts = self._open.enter_context(Starts())
        self._servers = {name: self._open.enter_context(_server(one)) for name, one in ANSWERS.items()}
        return self

    def __exit__(self, *_):
        self._open.close()

    def job(self, name):
        """A command by name."""
        return Job(name, self._servers.get(name))

    def run(self, job, out, **options):
        """Exit code and words of a job that is waited for."""
        return self.starts.run(job.args(out), cwd=self.folder, env=self.env, **options)

    def start(self, job, out, **options):
        """A job that runs."""
        return self.starts.start(job.args(out), cwd=self.folder, env=self.env, **options)


def write(path, rows, old="", new=""):
    """Rows as a CSV file, with one word in the place of another."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "review": row["review"].replace(old, new)} for row in rows)


def rows_to_turn_round(n):
    """Short reviews that the rules can turn round."""
    rows = []
    for i in range(n):
        words = (("awful", "boring"), ("great", "lovely"))[i % 2]
        sadly = "sadly " if i % 6 in (2, 4) else ""
        text = f"The film was {words[0]}. We {sadly}saw it on day {i}. The {toy_run.NOUNS[i % 8]} was {words[1]}."
        rows.append({"id": f"r{i}", "review": text, "label": ("negative", "positive")[i % 2]})
    return rows


def _server(answer):
    """Answers a few at a time and slowly enough to be caught in the middle; knows a call again by its key."""
    return Loopback(lambda call: replace(answer(call), wait=0.02), slots=4, remembers=True)
