// Shows the page that the server named, with the data that came with it.

import { ApiError } from "./api.js";
import { h } from "./dom.js";
import { opened, t } from "./opened.js";

const main = document.getElementById("main");

async function show({ page, module, parameters }) {
  const root = h("div");
  main.append(root);
  markSection();
  const shown = new AbortController();
  try {
    const pages = await import(module);
    await pages[page](root, parameters, shown.signal);
  } catch (error) {
    shown.abort();
    root.replaceChildren(...explain(error));
  }
}

const explain = (error) => [
  h("h1", {}, error instanceof ApiError && [400, 404].includes(error.status) ? t("Not found") : t("This page could not be loaded")),
  h("p", { class: "note" }, error.message),
];

function markSection() {
  const section = `/${location.pathname.split("/")[1]}`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === section) link.setAttribute("aria-current", "page");
  }
}

// Another language keeps the page as it is.
for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".languages a"))) {
  link.addEventListener("click", () => {
    const parameters = new URLSearchParams(location.search);
    parameters.set("lang", link.lang);
    link.search = `${parameters}`;
    link.pathname = location.pathname;
  });
}

// Addresses of earlier versions had the page after `#`.
if (location.hash.startsWith("#/")) location.replace(location.hash.slice(1));
else show(opened);

// An installed page shows without a connection what it has shown before; see worker.js.
if (matchMedia("(display-mode: standalone)").matches) navigator.serviceWorker?.register("/worker.js");
