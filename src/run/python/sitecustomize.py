"""Python imports this before the student's program: it leaves everything as
`python3 student.py` shows it, save that random numbers repeat, sleeping takes
no time, and a file outside of the program's folder is told what was read.

The lines of that file: `s` started, `r LINES BYTES` a read handed over so many
lines when so many bytes had been printed, `e` a read found the end of the
input, `x NAME` an exception that nobody caught.
"""

import os
import sys
from io import FileIO, TextIOWrapper, BufferedReader

# What every Python has loaded before a program starts, so that a file of that
# name beside the program is never found. Others may be loaded by us, or by
# what is installed.
ALWAYS_LOADED = set(sys.builtin_module_names) | {
    "_collections_abc", "_sitebuiltins", "abc", "codecs", "encodings", "genericpath", "importlib",
    "io", "ntpath", "os", "posixpath", "site", "sitecustomize", "stat", "zipimport",
}  # fmt: skip


def set_up():
    folder = os.path.dirname(__file__)
    mode, memory, sleeping, seed = os.environ.pop("CHECK_RUN").split(" ")
    del os.environ["PYTHONPATH"]
    sys.path.remove(folder)
    sys.path_importer_cache.pop(folder, None)

    note = open_trace(os.path.join(folder, "trace"))
    watch_the_ending(note, mode == "syntax")
    watch_the_streams(note)
    if sys.platform not in ("linux", "win32"):
        limit_memory(int(memory))
    if sleeping == "skipped":
        skip_sleeping()
    beside = names_beside_the_program()
    if seed and "random" not in beside:
        seed_random(seed)
    # What the program's own folder has is for the program to import.
    for name in list(sys.modules):
        if name.partition(".")[0] in beside - ALWAYS_LOADED:
            del sys.modules[name]
    note("s")


def open_trace(path):
    low = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:  # out of the way: the program's first file is number 3, as ever
        trace = os.dup2(low, 200, False)
        os.close(low)
    except OSError:
        trace = low

    def note(text):
        try:
            os.write(trace, text.encode("ascii", "replace") + b"\n")
        except OSError:
            pass

    return note


def watch_the_ending(note, only_syntax):
    def hook(event, args):
        if event == "sys.excepthook":
            note("x " + args[1].__name__)
        elif only_syntax and event == "exec" and is_the_program(args[0].co_filename):
            os._exit(0)  # it was compiled, and would run now

    def is_the_program(path):
        return os.path.abspath(path) == os.path.abspath(sys.argv[0])

    sys.addaudithook(hook)


def watch_the_streams(note):
    written = 0
    ended = False

    def handed_over(data):
        nonlocal ended
        if data:
            lines = data.count(b"\n")
            if lines:
                note("r %d %d" % (lines, written))
        elif not ended:
            ended = True
            note("e")

    class Input(FileIO):
        def readinto(self, buffer):
            count = FileIO.readinto(self, buffer)
            if len(buffer) and count is not None:
                handed_over(bytes(memoryview(buffer).cast("B")[:count]))
            return count

        def readall(self):
            parts = []
            while not parts or parts[-1]:
                parts.append(FileIO.read(self, 65536))
                if parts[-1] or len(parts) == 1:
                    handed_over(parts[-1])
            return b"".join(parts)

        def read(self, size=-1):
            if size is None or size < 0:
                return self.readall()
            data = FileIO.read(self, size)
            if size:
                handed_over(data)
            return data

    class Output(FileIO):
        def write(self, data):
            nonlocal written
            count = FileIO.write(self, data)
            written += count
            return count

    for kind in Input, Output:
        kind.__name__ = kind.__qualname__ = "FileIO"
        kind.__module__ = "_io"

    def stream(old, raw, buffer):
        raw.name = old.name
        new = TextIOWrapper(
            buffer,
            encoding=old.encoding,
            errors=old.errors,
            newline=None if old is sys.stdin and sys.platform == "win32" else "\n",
            write_through=buffer is raw,
        )
        new.mode = old.mode
        return new

    raw = Input(0, "rb", closefd=False)
    sys.stdin = sys.__stdin__ = stream(sys.stdin, raw, BufferedReader(raw))
    raw = Output(1, "wb", closefd=False)
    sys.stdout = sys.__stdout__ = stream(sys.stdout, raw, raw)


def limit_memory(size):
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ValueError, OSError):
        pass


def skip_sleeping():
    import time

    real = time.sleep

    def sleep(seconds, /):
        # Others, and what is wrong, are for the real one to judge.
        real(0 if isinstance(seconds, (int, float)) and 0 < seconds < 1e8 else seconds)

    time.sleep = sleep


def names_beside_the_program():
    names = set()
    with os.scandir() as entries:
        for entry in entries:
            stem, dot, end = entry.name.partition(".")
            if end == "py" or not dot and os.path.exists(os.path.join(entry.name, "__init__.py")):
                names.add(stem)
    return names


def seed_random(seed):
    import random

    if hasattr(sys, "set_int_max_str_digits"):
        digits = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)
        number = int(seed)
        sys.set_int_max_str_digits(digits)
    else:
        number = int(seed)
    real = random.seed
    calls = 0

    def repeatable(a=None, version=2):
        nonlocal calls
        if a is None:
            calls += 1
            if random.getstate() == untouched:
                # At the program's start it changes nothing, so that the case's own situation comes.
                return
            a = "%s, call %d" % (seed, calls)
        real(a, version)

    repeatable.__name__ = repeatable.__qualname__ = "seed"
    random.seed = repeatable
    real(number)
    untouched = random.getstate()


set_up()
# Python takes this for a missing sitecustomize, goes on and keeps no trace of it.
raise ImportError(name="sitecustomize")
