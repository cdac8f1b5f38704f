// Every element of the pages once, in the order of a page: text, buttons, tables, a game, charts.

import { ask } from "./api.js";
import { Board } from "./board.js";
import * as charts from "./charts.js";
import { button, card, facts, h, link, nameCell, number, parted, table } from "./dom.js";
import { bracket, ranking, round } from "./events.js";
import { called, face, temper } from "./faces.js";
import { gameTable } from "./game_table.js";
import { parse } from "./notation.js";
import { accuracy, crosstable, standings, superiority } from "./ratings.js";
import { GameView } from "./replay.js";
import { small } from "./small_board.js";
import { leadChart } from "./submissions.js";

const SECTIONS = ["Now", "Play", "Ladders", "Events"];
const SHADES = [0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9];
const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const DAYS = ["2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27"];
const PHASES = [["opening", 1.97, 0.51, 0.65], ["middle", 1.15, 0.38, 0.79], ["end", 0.4, 0.28, 0.88], ["all", 1.3, 0.25, 0.76]];
const KNOCKOUT = {
  format: "knockout", state: "finished", standings: [{ name: "minimax" }],
  rounds: [[["greedy", "captures"], ["minimax", "Kalah-Champion-of-Aachen"]], [["greedy", "minimax"]]].map((pairs) => ({
    byes: [], encounters: pairs.map(([first, second]) => ({ first, second, games: [{ first, second, winner: 1, reason: "normal" }] })),
  })),
};

export async function styles(root) {
  history.replaceState = () => {}; // a game names its ply in the address, and a frame has none
  const found = await ask("/styles");
  const [record] = found.games;
  document.querySelector("header").append(h("nav", { "aria-label": "Sections" },
    ...SECTIONS.map((name, place) => h("a", { href: "#", "aria-current": place ? null : "page" }, name))));
  document.querySelector("header").after(h("aside", { class: "notice" }, "A notice of the organiser: tonight the server rests from 22 to 23 h."));
  root.append(h("h1", {}, found.theme),
    h("div", { class: "columns" }, h("div", {}, text(), pressed()), h("div", {}, forms(), commands(), lists())),
    ...tables(found, record), h("h1", {}, "A game"), ...game(record, found.reviews[record.game]), boards(record), ...drawn(found));
}

const text = () => card("Text",
  h("p", {}, "A paragraph with ", link("#", "a link"), ", ", h("strong", {}, "strong words"), " and ", h("code", {}, "code"), "."),
  h("p", { class: "note" }, "A note below a heading."),
  h("p", { class: "quiet small" }, "Quiet and small."),
  h("h3", {}, "A third heading"),
  h("p", {}, ...["live", "over", "won", "lost", ""].flatMap((kind) => [h("span", { class: `pill ${kind}` }, kind || "plain"), " "])),
  h("p", { class: "verdict" }, "A verdict"), h("p", { class: "ending" }, "An ending"),
  h("p", { class: "losing" }, h("strong", {}, "The losing move: "), link("#", "ply 15: pit 3 gives up a capture")),
  h("p", { class: "losing" }, "A sentence without a verdict."),
  h("dl", { class: "facts" }, ...facts([["Rules", "Kalah(6, 4)"], ["Clock", "1 s a move"], ["Won, drawn, lost", "62, 5, 29"]])));

const pressed = () => card("Buttons",
  h("p", { class: "controls" }, button("A button", () => {}), h("button", { class: "primary" }, "The main one"), h("button", { disabled: true }, "Not now"),
    h("select", { "aria-label": "A choice" }, h("option", {}, "a choice")), h("label", {}, h("input", { type: "checkbox", checked: true }), " Sound"),
    h("input", { type: "range", "aria-label": "A slider" })));

const forms = () => card("Forms",
  h("form", { class: "filters" }, h("label", {}, "Bot", h("input", { value: "minimax" })), h("label", {}, "From", h("input", { type: "date" }))),
  h("form", { class: "choice" }, h("label", {}, "Opponent", h("select", {}, h("option", {}, "level-1"))), h("label", {}, "Your name", h("input", { value: "guest" }))),
  h("p", { class: "controls" }, face(3), temper(3)),
  h("ul", { class: "legend" }, ...LEVELS.map((level) => h("li", { class: "controls" }, face(level), called(level)))));

const lists = () => card("Lists",
  h("ol", { class: "dearest" }, h("li", {}, link("#", "6 seeds against greedy, ply 12: pit 1 for pit 4"))),
  h("ol", { class: "puzzles" }, h("li", {}, button("Puzzle 1", () => {}), " ", h("span", { class: "quiet small" }, "keeps the win, easy"))),
  h("div", { class: "tree" }, turn("south", "1."), move("3", true), move("6"), h("span", { class: "branch" }, turn("north", "2."), move("1")), turn("north", "2."), move("4")));

const turn = (side, said) => h("span", { class: `turn ${side}` }, said);
const move = (pit, isCurrent = false) => h("button", { class: "move", type: "button", "aria-current": isCurrent ? "step" : null }, pit);

const commands = () => card("Commands", h("div", { class: "copied" },
  h("pre", { class: "commands", tabindex: 0 }, "mancala new my-bot --lang python"), button("Copy", () => {})));

const tables = (found, record) => [
  h("h1", {}, "Tables"),
  card("Standings", standings(found.standings, "")),
  card("Who is stronger", superiority(found)),
  card("Outcomes", table("Outcomes", ["Opponent", "#Games", "#Won", "#Drawn", "#Lost"], [["greedy", 12, 7, 1, 4], ["random", 12, 12, 0, 0]].map(([name, ...counts]) =>
    h("tr", {}, nameCell(name), ...counts.map(number))), "outcomes")),
  card("Shades", crosstable({ names: SHADES.map((share) => `scored ${share}`), points: SHADES.map((_, row) => SHADES.map((share) => (share + row / 7) % 1)), games: SHADES.map(() => SHADES.map(() => 1)) })),
  card("Each against each", crosstable({ names: found.names, points: found.points, games: found.games_met })),
  card("An event", ranking(found.event)), bracket(KNOCKOUT),
  h("div", { class: "rounds" }, ...found.event.rounds.slice(0, 2).map((each) => round(found.event, { byes: [], ...each }))),
  h("div", { class: "columns" },
    card("Games", gameTable("Games", [{ ...summarized(record), status: "running" }, summarized(record), { ...summarized(record), game: "2", reason: "timeout" }])),
    card("Against perfect play", accuracy("Against perfect play", PHASES.map(([phase, loss, error, best]) => ({ phase, loss, loss_error: error, best, moves: 240 }))))),
  card("Names", table("Names", ["Bot", "#Games", "~When"], ["transposition_search@1.0.0", "Kalah-Champion-of-Aachen", "ann"].map((name) =>
    h("tr", {}, nameCell(link("#", ...parted(name))), number(12), h("td", { class: "quiet" }, "06:03 AM"))))),
];

const summarized = ({ game: id, players, moves, result }) => ({
  game: id, started_at: "2026-11-27T18:00:00Z", status: "over", plies: moves.length, ...result, players: players.map(({ name }) => name),
});

// A game in which both said what they expect.
function game(played, review) {
  const told = (each, ply) => ({ ...each, info: { value: (each.player ? -1 : 1) * review.plies[ply].value + 2, depth: 7, nodes: 12000 } });
  const record = { ...played, moves: played.moves.map(told) };
  const view = new GameView(record, false);
  view.settle(record);
  view.review(review);
  view.go(review.plies.toSorted((one, two) => two.loss - one.loss)[0].ply + 1);
  return view.elements.slice(1);
}

function boards(record) {
  const asked = new Board(6, ["ann", "bob"], { sow() {} });
  const state = parse("<6,0,3,4,4,0,5,5,5,4,4,4,0,5,5>");
  asked.show(state, { player: 1, pit: 2, landed: { side: 0, pit: 1 }, captured: 4 });
  asked.offer(0, [0, 2, 3]);
  const again = new Board(6, ["ann", "bob"]);
  again.show(parse("<6,2,0,4,4,0,5,5,5,4,4,4,0,5,5>"), { player: 0, pit: 1, landed: { side: 0, pit: null } });
  return card("Boards", asked.element, again.element, h("ul", { class: "openings others" }, small(record), small({ ...record, result: null })));
}

const drawn = ({ event, openings, times }) => [
  h("h1", {}, "Charts"),
  card("Ratings over time", charts.overTime("Ratings", ["minimax", "greedy", "captures", "random", "ann", "bob", "cid", "dan"].map((name, place) => ({
    name, points: DAYS.map((day, at) => ({ day, value: 1700 - 200 * place + 20 * at, low: 1660 - 200 * place, high: 1740 - 200 * place + 20 * at })),
  })))),
  card("Lead", leadChart(event)),
  card("Openings", charts.columns("Openings", [...openings, { name: "an opening for the second", share: 0.2 }])),
  card("Times", charts.lines("Times", times, "ms")),
  card("A course", charts.course(DAYS.map((name, at) => ({ name, value: at / 10, error: 0.2 })), { level: 0 })),
];
