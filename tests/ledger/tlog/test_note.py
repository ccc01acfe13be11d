"""Signed notes, checkpoints and proofs on paper: the forms of C2SP, and what others sign and refuse."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bending import PETERS_OWN, bent
from forgeable import FORGEABLE, vkey_of
from ledger.errors import BadInput, LedgerError, Malformed, Unproven
from ledger.tlog.checkpoint import (
    MOST_HASHES,
    Checkpoint,
    checkpoint_text,
    format_tlog_proof,
    parse_checkpoint,
    parse_tlog_proof,
)
from ledger.tlog.note import (
    COSIGNATURE,
    ED25519,
    LARGEST_NOTE,
    MOST_SIGNATURES,
    SignedNote,
    Skey,
    from_base64,
    from_decimal,
    is_signature,
    make_skey,
    open_note,
    parse_signature,
    parse_skey,
    parse_vkey,
    public_key,
    read_note,
    sign_bytes,
    sign_note,
    signature_line,
    to_base64,
)

PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
BY_PETER = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
BY_ENOCH = "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
PETERS = ("PeterNeumann", "c74f20a3")
ENOCHS = ("EnochRoot", "af0cfe78")

SOFA = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
BY_SOFA = "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
BY_W1 = "— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"

WITNESS = make_skey("witness.example/w1", bytes(range(32)), COSIGNATURE)
HASH = bytes(range(32))
PROOF = (
    f"c2sp.org/tlog-proof@v1\nextra YWJj\nindex 73894\n{to_base64(HASH)}\n{to_base64(bytes(32))}\n\n{SOFA}\n{BY_SOFA}"
)


@pytest.mark.parametrize(
    ("seed", "key", "message", "signature"),
    [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    ],
    ids=["RFC 8032, test 1", "RFC 8032, test 2", "RFC 8032, test 3"],
)
def test_signatures_are_those_of_rfc_8032(seed: str, key: str, message: str, signature: str) -> None:
    said = bytes.fromhex(message)
    assert public_key(bytes.fromhex(seed)).hex() == key
    assert sign_bytes(bytes.fromhex(seed), said).hex() == signature
    assert is_signature(bytes.fromhex(key), said, bytes.fromhex(signature))
    assert not is_signature(bytes.fromhex(key), said + b"\n", bytes.fromhex(signature))
    assert not is_signature(bytes.fromhex(key), said, bytes.fromhex(signature)[:-1])


@pytest.mark.parametrize(
    ("text", "name", "key_id", "alg"),
    [
        (PETER, *PETERS, 1),
        (ENOCH, *ENOCHS, 1),
        ("TEST+7997405c+AQcC+FTVKf0jlTdHDY3rbevmnKxxPjigCXlVtGe6RIr6", "TEST", "7997405c", 1),
        ("remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2", "remora.n621.de", "da77ade7", 4),
    ],
)
def test_a_key_that_verifies_is_read_and_written(text: str, name: str, key_id: str, alg: int) -> None:
    vkey = parse_vkey(text)
    assert (vkey.name, vkey.key_id, vkey.alg, len(vkey.key)) == (name, key_id, alg, 32)
    assert str(vkey) == text


def test_a_key_that_signs_is_read_and_written_and_never_shown() -> None:
    skey = parse_skey(PETERS_OWN)
    assert (skey.name, skey.key_id, skey.alg, str(skey)) == (*PETERS, 1, PETERS_OWN)
    assert str(skey.vkey) == PETER
    assert make_skey(skey.name, skey.seed) == skey
    assert repr(skey) == "Skey(PeterNeumann+c74f20a3)"


@pytest.mark.parametrize(("read", "text"), [(parse_vkey, PETER), (parse_skey, PETERS_OWN)], ids=["vkey", "skey"])
def test_a_key_that_is_mangled_anywhere_is_refused(read: Callable[[str], object], text: str) -> None:
    parts = {text[begin:end] for begin in range(len(text)) for end in range(begin, len(text) + 1)} - {text}
    next_letters = {text[:at] + chr(ord(text[at]) + 1) + text[at + 1 :] for at in range(len(text))}
    for wrong in parts | next_letters:
        with pytest.raises(Malformed):
            read(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        PETER.replace("c74f20a3", "C74F20A3"),
        PETER.replace("c74f20a3", "c74f20a"),
        PETER.replace("c74f20a3", "٣74f20a3"),
        PETER + "\n",
        " " + PETER,
        PETER.replace("+ARpc", "+ARp c"),
        PETER.replace("+ARpc", "+ARp-"),
        PETER.replace("+ARpc", "++ARpc"),
        PETERS_OWN,
        "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    ],
)
def test_what_is_no_key_is_refused(wrong: str) -> None:
    with pytest.raises(Malformed):
        parse_vkey(wrong)


@pytest.mark.parametrize("key", FORGEABLE)
@pytest.mark.parametrize("alg", [ED25519, COSIGNATURE])
def test_a_key_under_which_a_signature_can_hold_for_any_text_is_refused(key: str, alg: int) -> None:
    with pytest.raises(Malformed, match="a signature made with it can be valid for any text"):
        parse_vkey(vkey_of(bytes.fromhex(key), alg))


def test_the_signature_that_needs_no_key_holds_for_any_text_under_such_a_key() -> None:
    everything = bytes.fromhex(FORGEABLE[0]) + bytes(32)
    assert all(is_signature(bytes.fromhex(FORGEABLE[0]), text, everything) for text in (b"", b"one", b"other"))


@pytest.mark.parametrize("sign", [0, 1 << 255])
def test_a_key_that_is_written_in_a_second_form_is_refused(sign: int) -> None:
    for y in range(2, 19):
        with pytest.raises(Malformed, match="This is not a valid key"):
            parse_vkey(vkey_of((2**255 - 19 + y | sign).to_bytes(32, "little")))
        assert parse_vkey(vkey_of((y | sign).to_bytes(32, "little")))


@pytest.mark.parametrize("read", [parse_skey, parse_vkey])
@pytest.mark.parametrize(
    "change", [("DFz", ""), ("c74f20a3", "c74f20a4"), ("DFz", "DFz="), ("KEY+", ""), ("PRIVATE+KEY+", "")]
)
def test_no_error_tells_a_key_that_signs(read: Callable[[str], object], change: tuple[str, str]) -> None:
    with pytest.raises(Malformed) as refused:
        read(PETERS_OWN.replace(*change))
    assert "AYEK" not in str(refused.value)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\u00a0b", "a\u3000", "a\x1fb", "a\n", "a\u0085", "\ud800"])
def test_a_name_that_cannot_stand_in_a_line_names_no_key(name: str) -> None:
    with pytest.raises(Malformed):
        make_skey(name, bytes(32))
    with pytest.raises(Malformed):
        parse_signature(f"— {name} {BY_PETER.split(' ')[2]}")


def test_a_note_is_signed_as_everybody_signs_it() -> None:
    assert sign_note(TEXT, PETERS_OWN).decode() == f"{TEXT}\n{BY_PETER}"
    assert (
        sign_note(TEXT, parse_skey(PETERS_OWN), signatures=[BY_ENOCH[:-1]]).decode() == f"{TEXT}\n{BY_ENOCH}{BY_PETER}"
    )
    assert signature_line(TEXT, PETERS_OWN) == BY_PETER


def test_a_new_signature_replaces_the_older_one_of_the_same_key() -> None:
    older = BY_PETER.replace("ZJku", "AAAA")
    assert sign_note(TEXT, PETERS_OWN, signatures=[older, BY_ENOCH]).decode() == f"{TEXT}\n{BY_ENOCH}{BY_PETER}"


@pytest.mark.parametrize("text", ["abc", "", "a\tb\n", "a\r\n", "\x00\n", "\ud800\n"])
def test_a_text_that_is_no_note_is_not_signed(text: str) -> None:
    with pytest.raises(Malformed):
        sign_note(text, PETERS_OWN)


@pytest.mark.parametrize(
    "line", ["", "— a+b ABCD\n", "— PeterNeumann ABCD\n", "— PeterNeumann BADHASH=\n", f"{BY_ENOCH}\n"]
)
def test_a_note_is_not_signed_below_a_line_that_is_none(line: str) -> None:
    with pytest.raises(Malformed):
        sign_note(TEXT, PETERS_OWN, signatures=[line])


@pytest.mark.parametrize(
    ("known", "verified"),
    [([PETER], [PETERS]), ([ENOCH], [ENOCHS]), ([ENOCH, PETER], [PETERS, ENOCHS]), ([parse_vkey(PETER)], [PETERS])],
)
def test_a_note_tells_whose_signatures_hold(known: list[str], verified: list[tuple[str, str]]) -> None:
    note = open_note(f"{TEXT}\n{BY_PETER}{BY_ENOCH}", known)
    assert (note.text, note.verified, note.timestamps) == (TEXT, verified, {})


def test_lines_that_stand_twice_count_once() -> None:
    spoilt = BY_ENOCH[:60] + "ABCD" + BY_ENOCH[60:]
    note = open_note(f"{TEXT}\n{BY_PETER}{BY_PETER}{BY_ENOCH}{BY_ENOCH}{spoilt}".encode(), [PETER])
    assert note.verified == [PETERS]
    twice = "".join(signature_line(SOFA, WITNESS, time) for time in (5, 6))
    assert open_note(f"{SOFA}\n{twice}", [WITNESS.vkey]).timestamps == {"witness.example/w1": 5}


@pytest.mark.parametrize("spoilt", [BY_PETER[:60] + "ABCD" + BY_PETER[60:], BY_PETER.replace("ZJku", "AAAA")])
def test_a_good_line_of_a_known_key_does_not_cover_for_a_bad_one(spoilt: str) -> None:
    for lines in (BY_PETER + spoilt, spoilt + BY_PETER, BY_PETER + BY_ENOCH + spoilt):
        with pytest.raises(Unproven, match=r"of PeterNeumann\+c74f20a3 is not valid"):
            open_note(f"{TEXT}\n{lines}", [PETER])


@pytest.mark.parametrize(
    ("lines", "known", "says"),
    [
        (BY_PETER + BY_ENOCH, [], "This text is not signed with a known key"),
        (BY_PETER[:60] + "ABCD" + BY_PETER[60:], [PETER], r"of PeterNeumann\+c74f20a3 is not valid"),
        (BY_ENOCH + BY_PETER.replace("ZJku", "AAAA"), [PETER, ENOCH], r"of PeterNeumann\+c74f20a3 is not valid"),
        (BY_ENOCH, [ENOCH, PETER, ENOCH], r"Two or more known keys are called EnochRoot\+af0cfe78"),
        (BY_PETER.replace("PeterNeumann", "CarmenSandiego"), [PETER], "This text is not signed with a known key"),
        (BY_PETER.replace("x08g", "xxxx"), [PETER], "This text is not signed with a known key"),
    ],
)
def test_a_note_that_nobody_known_stands_for_is_refused(lines: str, known: list[str], says: str) -> None:
    with pytest.raises(Unproven, match=says):
        open_note(f"{TEXT}\n{lines}", known)


def test_a_key_known_twice_matters_only_where_it_signed() -> None:
    assert open_note(f"{TEXT}\n{BY_PETER}", [ENOCH, PETER, ENOCH]).verified == [PETERS]


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n\n",
        TEXT,
        TEXT + "\n",
        f"{TEXT}\n{BY_PETER}"[:-1],
        f"\x01{TEXT}\n{BY_PETER}",
        f"{TEXT}\n— Bad Name {BY_PETER.split(' ')[2]}",
        f"{TEXT}\n{BY_PETER}Unexpected line.\n",
        f"{TEXT}\n{BY_PETER}\n",
        f"{TEXT}\n-{BY_PETER[1:]}",
        f"{TEXT}\n— PeterNeumann  {BY_PETER.split(' ')[2]}",
        f"{TEXT}\n— PeterNeumann x08gow==\n",
        f"{TEXT}\n— PeterNeumann x08go/==\n",
        f"{TEXT}\n{BY_PETER[:-1]}\r\n",
        f"{TEXT}\n{BY_PETER.replace('=', '')}",
        f"{TEXT}\n" + BY_PETER * (MOST_SIGNATURES + 1),
        f"{TEXT}\ud800\n\n{BY_PETER}",
        b"\xff" + f"{TEXT}\n{BY_PETER}".encode(),
    ],
)
def test_what_is_no_note_is_refused(note: str | bytes) -> None:
    with pytest.raises(Malformed):
        open_note(note, [PETER])


def test_a_note_is_no_longer_than_it_may_be() -> None:
    room = LARGEST_NOTE - len(f"\n\n{BY_PETER}".encode())
    assert len(sign_note("a" * room + "\n", PETERS_OWN)) == LARGEST_NOTE
    for refuse in (lambda text: sign_note(text, PETERS_OWN), lambda text: open_note(f"{text}\n{BY_PETER}", [PETER])):
        with pytest.raises(Malformed):
            refuse("é" + "a" * (room - 1) + "\n")


def test_a_note_may_hold_empty_lines_and_a_hundred_signatures() -> None:
    text = "\none\n\n\ntwo\n\n"
    assert open_note(sign_note(text, PETERS_OWN), [PETER]).text == text
    assert len(read_note(f"{TEXT}\n{BY_PETER * MOST_SIGNATURES}")[1]) == MOST_SIGNATURES


def test_a_witness_says_when_it_saw_a_text() -> None:
    note = f"{SOFA}\n{BY_SOFA}{signature_line(SOFA, WITNESS, 1679315147)}"
    opened = open_note(note, [WITNESS.vkey])
    assert opened.verified == [("witness.example/w1", WITNESS.key_id)]
    assert opened.timestamps == {"witness.example/w1": 1679315147}


@pytest.mark.parametrize("change", [("20852163", "20852164"), ("sofa\n", "sofb\n"), ("2I=\n\n", "2I=\nmore\n\n")])
def test_what_a_witness_saw_cannot_be_changed(change: tuple[str, str]) -> None:
    note = f"{SOFA}\n{signature_line(SOFA, WITNESS, 1679315147)}"
    with pytest.raises(Unproven, match="is not valid"):
        open_note(note.replace(*change, 1), [WITNESS.vkey])


@pytest.mark.parametrize("at", [4, 11, 12, 75])
def test_neither_can_when_it_saw_it(at: int) -> None:
    name, b64 = "witness.example/w1", signature_line(SOFA, WITNESS, 1679315147)[:-1].split(" ")[2]
    data = from_base64(b64)
    wrong = data[:at] + bytes([data[at] ^ 0x80]) + data[at + 1 :]
    for each in (wrong, data[:at]):
        with pytest.raises(Unproven, match=r"is not valid|does not contain a signature"):
            open_note(f"{SOFA}\n— {name} {to_base64(each)}\n", [WITNESS.vkey])


@pytest.mark.parametrize(("key", "time"), [(WITNESS, None), (parse_skey(PETERS_OWN), 5)])
def test_a_witness_needs_the_time_and_nobody_else_has_it(key: Skey, time: int | None) -> None:
    with pytest.raises(BadInput):
        signature_line(SOFA, key, time)


def test_the_example_of_the_specification_is_read() -> None:
    text, lines = read_note(f"{SOFA}\n{BY_SOFA}{BY_W1}")
    assert [str(line) for line in lines] == [BY_SOFA, BY_W1]
    assert [(line.name, line.key_id) for line in lines] == [
        ("example.com/behind-the-sofa", "033de0ae"),
        ("witness.example.com/w1", "8d66cf3f"),
    ]
    assert parse_checkpoint(text) == Checkpoint(
        origin="example.com/behind-the-sofa",
        size=20852163,
        root=from_base64("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="),
    )


@pytest.mark.parametrize(
    "text", ["AB==", "AA", "AA=", "A", "AA==\n", " AA==", "A A==", "AA==AA==", "AAAA====", "-_==", "é"]
)
def test_bytes_are_written_in_one_way(text: str) -> None:
    with pytest.raises(Malformed):
        from_base64(text)


@pytest.mark.parametrize(
    "text", ["", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "1.0", "٣", "²", "1e3", "0x1", str(2**63), "9" * 5000]
)
def test_numbers_are_written_in_one_way(text: str) -> None:
    with pytest.raises(Malformed):
        from_decimal(text, 2**63)


@given(st.integers(0, 2**63 - 1))
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    assert from_decimal(str(number), 2**63) == number


@pytest.mark.parametrize(
    ("origin", "extensions"),
    [("a", []), ("a" * 255, []), ("é" * 127 + "a", ["one"]), ("example log+origin", ["one", "two three"])],
)
def test_a_checkpoint_is_read_as_it_was_written(origin: str, extensions: list[str]) -> None:
    text = checkpoint_text(origin, 5, HASH, extensions)
    said = parse_checkpoint(text.encode())
    assert (said.origin, said.size, said.root, said.extensions) == (origin, 5, HASH, tuple(extensions))
    assert str(said) == text


@pytest.mark.parametrize(
    ("origin", "size", "root", "extensions"),
    [
        ("", 1, HASH, []),
        ("é" * 128, 1, HASH, []),
        ("a\nb", 1, HASH, []),
        (f"a\n1\n{to_base64(HASH)}", 1, HASH, []),
        ("a\tb", 1, HASH, []),
        ("\ud800", 1, HASH, []),
        ("a", -1, HASH, []),
        ("a", 2**63, HASH, []),
        ("a", True, HASH, []),
        ("a", 1, HASH[:-1], []),
        ("a", 1, HASH, [""]),
        ("a", 1, HASH, ["b\nc"]),
    ],
)
def test_a_checkpoint_that_could_not_be_read_is_not_written(
    origin: str, size: int, root: bytes, extensions: list[str]
) -> None:
    with pytest.raises(Malformed):
        checkpoint_text(origin, size, root, extensions)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Head\n9944\n",
        f"\n9944\n{to_base64(HASH)}\n",
        f"Log\n123\n{to_base64(HASH)}",
        "Log\n123\nYmFuYW5hcw==\n",
        "Log\n123\nThisIsn'tBase64\n",
        f"Log\nbananas\n{to_base64(HASH)}\n",
        f"Log\n-34\n{to_base64(HASH)}\n",
        f"Log\n034\n{to_base64(HASH)}\n",
        f"Log\n34 \n{to_base64(HASH)}\n",
        f"Log\n3438945738945739845734895735\n{to_base64(HASH)}\n",
        f"Log\n9223372036854775808\n{to_base64(HASH)}\n",
        f"Log\n5\n{to_base64(HASH)}\n\n",
        f"Log\n5\n{to_base64(HASH)}\nmore\n\nmore\n",
        f"Log\r\n5\n{to_base64(HASH)}\n",
        f"{SOFA}\n{BY_SOFA}",
        b"\xff" + SOFA.encode(),
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str | bytes) -> None:
    with pytest.raises(Malformed):
        parse_checkpoint(text)


@pytest.mark.parametrize(
    ("index", "hashes", "checkpoint", "extra", "text"),
    [
        (
            5,
            [HASH],
            "test checkpoint\n",
            None,
            f"c2sp.org/tlog-proof@v1\nindex 5\n{to_base64(HASH)}\n\ntest checkpoint\n",
        ),
        (10, [], "checkpoint\n", b"abc", "c2sp.org/tlog-proof@v1\nextra YWJj\nindex 10\n\ncheckpoint\n"),
        (0, [], "\nafter\n\nempty\n", None, "c2sp.org/tlog-proof@v1\nindex 0\n\n\nafter\n\nempty\n"),
        (2**64 - 1, [], "a\n", None, "c2sp.org/tlog-proof@v1\nindex 18446744073709551615\n\na\n"),
        (73894, [HASH, bytes(32)], f"{SOFA}\n{BY_SOFA}", b"abc", PROOF),
    ],
)
def test_a_proof_is_read_as_it_was_written(
    index: int, hashes: list[bytes], checkpoint: str, extra: bytes | None, text: str
) -> None:
    assert format_tlog_proof(index, hashes, checkpoint, extra) == text
    assert format_tlog_proof(index, hashes, checkpoint.encode(), extra) == text
    assert parse_tlog_proof(text) == parse_tlog_proof(text.encode()) == (index, hashes, checkpoint, extra)


@pytest.mark.parametrize(
    ("index", "hashes", "checkpoint", "extra"),
    [
        (-1, [], "a\n", None),
        (2**64, [], "a\n", None),
        (False, [], "a\n", None),
        (0, [HASH[:-1]], "a\n", None),
        (0, [HASH] * (MOST_HASHES + 1), "a\n", None),
        (0, [], "", None),
        (0, [], "a", None),
        (0, [], "a\n", b""),
        (0, [], b"\xff\n", None),
        (0, [], "\ud800\n", None),
    ],
)
def test_a_proof_that_could_not_be_read_is_not_written(
    index: int, hashes: list[bytes], checkpoint: str | bytes, extra: bytes | None
) -> None:
    with pytest.raises(Malformed):
        format_tlog_proof(index, hashes, checkpoint, extra)


@pytest.mark.parametrize(
    "change",
    [
        ("c2sp.org/", "wrong-header/"),
        ("c2sp.org", "c2sp-org"),
        ("@v1", "@v2"),
        ("@v1\n", "@v1 \n"),
        ("YWJj", "!!notbase64!!"),
        ("extra YWJj", "extra "),
        ("extra YWJj\n", "extra YWJj\nextra YWJj\n"),
        ("index 73894\n", ""),
        ("index 73894", "index notanumber"),
        ("index 73894", "index -5"),
        ("index 73894", "index 073894"),
        ("index 73894", "index 18446744073709551616"),
        ("AAECAw", "AAEC"),
        ("AAECAwQF", "!!not!!!"),
        (to_base64(HASH), to_base64(HASH + HASH)),
        ("\n\nexample", "\nexample"),
        (f"\n\n{SOFA}\n{BY_SOFA}", "\n\n"),
        (f"\n\n{SOFA}\n{BY_SOFA}", "\n\na"),
        (to_base64(HASH), "a" * 999),
        ("\n", "\r\n"),
    ],
)
def test_what_is_no_proof_is_refused(change: tuple[str, str]) -> None:
    assert change[0] in PROOF
    with pytest.raises(Malformed):
        parse_tlog_proof(PROOF.replace(*change))


@pytest.mark.parametrize(
    ("parse", "keys"), [(parse_vkey, (PETER, ENOCH, str(WITNESS.vkey))), (parse_skey, (PETERS_OWN, str(WITNESS)))]
)
@given(data=st.data())
def test_whatever_is_read_as_a_key_is_written_the_same(
    parse: Callable[[str], object], keys: tuple[str, ...], data: st.DataObject
) -> None:
    text = data.draw(bent(*keys))
    try:
        key = parse(text)
    except LedgerError:
        return
    assert str(key) == text


@given(bent(f"{TEXT}\n{BY_PETER}{BY_ENOCH}", f"{SOFA}\n{BY_SOFA}{BY_W1}"))
def test_whatever_is_read_as_a_note_is_written_the_same(text: str) -> None:
    try:
        said, lines = read_note(text)
    except LedgerError:
        return
    assert "\n".join([said, "".join(map(str, lines))]) == text


@given(bent(f"{TEXT}\n{BY_PETER}{BY_ENOCH}"))
def test_no_note_opens_that_says_something_else(text: str) -> None:
    try:
        note: SignedNote = open_note(text, [PETER, ENOCH])
    except LedgerError:
        return
    assert note.text == TEXT


@given(bent(SOFA, SOFA + "more\n"))
def test_whatever_is_read_as_a_checkpoint_is_written_the_same(text: str) -> None:
    try:
        said = parse_checkpoint(text)
    except LedgerError:
        return
    assert str(said) == checkpoint_text(said.origin, said.size, said.root, said.extensions) == text


@given(bent(PROOF, PROOF.replace("extra YWJj\n", "")))
def test_whatever_is_read_as_a_proof_is_written_the_same(text: str) -> None:
    try:
        index, hashes, checkpoint, extra = parse_tlog_proof(text)
    except LedgerError:
        return
    assert format_tlog_proof(index, hashes, checkpoint, extra) == text


def test_a_witness_saw_a_text_before_the_end_of_all_times_however_well_it_signed() -> None:
    def seen(time: int) -> str:
        signature = sign_bytes(WITNESS.seed, f"cosignature/v1\ntime {time}\n{SOFA}".encode())
        blob = bytes.fromhex(WITNESS.key_id) + time.to_bytes(8, "big") + signature
        return f"{SOFA}\n— {WITNESS.name} {to_base64(blob)}\n"

    assert open_note(seen(2**63 - 1), [WITNESS.vkey]).timestamps == {WITNESS.name: 2**63 - 1}
    with pytest.raises(Unproven, match="is not valid"):
        open_note(seen(2**63), [WITNESS.vkey])


def test_a_proof_may_have_as_many_hashes_as_the_largest_tree_needs() -> None:
    proof = format_tlog_proof(5, [HASH] * MOST_HASHES, f"{SOFA}\n{BY_SOFA}")
    assert parse_tlog_proof(proof)[1] == [HASH] * MOST_HASHES
    with pytest.raises(Malformed, match="hashes"):
        format_tlog_proof(5, [HASH] * (MOST_HASHES + 1), f"{SOFA}\n{BY_SOFA}")
