// What comes in: one stream for all tabs, in a shared worker; a browser that has none has one for each.
import { follower } from "/static/follower.js";

const READY_MS = 5000;
let own = null;

// `tell` is told as a follower tells; answers how to stop, after which nothing is told.
export function follow(place, tell) {
  let stop = () => {}, ready = 0, after = place.after;
  const alone = () => {
    stop();
    own ??= follower();
    stop = own.join({ ...place, after }, tell);
  };
  try {
    const worker = new SharedWorker("/static/worker.js", { type: "module", name: "signoff" });
    ready = setTimeout(alone, READY_MS);
    stop = () => {
      clearTimeout(ready);
      worker.onerror = worker.port.onmessage = null;
      worker.port.postMessage({});
      worker.port.close();
    };
    worker.onerror = alone;
    worker.port.onmessage = ({ data }) => {
      clearTimeout(ready);
      after = data.after ?? after;
      tell(data);
    };
    worker.port.postMessage({ place });
  } catch {
    alone();
  }
  return () => stop();
}
