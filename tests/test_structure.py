"""The shape of the package: layers point one way, public names are the list, start-up is quick."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from textwrap import wrap

import pytest

import longway
from longway.levels import LEVELS

SOURCE = Path(longway.__file__).parent
# The one list of layers, top first. A module may import from the layers below its own and from its own folder; neighbours do not import
# each other. README and CONTRIBUTING repeat it: `python -m tests.test_structure` writes both.
LAYERS = (
    {"cli": "the commands, one per file"},
    {"on_ray": "add-on: work by shard on Ray's data engine; loaded by name"},
    {"review": "a local web page to look at a run, decide on its edits and export the result"},
    {"jobs": "one folder per command; `run.py` owns the life of a run, `options.py` the settings, `results.py` what results have in common"},
    {"methods": "RAZOR, EDA, CrossAug, CoBA and its peers, contrast sets, perturbation: examples in, edits out"},
    {"verify": "checks: does the label of an edited text still hold, and how often does each check err"},
    {"engines": "engines that write and judge text: served, GGUF, replay; prompts, prices, budget"},
    {
        "detect": "detectors; findings, leak, duplicates",
        "report": "sections rendered to HTML, terminal and Markdown; charts, numbers, excerpts",
    },
    {
        "models": "classifiers and training methods; the sentence encoder, the entailment and the sentiment model; word importance",
        "grammars": "grammars of texts and pairs, learned from them; trees and their features",
        "space": "RAZOR's shortcut space: gamma and lean of every text, also while texts are replaced",
    },
    {
        "english": "everything that knows English: pipeline, inflection, negation, opposites, WordNet, people, rules, triples",
        "languages": "other languages: which one a text is in, its words, small word tables",
        "metrics": "accuracy, F1, AUROC, calibration, intervals, paired tests; distances between versions; measures of stereotypes",
    },
    {
        "data": "reading and writing datasets; one function applies edits; the published benchmarks about people",
        "store": "the run folder and the journal of engine calls",
        "text": "the tokenizer, texts as integers, keys of words and phrases",
    },
    {"task": "what the labels mean: fact checking, inference, sentiment, any", "sample": "the built-in samples and their planted shortcuts"},
    {
        "records": "example, pattern, finding, leak, problem, edit, verdict",
        "stats": "mutual information, z, p and q from counts",
        "language_names": "names and codes of languages",
    },
    {"levels": "the kinds of patterns: detector, advice and wording of each"},
    {
        "json_values": "records from JSON values, by the types of their fields",
        "shard_map": "work on parts of a job's data, here or elsewhere",
        "grammar_names": "names of grammar patterns in plain English",
        "errors": "everything that is raised on purpose",
        "arrays": "names of the types of arrays",
    },
)  # fmt: skip
# The most statements of each folder, docstrings apart: they do not depend on how lines are broken. Who raises one lowers another in the same commit.
BUDGETS = {
    "jobs": 12_245, "english": 9_322, "methods": 5_205, "detect": 3_306, "data": 3_364, "review": 2_796, "models": 2_844,
    "engines": 2_220, "grammars": 2_581, "verify": 1_375, "cli": 1_335, "report": 989, "metrics": 883, "": 779, "languages": 488,
    "space": 373, "store": 334, "text": 304, "on_ray": 113, "sample": 17,
}  # fmt: skip
ROOT = Path(__file__).parents[1]
MARKERS = ("<!-- layers, from tests/test_structure.py -->\n", "<!-- end of layers -->\n")


def statements_of(folder):
    """The statements of a folder of the package; of the modules beside the folders for ""."""
    paths = (SOURCE / folder).rglob("*.py") if folder else SOURCE.glob("*.py")
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return sum(isinstance(node, ast.stmt) and not is_docstring(node) for node in nodes)


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@pytest.mark.parametrize("folder", BUDGETS)
def test_a_folder_keeps_to_its_budget(folder):
    assert statements_of(folder) <= BUDGETS[folder]


def test_every_folder_has_a_budget():
    folders = {path.parent.relative_to(SOURCE).parts[:1] for path in SOURCE.rglob("*.py")}
    assert {parts[0] if parts else "" for parts in folders} == set(BUDGETS)


def layers_line():
    """The layers as one line of arrows."""
    return (
        "\n".join(
            wrap(
                " -> ".join(", ".join(layer) for layer in LAYERS),
                100,
                initial_indent="    ",
                subsequent_indent="        ",
            )
        )
        + "\n"
    )


def layers_table():
    """The layers as a table: a row per part of the package."""
    top = "| `src/longway/__init__.py` | the public Python names |"
    rows = [f"| `src/longway/{_path(part)}` | {text} |" for layer in LAYERS for part, text in layer.items()]
    return "\n".join(["| path | what it is |", "| --- | --- |", top, *rows]) + "\n"


def _path(part):
    return f"{part}/" if (SOURCE / part).is_dir() else f"{part}.py"


DOCUMENTED = {"README.md": layers_table, "CONTRIBUTING.md": layers_line}


def with_layers(name):
    """The file with the layers between its markers."""
    text = (ROOT / name).read_text(encoding="utf-8")
    before, rest = text.split(MARKERS[0])
    return f"{before}{MARKERS[0]}{DOCUMENTED[name]()}{MARKERS[1]}{rest.split(MARKERS[1])[1]}"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_documentation_has_the_same_layers(name):
    assert (ROOT / name).read_text(encoding="utf-8") == with_layers(name)


DEPTH = {part: -depth for depth, parts in enumerate(LAYERS) for part in parts}


def part_of(module):
    return module.split(".")[1] if "." in module else ""


@cache
def imports_of(path):
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("longway"):
            found.append(node.module if node.module != "longway" else f"longway.{node.names[0].name}")
        elif isinstance(node, ast.Import):
            found += (alias.name for alias in node.names if alias.name.startswith("longway."))
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_downwards(path):
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if part in ("__init__", "__main__"):
        return
    for module in imports_of(path):
        other = part_of(module)
        assert other == part or DEPTH[other] < DEPTH[part], f"{path.name} must not import {module}"


def test_no_imports_make_a_ring_functions_included():
    """A module that needs, through any chain of imports, a module that needs it cannot be read, tested or moved alone."""
    paths = {
        ".".join(("longway", *path.relative_to(SOURCE).with_suffix("").parts)): path
        for path in SOURCE.rglob("*.py")
    }
    paths = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    graph = {name: _modules_imported(path, paths) for name, path in paths.items()}
    while free := [name for name, needed in graph.items() if not needed & graph.keys()]:
        for name in free:
            del graph[name]
    rings = {name for name in graph if name in _reached(graph, name)}
    assert not rings


def _reached(graph, start):
    seen, left = set(), [start]
    while left:
        new = (graph[left.pop()] & graph.keys()) - seen
        seen |= new
        left += new
    return seen


def _modules_imported(path, known):
    """The modules that a file imports at run time; of `from package import module`, the module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typed = {id(node) for test in ast.walk(tree) if _is_for_types(test) for node in ast.walk(test)}
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in typed:
            modules = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= (
                modules & known.keys() if modules <= known.keys() else modules & known.keys() | {node.module}
            )
        elif isinstance(node, ast.Import) and id(node) not in typed:
            names |= {alias.name for alias in node.names}
    if (
        path != SOURCE / "__init__.py"
    ):  # whoever needs `longway` needs none of its public names, which are loaded when used
        names |= _modules_named(tree)
    return names & known.keys()


def _modules_named(tree):
    """What `import_module` may load: the strings of the file or of the table `LEVELS`, after the start of the name if an f-string has it."""
    nodes = list(ast.walk(tree))
    calls = [node.args[0] for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module"]  # fmt: skip
    starts = {call.values[0].value if isinstance(call, ast.JoinedStr) else "" for call in calls}
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    strings |= {level.detector.rpartition(".")[0] for level in LEVELS.values()}
    return {start + text for start in starts for text in strings}


def _is_for_types(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def test_ray_is_imported_by_nothing_else():
    """It is loaded by name where a user asks for it (`jobs.run`)."""
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] != "on_ray":
            assert "on_ray" not in map(part_of, imports_of(path)), f"{path} must not import on_ray"


def test_public_names_are_the_list():
    assert sorted(longway.__all__) == longway.__all__
    for name in longway.__all__:
        assert getattr(longway, name).__doc__, name
    with pytest.raises(AttributeError, match="no_such_name"):
        longway.no_such_name  # noqa: B018


@pytest.mark.parametrize("command", ["--help", "audit --help", "rewrite --help", "review --help", "doctor"])
def test_help_and_doctor_load_nothing_that_computes(command):
    code = (
        f"import sys; sys.argv = 'longway {command}'.split()\n"
        "from longway.cli import main\n"
        "try: main()\n"
        "finally: print([m for m in ('numpy', 'polars', 'pyarrow', 'sklearn', 'torch', 'spacy', 'nltk', 'openai', 'onnxruntime', 'starlette') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.soak
def test_help_answers_within_half_a_second_of_processor_time():
    """Processor time, since the wall clock of a busy machine says nothing; the best of five."""
    code = (
        "import sys, time; sys.argv = ['longway', '--help']\n"
        "from longway.cli import main\n"
        "try: main()\n"
        "finally: print('seconds', time.process_time(), file=sys.stderr)"
    )
    best = min(_seconds(code) for _ in range(5))
    assert best < 0.5


def _seconds(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stderr.split()[-1])


def test_importing_longway_loads_nothing_else():
    code = "import sys, longway; print([m for m in ('numpy', 'polars', 'rich', 'typer') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


if __name__ == "__main__":
    for name in DOCUMENTED:
        (ROOT / name).write_text(with_layers(name), encoding="utf-8")
