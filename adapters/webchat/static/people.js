// Who may be speaking: buttons to choose among people, or the one who is signed in.
import { el } from "/static/card.js";

export const initial = (name) => [...name.trim()][0]?.toUpperCase() ?? "?";
export const hueOf = (people, id) => Math.max(0, people.findIndex((p) => p.id === id)) % 6;

export function showPeople({ people, person, lang, pick }) {
  const into = document.getElementById("people");
  const held = into.contains(document.activeElement);
  into.querySelectorAll("label").forEach((node) => node.remove());
  for (const one of people) {
    const radio = el("input", { type: "radio", name: "person", value: one.id });
    radio.checked = one.id === person?.id;
    radio.addEventListener("change", () => pick(one));
    into.append(el("label", { class: "person" }, radio,
      el("span", { class: "avatar", "data-hue": hueOf(people, one.id), "aria-hidden": "true", text: initial(one.name) }),
      el("span", { class: "names" },
        el("strong", { text: one.name }), el("small", { text: one.role[lang] ?? one.role.en ?? "" }))));
  }
  const chosen = into.querySelector(":checked");
  chosen?.parentElement.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (held) chosen?.focus();
}

// What this person may ask and start, as buttons that put it into the composer.
export function showExamples({ person, lang, suggest }) {
  const chips = (person.examples[lang] ?? []).map((text) => {
    const chip = el("button", { class: "chip", type: "button", text });
    chip.addEventListener("click", () => suggest(text));
    return chip;
  });
  document.getElementById("chips").replaceChildren(...chips);
}
