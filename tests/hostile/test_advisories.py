"""No version that we ask for, or have installed, is one with a known hole; `make audit` asks a server for the current list."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ADVISORIES = tomllib.loads(Path(__file__).with_name("advisories.toml").read_text(encoding="utf-8"))[
    "advisory"
]
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ASKED = [
    Requirement(one)
    for group in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    for one in group
]


def lowest(requirement):
    """The lowest version that a requirement lets in."""
    floors = [Version(one.version) for one in requirement.specifier if one.operator in (">=", "==", "~=")]
    return max(floors, default=Version("0"))


def let_in(requirements, advisory):
    """The requirements that let in a version with this hole."""
    name, fixed = canonicalize_name(advisory["package"]), Version(advisory["fixed"])
    return [str(one) for one in requirements if canonicalize_name(one.name) == name and lowest(one) < fixed]


@pytest.mark.parametrize("advisory", ADVISORIES, ids=lambda one: f"{one['package']} {one['id']}")
def test_no_version_with_a_known_hole_is_asked_for_or_installed(advisory):
    assert let_in(ASKED, advisory) == []
    try:
        installed = version(advisory["package"])
    except PackageNotFoundError:
        return  # an extra that is not there
    assert Version(installed) >= Version(advisory["fixed"])


def test_the_check_sees_an_open_range_and_a_bad_pin():
    advisory = {"package": "Jinja2", "fixed": "3.1.6"}
    asked = [Requirement(one) for one in ("jinja2", "jinja2>=3.1", "jinja2==3.1.5", "jinja2>=3.1.6", "other")]
    assert let_in(asked, advisory) == ["jinja2", "jinja2>=3.1", "jinja2==3.1.5"]
    assert {one.name for one in ASKED} >= {"torch", "pyarrow", "starlette", "transformers"}
