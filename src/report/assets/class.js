"use strict";
(() => {
  const one = (id) => document.getElementById(id);
  const data = (id) => JSON.parse(one(id).textContent);
  const names = data("names");
  const words = { passed: "passed", failed: "failed", not_run: "not run", error: "not graded" };
  const rows = data("rows").map(([key, folder, outcome, score, most, passed, cases, failing, checks, rules, first, rulings, reason]) => {
    const row = { key, folder, outcome, score, most, passed, cases, failing, checks, rules, rulings, reason };
    row.failed = failing.length ? names.cases[failing[0]] : "";
    row.rule = names.rules[first] ?? "";
    row.text = [key, words[outcome], row.failed, row.rule, reason].join("\n").toLowerCase();
    return row;
  });
  document.querySelectorAll(".tools, .pages, #class").forEach((part) => { part.hidden = false; });

  const points = (hundredths) => (hundredths / 100).toFixed(hundredths % 10 ? 2 : 1);
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const order = ["passed", "failed", "not_run", "error"];
  const share = (part, whole) => (whole ? part / whole : 1);
  const columns = [
    (a, b) => compare(a.key, b.key),
    (a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome),
    (a, b) => share(a.score, a.most) - share(b.score, b.most),
    (a, b) => share(a.passed, a.cases) - share(b.passed, b.cases),
    (a, b) => compare(a.failed, b.failed),
    (a, b) => compare(a.rule, b.rule),
  ];
  const has = {
    outcome: (row, value) => row.outcome === value,
    rule: (row, value) => row.rules.includes(Number(value)),
    case: (row, value) => row.failing.includes(Number(value)),
    check: (row, value) => row.checks.includes(Number(value)),
    ruling: (row, value) => row.rulings.includes(Number(value)),
  };

  const PAGE = 50;
  let sorted = rows;
  let found = rows;
  let page = 0;
  let filter = null;

  const cell = (name, text, style) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (style) made.className = style;
    return made;
  };
  const line = (row) => {
    const made = document.createElement("tr");
    const key = cell("th", "");
    key.scope = "row";
    const link = cell("a", row.key);
    link.href = `${encodeURIComponent(row.folder)}/report.html`;
    key.append(link);
    made.append(key, cell("td", words[row.outcome], row.outcome), cell("td", `${points(row.score)} of ${points(row.most)}`), cell("td", `${row.passed} of ${row.cases}`));
    if (row.reason) {
      const reason = cell("td", row.reason, "reason");
      reason.colSpan = 2;
      made.append(reason);
    } else {
      made.append(cell("td", row.failed), cell("td", row.rule));
    }
    return made;
  };
  const show = (to) => {
    const last = Math.max(Math.ceil(found.length / PAGE) - 1, 0);
    page = Math.min(Math.max(to, 0), last);
    const part = found.slice(page * PAGE, (page + 1) * PAGE);
    document.querySelector("#class tbody").replaceChildren(...part.map(line));
    one("found").textContent = `${found.length} of ${rows.length}`;
    one("page").textContent = `Page ${page + 1} of ${last + 1}`;
    one("back").disabled = page === 0;
    one("on").disabled = page === last;
  };
  const search = () => {
    const wanted = one("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    found = sorted.filter((row) => (!filter || has[filter.kind](row, filter.value)) && wanted.every((word) => row.text.includes(word)));
    show(0);
  };
  one("search").addEventListener("input", search);
  one("back").addEventListener("click", () => show(page - 1));
  one("on").addEventListener("click", () => show(page + 1));

  const headings = [...document.querySelectorAll("#class thead th")];
  headings.forEach((heading, index) => {
    heading.querySelector("button").addEventListener("click", () => {
      const down = heading.ariaSort === "ascending";
      headings.forEach((other) => { other.ariaSort = "none"; });
      heading.ariaSort = down ? "descending" : "ascending";
      sorted = rows.toSorted((a, b) => (down ? columns[index](b, a) : columns[index](a, b)));
      search();
    });
  });

  const only = one("filter");
  document.querySelectorAll(".filter").forEach((button) => {
    button.addEventListener("click", () => {
      filter = button.dataset;
      only.querySelector("strong").textContent = button.textContent;
      only.hidden = false;
      search();
      one("search").focus({ preventScroll: true });
      document.querySelector("main").scrollIntoView();
    });
  });
  only.querySelector("button").addEventListener("click", () => {
    filter = null;
    only.hidden = true;
    search();
    one("search").focus();
  });
  show(0);
})();
