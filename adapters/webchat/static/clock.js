// One clock on the page: that of whoever reads. A moment in a text stands as ⟦2026-11-22T06:05Z⟧.

import { texts } from "/static/texts.js";

const MOMENT = /⟦(\d{4}-\d\d-\d\dT\d\d:\d\dZ)⟧/;

// Of a conversation in the list: the time for today, else the day.
export function clockOf(ms, language) {
  const then = new Date(ms), today = new Date().toDateString() === then.toDateString();
  const shape = today ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : { month: "short", day: "numeric" };
  return new Intl.DateTimeFormat(texts(language).locale, shape).format(then);
}

// The moments in the texts below `root`, by the reader's clock.
export function tellMoments(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) if (MOMENT.test(walker.currentNode.data)) found.push(walker.currentNode);
  for (const text of found) {
    // Of what is split at a pattern with a group, every second piece is what the group held.
    text.replaceWith(...text.data.split(MOMENT).map((piece, at) => (at % 2 ? moment(piece) : piece)));
  }
}

function moment(at) {
  const then = new Date(at), node = document.createElement("time");
  if (Number.isNaN(then.getTime())) return `⟦${at}⟧`;
  node.dateTime = at;
  node.title = then.toString();
  node.textContent = shown(then);
  return node;
}

const two = (number) => String(number).padStart(2, "0");
const shown = (then) => `${two(then.getMonth() + 1)}-${two(then.getDate())} ${two(then.getHours())}:${two(then.getMinutes())}`;
