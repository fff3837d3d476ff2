// Builds cards and their forms. Only values named `html` are inserted as markup: the server made them.
import { tellMoments } from "/static/clock.js";
import { fault } from "/static/faults.js";
import { fileField } from "/static/filefield.js";
import { texts } from "/static/texts.js";

let serial = 0;

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "html") node.innerHTML = value;
    else if (name === "text") node.textContent = value;
    else if (name === "class") node.className = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null && value !== "") node.setAttribute(name, value);
  }
  node.append(...children.filter(Boolean));
  return node;
}

// `act(path, body)` posts and answers {status, data}; status 0 when nothing came back.
export function buildCard(card, lang, act) {
  const t = texts(lang);
  const root = el("section", {
    class: `card kind-${card.kind} tone-${card.tone}`, tabindex: "-1",
    "data-token": card.token, "aria-label": card.title,
  });
  const notice = el("p", { class: "notice", role: "status" });
  const context = { root, notice, lang, t, act, extra: el("div", { class: "extra" }) };
  root.append(el("header", {},
    el("span", { class: "kind", text: t.kinds[card.kind] ?? card.kind }),
    el("h3", { text: card.title })));
  if (card.html) root.append(el("div", { class: "md", html: card.html }));
  if (card.problems.length) root.append(problems(card.problems, t));
  if (card.rows.length) root.append(rows(card.rows));
  if (card.outcome) root.append(el("p", { class: "outcome" }, mark(card.tone), el("span", { text: card.outcome })));
  if (card.note) root.append(el("p", { class: "note", text: card.note }));
  if (card.origin?.html) root.append(el("div", { class: "note md", html: card.origin.html }));
  if (card.buttons.length) root.append(...controls(card, context));
  root.append(notice);
  tellMoments(root);
  return root;
}

function problems(list, t) {
  return el("div", { class: "problems" },
    el("strong", { text: t.problems }),
    el("ul", {}, ...list.map((p) => el("li", { class: "md", html: p.html }))));
}

function rows(list) {
  const line = (row) => el("tr", {}, el("th", { scope: "row", text: row.label }), el("td", {}, fileLink(row) ?? el("span", { text: row.value })));
  return el("table", { class: "rows" }, el("tbody", {}, ...list.map(line)));
}

function fileLink(row) {
  return row.link && el("a", { href: row.link, target: "_blank", rel: "noopener", text: row.value });
}

function mark(tone) {
  const sign = { good: "✓", bad: "✕" }[tone] ?? "–";
  return el("span", { class: "sign", "aria-hidden": "true", text: sign });
}

function controls(card, context) {
  // A question's own form stands open in its card; any other form opens when its button is tapped.
  const asked = card.kind === "clarify" ? card.buttons.find((b) => b.form.length) : undefined;
  const rest = card.buttons.filter((b) => b !== asked).map((b) => tapButton(b, context));
  if (asked) {
    const shown = { data: asked.data, fields: asked.form, submit: asked.label, style: asked.style };
    return [buildForm(shown, context, rest), context.extra];
  }
  return [el("div", { class: "buttons", role: "group", "aria-label": card.title }, ...rest), context.extra];
}

function tapButton(button, context) {
  const node = el("button", { type: "button", class: `button ${button.style}`, text: button.label });
  node.addEventListener("click", () => {
    // Who may be chosen is known only to the server.
    const asks = button.form.some((field) => field.type === "person");
    if (asks || !button.form.length) return tap(button, node, context);
    const { t } = context;
    openForm({ data: button.data, fields: button.form, edits: button.edits, submit: button.label, cancel: t.cancel,
      style: button.style, title: button.label, intro: button.intro }, node, context);
  });
  return node;
}

// A tap that cannot be taken back is asked about before it is `confirmed`.
async function tap(button, node, context, confirmed = false) {
  const answer = await busy(context, () => context.act("/chat/taps", { button: button.data, confirmed }));
  if (answer.status === 200 && answer.data.form) openForm(answer.data.form, node, context);
  else if (answer.status === 200 && answer.data.confirm) openQuestion(answer.data.confirm, button, node, context);
  else tell(context, answer);
}

function openQuestion(question, button, opener, context) {
  const yes = el("button", { type: "button", class: `button ${question.style}`, text: question.confirm });
  const no = el("button", { type: "button", class: "button plain", text: question.cancel });
  const id = `q${++serial}`;
  const built = el("div", { class: "form question", role: "group", "aria-labelledby": id, lang: question.lang },
    el("p", { class: "intro", id, text: question.text }), el("div", { class: "buttons" }, yes, no));
  const close = open(built, opener, context);
  no.addEventListener("click", close);
  yes.addEventListener("click", async () => {
    await tap(button, opener, context, true);
    close();
  });
  no.focus();
}

function openForm(form, opener, context) {
  const cancel = el("button", { type: "button", class: "button plain", text: form.cancel });
  const built = buildForm(form, context, [cancel]);
  cancel.addEventListener("click", open(built, opener, context));
  built.querySelector("input, textarea, select")?.focus();
}

// Shows what a button opens in the card, until Escape or what is returned closes it.
function open(built, opener, { extra, root, notice }) {
  notice.textContent = "";
  const close = () => {
    extra.replaceChildren();
    root.classList.remove("asking");
    opener.focus();
  };
  built.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  });
  root.classList.add("asking");
  extra.replaceChildren(built);
  built.scrollIntoView({ block: "nearest" });
  return close;
}

function buildForm(form, context, others) {
  const node = el("form", { class: "form", novalidate: true, lang: form.lang ?? context.lang });
  if (form.title) node.append(el("h4", { text: form.title }));
  if (form.intro) node.append(el("p", { class: "intro", text: form.intro }));
  const traits = { alone: form.fields.length === 1, edits: form.edits };
  const fields = form.fields.map((field) => buildField(field, traits, context.t));
  node.append(el("div", { class: "fields" }, ...fields.map((f) => f.node)));
  const style = form.style && form.style !== "plain" ? form.style : "primary";
  node.append(el("div", { class: "buttons" },
    el("button", { type: "submit", class: `button ${style}`, text: form.submit }), ...others));
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    fields.forEach((f) => f.fault(""));
    const late = fields.find((f) => f.sending?.());
    if (late) return showFaults(fields, { [late.name]: context.t.stillSending }, context);
    const values = Object.fromEntries(fields.map((f) => [f.name, f.read()]));
    const files = Object.fromEntries(fields.filter((f) => f.file?.()).map((f) => [f.name, f.file()]));
    const body = { button: form.data, values, ...(Object.keys(files).length ? { files } : {}) };
    const answer = await busy(context, () => context.act("/chat/forms", body));
    if (answer.status !== 422) return tell(context, answer);
    showFaults(fields, answer.data.errors ?? {}, context);
  });
  return node;
}

function showFaults(fields, errors, context) {
  fields.forEach((f) => f.fault(errors[f.name] ?? ""));
  const known = new Set(fields.map((f) => f.name));
  const others = Object.keys(errors).filter((name) => !known.has(name)).map((name) => errors[name]);
  say(context, [context.t.fixFields, ...others].join(" "), false);
  fields.find((f) => errors[f.name])?.focus();
}

function buildField(field, traits, t) {
  const id = `f${++serial}`;
  const control = buildControl(field, id, traits, t);
  const error = el("p", { class: "fault", id: `${id}-e` });
  const stands = field.entity && field.labels?.[field.value];
  const hint = el("p", { class: "hint", id: `${id}-h`, text: [field.hint, stands, range(field, t)].filter(Boolean).join(" · ") });
  const label = el(control.group ? "span" : "label", { class: "label", id: `${id}-l`, for: control.group ? "" : id },
    el("span", { text: field.label }),
    field.required ? null : el("small", { text: t.optional }));
  const unit = field.unit ? el("span", { class: "unit", text: field.unit }) : null;
  const wide = ["text", "file"].includes(field.type) ? " wide" : "";
  const node = el("div", { class: `field${wide}`, "data-field": field.name },
    label, el("div", { class: "control" }, control.node, control.names, unit), error, hint.textContent ? hint : null);
  control.node.setAttribute("aria-describedby", `${id}-e ${id}-h ${id}-s`);
  if (control.group) control.node.setAttribute("aria-labelledby", `${id}-l`);
  const fault = (text) => {
    error.textContent = text;
    node.classList.toggle("wrong", Boolean(text));
    control.node.setAttribute("aria-invalid", String(Boolean(text)));
  };
  control.node.addEventListener("chosen", () => fault(""));
  return { ...control, name: field.name, node, fault };
}

function range(field, t) {
  const [minimum, maximum] = [field.minimum, field.maximum].map((bound) => (bound === "today" ? t.today : bound));
  if (minimum == null && maximum == null) return "";
  if (minimum == null) return `≤ ${maximum}`;
  return maximum == null ? `≥ ${minimum}` : `${minimum} – ${maximum}`;
}

// What is typed goes to the server as it is, and the server judges; only what a native control shows
// without loss stands in one.
function buildControl(field, id, { alone, edits }, t) {
  if (field.type === "boolean") return radios(field, id);
  const chosen = field.type === "choice" || (field.type === "entity" && field.options.length);
  if (chosen) return field.options.length <= 5 ? radios(field, id) : select(field, id, t);
  if (field.type === "person") return person(field, id);
  // What others approve is not sent anew: it has to stand there.
  if (field.type === "file" && !edits) return fileField(field, id, t);
  const node = field.type === "text" && (alone || field.multiline)
    ? el("textarea", { id, rows: 3 })
    : el("input", { id, type: inputType(field), inputmode: KEYS[field.type], autocomplete: "off",
      placeholder: field.hint ? "" : FORMS[field.type] });
  node.value = node.dataset.given = field.value;
  return { node, read: () => node.value.trim(), focus: () => node.focus() };
}

const KEYS = { integer: "numeric", number: "decimal", email: "email", url: "url" };
const FORMS = { money: "120.50 EUR", email: "name@example.com", url: "https://" };

function inputType(field) {
  if (field.type === "date" && /^(\d{4}-\d{2}-\d{2})?$/.test(field.value)) return "date";
  return field.type === "time" && /^(\d{2}:\d{2})?$/.test(field.value) ? "time" : "text";
}

function optionLabel(field, value) {
  return field.labels?.[value] ?? value;
}

function select(field, id, t) {
  const option = (value) => {
    const node = el("option", { text: optionLabel(field, value) });
    node.value = value;
    return node;
  };
  const node = el("select", { id }, el("option", { value: "", text: t.choose }), ...field.options.map(option));
  node.firstChild.value = "";
  node.value = node.dataset.given = field.value;
  return { node, read: () => node.value, focus: () => node.focus() };
}

// A name may be typed that is not among the suggested ones: the server knows who is meant.
function person(field, id) {
  const input = el("input", { id, type: "text", list: `${id}-n`, autocomplete: "off" });
  input.value = input.dataset.given = field.value;
  const names = el("datalist", { id: `${id}-n` }, ...field.options.map((value) => el("option", { value })));
  return { node: input, names, read: () => input.value.trim(), focus: () => input.focus() };
}

function radios(field, id) {
  const inputs = field.options.map((value) => {
    const input = el("input", { type: "radio", name: id });
    input.value = value;
    input.checked = value === field.value;
    return input;
  });
  const pill = (input) => el("label", { class: "pill" }, input, el("span", { text: optionLabel(field, input.value) }));
  const node = el("div", { class: "pills", role: "radiogroup" }, ...inputs.map(pill));
  return { node, group: true, read: () => inputs.find((i) => i.checked)?.value ?? "", focus: () => inputs[0]?.focus() };
}

async function busy({ root, notice }, work) {
  const controls = [...root.querySelectorAll("button, input, textarea, select")].filter((c) => !c.disabled);
  const focused = document.activeElement;
  notice.textContent = "";
  root.setAttribute("aria-busy", "true");
  controls.forEach((c) => { c.disabled = true; });
  try {
    return await work();
  } finally {
    root.removeAttribute("aria-busy");
    controls.forEach((c) => { c.disabled = false; });
    if (root.contains(focused) && document.activeElement === document.body) focused.focus();
  }
}

function tell(context, answer) {
  const { t } = context, { status, data } = answer;
  if (status === 202) return say(context, t.received, true);
  if (status === 200) {
    if (data.ok) context.extra.replaceChildren();
    return say(context, data.text, data.ok);
  }
  say(context, status === 0 && !answer.late ? t.again : fault(t, answer), false);
}

function say({ root, notice }, text, ok) {
  if (!root.isConnected) {
    // The card was edited while we asked: its successor shows what we were told.
    const token = CSS.escape(root.dataset.token);
    notice = document.querySelector(`.card[data-token="${token}"] > .notice`) ?? notice;
  }
  notice.className = `notice ${ok ? "ok" : "no"}`;
  notice.textContent = text;
  tellMoments(notice);
}

// What a person has typed into a card stays when the card is shown anew.
export function carryOver(from, to) {
  for (const old of from.querySelectorAll("[data-field] [data-given]")) {
    if (old.value === old.dataset.given) continue;
    const name = CSS.escape(old.closest("[data-field]").dataset.field);
    const node = to.querySelector(`[data-field="${name}"] [data-given]`);
    if (!node) continue;
    node.value = old.value;
    node.upload = old.upload;
  }
}

// Which of a card's controls has the focus, by what it is called, and what is selected in it.
export function whereIn() {
  const active = document.activeElement;
  const field = active.closest("[data-field]")?.dataset.field;
  const { selectionStart: from = null, selectionEnd: to = null } = active.matches("input[type=text], textarea") ? active : {};
  return { field, value: active.value, label: active.matches("button") ? active.textContent : "", from, to };
}

// To the same control of the card's successor, or to the card where it has none.
export function backTo(card, { field, value, label, from, to }) {
  if (!card) return;
  const among = field ? [...card.querySelectorAll(`[data-field="${CSS.escape(field)}"] :is(input, textarea, select)`)]
    : [...card.querySelectorAll("button")].filter((button) => label && button.textContent === label);
  const found = among.find((node) => node.type === "radio" && node.value === value) ?? among[0] ?? card;
  found.focus({ preventScroll: true });
  if (from !== null && found.setSelectionRange) found.setSelectionRange(from, to);
}
