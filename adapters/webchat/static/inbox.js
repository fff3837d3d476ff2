// The panels of whoever is speaking: what waits for them, and what they asked for; with buttons that work here.
import { backTo, buildCard, carryOver, whereIn } from "/static/card.js";
import { ask } from "/static/requests.js";
import { texts } from "/static/texts.js";

const EVERY_MS = 20_000;
const AGAIN_MS = 3000;
const SOON_MS = 400;
const $ = (id) => document.getElementById(id);

// `me()` is who is speaking, `act` posts as card.js wants it, `language()` is the page's; `ended()` is
// told that nobody is signed in any more.
export function inbox(page) {
  const said = { nothing: "nothingWaits", more: "moreWait" };
  const opener = $("waiting"), count = $("count");
  return panel({ ...page, name: "inbox", path: "/chat/inbox", opener, said, counted: (cards, more) => {
    count.textContent = more ? `${cards.length}+` : cards.length;
    count.hidden = !cards.length;
    opener.setAttribute("aria-label", `${texts(page.language()).waiting}: ${count.textContent}`);
  } });
}

export function mine(page) {
  const said = { nothing: "askedNothing", more: "moreMine" };
  return panel({ ...page, name: "mine", path: "/chat/mine", opener: $("own"), said, asleep: true });
}

// One that is `asleep` while it is closed asks for nothing then.
function panel({ me, act, language, ended, name, path, opener, said, counted = () => {}, asleep = false }) {
  const dialog = $(name), list = $(`${name}-list`), told = $(`${name}-told`);
  const shown = new Map(); // token -> { node, json }
  let soon = 0, asked = 0;

  async function fetchCards() {
    const number = ++asked;
    const person = me();
    if (!person || (asleep && !dialog.open)) return;
    const { status, data } = await ask(path, { query: { person: person.id, lang: language() } });
    if (number !== asked || me()?.id !== person.id) return;
    if (status === 401) ended();
    else if (status === 200) show(data);
    else {
      told.textContent = texts(language()).listFailed;
      if (dialog.open) later(AGAIN_MS);
    }
  }

  function show({ cards, more }) {
    const t = texts(language());
    counted(cards, more);
    told.textContent = cards.length ? "" : t[said.nothing];
    const now = new Set(cards.map((card) => card.token));
    for (const [token, { node }] of shown) {
      if (now.has(token)) continue;
      // Who has just decided keeps reading what came of it.
      if (node.querySelector(".notice").textContent && dialog.open) settle(node);
      else node.remove();
      shown.delete(token);
    }
    for (const card of cards) place(card);
    if (more) told.textContent = t[said.more];
  }

  function settle(node) {
    const held = node.contains(document.activeElement);
    node.querySelectorAll("form, .buttons, .extra").forEach((part) => part.remove());
    if (held) node.focus({ preventScroll: true });
  }

  function place(card) {
    const json = JSON.stringify(card), old = shown.get(card.token);
    if (old?.json === json) return;
    const node = buildCard(card, card.lang, async (path, body) => {
      const answer = await act(path, body);
      later();
      return answer;
    });
    if (old) {
      const place = old.node.contains(document.activeElement) ? whereIn() : null;
      carryOver(old.node, node);
      old.node.replaceWith(node);
      if (place) backTo(node, place);
    } else list.append(node);
    shown.set(card.token, { node, json });
  }

  // Soon, and once for many reasons.
  function later(ms = SOON_MS) {
    clearTimeout(soon);
    soon = setTimeout(fetchCards, ms);
  }

  function clear() {
    shown.clear();
    list.replaceChildren();
    counted([], false);
    later();
  }

  opener.addEventListener("click", () => {
    list.replaceChildren();
    shown.clear();
    dialog.showModal();
    fetchCards();
  });
  $(`${name}-close`).addEventListener("click", () => dialog.close());
  // A click beside the panel closes it, as Escape does.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  setInterval(fetchCards, EVERY_MS);
  return { later, clear };
}
