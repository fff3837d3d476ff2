// The panel beside the conversation: how each message was read. Everything that it shows is text.
import { el } from "/static/card.js";
import { ask } from "/static/requests.js";

const OPEN = "signoff.dev.panel";
const AGAIN_MS = 2000;
const CLOSE = "Escape";
const ROOMY = "(min-width: 1181px)";

export function panel({ here, me }) {
  const style = el("link", { rel: "stylesheet", href: "/dev/panel.css" });
  const button = el("button", { class: "lang dev-open", type: "button", "aria-controls": "dev", "aria-expanded": "false" });
  const heading = el("h2", { id: "dev-head" });
  const close = el("button", { class: "lang", type: "button" });
  const problems = el("div", { class: "dev-problems", role: "alert", hidden: true });
  const told = el("p", { class: "sr", role: "status" });
  const empty = el("p", { class: "dev-empty" });
  const list = el("div", { class: "dev-list" });
  const aside = el("aside", { id: "dev", class: "dev", "aria-labelledby": "dev-head", tabindex: "-1", hidden: true },
    el("header", {}, heading, close), problems, told, empty, list);
  let page = null;
  let drawn = new Map(); // message id -> { node, shows: its JSON }
  let waiting = null; // ends the request under way
  let round = 0;

  const lang = () => document.documentElement.lang;
  const isOpen = () => !aside.hidden;

  // The newest stands first, and is open; what the reader opened or closed stays so.
  function draw() {
    const t = page.texts;
    button.textContent = heading.textContent = t.panel;
    close.textContent = t.close;
    empty.textContent = t.empty;
    empty.hidden = page.messages.length > 0;
    drawProblems(t);
    const kept = new Map();
    const newest = page.messages.at(-1)?.id;
    for (const message of page.messages) {
      const shows = JSON.stringify(message);
      const old = drawn.get(message.id);
      const node = old?.node ?? el("details", { class: "dev-message" });
      if (!old) node.open = message.id === newest;
      if (old?.shows !== shows) node.replaceChildren(...drawMessage(message));
      kept.set(message.id, { node, shows });
    }
    if (drawn.size && newest && !drawn.has(newest)) {
      const last = drawn.get([...drawn.keys()].at(-1));
      if (last && !last.node.contains(document.activeElement)) last.node.open = false;
      told.textContent = t.new.replace("{text}", page.messages.at(-1).text);
    }
    drawn = kept;
    const nodes = [...kept.values()].map(({ node }) => node).reverse();
    if (nodes.some((node, n) => list.children[n] !== node) || nodes.length !== list.children.length) {
      list.replaceChildren(...nodes);
    }
  }

  function drawProblems(t) {
    problems.hidden = page.problems.length === 0;
    const shows = JSON.stringify([t.problems, page.problems]);
    if (problems.dataset.shows === shows) return;
    problems.dataset.shows = shows;
    problems.replaceChildren(el("strong", { text: t.problems }),
      el("ul", {}, ...page.problems.map((text) => el("li", { text }))));
  }

  function drawMessage({ at, name, text, lines }) {
    const time = new Date(at).toLocaleTimeString(lang(), { hour: "2-digit", minute: "2-digit" });
    const groups = [];
    for (const line of lines) {
      if (line.tone === "head" || !groups.length) {
        groups.push(el("dl", {}));
        if (line.tone === "head") {
          groups.splice(-1, 0, el("h3", { text: `${line.label}. ${line.text}` }));
          continue;
        }
      }
      groups.at(-1).append(el("div", { class: `dev-${line.tone}` },
        el("dt", { text: line.label }), el("dd", { text: line.text })));
    }
    return [el("summary", {}, el("span", { class: "dev-who", text: `${time} · ${name}` }), el("span", { class: "dev-text", text })), ...groups];
  }

  // Asks again and again, answered as soon as something is new; once only to know the words.
  async function follow(mine) {
    while (mine === round) {
      const query = { room: here(), person: me()?.id ?? "", lang: lang() };
      if (isOpen() && page) query.after = page.version;
      waiting = new AbortController();
      const answer = await ask("/dev/messages", { query, signal: waiting.signal, patience: 30_000 });
      if (mine !== round) return;
      if (answer.status === 200) {
        page = answer.data;
        draw();
        if (!isOpen()) return;
      } else {
        if (page) told.textContent = page.texts.away;
        await new Promise((go) => { setTimeout(go, AGAIN_MS); });
      }
    }
  }

  function begin() {
    round += 1;
    waiting?.abort();
    page &&= { ...page, version: -1 };
    follow(round);
  }

  function show(open) {
    aside.hidden = !open;
    document.body.classList.toggle("with-dev", open);
    button.setAttribute("aria-expanded", String(open));
    begin();
  }

  function choose(open) {
    localStorage.setItem(OPEN, open ? "yes" : "no");
    show(open);
    (open ? aside : button).focus();
  }

  button.addEventListener("click", () => choose(!isOpen()));
  close.addEventListener("click", () => choose(false));
  aside.addEventListener("keydown", (event) => event.key === CLOSE && choose(false));
  new MutationObserver(begin).observe(document.documentElement, { attributeFilter: ["lang"] });
  addEventListener("pagehide", () => {
    round += 1;
    waiting?.abort();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && begin());

  document.head.append(style);
  document.getElementById("waiting").after(button);
  document.body.append(aside);
  // Open at first where there is room for it, then as the reader left it.
  const chosen = localStorage.getItem(OPEN);
  show(chosen ? chosen === "yes" : matchMedia(ROOMY).matches);
}
