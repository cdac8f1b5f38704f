// Pages made of tables: running games, ladders, games, bots, a match.

import { ask, askPatiently, keepAsking, query } from "./api.js";
import { card, h, link, number, svg, table, update } from "./dom.js";
import { basis, superiority } from "./ratings.js";
import * as words from "./words.js";

const REFRESH_MS = 5000;

export async function now(root, _parameters, signal) {
  const [running, latest, ladders] = [h("div"), h("div"), h("div")];
  root.append(
    h("h1", {}, "What is being played"),
    h("div", { class: "columns" },
      h("div", {}, card("Running games", running), card("Latest results", latest)),
      card("Ladders", ladders)),
  );
  await keepAsking(REFRESH_MS, async () => {
    const [live, over, known] = await Promise.all([
      ask("/games?status=running&limit=20", signal),
      ask("/games?status=over&limit=10", signal),
      ask("/ladders", signal),
    ]);
    update(running, gameTable("Running games", live.games, "No game is being played right now."));
    update(latest, gameTable("Latest results", over.games, "No game has ended yet."));
    update(ladders, ladderTable(known.ladders));
  }, signal);
}

export async function ladders(root, _parameters, signal) {
  const place = h("div");
  root.append(h("h1", {}, "Ladders"), card(null, place));
  await keepAsking(REFRESH_MS, async () => {
    update(place, ladderTable((await ask("/ladders", signal)).ladders));
  }, signal);
}

export async function ladder(root, { name }, signal) {
  const [table_, compared, recent] = [h("div"), h("div"), h("div")];
  const note = h("p", { class: "note" }, "Likelihood, in percent, that the row's bot is stronger than the column's.");
  root.append(h("h1", {}, `Ladder ${name}`),
    card("Standings", table_), card("Who is stronger", note, compared), card("Latest games", recent));
  await keepAsking(REFRESH_MS, async () => {
    const [found, likelihoods, played] = await Promise.all([
      ask(`/ladders/${encodeURIComponent(name)}/standings`, signal),
      ask(`/ladders/${encodeURIComponent(name)}/superiority`, signal),
      ask(`/games${query({ ladder: name, limit: 20 })}`, signal),
    ]);
    update(table_, standings(found.standings));
    update(compared, superiority(likelihoods));
    update(recent, gameTable("Latest games", played.games, "No game has been played yet."));
  }, signal);
}

export async function games(root, parameters, signal) {
  const place = h("div");
  const more = h("button", { type: "button" }, "Earlier games");
  const wanted = { bot: parameters.bot, ladder: parameters.ladder, status: parameters.status };
  root.append(h("h1", {}, "Games"), filters(wanted), card(null, place, h("p", {}, more)));
  let found = [];
  let cursor = null;
  const load = async () => {
    more.disabled = true;
    const page = await askPatiently(`/games${query({ ...wanted, cursor })}`, signal);
    found = [...found, ...page.games];
    cursor = page.next;
    update(place, gameTable("Games", found, "No such game."));
    more.hidden = cursor === null;
    more.disabled = false;
  };
  more.addEventListener("click", load);
  await load();
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
  root.append(
    h("h1", {}, name, " ", presence.present && h("span", { class: "pill live" }, "online")),
    h("div", { class: "columns" },
      card("Latest games", gameTable("Latest games", played.games, "This bot has not played yet."),
        h("p", {}, link(`/games?bot=${path}`, "All games of this bot"))),
      card("Totals", h("dl", { class: "facts" }, ...facts([
        ["Games", record.games],
        ["Won, drawn, lost", `${record.wins}, ${record.draws}, ${record.losses}`],
        ["Program", presence.agent ? `${presence.agent.name} ${presence.agent.version ?? ""}` : null],
        ["Name", record.reserved ? "reserved by a token" : "free for guests"],
        ...found.ladders.map(({ ladder: where, standing }) => [`${standing.name} in ${where}`, rank(standing)]),
      ])), h("h2", {}, "What the rating rests on"), basis(found.ladders))),
  );
}

export async function match(root, { match: id }, signal) {
  const found = await askPatiently(`/matches/${encodeURIComponent(id)}`, signal);
  const [first, second] = found.players;
  root.append(
    h("h1", {}, `${first} ${found.score[first]} : ${found.score[second]} ${second}`, " ", status(found)),
    h("p", { class: "note" }, `${found.planned} games of ${words.rules(found.rules)}, ${words.clock(found.clock)}, `
      + `${found.rated ? "rated" : "unrated"}, started ${words.when(found.started_at)}`),
    card("Games", gameTable("Games", found.games, "No game has started yet.")),
  );
}

export const facts = (pairs) =>
  pairs
    .filter(([, value]) => value != null && value !== "")
    .flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]);

export const status = (game) =>
  h("span", { class: `pill ${game.status === "running" ? "live" : "over"}` }, game.status === "running" ? "live" : "over");

export const botLink = (name, shown = name) => link(`/bots/${encodeURIComponent(name)}`, shown);

function gameTable(caption, list, nothing) {
  if (!list.length) return h("p", { class: "note" }, nothing);
  return table(caption, ["Game", "First", "Second", "Result", "End", "#Plies", "Started"], list.map(gameRow));
}

function gameRow(game) {
  const [first, second] = game.players.map((name, seat) =>
    h("td", {}, game.winner === seat ? h("strong", {}, botLink(name)) : botLink(name)));
  return h("tr", { "data-key": game.game },
    h("td", {}, link(`/games/${game.game}`, game.status === "running" ? "watch" : "replay")),
    first,
    second,
    h("td", {}, game.status === "running" ? status(game) : words.score(game.stores)),
    h("td", { class: "quiet" }, game.reason ? words.reason(game.reason) : ""),
    number(game.plies),
    h("td", { class: "quiet" }, words.when(game.started_at)));
}

function ladderTable(list) {
  if (!list.length) return h("p", { class: "note" }, "This server has no ladders.");
  return table("Ladders", ["Ladder", "Rules", "Clock", "#Online"], list.map((each) => h("tr", { "data-key": each.ladder },
    h("td", {}, link(`/ladders/${encodeURIComponent(each.ladder)}`, each.ladder)),
    h("td", {}, words.rules(each.rules)),
    h("td", { class: "quiet" }, words.clock(each.clock)),
    number(each.players))));
}

function standings(list) {
  if (!list.length) return h("p", { class: "note" }, "No bot has played in this ladder yet.");
  const ends = list.flatMap((line) => line.interval ?? []);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const isReviewed = list.some((line) => line.accuracy);
  const heads = ["#Rank", "Bot", "#Rating", "95 % interval", "#Ranks", "#Games", "#Won", "#Drawn", "#Lost", "#Points",
    ...(isReviewed ? ["#Seeds lost a move"] : [])];
  return table("Standings", heads, list.map((line) => h("tr", { "data-key": line.name },
    number(line.rank),
    h("td", {}, botLink(line.bot, line.name)),
    number(line.rating == null ? "–" : Math.round(line.rating)),
    h("td", { class: "wide" }, line.interval ? interval(line, low, high) : ""),
    number(line.rank_range ? [...new Set(line.rank_range)].join("–") : "–"),
    ...[line.games, line.wins, line.draws, line.losses, line.points].map(number),
    ...(isReviewed ? [number(loss(line.accuracy))] : []))));
}

function loss(accuracy) {
  if (!accuracy) return "–";
  const error = accuracy.loss_error == null ? "" : ` ± ${accuracy.loss_error.toFixed(2)}`;
  return `${accuracy.loss.toFixed(2)}${error}`;
}

function interval({ rating, interval: [low, high] }, least, most) {
  const at = (elo) => 5 + (90 * (elo - least)) / Math.max(1, most - least);
  const text = `${Math.round(low)} to ${Math.round(high)}`;
  return svg("svg", { class: "interval", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": text },
    svg("title", {}, text),
    svg("line", { x1: at(low), x2: at(high), y1: 5, y2: 5, "vector-effect": "non-scaling-stroke" }),
    svg("line", { class: "middle", x1: at(rating), x2: at(rating), y1: 5, y2: 5, "vector-effect": "non-scaling-stroke" }));
}

const rank = (line) => {
  const rating = line.rating == null ? "" : `, ${Math.round(line.rating)} Elo`;
  return `rank ${line.rank}${rating}, ${line.games} games`;
};

const botRow = (record) => h("tr", {},
  h("td", {}, botLink(record.name)),
  ...[record.games, record.wins, record.draws, record.losses].map(number),
  h("td", { class: "quiet" }, record.last_game_at ? words.when(record.last_game_at) : "–"));

function filters({ bot: name, ladder: ladderName, status: state }) {
  const input = h("input", { name: "bot", value: name ?? "", autocomplete: "off", maxlength: 48 });
  const choice = h("select", { name: "status" }, ...[["", "any"], ["running", "running"], ["over", "over"]].map(
    ([value, text]) => h("option", { value, selected: value === (state ?? "") }, text)));
  const submit = (event) => {
    event.preventDefault();
    location.href = `/games${query({ bot: input.value.trim(), ladder: ladderName, status: choice.value })}`;
  };
  return h("form", { class: "filters", submit },
    h("label", {}, "Bot", input), h("label", {}, "Status", choice), h("button", {}, "Show"));
}
