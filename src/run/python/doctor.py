"""Tries what a sandbox forbids, and says of each thing whether it was refused:
a line `LAYER TAB WHAT TAB refused|possible|skipped`. The folder beside is the
doctor's, and open to all: only the sandbox can refuse anything there.
"""

import os
import sys


def attempt(layer, what, action):
    try:
        result = "skipped" if action() is None else "possible"
    except (OSError, MemoryError):
        result = "refused"
    print(layer, what, result, sep="\t")


def read_a_file():
    with open(os.path.join(outside, "secret")) as file:
        return file.read()


def write_a_file():
    with open(os.path.join(outside, "written"), "w") as file:
        return file.write("x")


def look_into_another_process():
    with open("/proc/%d/environ" % os.getppid(), "rb") as file:
        return file.read(1)


def read_a_file_of_the_owner():
    with open(os.path.join(outside, "private")) as file:
        return file.read()


def start_a_process():
    process = os.fork()
    if process == 0:
        os._exit(0)
    os.waitpid(process, 0)
    return process


def open_a_socket():
    import socket

    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)


def signal_its_parent():
    os.kill(os.getppid(), 0)
    return True


def limit_its_parent():
    import resource

    if not hasattr(resource, "prlimit"):
        return None
    return resource.prlimit(os.getppid(), resource.RLIMIT_CORE)


def stand_among_all_processes():
    # The first process of a namespace of its own stands right above the program.
    if os.getppid() == 1:
        raise PermissionError
    return True


def start_many_threads():
    import threading

    threading.stack_size(1 << 16)
    go_on = threading.Event()
    threads = []
    try:
        for _ in range(300):
            thread = threading.Thread(target=go_on.wait)
            thread.start()
            threads.append(thread)
    except RuntimeError:
        raise PermissionError
    finally:
        go_on.set()
        for thread in threads:
            thread.join()
    return len(threads)


def take_much_memory():
    return bytearray(2 << 30)


def fill_the_disk():
    with open("big", "wb") as file:
        return file.truncate(8 << 30)


def open_many_files():
    files = [open(os.devnull) for _ in range(5000)]
    return len(files)


outside = input()
attempt("user", "read what only you may read", read_a_file_of_the_owner)
attempt("landlock", "read a file of another folder", read_a_file)
attempt("landlock", "write into another folder", write_a_file)
attempt("landlock", "look into another process", look_into_another_process)
attempt("seccomp", "start a process", start_a_process)
attempt("seccomp", "open a socket", open_a_socket)
attempt("seccomp", "signal its parent", signal_its_parent)
attempt("seccomp", "limit its parent", limit_its_parent)
attempt("namespaces", "stand among all processes", stand_among_all_processes)
attempt("cgroup", "start 300 threads", start_many_threads)
attempt("limits", "take 2 GiB of memory", take_much_memory)
attempt("limits", "make a file of 8 GiB", fill_the_disk)
attempt("limits", "open 5,000 files", open_many_files)
