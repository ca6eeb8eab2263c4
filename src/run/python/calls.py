"""Loads a program without playing, and calls functions of it. Where this is not the program itself, an interpreter
that has compiled the program prepares that, and each fork of it calls `main` in the program's place.

The first line that is typed says what to do: a mark for what is told of it, the program's file, and the calls, each a
name and the arguments. The other lines are for the functions. What they print stands between our own lines, which begin
with the mark.
"""

import _ast
import builtins
import os
import sys

# What may be called for a name's first value: it makes something, and neither asks nor says anything.
MAKERS = set(
    "abs all any bool bytes chr complex dict divmod enumerate filter float frozenset int iter len list map max min ord pow range"
    " repr reversed round set slice sorted str sum tuple type zip"
    " Counter OrderedDict Random SystemRandom TypeVar count cycle defaultdict deque namedtuple repeat".split()
)
MODULES = {"collections", "dataclasses", "enum", "functools", "itertools", "math", "operator", "random", "string", "typing"}
DEFINITIONS = _ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Import, _ast.ImportFrom, _ast.Pass
DEFINITIONS += (getattr(_ast, "TypeAlias", _ast.Pass),)
# What nobody changes in its place.
FIXED = type(None), bool, int, float, complex, str, bytes, tuple, frozenset, range, type, type(sys), type(len), type(lambda: 0)


def nodes(node):
    found = [node]
    for node in found:
        # What a lambda does is not done yet.
        for name in node._fields if not isinstance(node, _ast.Lambda) else ():
            part = getattr(node, name, None)
            parts = part if isinstance(part, list) else [part]
            found.extend(part for part in parts if isinstance(part, _ast.AST))
    return found


def is_simple(expression):
    """Whether an expression can be worked out without playing."""
    for node in nodes(expression):
        if isinstance(node, _ast.Call):
            function = node.func
            if isinstance(function, _ast.Attribute):
                owner = function.value
                if not (isinstance(owner, _ast.Constant) or isinstance(owner, _ast.Name) and owner.id in MODULES):
                    return False
            elif not (isinstance(function, _ast.Name) and function.id in MAKERS):
                return False
        elif isinstance(node, (_ast.Await, _ast.Yield, _ast.YieldFrom)):
            return False
        elif isinstance(node, _ast.Attribute) and node.attr == "stdin":
            return False
    return True


def is_kept(statement):
    """Whether a statement defines something, imports something or gives a name a simple value."""
    if isinstance(statement, DEFINITIONS):
        return True
    if isinstance(statement, (_ast.Assign, _ast.AnnAssign, _ast.AugAssign)):
        return statement.value is None or is_simple(statement.value)
    if isinstance(statement, _ast.Expr):
        return isinstance(statement.value, _ast.Constant)
    if isinstance(statement, _ast.If):
        # The usual guard keeps the game from being played by whoever imports the program.
        is_guard = any(isinstance(node, _ast.Name) and node.id == "__name__" for node in nodes(statement.test))
        return not is_guard and is_simple(statement.test) and all(map(is_kept, statement.body + statement.orelse))
    if isinstance(statement, _ast.Try):
        handled = [part for handler in statement.handlers for part in handler.body]
        return all(map(is_kept, statement.body + handled + statement.orelse + statement.finalbody))
    return False


PREPARED = {}


def prepare(file, folder=""):
    """What is executed to load the program, and what `split` returns; worked out once."""
    if file not in PREPARED:
        with open(os.path.join(folder, file), "rb") as opened:
            source = opened.read()
        tree = compile(source, file, "exec", 0x400)  # PyCF_ONLY_AST
        unset, touched = split(tree, b"global" in source)
        PREPARED[file] = compile(tree, file, "exec"), unset, touched
    return PREPARED[file]


def split(tree, has_globals):
    """Takes away what is not kept; returns the names that have no value because of that, and those that may have another
    one: what is left out may change what they stand for."""
    kept, unset, touched = [], set(), set()
    for statement in tree.body:
        if is_kept(statement):
            kept.append(statement)
            continue
        for node in nodes(statement):
            if isinstance(node, _ast.Name):
                (unset if isinstance(node.ctx, _ast.Store) else touched).add(node.id)
            elif isinstance(node, _ast.Attribute) and isinstance(node.ctx, _ast.Store):
                unset.update(part.id for part in nodes(node.value) if isinstance(part, _ast.Name))
            elif isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)):
                unset.add(node.name)
            elif isinstance(node, _ast.alias):
                unset.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, _ast.ExceptHandler) and node.name:
                unset.add(node.name)
    for node in nodes(tree) if has_globals else ():
        if isinstance(node, _ast.Global):
            unset.update(node.names)
    tree.body = kept
    return unset, touched


def main():
    # Where the program is, as for a run of it.
    sys.path[0] = os.getcwd()
    mark, file, calls = eval(sys.stdin.readline())
    write, leave = os.write, os._exit
    kinds = NameError, SystemExit

    def tell(*words):
        try:
            sys.stdout.flush()
        except BaseException:
            pass
        write(1, ("\x1e%s %s\n" % (mark, " ".join(map(str, words)))).encode())

    def carried(text):
        # In one line and as it is, so that paths in it are seen.
        data = text.encode("utf-8", "replace")
        return "".join(chr(byte) if 32 <= byte < 127 and byte != 37 else "%%%02x" % byte for byte in data)

    def shown(value):
        try:
            return carried((list.__repr__ if isinstance(value, list) else repr)(value)[:4000])
        except BaseException:
            return carried("something that can't be shown")

    def is_true(value):
        try:
            return "yes" if value else "no"
        except BaseException:
            return "neither"

    def broke(word, number, error):
        if isinstance(error, kinds[0]):
            name = getattr(error, "name", None) or str(error).split("'")[1:2] or None
            name = name[0] if isinstance(name, list) else name
            if name in unset:
                return tell("unset" if word == "unloaded" else "needs", number, carried(name))
        line, trace = 0, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == file:
                line = trace.tb_lineno
            trace = trace.tb_next
        try:
            said = str(error)
        except BaseException:
            said = ""
        tell(word, number, line, carried("%s: %s" % (type(error).__name__, said[:500]) if said else type(error).__name__))

    code, unset, touched = prepare(file)
    module = type(sys)(os.path.splitext(file)[0])
    module.__file__ = file
    names = vars(module)
    names["__builtins__"] = builtins
    sys.modules[module.__name__] = module
    sys.argv[:] = [file]
    tell("loading")
    try:
        exec(code, names)
    except BaseException as error:
        broke("unloaded", 0, error)
        leave(0)
    # A name that may stand for something else by the time of the game stands for nothing.
    unset.update(name for name in touched if name in names and not isinstance(names[name], FIXED))
    for name in unset:
        names.pop(name, None)
    tell("loaded")
    for number, (function, arguments) in enumerate(calls):
        if not callable(names.get(function)):
            tell("missing", number)
            continue
        tell("calling", number)
        try:
            returned = names[function](*arguments)
        except BaseException as error:
            broke("raised", number, error)
        else:
            tell("returned", number, is_true(returned), shown(returned))
        for position, argument in enumerate(arguments):
            if isinstance(argument, list):
                tell("list", number, position, shown(argument))
    tell("done")
    # All has been told: how the program itself would end is nothing of its functions.
    leave(0)


if __name__ == "__main__":
    main()
