// Files for the next message: chosen, dropped or pasted; sent at once, with their progress shown.
import { el } from "/static/card.js";
import { texts } from "/static/texts.js";

const MOST = 10;
const THUMB_PX = 28;
const DEADLINE_MS = 60_000; // the server takes 20 seconds at most; several share the way
const ALIASES = { jpeg: "jpg", markdown: "md" };
const $ = (id) => document.getElementById(id);

// `who()` is the person, `changed()` is told of every change, `complain(text)` shows a trouble.
export function files({ here, who, language, changed, complain }) {
  const list = $("files"), input = $("file");
  let kept = []; // { name, id, state: "sending" | "ready" | "failed", node, request }
  let mostMb = 0, kinds = [];

  function add(chosen) {
    const t = texts(language());
    if (!mostMb || !chosen.length) return;
    complain("");
    for (const file of chosen) {
      if (kept.length >= MOST) return complain(t.tooManyFiles);
      if (file.size > mostMb * 1048576) complain(t.fileTooLarge.replace("{name}", file.name).replace("{mb}", mostMb));
      else if (!readable(file)) complain(t.fileKind.replace("{name}", file.name).replace("{kinds}", kinds.join(", ")));
      else send(file);
    }
  }

  // Only what is surely of another kind is refused here: the service looks at what is in a file.
  function readable(file) {
    const end = file.name.includes(".") ? file.name.split(".").pop().toLowerCase() : "";
    return !kinds.length || kinds.includes(ALIASES[end] ?? end) || !file.type || file.type.startsWith("text/");
  }

  // Drawn, since an address of a picture in memory would be against the page's policy.
  async function preview(file, node, label) {
    if (!file.type.startsWith("image/")) return;
    try {
      const picture = await createImageBitmap(file);
      const side = Math.min(picture.width, picture.height);
      const canvas = el("canvas", { class: "thumb", role: "img", "aria-label": label, width: 2 * THUMB_PX, height: 2 * THUMB_PX });
      canvas.getContext("2d").drawImage(picture, (picture.width - side) / 2, (picture.height - side) / 2,
        side, side, 0, 0, 2 * THUMB_PX, 2 * THUMB_PX);
      picture.close();
      node.prepend(canvas);
    } catch {
      // No picture after all.
    }
  }

  function send(file) {
    const t = texts(language());
    const bar = el("progress", { max: "100", value: "0", "aria-label": t.sendingFile.replace("{name}", file.name) });
    const told = el("span", { class: "told", role: "status" });
    const remove = el("button", { type: "button", class: "remove", "aria-label": t.removeFile.replace("{name}", file.name), text: "×" });
    const node = el("li", {}, el("span", { class: "name", text: file.name }), bar, told, remove);
    const one = { name: file.name.slice(0, 255), id: "", state: "sending", node, request: new XMLHttpRequest() };
    remove.addEventListener("click", () => drop(one));
    kept.push(one);
    list.append(node);
    preview(file, node, t.pictureOf.replace("{name}", file.name));
    const query = new URLSearchParams({ room: here(), person: who().id });
    one.request.open("POST", `/chat/files?${query}`);
    one.request.setRequestHeader("Content-Type", "application/octet-stream");
    one.request.upload.onprogress = (event) => { if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total; };
    one.request.onload = () => {
      const done = one.request.status === 201;
      if (done) one.id = JSON.parse(one.request.responseText).id;
      end(one, done ? "ready" : "failed", t.uploadFaults[one.request.status] ?? t.uploadFaults[0]);
    };
    one.request.onerror = () => end(one, "failed", t.uploadFaults[0]);
    one.request.timeout = DEADLINE_MS;
    one.request.ontimeout = () => end(one, "failed", t.uploadFaults[408]);
    one.request.send(file);
    changed();
  }

  function end(one, state, fault) {
    one.state = state;
    one.node.classList.add(`is-${state}`);
    one.node.querySelector("progress").remove();
    one.node.querySelector(".told").textContent =
      state === "ready" ? texts(language()).fileReady : fault.replace("{mb}", mostMb);
    changed();
  }

  function drop(one) {
    one.request.abort();
    one.node.remove();
    kept = kept.filter((other) => other !== one);
    changed();
    $("attach").focus();
  }

  function clear() {
    for (const one of kept) { one.request.abort(); one.node.remove(); }
    kept = [];
    changed();
  }

  $("attach").addEventListener("click", () => input.click());
  input.addEventListener("change", () => { add([...input.files]); input.value = ""; });
  $("text").addEventListener("paste", (event) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length) { event.preventDefault(); add(pasted); }
  });
  const carries = (event) => mostMb && [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    add([...event.dataTransfer.files]);
  });

  return {
    clear,
    allow(mb, types) { mostMb = mb; kinds = types; $("attach").hidden = !mb; },
    busy: () => kept.some((one) => one.state === "sending"),
    ready: () => kept.filter((one) => one.state === "ready").map(({ id, name }) => ({ id, name })),
  };
}
