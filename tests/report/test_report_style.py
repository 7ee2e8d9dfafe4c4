"""Colours of the style sheet: seen on their background, in light and in dark."""

import re
from importlib.resources import files

import pytest

STYLE = files("longway.report").joinpath("templates/style.css").read_text(encoding="utf-8")
LIGHT, DARK = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
REWRITE = files("longway.report").joinpath("templates/rewrite.css").read_text(encoding="utf-8")
REWRITE_LIGHT, REWRITE_DARK = re.findall(r":root \{(.*?)\}", REWRITE, re.DOTALL)


def colours(block):
    return dict(re.findall(r"--([\w-]+): (#\w{6})", block))


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    """Contrast ratio after WCAG 2.1: 1 is none, 21 is black on white."""
    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


def laid_over(colour, ground, share):
    """A colour mixed into its background, as the marks are."""
    pairs = [(int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * top + (1 - share) * below):02x}" for top, below in pairs)


@pytest.mark.parametrize("block", [LIGHT, DARK], ids=["light", "dark"])
def test_words_and_marks_stand_out_from_the_page(block):
    named = colours(block)
    for ground in ("page", "soft"):
        assert contrast(named["ink"], named[ground]) > 7
        assert contrast(named["quiet"], named[ground]) > 4.5
        assert contrast(named["accent"], named[ground]) > 4.5
    for name in [name for name in named if name.startswith("label-")] + ["leak"]:
        assert contrast(named[name], named["page"]) > 3, name


@pytest.mark.parametrize("block", [LIGHT, DARK], ids=["light", "dark"])
def test_words_can_be_read_on_the_strongest_mark(block):
    named = colours(block)
    for name in [name for name in named if name.startswith("label-")]:
        assert contrast(named["ink"], laid_over(named[name], named["soft"], 0.42)) > 4.5, name


def test_both_schemes_name_the_same_colours():
    assert set(colours(LIGHT)) == set(colours(DARK))


@pytest.mark.parametrize(
    ("block", "own"), [(LIGHT, REWRITE_LIGHT), (DARK, REWRITE_DARK)], ids=["light", "dark"]
)
def test_words_that_went_out_and_came_in_can_be_read(block, own):
    named = colours(block) | colours(own)
    for name in ("gone", "came"):
        assert contrast(named[name], named["soft"]) > 4.5, name
        assert contrast(named["ink"], laid_over(named[name], named["soft"], 0.16)) > 7, name


PROVE = files("longway.report").joinpath("templates/prove.css").read_text(encoding="utf-8")
PROVE_LIGHT, PROVE_DARK = re.findall(r":root \{(.*?)\}", PROVE, re.DOTALL)


@pytest.mark.parametrize(("block", "own"), [(LIGHT, PROVE_LIGHT), (DARK, PROVE_DARK)], ids=["light", "dark"])
def test_marks_of_better_and_worse_can_be_read(block, own):
    named = colours(block) | colours(own)
    for name in ("better", "worse"):
        assert contrast(named[name], named["page"]) > 4.5, name
        assert contrast(named[name], laid_over(named[name], named["page"], 0.16)) > 3, name
        assert contrast(named["ink"], laid_over(named[name], named["page"], 0.16)) > 7, name
