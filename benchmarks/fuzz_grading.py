"""Hostile text against the grader: python benchmarks/fuzz_grading.py [--seconds 300] | --slowest [--seconds 60].

The first form fuzzes with coverage (Atheris: pip install 'pytest-redefine[fuzz]', Linux), from the labelled corpus as
seeds; it stops at an exception, a span outside the reply, an outcome that is none, or a second grading that differs,
and at its end measures the slowest inputs that it met in a plain interpreter. The second form needs no Atheris: it
repeats random fragments up to the length that is read, in search of the slowest reply, and prints what it cost.
Times are CPU times, each the best of five: the machine may be busy with something else.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "plugins"), str(ROOT)]  # it runs where the package is not installed, beside Atheris

LIMIT = 0.050
TRUTHS = (
    "pi500-q2", "pi45-q1", "earth", "min-q2", "kelvin3", "blackhole", "infinity-q1", "i-ra1-q2", "zero-q2", "root",
    "mc-pi", "mc-a", "pi-control",
)  # fmt: skip
FRAGMENTS = (
    "½", "3½ ", "⅔", "1 ", "9^", "9^9.42 ", "(", ")", "{", "}", "[", "]", "\\frac{1}{2}", "\\frac12", "\\sqrt[3]{", "√",
    "\\boxed{1}", "\\boxed{", "\\text{", "1 or ", "3π ", "π", "4 min 10 s ", "= 5 ", "the final answer is ", "answer: ",
    "A) ", "(B) ", "B or ", "infinity ", "not a number ", "has no value ", "1,500 ", "1.5e3 ", "1e", "10^", "10⁵ ",
    "i^", "e^", "-", "- 1", "–", "1–2", "±1 ", "five hundred ", "one ", "half a ", "minus ", "m^2 ", "J*s ", "kg m/s ",
    "/ s ", "1.", "1.1.1.", "²", "³", "𝟓", "&nbsp;", "*1*", "**2** ", "_3_", "<b>", "<think>", "</think>", "\n", "\n1",
    "1\n", "? ", "! ", ". ", ", ", "I cannot 5. ", "but ", "so ", "if ", "or 1500 ", "1500 9.42 ", "9.42, 1500 ", "x ",
    "5x + ", '"answer": 1 ', "#### 1\n", "a. ", "e.g. ", "…", "∞", "1/∞ ", "%", "hundred ", "to the power of ", "ε₀",
    "N_A ", "k_B", "between 1 and 2 ", "less than ", "<", "|", "\ud800", "\x1b[", "\u202e", "\x00", "９", "٣", "'", '"',
)  # fmt: skip


def text_of(data: bytes) -> tuple[str, str, str]:
    """The name of a truth, a finish reason and a reply out of bytes; odd bytes become lone surrogates.

    The second byte says how often the rest is repeated: long replies are met that the fuzzer would not grow.
    """
    first, second = (*data[:2], 0, 0)[:2]
    reply = data[2:].decode("utf-8", "surrogateescape") * (1 + max(0, second - 128))
    return TRUTHS[first % len(TRUTHS)], "length" if first >= 128 else "stop", reply[:20_000]


def check(name: str, finish: str, reply: str) -> float:
    """Grade twice; returns the CPU seconds of the first time.

    Raises:
        AssertionError: A property does not hold.
    """
    from tests.grading.conftest import truths

    from pytest_redefine.grading.grader import grade
    from pytest_redefine.grading.outcome import CATEGORIES

    start = time.process_time()
    outcome = grade(reply, truths()[name], finish_reason=finish)
    taken = time.process_time() - start
    assert outcome.category in CATEGORIES
    assert outcome.span is None or 0 <= outcome.span[0] <= outcome.span[1] <= len(reply), outcome
    assert outcome.extracted is None or len(outcome.extracted) < 200, outcome
    assert outcome == grade(reply, truths()[name], finish_reason=finish)
    return taken


def best_of(name: str, finish: str, reply: str, times: int = 5) -> float:
    """CPU seconds of one grading, the best of several."""
    return min(check(name, finish, reply) for _ in range(times))


def megabytes() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fuzz_child(folder: Path, seconds: int) -> None:
    """Fuzz in this process, which Atheris ends itself; slow inputs are left in the folder."""
    import atheris

    with atheris.instrument_imports(include=["pytest_redefine"]):
        import pytest_redefine.grading.grader  # noqa: F401 - to be instrumented

    slowest: list[float] = []
    kept = folder / "slow"
    kept.mkdir()

    def one_input(data: bytes) -> None:
        taken = check(*text_of(data))
        if len(slowest) < 50 or taken > slowest[0]:
            (kept / f"{taken:.6f}").write_bytes(data)
            slowest.append(taken)
            slowest.sort()
            for old in slowest[:-50]:
                (kept / f"{old:.6f}").unlink(missing_ok=True)
            del slowest[:-50]

    dictionary = folder / "words"
    # In a dictionary of libFuzzer everything but plain ASCII is escaped.
    lines = ("".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogatepass")) for word in FRAGMENTS)
    dictionary.write_text("".join(f'"{line}"\n' for line in lines), encoding="ascii")
    options = [f"-max_total_time={seconds}", "-max_len=4000", f"-dict={dictionary}", "-rss_limit_mb=1024"]
    atheris.Setup([sys.argv[0], str(folder / "seeds"), f"-artifact_prefix={folder}/", *options], one_input)
    atheris.Fuzz()


def fuzz(seconds: int) -> int:
    """Fuzz in a child, then measure here what was slow there: instrumented code is several times slower."""
    from tests.grading.conftest import rows

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "seeds").mkdir()
        for number, row in enumerate(rows()):
            index = TRUTHS.index(row.truth) if row.truth in TRUTHS else number % len(TRUTHS)
            data = bytes([index, 0]) + row.answer.encode("utf-8", "surrogatepass")
            (folder / "seeds" / str(number)).write_bytes(data)
        command = [sys.executable, __file__, "--child", name, "--seconds", str(seconds)]
        status = subprocess.run(command, check=False).returncode
        for crash in folder.glob("crash-*"):
            print(f"crash: {text_of(crash.read_bytes())!a}")
        inputs = [text_of(path.read_bytes()) for path in (folder / "slow").glob("*")]
        report(sorted(((best_of(*one), one) for one in inputs), reverse=True))
    return status


def repeated(seconds: int) -> Iterator[tuple[str, str, str]]:
    """Each fragment alone, then random sequences of them, repeated until nothing more would be read."""
    from pytest_redefine.grading.normalise import HEAD, TAIL

    rng = random.Random(0)  # noqa: S311 - the same search every time
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end or number < len(FRAGMENTS):
        unit = FRAGMENTS[number] if number < len(FRAGMENTS) else "".join(rng.choices(FRAGMENTS, k=rng.randint(2, 9)))
        reply = unit * ((HEAD + TAIL) // len(unit) + 1)
        for name in TRUTHS if number < len(FRAGMENTS) else rng.sample(TRUTHS, 3):
            yield name, rng.choice(("stop", "length")), reply
        number += 1


def slowest(seconds: int) -> int:
    """Search for the slowest reply; 1 if one exceeds the limit."""
    found: list[tuple[float, tuple[str, str, str]]] = []
    count = 0
    before = 0.0
    for count, one in enumerate(repeated(seconds), start=1):
        taken = check(*one)
        if len(found) < 10 or taken > found[-1][0]:
            found = sorted([*found, (best_of(*one), one)], reverse=True)[:10]
        if count == 1000:
            before = megabytes()
    print(f"{count} replies; memory {before:.0f} MB after 1,000 of them, {megabytes():.0f} MB at the end")
    return report(found)


def report(found: list[tuple[float, tuple[str, str, str]]]) -> int:
    """Print the slowest; 1 if one exceeds the limit."""
    for taken, (name, finish, reply) in found[:10]:
        print(f"{taken * 1000:6.1f} ms  {name:12} {finish:6} {len(reply):6} characters  {reply[:16]!a}")
    return int(bool(found) and found[0][0] > LIMIT)


def main() -> int:
    """Fuzz or search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=300, help="how long [300]")
    parser.add_argument("--slowest", action="store_true", help="search for the slowest reply, without Atheris")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        fuzz_child(args.child, args.seconds)
    if args.slowest:
        return slowest(args.seconds)
    with suppress(ImportError):
        import atheris  # noqa: F401 - only whether it is there

        return fuzz(args.seconds)
    print("Atheris is not installed: pip install 'pytest-redefine[fuzz]' (Linux), or --slowest, which needs nothing")
    return 2


if __name__ == "__main__":
    sys.exit(main())
