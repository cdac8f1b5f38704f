// Pages made of tables: running games, ladders, games, bots, a match.

import { botLink, ladderLink } from "./addresses.js";
import { ask, askPatiently, keepAsking, query } from "./api.js";
import { card, facts, h, link, number, table, update } from "./dom.js";
import { gameTable, status } from "./game_table.js";
import { mistakesCard, showMistakes } from "./mistakes.js";
import { accuracy, basis, misfit, standings, superiority } from "./ratings.js";
import * as words from "./words.js";

const REFRESH_MS = 5000;

// The lists of the home page, below its stage.
export async function now(root, _parameters, signal) {
  const [running, latest, ladders, coming] = [h("div"), h("div"), h("div"), h("div")];
  root.append(
    h("div", { class: "columns" },
      h("div", {}, card("Running games", running), card("Latest results", latest)),
      h("div", {}, card("Ladders", ladders), coming)),
  );
  await keepAsking(REFRESH_MS, async () => {
    const [live, over, known, planned] = await Promise.all([
      ask("/games?status=running&limit=20", signal),
      ask("/games?status=over&limit=10", signal),
      ask("/ladders", signal),
      ask("/events", signal),
    ]);
    update(running, gameTable("Running games", live.games, "No game is being played right now."));
    update(latest, gameTable("Latest results", over.games, "No game has ended yet."));
    update(ladders, ladderTable(known.ladders));
    update(coming, ...comingEvents(planned.events));
  }, signal);
}

// The events that are played or are still to come; nothing where there are none.
function comingEvents(list) {
  const open = list.filter(({ state }) => !["finished", "cancelled", "published"].includes(state));
  if (!open.length) return [];
  return [card("Events", table("Events", ["Event", "Stands", "#Bots"], open.map(({ name, state, round, starts, entrants }) => h("tr", { "data-key": name },
    h("td", { class: "name" }, link(`/events/${encodeURIComponent(name)}`, name)),
    h("td", { class: "wraps" }, round ? `round ${round}` : starts ? `begins ${words.when(starts)}` : state),
    number(entrants)))))];
}

export async function ladders(root, _parameters, signal) {
  const place = h("div");
  root.append(h("h1", {}, "Ladders"), card(null, place));
  await keepAsking(REFRESH_MS, async () => {
    update(place, ladderTable((await ask("/ladders", signal)).ladders));
  }, signal);
}

export async function log(root, _parameters, signal) {
  const place = h("div");
  root.append(h("h1", {}, "The organiser's log"), card(null, place));
  await keepAsking(REFRESH_MS, async () => {
    const { log: lines } = await ask("/log", signal);
    if (!lines.length) return update(place, h("p", { class: "note" }, "The organiser has done nothing yet."));
    update(place, table("The organiser's log", ["#Line", "When", "Who", "What", "Changed", "Why"], lines.map((line) => h("tr", { "data-key": line.number },
      number(line.number),
      h("td", { class: "quiet" }, words.when(line.at)),
      h("td", {}, line.by),
      h("td", {}, line.action),
      h("td", { class: "wraps" }, changes(line)),
      h("td", { class: "wraps" }, line.why)))));
  }, signal);
}

const changes = ({ changed, changes: all }) => changed.slice(0, 3)
  .map(({ what, subject, before, after }) => `${what} ${subject}${before || after ? `: ${before ?? "none"} → ${after ?? "none"}` : ""}`)
  .concat(all > 3 ? [`and ${all - 3} more`] : []).join("; ");

export async function ladder(root, { name }, signal) {
  const [table_, compared, line, recent] = [h("div"), h("div"), h("div"), h("div")];
  const note = h("p", { class: "note" }, "Likelihood, in percent, that the row's bot is stronger than the column's.");
  root.append(h("h1", {}, `Ladder ${name}`),
    card("Standings", table_, h("p", {}, link(`/ladders/${encodeURIComponent(name)}/history`, "Ratings over time"))), card("Who is stronger", note, compared), card("One line", line), card("Latest games", recent));
  await keepAsking(REFRESH_MS, async () => {
    const [found, likelihoods, played] = await Promise.all([
      ask(`/ladders/${encodeURIComponent(name)}/standings`, signal),
      ask(`/ladders/${encodeURIComponent(name)}/superiority`, signal),
      ask(`/games${query({ ladder: name, limit: 20 })}`, signal),
    ]);
    update(table_, standings(found.standings, "No bot has played in this ladder yet."));
    update(compared, superiority(likelihoods));
    update(line, misfit(likelihoods.misfit));
    update(recent, gameTable("Latest games", played.games, "No game has been played yet."));
  }, signal);
}

export async function bots(root, _parameters, signal) {
  const place = h("tbody");
  const more = h("button", { type: "button" }, "More bots");
  const whole = table("Bots", ["Bot", "#Games", "#Won", "#Drawn", "#Lost", "Last game"], []);
  whole.querySelector("tbody").replaceWith(place);
  root.append(h("h1", {}, "Bots"), card(null, whole, h("p", {}, more)));
  let cursor = null;
  const load = async () => {
    const page = await askPatiently(`/bots${query({ cursor })}`, signal);
    place.append(...page.bots.map(botRow));
    cursor = page.next;
    more.hidden = cursor === null;
  };
  more.addEventListener("click", load);
  await load();
  if (!place.children.length) whole.replaceWith(h("p", { class: "note" }, "No bot has played yet."));
}

export async function bot(root, { name }, signal) {
  const path = encodeURIComponent(name);
  const [found, played] = await Promise.all([
    askPatiently(`/bots/${path}`, signal),
    askPatiently(`/games${query({ bot: name, limit: 20 })}`, signal),
  ]);
  const { bot: record, presence } = found;
  const mistakes = h("div");
  root.append(
    h("h1", {}, name, " ", presence.present && h("span", { class: "pill live" }, "online")),
    h("div", { class: "columns" },
      h("div", {},
        againstPerfectPlay(found.accuracy),
        card("Latest games", gameTable("Latest games", played.games, "This bot has not played yet."),
          h("p", {}, link(`/games?bot=${path}`, "All games of this bot"), " · ", link(`/bots/${path}/history`, "Ratings over time, opponents, openings")))),
      h("div", {}, card("Totals", h("dl", { class: "facts" }, ...facts([
        ["Games", record.games],
        ["Won, drawn, lost", `${record.wins}, ${record.draws}, ${record.losses}`],
        ["Program", presence.agent ? `${presence.agent.name} ${presence.agent.version ?? ""}` : null],
        ["Name", record.reserved ? "reserved by a token" : "free for guests"],
      ]))),
      ...found.ladders.map(({ ladder: where, standing }) => card(`Ladder ${where}`, h("dl", { class: "facts" }, ...facts([
        ["Version", standing.name],
        ["Rank", link(`/ladders/${encodeURIComponent(where)}`, standing.rank)],
        ["Rating", rating(standing)],
        ["Games", standing.games],
      ])))),
      card("What the rating rests on", basis(found.ladders)),
      mistakesCard(mistakes))),
  );
  await showMistakes(mistakes, name, signal);
}

function againstPerfectPlay(versions) {
  const about = h("p", { class: "note" }, "Only moves with a choice and a proven loss count, in games that were reviewed. "
    + "The opening has more than two thirds of the seeds in the pits, the end less than one third.");
  if (!versions.length) return card("Against perfect play", h("p", { class: "note" }, "Known after the first review of a game."));
  return card("Against perfect play", about, ...versions.flatMap(({ ladder: where, name, phases }) => {
    const title = where === null ? `${name}, outside of ladders` : `${name} in ${where}`;
    return [h("h3", {}, title), accuracy(title, phases)];
  }));
}

export async function match(root, { match: id }, signal) {
  const found = await askPatiently(`/matches/${encodeURIComponent(id)}`, signal);
  const [first, second] = found.players;
  root.append(
    h("h1", {}, `${first} ${found.score[first]}\u00a0:\u00a0${found.score[second]} ${second}`, " ", status(found)),
    h("p", { class: "note" }, `${found.planned} games of ${words.rules(found.rules)}, ${words.clock(found.clock)}, `
      + `${found.rated ? "rated" : "unrated"}, started ${words.when(found.started_at)}`),
    card("Games", gameTable("Games", found.games, "No game has started yet.")),
  );
}

function ladderTable(list) {
  if (!list.length) return h("p", { class: "note" }, "This server has no ladders.");
  return table("Ladders", ["Ladder", "Rules", "Clock", "#Online"], list.map((each) => h("tr", { "data-key": each.ladder },
    h("td", {}, ladderLink(each.ladder)),
    h("td", { class: "wraps" }, words.rules(each.rules)),
    h("td", { class: "quiet wraps" }, words.clock(each.clock)),
    each.season_of == null ? number(each.players) : h("td", { class: "quiet" }, `over since ${words.when(each.ended_at)}`))));
}

const rating = ({ rating: elo, interval }) =>
  elo == null ? null : `${Math.round(elo)} Elo${interval ? `, between ${interval.map(Math.round).join(" and ")}` : ""}`;

const botRow = (record) => h("tr", {},
  h("td", {}, botLink(record.name)),
  ...[record.games, record.wins, record.draws, record.losses].map(number),
  h("td", { class: "quiet" }, record.last_game_at ? words.when(record.last_game_at) : "–"));
