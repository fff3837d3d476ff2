// What a person does to a conversation of their list: call it something else, or delete it.
import { el } from "/static/card.js";
import { forgetDraft } from "/static/drafts.js";
import { fault } from "/static/faults.js";
import { ask } from "/static/requests.js";
import { texts } from "/static/texts.js";

const $ = (id) => document.getElementById(id);

// `changed(room, isGone)` is told what was done; `ended()` that nobody is signed in any more.
export function managing({ me, language, changed, ended }) {
  const dialog = $("manage"), title = $("manage-title"), told = $("manage-told"), remove = $("manage-delete");
  let one = null, isSure = false;

  function open(chosen, called) {
    one = chosen;
    title.value = chosen.title || called;
    tell("");
    sure(false);
    dialog.showModal();
    title.select();
  }

  // Deleting takes two taps: the first says what it does.
  function sure(yes) {
    isSure = yes;
    const t = texts(language());
    remove.textContent = one?.shared ? t.unlist : yes ? t.deleteSure : t.delete;
    if (yes) tell(t.deleteWhat);
  }

  function tell(text) {
    told.textContent = text;
  }

  async function send(path, body, isGone) {
    const t = texts(language()), room = one.room;
    dialog.setAttribute("aria-busy", "true");
    const answer = await ask(path, { body: { room, person: me().id, ...body } });
    dialog.removeAttribute("aria-busy");
    if (answer.status === 401) ended();
    if (answer.status !== 200) return tell(answer.status === 409 ? t.stillWaits : fault(t, answer));
    dialog.close();
    if (isGone) forgetDraft(`${me().id}.${room}`);
    return changed(room, isGone);
  }

  $("manage-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (title.value.trim()) send("/chat/rename", { title: title.value }, false);
  });
  remove.addEventListener("click", () => {
    if (!isSure && !one.shared) return sure(true);
    return send("/chat/delete", {}, true);
  });
  $("manage-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  return {
    button(chosen, called) {
      const label = `${texts(language()).manage}: ${called}`;
      const node = el("button", { type: "button", class: "manage", "aria-haspopup": "dialog", "aria-label": label, text: "⋯" });
      node.addEventListener("click", () => open(chosen, called));
      return node;
    },
  };
}
