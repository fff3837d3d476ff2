// The keyboard beyond what a browser does by itself: from card to card, from button to button.

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };
const OPEN = ".log .card:has(button, input, textarea, select)";

export function keys(input) {
  addEventListener("keydown", (event) => {
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) toCard(event, input);
    else if (event.key === "Escape") leaveCard(event, input);
    else if (event.key in STEPS || event.key === "Home" || event.key === "End") amongButtons(event);
  });
}

// Alt and an arrow: the open card before or after the one in which we are; from the text, the last one.
function toCard(event, input) {
  if (document.querySelector("dialog[open]")) return;
  const cards = [...document.querySelectorAll(OPEN)];
  if (!cards.length) return;
  event.preventDefault();
  const step = event.key === "ArrowUp" ? -1 : 1;
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = at < 0 ? (step < 0 ? cards.length - 1 : 0) : at + step;
  if (next < 0) return;
  if (next >= cards.length) return input.focus();
  cards[next].querySelector("input:not([type=radio]), input:checked, textarea, select, button").focus();
  cards[next].scrollIntoView({ block: "nearest" });
}

function leaveCard(event, input) {
  if (event.defaultPrevented || !document.activeElement?.closest(".log .card")) return;
  event.preventDefault();
  input.focus();
}

function amongButtons(event) {
  const row = document.activeElement?.closest(".buttons");
  if (!row || document.activeElement.tagName !== "BUTTON" || event.altKey || event.ctrlKey || event.metaKey) return;
  const all = [...row.querySelectorAll("button:not(:disabled)")];
  const at = all.indexOf(document.activeElement);
  const to = { Home: 0, End: all.length - 1 }[event.key] ?? (at + STEPS[event.key] + all.length) % all.length;
  event.preventDefault();
  all[to].focus();
}
