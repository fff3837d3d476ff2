// Keeps a page that is open up to date: looks again when the service says that something is new,
// and every few seconds while it cannot say so. Without this script, a reload does the same.
const EVERY_MS = 3000;
const RARELY_MS = 30000;
const main = document.querySelector("main[data-live]");
const was = new Map();
let tag = "";
let failed = 0;
let waits = false;

const busy = (part) => {
  const at = document.activeElement;
  return part.contains(at) && at !== main && at.matches("input, select, textarea, button, summary");
};

const replaced = (part, fresh) => {
  for (const open of part.querySelectorAll("details[id][open]")) {
    const again = fresh.querySelector(`#${CSS.escape(open.id)}`);
    if (again) again.open = true;
  }
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const where = focused && (focused.id ? `#${CSS.escape(focused.id)}` : focused.getAttribute("href") && `a[href="${CSS.escape(focused.getAttribute("href"))}"]`);
  const scrolled = [...part.querySelectorAll(".graph, .table")].map((box) => [box.scrollLeft, box.scrollTop]);
  part.replaceWith(fresh);
  [...fresh.querySelectorAll(".graph, .table")].forEach((box, n) => scrolled[n] && box.scrollTo(...scrolled[n]));
  if (where) fresh.querySelector(where)?.focus({ preventScroll: true });
};

const shown = (text) => {
  const next = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  if (!next) return false;
  let kept = false;
  for (const part of main.querySelectorAll("[data-part]")) {
    const fresh = next.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
    if (fresh && fresh.innerHTML === was.get(part.dataset.part)) continue;
    if (!fresh) { part.hidden = true; continue; }
    if (busy(part)) { kept = true; continue; }
    was.set(part.dataset.part, fresh.innerHTML);
    replaced(part, fresh);
  }
  for (const fresh of next.querySelectorAll("[data-part]")) {
    if (!main.querySelector(`[data-part="${CSS.escape(fresh.dataset.part)}"]`)) main.append(fresh);
  }
  if (!("live" in next.dataset)) main.removeAttribute("data-live");
  return !kept;
};

const look = async () => {
  const headers = { "X-Signoff-Live": "1", ...(tag ? { "If-None-Match": tag } : {}) };
  const answer = await fetch(location.href.split("#")[0], { headers, cache: "no-store", redirect: "error" });
  if (answer.status === 304) return;
  if (answer.status === 401) { location.reload(); return; }
  if (!answer.ok) throw new Error(String(answer.status));
  waits = !shown(await answer.text());
  if (!waits) tag = answer.headers.get("ETag") ?? "";
};

const told = (off) => {
  let line = document.querySelector("#live-off");
  if (off && !line) {
    line = Object.assign(document.createElement("p"), { id: "live-off", className: "trouble" });
    line.setAttribute("role", "status");
    line.textContent = main.dataset.liveOff;
    main.prepend(line);
  }
  if (!off) line?.remove();
};

let timer = 0;
let looking = null;
let stream = null;

// One look at a time; one that is wanted meanwhile comes after it.
const again = async () => {
  if (looking) { looking.more = true; return; }
  looking = { more: false };
  try { await look(); failed = 0; } catch { failed += 1; }
  told(failed > 2);
  const { more } = looking;
  looking = null;
  if (more) await again();
};

const next = () => {
  clearTimeout(timer);
  const heard = stream?.readyState === EventSource.OPEN;
  main.toggleAttribute("data-heard", heard);
  const often = !heard || failed || waits;
  timer = setTimeout(round, often ? EVERY_MS * Math.min(1 + failed, 10) : RARELY_MS);
};

const round = async () => {
  if (!main.hasAttribute("data-live")) { stream?.close(); return; }
  if (document.hidden) return;
  await again();
  next();
};

// A browser keeps few connections to one place, so only a page that is looked at has a stream.
const listen = () => {
  stream?.close();
  stream = null;
  clearTimeout(timer);
  if (document.hidden || !main.hasAttribute("data-live")) return;
  stream = new EventSource(main.dataset.live);
  stream.addEventListener("changed", round);
  stream.addEventListener("open", next);
  stream.addEventListener("error", next);
  next();
};

if (main) {
  for (const part of main.querySelectorAll("[data-part]")) was.set(part.dataset.part, part.innerHTML);
  document.addEventListener("visibilitychange", () => { listen(); if (!document.hidden) round(); });
  addEventListener("pagehide", () => stream?.close());
  addEventListener("pageshow", (event) => event.persisted && listen());
  listen();
}
