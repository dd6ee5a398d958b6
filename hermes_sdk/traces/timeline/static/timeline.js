"use strict";
// Timelines: search, filters, links to other events, and the arrow keys.
{
  const texts = new WeakMap();
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  const given = (name) => document.querySelector(`[data-filter="${name}"]`)?.value.trim().toLowerCase() ?? "";

  const filter = () => {
    const [words, kind, plugin, effect] = [given("text").split(/\s+/), given("kind"), given("plugin"), given("effect")];
    const fits = (wanted, value) => !wanted || wanted === value?.toLowerCase();
    let shown = 0, all = 0;
    for (const row of document.querySelectorAll(".timeline > li")) {
      const { kind: ofKind, plugin: ofPlugin, effect: did } = row.dataset;
      row.hidden = !(fits(kind, ofKind) && fits(plugin, ofPlugin) && (effect === "any" ? did : fits(effect, did))
        && words.every((word) => textOf(row).includes(word)));
      all += 1;
      shown += !row.hidden;
    }
    for (const group of document.querySelectorAll(".registrations")) {
      if (shown < all) group.open = Boolean(group.querySelector("li:not([hidden])"));
    }
    const told = document.querySelector("[data-count]");
    if (told) told.textContent = shown === all ? `${all} events` : `${shown} of ${all} events`;
  };
  document.addEventListener("input", (event) => { if (event.target.matches("[data-filter]")) filter(); });
  // The inspector adds timelines to a page.
  document.addEventListener("htmx:afterSettle", filter);

  const open = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row?.matches(".timeline > li")) return;
    if (row.hidden) {
      document.querySelectorAll("[data-filter]").forEach((one) => { one.value = ""; });
      filter();
    }
    for (let one = row.firstElementChild; one; one = one.parentElement.closest("details")) one.open = true;
    row.querySelector("summary").focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  };
  addEventListener("hashchange", open);
  addEventListener("DOMContentLoaded", open);

  const steps = { ArrowDown: 1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    const list = event.target.matches?.(".timeline > li > details > summary") && event.target.closest(".timeline");
    if (!list || !(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = [...list.querySelectorAll(":scope > li:not([hidden]) > details > summary")];
    const next = rows[rows.indexOf(event.target) + steps[event.key]];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
}
