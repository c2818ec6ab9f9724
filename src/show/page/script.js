"use strict";
// What a mark says appears beside the pointer at once.
const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
document.body.append(tip);
document.addEventListener("pointermove", (event) => {
  const mark = event.target instanceof Element && event.target.closest(".scroll circle, .scroll rect");
  const title = mark && mark.querySelector("title");
  tip.hidden = !title;
  if (!title) return;
  tip.textContent = title.textContent;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - width - 4);
  const top = event.clientY + 18 + height < innerHeight ? event.clientY + 18 : event.clientY - height - 8;
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${top}px`;
});
// Charts become larger within their place.
const sizes = ["", "x2", "x4", "x8"];
for (const figure of document.querySelectorAll("figure")) {
  const place = figure.querySelector(".scroll");
  const zoom = document.createElement("p");
  zoom.className = "zoom";
  let size = 0;
  const set = (next) => {
    place.classList.remove("x2", "x4", "x8");
    size = Math.min(Math.max(next, 0), sizes.length - 1);
    if (sizes[size]) place.classList.add(sizes[size]);
  };
  for (const [text, label, step] of [["+", "larger", 1], ["−", "smaller", -1]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", `${label}: ${figure.querySelector("figcaption").textContent}`);
    button.addEventListener("click", () => set(size + step));
    zoom.append(button, " ");
  }
  place.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "-") set(size + (event.key === "+" ? 1 : -1));
  });
  figure.append(zoom);
}
// Tables are sorted by their heads and, if they are long, filtered.
for (const table of document.querySelectorAll("table.sorted")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  for (const [nth, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const isDescending = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      const key = (row) => row.cells[nth].dataset.value;
      const compare = (one, other) =>
        key(one) !== undefined || key(other) !== undefined
          ? Number(key(one) ?? -Infinity) - Number(key(other) ?? -Infinity)
          : one.cells[nth].textContent.localeCompare(other.cells[nth].textContent);
      rows.sort((one, other) => (isDescending ? -compare(one, other) : compare(one, other)));
      body.append(...rows);
    });
  }
  if (rows.length < 8) continue;
  const label = document.createElement("label");
  label.className = "filter";
  const input = document.createElement("input");
  input.type = "search";
  label.append("Filter ", input);
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  table.before(label);
}
