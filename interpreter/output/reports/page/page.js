"use strict";
(() => {
  const root = document.documentElement;

  // Light and dark: the reader's setting, or the editor's, until the button is used.
  const theme = document.getElementById("theme");
  const isDark = () => getComputedStyle(root).getPropertyValue("--scheme").trim() === "dark";
  const named = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    named();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", named);
  named();

  // Tables: a click on a heading sorts; numbers begin with the largest.
  const collator = new Intl.Collator("en", { numeric: true });
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const figure = cell.querySelector("data");
    if (figure) return Number(figure.value);
    return cell.querySelector(".none") ? null : cell.textContent.trim();
  };
  const compare = (one, other) => {
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
    return collator.compare(one, other);
  };
  const sort = (table, heading) => {
    const column = heading.cellIndex;
    const first = heading.classList.contains("number") ? "descending" : "ascending";
    const second = first === "ascending" ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === first ? second : first;
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: keyOf(row, column) }));
    rows.sort((one, other) => {
      if (one.key === null || other.key === null) return (one.key === null) - (other.key === null);
      return sign * compare(one.key, other.key);
    });
    body.append(...rows.map(({ row }) => row));
  };
  for (const table of document.querySelectorAll("table.sorts")) {
    if (table.tBodies[0].rows.length < 2) continue;
    for (const heading of table.tHead.rows[0].cells) {
      if (!heading.textContent) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
  }

  // Long tables: what is typed narrows them.
  const LONG = 20;
  for (const listing of document.querySelectorAll(".listing")) {
    const rows = Array.from(listing.querySelectorAll("tbody tr"));
    if (rows.length < LONG) continue;
    const input = document.createElement("input");
    const count = document.createElement("span");
    const box = document.createElement("div");
    const what = listing.querySelector("table").getAttribute("aria-label");
    input.type = "search";
    input.placeholder = `Filter ${rows.length} ${what}`;
    input.setAttribute("aria-label", `Filter ${what}`);
    count.setAttribute("role", "status");
    box.className = "filter";
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        if (!row.hidden) shown += 1;
      }
      count.textContent = wanted ? `${shown} of ${rows.length}` : "";
    });
    box.append(input, count);
    listing.prepend(box);
  }

  // The picture: buttons, keys and the wheel with Ctrl scale it.
  const canvas = document.querySelector(".canvas");
  if (!canvas) return;
  const drawings = Array.from(canvas.querySelectorAll("svg"));
  const natural = drawings[0].viewBox.baseVal.width;
  let scale = 1;
  const zoom = (wanted) => {
    const before = scale;
    scale = Math.min(4, Math.max(0.1, wanted));
    const { scrollLeft, scrollTop } = canvas;
    for (const drawing of drawings) {
      const { width, height } = drawing.viewBox.baseVal;
      drawing.style.width = `${width * scale}px`;
      drawing.style.height = `${height * scale}px`;
    }
    canvas.scrollTo(scrollLeft * scale / before, scrollTop * scale / before);
  };
  const steps = {
    in: () => zoom(scale * 1.25),
    out: () => zoom(scale / 1.25),
    one: () => zoom(1),
    fit: () => zoom(canvas.clientWidth / natural),
  };
  const keys = { "+": "in", "=": "in", "-": "out", 0: "one", f: "fit" };
  const tools = document.querySelector(".zoom");
  tools.hidden = false;
  for (const button of tools.querySelectorAll("button")) {
    button.addEventListener("click", steps[button.dataset.zoom]);
  }
  canvas.addEventListener("keydown", (event) => {
    const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!step) return;
    event.preventDefault();
    steps[step]();
  });
  const SMALLEST = 0.6; // letters are still letters
  if (canvas.clientWidth < natural) zoom(Math.max(SMALLEST, canvas.clientWidth / natural));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(scale * Math.exp(-event.deltaY / 300));
  }, { passive: false });
})();
