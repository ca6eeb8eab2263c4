"""Reads what stands in hexadecimal in each line of standard input, as XML or as a table, and answers in a line of JSON."""

import csv
import io
import json
import re
import sys
import xml.etree.ElementTree as ElementTree

# What readers of JUnit's XML agree on: the attributes that an element must and may have, and the elements in it in order.
ELEMENTS = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"skipped", "time"}, ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time"}, ["properties", "testcase"]),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "testcase": ({"name", "classname"}, {"time"}, ["failure", "error", "skipped", "system-out"]),
    "failure": ({"message", "type"}, set(), []),
    "error": ({"message", "type"}, set(), []),
    "skipped": ({"message"}, set(), []),
    "system-out": (set(), set(), []),
}


def faults(element):
    must, may, children = ELEMENTS[element.tag]
    given = set(element.keys())
    if not must <= given <= must | may:
        yield f"{element.tag} has {sorted(given)}"
    for name in given & {"tests", "failures", "errors", "skipped"}:
        if not element.get(name).isdecimal():
            yield f"{name} is {element.get(name)}"
    if "time" in given and not re.fullmatch(r"\d+\.\d{3}", element.get("time")):
        yield f"time is {element.get('time')}"
    order = [children.index(child.tag) if child.tag in children else -1 for child in element]
    if order != sorted(order) or -1 in order:
        yield f"{element.tag} holds {[child.tag for child in element]}"
    if children and (element.text or "").strip() or (element.tail or "").strip():
        yield f"text stands about {element.tag}"
    for child in element:
        yield from faults(child)
    if element.tag in ("testsuites", "testsuite"):
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            found = len(element.findall(f".//{tag}"))
            if int(element.get(name)) != found:
                yield f"{element.tag} tells of {element.get(name)} {name}, and has {found}"


def junit(data):
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        return {"faults": [f"no XML: {error}"], "cases": []}
    cases = [
        {"class": case.get("classname"), "name": case.get("name"), "time": case.get("time"),
         "kind": child.tag if child is not None else None,
         "message": child.get("message") if child is not None else None,
         "text": child.text if child is not None else None}
        for case in root.iter("testcase") for child in [next(iter(case), None)]
    ]
    return {"faults": list(faults(root)) + ["no testsuites"] * (root.tag != "testsuites"), "cases": cases}


def table(data):
    def rows(delimiter):
        return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter, strict=delimiter == ","))
    return {"rows": rows(","), "other": rows(";")}


for line in sys.stdin:
    print(json.dumps({"junit": junit, "table": table}[sys.argv[1]](bytes.fromhex(line))), flush=True)
