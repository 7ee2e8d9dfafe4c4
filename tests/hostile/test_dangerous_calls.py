"""What the code must not call: whatever runs code that came in as data. Read from the syntax, so that words in texts do not count."""

import ast
import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "runs", "bench", "train", "papers")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))

MODULES = {*"pickle cPickle dill cloudpickle joblib marshal shelve yaml telnetlib xmlrpc".split()}
BUILTINS = {"eval", "exec", "compile", "__import__"}
CALLS = {
    *"os.system os.popen commands.getoutput subprocess.getoutput pty.spawn torch.jit.load onnx.load".split()
}
CALLS |= {"pandas.read_pickle", "pd.read_pickle", "onnxruntime.InferenceSession"}


def dotted(node):
    """The name of what is called: "torch.load"; "" where it is no plain name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value) or '?'}.{node.attr}"  # "?": what a call or an index gave
    return ""


def given(call, name):
    """The constant behind a keyword of a call; None where it is not given as one."""
    found = next((one.value for one in call.keywords if one.arg == name), None)
    return found.value if isinstance(found, ast.Constant) else None


def dangers(source):
    """Everything in a file that could run what came in as data."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from sorted(whole & (CALLS | {"torch.load", "numpy.load", "spacy.load"}))
        yield from (f"imports {name}" for name in names if name.partition(".")[0] in MODULES)
        if isinstance(node, ast.Call):
            yield from _in_call(node)


def _in_call(call):
    name = dotted(call.func)
    if name in BUILTINS or name in CALLS:
        yield name
    if any(one.arg == "shell" and given(call, "shell") is not False for one in call.keywords):
        yield f"{name}(shell=...)"
    if name == "torch.load" and given(call, "weights_only") is not True:
        yield "torch.load without weights_only=True"
    has_pickle = any(one.arg == "allow_pickle" for one in call.keywords)
    if has_pickle and given(call, "allow_pickle") is not False:
        yield "load(allow_pickle=True)"
    if name == "spacy.load":
        yield name
    if (
        any(one.arg == "trust_remote_code" for one in call.keywords)
        and given(call, "trust_remote_code") is not False
    ):
        yield "trust_remote_code"
    if re.search(r"(tar|zip)\w*\.extractall$", name):
        yield "extractall"
    is_model = name.endswith(".from_pretrained") and not re.search(
        r"(Tokenizer|Config)\.from_pretrained$", name
    )
    if is_model and given(call, "use_safetensors") is not True:
        yield "from_pretrained without use_safetensors=True"


# What may stay, and why.
ALLOWED = {
    "src/longway/models/own_model.py": {
        "imports joblib"
    },  # hashes an object that the user made, and loads nothing
    "src/longway/models/minilm.py": {"onnxruntime.InferenceSession"},  # a graph that ships with Longway
    "src/longway/english/pipeline.py": {"spacy.load"},  # our own pipeline, or one that the user names
    "train/english.py": {"spacy.load"},  # a folder that we made ourselves
    "train/teacher.py": {"from_pretrained without use_safetensors=True"},  # a folder that we made ourselves
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_runs_what_came_in_as_data(folder):
    found = {}
    for path in FILES:
        name = str(path.relative_to(ROOT))
        if name.startswith(f"{folder}/"):
            found[name] = set(dangers(path.read_text(encoding="utf-8"))) - ALLOWED.get(name, set())
    assert len(found) > 5
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.parametrize(
    "bad",
    [
        "import pickle", "from joblib import load", "import yaml", "eval(x)", "exec(x)", "os.system(x)", "subprocess.run(x, shell=True)",
        "subprocess.run(x, shell=y)", "torch.load(x)", "torch.load(x, weights_only=False)", "np.load(x, allow_pickle=True)",
        "numpy.load(x, allow_pickle=y)", "from torch import load", "from os import system", "torch.jit.load(x)", "onnx.load(x)", "spacy.load(x)",
        "AutoModel.from_pretrained(x)", "AutoModel.from_pretrained(x, use_safetensors=False)",
        "AutoTokenizer.from_pretrained(x, trust_remote_code=True)", "tarfile.open(x).extractall()", "zip_file.extractall(y)",
    ],
)  # fmt: skip
def test_the_check_sees_what_is_dangerous(bad):
    if bad.startswith("tarfile"):
        bad = "tar = tarfile.open(x)\ntar.extractall()"
    assert list(dangers(bad))


def test_the_check_leaves_harmless_code_alone():
    fine = "model.eval()\nre.compile(x)\nnp.load(x, allow_pickle=False)\nsubprocess.run([x])\n'eval(x)'\nmarshal = 1"
    fine += "\nAutoTokenizer.from_pretrained(x, trust_remote_code=False)\nAutoModel.from_pretrained(x, use_safetensors=True)"
    assert list(dangers(fine)) == []


def pins():
    """The requirements of pyproject.toml that name one version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    return dict(re.fullmatch(r"([\w.-]+)==([\w.]+)", one).groups() for one in asked if "==" in one)


def test_what_is_pinned_is_what_is_installed():
    assert pins()
    for name, wanted in pins().items():
        try:
            found = version(name)
        except PackageNotFoundError:
            continue  # an extra that is not installed
        assert found.partition("+")[0] == wanted, name
