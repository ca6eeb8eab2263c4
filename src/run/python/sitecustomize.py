"""Python imports this before the student's program: it leaves everything as
`python3 student.py` shows it, save that random numbers repeat, sleeping takes
no time, and a file outside of the program's folder is told what was read.

The lines of that file: `s` started, `r LINES BYTES` a read handed over so many
lines when so many bytes had been printed, `e` a read found the end of the
input, `x NAME` an exception that nobody caught.

CHECK_RUN says how: `run` runs the program, `syntax` compiles it only, `warm`
waits until it is told of a program, and compiles it and stays at its first line:
each process forked there is a run.
"""

import os
import sys
from io import FileIO, TextIOWrapper, BufferedReader

# What every Python has loaded before a program starts, so that a file of that
# name beside the program is never found. Others may be loaded by us, or by
# what is installed.
ALWAYS_LOADED = set(sys.builtin_module_names) | {
    "__main__", "_collections_abc", "_sitebuiltins", "abc", "codecs", "encodings", "genericpath", "importlib",
    "io", "ntpath", "os", "posixpath", "site", "sitecustomize", "stat", "zipimport",
}  # fmt: skip


def set_up():
    folder = os.path.dirname(__file__)
    mode, *conditions = os.environ.pop("CHECK_RUN").split(" ")
    del os.environ["PYTHONPATH"]
    sys.path.remove(folder)
    sys.path_importer_cache.pop(folder, None)

    # Opened while it may be.
    note, trace = open_trace(os.path.join(folder, "trace"))
    if mode == "warm":
        try:
            nursery = Nursery(os.path.join(folder, "calls.py"))
            conditions = nursery.wait()
        except BaseException:
            # Python would go on, and nothing would confine it.
            os._exit(126)
    memory, sleeping, *seed = conditions
    watch_the_streams(note)
    if sys.platform not in ("linux", "win32"):
        limit_memory(int(memory))
    if sleeping == "skipped":
        skip_sleeping()
    beside = names_beside_the_program()

    def leave_to_the_program():
        # What the program's own folder has is for the program to import.
        for name in list(sys.modules):
            if name.partition(".")[0] in beside - ALWAYS_LOADED:
                del sys.modules[name]

    def begin(seed):
        if seed and "random" not in beside:
            is_loaded = "random" in sys.modules
            seed_random(seed)
            # A fork shares what it doesn't touch, so all modules are looked through only if there are new ones.
            if not is_loaded:
                leave_to_the_program()

    if mode == "warm":
        nursery.note, nursery.trace, nursery.begin, nursery.beside = note, trace, begin, beside
        watch_the_program(note, nursery)
    else:
        watch_the_program(note, only_compiled if mode == "syntax" else None)
        begin("".join(seed))
    leave_to_the_program()
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

    return note, trace


def watch_the_program(note, at_its_first_line):
    """Calls that when the program has been compiled and is about to run."""
    ending = None

    def hook(event, args):
        nonlocal at_its_first_line, ending
        if event == "sys.excepthook":
            note("x " + args[1].__name__)
            if ending:
                ending.broke(args[1])
        elif event == "sys.addaudithook":
            if ending:
                ending.watched = True
        elif event == "cpython.PyInterpreterState_Clear":
            if ending:
                ending.cut_short()
        elif event == "exec" and at_its_first_line and is_the_program(args[0].co_filename):
            then, at_its_first_line = at_its_first_line, None
            ending = then(args[0])

    def is_the_program(path):
        return os.path.abspath(path) == os.path.abspath(sys.argv[0])

    sys.addaudithook(hook)


def only_compiled(_program):
    os._exit(0)


class Nursery:
    """Says what this interpreter is, waits, and then forks a process for each thing
    that is asked for on the socket that is the standard input here: a line of
    words, and descriptors.

    First `go MEMORY SLEEPING LIMITS`: the program is there, and each resource has a
    limit. More words say how to be confined: USER GROUP OWN FILTER..., where OWN is
    the filter that each run sets for itself, a descriptor says what may be done with
    files, and `-` is nothing.

    `room HOME`, with a socket: a nursery that takes its orders from there, for
    runs in another home (its path in hexadecimal digits). It answers `ready`.
    What may be done with files is narrowed there, if another descriptor says how.

    `run SECONDS SEED`, with the three streams and the trace: the program, with
    the seconds of CPU that it may take. The fork is at the program's first line,
    and leaves this by returning: CPython itself runs the program, with nothing
    of ours below. When it has ended the answer is `e STATUS` or `s SIGNAL`.
    `calls SECONDS` is the same for calls of the program's functions.

    Each answer is preceded by the number of the process. Where the system can
    wait without taking a run's number away, it stays taken until the next run is
    asked for, so that nobody else is killed in its place.
    """

    # What games import, and what these import.
    PRELOADED = {
        "abc", "bisect", "collections", "contextlib", "copy", "dataclasses", "datetime", "enum", "functools",
        "heapq", "itertools", "math", "operator", "random", "re", "secrets", "statistics", "string", "textwrap",
        "time", "types", "typing",
    }  # fmt: skip

    def __init__(self, caller):
        import _socket

        self.control = _socket.socket(fileno=os.dup(0))
        del sys.modules["_socket"]
        self.caller = caller
        self.at_forks = []

    def wait(self):
        places = [sys.executable, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
        places += [path for path in sys.path if "python" in path and os.path.isabs(path)]
        hello = (*sys.version_info[:3], sys.implementation.name, os.fsencode("\0".join(places)).hex())
        self.control.sendall(("%d %d %d %s %s\n" % hello).encode())
        # What takes time is done while the answer is on its way.
        import _imp
        import resource

        self.imp, self.resource = _imp, resource
        del sys.modules["resource"]
        self.confinement = Confinement()
        self.homely = texts_about(os.environ["HOME"])
        asked, rules = hear(self.control)
        if not asked:
            os._exit(0)
        _, memory, sleeping, limits, *confined = asked
        for limit in limits.split(",") if limits != "-" else ():
            number, most = map(int, limit.split(":"))
            self.resource.setrlimit(number, (most, most))
        if confined:
            self.confinement.enter(*confined, rules=rules)
        for descriptor in rules:
            os.close(descriptor)
        return memory, sleeping

    def __call__(self, program):
        # Nothing of this comes from the program's folder, and that it was asked for does not show.
        folder = sys.path.pop(0)
        control, home = self.control, os.environ["HOME"]
        self.preload(names_in(program))
        ending = Ending()
        sys.path.insert(0, folder)
        control.send(b"ready\n")
        ended = caller = None
        while True:
            asked, received = hear(control)
            if ended and hasattr(os, "waitid"):
                os.waitpid(ended, 0)
                ended = None
            if not asked:
                os._exit(0)
            if asked[0] == "calls" and not caller:
                caller = self.prepare_calls(home)
            process = os.fork()
            if process:
                for descriptor in received:
                    os.close(descriptor)
                if asked[0] == "room":
                    control.send(b"%d\n" % process)
                    continue
                try:
                    os.setpgid(process, process)
                except OSError:
                    pass
                control.send(b"%d\n" % process)
                control.send(wait_for(process))
                ended = process
            elif asked[0] == "room":
                old, home = home, os.fsdecode(bytes.fromhex(asked[1]))
                self.move(program, old, home)
                for descriptor in (0, control.fileno()):
                    os.dup2(received[0], descriptor, descriptor == 0)
                self.confinement.end_with_parent()
                for descriptor in received[1:]:
                    self.confinement.restrict_files(descriptor)
                for descriptor in received:
                    os.close(descriptor)
                control.send(b"ready\n")
            else:
                os.setpgid(0, 0)
                for number, descriptor in zip((0, 1, 2, self.trace), received):
                    os.dup2(descriptor, number, number < 3)
                    os.close(descriptor)
                control.close()
                os.chdir(home)
                seconds = int(asked[1])
                self.resource.setrlimit(self.resource.RLIMIT_CPU, (seconds, seconds))
                for calls in self.at_forks:
                    os.register_at_fork(**calls)
                self.begin("".join(asked[2:]))
                self.confinement.of_a_run()
                self.note("s")
                if asked[0] == "calls":
                    caller["main"]()
                    raise SystemExit
                return ending

    def prepare_calls(self, home):
        """What calls functions of the program, with all done that is the same for each fork."""
        from _frozen_importlib_external import SourceFileLoader

        names = {"__name__": "calls"}
        exec(SourceFileLoader("calls", self.caller).get_code("calls"), names)
        del sys.modules["_ast"]
        try:
            names["prepare"](os.path.basename(sys.argv[0]), home)
        except BaseException:
            # A call finds out what it is.
            pass
        return names

    def move(self, program, old, new):
        """Makes this process one that has compiled the program in another home."""
        import __main__

        def moved(path):
            return new + path[len(old) :] if is_in(path, old) else path

        self.imp._fix_co_filename(program, moved(program.co_filename))
        __main__.__file__ = moved(__main__.__file__)
        loader = getattr(__main__, "__loader__", None)
        if hasattr(loader, "path"):
            loader.path = moved(loader.path)
        sys.path[:] = map(moved, sys.path)
        # What looks for modules there is made anew when it is needed.
        for path in [path for path in sys.path_importer_cache if is_in(path, old)]:
            if sys.path_importer_cache.pop(path) is None:
                sys.path_importer_cache[moved(path)] = None
        for name, value in list(os.environ.items()):
            if is_in(value, old):
                os.environ[name] = moved(value)
        for names, name in self.homely:
            names[name] = moved(names[name])
        os.chdir(new)

    def preload(self, names):
        """Loads what the program imports, unless it looks for modules elsewhere or its folder has any of that name."""
        if "path" in names and "sys" in names:
            return
        before = set(sys.modules)
        # A fork of ours is no fork to them.
        register, os.register_at_fork = os.register_at_fork, lambda **calls: self.at_forks.append(calls)
        for name in sorted(names & self.PRELOADED - self.beside):
            __import__(name)
        os.register_at_fork = register
        loaded = set(sys.modules) - before
        if not self.beside.isdisjoint(name.partition(".")[0] for name in loaded):
            for name in loaded:
                del sys.modules[name]


def hear(control):
    """The words that were sent, none at the end, and descriptors."""
    asked, ancillary, _, _ = control.recvmsg(4096, 256)
    more = asked
    while more and not asked.endswith(b"\n"):
        more = control.recv(65536)
        asked += more
    if not more:
        asked = b""
    numbers = b"".join(part[2] for part in ancillary)
    return asked.decode().split(), [
        int.from_bytes(numbers[at : at + 4], sys.byteorder) for at in range(0, len(numbers), 4)
    ]


def is_in(path, folder):
    return isinstance(path, str) and (path == folder or path.startswith(folder + os.sep))


def texts_about(folder):
    """Where modules have noted a path in it."""
    noted = []
    for module in list(sys.modules.values()):
        names = vars(module) if isinstance(module, type(sys)) else {}
        noted += [(names, name) for name, value in names.items() if is_in(value, folder)]
    return noted


class Confinement:
    """What a process takes from itself for good. For none of this there is a function in Python."""

    def __init__(self):
        self.own = ()
        self.is_linux = sys.platform == "linux"
        if self.is_linux:
            import _ctypes

            whole, call = _ctypes.dlopen(None, 0), _ctypes.call_function
            prctl, syscall = _ctypes.dlsym(whole, "prctl"), _ctypes.dlsym(whole, "syscall")
            del sys.modules["_ctypes"]
            self.prctl = lambda *arguments: call(prctl, arguments + (0,) * (5 - len(arguments)))
            self.syscall = lambda *arguments: call(syscall, arguments)

    def enter(self, user, group, own, *filters, rules):
        if user != "-":
            os.setgroups([])
            os.setgid(int(group))
            os.setuid(int(user))
            # As if it had been started by that user.
            self.demand(self.prctl(4, 1))  # PR_SET_DUMPABLE
        self.end_with_parent()
        self.demand(self.prctl(38, 1))  # PR_SET_NO_NEW_PRIVS
        for descriptor in rules:
            self.restrict_files(descriptor)
        for code in filters:
            self.set_filter(bytes.fromhex(code))
        if own != "-":
            places, _, code = own.partition(":")
            self.own = [int(place) for place in places.split(",")], bytearray.fromhex(code)

    def of_a_run(self):
        """It keeps its hands off other processes. That filter knows its process, and forbids forks."""
        self.end_with_parent()
        if self.own:
            places, code = self.own
            process = os.getpid().to_bytes(4, sys.byteorder)
            for place in places:
                code[place : place + 4] = process
            self.set_filter(bytes(code))

    def end_with_parent(self):
        if self.is_linux:
            self.demand(self.prctl(1, 9))  # PR_SET_PDEATHSIG, SIGKILL

    def restrict_files(self, rules):
        self.demand(self.syscall(446, rules, 0))  # landlock_restrict_self

    def set_filter(self, steps):
        address = id(steps) + bytes.__basicsize__ - 1
        program = (len(steps) // 8).to_bytes(8, sys.byteorder) + address.to_bytes(8, sys.byteorder)
        self.demand(self.prctl(22, 2, program))  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER

    def demand(self, refused):
        if refused:
            os._exit(126)


def names_in(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            names |= names_in(constant)
    return names


def wait_for(process):
    if not hasattr(os, "waitid"):
        status = os.waitpid(process, 0)[1]
        return b"s %d\n" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else b"e %d\n" % os.WEXITSTATUS(status)
    result = os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    return b"%s %d\n" % (b"e" if result.si_code == os.CLD_EXITED else b"s", result.si_status)


class Ending:
    """Ends a fork without taking down what it has from us: that is half of a run's time, and nobody sees it.

    What the program can see of an end (threads, atexit, flushing, what is done to its own objects) is CPython's doing.
    A program that has made nothing that could see its end doesn't come so far. The status of a SystemExit is CPython's
    as well: that ending isn't cut short. It is told apart by `__file__`, which is taken from the program's names after
    any other end.
    """

    def __init__(self):
        import __main__
        import atexit
        import gc

        self.names = vars(__main__)
        self.status = 0
        self.usual = False
        self.watched = False
        self.exit = os._exit
        self.is_unseen = unseen_ends(gc)
        self.streams = sys.stdout, sys.stderr
        self.modules = sys.modules
        self.loaded = {
            name: module for name, module in sys.modules.items() if name not in ("__main__", "builtins", "sys")
        }
        # Never freed: a cycle that the collector doesn't look at.
        self.keep = self
        atexit.register(self.leave)
        # What is frozen is never collected. The program's names have to be, with all that it makes: an empty dictionary
        # is let go by a collection, and taken up again when something is in it.
        names = dict(self.names)
        self.names.clear()
        gc.collect()
        gc.freeze()
        self.names.update(names)

    def broke(self, kind):
        self.status = 1 if issubclass(kind, Exception) else None

    def leave(self):
        """The last of the functions that are called at the end."""
        self.usual = (
            "__file__" not in self.names and self.status is not None and self.streams == (sys.stdout, sys.stderr)
        )
        # What the program has made is not kept from its end.
        self.names = None
        if self.usual:
            if not self.watched and self.is_unseen() and self.is_flushed():
                self.exit(self.status)
            for name, module in self.loaded.items():
                if self.modules.get(name) is module:
                    del self.modules[name]

    def is_flushed(self):
        """Whether nothing is left to print; CPython tells of what can't be printed."""
        try:
            for stream in self.streams:
                stream.flush()
        except BaseException:
            return False
        return True

    def cut_short(self):
        if self.usual:
            self.exit(self.status)


def unseen_ends(gc):
    """What tells whether nothing that the program has made does anything when it goes. It asks in ways that run nothing
    of the program's own.
    """
    import _weakref

    bases = type.__dict__["__mro__"].__get__
    names = type.__dict__["__dict__"].__get__
    callback = _weakref.ref.__dict__["__callback__"].__get__
    reference, proxies = _weakref.ref, (_weakref.ProxyType, _weakref.CallableProxyType)
    objects, debugging, callbacks = gc.get_objects, gc.get_debug, gc.callbacks

    def derives(kind, other):
        return any(base is other for base in bases(kind))

    def has_an_end(kind):
        return any("__del__" in names(base) for base in bases(kind)) or any(derives(kind, proxy) for proxy in proxies)

    def is_plain(kind):
        """Whether nothing of this kind needs to be looked at."""
        return not (derives(kind, type) or derives(kind, reference) or has_an_end(kind))

    def is_seen(thing):
        kind = type(thing)
        if id(kind) in plain:
            return False
        if is_plain(kind):
            plain.add(id(kind))
            return False
        is_class, is_reference = derives(kind, type), derives(kind, reference)
        return has_an_end(kind) or is_class and has_an_end(thing) or is_reference and callback(thing) is not None

    def is_unseen():
        # All objects but those that are frozen.
        return not (callbacks or debugging() or any(map(is_seen, objects())))

    # Their number is kept by something that never goes.
    plain = {id(kind) for kind in set(map(type, objects())) if is_plain(kind)}
    return is_unseen


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
    real, kind = random.seed, random.Random
    calls = 0

    def repeatable(a=None, version=2):
        nonlocal calls
        if a is None:
            calls += 1
            if random.getstate() == kind(number).getstate():
                # At the program's start it changes nothing, so that the case's own situation comes.
                return
            a = "%s, call %d" % (seed, calls)
        real(a, version)

    repeatable.__name__ = repeatable.__qualname__ = "seed"
    random.seed = repeatable
    real(number)


set_up()
# Python takes this for a missing sitecustomize, goes on and keeps no trace of it.
raise ImportError(name="sitecustomize")
