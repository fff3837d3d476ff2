// What was said before, in pages: the newest at first, older ones as somebody scrolls up.
import { ask } from "/static/requests.js";
import { texts } from "/static/texts.js";

const AGAIN_MS = 2000;
const $ = (id) => document.getElementById(id);

// `where()` gives room and person, `show(messages, early)` shows a page, `failed(status, wait, data)` is told why not.
export function past({ where, show, failed, language }) {
  const button = $("earlier"), log = $("log"), scroll = $("scroll");
  let oldest = 0, more = false, under = false;

  const fetchPage = () => ask("/chat/history", { query: oldest ? { ...where(), before: oldest } : where() });

  function take({ messages, more: rest }) {
    // What was there before is not read out as if it was said now.
    log.setAttribute("aria-live", "off");
    show(messages, oldest > 0);
    setTimeout(() => log.setAttribute("aria-live", "polite"), 100);
    if (messages.length) oldest = messages[0].n;
    more = rest;
    button.hidden = !more;
  }

  // The newest page, tried until it comes; answers from where to follow, or null for who may not.
  async function newest() {
    for (;;) {
      const { status, wait, data } = await fetchPage();
      if (status === 200) {
        take(data);
        failed(200);
        return data.seq;
      }
      failed(status, wait, data);
      if (status !== 0 && status < 500) return null;
      await new Promise((go) => { setTimeout(go, AGAIN_MS); });
    }
  }

  async function older() {
    if (under || !more) return;
    under = true;
    button.setAttribute("aria-busy", "true");
    const { status, data, wait } = await fetchPage();
    under = false;
    button.removeAttribute("aria-busy");
    // Its words change, so that they are the same after a change of language.
    button.dataset.text = status === 200 ? "earlier" : "earlierAgain";
    button.textContent = texts(language())[button.dataset.text];
    if (status !== 200) {
      if (status === 401) failed(status, wait);
      return;
    }
    showAbove(data);
    // Whoever is at the top again before that was noticed has changed nothing: looked at anew, it counts.
    watch.unobserve(button);
    watch.observe(button);
  }

  // What is in sight stays where it is, with more above it.
  function showAbove(page) {
    const from = scroll.scrollHeight - scroll.scrollTop;
    const held = document.activeElement === button;
    take(page);
    scroll.scrollTop = scroll.scrollHeight - from;
    if (held && button.hidden) log.firstElementChild?.querySelector("a, button, input")?.focus();
  }

  button.addEventListener("click", older);
  const near = (seen) => seen.some((one) => one.isIntersecting) && older();
  const watch = new IntersectionObserver(near, { root: scroll, rootMargin: "400px 0px 0px" });
  watch.observe(button);
  return { newest, more: () => more };
}
