"""Policies: the lines of C2SP tlog-policy, what they refuse, and when witnesses are enough."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bending import PETERS_OWN, bent
from ledger.errors import LedgerError, Malformed
from ledger.tlog.note import COSIGNATURE, ED25519, make_skey
from ledger.tlog.policy import Group, parse_policy


def key(number: int, alg: int = COSIGNATURE, name: str = "") -> str:
    return str(make_skey(name or f"witness{number}.example", bytes([number]) * 32, alg).vkey)


LOG, LOG2 = key(100, ED25519, "example.com/log"), key(101, ED25519, "example.com/log2")
W1, W2, W3, W4, W5, W6 = (key(number) for number in range(1, 7))

SPEC = f"""log {LOG}

witness X1 {W1}
witness X2 {W2}
witness X3 {W3}
group X-witnesses 2 X1 X2 X3

witness Y1 {W4}
witness Y2 {W5}
witness Y3 {W6}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
"""
URLS = f"log {LOG} https://log.example.com/\nlog {LOG2}\nwitness w1 {W1} https://w1.example.com/\nwitness w2 {W2}\ngroup g 1 w1 w2\nquorum g\n"


def test_the_example_of_the_specification_is_read() -> None:
    policy = parse_policy(SPEC)
    assert [str(vkey) for vkey in policy.logs] == [LOG]
    assert {name: str(vkey) for name, vkey in policy.witnesses.items()} == {
        "X1": W1,
        "X2": W2,
        "X3": W3,
        "Y1": W4,
        "Y2": W5,
        "Y3": W6,
    }
    assert policy.groups == {
        "X-witnesses": Group(threshold=2, members=("X1", "X2", "X3")),
        "Y-witnesses": Group(threshold=1, members=("Y1", "Y2", "Y3")),
        "X-and-Y": Group(threshold=2, members=("X-witnesses", "Y-witnesses")),
    }
    assert policy.quorum == "X-and-Y"
    assert policy.urls == {}


@pytest.mark.parametrize(
    ("names", "enough"),
    [
        (["X1", "X2", "Y1"], True),
        (["X1", "X3", "Y3"], True),
        (["X1", "X2", "X3", "Y1", "Y2", "Y3"], True),
        (["X1", "X2", "X3"], False),
        (["X1", "Y1", "Y2", "Y3"], False),
        (["X1", "X1", "Y1"], False),
        (["X-witnesses", "Y1"], False),
        (["X-and-Y"], False),
        (["none"], False),
        (["stranger"], False),
        ([], False),
    ],
)
def test_as_many_witnesses_as_the_quorum_says_are_enough(names: list[str], enough: bool) -> None:
    assert parse_policy(SPEC).is_satisfied_by(names) is enough
    assert parse_policy(SPEC.encode()).is_satisfied_by(iter(names)) is enough


@pytest.mark.parametrize(
    ("text", "names", "enough"),
    [
        ("quorum none\n", [], True),
        ("quorum none", ["stranger"], True),
        (f"witness w1 {W1}\nquorum w1\n", ["w1"], True),
        (f"witness w1 {W1}\nquorum w1\n", [], False),
        (f"\n# comment\n\t # another\n\twitness \t w1  {W1}   https://w1.example.com/  \n\n  quorum\tw1", ["w1"], True),
        (f"witness all {W1}\nwitness any {W2}\ngroup group 2 all any\nquorum group\n", ["all", "any"], True),
        (f"witness 1 {W1}\ngroup log 1 1\nquorum log\n", ["1"], True),
        (f"witness #w {W1}\nquorum #w\n", ["#w"], True),
        (f"witness w1 {W1}\nwitness w2 {W2}\ngroup g all w1 w2\nquorum w1\n", ["w1"], True),
        (f"log {LOG}\nlog {LOG2}\nquorum none\n", [], True),
        (f"log {key(1, ED25519)}\nwitness w1 {W1}\nquorum w1\n", ["w1"], True),
        (f"witness \u212a {W1}\nwitness K {W2}\nquorum \u212a\n", ["K"], False),
        (f"witness a\u00a0b {W1}\nquorum a\u00a0b\n", ["a\u00a0b"], True),
    ],
)
def test_a_policy_is_read_octet_by_octet(text: str, names: list[str], enough: bool) -> None:
    assert parse_policy(text).is_satisfied_by(names) is enough


def test_a_name_may_be_no_utf_8() -> None:
    octets = b"witness w\x80 " + W1.encode() + b"\nquorum w\x80\n"
    policy = parse_policy(octets)
    assert list(policy.witnesses) == ["w\udc80"]
    assert policy.is_satisfied_by(["w\udc80"])
    assert str(policy).encode(errors="surrogateescape") == octets


def test_groups_may_stand_in_each_other_as_deep_as_they_like() -> None:
    groups = "".join(f"group g{number} all g{number - 1}\n" for number in range(1, 5000))
    text = f"witness g0 {W1}\n{groups}quorum g4999\n"
    policy = parse_policy(text)
    assert policy.is_satisfied_by(["g0"])
    assert not policy.is_satisfied_by([])


def test_a_policy_knows_its_witnesses_by_their_keys() -> None:
    policy = parse_policy(SPEC)
    x1, y1 = policy.witnesses["X1"], policy.witnesses["Y1"]
    assert policy.names_of_signers([(x1.name, x1.key_id), (y1.name, y1.key_id)]) == {"X1", "Y1"}
    assert policy.names_of_signers([(x1.name, y1.key_id), ("X1", x1.key_id)]) == set()


def test_addresses_are_kept_by_key() -> None:
    policy = parse_policy(URLS)
    assert policy.urls == {LOG: "https://log.example.com/", W1: "https://w1.example.com/"}
    assert str(policy) == URLS


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("quorum none\n\x01", "^Line 2 of the policy: This line contains a character that is not allowed .byte 0x01"),
        ("quorum none\r\n", "^Line 1 of the policy: This line contains a character that is not allowed .byte 0x0d"),
        ("quorum none\n# \x7f", "0x7f"),
        ("quibble w1\nquorum none\n", "^Line 1 .*'quibble w1' is not a log, witness, group or quorum"),
        ("Quorum none\n", "is not a log, witness"),
        ("quorum\u00a0none\n", "is not a log, witness"),
        (
            f"witness w1 {W1} https://w1.example.com/ # comment\nquorum w1\n",
            "Remove '#'. The address must be the last part of the line",
        ),
        (f"log {LOG} a b\nquorum none\n", "The address must be the last part of the line"),
        ("log\nquorum none\n", "is not a log, witness"),
        ("log garbage\nquorum none\n", "^Line 1 of the policy: This is not a key"),
        (f"log {LOG[:-1]}\nquorum none\n", "This is not a key"),
        (f"log {LOG.replace('+A', '+C')}\nquorum none\n", "This is not a key"),
        (f"log {W1}\nquorum none\n", "the wrong kind of key"),
        (f"log {LOG}\nlog {LOG} https://log.example.com/\nquorum none\n", "^Line 2 .* twice"),
        (f"log {LOG}\nlog {key(100, ED25519, 'other')}\nquorum none\n", "twice"),
        ("witness w1\nquorum none\n", "is not a log, witness"),
        (f"witness w1 {key(1, ED25519)}\nquorum w1\n", "the wrong kind of key"),
        (f"witness w1 {W1}\nwitness w2 {key(1, name='impostor')}\nquorum w1\n", "twice"),
        (f"witness none {W1}\nquorum none\n", "The name 'none' is already taken"),
        (f"witness w1 {W1}\nwitness w1 {W2}\nquorum w1\n", "The name 'w1' is already taken"),
        (f"witness w1 {W1}\ngroup w1 any w1\nquorum w1\n", "The name 'w1' is already taken"),
        (f"witness w1 {W1}\ngroup g any w1\nwitness g {W2}\nquorum w1\n", "The name 'g' is already taken"),
        (f"witness w1 {W1}\ngroup none any w1\nquorum none\n", "The name 'none' is already taken"),
        (f"witness w1 {W1}\ngroup g1 1\nquorum g1\n", "is not a log, witness"),
        (
            f"witness w1 {W1}\ngroup g1 0 w1\nquorum g1\n",
            "This group must require at least 1 and at most 1 signatures, not 0",
        ),
        (
            f"witness w1 {W1}\ngroup g1 2 w1\nquorum g1\n",
            "This group must require at least 1 and at most 1 signatures, not 2",
        ),
        (f"witness w1 {W1}\ngroup g1 -1 w1\nquorum g1\n", "'-1' is not a whole number"),
        (f"witness w1 {W1}\ngroup g1 01 w1\nquorum g1\n", "'01' is not a whole number"),
        (f"witness w1 {W1}\ngroup g1 \u0661 w1\nquorum g1\n", "is not a whole number"),
        (f"witness w1 {W1}\ngroup g1 ALL w1\nquorum g1\n", "is not a whole number"),
        (f"witness w1 {W1}\ngroup g1 any w2\nquorum g1\n", "No line above defines 'w2'"),
        (f"group g1 any w1\nwitness w1 {W1}\nquorum g1\n", "^Line 1 .*No line above defines 'w1'"),
        (f"witness w1 {W1}\ngroup g1 any g1\nquorum g1\n", "No line above defines 'g1'"),
        (f"witness w1 {W1}\ngroup g1 any none w1\nquorum g1\n", "No line above defines 'none'"),
        (f"witness w1 {W1}\ngroup g1 all w1 w1\nquorum g1\n", "'w1' is already in a group"),
        (
            f"witness w1 {W1}\nwitness w2 {W2}\ngroup g1 any w1 w2\ngroup g2 any w1\nquorum g1\n",
            "'w1' is already in a group",
        ),
        (f"witness w1 {W1}\n", "The policy has no quorum line"),
        ("", "The policy has no quorum line"),
        (f"witness w1 {W1}\nquorum w1\nquorum w1\n", "^Line 3 .* already has a quorum"),
        ("quorum none\nquorum none\n", "already has a quorum"),
        ("quorum unknown\n", "No line above defines 'unknown'"),
        (f"quorum w1\nwitness w1 {W1}\n", "No line above defines 'w1'"),
        ("quorum\n", "is not a log, witness"),
        ("quorum none none\n", "is not a log, witness"),
        ("quorum \ud800\n", "This is not UTF-8 text"),
    ],
)
def test_what_is_no_policy_is_refused_with_its_line(text: str, says: str) -> None:
    with pytest.raises(Malformed, match=says):
        parse_policy(text)


def test_no_error_tells_a_key_that_signs() -> None:
    with pytest.raises(Malformed) as refused:
        parse_policy(f"log {PETERS_OWN}\nquorum none\n")
    assert "AYEK" not in str(refused.value)


@given(bent(SPEC, URLS, "quorum none\n") | st.binary())
def test_whatever_is_read_as_a_policy_is_written_with_the_same_meaning(text: str | bytes) -> None:
    try:
        policy = parse_policy(text)
    except LedgerError:
        return
    assert parse_policy(str(policy)) == policy


@given(
    st.sets(st.sampled_from(["X1", "X2", "X3", "Y1", "Y2", "Y3"])),
    st.sampled_from(["X1", "X2", "X3", "Y1", "Y2", "Y3"]),
)
def test_one_witness_more_never_makes_it_less(names: set[str], more: str) -> None:
    policy = parse_policy(SPEC)
    assert policy.is_satisfied_by(names) <= policy.is_satisfied_by(names | {more})


@pytest.mark.parametrize(
    ("quorum", "says"),
    [("none", "nobody"), ("ana", "ana"), ("players", "1 of ana")],
)
def test_the_quorum_is_shown_in_words(quorum: str, says: str) -> None:
    ana = make_skey("ana", b"a" * 32, COSIGNATURE).vkey
    policy = parse_policy(f"witness ana {ana}\ngroup players any ana\nquorum {quorum}\n")
    assert policy.quorum_text() == says
