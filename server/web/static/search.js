// Games searched by who played whom, how they ended, and when.

import { askPatiently, query } from "./api.js";
import { card, h, update } from "./dom.js";
import { gameTable } from "./game_table.js";
import { t } from "./opened.js";
import * as words from "./words.js";

const TEXTS = { bot: t("Bot"), opponent: t("Opponent"), version: t("Version"), ladder: t("Ladder") };
const CHOICES = {
  status: [t("State"), { running: t("running"), over: t("over") }],
  result: [t("Result"), { win: t("won"), draw: t("drawn"), loss: t("lost") }],
  reason: [t("Ending"), Object.fromEntries(
    ["normal", "majority", "timeout", "illegal", "resigned", "disconnected", "protocol", "aborted", "wedged"].map(
      (word) => [word, words.reason(word)]))],
};
const DAYS = { since: t("From"), until: t("To") };
const KEYS = [...Object.keys(TEXTS), ...Object.keys(CHOICES), ...Object.keys(DAYS)];
const MOST_PAGES = 20;

export async function games(root, parameters, signal) {
  const place = h("div");
  const more = h("button", { type: "button" }, t("Earlier games"));
  const wanted = Object.fromEntries(KEYS.map((key) => [key, parameters[key]]));
  root.append(h("h1", {}, t("Games")), filters(wanted), card(null, place, h("p", {}, more)));
  let found = [];
  let cursor = null;
  const load = async () => {
    more.disabled = true;
    const before = found.length;
    // A rare kind of game may be far back: a page that found none has the cursor of the next one.
    for (let page = 0; page === 0 || (page < MOST_PAGES && found.length === before && cursor !== null); page += 1) {
      const answer = await askPatiently(`/games${query({ ...wanted, cursor })}`, signal);
      found = [...found, ...answer.games];
      cursor = answer.next;
    }
    update(place, gameTable(t("Games"), found, cursor === null ? t("No such game") : t("None among the latest games.")));
    more.hidden = cursor === null;
    more.disabled = false;
  };
  more.addEventListener("click", load);
  await load();
}

function filters(wanted) {
  const given = (key) => wanted[key] ?? "";
  const inputs = {
    ...each(TEXTS, (key) => h("input", { name: key, value: given(key), autocomplete: "off", maxlength: 64 })),
    ...each(CHOICES, (key, [, options]) => h("select", { name: key }, ...Object.entries({ "": t("any"), ...options }).map(
      ([value, text]) => h("option", { value, selected: value === given(key) }, text)))),
    ...each(DAYS, (key) => h("input", { name: key, type: "date", value: given(key) })),
  };
  const labels = { ...TEXTS, ...each(CHOICES, (_key, [label]) => label), ...DAYS };
  const submit = (event) => {
    event.preventDefault();
    location.href = `/games${query(each(inputs, (_key, input) => input.value.trim()))}`;
  };
  return h("form", { class: "filters", submit },
    ...KEYS.map((key) => h("label", {}, labels[key], inputs[key])), h("button", {}, t("Show")));
}

const each = (object, act) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, act(key, value)]));
