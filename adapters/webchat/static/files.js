// Files for the next message: chosen, dropped or pasted; sent at once, with their progress shown.
import { el } from "/static/card.js";
import { texts } from "/static/texts.js";

const MOST = 10;
const $ = (id) => document.getElementById(id);

// `who()` is the person, `changed()` is told of every change, `complain(text)` shows a trouble.
export function files({ room, who, language, changed, complain }) {
  const list = $("files"), input = $("file");
  let kept = []; // { name, id, state: "sending" | "ready" | "failed", node, request }
  let mostMb = 0;

  function add(chosen) {
    const t = texts(language());
    if (!mostMb || !chosen.length) return;
    complain("");
    for (const file of chosen) {
      if (kept.length >= MOST) return complain(t.tooManyFiles);
      if (file.size > mostMb * 1048576) complain(t.fileTooLarge.replace("{name}", file.name).replace("{mb}", mostMb));
      else send(file);
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
    const query = new URLSearchParams({ room, person: who().id });
    one.request.open("POST", `/chat/files?${query}`);
    one.request.setRequestHeader("Content-Type", "application/octet-stream");
    one.request.upload.onprogress = (event) => { if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total; };
    one.request.onload = () => {
      const done = one.request.status === 201;
      if (done) one.id = JSON.parse(one.request.responseText).id;
      end(one, done ? "ready" : "failed", t.uploadFaults[one.request.status] ?? t.uploadFaults[0]);
    };
    one.request.onerror = () => end(one, "failed", t.uploadFaults[0]);
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
    allow(mb) { mostMb = mb; $("attach").hidden = !mb; },
    busy: () => kept.some((one) => one.state === "sending"),
    ready: () => kept.filter((one) => one.state === "ready").map(({ id, name }) => ({ id, name })),
  };
}
