"use strict";
// Timelines: events on demand, search, filters, links to other events, and the arrow keys.
{
  const longest = 100000;
  const lists = new WeakMap();
  const rowsOf = (list) => [...list.querySelectorAll(":scope > li")];
  const eventsOf = (list) => {
    if (!lists.has(list)) lists.set(list, { events: JSON.parse(list.dataset.events) });
    return lists.get(list).events;
  };
  const textsOf = (list) => {
    const events = eventsOf(list), rows = rowsOf(list);
    return lists.get(list).texts ??= events.map((event, at) => `${rows[at].textContent}\n${JSON.stringify(event)}`.toLowerCase());
  };

  // Show text that is JSON as its value, and only the beginning of long values.
  const format = (value) => {
    let shown = value;
    if (typeof value === "string") { try { shown = JSON.parse(value); } catch { /* It is text. */ } }
    const text = typeof shown === "string" ? shown : JSON.stringify(shown, null, 2);
    return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
  };
  const labels = { raised: "Raised", message: "Message", logger: "Logger", returned: "Returned", arguments: "Arguments" };
  document.addEventListener("toggle", ({ target }) => {
    const row = target.parentElement;
    if (!target.open || !row?.matches(".timeline > li") || target.querySelector("pre")) return;
    const list = row.parentElement;
    const event = eventsOf(list)[rowsOf(list).indexOf(row)];
    for (const [key, label] of Object.entries(labels)) {
      if (!Object.hasOwn(event, key)) continue;
      const [title, text] = [document.createElement("p"), document.createElement("pre")];
      title.textContent = label;
      text.textContent = format(event[key]);
      text.tabIndex = 0;
      target.append(title, text);
    }
  }, true);

  const given = (name) => document.querySelector(`[data-filter="${name}"]`)?.value.trim().toLowerCase() ?? "";
  const filter = () => {
    const [kind, plugin, effect] = [given("kind"), given("plugin"), given("effect")];
    // JSON escapes quotation marks with a backslash.
    const words = given("text").split(/\s+/).filter(Boolean).map((word) => JSON.stringify(word).slice(1, -1));
    const fits = (wanted, value) => !wanted || wanted === value?.toLowerCase();
    let shown = 0, all = 0;
    for (const list of document.querySelectorAll(".timeline")) {
      const texts = words.length ? textsOf(list) : [];
      for (const [at, row] of rowsOf(list).entries()) {
        const { kind: ofKind, plugin: ofPlugin, effect: did } = row.dataset;
        row.hidden = !(fits(kind, ofKind) && fits(plugin, ofPlugin) && (effect === "any" ? did : fits(effect, did))
          && words.every((word) => texts[at].includes(word)));
        all += 1;
        shown += !row.hidden;
      }
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
