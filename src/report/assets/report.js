"use strict";
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (id) => document.getElementById(id);
  const reveal = (element) => {
    for (let at = element; at; at = at.parentElement) if (at.localName === "details") at.open = true;
  };

  // Where runs of differing lines start, in all cases.
  const starts = all(".x").filter((row) => !row.previousElementSibling?.classList.contains("x"));
  const cases = starts.map((row) => row.closest(".case"));
  let at = -1;

  // A link to a case opens it, and the next difference is its first.
  const follow = () => {
    // While the page is being read nothing is `:target` yet, and an id has no sign in it that an address writes in another way.
    const target = one(location.hash.slice(1));
    if (!target?.classList.contains("case")) return;
    reveal(target);
    const first = cases.indexOf(target);
    if (first >= 0) at = first - 1;
    target.scrollIntoView();
  };
  addEventListener("hashchange", follow);

  // A report without a difference has nothing to jump to.
  if (!one("next")) return follow();
  all(".tools [hidden]").forEach((tool) => { tool.hidden = false; });

  // A narrow window has no room for two columns; whoever wants them there can still choose them.
  if (matchMedia("(max-width: 50rem)").matches) one("one").checked = true;

  const jump = (step) => {
    at = Math.min(Math.max(at + step, 0), starts.length - 1);
    const row = starts[at];
    reveal(row);
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
    one("position").textContent = `${at + 1} of ${starts.length}`;
  };
  one("next").addEventListener("click", () => jump(1));
  one("previous").addEventListener("click", () => jump(-1));
  if (starts.length === 0) all(".jump button").forEach((button) => { button.disabled = true; });
  document.addEventListener("keydown", (event) => {
    const step = { n: 1, p: -1 }[event.key];
    if (step && starts.length && !event.ctrlKey && !event.metaKey && !event.altKey) jump(step);
  });

  // Spaces and tabs as signs, and line ends.
  const plain = new Map();
  one("spaces").addEventListener("change", (event) => {
    document.body.classList.toggle("ends", event.target.checked);
    if (!event.target.checked) {
      plain.forEach((text, node) => { node.data = text; });
      return plain.clear();
    }
    for (const line of all(".r > code")) {
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode;
        if (node.parentNode.localName === "em" || !/[ \t]/.test(node.data)) continue;
        plain.set(node, node.data);
        node.data = node.data.replaceAll(" ", "·").replaceAll("\t", "→\t");
      }
    }
  });

  const folds = () => all(".case:not(.good), .fold");
  const unfold = one("unfold");
  unfold.addEventListener("click", () => {
    const open = unfold.getAttribute("aria-pressed") !== "true";
    unfold.setAttribute("aria-pressed", open);
    unfold.textContent = open ? "Close all" : "Open all";
    folds().forEach((fold) => { fold.open = open; });
  });

  // What is printed is open, and afterwards as it was.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds().filter((fold) => !fold.open);
    closed.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => { closed.forEach((fold) => { fold.open = false; }); });
  follow();
})();
