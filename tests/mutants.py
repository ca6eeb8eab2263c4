"""Plays programs on scripted games inside of one interpreter, and prints which of them differ from the first one; of
a single program, what it prints in each game, or nothing where it breaks or leaves input.

A program that takes far longer than the first is one that differs; so is one that breaks.
"""
import io
import json
import random
import signal
import sys


class TooLong(BaseException):
    pass


def on_alarm(_signal, _frame):
    raise TooLong


def play(code, inputs, seed):
    out = io.StringIO()
    random.seed(seed)
    names = {"__name__": "__main__"}
    keyboard = io.StringIO("".join(line + "\n" for line in inputs))
    sys.stdin, sys.stdout, before = keyboard, out, sys.stdout
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        exec(code, names)
        end = "end"
    except SystemExit:
        end = "end"
    except BaseException as error:
        end = type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout = before
    return out.getvalue(), end, keyboard.read()


def main():
    games, sources = json.load(open(sys.argv[1], encoding="utf-8"))
    signal.signal(signal.SIGALRM, on_alarm)
    # A prompt goes where all output goes.
    real_input = input

    def typed_input(prompt=""):
        sys.stdout.write(str(prompt))
        line = sys.stdin.readline()
        if not line:
            raise EOFError("EOF when reading a line")
        return line.rstrip("\n")

    __builtins__.input = typed_input
    first = compile(sources[0], "program", "exec")
    if len(sources) == 1:
        played = (play(first, inputs, seed) for inputs, seed in games)
        json.dump([printed if end == "end" and not left else None for printed, end, left in played], sys.stdout)
        return
    right = [play(first, inputs, seed) for inputs, seed in games]
    differs = []
    for source in sources[1:]:
        try:
            code = compile(source, "mutant", "exec")
        except SyntaxError:
            # No fault that a student could hand in without being told at once.
            differs.append(False)
            continue
        differs.append(any(play(code, *game) != expected for game, expected in zip(games, right)))
    __builtins__.input = real_input
    json.dump(differs, sys.stdout)


main()
