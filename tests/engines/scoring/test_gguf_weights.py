"""GGUF files written by hand: every way to pack weights against a loop over their bits."""

import struct

import numpy as np
import pytest

from longway.engines.scoring.gguf_weights import read_gguf
from longway.errors import SettingError

F32, F16, Q4_1, Q8_0 = 0, 1, 3, 8


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def write_gguf(path, tensors, settings=(), *, version=3, magic=b"GGUF"):
    """tensors: (name, sizes with the fastest first, type, bytes). settings: (name, type, packed value)."""
    head = struct.pack("<4sIQQ", magic, version, len(tensors), len(settings))
    head += b"".join(text(name) + struct.pack("<I", kind) + value for name, kind, value in settings)
    data = b""
    for name, sizes, kind, packed in tensors:
        head += text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, len(data))
        data += packed + b"\0" * (-len(packed) % 32)
    path.write_bytes(head + b"\0" * (-len(head) % 32) + data)


def test_settings_of_every_kind_are_read(tmp_path):
    names = struct.pack("<IQ", 8, 2) + text("a") + text("ß")
    settings = [
        ("one", 4, struct.pack("<I", 7)),
        ("two", 6, struct.pack("<f", 0.5)),
        ("names", 9, names),
        ("t", 8, text("x")),
    ]
    write_gguf(tmp_path / "m.gguf", [], settings)
    assert read_gguf(tmp_path / "m.gguf").settings == {"one": 7, "two": 0.5, "names": ["a", "ß"], "t": "x"}


def test_plain_weights_keep_their_shape(tmp_path):
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    write_gguf(
        tmp_path / "m.gguf",
        [("full", (3, 2), F32, values.tobytes()), ("half", (3, 2), F16, values.astype(np.float16).tobytes())],
    )
    found = read_gguf(tmp_path / "m.gguf").tensors
    np.testing.assert_array_equal(found["full"], values)
    np.testing.assert_array_equal(found["half"], values)


def test_blocks_of_eight_bits_are_number_times_scale(tmp_path):
    random = np.random.default_rng(0)
    numbers = random.integers(-128, 128, (4, 32)).astype(np.int8)
    scales = random.random(4).astype(np.float16)
    packed = b"".join(scale.tobytes() + row.tobytes() for scale, row in zip(scales, numbers, strict=True))
    write_gguf(tmp_path / "m.gguf", [("w", (64, 2), Q8_0, packed)])
    expected = [[float(scale) * int(n) for n in row] for scale, row in zip(scales, numbers, strict=True)]
    np.testing.assert_allclose(
        read_gguf(tmp_path / "m.gguf").tensors["w"], np.reshape(expected, (2, 64)), rtol=1e-6
    )


def test_blocks_of_four_bits_are_low_halves_then_high_halves(tmp_path):
    random = np.random.default_rng(1)
    packed, expected = b"", []
    for _ in range(3):
        scale, least = random.random(2).astype(np.float16)
        halves = random.integers(0, 256, 16).astype(np.uint8)
        packed += scale.tobytes() + least.tobytes() + halves.tobytes()
        numbers = [byte % 16 for byte in halves.tolist()] + [byte // 16 for byte in halves.tolist()]
        expected += [float(scale) * n + float(least) for n in numbers]
    write_gguf(tmp_path / "m.gguf", [("w", (32, 3), Q4_1, packed)])
    np.testing.assert_allclose(read_gguf(tmp_path / "m.gguf").tensors["w"].ravel(), expected, rtol=1e-6)


def test_weights_packed_in_another_way_and_other_files_are_refused(tmp_path):
    write_gguf(tmp_path / "m.gguf", [("w", (32, 1), 14, b"\0" * 32)])
    with pytest.raises(SettingError, match="type 14"):
        read_gguf(tmp_path / "m.gguf")
    write_gguf(tmp_path / "m.gguf", [], magic=b"GGML")
    with pytest.raises(SettingError, match="GGML"):
        read_gguf(tmp_path / "m.gguf")
