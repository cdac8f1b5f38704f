// Creates elements without a framework. Text is inserted as text, never as markup, so names are harmless.

const SVG = "http://www.w3.org/2000/svg";

export const h = (tag, attributes = {}, ...children) =>
  build(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS(SVG, tag), attributes, children);

export const link = (target, ...children) => h("a", { href: target }, ...children);

export const number = (value) => h("td", { class: "number" }, value);

export function table(caption, heads, rows) {
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      {},
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, ...heads.map(head))),
      h("tbody", {}, ...rows),
    ),
  );
}

export const card = (title, ...children) =>
  h("section", { class: "card" }, title && h("h2", {}, title), ...children);

function head(text) {
  const isNumber = text.startsWith("#");
  return h("th", { scope: "col", class: isNumber ? "number" : "" }, isNumber ? text.slice(1) : text);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}
