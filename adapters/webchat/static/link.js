// Whether the page hears the service; said only when that changes.
import { texts } from "/static/texts.js";

const TOLD_MS = 4000;

export function link(language) {
  const node = document.getElementById("link");
  const lost = () => node.classList.contains("lost");
  return (there) => {
    if (there && !lost()) return;
    node.classList.toggle("lost", !there);
    node.textContent = texts(language())[there ? "online" : "offline"];
    if (there) setTimeout(() => { if (!lost()) node.textContent = ""; }, TOLD_MS);
  };
}
