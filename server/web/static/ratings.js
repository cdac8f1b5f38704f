// Standings, who beats whom, and how well bots play against perfect play.

import { botLink, isFile } from "./addresses.js";
import { bar, whisker } from "./charts.js";
import { h, link, nameCell, nothingYet, number, table } from "./dom.js";
import { decimal, percent, t } from "./opened.js";
import { games as gamesHead, outcomes, signed as withSign } from "./words.js";

const SURE = 0.975;
const UNCONNECTED = { share: 0.5, text: "–", title: t("no games connect them"), isSure: false };

// The bot of a rated version: `bot@version`, an `@` of its own written `%40`.
const botOf = (version) => version.split("@")[0].replaceAll("%40", "@");

const versionLink = (version) => botLink(isFile ? version : botOf(version), version);

// Ratings compare only those that games connect, so each such group has a table of its own.
export function standings(list, nothing) {
  if (!list.length) return nothingYet(nothing);
  const groups = [...new Set(list.map(({ group }) => group).filter((group) => group != null))].sort((a, b) => a - b);
  if (groups.length < 2) return ranking(t("Standings"), list);
  return h("div", {},
    h("p", { class: "note" }, t("The groups are unconnected: no bot of one has met a bot of another, so only ratings within a group can be compared.")),
    ...groups.flatMap((group) => [h("h3", {}, t("Group {{group}}", { group })),
      ranking(t("Standings of group {{group}}", { group }), within(list.filter((line) => line.group === group)))]),
    ...ungrouped(list.filter(({ group }) => group == null)));
}

// Rows with their ranks in a group of their own.
const within = (lines) => lines.map((line) => {
  const before = lines.filter(({ rating }) => rating > line.rating).length;
  return { ...line, rank: before + 1, rank_range: null };
});

const ungrouped = (list) => (list.length ? [h("h3", {}, t("Not rated together with the others yet")), ranking(t("Not rated together with the others yet"), list)] : []);

function ranking(caption, list) {
  const ends = list.flatMap((line) => line.interval ?? []);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const isReviewed = list.some((line) => line.accuracy);
  const hasMoved = list.some((line) => line.rating_yesterday != null);
  const hasMargins = list.some((line) => line.margin != null);
  const heads = [`#${t("Rank")}`, isFile ? t("Player") : t("Bot"), `#${t("Rating")}`, ...(hasMoved ? [`~#${t("Since yesterday")}`] : []), `~~${t("95 % interval")}`, `~~#${t("Rank range")}`, ...outcomes().map((head) => `~${head}`), `${isFile ? "" : "~"}#${t("Points")}`,
    ...(hasMargins ? [`#${t("Seeds ahead")}`] : []), ...(isReviewed ? [`#${t("Seeds lost a move")}`] : [])];
  return table(caption, heads, list.map((line) => h("tr", { "data-key": line.name },
    number(line.rank),
    nameCell(botLink(line.bot, line.name)),
    number(line.rating == null ? "–" : signed(Math.round(line.rating))),
    ...(hasMoved ? [number(line.rating_yesterday == null || line.rating == null ? "–" : withSign(Math.round(line.rating - line.rating_yesterday)))] : []),
    h("td", { class: "wide" }, line.interval ? interval(line, low, high) : ""),
    number(line.rank_range ? [...new Set(line.rank_range)].join("–") : "–"),
    ...[line.games, line.wins, line.draws, line.losses, line.points].map(number),
    ...(hasMargins ? [number(withSign(line.margin))] : []),
    ...(isReviewed ? [number(line.accuracy ? lossOf(line.accuracy) : "–")] : []))), "standings");
}

// In a report the mean rating is 0, so differences have a sign; on a server ratings are far above 0.
const signed = (value) => (isFile && value > 0 ? `+${value}` : `${value}`.replace("-", "−"));

function interval({ rating, interval: [low, high] }, least, most) {
  return whisker(t("{{low}} to {{high}}", { low: signed(Math.round(low)), high: signed(Math.round(high)) }), { value: rating, low, high }, least, most);
}

// The likelihood, in percent, that the row's bot is stronger than the column's.
export function superiority({ names, los }) {
  if (names.length < 2) return h("p", { class: "note" }, t("Known a little after the first games of two bots."));
  return square(t("Who is stronger"), t("Stronger than …"), names, (row, column) => (los[row][column] === null ? UNCONNECTED
    : { share: los[row][column], text: likelihood(los[row][column]), isSure: Math.abs(los[row][column] - 0.5) >= SURE - 0.5 }));
}

// Whether one number each explains who beats whom, and the pairs that it explains least.
export function misfit(found) {
  if (!found) return h("p", { class: "note" }, t("Known once three players have met each other."));
  const { chi_square: value, degrees, chance, on_one_line: isOne, widening, residuals, left_out: leftOut } = found;
  const figures = t("chi-square {{value}} on {{degrees}} degrees of freedom", { value: decimal(value, 1), degrees: decimal(degrees, 1) });
  const verdict = isOne ? t("One number each explains the results ({{figures}}, chance {{chance}}).", { figures, chance: percent(chance) })
    : t("One number each does not explain the results ({{figures}}).", { figures });
  const wider = widening > 1 && t("All intervals are {{factor}} times as wide for it.", { factor: decimal(widening, 2) });
  const note = h("p", { class: "note" }, verdict, wider && ` ${wider}`, leftOut.length > 0 && ` ${t("The ratings leave out the games of unusual pairs, which come first in the table.")}`);
  return h("div", {}, note, ...leftOut.length || residuals.length ? [pairs([...leftOut, ...residuals])] : []);
}

const pairs = (residuals) => table(t("Pairs that differ most from what their other games let expect"),
  [t("First"), t("Second"), ...[gamesHead(), t("Points of the first"), t("Expected")].map((head) => `~#${head}`), `#${t("Deviations")}`, t("Note")],
  residuals.map(({ players: [one, two], games, points, expected, deviations, unusual }) => h("tr", { "data-key": `${one} ${two}` },
    nameCell(versionLink(one)), nameCell(versionLink(two)),
    ...[games, points, decimal(expected, 1), decimal(deviations, 1)].map(number), h("td", {}, unusual ? t("unusual") : ""))));

// The points, in percent, that the row's player took from the column's.
export function crosstable({ names, points, games }) {
  return square(t("Each against each"), t("Points against …"), names, (row, column) => {
    const met = games[row][column];
    if (!met) return null;
    const share = points[row][column] / met;
    const title = t("{{one}} against {{two}}: {{points}} of {{games}}", { one: names[row], two: names[column], points: points[row][column], games: met });
    return { share, text: String(Math.round(100 * share)), title };
  });
}

function square(caption, head, names, cell) {
  const heads = [head, ...names.map((_name, column) => String(column + 1))];
  return table(caption, heads, names.map((name, row) => h("tr", { "data-key": name },
    nameCell(`${row + 1}. `, versionLink(name)),
    ...names.map((_name, column) => {
      const found = row === column ? null : cell(row, column);
      return h("td", { class: found && shade(found), title: found?.title }, found?.text);
    }))), "square");
}

// Shades in steps of a class, since the page's policy forbids styles in elements.
const shade = ({ share, isSure }) => {
  const strength = Math.round(8 * Math.abs(share - 0.5));
  return `${share >= 0.5 ? "good" : "bad"}-${strength}${isSure ? " sure" : ""}`;
};

function likelihood(chance) {
  if (chance >= 0.995) return "> 99";
  if (chance <= 0.005) return "< 1";
  return String(Math.round(100 * chance));
}

// A rating that no game changes: an anchor's, or that of a level that holds the ladder's scale.
const isFixed = ({ interval }) => Boolean(interval) && interval[0] === interval[1];

// A rating in words; null where there is none yet.
export function rating(standing) {
  const { rating: value, interval } = standing;
  if (value == null) return null;
  const elo = `${Math.round(value)} Elo`;
  const [low, high] = (interval ?? []).map((end) => String(Math.round(end)));
  if (isFixed(standing)) return t("{{elo}}, fixed", { elo });
  return interval ? t("{{elo}}, between {{low}} and {{high}}", { elo, low, high }) : elo;
}

// The opponents that say most about each rating of a bot.
export function basis(ladders) {
  const known = ladders.filter((place) => place.rests_on.length);
  if (!known.length) {
    return h("p", { class: "note" }, ladders.some(({ standing }) => isFixed(standing)) ? t("The rating is fixed: those of others are measured by it.")
      : t("Known after the bot's first games in a ladder."));
  }
  return h("div", {}, ...known.flatMap(({ ladder, standing, rests_on: shares }) => {
    const title = t("{{bot}} in {{ladder}}", { bot: standing.name, ladder });
    return [h("h3", {}, title), table(t("What the rating of {{bot}} rests on", { bot: title }), [t("Games with"), `#${t("Share")}`],
      shares.map(({ opponent, share }) => h("tr", { "data-key": opponent }, h("td", {}, versionLink(opponent)), number(percent(share)))))];
  }));
}

const PHASES = { opening: t("Opening"), early: t("Early"), middle: t("Middle"), late: t("Late"), end: t("End"), all: t("All") };

const lossOf = ({ loss, loss_error: error }) => `${decimal(loss, 2)}${error == null ? "" : ` ± ${decimal(error, 2)}`}`;

// The absolute axis: seeds lost a move against perfect play, and the share of moves that lose none, by phase.
export function accuracy(caption, phases, counted = t("Moves")) {
  const most = Math.max(0.1, ...phases.map(({ loss, loss_error: error }) => loss + (error ?? 0)));
  const heads = [t("Phase"), `#${counted}`, `#${t("Seeds lost a move")}`, `~${t("95 % interval")}`, `#${t("Best moves")}`, `~${t("Share")}`];
  const ordered = Object.keys(PHASES).flatMap((phase) => phases.filter((each) => each.phase === phase));
  return table(caption, heads, ordered.map((each) => h("tr", { "data-key": each.phase, class: each.phase === "all" ? "sum" : "" },
    h("td", {}, PHASES[each.phase]),
    number(each.moves),
    number(lossOf(each)),
    h("td", { class: "wide" }, whisker(t("{{loss}} seeds lost a move", { loss: lossOf(each) }), spread(each), 0, most)),
    number(percent(each.best)),
    h("td", { class: "wide" }, bar(t("{{share}} best moves", { share: percent(each.best) }), each.best)))));
}

const spread = ({ loss, loss_error: error }) => ({ value: loss, low: Math.max(0, loss - (error ?? 0)), high: loss + (error ?? 0) });
