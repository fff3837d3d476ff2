// The list of a person's conversations: each has an address of its own, so going there is a link.
import { el } from "/static/card.js";
import { clockOf } from "/static/clock.js";
import { managing } from "/static/manage.js";
import { ask } from "/static/requests.js";
import { texts } from "/static/texts.js";

const EVERY_MS = 20_000;
const SOON_MS = 500;
const NAME_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const $ = (id) => document.getElementById(id);

export const address = (room) => `/?${new URLSearchParams({ room })}`;

// The name of a room that nobody has been in: a person's own, which the server tells by its beginning.
export function freshRoom(person) {
  const bytes = crypto.getRandomValues(new Uint8Array(14));
  return person.rooms + [...bytes].map((byte) => NAME_LETTERS[byte % NAME_LETTERS.length]).join("");
}

export const isOwn = (room) => /^(my-[0-9a-f]{12}-|home-[0-9a-f]{12}$)/.test(room);
export const belongsTo = (room, person) => room.startsWith(person.rooms) || room === person.home;

// The first of a person's own, or a fresh one; where nobody answers, the room that all share.
export async function latestOwn(person) {
  const { status, data } = await ask("/chat/conversations", { query: { person: person.id } });
  if (status !== 200) return "main";
  return data.conversations.find((one) => !one.shared)?.room ?? freshRoom(person);
}

// `me()` is who is speaking, `here()` the room, `ended()` is told that nobody is signed in any more.
export function conversations({ me, here, language, chooses, ended }) {
  const list = $("list"), pinned = $("pinned"), more = $("list-more"), side = $("side"), words = $("search");
  const manage = managing({ me, language, changed, ended });
  let pages = 1, soon = 0, asked = 0, current = "", whose = "";

  async function refresh() {
    const number = ++asked, person = me();
    if (!person) return;
    const wanted = words.value.trim();
    let found = [], before = "", first = null;
    for (let page = 0; page < pages; page += 1) {
      const query = { person: person.id, ...(wanted && { words: wanted }), ...(before && { before }) };
      const { status, data } = await ask("/chat/conversations", { query });
      if (number !== asked || me()?.id !== person.id) return;
      if (status === 401) return ended();
      if (status !== 200) return tell("listFailed", true);
      first ??= data;
      found = found.concat(data.conversations);
      before = data.more;
      if (!before) break;
    }
    tell(wanted && !found.length ? "noneFound" : "");
    show(first.pinned, found, before, wanted);
  }

  function tell(key, mayRepeat = false) {
    $("list-told").textContent = key && texts(language())[key];
    $("list-again").hidden = !mayRepeat;
  }

  // One was renamed or deleted; whoever is in what is gone goes elsewhere.
  function changed(room, isGone) {
    if (isGone && room === here()) return location.replace("/");
    return refresh();
  }

  function show(fixed, found, before, wanted) {
    const t = texts(language()), room = here();
    const known = [...fixed, ...found].find((one) => one.room === room);
    const now = known || !room || wanted ? [] : [{ room, title: "", shared: !isOwn(room), at_ms: 0, unread: false }];
    const kept = fixed.filter((one) => one.room === room || one.unread || !one.empty
      || (one.shared && chooses()));
    fill(pinned, wanted ? [] : kept, t);
    fill(list, [...now, ...found], t);
    more.hidden = !before;
    const unread = [...fixed, ...found].filter((one) => one.unread && one.room !== room).length;
    $("unread").textContent = unread;
    $("unread").hidden = !unread;
    if (known || !wanted) current = known?.title ?? "";
    tellWhere(t);
  }

  function fill(into, ones, t) {
    const held = into.contains(document.activeElement) ? document.activeElement.getAttribute("href") : "";
    into.replaceChildren(...ones.map((one) => item(one, t)));
    if (held) into.querySelector(`a[href="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }

  function item(one, t) {
    const link = el("a", { href: address(one.room), "aria-current": one.room === here() ? "page" : "" },
      el("span", { class: "about" }, el("span", { class: "title", text: titleOf(one, t) }),
        one.at_ms ? el("time", { datetime: new Date(one.at_ms).toISOString(), text: clockOf(one.at_ms, language()) }) : null),
      one.unread && one.room !== here() ? el("span", { class: "unread" }, el("span", { class: "sr", text: t.unread })) : null);
    // The fixed ones have no title of their own, and what nobody spoke in is not in the list yet.
    return el("li", {}, link, one.at_ms ? manage.button(one, titleOf(one, t)) : null);
  }

  function titleOf(one, t) {
    if (one.room === "main") return t.sharedRoom;
    if (one.room === me()?.home) return t.home;
    return one.title ? (one.shared ? `${one.room}: ${one.title}` : one.title) : one.shared ? one.room : t.newOne;
  }

  // Who reads what is said here, and what it is about.
  function tellWhere(t = texts(language())) {
    const room = here();
    const title = titleOf({ room, title: current, shared: !isOwn(room) }, t);
    $("where").textContent = title;
    $("reach").textContent = isOwn(room) ? t.ownReach : t.sharedReach;
    $("reach").classList.toggle("own", isOwn(room));
    document.title = `${title} · Signoff`;
  }

  function speak() {
    if (whose !== me()?.id) {
      whose = me()?.id;
      pages = 1;
      words.value = "";
      list.replaceChildren();
      pinned.replaceChildren();
      $("unread").hidden = true;
    }
    $("new").href = me() ? address(freshRoom(me())) : "/";
    if (here()) tellWhere();
    later();
  }

  function later() {
    clearTimeout(soon);
    soon = setTimeout(refresh, SOON_MS);
  }

  function open(shown) {
    document.body.classList.toggle("listing", shown);
    $("menu").setAttribute("aria-expanded", String(shown));
    if (shown) (side.querySelector("[aria-current]") ?? $("new")).focus();
  }

  function close() {
    if (!document.body.classList.contains("listing")) return;
    open(false);
    $("menu").focus();
  }

  $("menu").addEventListener("click", () => open(!document.body.classList.contains("listing")));
  side.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return undefined;
    const links = [...side.querySelectorAll("a, input, .side > button:not([hidden])")];
    const at = links.indexOf(document.activeElement);
    links[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
    return event.preventDefault();
  });
  $("veil").addEventListener("click", close);
  more.addEventListener("click", () => { pages += 1; refresh(); });
  words.addEventListener("input", () => { pages = 1; later(); });
  $("list-again").addEventListener("click", refresh);
  // A click on "new" leads to another fresh room each time.
  $("new").addEventListener("click", () => { $("new").href = address(freshRoom(me())); });
  setInterval(() => document.visibilityState === "visible" && refresh(), EVERY_MS);
  return { later, speak, refresh };
}
