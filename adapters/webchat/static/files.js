// Files for the next message: chosen, dropped or pasted; sent at once, with their progress shown.
import { el } from "/static/card.js";
import { texts } from "/static/texts.js";
import { refusal, taken, upload } from "/static/upload.js";

const MOST = 10;
const THUMB_PX = 28;
const $ = (id) => document.getElementById(id);

// `who()` is the person, `changed()` is told of every change, `complain(text)` shows a trouble.
export function files({ here, who, language, changed, complain }) {
  const list = $("files"), input = $("file");
  let kept = []; // what `upload` answers, each with its node

  function add(chosen) {
    const t = texts(language());
    if (!taken.mb || !chosen.length) return;
    complain("");
    for (const file of chosen) {
      if (kept.length >= MOST) return complain(t.tooManyFiles);
      const why = refusal(file, t);
      if (why) complain(why);
      else send(file);
    }
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
    const one = upload(file, t, (percent) => { bar.value = percent; }, (fault) => {
      node.classList.add(`is-${one.state}`);
      bar.remove();
      told.textContent = fault || texts(language()).fileReady;
      changed();
    });
    one.node = node;
    remove.addEventListener("click", () => drop(one));
    kept.push(one);
    list.append(node);
    preview(file, node, t.pictureOf.replace("{name}", file.name));
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
  const carries = (event) => taken.mb && [...(event.dataTransfer?.types ?? [])].includes("Files");
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
    allow(mb, kinds) { Object.assign(taken, { mb, kinds, here, who }); $("attach").hidden = !mb; },
    busy: () => kept.some((one) => one.state === "sending"),
    ready: () => kept.filter((one) => one.state === "ready").map(({ id, name }) => ({ id, name })),
  };
}
