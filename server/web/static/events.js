// Events: the list of them, and the table and rounds of one.

import { botLink, gameAddress } from "./addresses.js";
import { ask, keepAsking } from "./api.js";
import { card, facts, h, link, number, table, update } from "./dom.js";
import * as words from "./words.js";

const REFRESH_MS = 5000;
const FORMATS = {
  rr: "round robin", drr: "double round robin", swiss: "Swiss", "double-knockout": "double knockout",
};
const STATES = { draft: "not begun", "check-in": "check-in", closed: "round over" };
const TIE_BREAKS = {
  direct: "Direct encounter", "buchholz-1": "Buchholz cut 1", buchholz: "Buchholz", "sonneborn-berger": "Sonneborn-Berger",
  wins: "Wins", progressive: "Progressive", margin: "Seeds ahead",
};
const WITHOUT_PLAY = { absent: "not played", lot: "by lot", aborted: "void" };

const format = (word) => FORMATS[word] ?? word;
const state = (word) => STATES[word] ?? word;
const tieBreak = (word) => TIE_BREAKS[word] ?? word;
const isRunning = (word) => ["pairing", "playing", "closed"].includes(word);
const pill = (word) => h("span", { class: `pill ${isRunning(word) ? "live" : ""}` }, state(word));

export async function events(root, _parameters, signal) {
  const place = h("div");
  root.append(h("h1", {}, "Events"), card(null, place));
  await keepAsking(REFRESH_MS, async () => {
    update(place, eventTable((await ask("/events", signal)).events));
  }, signal);
}

function eventTable(list) {
  if (!list.length) return h("p", { class: "note" }, "This server has no events.");
  return table("Events", ["Event", "State", "#Round", "Format", "#Entrants", "Starts"], list.map((found) =>
    h("tr", { "data-key": found.name },
      h("td", { class: "name" }, link(`/events/${encodeURIComponent(found.name)}`, found.name)),
      h("td", {}, pill(found.state)),
      number(found.round),
      h("td", {}, format(found.format)),
      number(found.entrants),
      h("td", {}, found.starts ? words.when(found.starts) : ""))));
}

export async function event(root, { name }, signal) {
  const [about, standings, rounds] = [h("div"), h("div"), h("div")];
  root.append(h("h1", {}, `Event ${name}`), card(null, about), card("Standings", standings), rounds);
  await keepAsking(REFRESH_MS, async () => {
    const found = await ask(`/events/${encodeURIComponent(name)}`, signal);
    update(about, h("dl", { class: "facts" }, ...facts([
      ["State", pill(found.state)],
      ["Round", found.round || null],
      ["Format", format(found.format)],
      ["Starts", found.state === "draft" && found.starts ? words.when(found.starts) : null],
      ["Tie-breaks", found.tie_breaks.map(tieBreak).join(", ")],
    ])));
    update(standings, ranking(found));
    update(rounds, ...found.rounds.toReversed().map(round));
  }, signal);
}

// The table as it stands; before the first round, who plays.
function ranking({ standings, tie_breaks: breaks, entrants }) {
  const withdrawn = new Set(entrants.filter((each) => each.withdrawn).map((each) => each.name));
  const bot = (name) => h("td", { class: "name" }, botLink(name), withdrawn.has(name) && " (withdrawn)");
  if (!standings.length) {
    return table("Entrants", ["#Seeding", "Bot"], entrants.map(({ name }, place) =>
      h("tr", { "data-key": name }, number(place + 1), bot(name))));
  }
  const heads = ["#Rank", "Bot", "#Points", "#Games", "#Won", "#Drawn", "#Lost"];
  return table("Standings", [...heads, ...breaks.map((each) => `#${tieBreak(each)}`)], standings.map((line) =>
    h("tr", { "data-key": line.name },
      number(line.rank),
      bot(line.name),
      ...[line.points, line.games, line.wins, line.draws, line.losses].map(number),
      ...breaks.map((each) => number(line[each.replace("-", "_")] ?? "–")))));
}

const round = ({ number: count, encounters, byes }) => card(`Round ${count}`,
  table(`Round ${count}`, ["First", "Second", "Games"], [
    ...encounters.map(({ first, second, games }) => h("tr", { "data-key": `${first} ${second}` },
      h("td", { class: "name" }, botLink(first)),
      h("td", { class: "name" }, botLink(second)),
      h("td", {}, ...games.flatMap((game, place) => [place ? ", " : "", result(game)])))),
    ...byes.map((name) => h("tr", { "data-key": name }, h("td", { class: "name" }, botLink(name)), h("td", {}, "bye"), h("td"))),
  ]));

// Who won a game, as a link to it if it was played. Two absent players both lose.
function result({ first, second, winner, reason, game }) {
  const without = WITHOUT_PLAY[reason];
  const won = winner === null ? (without ? null : "drawn") : `${winner ? second : first} won`;
  const said = [won, without].filter(Boolean).join(", ");
  return game ? link(gameAddress(game), said) : said;
}
