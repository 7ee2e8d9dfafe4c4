"""The pages in a real browser: nothing breaks the policy, nothing sticks out, on a phone and on a desk."""

import re
import subprocess

import pytest
from seen import CHROMIUM, FLAGS, browse, measure

from longway.report.html import render_report

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def test_the_page_keeps_to_its_policy(tmp_path, page):
    document, log = browse(tmp_path, page)
    assert "How to read this" in document
    assert "Content Security Policy" not in log


def test_a_page_that_breaks_the_policy_would_be_noticed(tmp_path, findings):
    broken = render_report(findings).replace("<h1>", '<h1 style="color: red">')
    _, log = browse(tmp_path, broken)
    assert "Content Security Policy" in log


def test_nothing_is_wider_than_the_window(tmp_path, page):
    for width, seen in measure(tmp_path, page, [390, 1280]).items():
        assert "system-ui" in seen["font"]  # the style sheet was let in
        assert seen["inner"] <= width
        assert seen["scroll"] <= seen["inner"]
        assert seen["outside"] == []
        assert seen["clipped"] == []
        assert seen["overlapping"] == []


@pytest.mark.parametrize("page", ["audit", "rewrite", "prove"], indirect=True)
def test_the_page_prints_on_a4(tmp_path, page):
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    pdf = tmp_path / "page.pdf"
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={pdf}"]
    subprocess.run(
        [*command, (tmp_path / "page.html").as_uri()], capture_output=True, timeout=120, check=True
    )
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf.read_bytes())
    assert {(round(float(width)), round(float(height))) for width, height in boxes} == {(595, 842)}
