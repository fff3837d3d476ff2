// The page: who is speaking, the conversation as it comes in, and the composer.
import { buildCard, carryOver, el } from "/static/card.js";
import { buildChart } from "/static/chart.js";
import { files } from "/static/files.js";
import { inbox } from "/static/inbox.js";
import { texts } from "/static/texts.js";

const MAX_TEXT = 8000;
const MAX_INPUT_PX = 180;
const TYPING_MS = 8000;
const room = new URLSearchParams(location.search).get("room") ?? "main";
const $ = (id) => document.getElementById(id);
const scroll = $("scroll"), log = $("log"), input = $("text"), trouble = $("trouble");

const stored = localStorage.getItem("signoff.lang");
let lang = stored ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
let people = [];
let person = null;
let lastSeq = "0";
let typingTimer = 0;
let settled = -1;
const shown = new Map(); // message id -> { node, card: JSON text of the card it shows }
const unanswered = new Map(); // what was sent without an answer -> its update id, kept for the retry

// ---- talking to the server

async function post(path, body, id) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ room, person: person.id, id, ...body }),
    });
    return { status: response.status, data: await response.json() };
  } catch {
    return { status: 0, data: {} };
  }
}

// The same thing sent again after an answer was lost goes under the same id, and so counts once.
async function act(path, body) {
  const what = JSON.stringify([path, person.id, body]);
  const id = unanswered.get(what) ?? crypto.randomUUID();
  unanswered.set(what, id);
  const answer = await post(path, body, id);
  if (answer.status !== 0 && answer.status < 500) unanswered.delete(what);
  return { ...answer, id };
}

function follow() {
  const query = new URLSearchParams({ room, after: lastSeq });
  const source = new EventSource(`/chat/events?${query}`);
  let slow = 0;
  source.onopen = () => {
    clearTimeout(slow);
    $("link").textContent = "";
    setTimeout(() => { $("empty").hidden = shown.size > 0; }, 400);
  };
  source.onmessage = (event) => {
    lastSeq = event.lastEventId || lastSeq;
    take(JSON.parse(event.data));
  };
  source.onerror = () => {
    clearTimeout(slow);
    slow = setTimeout(() => { $("link").textContent = texts(lang).reconnecting; }, 3000);
    if (source.readyState === EventSource.CLOSED) setTimeout(followAgain, 2000);
  };
}

// Who is signed in no more is shown how to sign in.
async function followAgain() {
  try {
    if ((await fetch("/chat/people")).status === 401) return location.reload();
  } catch {
    // The server is away: the next try tells.
  }
  follow();
}

// ---- the conversation

function take(entry) {
  if (entry.op === "post" || entry.op === "edit") waiting.later();
  const nearEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
  const pinned = nearEnd || scroll.scrollTop === settled; // settled: nobody scrolled since we did
  if (entry.op === "said") showSaid(entry);
  else if (entry.op === "post" || entry.op === "edit") showMessage(entry.id, entry.view);
  else if (entry.op === "draft" && shown.get(entry.id)?.node.querySelector(".is-working")) {
    showMessage(entry.id, entry.view); // an answer in the making, until the whole takes its place
  }
  if (entry.op === "typing") showTyping(true);
  else if (entry.op === "post") showTyping(false);
  if (pinned) showLatest();
}

// To the end, but never past the beginning of the last message.
function showLatest() {
  const last = log.lastElementChild;
  const top = last ? last.getBoundingClientRect().top - log.getBoundingClientRect().top : 0;
  scroll.scrollTop = Math.min(scroll.scrollHeight - scroll.clientHeight, top + 8);
  settled = scroll.scrollTop;
}

function place(id, node) {
  const before = shown.get(id)?.node;
  if (before) before.replaceWith(node);
  else log.append(node);
  $("empty").hidden = true;
}

function showSaid({ id, person: who, name, text, files: sent = [] }) {
  const key = `said:${id}`;
  if (shown.has(key)) return;
  const node = el("article", { class: "said", "data-person": who },
    el("span", { class: "avatar", "data-hue": hue(who), "aria-hidden": "true", text: initial(name) }),
    el("div", { class: "bubble" }, el("strong", { class: "who", text: name }), text ? el("p", { text }) : null,
      sent.length ? el("span", { class: "names", text: sent.join(" · ") }) : null));
  node.classList.toggle("mine", who === person?.id);
  place(key, node);
  shown.set(key, { node });
}

function showMessage(id, view) {
  const old = shown.get(id);
  const card = JSON.stringify([view.card, view.lang]);
  // An unchanged card keeps its place in the page, so that what is being typed in it stays.
  const kept = old && old.card === card ? old.node.querySelector(".card") : null;
  const hadFocus = Boolean(old?.node.querySelector(".card")?.contains(document.activeElement));
  const body = old?.node.querySelector(".body") ?? el("div", { class: "body" });
  // Its parts say in words what a chart shows, for platforms without pictures.
  const parts = view.chart ? [el("section", { class: "part" }, buildChart(view.chart))]
    : view.parts.map((part) => buildPart(part, view.lang));
  body.querySelectorAll(":scope > .part").forEach((part) => part.remove());
  body.prepend(...parts);
  if (!kept) {
    const notice = body.querySelector(":scope > .card > .notice");
    const before = body.querySelector(":scope > .card");
    before?.remove();
    if (view.card) body.append(buildCard(view.card, view.lang, act));
    if (before && view.card) carryOver(before, body.querySelector(":scope > .card"));
    // Who tapped too late keeps reading why, next to the outcome; who changed an open card, what.
    if (view.card && notice?.matches(view.card.outcome ? ".no" : ".ok")) {
      const { className, textContent } = notice;
      Object.assign(body.querySelector(":scope > .card > .notice"), { className, textContent });
    }
    if (hadFocus) body.querySelector(".card")?.focus({ preventScroll: true });
  }
  if (old) {
    old.card = card;
    return;
  }
  const node = el("article", { class: "reply", lang: view.lang },
    el("img", { class: "mark", src: "/static/icon.svg", alt: "Signoff", width: 28, height: 28 }), body);
  place(id, node);
  shown.set(id, { node, card });
}

function buildPart(part, language) {
  const t = texts(language);
  const quiet = part.number === 0 && part.state === "answered" && !part.label;
  const head = quiet ? null : el("header", {},
    part.number ? el("span", { class: "number", text: part.number }) : null,
    part.label ? el("strong", { class: "label", text: part.label }) : null,
    el("span", { class: "state" }, el("i", { "aria-hidden": "true" }),
      el("span", { text: t.states[part.state] ?? part.state })));
  return el("section", { class: `part is-${part.state}`, "data-number": part.number },
    head, el("div", { class: "md", html: part.html }));
}

function showTyping(on) {
  clearTimeout(typingTimer);
  $("typing").hidden = !on;
  if (on) typingTimer = setTimeout(() => showTyping(false), TYPING_MS);
}

// ---- people and language

const initial = (name) => [...name.trim()][0]?.toUpperCase() ?? "?";
const hue = (id) => Math.max(0, people.findIndex((p) => p.id === id)) % 6;

function pick(chosen) {
  if (person && person.id !== chosen.id) attached.clear();
  if (person?.id !== chosen.id) waiting.clear();
  person = chosen;
  localStorage.setItem("signoff.person", chosen.id);
  for (const node of log.querySelectorAll(".said")) {
    node.classList.toggle("mine", node.dataset.person === chosen.id);
  }
  input.placeholder = texts(lang).placeholder.replace("{name}", chosen.name);
}

function showPeople() {
  $("people").querySelectorAll("label").forEach((node) => node.remove());
  for (const one of people) {
    const radio = el("input", { type: "radio", name: "person", value: one.id });
    radio.checked = one.id === person?.id;
    radio.addEventListener("change", () => pick(one));
    $("people").append(el("label", { class: "person" }, radio,
      el("span", { class: "avatar", "data-hue": hue(one.id), "aria-hidden": "true", text: initial(one.name) }),
      el("span", { class: "names" },
        el("strong", { text: one.name }), el("small", { text: one.role[lang] ?? one.role.en ?? "" }))));
  }
}

function speak() {
  const t = texts(lang);
  document.documentElement.lang = lang;
  document.querySelectorAll("[data-text]").forEach((node) => { node.textContent = t[node.dataset.text]; });
  $("lang").textContent = t.toggle;
  $("lang").setAttribute("aria-label", t.toggleLabel);
  showPeople();
  if (person) pick(person);
}

// ---- the composer

function grow() {
  // Through the style object: a style attribute would be against the page's policy.
  input.style.height = "auto";
  input.style.height = `${Math.min(input.scrollHeight, MAX_INPUT_PX)}px`;
  input.style.overflowY = input.scrollHeight > MAX_INPUT_PX ? "auto" : "hidden";
  $("send").disabled = attached.busy() || !(input.value.trim() || attached.ready().length);
}

function complain(text) {
  trouble.textContent = text;
  trouble.hidden = !text;
}

async function say(event) {
  event.preventDefault();
  const t = texts(lang), text = input.value.trim();
  const sent = attached.ready();
  if (!(text || sent.length) || !person || input.readOnly) return;
  if (attached.busy()) return complain(t.stillSending);
  if ([...text].length > MAX_TEXT) return complain(t.tooLong);
  complain("");
  const who = person;
  input.readOnly = $("send").disabled = true;
  const { status, data, id } = await act("/chat/messages", sent.length ? { text, files: sent } : { text });
  input.readOnly = false;
  if (status === 202) {
    input.value = "";
    attached.clear();
    showSaid({ id, person: who.id, name: who.name, text, files: sent.map((file) => file.name) });
    showLatest();
  } else complain(data.text ?? (status === 0 || status >= 500 ? t.notSent : t.refused));
  grow();
  input.focus();
}

$("composer").addEventListener("submit", say);
input.addEventListener("input", grow);
addEventListener("resize", grow);
input.addEventListener("keydown", (event) => {
  // While an input method composes, Enter picks a candidate.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  $("composer").requestSubmit();
});
document.querySelectorAll(".chip").forEach((chip) => chip.addEventListener("click", () => {
  input.value = chip.textContent;
  grow();
  input.focus();
}));
$("lang").addEventListener("click", () => {
  lang = lang === "zh" ? "en" : "zh";
  localStorage.setItem("signoff.lang", lang);
  speak();
});

const attached = files({ room, who: () => person, language: () => lang, changed: () => grow(), complain });
const waiting = inbox({ me: () => person, act, language: () => lang });
$("leave").addEventListener("click", async () => {
  await fetch("/chat/logout", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: "{}",
  });
  location.reload();
});

speak();
grow();
const there = await (await fetch("/chat/people")).json();
people = there.people;
$("leave").hidden = !there.leaves;
attached.allow(there.files_mb);
const last = localStorage.getItem("signoff.person");
if (people.length) pick(people.find((p) => p.id === last) ?? people[0]);
showPeople();
follow();
