"""How far does one row travel through a repair: in how many source files, and in how many forms?

    python bench/trace.py

Reviews of the built-in sample are repaired by rules while every function of Longway that returns is looked at: one row has a word that no
other row has, and an argument, a variable or a returned value that holds this word holds the row. A form is the layout of such a value: the
class of an object, the types in a tuple, the keys of a dict, the type in a list. `self` does not count, since an object that does
the work is no form of a row. The numbers of modules that an audit and a repair of a CSV file load are printed, too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType

import pandas
from jinja2 import Undefined

import longway

WORD = "zyxqvert"
SOURCE = str(Path(longway.__file__).parent)
LONGEST = 400  # elements of a container that are looked at
# Undefined: what a template does not have.
FLAT = (int, float, bool, bytes, complex, type(None), type, Undefined)
LOADS = """
import sys
sys.argv = ["longway", *{arguments!r}]
from longway.cli import main
try: main()
finally: print("modules", sum(name.split(".")[0] == "longway" for name in sys.modules), file=sys.stderr)
"""


def form_of(value: object, depth: int = 3) -> str:
    """The form in which a value holds the marked row; "" if it does not."""
    if isinstance(value, str):
        return "str" if WORD in value else ""
    if isinstance(value, FLAT) or depth == 0:
        return ""
    name = type(value).__name__
    if isinstance(value, dict):
        if len(value) > LONGEST or not any(
            form_of(each, depth - 1) for pair in value.items() for each in pair
        ):
            return ""
        return (
            f"dict {sorted(value)}"
            if all(isinstance(key, str) and len(key) < 20 for key in value)
            else "dict by row"
        )
    if isinstance(value, tuple) and len(value) <= 6:
        held = any(form_of(each, depth - 1) for each in value)
        return f"tuple ({', '.join(type(each).__name__ for each in value)})" if held else ""
    if isinstance(value, (list, tuple, set, frozenset)):
        forms = (form_of(each, depth - 1) for each in list(value)[:LONGEST])
        held_form = next(filter(None, forms), "")
        return f"{name} of {held_form}" if held_form else ""
    if name in ("Series", "DataFrame"):
        columns = value.columns if name == "DataFrame" else [slice(None)]
        held = any(WORD in str(each) for column in columns for each in list(value[column])[:LONGEST])  # type: ignore[index]
        return f"{type(value).__module__.split('.')[0]}.{name}" if held else ""
    if is_dataclass(value):
        return (
            name if any(form_of(getattr(value, each.name, None), depth - 1) for each in fields(value)) else ""
        )
    return name if WORD in str(getattr(value, "text", "")) else ""


class Tracer:
    """Looks at each function of Longway when it returns."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.forms: dict[str, set[str]] = defaultdict(set)

    def __call__(self, frame: FrameType, event: str, result: object) -> None:
        file = frame.f_code.co_filename
        if event != "return" or not file.startswith(SOURCE):
            return
        values = [each for name, each in frame.f_locals.items() if name not in ("self", "cls")]
        for form in filter(None, map(form_of, [*values, result])):
            name = str(Path(file).relative_to(SOURCE))
            self.files[name] += 1
            self.forms[form].add(name)


def modules_loaded(folder: Path, *arguments: str) -> int:
    """How many modules of Longway a command loads."""
    code = LOADS.format(arguments=arguments)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    return int(done.stderr.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=160)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="print the files and the forms")
    options = parser.parse_args()
    rows = pandas.read_json(longway.sample_path("reviews"), lines=True).head(options.rows)
    rows.loc[7, "review"] += f" A {WORD} was there."
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        rows.to_csv(folder / "reviews.csv", index=False)
        data = longway.load(str(folder / "reviews.csv"))
        tracer = Tracer()
        threading.setprofile(tracer)
        sys.setprofile(tracer)
        try:
            longway.repair(data, seed=options.seed, out=folder / "run")
        finally:
            sys.setprofile(None)
        loaded = {name: modules_loaded(folder, name, "reviews.csv") for name in ("audit", "repair")}
    if options.list:
        for form, files in sorted(tracer.forms.items(), key=lambda each: -len(each[1])):
            print(f"{len(files):4} files  {form[:120]}")
        print(*sorted(tracer.files), sep="\n")
    print(f"{len(tracer.files)} files hold the row, in {len(tracer.forms)} forms")
    print(f"modules loaded: audit {loaded['audit']}, repair {loaded['repair']}")
    figures = {
        "rows": options.rows,
        "files": len(tracer.files),
        "forms": len(tracer.forms),
        **{f"{k}_modules": n for k, n in loaded.items()},
    }
    print(json.dumps({"script": "bench/trace.py", **figures}))


if __name__ == "__main__":
    main()
