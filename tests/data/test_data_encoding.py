"""Text files in other encodings are decoded exactly or refused; no character is ever replaced."""

import json

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.data import load, save
from longway.data.edited import apply_edits, encoding_note
from longway.data.formats import create_bytes
from longway.errors import DataError, LongwayError, SettingError
from longway.records import Edit

WESTERN = [
    "Das Essen war köstlich, die Bedienung größtenteils höflich.",
    "Le café était déçu… «Ça va?» – “très” bien, l’œuvre coûte 5 €",
    "El niño comió mañana; ¿qué pasó? ¡Nada!",
    "Não é possível, são três corações",
    "Smørrebrød på øen, hår och ägg",
    "Það er þörf á íslensku, það er ágætt, þá",
    "Wait…what? I don´t, you don‘t, they don’t; £5 at 20°C—no",
    "Pääsiäinen, sää ja jää: älä äänestä yöllä",
]
OTHERS = {
    "cp1251": "Это очень хороший фильм, мне понравилось",
    "koi8-r": "Это очень хороший фильм, мне понравилось",
    "iso8859-5": "Это очень хороший фильм, мне понравилось",
    "cp1253": "Αυτή η ταινία είναι πολύ καλή",
    "cp1255": "זה סרט טוב מאוד ואהבתי אותו",
    "cp1256": "هذا فيلم جيد جدا وقد أعجبني",
    "cp1250": "Główna postać była świetna, żółć i gęś",
    "iso8859-2": "Główna postać była świetna, żółć i gęś",
    "cp1254": "Bu film çok güzel, aşk ve ışık dolu bir iş",
    "cp1257": "Šis filmas žiūrovams šiaip patiko, žinoma",
    "cp850": "Das ist schön und größer für uns",
    "mac-roman": "Le café est très bon, où l’été dure",
    "shift_jis": "この映画はとても良かったです。",
    "gb18030": "这部电影非常好看",
    "big5": "這部電影非常好看",
    "euc-kr": "이 영화는 정말 좋았습니다",
}
SUFFIXES = ["csv", "tsv", "jsonl", "json", "csv.gz", "jsonl.zst"]


def content(texts, suffix):
    rows = [{"text": text, "label": "ab"[i % 2]} for i, text in enumerate(texts)]
    if suffix.startswith("jsonl"):
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if suffix == "json":
        return json.dumps(rows, ensure_ascii=False)
    mark = "\t" if suffix.startswith("tsv") else ";"
    return f"text{mark}label\n" + "".join(f'"{row["text"]}"{mark}{row["label"]}\n' for row in rows)


def put(folder, texts, encoding, suffix="csv"):
    path = folder / f"data.{suffix}"
    with create_bytes(path, suffix.partition(".")[2]) as stream:
        stream.write(content(texts, suffix).encode(encoding))
    return path


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-32", "utf-8-sig"])
def test_western_and_marked_files_are_recognised(tmp_path, encoding, suffix, stream):
    dataset = load(put(tmp_path, WESTERN, encoding, suffix), stream=stream)
    assert dataset.take(range(len(WESTERN)))["text"].to_list() == WESTERN
    assert dataset.encoding == ("cp1252" if encoding == "cp1252" else "")


@pytest.mark.parametrize("text", WESTERN)
def test_a_single_western_line_is_enough(tmp_path, text):
    assert load(put(tmp_path, [text, "plain"], "cp1252")).frame["text"][0] == text


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize("encoding", OTHERS)
def test_other_encodings_are_refused_and_read_if_named(tmp_path, encoding, suffix):
    path = put(tmp_path, [OTHERS[encoding], "plain"], encoding, suffix)
    with pytest.raises(DataError, match=rf"data\.{suffix} is not UTF-8 \(line \d .*--encoding"):
        load(path)
    dataset = load(path, encoding=encoding)
    assert dataset.frame["text"][0] == OTHERS[encoding]
    assert "other_encoding" not in {problem.kind for problem in dataset.problems}


@pytest.mark.parametrize("stream", [False, True])
def test_utf8_with_a_damaged_line_is_refused_with_the_line(tmp_path, stream):
    lines = [f'"{text}",a' for text in WESTERN * 500]
    data = ("text,label\n" + "\n".join(lines)).encode() + b'\n"caf\xe9",b\n'
    path = tmp_path / "data.csv"
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"line 4,002 has the byte 0xE9.*If only a few lines are damaged"):
        load(path, stream=stream)
    assert load(path, stream=stream, limit=100).n_rows == 100


def test_the_named_encoding_is_not_used_for_utf8_files(tmp_path):
    path = put(tmp_path, WESTERN, "utf-8")
    assert load(path, encoding="cp1252").frame["text"].to_list() == WESTERN
    assert load(put(tmp_path, WESTERN, "utf-16-le"), encoding="utf-16").frame["text"].to_list() == WESTERN


def test_utf8_can_be_insisted_on(tmp_path):
    with pytest.raises(DataError, match=r"not UTF-8 text.*--encoding"):
        load(put(tmp_path, WESTERN, "cp1252"), encoding="utf-8")


@pytest.mark.parametrize("name", ["latin-99", "rot13", "hex", "utf-7", "iso-2022-jp", "\0"])
def test_unknown_and_unsuitable_encodings_are_refused(tmp_path, name):
    with pytest.raises(SettingError, match="encoding"):
        load(put(tmp_path, WESTERN, "utf-8"), encoding=name)


def test_shards_may_have_different_encodings(tmp_path):
    for name, encoding in (("a", "utf-8"), ("b", "cp1252"), ("c", "utf-16")):
        (tmp_path / f"{name}.csv").write_bytes(content(WESTERN, "csv").encode(encoding))
    assert load(tmp_path).frame["text"].to_list() == WESTERN * 3
    assert load(tmp_path, stream=True).take([9])["text"].to_list() == [WESTERN[1]]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.binary(min_size=1, max_size=12), min_size=1, max_size=4), stream=st.booleans())
def test_no_byte_ever_becomes_the_replacement_character(tmp_path, suffix, texts, stream):
    cells = [text.translate(None, b'"\\\r\n\t,{}[]') for text in texts]
    if suffix in ("csv", "tsv"):
        mark = b"," if suffix == "csv" else b"\t"
        data = b"text" + mark + b"label\n" + b"".join(b"x" + cell + mark + b"a\n" for cell in cells)
    else:
        rows = [b'{"text": "x' + bytes(b for b in cell if b >= 32) + b'", "label": "a"}' for cell in cells]
        data = b"\n".join(rows) if suffix == "jsonl" else b"[" + b",\n".join(rows) + b"]"
    path = tmp_path / f"data.{suffix}"
    path.write_bytes(data)
    is_utf8 = "\ufffd".encode() in data
    try:
        dataset = load(path, stream=stream)
    except LongwayError:
        return
    assert is_utf8 or not any("\ufffd" in text for batch in dataset.batches() for text in batch.texts)


def test_a_new_character_that_the_encoding_lacks_makes_the_file_utf8(tmp_path):
    dataset = load(put(tmp_path, ["café", "naïve"], "cp1252"))
    edit = Edit("0", "text", "café", "café → bar", "a", "a", "toy", "toy", True)
    out = save(apply_edits(dataset, [edit]), tmp_path / "out.csv")
    assert out.read_bytes().startswith(b"\xef\xbb\xbf")
    again = load(out, encoding=dataset.encoding)
    assert again.frame["text"].to_list() == ["café → bar", "naïve"]
    assert again.encoding == ""
    assert encoding_note(dataset, again) == (
        "out.csv is UTF-8 with a byte order mark, because Windows-1252 lacks “→” (U+2192)."
    )


@pytest.mark.parametrize("text", ["cafe", "crème"])
def test_a_file_that_keeps_its_encoding_or_is_now_ascii_has_no_encoding_note(tmp_path, text):
    dataset = load(put(tmp_path, ["café", "plain"], "cp1252"))
    edit = Edit("0", "text", "café", text, "a", "a", "toy", "toy", True)
    out = save(apply_edits(dataset, [edit]), tmp_path / "out.csv")
    assert not out.read_bytes().startswith(b"\xef\xbb\xbf")
    assert encoding_note(dataset, load(out, encoding=dataset.encoding)) == ""


def test_an_encoding_note_lists_a_few_characters_and_names_those_without_a_glyph(tmp_path):
    dataset = load(put(tmp_path, ["café", "plain"], "cp1252"))
    text = "\u200b" + "".join(map(chr, range(0x4E00, 0x4E00 + 12)))
    edit = Edit("0", "text", "café", text, "a", "a", "toy", "toy", True)
    note = encoding_note(dataset, load(save(apply_edits(dataset, [edit]), tmp_path / "out.csv")))
    assert "lacks U+200B, “一” (U+4E00), " in note
    assert note.endswith(" and 3 more characters.")


def test_json_is_written_as_utf8(tmp_path):
    dataset = load(put(tmp_path, WESTERN, "cp1252", "jsonl"))
    out = save(dataset, tmp_path / "out.jsonl")
    assert pl.read_ndjson(out)["text"].to_list() == WESTERN


@pytest.mark.parametrize("text", ["да", "нет, не он", "Ты же тут"])
def test_short_words_of_another_alphabet_are_refused_too(tmp_path, text):
    with pytest.raises(DataError, match="--encoding"):
        load(put(tmp_path, ["some English text", text], "cp1251"))
