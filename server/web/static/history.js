// What has been played over time: ratings by day, and what games came to.

import { botLink, ladderLink } from "./addresses.js";
import { askPatiently, query } from "./api.js";
import { overTime } from "./charts.js";
import { card, h, link, nameCell, nothingYet, number, parted, table } from "./dom.js";
import { gameTable } from "./game_table.js";
import { rich, t } from "./opened.js";
import * as words from "./words.js";


export async function botHistory(root, { name }, signal) {
  const path = encodeURIComponent(name);
  const [ratings, found] = await Promise.all([
    askPatiently(`/bots/${path}/ratings`, signal),
    askPatiently(`/bots/${path}/statistics`, signal),
  ]);
  const ladders = [...new Set(ratings.lines.map((line) => line.ladder))];
  root.append(
    h("h1", {}, ...rich("History of {{name}}", { name: botLink(name) })),
    ...ladders.map((ladder) => card(t("Rating in {{ladder}}", { ladder }),
      chart(t("{{bot}} in {{ladder}}", { bot: name, ladder }), ratings.lines.filter((line) => line.ladder === ladder)))),
    ...(ladders.length ? [] : [card(t("Rating"), nothingYet(t("Known after the bot's first games in a ladder.")))]),
    found.opponents.length > 0 && h("div", { class: "columns" },
      h("div", {},
        counted(t("Opponents"), t("Opponent"), found.opponents, ({ opponent }) => link(versusPath(name, opponent), ...parted(opponent))),
        found.versions.length > 0 && counted(t("Versions"), t("Version"), found.versions, (each) => rich("{{bot}} in {{ladder}}", {
          bot: link(`/games${query({ bot: name, ladder: each.ladder, version: versionOf(each.name) })}`, ...parted(each.name)), ladder: ladderLink(each.ladder) }))),
      h("div", {},
        counted(t("By seat"), t("Seat"), bySeat(found.endings), ({ seat }) => (seat ? t("moves second") : t("moves first"))),
        counted(t("By way of ending"), t("Ending"), byReason(found.endings), ({ reason }) =>
          link(`/games${query({ bot: name, reason })}`, words.reason(reason))),
        counted(t("By length"), t("Moves"), found.lengths, ({ plies, below }) => `${plies}–${below - 1}`),
        counted(t("By opening"), t("Opening"), found.openings, ({ opening }) =>
          (opening ? link(`/analysis${query({ board: opening })}`, opening) : t("the standard start"))))),
  );
}

export async function versus(root, { name, other }, signal) {
  const [found, played] = await Promise.all([
    askPatiently(`/bots/${encodeURIComponent(name)}/vs/${encodeURIComponent(other)}`, signal),
    askPatiently(`/games${query({ bot: name, opponent: other, limit: 20 })}`, signal),
  ]);
  const sum = total([found.first, found.second]);
  const seats = [[t("moves first"), found.first], [t("moves second"), found.second], [t("in all"), sum]];
  const { games, wins, draws, losses } = sum;
  root.append(
    h("h1", {}, ...rich("{{one}} against {{two}}", { one: botLink(name), two: botLink(other) })),
    card(t("Head to head"),
      h("p", {}, games ? t("{{bot}} won {{wins}}, drew {{draws}} and lost {{losses}} of {{games}} games.", { bot: name, wins, draws, losses, games }) : t("They have not met yet.")),
      outcomes(t("Head to head"), name, seats.map(([seat, counts]) => ({ seat, counts })), ({ seat }) => seat),
      h("p", {}, link(versusPath(other, name), t("As {{bot}} sees it", { bot: other })))),
    card(t("Latest games"), gameTable(t("Latest games"), played.games, t("They have not met yet.")),
      h("p", {}, link(`/games${query({ bot: name, opponent: other })}`, t("All games")))),
  );
}

export async function ladderHistory(root, { name }, signal) {
  const { lines } = await askPatiently(`/ladders/${encodeURIComponent(name)}/ratings`, signal);
  root.append(
    h("h1", {}, ...rich("History of ladder {{name}}", { name: ladderLink(name) })),
    card(t("Ratings of the leading versions"), lines.length
      ? chart(t("Ratings in {{ladder}}", { ladder: name }), lines) : nothingYet(t("Known after the first games of the ladder."))),
    ...(lines.length ? [card(t("Leading versions"), table(t("Leading versions"), [t("Version"), `#${t("Rating")}`, `#${words.games()}`, t("Since")],
      lines.map(({ name: version, bot, points }) => h("tr", {},
        nameCell(link(`/bots/${encodeURIComponent(bot)}/history`, ...parted(version))),
        number(String(Math.round(points.at(-1).rating))), number(points.at(-1).games), h("td", { class: "quiet" }, points[0].day)))))] : []),
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

const counted = (title, head, list, first) => card(title, outcomes(title, head, list, first));

function outcomes(caption, head, list, first) {
  return table(caption, [head, ...words.outcomes()], list.map((each) => h("tr", {},
    h("td", { class: "wraps" }, first(each)),
    ...[each.counts.games, each.counts.wins, each.counts.draws, each.counts.losses].map(number))));
}
