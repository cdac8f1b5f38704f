// What has been played over time: ratings by day, and what games came to.

import { botLink, ladderLink } from "./addresses.js";
import { askPatiently, query } from "./api.js";
import { overTime } from "./charts.js";
import { card, h, link, number, table } from "./dom.js";
import { gameTable } from "./game_table.js";
import * as words from "./words.js";

const OUTCOMES = ["#Games", "#Won", "#Drawn", "#Lost"];

export async function botHistory(root, { name }, signal) {
  const path = encodeURIComponent(name);
  const [ratings, found] = await Promise.all([
    askPatiently(`/bots/${path}/ratings`, signal),
    askPatiently(`/bots/${path}/statistics`, signal),
  ]);
  const ladders = [...new Set(ratings.lines.map((line) => line.ladder))];
  root.append(
    h("h1", {}, "History of ", botLink(name)),
    ...ladders.map((ladder) => card(`Rating in ${ladder}`,
      chart(`Ratings of ${name} in ${ladder}`, ratings.lines.filter((line) => line.ladder === ladder)))),
    ...(ladders.length ? [] : [card("Rating", h("p", { class: "note" }, "Known after the bot's first games in a ladder."))]),
    h("div", { class: "columns" },
      h("div", {},
        card("Opponents", counted("Opponents", "Opponent", found.opponents, ({ opponent }) => link(versusPath(name, opponent), opponent))),
        card("Versions", counted("Versions", "Version", found.versions, (each) => [
          link(`/games${query({ bot: name, ladder: each.ladder, version: versionOf(each.name) })}`, each.name), " in ", ladderLink(each.ladder)]))),
      h("div", {},
        card("By seat", counted("By seat", "Seat", bySeat(found.endings), ({ seat }) => (seat ? "moves second" : "moves first"))),
        card("By way of ending", counted("By way of ending", "Ending", byReason(found.endings), ({ reason }) =>
          link(`/games${query({ bot: name, reason })}`, reason === "normal" ? "played out" : words.reason(reason)))),
        card("By length", counted("By length", "Sowings", found.lengths, ({ plies, below }) => `${plies}–${below - 1}`)),
        card("By opening", counted("By opening", "Opening", found.openings, ({ opening }) =>
          (opening ? link(`/analysis${query({ board: opening })}`, opening) : "the standard start"))))),
  );
}

export async function versus(root, { name, other }, signal) {
  const [found, played] = await Promise.all([
    askPatiently(`/bots/${encodeURIComponent(name)}/vs/${encodeURIComponent(other)}`, signal),
    askPatiently(`/games${query({ bot: name, opponent: other, limit: 20 })}`, signal),
  ]);
  const sum = total([found.first, found.second]);
  const seats = [["moves first", found.first], ["moves second", found.second], ["in all", sum]];
  root.append(
    h("h1", {}, botLink(name), " against ", botLink(other)),
    card("Head to head",
      h("p", {}, sum.games ? `${name} won ${sum.wins}, drew ${sum.draws} and lost ${sum.losses} of ${sum.games} games.` : "They have not met yet."),
      counted("Head to head", name, seats.map(([seat, counts]) => ({ seat, counts })), ({ seat }) => seat),
      h("p", {}, link(versusPath(other, name), `As ${other} sees it`))),
    card("Latest games", gameTable("Latest games", played.games, "They have not met yet."),
      h("p", {}, link(`/games${query({ bot: name, opponent: other })}`, "All their games"))),
  );
}

export async function ladderHistory(root, { name }, signal) {
  const { lines } = await askPatiently(`/ladders/${encodeURIComponent(name)}/ratings`, signal);
  root.append(
    h("h1", {}, "History of ", ladderLink(name)),
    card("Ratings of the leading versions", lines.length
      ? chart(`Ratings in ${name}`, lines) : h("p", { class: "note" }, "Known after the first games of the ladder.")),
    ...(lines.length ? [card("Leading versions", table("Leading versions", ["Version", "#Rating", "#Games", "Since"],
      lines.map(({ name: version, bot, points }) => h("tr", {},
        h("td", { class: "name" }, link(`/bots/${encodeURIComponent(bot)}/history`, version)),
        number(Math.round(points.at(-1).rating)), number(points.at(-1).games), h("td", { class: "quiet" }, points[0].day)))))] : []),
  );
}

const versusPath = (name, other) => `/bots/${encodeURIComponent(name)}/vs/${encodeURIComponent(other)}`;

const versionOf = (name) => name.split("@").slice(1).join("@");

const chart = (label, lines) => overTime(label, lines.map(({ name, points }) => ({
  name,
  points: points.map(({ day, rating: value, interval: [low, high] }) => ({ day, value, low, high })),
})));

const total = (list) => Object.fromEntries(["games", "wins", "draws", "losses"].map(
  (key) => [key, list.reduce((sum, counts) => sum + counts[key], 0)]));

const bySeat = (endings) => [0, 1].map((seat) => ({
  seat,
  counts: total(endings.filter((each) => each.seat === seat && each.reason !== "aborted").map((each) => each.counts)),
}));

function byReason(endings) {
  const reasons = [...new Set(endings.map((each) => each.reason))];
  return reasons.map((reason) => ({ reason, counts: total(endings.filter((each) => each.reason === reason).map((each) => each.counts)) }))
    .sort((one, two) => two.counts.games - one.counts.games);
}

function counted(caption, head, list, first) {
  if (!list.length) return h("p", { class: "note" }, "Nothing yet.");
  return table(caption, [head, ...OUTCOMES], list.map((each) => h("tr", {},
    h("td", {}, first(each)),
    ...[each.counts.games, each.counts.wins, each.counts.draws, each.counts.losses].map(number))));
}
