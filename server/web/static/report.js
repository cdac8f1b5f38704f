// Reports: pages in a file of their own, with their data inside.

import { ask } from "./api.js";
import * as charts from "./charts.js";
import { card, facts, h, link, nameCell, number, parted, table, update } from "./dom.js";
import { gameTable } from "./game_table.js";
import { accuracy, crosstable, misfit, standings, superiority } from "./ratings.js";
import { GameView } from "./replay.js";
import { head, leadChart } from "./submissions.js";
import * as words from "./words.js";

const part = (title, about, ...content) => card(title, h("p", { class: "note" }, about), ...content);

// An event: standings and tables, or one of its games, named after `#`.
export async function event(root, _parameters, signal) {
  const found = await ask("/event");
  const whole = h("div", {}, ...summary(found));
  let shown = new AbortController();
  const show = () => {
    shown.abort();
    shown = new AbortController();
    const [id, ply] = location.hash.slice(1).split("/").map(decodeURIComponent);
    const at = found.games.findIndex(({ game }) => game === id);
    document.title = found.title;
    if (at < 0) root.replaceChildren(whole);
    else openGame(root, found, at, Number(ply ?? 0), shown.signal);
    scrollTo(0, 0);
  };
  addEventListener("hashchange", show, { signal });
  show();
}

function openGame(root, { games, reviews, title }, at, ply, signal) {
  const record = games[at];
  const view = new GameView(record, false);
  root.replaceChildren(h("p", {}, link("#", `← ${title}`)), ...view.elements);
  document.addEventListener("keydown", (event) => view.press(event), { signal });
  view.surround({ previous: games[at - 1]?.game, next: games[at + 1]?.game });
  view.settle(record);
  if (reviews[record.game]) view.review(reviews[record.game]);
  view.go(ply);
}

const summary = (found) => [
  h("h1", {}, found.title),
  h("p", { class: "note" }, found.facts),
  card(null, h("dl", { class: "facts" }, ...facts(head(found.event)))),
  part("Standings", found.about, standings(found.standings, "No game was played.")),
  part("Tie-breaks", "What decides between equal points, from left to right.", tieBreaks(found)),
  ...[leadChart(found.event)].filter(Boolean).map((chart) => part("Lead", "Points behind the leader after each round.", chart)),
  found.ties.length > 0 && part("Bracket", "Each encounter with its replays, and what decided it.", bracket(found.ties)),
  part("Who is stronger", "Likelihood, in percent, that the row's player is stronger than the column's.", superiority(found)),
  found.misfit && part("One scale", "Whether one rating each explains who beats whom; a pair is unusual where chance explains it with less than 1 %.", misfit(found.misfit)),
  part("Each against each", "Points of the row's player in its games with the column's, in percent.", crosstable({ names: found.names, points: found.points, games: found.games_met })),
  found.openings.length > 0 && part("Openings",
    "Score of the player who moves first, one bar an opening. The same two players play each opening twice with the seats swapped, so none has an advantage.",
    charts.columns("Score of the player who moves first, by opening", found.openings)),
  Object.keys(found.times).length > 0 && part("Time", "Mean time of a player's first move of a game, its second, and so on.",
    charts.lines("Time of a move in ms, by move number", found.times, "ms")),
  found.judged.length > 0 && part("Accuracy",
    "Share of moves without loss against perfect play, among those that were not forced and could be proven; mostly moves late in the game.",
    judged(found.judged)),
  found.games.length > 0 && part("Games",
    found.games.length < found.played ? `The last ${found.games.length} of ${found.played}.` : "Each can be replayed.",
    chosenGames(found.games.map(summarized), found.names)),
].filter(Boolean);

const ENDINGS = {
  "All endings": () => true,
  "By the rules": ({ reason }) => !words.isForfeit(reason),
  Forfeits: ({ reason }) => words.isForfeit(reason),
};

// The games of one player, or with one kind of ending.
function chosenGames(games, names) {
  const place = h("div");
  const choice = (label, options) => h("select", { "aria-label": label, change: () => show() }, ...options.map((each) => h("option", {}, each)));
  const [player, ending] = [choice("Player", ["All players", ...names]), choice("Ending", Object.keys(ENDINGS))];
  const show = () => update(place, gameTable("Games", games.filter((game) =>
    (player.selectedIndex === 0 || game.players.includes(player.value)) && ENDINGS[ending.value](game)), "There is no such game."));
  show();
  return h("div", {}, h("p", { class: "controls" }, player, " ", ending), place);
}

const summarized = ({ game, players, moves, result, started_at }) => ({
  game, started_at, status: "over", plies: moves.length, ...result, players: players.map(({ name }) => name),
});

const tieBreaks = ({ tie_breaks: names, broken }) => table("Tie-breaks", ["#Rank", "Player", "#Points", ...names.map((name) => `#${name}`)],
  broken.map(([rank, name, ...values]) => h("tr", {}, number(rank), nameCell(name), ...values.map(number))));

const bracket = (ties) => table("Bracket", ["Stage", "Players", "#Points", "Winner", "~Decided by"], ties.map(({ stage, players, points, winner, decided_by: by }) =>
  h("tr", {}, h("td", {}, stage), nameCell(players.join(" – ")), number(points.join(" : ")), h("td", { class: "wraps" }, ...parted(winner ?? "")), h("td", {}, by ?? ""))));

const judged = (list) => table("Accuracy", ["Player", "#Moves", "#Best moves", "~Share", "#Seeds lost a move"], list.map(({ name, moves, best, mean_loss: loss }) =>
  h("tr", {},
    nameCell(name),
    number(moves),
    number(percent(best / moves)),
    h("td", { class: "wide" }, charts.bar(`${percent(best / moves)} best moves`, best / moves)),
    number(loss.toFixed(2)))));

const quantity = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// How strong a player is.
export async function rating(root) {
  const found = await ask("/rating");
  root.append(
    h("h1", {}, `How strong is ${found.player}?`),
    h("p", { class: "note" }, `${quantity(found.positions, "position")}, ${quantity(found.games, "game")}, seed ${found.seed}`),
    ...(found.no_verdict == null ? [] : [h("p", { class: "note" }, found.no_verdict)]),
    ...(found.elo == null ? [] : [place(found), levels(found.levels)]),
    ...(found.loss == null ? [] : [part("Loss against perfect play",
      "Seeds lost a move in positions whose values are proven, and the share of moves that lose nothing. Phases are by the seeds left in the pits.",
      accuracy("Loss against perfect play", phases(found), "Positions")), baselines(found)]),
    part("Time and faults",
      "Time for a move in ms; late moves were excused by the margin. Faults are games and positions without a valid answer, by reason.",
      time(found.time, found.faults)));
}

function place({ player, elo, elo_error: error, scale }) {
  const lines = [...scale.map((value, level) => ({ name: `level ${level + 1}`, elo: value, error: 0 })), { name: player, elo, error, isOwn: true }];
  const most = Math.max(...lines.map((line) => line.elo + line.error));
  const least = Math.min(...lines.map((line) => line.elo - line.error));
  return part(`${words.signed(Math.round(elo))} ± ${Math.round(error)} Elo`,
    "The place on the fixed scale of the levels, where level 1 is 0; the bar is a 95 % interval.",
    table("Place among the levels", ["Player", "#Elo", "95 % interval"], lines.sort((a, b) => b.elo - a.elo).map((line) => {
      const text = `${words.signed(Math.round(line.elo))}${line.error ? ` ± ${Math.round(line.error)}` : ""}`;
      return h("tr", {}, nameCell(line.isOwn ? h("strong", {}, ...parted(line.name)) : line.name), number(text),
        h("td", { class: "wide" }, charts.whisker(text, { value: line.elo, low: line.elo - line.error, high: line.elo + line.error }, least, most)));
    })));
}

const levels = (list) => part("Games with the levels",
  "Opponents were chosen by what was known so far; each random opening is played twice with the seats swapped.",
  table("Games with the levels", ["Level", "#Elo", "#Games", "#Won", "#Drawn", "#Lost", "#Score"], list.map((each) =>
    h("tr", {}, h("td", {}, each.level), ...[words.signed(each.elo), each.games, each.wins, each.draws, each.losses, percent(each.score)].map(number)))));

const phases = (found) => [...Object.entries(found.phases), ["all", found]].map(([phase, each]) =>
  ({ phase, moves: each.positions, loss: each.loss, loss_error: each.loss_error, best: each.best_share }));

const baselines = ({ player, loss, loss_share, best_share, baselines: others }) => part("Beside choices without thought",
  "What rules of thumb lose in the same positions, and a search of four turns: the legal pit nearest to the store, the nearest that moves again, the largest capture, the least exposed turn, the longest turn. The share is of what the worst moves would lose.",
  table("Beside choices without thought", ["Player", "#Seeds lost", "#Share", "#Best moves"], Object.entries({ [player]: { loss, loss_share, best_share }, ...others }).map(([name, each]) =>
    h("tr", {}, nameCell(name), ...[each.loss.toFixed(2), percent(each.loss_share), percent(each.best_share)].map(number)))));

function time(spent, faults) {
  const ms = (value) => (value == null ? "–" : value.toFixed(1));
  const named = Object.entries(faults).map(([reason, count]) => `${count} ${words.reason(reason)}`).join(", ");
  return table("Time and faults", ["#Moves", "#Mean", "#99 %", "#Longest", "#Late", "Faults"], [h("tr", {},
    ...[spent.moves, ms(spent.mean_ms), ms(spent.p99_ms), ms(spent.worst_ms), spent.late].map(number),
    h("td", {}, named || "none"))]);
}

// A run of the tuner by play: fitness and parameters by generation.
export async function tuning(root) {
  const { command, fitness, parameters, test } = await ask("/tuning");
  root.append(
    h("h1", {}, "Tuning by play"),
    h("p", { class: "note" }, `Generations so far: ${fitness.length}. ${command}`),
    ...(test === null ? [] : [part("Test", "The weights found, against the start.", h("p", {}, test))]),
    part("Fitness",
      "Mean result of a generation's candidates against the start, -1 to 1; 0 is equal. A game counts tanh(margin / 12 seeds). The band is a 95 % interval over the openings, which all candidates of a generation share.",
      charts.course(fitness, { level: 0, height: 220 })),
    part("Parameters", "Mean and standard deviation over the candidates; the dashed line is the start.",
      h("div", { class: "several" }, ...parameters.map(({ name, start, course }) =>
        h("figure", {}, h("figcaption", {}, name), charts.course(course, { level: start }))))));
}

const percent = (share) => `${Math.round(100 * share)} %`;
