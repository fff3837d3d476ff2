// What a message of the service shows: its parts, and its card where the part stands that it is about.
import { backTo, buildCard, carryOver, el, whereIn } from "/static/card.js";
import { buildChart } from "/static/chart.js";
import { tellMoments } from "/static/clock.js";
import { texts } from "/static/texts.js";

// A card that is the same stays as it is, so that what is being typed in it stays too.
export function fillBody(body, view, act, isSameCard) {
  const before = body.querySelector(":scope > .card");
  const card = isSameCard ? before : view.card && successor(before, view, act);
  const place = before?.contains(document.activeElement) && !isSameCard ? whereIn() : null;
  // Its parts say in words what a chart shows, for platforms without pictures.
  const parts = view.chart ? [el("section", { class: "part" }, buildChart(view.chart))]
    : view.parts.map((part) => buildPart(part, view.lang));
  const about = parts.findIndex((part) => part.dataset.number === String(view.card_part));
  const end = about < 0 ? parts.length : about + 1;
  for (const node of [...body.children]) if (node !== card) node.remove();
  // The card is not moved: what is moved loses the focus.
  if (card && card.parentNode !== body) body.append(card);
  if (card) {
    card.before(...parts.slice(0, end));
    card.after(...parts.slice(end));
  } else body.append(...parts);
  if (place) backTo(card, place);
}

// The card as it is now, with what was typed into the one before, and what was told there.
function successor(before, view, act) {
  const card = buildCard(view.card, view.lang, act);
  if (!before) return card;
  carryOver(before, card);
  const notice = before.querySelector(":scope > .notice");
  // Who tapped too late keeps reading why, next to the outcome; who changed an open card, what.
  if (notice.matches(view.card.outcome ? ".no" : ".ok")) {
    const kept = card.querySelector(":scope > .notice");
    kept.className = notice.className;
    kept.replaceChildren(...notice.childNodes);
  }
  return card;
}

function buildPart(part, language) {
  const t = texts(language);
  const quiet = part.number === 0 && part.state === "answered" && !part.label;
  const head = quiet ? null : el("header", {},
    part.number ? el("span", { class: "number", text: part.number }) : null,
    part.label ? el("strong", { class: "label", text: part.label }) : null,
    el("span", { class: "state" }, el("i", { "aria-hidden": "true" }),
      el("span", { text: t.states[part.state] ?? part.state })));
  const node = el("section", { class: `part is-${part.state}`, "data-number": part.number },
    head, el("div", { class: "md", html: part.html }));
  tellMoments(node);
  return node;
}
