// Routing: the part of the address after `#` selects the page.

import { ApiError, ask } from "./api.js";
import { h } from "./dom.js";
import { game } from "./game.js";
import { bot, bots, games, ladder, ladders, match, now } from "./lists.js";

const PAGES = [
  ["/", now],
  ["/ladders", ladders],
  ["/ladders/:name", ladder],
  ["/games", games],
  ["/games/:game", game],
  ["/bots", bots],
  ["/bots/:name", bot],
  ["/matches/:match", match],
];

const main = document.getElementById("main");
let shown = new AbortController();
let isFirst = true;

async function show() {
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  const root = h("div");
  main.replaceChildren(root);
  markSection();
  if (!isFirst) main.focus({ preventScroll: true });
  if (!isFirst) scrollTo(0, 0);
  isFirst = false;
  try {
    const [page, parameters] = find(location.hash.slice(1) || "/");
    await page(root, parameters, signal);
  } catch (error) {
    if (!signal.aborted) root.replaceChildren(...explain(error));
  }
}

function find(address) {
  const [path, search = ""] = address.split("?");
  const parts = path.split("/");
  for (const [pattern, page] of PAGES) {
    const wanted = pattern.split("/");
    if (wanted.length !== parts.length) continue;
    const named = fit(wanted, parts);
    if (named) return [page, { ...Object.fromEntries(new URLSearchParams(search)), ...named }];
  }
  return [unknown, {}];
}

function fit(wanted, parts) {
  const named = {};
  for (const [place, word] of wanted.entries()) {
    if (word.startsWith(":")) named[word.slice(1)] = decodeURIComponent(parts[place]);
    else if (word !== parts[place]) return null;
  }
  return named;
}

async function unknown(root) {
  root.append(h("h1", {}, "There is no such page"));
}

const explain = (error) => [
  h("h1", {}, error instanceof ApiError && error.status === 404 ? "Not found" : "This page could not be loaded"),
  h("p", { class: "note" }, error.message),
];

function markSection() {
  const section = `#/${location.hash.split(/[/?]/)[1] ?? ""}`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === section) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

async function nameServer() {
  const { server } = await ask("", new AbortController().signal);
  document.getElementById("server").textContent = server;
  document.title = `${server} · Mancala Arena`;
}

addEventListener("hashchange", show);
show();
nameServer().catch(() => {});
