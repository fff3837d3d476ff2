// The page behind a sign-in link. The secret stands behind the #, which no server and no prefetcher
// gets to see; only the button spends it.
import { texts } from "/static/texts.js";

const lang = localStorage.getItem("signoff.lang")
  ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
const t = texts(lang);
const told = document.getElementById("told"), enter = document.getElementById("enter");
const token = location.hash.slice(1);

document.documentElement.lang = lang;
told.textContent = token ? t.linkHere : t.linkNeeded;
enter.textContent = t.enter;
enter.hidden = !token;
enter.addEventListener("click", async () => {
  enter.disabled = true;
  const status = await spend();
  if (status === 200) return location.replace("/");
  told.textContent = status === 403 ? t.linkSpent : t.again;
  enter.hidden = status === 403;
  enter.disabled = false;
});
if (token) enter.focus();

async function spend() {
  try {
    const response = await fetch("/chat/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    return response.status;
  } catch {
    return 0;
  }
}
