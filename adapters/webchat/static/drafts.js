// What was typed and not sent stays in this browser, for each person and conversation.

const BEGIN = "signoff.draft.";

export function drafts(key) {
  const name = () => BEGIN + key();
  return {
    keep(text) {
      if (text) localStorage.setItem(name(), text);
      else localStorage.removeItem(name());
    },
    kept: () => localStorage.getItem(name()) ?? "",
  };
}

// What is deleted leaves nothing behind, either.
export const forgetDraft = (key) => localStorage.removeItem(BEGIN + key);

// Whoever signs out leaves nothing behind.
export function forgetDrafts() {
  for (const key of Object.keys(localStorage)) if (key.startsWith(BEGIN)) localStorage.removeItem(key);
}
