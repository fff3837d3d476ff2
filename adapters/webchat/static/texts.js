// What the page itself says, in texts.<language>.js for each language, which the server lists; what the
// bot says comes in the message's language.
import * as TEXTS from "/static/languages.js";

const LANGUAGES = Object.keys(TEXTS);

// What a language does not have is said in English.
export const texts = (lang) => ({ ...TEXTS.en, ...TEXTS[lang] });

// The language that the reader chose, else that of the browser.
export function readerLanguage() {
  const lang = localStorage.getItem("signoff.lang") ?? navigator.language.toLowerCase().split("-")[0];
  return LANGUAGES.includes(lang) ? lang : "en";
}

// The one that the button switches to.
export const following = (lang) => LANGUAGES[(LANGUAGES.indexOf(lang) + 1) % LANGUAGES.length];
