"""Say in one line what is wrong with the Java that Spark would find; silent if it is 17 or later."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

ADVICE = (
    "Spark needs Java 17 or later (Debian, Ubuntu: apt install openjdk-17-jre-headless; or set JAVA_HOME)"
)


def problem() -> str | None:
    java = shutil.which("java")
    if java is None:
        return f"Java was not found. {ADVICE}"
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', said)
    if version is None:
        return f"{java} does not say its version. {ADVICE}"
    if int(version[1]) < 17:
        return f"{java} is Java {version[1]}. {ADVICE}"
    return None


if __name__ == "__main__":
    sys.exit(problem())
