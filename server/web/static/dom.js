// Creates and updates elements without a framework. Text is inserted as text, never as markup.

import { decimal, opened, t } from "./opened.js";

const SVG = "http://www.w3.org/2000/svg";

export const h = (tag, attributes = {}, ...children) =>
  build(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS(SVG, tag), attributes, children);

export const link = (target, ...children) => h("a", { href: target }, ...children);

export const number = (value) => h("td", { class: "number" }, typeof value === "number" ? decimal(value) : value);

// A button. What is said by voice is what is read on it, so only a sign is named by its label.
const WORD = /\p{L}/u;
export const button = (text, click, label = null) =>
  h("button", { type: "button", click, "aria-label": WORD.test(text) ? null : label, title: label }, text);

// A table. A head that begins with "#" is of numbers; one with "~" is of what phones leave out, with "~~" tablets, too.
export function table(caption, heads, rows, kind = null) {
  heads.forEach((text, column) => {
    const kinds = ["late", "spare"].slice(0, text.match(/^~*/)[0].length);
    rows.forEach((row) => row.children[column]?.classList.add(...kinds));
  });
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: kind },
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, ...heads.map((text, column) => head(text, rows[0]?.children[column])))),
      h("tbody", {}, ...rows),
    ),
  );
}

// Where a name may go on in the next line: before a version, after signs, where a capital begins a word, and in what is longer
// than a column of a phone.
const SEAMS = /(?=@)|(?<=[_+\s-])|(?<=\.)(?=\p{L})|(?<=\p{Ll})(?=\p{Lu})/u;
const LONGEST_PIECE = 14;

export const parted = (name) => name.split(SEAMS)
  .flatMap((piece) => (piece.length > LONGEST_PIECE ? piece.match(/.{1,12}/gu) : [piece]))
  .flatMap((piece, place) => (place ? [h("wbr"), piece] : [piece]));

export const nameCell = (...children) => h("td", { class: "name" }, ...children.flatMap((child) => (typeof child === "string" ? parted(child) : [child])));

export const card = (title, ...children) =>
  h("section", { class: "card" }, title && h("h2", {}, title), ...children);

// What stands where nothing is to be shown yet: why, and the ways on, of which a file has none.
export const nothingYet = (why, ways = opened.isFile ? [] : [["/play", t("Play")], ["/take-part", t("Take part")]]) =>
  h("p", { class: "note" }, why, ...ways.flatMap(([target, text], place) => [place ? " · " : " ", link(target, text)]));

// Copies an address, the page's or another, and says so on the button that was pressed.
export async function copyLink(place, address = location.href) {
  const text = place.textContent;
  try {
    await navigator.clipboard.writeText(address);
    place.textContent = t("Copied");
  } catch {
    place.textContent = t("Copy it from the address bar");
  }
  setTimeout(() => { place.textContent = text; }, 2000);
}

// The content of a list of facts, without those that are unknown: [[term, value], …].
export const facts = (pairs) =>
  pairs
    .filter(([, value]) => value != null && value !== "")
    .flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]);

// Makes the children of a place equal to new ones. An element that stays the same stays in place, with
// its focus and scroll; elements with a `data-key` are recognised by it, others by their position.
/** @param {HTMLElement} place @param {...any} fresh */
export const update = (place, ...fresh) => keepFocus(place, () => renew(place, fresh));

// Acts, and where that removes, hides or disables what has the focus, gives it to another place.
/** @param {HTMLElement} place @param {() => void} act */
export function keepFocus(place, act) {
  const held = /** @type {any} */ (document.activeElement);
  act();
  if (!held || held === document.body || ![held, document.body].includes(document.activeElement)) return;
  const next = held.checkVisibility() && !held.disabled ? held : place;
  if (next.tabIndex < 0) next.tabIndex = -1;
  next.focus();
}

function renew(place, fresh) {
  const known = new Map(/** @type {any[]} */ ([...place.children]).filter((old) => old.dataset?.key).map((old) => [old.dataset.key, old]));
  let at = /** @type {any} */ (place.firstChild);
  for (const node of fresh.flat().filter((child) => child != null && child !== false)) {
    const wanted = /** @type {any} */ (node instanceof Node ? node : document.createTextNode(node));
    const old = known.get(wanted.dataset?.key) ?? (at?.dataset?.key ? null : at);
    const kept = old && isAlike(old, wanted) ? old : null;
    if (kept !== at || kept === null) place.insertBefore(kept ?? wanted, at);
    if (kept !== null) patch(kept, wanted);
    if (kept === at && at !== null) at = at.nextSibling;
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

const isAlike = (old, wanted) =>
  old.nodeName === wanted.nodeName && (old.dataset?.key ?? "") === (wanted.dataset?.key ?? "");

function patch(old, wanted) {
  if (old === wanted) return;
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  renew(old, [...wanted.childNodes]);
}

const head = (text, below) => h("th", {
  scope: "col", class: ["number", "name", "late", "spare"].filter((kind) => (kind === "number" ? /^~*#/.test(text) : below?.classList.contains(kind))).join(" "),
}, text.replace(/^~*#?/, ""));

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}
