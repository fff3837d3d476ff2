// The page: who is speaking, the conversation as it comes in, and the composer.
import { el } from "/static/card.js";
import { address, belongsTo, conversations, isOwn, latestOwn } from "/static/conversations.js";
import { drafts, forgetDrafts } from "/static/drafts.js";
import { fault } from "/static/faults.js";
import { files } from "/static/files.js";
import { inbox, mine } from "/static/inbox.js";
import { keys } from "/static/keys.js";
import { link } from "/static/link.js";
import { fillBody } from "/static/message.js";
import { past } from "/static/past.js";
import { hueOf, initial, showExamples, showPeople } from "/static/people.js";
import { ask, forgetUnanswered, unanswered } from "/static/requests.js";
import { follow } from "/static/stream.js";
import { following, readerLanguage, texts } from "/static/texts.js";

const MAX_TEXT = 8000;
const MAX_INPUT_PX = 180;
const TYPING_MS = 8000;
const SEEN_MS = 500;
const $ = (id) => document.getElementById(id);
const scroll = $("scroll"), log = $("log"), input = $("text"), trouble = $("trouble");

let lang = readerLanguage();
let people = [];
let person = null;
let room = new URLSearchParams(location.search).get("room") ?? "";
let chooses = false;
let anchor = null; // older messages go before it, newer ones at the end
let seenTimer = 0;
let leave = null; // ends what comes in
let isBegun = false;
let lastSeq = "0";
let typingTimer = 0;
let settled = -1;
const shown = new Map(); // message id -> { node, card: JSON text of the card it shows }
const missed = new Map(); // id of a message further up -> what it was changed to meanwhile

// ---- talking to the server

async function post(path, body, id, keepalive = false) {
  const answer = await ask(path, { body: { room, person: person.id, id, ...body }, keepalive });
  if (answer.status === 401) ended();
  return answer;
}

// The same thing sent again after an answer was lost goes under the same id, and so counts once.
async function act(path, body) {
  const kept = path === "/chat/messages" ? sent : tapped;
  const id = kept.begin(JSON.stringify([path, body]));
  const answer = await post(path, body, id);
  if (answer.status !== 0 && answer.status < 500) kept.end(id);
  return { ...answer, id };
}

// What comes in from now on, until the page is left or put aside.
function listen() {
  stopListening();
  leave = follow({ room, person: person.id, after: lastSeq }, hear);
}

function stopListening() {
  leave?.();
  leave = null;
}

function hear({ entry, after, lost, ended: isOver }) {
  // It may be told here before it is answered to who deleted it, and in every other tab.
  if (entry?.op === "deleted") {
    draft.keep("");
    return location.replace("/");
  }
  if (isOver) ended();
  if (lost !== undefined) linked(!lost);
  if (!entry) return;
  lastSeq = after;
  take(entry);
}

function ended() {
  complain(texts(lang).ended);
  $("sign-in").hidden = false;
}

// ---- the conversation

function take(entry) {
  if (entry.op === "post" || entry.op === "edit") [waiting, own].forEach((panel) => panel.later());
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

function showSaid({ id, person: who, name, text, files: added = [] }) {
  const key = `said:${who}:${id}`;
  if (who === person?.id && sent.end(id)) sayTaken(text);
  if (shown.has(key)) return;
  const node = el("article", { class: "said", "data-person": who },
    el("span", { class: "avatar", "data-hue": hue(who), "aria-hidden": "true", text: initial(name) }),
    el("div", { class: "bubble" }, el("strong", { class: "who", text: name }), text ? el("p", { text }) : null,
      added.length ? el("span", { class: "names", text: added.join(" · ") }) : null));
  node.classList.toggle("mine", who === person?.id);
  place(key, node);
  shown.set(key, { node });
}

function showMessage(id, view) {
  const old = shown.get(id);
  const card = JSON.stringify([view.card, view.lang]);
  const body = old?.node.querySelector(".body") ?? el("div", { class: "body" });
  fillBody(body, view, act, Boolean(old && old.card === card));
  if (old) {
    old.card = card;
    return;
  }
  const node = el("article", { class: "reply", lang: view.lang },
    el("img", { class: "mark", src: "/static/icon.svg", alt: "Signoff", width: 28, height: 28 }), body);
  place(id, node);
  shown.set(id, { node, card });
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
  if (person?.id !== chosen.id) [waiting, own].forEach((panel) => panel.clear());
  person = chosen;
  localStorage.setItem("signoff.person", chosen.id);
  for (const node of log.querySelectorAll(".said")) {
    node.classList.toggle("mine", node.dataset.person === chosen.id);
  }
  input.placeholder = texts(lang).placeholder.replace("{name}", chosen.name);
  showExamples({ person, lang, suggest });
  if (room && !input.value) input.value = draft.kept();
  grow();
  listed.speak();
}

function speak() {
  const t = texts(lang);
  document.documentElement.lang = lang;
  document.querySelectorAll("[data-text]").forEach((node) => { node.textContent = t[node.dataset.text]; });
  document.querySelectorAll("[data-label]").forEach((node) => node.setAttribute("aria-label", t[node.dataset.label]));
  document.querySelectorAll("[data-placeholder]").forEach((node) => { node.placeholder = t[node.dataset.placeholder]; });
  const next = texts(following(lang));
  $("lang").textContent = next.own;
  $("lang").setAttribute("aria-label", next.switchTo);
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

function complain(text, mayRepeat = false) {
  trouble.textContent = text;
  $("troubled").hidden = !text;
  $("sign-in").hidden = true;
  $("again").hidden = !mayRepeat;
}

async function say(event) {
  event.preventDefault();
  const t = texts(lang), text = input.value.trim();
  const added = attached.ready();
  if (!(text || added.length) || !person || input.readOnly) return;
  if (attached.busy()) return complain(t.stillSending);
  if ([...text].length > MAX_TEXT) return complain(t.tooLong);
  complain("");
  const who = person;
  input.readOnly = $("send").disabled = true;
  const answer = await act("/chat/messages", added.length ? { text, files: added } : { text });
  input.readOnly = false;
  // It may have come back as said before the answer was lost.
  if (answer.status === 202 || shown.has(`said:${who.id}:${answer.id}`)) {
    input.value = "";
    draft.keep("");
    attached.clear();
    showSaid({ id: answer.id, person: who.id, name: who.name, text, files: added.map((file) => file.name) });
    showLatest();
    listed.later();
  } else if (answer.status !== 401) {
    const mayRepeat = answer.status === 0 || answer.status >= 500;
    complain(fault(t, mayRepeat ? { ...answer, data: {} } : answer), mayRepeat);
  }
  grow();
  input.focus();
}

// What got no answer was taken after all: it is not sent again.
function sayTaken(text) {
  if (input.readOnly) return;
  complain("");
  if (input.value.trim() !== text) return;
  input.value = "";
  draft.keep("");
  attached.clear();
}

$("composer").addEventListener("submit", say);
$("again").addEventListener("click", () => $("composer").requestSubmit());
input.addEventListener("input", () => { grow(); draft.keep(input.value); });
addEventListener("resize", grow);
input.addEventListener("keydown", (event) => {
  // While an input method composes, Enter picks a candidate.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  $("composer").requestSubmit();
});
function suggest(text) {
  input.value = text;
  grow();
  input.focus();
}
$("lang").addEventListener("click", () => {
  lang = following(lang);
  localStorage.setItem("signoff.lang", lang);
  speak();
});

const linked = link(() => lang);
const draft = drafts(() => `${person?.id}.${room}`);
const sent = unanswered(() => `${person?.id}.${room}`, localStorage);
const tapped = unanswered(() => `${person?.id}.${room}`, sessionStorage);
const attached = files({ here: () => room, who: () => person, language: () => lang, changed: () => grow(), complain });
const waiting = inbox({ me: () => person, act, language: () => lang, ended });
const own = mine({ me: () => person, act, language: () => lang, ended });
const listed = conversations({ me: () => person, here: () => room, language: () => lang, chooses: () => chooses, ended });
const older = past({ where: () => ({ room, person: person.id }), show: showPage, failed: notRead, language: () => lang });
keys(input);
addEventListener("visibilitychange", () => room && person && saw());
// A page that is put aside, to come back to, leaves its connections to those that are looked at.
addEventListener("pagehide", () => {
  if (seenTimer) sawNow();
  stopListening();
});
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted || !isBegun) return;
  listen();
  saw();
  listed.later();
  waiting.later();
});
$("sign-in").addEventListener("click", () => location.reload());
$("leave").addEventListener("click", async () => {
  const answer = await ask("/chat/logout", { body: {} });
  if (answer.status !== 200) return complain(fault(texts(lang), answer));
  forgetDrafts();
  forgetUnanswered();
  location.reload();
});

function notRead(status, wait = 0, data = {}) {
  if (status === 401) ended();
  else if (status === 0 || status >= 500) linked(false);
  else if (status === 200) linked(true);
  else complain(fault(texts(lang), { status, wait, data }));
}

// ---- the beginning

async function whoIsThere() {
  for (;;) {
    const { status, data } = await ask("/chat/people");
    if (status === 401) return ended();
    if (status === 200) return data;
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
  if (!room) room = chooses ? "main" : await latestOwn(me);
  if (!new URLSearchParams(location.search).has("room")) history.replaceState(null, "", address(room));
  pick(me);
  showPeople({ people, person, lang, pick });
  const seq = await older.newest();
  if (seq === null) return;
  lastSeq = seq;
  $("empty").hidden = shown.size > 0;
  saw();
  isBegun = true;
  listen();
  if (there.panel) (await import(there.panel)).panel({ here: () => room, me: () => person });
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
