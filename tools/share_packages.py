"""Let the virtual environment that runs this find, behind its own packages, those of another one.

usage: python tools/share_packages.py OTHER_VENV
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path


def main() -> None:
    other = Path(sys.argv[1]).absolute()
    packages = sysconfig.get_path("purelib", vars={"base": str(other), "platbase": str(other)})
    own = Path(sysconfig.get_path("purelib"))
    line = f"import site; site.addsitedir({packages!r})\n"  # a plain path would leave out its .pth files
    (own / "shared.pth").write_text(line, encoding="utf-8")


if __name__ == "__main__":
    main()
