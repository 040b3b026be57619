"use strict";
// Live figures, and parts of a page that are drawn anew while a campaign runs. Pages are whole without this.
(() => {
  const frame = document.querySelector("[data-events]");
  if (!frame) return;
  const state = () => frame.dataset.state;
  const started = Number(frame.dataset.newest || 0);
  let drawnAt = Date.now();
  let drawing = false;

  const draw = async () => {
    // Nothing is taken away under the hands of somebody who is using it.
    const parts = [...document.querySelectorAll("[data-swap]")].filter((part) =>
      !part.contains(document.activeElement) && !part.matches(":hover") && !part.querySelector("details[open]"));
    if (drawing || !parts.length || document.hidden) return;
    drawing = true;
    drawnAt = Date.now();
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (!answer.ok) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of parts) {
        const other = fresh.getElementById(part.id);
        if (other && other.innerHTML !== part.innerHTML) part.replaceChildren(...other.childNodes);
      }
    } catch { /* the next turn tries again */ } finally { drawing = false; }
  };

  const source = new EventSource(frame.dataset.events);
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    for (const [name, value] of Object.entries(told)) {
      for (const place of document.querySelectorAll(`[data-live="${name}"]`)) {
        if (place.textContent !== String(value)) place.textContent = value;
      }
    }
    if (told.state !== state()) {
      // Buttons and words depend on it: the page as a whole is another one.
      if (!document.querySelector("input:focus, select:focus, textarea:focus")) location.reload();
      return;
    }
    const notice = document.querySelector("[data-news]");
    if (notice && told.newest > started) {
      notice.hidden = false;
      notice.querySelector("b").textContent = (told.newest - started).toLocaleString("en");
    }
    if (Date.now() - drawnAt > 2500) draw();
  };
  source.onerror = () => { if (source.readyState === EventSource.CLOSED) frame.classList.add("lost"); };
  addEventListener("pagehide", () => source.close());
})();
(() => {
  // On a phone the names of the sections are a row that moves.
  const current = document.querySelector("nav [aria-current]");
  const row = current && current.closest("ul");
  if (row && row.scrollWidth > row.clientWidth) row.scrollLeft = current.offsetLeft - row.clientWidth / 3;
  for (const form of document.querySelectorAll("form[data-sure]")) {
    form.addEventListener("submit", (event) => { if (!confirm(form.dataset.sure)) event.preventDefault(); });
  }
  for (const form of document.querySelectorAll("form[data-at-once]")) {
    form.addEventListener("change", (event) => { if (event.target.matches("select, input[type=checkbox]")) form.requestSubmit(); });
  }
  const again = document.querySelector("[data-again]");
  if (again) setTimeout(() => location.reload(), 900);
  // A slash goes to the search, as in many places.
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.activeElement && document.activeElement.matches("input, select, textarea")) return;
    const field = document.querySelector(".top input[type=search]");
    if (field) { event.preventDefault(); field.focus(); }
  });
})();
