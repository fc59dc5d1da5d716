"""Lookups of streamed rows in a PostgreSQL table, beside Flink.

usage: python -m benchmarks.lookup [--rows SMALL LARGE] [--keys N] [--cache none|partial ...] [--no-flink]

The table has as many rows as there are keys. Rows are made on the fly, with random keys. The slope between
the two sizes is the throughput, start-up left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from benchmarks import engines
from benchmarks.engines import Run
from benchmarks.workload import HOLE

NAME = "lookup"
WHAT = "1M rows with 50K distinct keys, looked up in PostgreSQL without a cache and with a partial one"

ROWS, KEYS = (100_000, 1_000_000), 50_000
CACHES = {
    "none": "",
    "partial": ", 'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '{keys}'",
}
_SCRIPT = """\
CREATE TABLE o (n BIGINT, k INT, pt AS PROCTIME()) WITH ('connector' = 'datagen',
  'rows-per-second' = '100000000', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1',
  'fields.n.end' = '{rows}', 'fields.k.min' = '1', 'fields.k.max' = '{keys}');
CREATE TABLE d (id INT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc',
  'url' = '{url}', 'table-name' = 'd', 'username' = '{user}', 'password' = '{password}'{cache});
"""
_INSERT = """\
INSERT INTO hole SELECT o.n, d.name, d.age FROM o JOIN d FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.id;
"""
Engine = Callable[[str, dict[str, str]], Run]


def measure(sizes: Sequence[int], keys: int, caches: Sequence[str], with_flink: bool) -> None:
    """Run both engines with each cache over both sizes, by turns, and print times and ratios."""
    from tests.connectors.jdbc.postgres import PASSWORD, USER, Postgres

    server = Postgres()
    try:
        with server.connect() as connection:
            connection.execute("CREATE TABLE d (id INT PRIMARY KEY, name TEXT, age INT)")
            rows = f"SELECT n, 'name ' || n, n % 90 FROM generate_series(1, {keys}) AS n"
            connection.execute(f"INSERT INTO d {rows}")
            connection.execute("VACUUM ANALYZE d")
        named: dict[str, Engine] = {"firesteel": engines.firesteel}
        if with_flink:
            named["flink"] = engines.flink
        for cache in caches:
            option = CACHES[cache].format(keys=keys)
            login = {"url": server.url, "user": USER, "password": PASSWORD}
            scripts = [
                _SCRIPT.format(rows=rows, keys=keys, cache=option, **login)
                + HOLE.format(columns="n BIGINT, name STRING, age INT")
                + _INSERT
                for rows in sizes
            ]
            _compare(cache, sizes, scripts, named)
    finally:
        server.remove()


def _compare(cache: str, sizes: Sequence[int], scripts: Sequence[str], named: dict[str, Engine]) -> None:
    print(f"\n{NAME}, cache {cache}", flush=True)
    rates = {}
    for name, engine in named.items():
        seconds = []
        for rows, script in zip(sizes, scripts, strict=True):
            seconds.append(engine(script, {"parallelism.default": "2"}).seconds)
            print(f"  {name:<10} {rows:>10,} {seconds[-1]:8.2f} s", flush=True)
        if seconds[-1] > seconds[0]:
            rates[name] = (sizes[-1] - sizes[0]) / (seconds[-1] - seconds[0])
            print(f"  {name:<10} {rates[name]:,.0f} rows/s between the sizes", flush=True)
    if len(rates) == 2:
        print(f"  throughput: firesteel / flink = {rates['firesteel'] / rates['flink']:.1f}")


def run() -> None:
    """Measure at the usual size."""
    print(f"\n{NAME}: {WHAT}", flush=True)
    measure(ROWS, KEYS, tuple(CACHES), with_flink=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lookup", description=__doc__)
    parser.add_argument("--rows", type=int, nargs=2, default=ROWS, metavar=("SMALL", "LARGE"))
    parser.add_argument("--keys", type=int, default=KEYS)
    parser.add_argument("--cache", nargs="+", choices=tuple(CACHES), default=tuple(CACHES))
    parser.add_argument("--no-flink", action="store_true")
    given = parser.parse_args()
    measure(given.rows, given.keys, given.cache, not given.no_flink)


if __name__ == "__main__":
    main()
