// The page behind a sign-in link. The secret stands behind the #, which no server and no prefetcher
// gets to see; only the button spends it.
import { fault } from "/static/faults.js";
import { ask } from "/static/requests.js";
import { readerLanguage, texts } from "/static/texts.js";

const lang = readerLanguage();
const t = texts(lang);
const told = document.getElementById("told"), enter = document.getElementById("enter");
const token = location.hash.slice(1);

document.documentElement.lang = lang;
told.textContent = token ? t.linkHere : t.linkNeeded;
enter.textContent = t.enter;
enter.hidden = !token;
enter.addEventListener("click", async () => {
  enter.disabled = true;
  const answer = await ask("/chat/login", { body: { token } });
  if (answer.status === 200) return location.replace("/");
  const isSpent = answer.status === 403;
  told.textContent = isSpent ? t.linkSpent : fault(t, answer);
  enter.hidden = isSpent;
  enter.disabled = false;
});
if (token) enter.focus();
