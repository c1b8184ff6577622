// Everything works without this. It adds values under the pointer or focus, sorting and searching of tables, closing of
// menus, copying and keys. Nothing is stored or sent.
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // On a phone the table comes first: lists of values are folded, unless one of them is chosen.
  if (matchMedia("(max-width: 640px)").matches) {
    for (const facet of all(".facet[open]")) facet.open = !!facet.querySelector("[aria-current]");
  }

  // Charts: the title of a .hit has the text of a point. One tab stop a chart, arrow keys inside.
  for (const chart of all(".chart, .heatbox")) {
    const hits = all(".hit", chart), texts = hits.map((hit) => hit.querySelector("title").textContent);
    if (!hits.length) continue;
    const box = chart.tagName === "TABLE" ? chart.parentElement : chart;
    const tip = document.createElement("div");
    tip.className = "tip"; tip.hidden = true; box.append(tip);
    const show = (hit) => {
      tip.textContent = texts[hits.indexOf(hit)]; tip.hidden = false;
      const c = box.getBoundingClientRect(), h = hit.getBoundingClientRect(), w = tip.offsetWidth;
      // Through the object model, which a policy without 'unsafe-inline' allows.
      tip.style.left = Math.min(Math.max(h.left + h.width / 2 - c.left - w / 2, 0), Math.max(c.width - w, 0)) + "px";
      tip.style.top = Math.max(h.top - c.top - tip.offsetHeight - 6, -tip.offsetHeight - 2) + "px";
    };
    hits.forEach((hit, i) => {
      hit.querySelector("title").remove();
      // Cells of heat maps are named by their pictures.
      if (hit.getAttribute("role")) hit.setAttribute("aria-label", texts[i].replaceAll("\n", ", "));
      hit.setAttribute("tabindex", i ? "-1" : "0");
      for (const e of ["pointerenter", "focus"]) hit.addEventListener(e, () => show(hit));
      for (const e of ["pointerleave", "blur"]) hit.addEventListener(e, () => { tip.hidden = true; });
      hit.addEventListener("keydown", (e) => {
        const link = e.key === "Enter" && hit.closest("a");
        if (link) location.href = link.getAttribute("href");
        const to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: hits.length - 1 }[e.key];
        if (to === undefined || !hits[to]) return;
        e.preventDefault();
        hits[to].setAttribute("tabindex", "0"); hits[to].focus(); hit.setAttribute("tabindex", "-1");
      });
    });
  }

  // Tables: a header sorts in place; without script it is a link that the server sorts by, or nothing.
  for (const table of all("table[data-sort]")) {
    for (const th of all("thead th[data-k]", table)) {
      const at = th.cellIndex, button = document.createElement("button");
      button.type = "button"; button.append(...(th.querySelector("a") || th).childNodes); th.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = th.getAttribute("aria-sort") !== "descending";
        all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        all("tbody tr.sum", table).forEach((tr) => tr.remove()); // in another order, an app's rows are not together
        const value = (tr) => { const c = tr.cells[at]; return c.dataset.v === undefined ? c.textContent : Number(c.dataset.v); };
        const order = (a, z) => {
          const [x, y] = [value(a), value(z)];
          if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1; // what is not known comes last
          return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
        };
        table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
      });
    }
  }
  const search = (field, rows) => field.addEventListener("input", () => {
    const text = field.value.trim().toLowerCase();
    rows().forEach((row) => { row.hidden = text !== "" && !row.textContent.toLowerCase().includes(text); });
  });
  for (const field of all("input[data-find]")) {
    if (!document.getElementById(field.dataset.find)) continue;
    field.hidden = false;
    search(field, () => all("#" + field.dataset.find + " tbody tr"));
  }
  for (const field of all("input.narrow")) {
    field.hidden = false;
    search(field, () => all("li, :scope > a", field.parentElement));
  }

  // A table that fits needs no tab stop of its own.
  for (const box of all(".scroll")) if (box.scrollWidth <= box.clientWidth) box.removeAttribute("tabindex");

  for (const pre of all(".pop pre")) {
    const button = document.createElement("button");
    button.type = "button"; button.className = "btn"; button.textContent = "Copy";
    button.addEventListener("click", () => navigator.clipboard?.writeText(pre.textContent).then(() => { button.textContent = "Copied"; }));
    pre.after(button);
  }

  // Menus close when something else is chosen.
  const menus = all("details.menu");
  document.addEventListener("click", (e) => menus.forEach((menu) => { if (!menu.contains(e.target)) menu.open = false; }));

  // Keys: / searches the table, ? tells the keys, Ctrl-K or ⌘K goes anywhere.
  const palette = document.querySelector("#palette"), keys = document.querySelector("#keys");
  if (!palette) return;
  const find = palette.querySelector("input"), list = palette.querySelector("ul");
  const links = all(".side .nav a, .bar .menu a[href*='app='], a.test, td a[href*='/reports/experiment?'], #palette li a").map((a) => ({
    text: (a.querySelector(".name, bdi") || a).textContent.trim(), to: a.getAttribute("href") }));
  const fill = () => {
    const text = find.value.trim().toLowerCase();
    const shown = links.filter((link, i) => link.text.toLowerCase().includes(text) && links.findIndex((l) => l.to === link.to) === i);
    if (text) shown.push({ text: "User " + find.value.trim(), to: "/reports/person?user=" + encodeURIComponent(find.value.trim()) });
    list.replaceChildren(...shown.map((link) => {
      const item = document.createElement("li"), a = document.createElement("a");
      a.href = link.to; a.textContent = link.text; item.append(a); return item;
    }));
  };
  find.addEventListener("input", fill);
  palette.addEventListener("keydown", (e) => {
    const shown = [find, ...all("a", list)], at = shown.indexOf(document.activeElement);
    if (e.key === "Enter" && at === 0) list.querySelector("a")?.click();
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    e.preventDefault(); shown[at + (e.key === "ArrowDown" ? 1 : -1)]?.focus();
  });
  const open = () => { find.value = ""; fill(); palette.showModal(); find.focus(); };
  for (const button of all(".search")) { button.hidden = false; button.addEventListener("click", open); }
  document.addEventListener("keydown", (e) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") { e.preventDefault(); open(); return; }
    if (e.key === "Escape") menus.forEach((menu) => { if (menu.contains(document.activeElement)) menu.querySelector("summary").focus(); menu.open = false; });
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "/") { e.preventDefault(); const field = document.querySelector("input[data-find]:not([hidden])"); if (field) field.focus(); else open(); }
    if (e.key === "?") { e.preventDefault(); keys.showModal(); }
  });
})();
