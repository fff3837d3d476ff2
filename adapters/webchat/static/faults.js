// Why something did not go through, for whoever reads it.

// `wait` is how many seconds the server asked to wait, 0 for none.
export function fault(t, { status, data = {}, wait = 0, late = false }) {
  if (data.text) return data.text;
  if (late) return t.late;
  if (status === 0) return t.notSent;
  if (status === 401) return t.ended;
  if (data.hidden) return t.hiddenRoom;
  if (status === 404) return t.noSuchRoom;
  if (status === 408) return t.tooSlow;
  if (status === 413) return t.tooLong;
  if (status === 429 || status >= 500) return t.away.replace("{s}", wait || 5);
  return t.refused;
}
