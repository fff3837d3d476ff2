// One event stream for as many readers as there are; it is opened anew when they change.
import { ask } from "/static/requests.js";

export const MOST = 20; // as many rooms as the server takes in one stream
const SETTLE_MS = 30;
const LOST_MS = 1500;
const AGAIN_MS = 2000;
const QUIET_MS = 40_000; // the server's heart beats every 15 seconds
const WATCH_MS = 5000;

export function follower() {
  const readers = new Set(); // { place: { room, person, after }, tell }
  let source = null, opening = 0, lostTimer = 0, heard = 0;

  const tellAll = (told) => readers.forEach((reader) => reader.tell(told));

  function open() {
    source?.close();
    source = null;
    if (!readers.size) return;
    const order = [...readers], query = new URLSearchParams({ beats: 1 });
    for (const { place } of order) {
      for (const name of ["room", "person", "after"]) query.append(name, place[name]);
    }
    source = new EventSource(`/chat/events?${query}`);
    heard = Date.now();
    source.onopen = alive;
    source.onerror = failed;
    source.addEventListener("beat", alive);
    source.onmessage = (event) => hear(order[0], event, 0);
    order.forEach((reader, number) => source.addEventListener(number, (event) => hear(reader, event, number)));
  }

  function hear(reader, event, number) {
    heard = Date.now();
    reader.place.after = event.lastEventId.split(",")[number] || reader.place.after;
    reader.tell({ entry: JSON.parse(event.data), after: reader.place.after });
  }

  function alive() {
    heard = Date.now();
    clearTimeout(lostTimer);
    lostTimer = 0;
    tellAll({ lost: false });
  }

  function failed() {
    // Counted from the first failure: the browser tries again and fails many times.
    lostTimer ||= setTimeout(() => tellAll({ lost: true }), LOST_MS);
    if (source.readyState === EventSource.CLOSED) soon(AGAIN_MS, openAgain);
  }

  // Who is signed in no more is told so, and keeps what they typed.
  async function openAgain() {
    if ((await ask("/chat/people")).status === 401) tellAll({ ended: true });
    else open();
  }

  function soon(ms, then) {
    clearTimeout(opening);
    opening = setTimeout(then, ms);
  }

  // What says nothing for so long is gone, though nothing says so: a network that changed, a sleep.
  setInterval(() => { if (source && Date.now() - heard > QUIET_MS) open(); }, WATCH_MS);

  return {
    isFull: () => readers.size >= MOST,
    // `tell` hears { entry, after }, { lost } and { ended }; answers how to stop.
    join(place, tell) {
      const reader = { place: { ...place }, tell };
      readers.add(reader);
      soon(SETTLE_MS, open);
      return () => {
        if (!readers.delete(reader)) return;
        // A page that is being left runs no timers.
        if (readers.size) soon(SETTLE_MS, open);
        else open();
      };
    },
  };
}
