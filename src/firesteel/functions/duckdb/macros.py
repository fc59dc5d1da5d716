"""DuckDB macros with Flink's results, for arithmetic and comparisons where DuckDB differs.

wrap_*: wrap an exact result into its integer type like Java; DuckDB raises instead. java_*: comparisons of
floating point numbers, where NaN is neither equal, less nor greater. An error that a macro raises has the
prefix `flink:` before the message for the user.
"""

from __future__ import annotations

import duckdb

BEFORE_2 = int(duckdb.__version__.partition(".")[0]) < 2
"""Whether DuckDB is older than 2.0. There is no DuckDB 2.0 for Python 3.10."""
_WRAP = {
    "wrap_tinyint": ("TINYINT", "255", "128"),
    "wrap_smallint": ("SMALLINT", "65535", "32768"),
    "wrap_integer": ("INTEGER", "4294967295", "2147483648"),
    "wrap_bigint": ("BIGINT", "18446744073709551615::HUGEINT", "9223372036854775808::HUGEINT"),
}
_COMPARE = {
    "java_eq": "CASE WHEN isnan(a) THEN b <> b ELSE a = b END",
    "java_ne": "CASE WHEN isnan(a) THEN b = b ELSE a <> b END",
    "java_lt": "CASE WHEN isnan(b) THEN a < a ELSE a < b END",
    "java_le": "CASE WHEN isnan(b) THEN a < a ELSE a <= b END",
    "java_gt": "CASE WHEN isnan(a) THEN b < b ELSE a > b END",
    "java_ge": "CASE WHEN isnan(a) THEN b < b ELSE a >= b END",
}
_HELD = "is outside the years -290000 to 294000, in which times are held"
_MONTHS_LEAVE, _DAYS_LEAVE, _MILLIS_LEAVE = (f"' {unit} {_HELD}'" for unit in ("months", "days", "ms"))
_OTHER = (
    "divisor(x, y) AS CASE WHEN y = 0 AND x IS NOT NULL THEN error('flink:/ by zero') ELSE y END",
    "modulus_divisor(x, y) AS CASE WHEN y = 0 AND x IS NOT NULL THEN error('flink:/ by zero')"
    " WHEN y = -1 THEN 1 ELSE y END",
    "decimal_quotient(n, d) AS CASE WHEN d = 0 AND n IS NOT NULL THEN error('flink:Division by zero')"
    " ELSE (abs(n) * 2 + abs(d)) // nullif(abs(d) * 2, 0) * sign(n) * sign(d) END",
    "saturate(x, low, high) AS CASE WHEN isnan(x) THEN 0 WHEN x <= low THEN low WHEN x >= high THEN high"
    " ELSE trunc(x) END",
    "saturated_bigint(x) AS CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775808::DOUBLE"
    " THEN 9223372036854775807 WHEN x <= -9223372036854775808::DOUBLE THEN"
    " CAST('-9223372036854775808' AS BIGINT) ELSE CAST(trunc(x) AS BIGINT) END",
    "in_total_order(x) AS CASE WHEN x = 0 AND signbit(x) THEN -5e-324::DOUBLE ELSE x END",
    "floor_to(x, n) AS CASE WHEN x >= 0 THEN x // n * n ELSE -((-x + n - 1) // n) * n END",
    "week_floor(t) AS date_trunc('day', t)::TIMESTAMP - to_days(date_part('dow', t)::INTEGER)",
    "four_digit_year(text, length) AS CASE WHEN starts_with(text, '-') THEN"
    " error('flink:A date before the year 0 has no text') ELSE right(text, length) END",
    "to_int_exact(x) AS CASE WHEN x NOT BETWEEN -2147483648 AND 2147483647"
    " THEN error('flink:integer overflow') ELSE CAST(x AS INTEGER) END",
    "few_months_after(t, months) AS t + to_months(months::INTEGER)",
    "months_after(t, months) AS CASE WHEN year(t) * 12 + months NOT BETWEEN -3480000 AND 3530000"
    f" THEN error('flink:' || t || ' + ' || months || {_MONTHS_LEAVE})"
    " ELSE t + to_months(months::INTEGER) END",
    "days_after(t, days) AS CASE WHEN (t - DATE '1970-01-01') + days NOT BETWEEN -2147483646 AND 2147483646"
    f" THEN error('flink:' || t || ' + ' || days || {_DAYS_LEAVE})"
    " ELSE DATE '1970-01-01' + CAST((t - DATE '1970-01-01') + days AS INTEGER) END",
    "micros_after(micros, span) AS CASE WHEN micros::HUGEINT + span NOT BETWEEN -9150000000000000000 AND"
    " 9223372036854775000"
    f" THEN error('flink:' || make_timestamp(micros) || ' + ' || span // 1000 || {_MILLIS_LEAVE})"
    " ELSE micros + CAST(span AS BIGINT) END",
    # DuckDB before 2.0 does not give the DOUBLE that is nearest to a DECIMAL of more than 18 digits.
    f"nearest_double(x) AS x::{'VARCHAR::DOUBLE' if BEFORE_2 else 'DOUBLE'}",
    "make_time_of(micros) AS TIME '00:00:00' + to_microseconds(micros)",
)

MACROS = (
    *(
        f"CREATE TEMP MACRO {name}(x) AS CAST(xor(x & {mask}, {sign}) - {sign} AS {kind})"
        for name, (kind, mask, sign) in _WRAP.items()
    ),
    *(f"CREATE TEMP MACRO {name}(a, b) AS {body}" for name, body in _COMPARE.items()),
    *(f"CREATE TEMP MACRO {text}" for text in _OTHER),
)
