// Sends a file ahead of the message or the form that it belongs to.
const DEADLINE_MS = 60_000; // the server takes 20 seconds at most; several share the way
const ALIASES = { jpeg: "jpg", tsv: "csv", markdown: "md" };

// What the service takes, and who sends from where: the page says it once.
export const taken = { mb: 0, kinds: [], here: () => "", who: () => null };

// Why the service would surely not take the file, "" when it may: what is in it, the service looks at.
export function refusal(file, t, wanted = taken.kinds) {
  const end = file.name.includes(".") ? file.name.split(".").pop().toLowerCase() : "";
  if (file.size > taken.mb * 1048576) return t.fileTooLarge.replace("{name}", file.name).replace("{mb}", taken.mb);
  const may = !wanted.length || wanted.includes(ALIASES[end] ?? end) || !file.type || file.type.startsWith("text/");
  return may ? "" : t.fileKind.replace("{name}", file.name).replace("{kinds}", wanted.join(", "));
}

// Answers { name, id, state, request }: `state` is "sending", then "ready" with an id, or "failed".
// `went(percent)` and `ended(fault)` are told how it goes; "" is no fault.
export function upload(file, t, went, ended) {
  const one = { name: file.name.slice(0, 255), id: "", state: "sending", request: new XMLHttpRequest() };
  const { request } = one;
  const end = (fault) => {
    one.state = fault ? "failed" : "ready";
    ended(fault.replace("{mb}", taken.mb));
  };
  request.open("POST", `/chat/files?${new URLSearchParams({ room: taken.here(), person: taken.who().id })}`);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.upload.onprogress = (event) => { if (event.lengthComputable) went((100 * event.loaded) / event.total); };
  request.onload = () => {
    const done = request.status === 201;
    if (done) one.id = JSON.parse(request.responseText).id;
    end(done ? "" : t.uploadFaults[request.status] ?? t.uploadFaults[0]);
  };
  request.onerror = () => end(t.uploadFaults[0]);
  request.timeout = DEADLINE_MS;
  request.ontimeout = () => end(t.uploadFaults[408]);
  request.send(file);
  return one;
}
