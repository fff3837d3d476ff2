// Asking the server: every request has a deadline, and ends in an answer; status 0 is that none came.

const DEADLINE_MS = 15_000;
const BEGIN = "signoff.sent.";

// `late` is that the deadline passed: what was asked may have been done.
export async function ask(path, { query, body, keepalive = false, patience = DEADLINE_MS, signal } = {}) {
  const deadline = AbortSignal.timeout(patience);
  const sent = body && {
    method: "POST", keepalive, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  };
  try {
    const response = await fetch(query ? `${path}?${new URLSearchParams(query)}` : path,
      { ...sent, signal: signal ? AbortSignal.any([deadline, signal]) : deadline });
    const wait = Number(response.headers.get("Retry-After"));
    return { status: response.status, wait, data: await parsed(response) };
  } catch (error) {
    return { status: 0, wait: 0, late: error.name === "TimeoutError", data: {} };
  }
}

async function parsed(response) {
  try {
    return await response.json();
  } catch (error) {
    // What is no JSON is another's answer, as a proxy's; what broke off is none.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

// What was sent without an answer keeps its id in that storage: sent again, it counts once.
export function unanswered(place, storage) {
  const name = () => BEGIN + place();
  const kept = () => JSON.parse(storage.getItem(name()) ?? "{}");
  function keep(sent) {
    if (Object.keys(sent).length) storage.setItem(name(), JSON.stringify(sent));
    else storage.removeItem(name());
  }
  return {
    begin(what) {
      const sent = kept();
      const id = sent[what] ?? crypto.randomUUID();
      keep({ ...sent, [what]: id });
      return id;
    },
    // Answers whether it was without an answer until now.
    end(id) {
      const sent = Object.entries(kept());
      const rest = sent.filter(([, one]) => one !== id);
      keep(Object.fromEntries(rest));
      return rest.length < sent.length;
    },
  };
}

// Whoever signs out leaves nothing behind.
export function forgetUnanswered() {
  for (const key of Object.keys(localStorage)) if (key.startsWith(BEGIN)) localStorage.removeItem(key);
}
