"""Functions of strings. Flink: BuiltInFunctionDefinitions and FlinkSqlOperatorTable."""

from __future__ import annotations

from firesteel.expr.functions import Function, same_as_first, varying_of_first
from firesteel.types.sql import BOOLEAN, INT, STRING, char, varchar

STRING_FUNCTIONS: tuple[Function, ...] = (
    Function("UPPER", "s", same_as_first, "@strings.upper"),
    Function("LOWER", "s", same_as_first, "@strings.lower"),
    Function("INITCAP", "s", same_as_first, "@strings.initcap"),
    Function("CHAR_LENGTH", "s", INT, "length({0})::INTEGER"),
    Function("CHARACTER_LENGTH", "s", INT, "length({0})::INTEGER"),
    Function("SUBSTRING", "s i", varying_of_first, "@strings.substring"),
    Function("SUBSTRING", "s i i", varying_of_first, "@strings.substring"),
    Function("SUBSTR", "s i", varying_of_first, "@strings.substring"),
    Function("SUBSTR", "s i i", varying_of_first, "@strings.substring"),
    Function("LEFT", "s i", varying_of_first, "@strings.left"),
    Function("RIGHT", "s i", varying_of_first, "@strings.right"),
    Function("REPLACE", "s s s", STRING, "@strings.replace"),
    Function("TRANSLATE", "s s s", STRING, "@strings.translate"),
    Function("CONCAT", "s s*", STRING, "@strings.concat"),
    Function("CONCAT_WS", "s s*", STRING, "@strings.concat_ws"),
    Function("POSITION", "s s", INT, "@strings.position"),
    Function("POSITION", "s s i", INT, "@strings.position"),
    Function("LOCATE", "s s", INT, "@strings.position"),
    Function("LOCATE", "s s i", INT, "@strings.position"),
    Function("INSTR", "s s i? i?", INT, "@strings.instr"),
    Function("OVERLAY", "s s i i?", varchar(1), "@strings.overlay"),
    Function("LPAD", "s i s", STRING, "@strings.lpad"),
    Function("RPAD", "s i s", STRING, "@strings.rpad"),
    Function("REPEAT", "s i", STRING, "@strings.repeat"),
    Function("REVERSE", "s", STRING, "@strings.reverse"),
    Function("LTRIM", "s", same_as_first, "ltrim({0}, ' ')"),
    Function("LTRIM", "s s", STRING, "ltrim({0}, {1})"),
    Function("RTRIM", "s", same_as_first, "rtrim({0}, ' ')"),
    Function("RTRIM", "s s", STRING, "rtrim({0}, {1})"),
    Function("BTRIM", "s", STRING, "trim({0}, ' ')"),
    Function("BTRIM", "s s", STRING, "trim({0}, {1})"),
    Function("ASCII", "s", INT, "@strings.ascii_code"),
    Function("CHR", "i", STRING, "@strings.chr_of", nullable=True),
    Function("STARTSWITH", "s s", BOOLEAN, "starts_with({0}, {1})"),
    Function("ENDSWITH", "s s", BOOLEAN, "ends_with({0}, {1})"),
    Function("STARTSWITH", "y y", BOOLEAN, "starts_with(hex({0}), hex({1}))"),
    Function("ENDSWITH", "y y", BOOLEAN, "ends_with(hex({0}), hex({1}))"),
    Function("MD5", "s", char(32), "md5({0})"),
    Function("SHA256", "s", char(64), "sha256({0})"),
    Function("SHA1", "s", char(40), "sha1({0})"),
)
