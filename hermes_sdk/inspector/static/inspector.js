// The script of the inspector: forms made from JSON Schemas, reloads, and copies. Text of plugins is only ever set as text.
"use strict";

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
let labels = 0;

// Forms ------------------------------------------------------------------------------------------------------------
// A field is {element, read()}; `read` returns the value, or undefined if it is omitted.

const follow = (schema, root) => {
  for (let steps = 0; schema && schema.$ref && steps < 20; steps++) {
    const path = String(schema.$ref).replace(/^#\/?/, "").split("/").filter(Boolean);
    schema = path.reduce((part, key) => (part ?? {})[key.replace(/~1/g, "/").replace(/~0/g, "~")], root);
  }
  return schema && typeof schema === "object" ? schema : {};
};

const typeOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value);

const fits = (schema, value, root) => {
  schema = follow(schema, root);
  if ("const" in schema) return JSON.stringify(schema.const) === JSON.stringify(value);
  if (schema.enum) return schema.enum.some((one) => JSON.stringify(one) === JSON.stringify(value));
  const choices = choicesOf(schema);
  if (choices) return choices.some((one) => fits(one, value, root));
  const type = typeOf(value);
  if (schema.type && schema.type !== type && !(schema.type === "number" && type === "integer")) return false;
  if (type !== "object") return true;
  return (schema.required ?? []).every((key) => key in value) &&
    Object.entries(schema.properties ?? {}).every(([key, one]) => !(key in value) || fits(one, value[key], root));
};

const choicesOf = (schema) => {
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  const choices = schema.anyOf ?? schema.oneOf;
  if (schema.nullable && schema.type) return [{ ...schema, nullable: false }, { type: "null" }];
  return Array.isArray(choices) && choices.length ? choices : null;
};

const named = (label, control, schema) => {
  control.id = `field-${++labels}`;
  const hint = schema.description ? [make("span", { className: "hint", textContent: ` ${schema.description}` })] : [];
  return make("div", {}, make("label", { htmlFor: control.id, textContent: label }), ...hint, control);
};

const field = (schema, value, label, root, changed, depth = 0) => {
  schema = follow(schema, root);
  const choices = choicesOf(schema);
  if (depth > 8) return rawField(value, label, schema, changed);
  if (choices) return choiceField(schema, choices, value, label, root, changed, depth);
  if ("const" in schema || schema.enum) return enumField(schema, value, label, changed);
  if (schema.type === "object" && schema.properties) return objectField(schema, value, label, root, changed, depth);
  if (schema.type === "array") return arrayField(schema, value, label, root, changed, depth);
  if (schema.type === "null") return { element: make("p", { className: "hint", textContent: `${label}: null` }), read: () => null };
  if (schema.type === "boolean") return enumField({ ...schema, enum: [true, false] }, value, label, changed);
  if (schema.type === "integer" || schema.type === "number") return numberField(schema, value, label, changed);
  if (schema.type === "string") return textField(schema, value, label, changed);
  return rawField(value, label, schema, changed);
};

const textField = (schema, value, label, changed) => {
  const control = make("input", { type: "text", value: typeof value === "string" ? value : schema.default ?? "", autocomplete: "off" });
  control.addEventListener("input", changed);
  return { element: named(label, control, schema), read: () => control.value };
};

const numberField = (schema, value, label, changed) => {
  const control = make("input", { type: "number", step: schema.type === "integer" ? "1" : "any" });
  control.value = typeof value === "number" ? value : schema.default ?? schema.minimum ?? 0;
  control.addEventListener("input", changed);
  return { element: named(label, control, schema), read: () => (control.value === "" ? undefined : Number(control.value)) };
};

const enumField = (schema, value, label, changed) => {
  const values = "const" in schema ? [schema.const] : schema.enum;
  const control = make("select", {}, ...values.map((one) => make("option", { textContent: typeof one === "string" ? one : JSON.stringify(one) })));
  control.selectedIndex = Math.max(0, values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value ?? schema.default)));
  control.addEventListener("change", changed);
  return { element: named(label, control, schema), read: () => values[control.selectedIndex] };
};

const rawField = (value, label, schema, changed) => {
  const control = make("textarea", { rows: 2, spellcheck: false, value: JSON.stringify(value ?? schema.default ?? (schema.type === "object" ? {} : "")) });
  control.addEventListener("input", changed);
  return { element: named(`${label} (JSON)`, control, schema), read: () => JSON.parse(control.value) };
};

const choiceField = (schema, choices, value, label, root, changed, depth) => {
  const told = (one) => follow(one, root).title ?? follow(one, root).type ?? "value";
  const control = make("select", {}, ...choices.map((one, index) => make("option", { textContent: `${index + 1}: ${told(one)}` })));
  const place = make("div");
  let inner;
  const choose = (index, given) => {
    inner = field(choices[index], given, label, root, changed, depth + 1);
    place.replaceChildren(inner.element);
  };
  control.selectedIndex = Math.max(0, value === undefined ? 0 : choices.findIndex((one) => fits(one, value, root)));
  control.addEventListener("change", () => { choose(control.selectedIndex); changed(); });
  choose(control.selectedIndex, value);
  return { element: make("fieldset", {}, make("legend", { textContent: label }), named(`Kind of ${label}`, control, schema), place), read: () => inner.read() };
};

const objectField = (schema, value, label, root, changed, depth) => {
  const given = typeOf(value) === "object" ? value : {};
  const required = new Set(schema.required ?? []);
  const box = make("fieldset", {}, make("legend", { textContent: label }));
  const parts = Object.entries(schema.properties).map(([key, of]) => propertyField(key, of, given, required.has(key), box, root, changed, depth));
  // Properties that the schema does not name stay unchanged.
  const rest = Object.entries(given).filter(([key]) => !Object.hasOwn(schema.properties, key));
  const read = () => Object.fromEntries([...parts.map(({ key, read }) => [key, read()]).filter(([, one]) => one !== undefined), ...rest]);
  return { element: box, read };
};

const propertyField = (key, schema, given, required, box, root, changed, depth) => {
  const place = make("div");
  let inner = null;
  const open = (value) => {
    inner = field(schema, value, key, root, changed, depth + 1);
    place.replaceChildren(inner.element);
  };
  const close = () => { inner = null; place.replaceChildren(); };
  if (!required) {
    const toggle = make("input", { type: "checkbox", checked: Object.hasOwn(given, key) });
    toggle.addEventListener("change", () => { toggle.checked ? open() : close(); changed(); });
    box.append(make("label", {}, toggle, ` Include ${key}`));
  }
  if (required || Object.hasOwn(given, key)) open(Object.hasOwn(given, key) ? given[key] : undefined);
  box.append(place);
  return { key, read: () => inner?.read() };
};

const arrayField = (schema, value, label, root, changed, depth) => {
  const list = make("div");
  const items = [];
  const add = (given) => {
    const inner = field(schema.items ?? {}, given, `${label} item`, root, changed, depth + 1);
    const remove = make("button", { type: "button", textContent: `Remove this item of ${label}` });
    const row = make("div", {}, inner.element, remove);
    remove.addEventListener("click", () => { items.splice(items.indexOf(inner), 1); row.remove(); changed(); });
    items.push(inner);
    list.append(row);
  };
  (Array.isArray(value) ? value : []).forEach(add);
  const more = make("button", { type: "button", textContent: `Add an item to ${label}` });
  more.addEventListener("click", () => { add(); changed(); });
  return { element: make("fieldset", {}, make("legend", { textContent: label }), list, more), read: () => items.map((one) => one.read()) };
};

// The JSON text is sent; the form updates it, and is rebuilt from it.
const connect = (form) => {
  const place = form.querySelector("[data-schema]");
  if (!place || place.dataset.ready) return;
  place.dataset.ready = "yes";
  const schema = JSON.parse(place.dataset.schema);
  const text = form.elements.args, told = form.querySelector(".invalid"), raw = form.querySelector(".raw");
  let shown;
  const write = () => {
    try {
      text.value = JSON.stringify(shown.read(), null, 2);
      told.textContent = "";
    } catch (error) {
      told.textContent = `Not valid JSON: ${error.message}`;
    }
  };
  const build = () => {
    try {
      shown = objectField({ properties: {}, ...schema }, JSON.parse(text.value), "Arguments", schema, write, 0);
      place.replaceChildren(shown.element);
      told.textContent = "";
      return true;
    } catch (error) {
      told.textContent = `Not valid JSON: ${error.message}`;
      return false;
    }
  };
  const show = (tab) => {
    if (tab === "form" && !build()) return;
    place.hidden = tab !== "form";
    raw.hidden = tab === "form";
    form.querySelectorAll("[data-tab]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.tab === tab)));
  };
  form.querySelectorAll("[data-tab]").forEach((one) => one.addEventListener("click", () => show(one.dataset.tab)));
  form.showTab = show;
  show("form");
  if (text.value.trim() === "{}") write();
};

// Reloads ----------------------------------------------------------------------------------------------------------

const keep = () => new Map([...document.querySelectorAll("form[data-keep]")].map((form) => [form.dataset.keep, {
  values: [...form.elements].filter((one) => one.name && one.type !== "hidden").map((one) => [one.name, one.type === "checkbox" ? one.checked : one.value]),
  tab: form.querySelector("[data-tab][aria-pressed=true]")?.dataset.tab,
}]));

const restore = (kept) => document.querySelectorAll("form[data-keep]").forEach((form) => {
  const state = kept.get(form.dataset.keep);
  state?.values.forEach(([name, value]) => { const one = form.elements[name]; if (one) one[one.type === "checkbox" ? "checked" : "value"] = value; });
  connect(form);
  if (state?.tab) form.showTab?.(state.tab);
});

const findFocus = () => {
  const active = document.activeElement, form = active?.form;
  return form?.dataset.keep ? { form: form.dataset.keep, index: [...form.elements].indexOf(active) } : null;
};

const setFocus = (place) => {
  const form = [...document.querySelectorAll("form[data-keep]")].find((one) => one.dataset.keep === place?.form);
  form?.elements[place.index]?.focus({ preventScroll: true });
};

// Also keep text that is typed while the new page loads.
let kept, focus;
const isLive = (event) => event.detail.target?.id === "live";
document.addEventListener("htmx:beforeSwap", (event) => { if (isLive(event)) [kept, focus] = [keep(), findFocus()]; });
document.addEventListener("htmx:afterSwap", (event) => { if (isLive(event)) { restore(kept); setFocus(focus); } });

// If a reload replaced the form of a running action, its result would be lost, so the reload waits.
const RUNNING = "#live form.htmx-request";
document.addEventListener("htmx:beforeSwap", (event) => { if (isLive(event) && document.querySelector(RUNNING)) event.detail.shouldSwap = false; });
const idle = async () => {
  while (document.querySelector(RUNNING)) await new Promise((done) => document.addEventListener("htmx:afterRequest", () => setTimeout(done), { once: true }));
};

const reload = async (version) => {
  const isOld = () => Number(document.getElementById("live").dataset.version) < version;
  for (let tries = 0; tries < 5 && isOld(); tries++) {
    await idle();
    await htmx.ajax("GET", location.pathname + location.search, { target: "#live", select: "#live", swap: "outerHTML" });
  }
};

// Start ------------------------------------------------------------------------------------------------------------
// Browsers send a cookie to all ports of this machine, so each request also carries the secret of the page.

const HEADERS = { "hermes-sdk-page": localStorage.getItem("hermes-sdk-page") ?? "" };
document.addEventListener("htmx:configRequest", (event) => Object.assign(event.detail.headers, HEADERS));

const isPage = (event) => event.detail.target === document.body;
document.addEventListener("htmx:afterSwap", (event) => { if (isPage(event)) document.querySelectorAll("form").forEach(connect); });
document.addEventListener("htmx:responseError", (event) => { if (isPage(event)) document.body.textContent = event.detail.xhr.responseText; });

// An EventSource cannot send the secret.
const listen = async (told) => {
  const answer = await fetch("/events", { headers: HEADERS });
  // Another run of the command uses this address.
  if (!answer.ok) return false;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return true;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.filter((line) => line.startsWith("data:")).forEach((line) => told(Number(line.slice(5))));
  }
};

document.addEventListener("DOMContentLoaded", async () => {
  await htmx.ajax("GET", location.pathname + location.search, { target: "body", swap: "innerHTML" });
  if (!document.getElementById("live")) return;
  let waiting = Promise.resolve();
  const told = (version) => { waiting = waiting.then(() => reload(version)).catch(() => {}); };
  while (await listen(told).catch(() => true)) await new Promise((done) => setTimeout(done, 3000));
});

// A long action is shown with a button to stop it.
document.addEventListener("htmx:beforeRequest", (event) => {
  const form = event.detail.elt;
  if (!form.matches("form[hx-post]")) return;
  const timer = setInterval(() => {
    if (form.matches(".htmx-request")) htmx.trigger(document.body, "running");
    else clearInterval(timer);
  }, 500);
});

// The conversation already shows the message.
document.addEventListener("said", (event) => { event.target.elements.name.value = ""; });

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const told = button.parentElement.querySelector("[role=status]");
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    told.textContent = "Copied.";
  } catch {
    // Without permission to write to the clipboard, show the text, so that users can copy it.
    told.replaceChildren(make("pre", { textContent: button.dataset.copy }));
  }
});
