// Events that were played elsewhere, as their authors submit them: the list of tests, and one event or test.

import { ask, keepAsking } from "./api.js";
import * as charts from "./charts.js";
import { card, facts, h, link, nameCell, number, table, update } from "./dom.js";
import { bracket, crosstable, format, ranking, round } from "./events.js";
import { t } from "./opened.js";
import { bounds, difference, head, leadChart, ratio, share, state, testTable, verdict } from "./submissions.js";
import * as words from "./words.js";

const REFRESH_MS = 5000;
const POINTS = ["0", "\u00bd", "1", "1\u00bd", "2"];

export async function tests(root, _parameters, signal) {
  const place = h("div");
  root.append(h("h1", {}, t("Tests of engines")),
    h("p", { class: "note" }, t("Sequential tests of one engine against another, played elsewhere. A test ends as soon as its log-likelihood ratio (LLR) reaches a bound.")),
    card(null, place), h("p", { class: "note" }, link("/events", t("Events"))));
  await keepAsking(REFRESH_MS, async () => {
    update(place, testTable((await ask("/tests", signal)).submissions));
  }, signal);
}

export async function elsewhere(root, { event: key }, signal) {
  const [title, about] = [h("h1"), h("div")];
  const [test, standings, lead, cross, rounds] = [h("div"), h("div"), h("div"), h("div"), h("div", { class: "rounds" })];
  root.append(title, about, test, standings, lead, cross, rounds);
  await keepAsking(REFRESH_MS, async () => {
    const found = await ask(`/elsewhere/${encodeURIComponent(key)}`, signal);
    const event = whole(found.submission);
    update(title, event.title, " ", state(event.state));
    update(about, origin(found), card(null, h("dl", { class: "facts" }, ...facts([[t("Format"), format(event.format)], ...head(event)]))));
    update(test, event.test ? testCard(event) : null);
    update(standings, card(t("Standings"), ranking(event), programs(event)));
    const chart = leadChart(event);
    update(lead, chart && card(t("Points behind the leader after each round"), chart));
    update(cross, event.format.includes("knockout") ? bracket(event) : crosstable(event));
    update(rounds, ...event.rounds.toReversed().map((each) => round(event, each)));
  }, signal);
}

const origin = ({ author, updated_at: at }) => h("p", { class: "note" }, h("span", { class: "pill" }, t("Played elsewhere")), " ",
  t("Submitted by {{name}}, last {{when}}. This server has not seen the games.", { name: author, when: words.when(at) }));

// A submission with what it left out because it is empty.
/** @param {any} submission @returns {any} */
const whole = ({ rounds = [], tie_breaks = [], ...event }) => ({
  ...event, tie_breaks, rounds: rounds.map(({ byes = [], encounters = [], ...each }) => ({
    ...each, byes, encounters: encounters.map(({ games = [], ...pair }) => ({ ...pair, games: games.map(complete) })),
  })),
});

const complete = ({ winner = null, reason = "normal", ...game }) => ({ ...game, winner, reason });

function programs({ entrants }) {
  const named = entrants.filter(({ name, program }) => program && program !== name);
  if (!named.length) return null;
  return table(t("Program"), [t("Player"), t("Program")], named.map(({ name, program }) =>
    h("tr", { "data-key": name }, nameCell(name), h("td", { class: "wraps" }, program))));
}

function testCard(event) {
  const { test, entrants: [first, second] } = event;
  const { elo0, elo1 } = test;
  const chart = (test.course ?? []).length > 1 && charts.progress(t("Log-likelihood ratio as pairs ended, and its bounds"),
    { LLR: test.course }, { levels: [test.lower, test.upper] });
  return card(t("Test"),
    h("p", {}, verdict(event), " ", t("{{first}} against {{second}}: is it stronger by {{more}} Elo, rather than by {{less}}?",
      { first: first.name, second: second.name, more: words.signed(elo1), less: words.signed(elo0) })),
    h("dl", { class: "facts" }, ...facts([
      ["LLR", ratio(test)],
      [t("Bounds"), `${bounds(test)}, \u03b1 ${test.alpha}, \u03b2 ${test.beta}`],
      ["Elo", difference(test)],
      [t("Likelihood of superiority"), share(test.los)],
      [t("Score"), share(test.score)],
    ])),
    table(t("Pairs by points"), [t("Points"), ...POINTS.map((text) => `#${text}`)],
      [h("tr", {}, h("td", {}, t("Pairs")), ...test.pentanomial.map(number))]),
    chart && h("p", { class: "note" }, t("Log-likelihood ratio as pairs ended, and its bounds")),
    chart);
}
