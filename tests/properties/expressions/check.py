"""Hold Firesteel against a record: python -m tests.properties.expressions.check FILE [--sample 150]"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from tests.properties.expressions.answers import Record
from tests.properties.expressions.record import write

SAMPLES = Path(__file__).parent / "samples"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    parser.add_argument("--sample", type=int, help="write so many answers that agree to samples/")
    parser.add_argument("--refusals", action="store_true", help="show what is refused with Flink's words")
    given = parser.parse_args()
    record, agreeing = Record(given.record), []
    for answer in record.answers:
        why = record.difference(answer)
        if why is None:
            agreeing.append(answer)
        else:
            print(f"{answer['sql']}\n   {why[:600]}")
        if given.refusals and "refused" in answer:
            print(
                f"{answer['sql']}\n   ours:  {record.refusal(answer['sql'])}\n   Flink: {answer['refused']}"
            )
    print(f"{len(agreeing)} of {len(record.answers)} agree")
    if given.sample:
        kept = random.Random(0).sample(agreeing, min(given.sample, len(agreeing)))
        write(SAMPLES / f"{record.name}.json", record.name, record.asked, kept)
    return 0 if len(agreeing) == len(record.answers) else 1


if __name__ == "__main__":
    sys.exit(main())
