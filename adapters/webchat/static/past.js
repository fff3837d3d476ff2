// What was said before, in pages: the newest at first, older ones as somebody scrolls up.

const AGAIN_MS = 2000;
const $ = (id) => document.getElementById(id);

// `ask()` gives room and person, `show(messages, early)` shows a page, `failed(status, wait)` is told why not.
export function past({ ask, show, failed }) {
  const button = $("earlier"), log = $("log"), scroll = $("scroll");
  let oldest = 0, more = false, under = false;

  async function fetchPage() {
    const query = new URLSearchParams(oldest ? { ...ask(), before: oldest } : ask());
    const response = await fetch(`/chat/history?${query}`);
    return { status: response.status, wait: Number(response.headers.get("Retry-After")), data: await response.json() };
  }

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
      try {
        const { status, wait, data } = await fetchPage();
        if (status === 200) {
          take(data);
          failed(200);
          return data.seq;
        }
        failed(status, wait);
        if (status < 500) return null;
      } catch {
        failed(0);
      }
      await new Promise((go) => { setTimeout(go, AGAIN_MS); });
    }
  }

  async function older() {
    if (under || !more) return;
    under = true;
    button.setAttribute("aria-busy", "true");
    try {
      const { status, data, wait } = await fetchPage();
      if (status !== 200) return failed(status, wait);
      // What is in sight stays where it is, with more above it.
      const from = scroll.scrollHeight - scroll.scrollTop;
      const held = document.activeElement === button;
      take(data);
      scroll.scrollTop = scroll.scrollHeight - from;
      if (held && button.hidden) log.firstElementChild?.querySelector("a, button, input")?.focus();
    } catch {
      failed(0);
    } finally {
      under = false;
      button.removeAttribute("aria-busy");
    }
  }

  button.addEventListener("click", older);
  new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && older(), { root: scroll, rootMargin: "400px 0px 0px" })
    .observe(button);
  return { newest, more: () => more };
}
