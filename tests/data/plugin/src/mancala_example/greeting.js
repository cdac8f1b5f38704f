// A page that greets, and counts the bots that the server knows.

import { ask } from "./api.js";
import { h } from "./dom.js";
import { t } from "./opened.js";

export async function greeting(root, _parameters, signal) {
  const { bots } = await ask("/bots", signal);
  root.append(h("h1", {}, t("Greeting")), h("p", {}, `Bots so far: ${bots.length}`));
}
