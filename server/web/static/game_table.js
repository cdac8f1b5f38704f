// Games as a table, each with a way to its replay.

import { botLink, gameAddress } from "./addresses.js";
import { h, link, nameCell, nothingYet, number, table } from "./dom.js";
import { t } from "./opened.js";
import * as words from "./words.js";

export const status = (game) =>
  h("span", { class: `pill ${game.status === "running" ? "live" : "over"}` }, game.status === "running" ? t("live") : t("over"));

export function gameTable(caption, list, nothing) {
  if (!list.length) return nothingYet(nothing);
  const isDated = list.some((game) => game.started_at);
  const heads = [t("Game"), t("First"), t("Second"), t("Result"), `~#${t("Moves")}`, ...(isDated ? [`~${t("Started")}`] : [])];
  return table(caption, heads, list.map((game) => row(game, isDated)), "games");
}

// How a game ended. Stores say nothing of a game that was forfeited, so its reason comes first.
function result({ stores, reason, annulled }) {
  if (annulled) return h("span", { class: "quiet small" }, t("annulled"));
  if (words.isForfeit(reason)) return [words.reason(reason), " ", h("span", { class: "quiet small" }, t("at {{score}}", { score: words.score(stores) }))];
  return [h("span", { class: "score" }, words.score(stores)), " ", reason && reason !== "normal" && h("span", { class: "quiet small" }, words.reason(reason))];
}

// Both players, the winner in bold.
export const playerCells = ({ players, winner, annulled }, shown) =>
  players.map((name, seat) => nameCell(winner === seat && !annulled ? h("strong", {}, shown(name)) : shown(name)));

function row(game, isDated) {
  const isRunning = game.status === "running";
  const [one, two] = game.players;
  const replay = link(gameAddress(game.game), isRunning ? t("watch") : t("replay"));
  replay.setAttribute("aria-label", isRunning ? t("watch {{one}} against {{two}}", { one, two }) : t("replay {{one}} against {{two}}", { one, two }));
  return h("tr", { "data-key": game.game },
    h("td", {}, replay),
    ...playerCells(game, (name) => botLink(name)),
    h("td", {}, isRunning ? status(game) : result(game)),
    number(game.plies),
    isDated && h("td", { class: "quiet" }, game.started_at ? words.when(game.started_at) : ""));
}
