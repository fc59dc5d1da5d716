"""Functions of strings. Flink: BuiltInFunctionDefinitions, FlinkSqlOperatorTable."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Expr, Literal
from firesteel.functions.signatures.aggregate_functions import check_json
from firesteel.functions.signatures.function import (
    Function,
    never_null,
    nullable_as_first,
    same_as_first,
    varying_of_first,
)
from firesteel.types.coerce import common_type
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    BYTES,
    INT,
    MAX_LENGTH,
    STRING,
    SqlType,
    TypeRoot,
    array,
    char,
    map_of,
    varchar,
)


def _overlaid(args: Sequence[Expr]) -> SqlType:
    """Return the type of OVERLAY: a VARCHAR as long as both strings together."""
    length = min(sum(a.type.length or 0 for a in args[:2]), MAX_LENGTH)
    return SqlType(TypeRoot.VARCHAR, any(a.type.nullable for a in args), length=length)


def _picked(args: Sequence[Expr]) -> SqlType:
    """Return the type of `ELT(index, a, b, ...)`: the common type of a, b, ..., STRING if they have none.

    Raises:
        ValidationError: The index is a negative literal.
    """
    index, *parts = args
    if isinstance(index, Literal) and isinstance(index.value, int) and index.value < 0:
        raise ValidationError(
            f"Index must be an integer starting from '0', but was '{index.value}'.", range=index.range
        )
    return common_type([part.type for part in parts]) or STRING


def _json(args: Sequence[Expr]) -> SqlType:
    """Return the type of JSON_STRING: STRING, with the nullability of the argument.

    Raises:
        ValidationError: Flink does not convert the argument's type to JSON.
    """
    kind = args[0].type
    if kind.root in (TypeRoot.DATE, TypeRoot.TIME, TypeRoot.BITMAP):
        raise ValidationError(
            "Unsupported argument type. Expected type of family 'CHARACTER_STRING' but actual type was "
            f"'{kind.with_nullable(True)}'.",
            range=args[0].range,
        )
    if kind.root is not TypeRoot.NULL:
        check_json(kind)
    return STRING.with_nullable(kind.nullable)


def _of_text(args: Sequence[Expr]) -> SqlType:
    """Return the type of JSON_QUOTE and similar functions: STRING, with the nullability of the argument.

    Raises:
        ValidationError: The argument is not a text. The message is the one that Flink has.
    """
    kind = args[0].type
    if not kind.is_character:
        raise ValidationError(
            "Unsupported argument type. Expected type of family 'CHARACTER_STRING' but actual type was "
            f"'{kind}'.",
            range=args[0].range,
        )
    return STRING.with_nullable(kind.nullable)


STRING_FUNCTIONS: tuple[Function, ...] = (
    Function("UPPER", "s", same_as_first, "@strings.upper"),
    Function("LOWER", "s", same_as_first, "@strings.lower"),
    Function("INITCAP", "s", same_as_first, "@strings.initcap"),
    Function("CHAR_LENGTH", "s", INT, "length({0})::INTEGER"),
    Function("CHARACTER_LENGTH", "s", INT, "length({0})::INTEGER"),
    Function("SUBSTRING", "s j", varying_of_first, "@strings.substring", nullable=True),
    Function("SUBSTRING", "s j j", varying_of_first, "@strings.substring", nullable=True),
    Function("SUBSTR", "s j", varying_of_first, "@strings.substring", nullable=True),
    Function("SUBSTR", "s j j", varying_of_first, "@strings.substring", nullable=True),
    Function("LEFT", "s j", varying_of_first, "@strings.left", nullable=True),
    Function("RIGHT", "s j", varying_of_first, "@strings.right", nullable=True),
    Function("REPLACE", "s s s", STRING, "@strings.replace"),
    Function("TRANSLATE", "s s s", nullable_as_first(STRING), "@strings.translate"),
    Function("CONCAT", "s s*", STRING, "@strings.concat"),
    Function("CONCAT_WS", "s s*", STRING, "@strings.concat_ws"),
    Function("POSITION", "s s i?", INT, "@strings.position"),
    Function("LOCATE", "s s j?", INT, "@strings.position"),
    Function("INSTR", "s s j? j?", INT, "@strings.instr"),
    Function("OVERLAY", "s s i i?", _overlaid, "@strings.overlay"),
    Function("LPAD", "s i s", STRING, "@strings.lpad"),
    Function("RPAD", "s i s", STRING, "@strings.rpad"),
    Function("REPEAT", "s i", STRING, "@strings.repeat"),
    Function("REVERSE", "s", STRING, "@strings.reverse", nullable=True),
    Function("LTRIM", "s", varying_of_first, "ltrim({0}, ' ')"),
    Function("LTRIM", "s s", varying_of_first, "ltrim({0}, {1})"),
    Function("RTRIM", "s", varying_of_first, "rtrim({0}, ' ')"),
    Function("RTRIM", "s s", varying_of_first, "rtrim({0}, {1})"),
    Function("BTRIM", "s", STRING, "trim({0}, ' ')"),
    Function("BTRIM", "s s", STRING, "trim({0}, {1})"),
    Function("ASCII", "s", INT, "@strings.ascii_code"),
    Function("CHR", "i", STRING, "@strings.chr_of", nullable=True),
    Function("ELT", "i s s*", _picked, "@strings.elt", nullable=True),
    Function("ELT", "i y y*", _picked, "@strings.elt", nullable=True),
    Function("IS_ALPHA", "s", never_null(BOOLEAN), "@strings.is_alpha"),
    Function("IS_ALPHA", "n", never_null(BOOLEAN), "FALSE"),
    Function("IS_DIGIT", "s", never_null(BOOLEAN), "@strings.is_digit"),
    Function("IS_DIGIT", "i", never_null(BOOLEAN), "TRUE"),
    Function("IS_DIGIT", "n", never_null(BOOLEAN), "FALSE"),
    Function("IS_DECIMAL", "s", never_null(BOOLEAN), "@strings.is_decimal"),
    Function("IS_DECIMAL", "i", never_null(BOOLEAN), "TRUE"),
    Function("IS_DECIMAL", "x", never_null(BOOLEAN), "FALSE"),
    Function("IS_DECIMAL", "n", never_null(BOOLEAN), "TRUE"),
    Function("PRINTF", "s z*", STRING, "@printf.printf", nullable=True),
    Function("STARTSWITH", "s s", BOOLEAN, "starts_with({0}, {1})"),
    Function("STARTSWITH", "y y", BOOLEAN, "starts_with(hex({0}), hex({1}))"),
    Function("ENDSWITH", "s s", BOOLEAN, "ends_with({0}, {1})"),
    Function("ENDSWITH", "y y", BOOLEAN, "ends_with(hex({0}), hex({1}))"),
    Function("SIMILAR TO", "s s s?", BOOLEAN, "@patterns.similar"),
    Function("REGEXP", "s s", BOOLEAN, "@patterns.regexp"),
    Function("REGEXP_REPLACE", "s s s", STRING, "@patterns.regexp_replace"),
    Function("REGEXP_EXTRACT", "s s i?", STRING, "@patterns.regexp_extract", nullable=True),
    Function("REGEXP_COUNT", "s s", INT, "@patterns.regexp_count", nullable=True),
    Function("REGEXP_INSTR", "s s", INT, "@patterns.regexp_instr", nullable=True),
    Function("REGEXP_SUBSTR", "s s", STRING, "@patterns.regexp_substr", nullable=True),
    Function("REGEXP_EXTRACT_ALL", "s s i?", array(STRING), "@patterns.regexp_extract_all", nullable=True),
    Function("SPLIT_INDEX", "s s j", STRING, "@patterns.split_index", nullable=True),
    Function("SPLIT_INDEX", "s j j", STRING, "@patterns.split_index_at", nullable=True),
    Function("SPLIT", "s s", array(STRING), "@patterns.split"),
    Function("STR_TO_MAP", "s", map_of(STRING, STRING), "@patterns.str_to_map", nullable=True),
    Function("STR_TO_MAP", "s s s", map_of(STRING, STRING), "@patterns.str_to_map", nullable=True),
    *(Function("HASH_CODE", family, INT, "") for family in "bnsthd"),
    Function("MD5", "u", char(32), "md5({0})"),
    Function("SHA1", "u", char(40), "sha1({0})"),
    Function("SHA224", "u", char(56), "@encoding.sha224"),
    Function("SHA256", "u", char(64), "sha256({0})"),
    Function("SHA384", "u", char(96), "@encoding.sha384"),
    Function("SHA512", "u", char(128), "@encoding.sha512"),
    Function("SHA2", "u j", varchar(128), "@encoding.sha2"),
    Function("TO_BASE64", "s", STRING, "@encoding.to_base64"),
    Function("TO_BASE64", "y", STRING, "@encoding.bytes_to_base64"),
    Function("FROM_BASE64", "s", STRING, "@encoding.from_base64"),
    Function("ENCODE", "s s", BYTES, "@encoding.encode"),
    Function("DECODE", "y s", STRING, "@encoding.decode"),
    Function("URL_ENCODE", "s", STRING, "@encoding.url_encode", nullable=True),
    Function("URL_DECODE", "s", STRING, "@encoding.url_decode", nullable=True),
    Function("PARSE_URL", "s s s?", STRING, "@encoding.parse_url", nullable=True),
    Function("INET_ATON", "s", BIGINT, "@encoding.inet_aton", nullable=True),
    Function("INET_NTOA", "i", STRING, "@encoding.inet_ntoa", nullable=True),
    Function("HEX", "i", STRING, "@numbers.hex_of"),
    Function("HEX", "s", STRING, "hex({0})"),
    Function("JSON_STRING", "z", _json, "@json.string"),
    Function("JSON", "z", _of_text, "@sql_json.document"),
    Function("JSON_QUOTE", "z", _of_text, "@sql_json.quoted"),
    Function("JSON_UNQUOTE", "z", _of_text, "@sql_json.unquoted"),
    Function("UNHEX", "s", BYTES, "@numbers.unhex", nullable=True),
)
