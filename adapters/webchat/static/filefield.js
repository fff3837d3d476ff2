// A form's field for a file: one is chosen and sent at once, or the name of an earlier one is typed.
import { el } from "/static/card.js";
import { refusal, taken, upload } from "/static/upload.js";

export function fileField(field, id, t) {
  const input = el("input", { id, type: "text", autocomplete: "off", placeholder: t.fileName });
  input.value = input.dataset.given = field.value;
  const given = () => (input.upload?.name === input.value.trim() ? input.upload : null);
  const control = {
    node: input,
    read: () => input.value.trim(),
    focus: () => input.focus(),
    sending: () => given()?.state === "sending",
    file: () => (given()?.id ? { id: given().id, name: given().name } : null),
  };
  return taken.mb ? { ...control, names: chooser(field, id, t, input) } : control;
}

function chooser(field, id, t, input) {
  const accept = (field.kinds ?? []).map((kind) => (kind === "jpg" ? ".jpg,.jpeg" : `.${kind}`)).join(",");
  const picker = el("input", { type: "file", accept, hidden: true, tabindex: "-1", "aria-hidden": "true" });
  const button = el("button", { type: "button", class: "button plain", text: t.chooseFile, "aria-label": `${t.chooseFile} ${field.label}` });
  const told = el("span", { class: "told", role: "status", id: `${id}-s` });
  const tell = (text, fault = false) => {
    told.textContent = text;
    told.classList.toggle("is-fault", fault);
  };
  button.addEventListener("click", () => picker.click());
  picker.addEventListener("change", () => {
    const file = picker.files[0];
    picker.value = "";
    if (!file) return;
    const why = refusal(file, t, field.kinds?.length ? field.kinds : undefined);
    if (why) return tell(why, true);
    input.upload?.request.abort();
    tell(t.sendingFile.replace("{name}", file.name));
    input.upload = upload(file, t, () => {}, (fault) => tell(fault || t.fileReady, Boolean(fault)));
    input.value = input.upload.name;
    input.dispatchEvent(new Event("chosen"));
  });
  input.addEventListener("input", () => tell(""));
  return el("span", { class: "chooser" }, button, picker, told);
}
