// Standings, who beats whom, and how well bots play against perfect play.

import { botLink, isFile } from "./addresses.js";
import { bar, whisker } from "./charts.js";
import { h, link, number, table } from "./dom.js";

const SURE = 0.975;
const UNCONNECTED = { share: 0.5, text: "–", title: "no games connect them", isSure: false };

const percent = (share) => `${Math.round(100 * share)} %`;

// The bot of a rated version: `bot@version`, an `@` of its own written `%40`.
const botOf = (version) => version.split("@")[0].replaceAll("%40", "@");

const versionLink = (version) => botLink(isFile ? version : botOf(version), version);

// Ratings compare only those that games connect, so each such group has a table of its own.
export function standings(list, nothing) {
  if (!list.length) return h("p", { class: "note" }, nothing);
  const groups = [...new Set(list.map(({ group }) => group).filter((group) => group != null))].sort((a, b) => a - b);
  if (groups.length < 2) return ranking("Standings", list);
  return h("div", {},
    h("p", { class: "note" }, "The groups are unconnected: no bot of one has met a bot of another, so only ratings within a group can be compared."),
    ...groups.flatMap((group) => [h("h3", {}, `Group ${group}`),
      ranking(`Standings of group ${group}`, within(list.filter((line) => line.group === group)))]),
    ...ungrouped(list.filter(({ group }) => group == null)));
}

// Rows with their ranks in a group of their own.
const within = (lines) => lines.map((line) => {
  const before = lines.filter(({ rating }) => rating > line.rating).length;
  return { ...line, rank: before + 1, rank_range: null };
});

const ungrouped = (list) => (list.length ? [h("h3", {}, "Not rated together with the others yet"), ranking("Not rated yet", list)] : []);

function ranking(caption, list) {
  const ends = list.flatMap((line) => line.interval ?? []);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const isReviewed = list.some((line) => line.accuracy);
  const hasMargins = list.some((line) => line.margin != null);
  const heads = ["#Rank", isFile ? "Player" : "Bot", "#Rating", "95 % interval", "#Rank range", "#Games", "#Won", "#Drawn", "#Lost", "#Points",
    ...(hasMargins ? ["#Seeds ahead"] : []), ...(isReviewed ? ["#Seeds lost a move"] : [])];
  return table(caption, heads, list.map((line) => h("tr", { "data-key": line.name },
    number(line.rank),
    h("td", { class: "name" }, botLink(line.bot, line.name)),
    number(line.rating == null ? "–" : signed(Math.round(line.rating))),
    h("td", { class: "wide" }, line.interval ? interval(line, low, high) : ""),
    number(line.rank_range ? [...new Set(line.rank_range)].join("–") : "–"),
    ...[line.games, line.wins, line.draws, line.losses, line.points].map(number),
    ...(hasMargins ? [number(signed(line.margin))] : []),
    ...(isReviewed ? [number(line.accuracy ? lossOf(line.accuracy) : "–")] : []))), "standings");
}

// In a report the mean rating is 0, so differences have a sign; on a server ratings are far above 0.
const signed = (value) => (isFile && value > 0 ? `+${value}` : `${value}`.replace("-", "−"));

function interval({ rating, interval: [low, high] }, least, most) {
  return whisker(`${signed(Math.round(low))} to ${signed(Math.round(high))}`, { value: rating, low, high }, least, most);
}

// The likelihood, in percent, that the row's bot is stronger than the column's.
export function superiority({ names, los }) {
  if (names.length < 2) return h("p", { class: "note" }, "Known a little after the first games of two bots.");
  return square("Who is stronger", "Stronger than …", names, (row, column) => (los[row][column] === null ? UNCONNECTED
    : { share: los[row][column], text: likelihood(los[row][column]), isSure: Math.abs(los[row][column] - 0.5) >= SURE - 0.5 }));
}

// Whether one number each explains who beats whom, and the pairs that it explains least.
export function misfit(found) {
  if (!found) return h("p", { class: "note" }, "Known once three players have met each other.");
  const { chi_square: value, degrees, chance, on_one_line: isOne, widening, residuals } = found;
  const figures = `chi-square ${value.toFixed(1)} on ${degrees.toFixed(1)} degrees of freedom`;
  const verdict = isOne ? `One number each explains the results (${figures}, chance ${percent(chance)}).`
    : `These bots do not lie on one line: they score differently against each other than one number each explains (${figures}).${widening > 1 ? ` All intervals are ${widening.toFixed(2)} times as wide for it.` : ""}`;
  return h("div", {}, h("p", { class: "note" }, verdict), ...residuals.length ? [pairs(residuals)] : []);
}

const pairs = (residuals) => table("Pairs that differ most from what their other games let expect",
  ["First", "Second", "#Games", "#Points of the first", "#Expected", "#Deviations", "Note"],
  residuals.map(({ players: [one, two], games, points, expected, deviations, unusual }) => h("tr", { "data-key": `${one} ${two}` },
    h("td", { class: "name" }, versionLink(one)), h("td", { class: "name" }, versionLink(two)),
    ...[games, points, expected.toFixed(1), deviations.toFixed(1)].map(number), h("td", {}, unusual ? "unusual" : ""))), "pairs");

// The points, in percent, that the row's player took from the column's.
export function crosstable({ names, points, games }) {
  return square("Each against each", "Points against …", names, (row, column) => {
    const met = games[row][column];
    if (!met) return null;
    const share = points[row][column] / met;
    const title = `${names[row]} against ${names[column]}: ${points[row][column]} of ${met}`;
    return { share, text: String(Math.round(100 * share)), title };
  });
}

function square(caption, head, names, cell) {
  const heads = [head, ...names.map((_name, column) => String(column + 1))];
  return table(caption, heads, names.map((name, row) => h("tr", { "data-key": name },
    h("td", { class: "name" }, `${row + 1}. `, versionLink(name)),
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

// The opponents that say most about each rating of a bot.
export function basis(ladders) {
  const known = ladders.filter((place) => place.rests_on.length);
  if (!known.length) return h("p", { class: "note" }, "Known after the bot's first games in a ladder.");
  return h("div", {}, ...known.flatMap(({ ladder, standing, rests_on: shares }) => {
    const title = `${standing.name} in ${ladder}`;
    return [h("h3", {}, title), table(`What the rating of ${title} rests on`, ["Games with", "#Share"],
      shares.map(({ opponent, share }) => h("tr", { "data-key": opponent }, h("td", {}, versionLink(opponent)), number(percent(share)))))];
  }));
}

const PHASES = { opening: "Opening", early: "Early", middle: "Middle", late: "Late", end: "End", all: "All" };

const lossOf = ({ loss, loss_error: error }) => `${loss.toFixed(2)}${error == null ? "" : ` ± ${error.toFixed(2)}`}`;

// The absolute axis: seeds lost a move against perfect play, and the share of moves that lose none, by phase.
export function accuracy(caption, phases, counted = "Moves") {
  const most = Math.max(0.1, ...phases.map(({ loss, loss_error: error }) => loss + (error ?? 0)));
  const heads = ["Phase", `#${counted}`, "#Seeds lost a move", "95 % interval", "#Best moves", "Share"];
  const ordered = Object.keys(PHASES).flatMap((phase) => phases.filter((each) => each.phase === phase));
  return table(caption, heads, ordered.map((each) => h("tr", { "data-key": each.phase, class: each.phase === "all" ? "sum" : "" },
    h("td", {}, PHASES[each.phase]),
    number(each.moves),
    number(lossOf(each)),
    h("td", { class: "wide" }, whisker(`${lossOf(each)} seeds lost a move`, spread(each), 0, most)),
    number(percent(each.best)),
    h("td", { class: "wide" }, bar(`${percent(each.best)} best moves`, each.best)))), "accuracy");
}

const spread = ({ loss, loss_error: error }) => ({ value: loss, low: Math.max(0, loss - (error ?? 0)), high: loss + (error ?? 0) });
