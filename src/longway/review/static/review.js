/* Saves without leaving the page, and handles keys. Every form works without it; only the keys need it. */
"use strict";
const $ = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const WORDS = { accept: "accepted", reject: "rejected", hand: "edited by hand", none: "not decided", signal: "real signal, leave alone", shortcut: "shortcut, remove" };
const NUMBERS = new Set(["seen", "size", "seed", "batch"]);

/* The values of a form as JSON: numbers as numbers, group.name as a nested object, tags as a list. */
function formValues(form, button) {
  const values = {};
  for (const [name, value] of new FormData(form, button)) {
    const [group, inner] = name.split(".");
    if (name === "back") continue;
    if (name === "tags") (values.tags ||= []).push(value);
    else if (inner) (values[group] ||= {})[inner] = value;
    else values[name] = NUMBERS.has(name) ? Number(value) : value;
  }
  if (form.getAttribute("action") === "/tag") values.tags ||= [];
  if (form.getAttribute("action") === "/decide-many") values.filter ||= {};
  return values;
}

function notify(words) {
  $("#saved").textContent = words;
  clearTimeout(notify.timer);
  notify.timer = setTimeout(() => { $("#saved").textContent = ""; }, 6000);
}

/* Show a message on the next page. */
function leave(words, address) {
  try { sessionStorage.setItem("saved", words); } catch { /* no storage: the message is lost, the decision is not */ }
  const here = location.pathname + location.search;
  if (address && address !== here) return location.assign(address);
  history.replaceState(null, "", here); // without #hand-text, which would lead back into the field
  location.reload();
}

function report(words) {
  $("#problem p").textContent = words;
  $("#problem").hidden = false;
  $("#problem [data-reload]").focus();
}

function sentence(answer) {
  const now = answer.current;
  if (!now) return answer.error || "This could not be saved.";
  const choice = WORDS[now.value.choice] || "something else";
  return `Your decision was not saved: ${now.author} decided “${choice}” at ${now.time.slice(0, 16).replace("T", " ")}. Reload the page to see it, then decide again.`;
}

/* Shows the form's own message while it waits; screen readers announce it. */
function wait(form, is_waiting) {
  form.setAttribute("aria-busy", String(is_waiting));
  for (const button of all("button", form)) button.disabled = is_waiting;
  const words = $("[data-waiting]", form);
  if (words) words.textContent = is_waiting ? words.dataset.waiting : "";
}

async function send(form, button) {
  if (form.dataset.busy) return;
  form.dataset.busy = "1";
  const waited = setTimeout(() => wait(form, true), 400);
  try {
    const values = formValues(form, button);
    const answer = await fetch(form.action, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values) });
    const result = await answer.json().catch(() => ({}));
    if (answer.ok) saved(form, values, result);
    else report(sentence(result));
  } catch {
    report("The review does not respond. Is it still running? Earlier decisions are saved.");
  } finally {
    clearTimeout(waited);
    wait(form, false);
    delete form.dataset.busy;
  }
}

function saved(form, values, answer) {
  const decision = answer.decision;
  if (form.hasAttribute("data-undo")) return undone(answer);
  if (form.hasAttribute("data-sample")) return leave("Drawn.", "/sample/" + encodeURIComponent(values.name));
  if (form.hasAttribute("data-hand")) return leave(decision.value.passed === false ? "Saved, but a check fails." : "Saved: it passes the checks.", form.dataset.then);
  if ("written" in answer) return leave(`Saved: ${answer.written} edits. Undo with u.`, form.dataset.then);
  if (values.tags) return leave("Saved.", form.dataset.then);
  const words = WORDS[decision.value.choice] || "saved";
  if (form.dataset.then) return leave(`Saved: ${words}. Undo with u.`, form.dataset.then);
  show(form.closest("[data-item]"), decision);
  notify(`Saved: ${words}. Undo with u.`);
}

/* Replace the old decision by the new one. */
function show(item, decision) {
  const choice = decision.value.choice;
  item.dataset.choice = choice;
  for (const field of all("input[name=seen]", item)) field.value = decision.seq;
  for (const button of all("button[name=choice]", item)) if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", String(button.value === choice));
  const badge = $("[data-badge]", item);
  badge.className = `badge ${choice}`;
  badge.textContent = choice === "none" ? WORDS.none : `${WORDS[choice]} by ${decision.author}`;
}

function undone(answer) {
  if (!answer.written) return notify("There is nothing to undo.");
  const words = answer.written === 1 ? "Undone." : `Undone: ${answer.written} decisions.`;
  const only = answer.written === 1 ? answer.decisions[0] : null;
  const place = location.pathname.split("/");
  const moves = only && only.kind === "edit" && place[1] === "edits" && place[2] && place[2] !== only.key;
  leave(words, moves ? `/edits/${only.key}${location.search}` : "");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.hasAttribute("data-send")) return;
  event.preventDefault();
  send(form, event.submitter);
});

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-reload], [data-close], [data-help], [data-copy]");
  if (!target) return;
  if (target.hasAttribute("data-reload")) { event.preventDefault(); location.reload(); }
  if (target.hasAttribute("data-copy")) copy($(target.dataset.copy));
  if (target.hasAttribute("data-close")) $("#problem").hidden = true;
  if (target.hasAttribute("data-help")) $("#help").showModal();
});

/* Without access to the clipboard the text is shown and selected, for Ctrl C. */
async function copy(field) {
  try { await navigator.clipboard.writeText(field.value); notify("Copied."); } catch {
    field.closest("details").open = true;
    field.select();
    notify("Selected: copy it with Ctrl C.");
  }
}

/* The item that keys apply to: that of the page, or the selected one of a list. */
const items = () => all("[data-item]");
const marked = () => $("[data-current]") || document.activeElement.closest("[data-item]");

function move(step) {
  const link = $(step > 0 ? "[data-go=next]" : "[data-go=previous]");
  if (link) return link.click();
  if ($("[data-current]")) return;
  const list = items();
  const at = list.indexOf(marked());
  const next = list[at < 0 ? (step > 0 ? 0 : list.length - 1) : at + step];
  if (next) next.focus();
}

function press(key) {
  const item = marked() || (["a", "r", "s", "x"].includes(key) && !$(".group") && items()[0]); // a group must be selected first
  const control = (item && $(`[data-key="${key}"]`, item)) || $(`main > .decision-bar [data-key="${key}"], main > [data-current] [data-key="${key}"], .list-head [data-key="${key}"], #decisions [data-key="${key}"], .tags [data-key="${key}"]`);
  if (key === "e" && item && $("[data-open]", item)) return location.assign($("[data-open]", item).href + "#hand-text");
  if (!control) return;
  control.click();
  if (key === "e") setTimeout(() => $("#hand-text").focus());
}

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("textarea, select, input:not([type=radio], [type=checkbox])");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("#hand-text")) return event.target.form.requestSubmit();
  if (event.key === "Escape" && field) return field.blur();
  if (field || event.ctrlKey || event.metaKey || event.altKey || $("#help").open) return;
  const { key } = event;
  const keys = {
    j: () => move(1), ArrowRight: () => move(1), k: () => move(-1), ArrowLeft: () => move(-1),
    "/": () => $("[data-search]")?.focus(), "?": () => $("#help").showModal(),
  };
  if (keys[key]) { if (event.target.matches("input")) return; event.preventDefault(); return keys[key](); }
  if (key === "Enter" && event.target.matches("[data-item]")) return $("[data-open]", event.target)?.click();
  if (key === "Enter" && $(".tags") && !event.target.closest("a, button, summary")) { event.preventDefault(); return $(".tags").requestSubmit(); }
  if (/^[areusx]$/.test(key) || (/^[a-z1-9]$/.test(key) && $(`.tags [data-key="${key}"]`))) { event.preventDefault(); press(key); }
});

/* Start the checks as soon as the reviewer types, so that saving takes less time. */
$("#hand-text")?.addEventListener("input", (event) => {
  const key = $("input[name=key]", event.target.form).value;
  fetch("/prepare", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ key }) }).catch(() => {});
}, { once: true });

for (const button of all("[data-help], [data-copy]")) button.hidden = false;
try {
  const words = sessionStorage.getItem("saved");
  sessionStorage.removeItem("saved");
  if (words) notify(words);
} catch { /* no storage */ }
if (location.hash === "#hand-text") addEventListener("load", () => $("#hand-text")?.focus()); // after the browser has scrolled there
const json = $("[data-json]");
if (json) json.href += location.search;
