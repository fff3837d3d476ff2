// A bar chart from its data: drawn by the page, so that it follows its colours; told in words beside it.
import { el } from "/static/card.js";

const SVG = "http://www.w3.org/2000/svg";

export function buildChart(chart) {
  const longest = Math.max(1, ...chart.bars.map((bar) => bar.value));
  return el("figure", { class: "chart", role: "img", "aria-label": chart.told },
    el("figcaption", { text: chart.title }),
    ...chart.bars.map((bar) => el("div", { class: "bar" },
      el("span", { class: "bar-label", text: bar.label }),
      line(bar.value / longest),
      el("span", { class: "bar-value", text: bar.value }))));
}

// As attributes of a picture: a style attribute would be against the page's policy.
function line(share) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 8");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.append(rect("bar-track", 100), rect("bar-fill", share > 0 ? Math.max(1, 100 * share) : 0));
  return svg;
}

function rect(name, width) {
  const node = document.createElementNS(SVG, "rect");
  for (const [key, value] of Object.entries({ class: name, width, height: 8 })) node.setAttribute(key, value);
  return node;
}
