// The page: who is speaking, the conversation as it comes in, and the composer.
import { backTo, buildCard, carryOver, el, whereIn } from "/static/card.js";
import { buildChart } from "/static/chart.js";
import { address, belongsTo, conversations, fetchConversations, isOwn, latestOwn } from "/static/conversations.js";
import { drafts, forgetDrafts } from "/static/drafts.js";
import { fault } from "/static/faults.js";
import { files } from "/static/files.js";
import { inbox } from "/static/inbox.js";
import { keys } from "/static/keys.js";
import { link } from "/static/link.js";
import { past } from "/static/past.js";
import { hueOf, initial, showPeople } from "/static/people.js";
import { texts } from "/static/texts.js";

const MAX_TEXT = 8000;
const MAX_INPUT_PX = 180;
const TYPING_MS = 8000;
const SEEN_MS = 500;
const LOST_MS = 1500;
const $ = (id) => document.getElementById(id);
const scroll = $("scroll"), log = $("log"), input = $("text"), trouble = $("trouble");

const stored = localStorage.getItem("signoff.lang");
let lang = stored ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
let people = [];
let person = null;
let room = new URLSearchParams(location.search).get("room") ?? "";
let chooses = false;
let anchor = null; // older messages go before it, newer ones at the end
let seenTimer = 0;
let lostTimer = 0;
let lastSeq = "0";
let typingTimer = 0;
let settled = -1;
const shown = new Map(); // message id -> { node, card: JSON text of the card it shows }
const missed = new Map(); // id of a message further up -> what it was changed to meanwhile
const unanswered = new Map(); // what was sent without an answer -> its update id, kept for the retry

// ---- talking to the server

async function post(path, body, id, keepalive = false) {
  try {
    const response = await fetch(path, {
      method: "POST",
      keepalive,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ room, person: person.id, id, ...body }),
    });
    const wait = Number(response.headers.get("Retry-After"));
    const data = await response.json().catch(() => ({}));
    if (response.status === 401) ended();
    return { status: response.status, wait, data };
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
  const query = new URLSearchParams({ room, person: person.id, after: lastSeq });
  const source = new EventSource(`/chat/events?${query}`);
  source.onopen = () => {
    clearTimeout(lostTimer);
    lostTimer = 0;
    linked(true);
  };
  source.onmessage = (event) => {
    lastSeq = event.lastEventId || lastSeq;
    take(JSON.parse(event.data));
  };
  source.onerror = () => {
    // Counted from the first failure: the browser tries again and fails many times.
    lostTimer ||= setTimeout(() => linked(false), LOST_MS);
    if (source.readyState === EventSource.CLOSED) setTimeout(followAgain, 2000);
  };
}

// Who is signed in no more is told so, and keeps what they typed.
async function followAgain() {
  try {
    if ((await fetch("/chat/people")).status === 401) return ended();
  } catch {
    // The server is away: the next try tells.
  }
  follow();
}

function ended() {
  complain(texts(lang).ended);
  $("sign-in").hidden = false;
}

// ---- the conversation

function take(entry) {
  if (entry.op === "post" || entry.op === "edit") waiting.later();
  if (entry.op === "edit" && !shown.has(entry.id) && older.more()) return missed.set(entry.id, entry.view);
  if (entry.op === "post" || entry.op === "said") saw();
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

// A page of what was said before.
function showPage(messages, early) {
  anchor = early ? log.firstElementChild : null;
  for (const entry of messages) {
    if (entry.op === "said") showSaid(entry);
    else if (!shown.has(entry.id)) showMessage(entry.id, missed.get(entry.id) ?? entry.view);
  }
  anchor = null;
  if (!early) showLatest();
}

// What is in sight was seen.
function saw() {
  clearTimeout(seenTimer);
  seenTimer = setTimeout(sawNow, SEEN_MS);
}

async function sawNow() {
  clearTimeout(seenTimer);
  seenTimer = 0;
  if (document.visibilityState !== "visible") return;
  await post("/chat/seen", {}, undefined, true);
  listed.later();
}

function place(id, node) {
  const old = shown.get(id)?.node;
  if (old) old.replaceWith(node);
  else log.insertBefore(node, anchor);
  $("empty").hidden = true;
}

function showSaid({ id, person: who, name, text, files: sent = [] }) {
  const key = `said:${who}:${id}`;
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
    const place = hadFocus ? whereIn() : null;
    const before = body.querySelector(":scope > .card");
    before?.remove();
    if (view.card) body.append(buildCard(view.card, view.lang, act));
    if (before && view.card) carryOver(before, body.querySelector(":scope > .card"));
    // Who tapped too late keeps reading why, next to the outcome; who changed an open card, what.
    if (view.card && notice?.matches(view.card.outcome ? ".no" : ".ok")) {
      const { className, textContent } = notice;
      Object.assign(body.querySelector(":scope > .card > .notice"), { className, textContent });
    }
    if (place) backTo(body.querySelector(":scope > .card"), place);
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

const hue = (id) => hueOf(people, id);

function pick(chosen) {
  // Nobody stays in a conversation of somebody else.
  if (room && isOwn(room) && !belongsTo(room, chosen)) {
    localStorage.setItem("signoff.person", chosen.id);
    return location.assign("/");
  }
  if (person && person.id !== chosen.id) attached.clear();
  if (person?.id !== chosen.id) waiting.clear();
  person = chosen;
  localStorage.setItem("signoff.person", chosen.id);
  for (const node of log.querySelectorAll(".said")) {
    node.classList.toggle("mine", node.dataset.person === chosen.id);
  }
  input.placeholder = texts(lang).placeholder.replace("{name}", chosen.name);
  if (room && !input.value) input.value = draft.kept();
  grow();
  listed.speak();
}

function speak() {
  const t = texts(lang);
  document.documentElement.lang = lang;
  document.querySelectorAll("[data-text]").forEach((node) => { node.textContent = t[node.dataset.text]; });
  document.querySelectorAll("[data-label]").forEach((node) => node.setAttribute("aria-label", t[node.dataset.label]));
  $("lang").textContent = t.toggle;
  $("lang").setAttribute("aria-label", t.toggleLabel);
  showPeople({ people, person, lang, pick });
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
  $("troubled").hidden = !text;
  $("sign-in").hidden = true;
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
  const answer = await act("/chat/messages", sent.length ? { text, files: sent } : { text });
  input.readOnly = false;
  if (answer.status === 202) {
    input.value = "";
    draft.keep("");
    attached.clear();
    showSaid({ id: answer.id, person: who.id, name: who.name, text, files: sent.map((file) => file.name) });
    showLatest();
    listed.later();
  } else if (answer.status !== 401) complain(fault(t, answer));
  grow();
  input.focus();
}

$("composer").addEventListener("submit", say);
input.addEventListener("input", () => { grow(); draft.keep(input.value); });
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

const linked = link(() => lang);
const draft = drafts(() => `${person?.id}.${room}`);
const attached = files({ here: () => room, who: () => person, language: () => lang, changed: () => grow(), complain });
const waiting = inbox({ me: () => person, act, language: () => lang, ended });
const listed = conversations({ me: () => person, here: () => room, language: () => lang, chooses: () => chooses, ended });
const older = past({ ask: () => ({ room, person: person.id }), show: showPage, failed: notRead });
keys(input);
addEventListener("visibilitychange", () => room && person && saw());
addEventListener("pagehide", () => { if (seenTimer) sawNow(); });
$("sign-in").addEventListener("click", () => location.reload());
$("leave").addEventListener("click", async () => {
  await fetch("/chat/logout", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: "{}",
  });
  forgetDrafts();
  location.reload();
});

function notRead(status, wait = 0) {
  if (status === 401) ended();
  else if (status === 0 || status >= 500) linked(false);
  else if (status === 200) linked(true);
  else complain(fault(texts(lang), { status, wait }));
}

// ---- the beginning

async function whoIsThere() {
  for (;;) {
    try {
      const response = await fetch("/chat/people");
      if (response.status === 401) return ended();
      if (response.ok) return await response.json();
    } catch {
      // Asked again below.
    }
    linked(false);
    await new Promise((go) => { setTimeout(go, 2000); });
  }
}

async function begin() {
  const there = await whoIsThere();
  if (!there) return;
  ({ people, chooses } = there);
  $("leave").hidden = !there.leaves;
  attached.allow(there.files_mb, there.files_types);
  const last = localStorage.getItem("signoff.person");
  const owner = isOwn(room) ? people.find((p) => belongsTo(room, p)) : null;
  const me = owner ?? people.find((p) => p.id === last) ?? people[0];
  if (!me) return;
  if (isOwn(room) && !owner) return noSuchRoom(me);
  // Where people sign in, what they say is theirs unless they go elsewhere.
  if (!room) room = chooses ? "main" : await latestOwn(me, fetchConversations).catch(() => "main");
  if (!new URLSearchParams(location.search).has("room")) history.replaceState(null, "", address(room));
  pick(me);
  showPeople({ people, person, lang, pick });
  const seq = await older.newest();
  if (seq === null) return;
  lastSeq = seq;
  $("empty").hidden = shown.size > 0;
  saw();
  follow();
  if (!matchMedia("(pointer: coarse)").matches && document.activeElement === document.body) input.focus();
}

function noSuchRoom(me) {
  room = "";
  person = me;
  listed.speak();
  complain(texts(lang).noSuchRoom);
  input.disabled = true;
}

speak();
grow();
await begin();
