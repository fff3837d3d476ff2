// The list of a person's conversations: each has an address of its own, so going there is a link.
import { el } from "/static/card.js";
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

// `fetchPage(before)` asks the server; the first of a person's own, or a fresh one.
export async function latestOwn(person, fetchPage) {
  const { data } = await fetchPage(person, "");
  return data.conversations?.find((one) => !one.shared)?.room ?? freshRoom(person);
}

export async function fetchConversations(person, before) {
  const query = new URLSearchParams(before ? { person: person.id, before } : { person: person.id });
  const response = await fetch(`/chat/conversations?${query}`);
  return { status: response.status, data: await response.json() };
}

// `me()` is who is speaking, `here()` the room, `ended()` is told that nobody is signed in any more.
export function conversations({ me, here, language, chooses, ended }) {
  const list = $("list"), pinned = $("pinned"), more = $("list-more"), side = $("side");
  let pages = 1, soon = 0, asked = 0, current = "", whose = "";

  async function refresh() {
    const number = ++asked, person = me();
    if (!person) return;
    try {
      let found = [], before = "", first = null;
      for (let page = 0; page < pages; page += 1) {
        const { status, data } = await fetchConversations(person, before);
        if (status === 401) return ended();
        if (status !== 200) return;
        first ??= data;
        found = found.concat(data.conversations);
        before = data.more;
        if (!before) break;
      }
      if (number === asked && me()?.id === person.id) show(first.pinned, found, before);
    } catch {
      // The next look may succeed.
    }
  }

  function show(fixed, found, before) {
    const t = texts(language()), room = here();
    const known = [...fixed, ...found].find((one) => one.room === room);
    const now = known || !room ? [] : [{ room, title: "", shared: !isOwn(room), at_ms: 0, unread: false }];
    const kept = fixed.filter((one) => one.room === room || one.unread || !one.empty
      || (one.shared && chooses()));
    fill(pinned, kept, t);
    fill(list, [...now, ...found], t);
    more.hidden = !before;
    const unread = [...fixed, ...found].filter((one) => one.unread && one.room !== room).length;
    $("unread").textContent = unread;
    $("unread").hidden = !unread;
    current = known?.title ?? "";
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
        one.at_ms ? el("time", { datetime: new Date(one.at_ms).toISOString(), text: when(one.at_ms) }) : null),
      one.unread && one.room !== here() ? el("span", { class: "unread" }, el("span", { class: "sr", text: t.unread })) : null);
    return el("li", {}, link);
  }

  function titleOf(one, t) {
    if (one.room === "main") return t.sharedRoom;
    if (one.room === me()?.home) return t.home;
    return one.title ? (one.shared ? `${one.room}: ${one.title}` : one.title) : one.shared ? one.room : t.newOne;
  }

  function when(ms) {
    const then = new Date(ms), today = new Date().toDateString() === then.toDateString();
    const shape = today ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : { month: "short", day: "numeric" };
    return new Intl.DateTimeFormat(language() === "zh" ? "zh-CN" : "en-GB", shape).format(then);
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
    const links = [...side.querySelectorAll("a, button:not([hidden])")];
    const at = links.indexOf(document.activeElement);
    links[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
    return event.preventDefault();
  });
  $("veil").addEventListener("click", close);
  more.addEventListener("click", () => { pages += 1; refresh(); });
  // A click on "new" leads to another fresh room each time.
  $("new").addEventListener("click", () => { $("new").href = address(freshRoom(me())); });
  setInterval(() => document.visibilityState === "visible" && refresh(), EVERY_MS);
  return { later, speak, refresh };
}
