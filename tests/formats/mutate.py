"""Damage to messages: what transports, writers and people do to them, and values that lie beyond limits."""

from __future__ import annotations

import random
import re

_VALUE = re.compile(rb'(?<=[:\[,])\s*(?:"(?:[^"\\]|\\.)*"|-?[0-9][-+.0-9eE]*|true|false|null)')
_FIELD = re.compile(rb"[^,;\n]+")
_PIECES = [
    b'"',
    b",",
    b"}",
    b"{",
    b"]",
    b"[",
    b"null",
    b"\\",
    b"NaN",
    b"0",
    b"\xc3",
    b"\0",
    b"\xff",
    b"\r",
    b" ",
]
_EXTREMES = (b"\xff" * 9 + b"\x01", b"\x80" * 12, b"\x7f\xff\xff\xff", b"\x01", b"\xff")
POISON = [
    b"1e9999999999999999999999", b"-1e2147483648", b"1e-2147483649", b"1.5e-999999999", b"0e99999999999",
    b"1e400", b"1e-400", b"1e308", b"-0.0", b"-0", b"00", b"1.", b".5", b"+1", b"1E5", b"0.1e+01",
    b"9" * 40, b"9" * 1000, b"9" * 1001, b"-" + b"9" * 1000, b"0." + b"3" * 999, b"0." + b"3" * 1000,
    b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809", b"2147483648", b"99999999.995",
    b'"1e9999999999999999999999"', b'"1e-2147483648"', b'"1e0000000000000000000005"',
    b'"' + b"0" * 5000 + b'7"', b'"' + b"9" * 5000 + b'"', b'"0x1p99999999999999999999"',
    b'"0x1p-99999999999999999999"', b'"NaN"', b'"inf"', b'"+999999999-01-01"', b'"-999999999-12-31"',
    b'"+5881580-07-12"', b'"9999-12-31"', b'"0000-01-01"', b'"+292279-01-01 00:00:00"',
    b'"+294248-01-01 00:00:00Z"', b'"-290309-01-01T00:00:00"', b'"24:00:00"',
    b'"1677-09-21 00:12:43.1452241"', b'"2262-04-11 23:47:16.854775808"', b'"2024-02-30 01:01:01"',
    b'"23:59:60"', b'"2024-01-01 00:00:00.123456789"', b'"2024-01-01 00:00:00.1234567891"', b'"1_000"',
    b'" 7 "', b'"\\u0661"', b'"\xd9\xa1"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\xed\xa0\x80"',
    b'"\xc0\x80"', b'"\\x"', b'"\0"', b'"=="', b'"AAA"', b'"AA=="', b'"A A A A"', b"tru", b"nul", b"NaN",
    b"-Infinity", b"Infinity", b"{}", b"[]", b"[[]]", b'{"a":{"a":[{"id":1}]}}', b'[1,"x",null,{"k":1e5}]',
    b'{"":1}', b'""', b'"', b"{", b"[", b"[" * 60 + b"]" * 60, b"[" * 600 + b"]" * 600,
    b"[" * 990 + b"]" * 990, b"[" * 1001 + b"]" * 1001, b"[" * 2000, b'{"a":' * 70 + b"1" + b"}" * 70,
    b'{"a":' * 700 + b"1.50" + b"}" * 700, b'{"' + b"k" * 50001 + b'":1}', b'{"a":1,"a":1.0,"a":[]}',
    b"[1e9999999999999999999999]", b'{"x":1e9999999999999999999999}',
]  # fmt: skip
"""Values that readers have failed at, or that lie at a limit, as JSON has them."""


def damaged(chance: random.Random, message: bytes) -> bytes:
    """A message with one to three kinds of damage, without line ends."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        message = chance.choice((_with_bytes, _with_bytes, _with_poison, _with_poison, _cut, _encoded))(
            chance, message
        )
    return message.replace(b"\n", b"")


def damaged_bytes(chance: random.Random, data: bytes) -> bytes:
    """Bytes of a binary format: flipped, cut, doubled, replaced by extremes."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4))):
        place = chance.randrange(len(made) + 1)
        length = chance.choice((1, 1, 2, 4, 8, 30))
        match chance.randrange(6):
            case 0 if place < len(made):
                made[place] ^= 1 << chance.randrange(8)
            case 1:
                made[place : place + length] = chance.randbytes(length)
            case 2:
                del made[place : place + length]
            case 3:
                made[place:place] = made[place : place + length]
            case 4:
                extremes = (
                    b"\xff" * 9 + b"\x01",
                    b"\x80" * 12,
                    b"\0" * length,
                    b"\x7f\xff\xff\xff",
                    b"\x01",
                    b"\xff",
                )
                made[place : place + length] = chance.choice(extremes)
            case _:
                del made[place:]
    return bytes(made)


def _with_bytes(chance: random.Random, message: bytes) -> bytes:
    data = bytearray(message)
    for _ in range(chance.randint(1, 2)):
        if not data:
            break
        place, length = chance.randrange(len(data)), chance.choice((1, 1, 2, 5, 20))
        match chance.randrange(5):
            case 0:
                del data[place : place + length]
            case 1:
                data[place:place] = data[place : place + length]
            case 2:
                data[place : place + 1] = chance.choice(_PIECES)
            case 3:
                data[place] = chance.randrange(256)
            case _:
                other = chance.randrange(len(data))
                data[place], data[other] = data[other], data[place]
    return bytes(data)


def _with_poison(chance: random.Random, message: bytes) -> bytes:
    """One value replaced."""
    is_json = message[:1] in (b"{", b"[")
    places = [found.span() for found in (_VALUE if is_json else _FIELD).finditer(message)]
    if not places:
        return chance.choice(POISON)
    start, end = chance.choice(places)
    value = chance.choice(POISON)
    if not is_json and chance.random() < 0.7:
        value = value.strip(b'"')
    return message[:start] + value + message[end:]


def _cut(chance: random.Random, message: bytes) -> bytes:
    return message[: chance.randrange(len(message) + 1)]


def _encoded(chance: random.Random, message: bytes) -> bytes:
    """The message as other tools might have sent it."""
    text = message.decode("utf-8", "replace")
    match chance.randrange(7):
        case 0:
            return text.encode(chance.choice(("utf-16-le", "utf-16-be", "utf-16", "utf-32", "utf-32-be")))
        case 1:
            return b"\xef\xbb\xbf" + message
        case 2:
            return text.encode("latin-1", "replace")
        case 3:
            return message + chance.choice((b"\r", b" ", b"x", b"{}", b"\0", message))
        case 4:
            return b"[" + message + b"," + message + b"]"
        case 5:
            return chance.choice((b"", b" ", b"\0", b"null", b"[]", b"{}", b"1", b'"x"', b"\r"))
        case _:
            return chance.choice((b" ", b"\t", b"\r\r", b"[")) + message
