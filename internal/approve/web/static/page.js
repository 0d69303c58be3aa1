// What makes the page live. Everything works by forms and links without it; with
// it, cards come and go by themselves and answers do not load the page again.
"use strict";

const base = document.body.dataset.base;
const cards = document.getElementById("cards");

// A link brings what lets somebody in behind #: it is taken out of the address
// and sent as a form.
function logIn() {
  const form = document.getElementById("login");
  const word = location.hash.slice(1);
  if (!form || !word) return;
  history.replaceState(null, "", location.pathname);
  form.elements.word.value = word;
  form.submit();
}

function say(text, bad) {
  const p = document.createElement("p");
  p.className = bad ? "notice bad" : "notice";
  p.textContent = text;
  const list = document.getElementById("notices");
  list.prepend(p);
  while (list.children.length > 5) list.lastChild.remove();
}

function news(text) {
  const list = document.getElementById("news");
  const p = document.createElement("p");
  p.textContent = text;
  list.append(p);
  while (list.children.length > 20) list.firstChild.remove();
}

function count(n) {
  document.getElementById("count").textContent = n > 0 ? String(n) : "";
  document.title = (n > 0 ? `(${n}) ` : "") + document.title.replace(/^\(\d+\) /, "");
  document.getElementById("nothing").hidden = n > 0;
}

// For a moment after something has moved, nothing can be pressed: whoever was
// about to press one button must not press another that came in its place.
let moved = 0;
const settle = 500;

function cardOf(id) {
  return document.getElementById("card-" + id);
}

function arrive(e) {
  const data = JSON.parse(e.data);
  count(data.waiting);
  if (cardOf(data.id)) return;
  const holder = document.createElement("template");
  holder.innerHTML = data.html;
  cards.append(holder.content);
  tick();
  news(data.text);
}

function leave(e) {
  const data = JSON.parse(e.data);
  count(data.waiting);
  const card = cardOf(data.id);
  if (!card || card.classList.contains("closed")) return;
  shut(card, data.text);
  news(data.text);
}

function shut(card, text) {
  const had = card.contains(document.activeElement);
  moved = Date.now();
  card.classList.add("closed");
  const outcome = card.querySelector(".outcome");
  outcome.textContent = text;
  outcome.hidden = false;
  for (const e of card.querySelectorAll("button, input")) e.disabled = true;
  for (const e of card.querySelectorAll("details")) e.open = false;
  if (had) card.focus();
  const closed = cards.querySelectorAll(".closed");
  for (let i = 0; i < closed.length - 10; i++) closed[i].remove();
}

async function press(form, button) {
  const data = new URLSearchParams(new FormData(form));
  button.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json" } });
    if (!(reply.headers.get("Content-Type") || "").startsWith("application/json")) {
      say(await reply.text(), true);
      return;
    }
    const got = await reply.json();
    if (!got.ok) say(got.text, true);
    const card = form.closest(".card");
    if (!card.classList.contains("closed") && got.ok) shut(card, got.text);
  } catch {
    say("The answer did not reach sayso serve. The call still waits.", true);
  } finally {
    button.removeAttribute("aria-busy");
  }
}

function submitted(e) {
  const form = e.target;
  if (!form.classList.contains("answer")) return;
  e.preventDefault();
  if (Date.now() - moved < settle) {
    say("Nothing was answered: the cards have just moved. Look again.", true);
    return;
  }
  press(form, form.querySelector("button"));
}

// Keys move the focus; only a button that has it can be pressed.
let went = 0;
const pages = { i: "", s: "settings", r: "grants", t: "trust", l: "journal" };

function key(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, select, textarea")) return;
  if (Date.now() - went < 1500 && e.key in pages) {
    location.href = base + pages[e.key];
    return;
  }
  went = e.key === "g" ? Date.now() : 0;
  if (!cards) return;
  const list = [...cards.querySelectorAll(".card:not(.closed)")];
  const here = document.activeElement.closest(".card");
  const at = list.indexOf(here);
  if (e.key === "j" || e.key === "k") {
    const next = list[at < 0 ? 0 : at + (e.key === "j" ? 1 : -1)];
    if (next) next.focus();
    e.preventDefault();
    return;
  }
  if (at < 0) return;
  for (const button of here.querySelectorAll("button[data-key]")) {
    if (button.dataset.key === e.key) {
      button.focus();
      e.preventDefault();
      return;
    }
  }
}

function tick() {
  for (const e of document.querySelectorAll("time[data-until]")) {
    if (e.closest(".closed")) continue;
    const left = Math.max(0, Math.round((new Date(e.dataset.until) - Date.now()) / 1000));
    const text = left >= 3600 ? `${Math.floor(left / 3600)}h left` : left >= 60 ? `${Math.floor(left / 60)}m left` : `${left}s left`;
    if (e.textContent !== text) e.textContent = text;
  }
}

function listen() {
  const away = document.getElementById("away");
  const source = new EventSource(base + "events?after=" + cards.dataset.seq);
  source.addEventListener("open", () => {
    away.hidden = true;
  });
  source.addEventListener("come", arrive);
  source.addEventListener("gone", leave);
  source.addEventListener("reload", () => location.reload());
  source.addEventListener("problem", (e) => {
    const p = document.getElementById("problem");
    p.textContent = JSON.parse(e.data).text;
    p.hidden = p.textContent === "";
  });
  source.addEventListener("error", () => {
    away.hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
  });
}

logIn();
window.addEventListener("hashchange", logIn);
document.addEventListener("keydown", key);
if (cards) {
  document.addEventListener("submit", submitted);
  listen();
  tick();
  setInterval(tick, 1000);
}
