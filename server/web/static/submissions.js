// Events that were played elsewhere: lists of them, and what a page and a report show of one.

import * as charts from "./charts.js";
import { h, link, nameCell, number, parted, table } from "./dom.js";
import { decimal, percent, t } from "./opened.js";
import * as words from "./words.js";

const LEADING = 8; // players in the chart
const VERDICTS = { H0: t("failed"), H1: t("passed") };

export const state = (word) =>
  h("span", { class: `pill ${word === "playing" ? "live" : ""}` }, word === "stopped" ? t("stopped") : words.eventState(word));

const titleCell = ({ key, title }) => nameCell(link(`/elsewhere/${key}`, ...parted(title)));
const gamesOf = ({ played, planned }) => (planned == null ? decimal(played) : t("{{part}} of {{whole}}", { part: played, whole: planned }));

export function elsewhereTable(list) {
  if (!list.length) return h("p", { class: "note" }, t("No event was submitted here."));
  return table(t("Played elsewhere"), [t("Event"), t("State"), `#${words.games()}`, `~${t("Submitted by")}`, `~${t("Updated")}`], list.map((each) =>
    h("tr", { "data-key": each.key },
      titleCell(each),
      h("td", {}, state(each.state)),
      number(gamesOf(each)),
      h("td", {}, each.author),
      h("td", { class: "quiet" }, words.when(each.updated_at)))));
}

export function testTable(list) {
  if (!list.length) return h("p", { class: "note" }, t("No test was submitted here."));
  const heads = [t("Test"), t("Verdict"), "~#LLR", "#Elo", `~#${t("Pairs by points")}`, `~#${words.games()}`, `~${t("Bounds")}`, `~${t("Submitted by")}`, `~${t("Updated")}`];
  return table(t("Tests of engines"), heads, list.map((each) =>
    h("tr", { "data-key": each.key },
      titleCell(each),
      h("td", {}, verdict(each)),
      number(ratio(each.test)),
      number(difference(each.test)),
      number(each.test.pentanomial.join(" · ")),
      number(gamesOf(each)),
      h("td", {}, bounds(each.test)),
      h("td", {}, each.author),
      h("td", { class: "quiet" }, words.when(each.updated_at)))));
}

// What a test has found: passed where H1 is accepted.
export function verdict({ state: word, test }) {
  if (test.verdict == null) return state(word);
  return h("span", { class: `pill ${test.verdict === "H1" ? "won" : "lost"}` }, VERDICTS[test.verdict] ?? test.verdict);
}

const fixed = (value) => decimal(value, 2).replace("-", "\u2212");

export const bounds = ({ elo0, elo1, model }) => `[${words.signed(elo0)}, ${words.signed(elo1)}]${model === "logistic" ? "" : ` ${model}`}`;

export const ratio = ({ llr, lower, upper }) => `${fixed(llr)} (${fixed(lower)} \u2026 ${fixed(upper)})`;

export const difference = ({ elo, elo_error: error }) =>
  (elo == null ? "\u2013" : `${words.signed(words.tenth(elo))} \u00b1 ${decimal(words.tenth(error))}`);

export const share = (value) => (value == null ? null : percent(value));

// Where, when and by what an event was played, as facts.
export const head = ({ rules, clock, seed, version, machine, began_at: began, at, played, planned }) => [
  [words.games(), gamesOf({ played: played ?? 0, planned })],
  [t("Rules"), rules],
  [t("Clock"), clock],
  [t("Started"), began && words.when(began)],
  [t("Updated"), at && words.when(at)],
  [t("Program"), version],
  [t("Machine"), machine],
  [t("Seed"), seed],
];

// Points behind whoever led after each round, of those who lead the table; null before the second round.
export function leadChart({ rounds = [], standings }) {
  const whole = rounds.filter(isPlayed);
  if (whole.length < 2) return null;
  const names = standings.slice(0, LEADING).map(({ name }) => name);
  const points = new Map();
  const behind = Object.fromEntries(names.map((name) => [name, []]));
  for (const round of whole) {
    for (const [name, gain] of gains(round)) points.set(name, (points.get(name) ?? 0) + gain);
    const most = Math.max(...points.values());
    for (const name of names) behind[name].push((points.get(name) ?? 0) - most);
  }
  return charts.progress(t("Points behind the leader after each round"), behind);
}

const isPlayed = ({ encounters = [] }) => encounters.length > 0 && encounters.every(({ games = [] }) => games.length > 0);

function gains({ encounters, unplayed = {} }) {
  const played = encounters.flatMap(({ games }) => games.flatMap(({ first, second, winner = null }) =>
    [[first, winner === null ? 0.5 : 1 - winner], [second, winner === null ? 0.5 : winner]]));
  return [...played, ...Object.entries(unplayed)];
}
