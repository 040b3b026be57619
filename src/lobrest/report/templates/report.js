"use strict";
(() => {
  const root = document.documentElement;
  root.classList.remove("no-script");

  // Light and dark: the system's choice until the reader makes another.
  const remembered = (() => { try { return localStorage.getItem("lobrest-theme"); } catch { return null; } })();
  if (remembered === "light" || remembered === "dark") root.dataset.theme = remembered;
  const theme = document.getElementById("theme");
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`); };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("lobrest-theme", root.dataset.theme); } catch { /* a file may have no storage */ }
    nameTheme();
  });
  nameTheme();

  // Filters: rows carry what they are searched by.
  for (const form of document.querySelectorAll("form.filters[data-rows]")) {
    const rows = [...document.querySelectorAll(form.dataset.rows)];
    const told = form.querySelector("output");
    const none = document.getElementById(form.dataset.none);
    const apply = () => {
      const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const state = form.elements.state ? form.elements.state.value : "";
      const sure = form.elements.sure ? form.elements.sure.checked : false;
      let shown = 0;
      for (const row of rows) {
        const fits = words.every((word) => row.dataset.text.includes(word))
          && (!state || row.dataset.state.split(" ").includes(state)) && (!sure || row.dataset.sure === "yes");
        row.hidden = !fits;
        shown += fits;
      }
      told.textContent = shown === rows.length ? `${rows.length} shown` : `${shown} of ${rows.length} shown`;
      if (none) none.hidden = shown > 0;
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(apply));
    apply();
  }

  // Open and close all bugs at once.
  for (const button of document.querySelectorAll("button[data-toggle]")) {
    button.addEventListener("click", () => {
      const all = [...document.querySelectorAll(button.dataset.toggle)].filter((each) => !each.hidden);
      const open = !all.every((each) => each.open);
      for (const each of all) each.open = open;
      button.textContent = open ? "Close all" : "Open all";
    });
  }

  // A link to something inside a closed part opens it.
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // Reading aid of the charts.
  for (const chart of document.querySelectorAll("svg.chart[data-samples]")) {
    const samples = JSON.parse(chart.dataset.samples);
    const { left, right, longest } = Object.fromEntries(Object.entries(chart.dataset).map(([key, value]) => [key, Number(value)]));
    const reader = chart.querySelector(".reader");
    const [line, text] = [reader.querySelector("line"), reader.querySelector("text")];
    const show = (index) => {
      const [at, values] = samples[index];
      const x = left + (right - left) * at / longest;
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
      text.textContent = `${Math.round(at * 10) / 10} s: ${values.join(" / ")}`;
      const late = x > (left + right) / 2;
      text.setAttribute("x", late ? x - 6 : x + 6);
      text.setAttribute("text-anchor", late ? "end" : "start");
      reader.removeAttribute("visibility");
      chart.dataset.index = index;
    };
    const hide = () => reader.setAttribute("visibility", "hidden");
    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect();
      const x = (event.clientX - box.left) * chart.viewBox.baseVal.width / box.width;
      const share = Math.min(1, Math.max(0, (x - left) / (right - left)));
      show(Math.round(share * (samples.length - 1)));
    });
    chart.addEventListener("pointerleave", hide);
    chart.addEventListener("blur", hide);
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      show(Math.min(samples.length - 1, Math.max(0, Number(chart.dataset.index ?? -1) + step)));
    });
  }

  // Closed parts are printed open.
  const closed = [];
  addEventListener("beforeprint", () => {
    closed.push(...document.querySelectorAll("details:not([open])"));
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => { for (const each of closed.splice(0)) each.open = false; });
})();
