// Boards that ask for one move: puzzles cut from reviewed games, and the rules in six boards.

import { gameAddress } from "./addresses.js";
import { ask, askPatiently } from "./api.js";
import { Board } from "./board.js";
import { button, card, h, keepFocus, link, update } from "./dom.js";
import { parse, rulesOf } from "./notation.js";
import { listed, locale, t } from "./opened.js";
import { sow } from "./rules.js";
import * as words from "./words.js";

/** @typedef {{board: string, rules: string, right: number[], asked: string, told: string, wrong?: (pit: number) => string}} Asked */

const SEEN = "mancala.puzzles.seen";
const [FOUND, SHOWN] = ["found", "shown"];
const REMEMBERED = 800;
const DAY_MS = 24 * 3600 * 1000;
const NAMES = [t("South"), t("North")];
const LEVELS = ["", t("very easy"), t("easy"), t("hard")];
const MARKS = { [FOUND]: t("solved"), [SHOWN]: t("seen") };
const KEPT = {
  win: {
    brief: t("keeps the win"),
    asked: (values) => t("You are South. Only one move keeps the win: which one? ({{level}})", values),
    wrong: (values) => t("Pit {{pit}} gives the win away: {{value}}, proven. Try again.", values),
  },
  draw: {
    brief: t("keeps the draw"),
    asked: (values) => t("You are South. Only one move keeps the draw: which one? ({{level}})", values),
    wrong: (values) => t("Pit {{pit}} gives the draw away: {{value}}, proven. Try again.", values),
  },
};

// The seeds of an even board are four in each pit; South has the lower row, and the store on the right.
/** @type {Asked[]} */
const LESSON = /** @type {[string, number[], string, string][]} */ ([
  ["<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>", [0, 1, 2, 3, 4, 5], t("Your pits are the lower row, your store is on the right. Press any of your pits: its seeds are sown one by one to the right."),
    t("One seed fell into each pit on the way.")],
  ["<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>", [2], t("If the last seed falls into your store, you move again. Which pit has exactly the seeds to reach it?"),
    t("Four seeds, four steps: the last one fell into your store, and it is your turn again.")],
  ["<6,12,12,1,0,1,0,0,2,4,5,6,0,5,0>", [2], t("If the last seed falls into an empty pit of yours, you capture it and all seeds opposite. Which pit brings the most?"),
    t("The last seed fell into an empty pit, and the seeds opposite came with it into your store.")],
  ["<6,14,14,1,0,0,5,2,1,0,1,4,1,1,4>", [5], t("Moves again can be chained. Begin with the pit that leaves the others as they are."),
    t("It is your turn again, and the next pits can reach the store, too.")],
  ["<6,12,13,0,0,1,12,0,1,1,2,1,0,2,3>", [3], t("Seeds go around: past your store into the opponent's pits, and back into yours, but never into the opponent's store. Press the pit with twelve seeds."),
    t("The other store is left out.")],
  ["<6,24,15,0,0,0,0,0,1,1,0,2,2,2,1>", [5], t("The game ends when one row is empty; what is left goes to the owner of the other row. Play your last seed."),
    t("Your row is empty: the opponent keeps the seeds that are left. More seeds in the store win.")],
])
  .map(([board, right, asked, told]) => ({ board, right, asked, told, rules: "kalah" }));

// A board that asks for a move.
class Task {
  isDone = false;

  /** @param {Asked} task @param {(isFound: boolean) => void} solved */
  constructor(task, solved) {
    this.task = task;
    this.solved = solved;
    this.state = parse(task.board);
    this.rules = rulesOf(this.state, task.rules);
    this.board = new Board(this.state.pits[0].length, NAMES, { sow: (_player, pit) => this.#try(pit) });
    this.said = h("p", { class: "said", role: "status" }, task.asked);
    this.element = h("div", {}, this.board.element, this.said);
    this.#offer();
  }

  #offer() {
    this.board.show(this.state);
    const legal = this.state.pits[0].flatMap((seeds, pit) => (seeds ? [pit] : []));
    this.board.offer(0, legal, (pit, side) => words.pitOf(NAMES[side], pit, this.state.pits[side][pit]));
  }

  async #try(pit) {
    if (this.isDone || !this.state.pits[0][pit]) return;
    if (!this.task.right.includes(pit)) {
      this.said.textContent = this.task.wrong?.(pit) ?? t("Not pit {{pit}}: count where its last seed falls, and try again.", { pit: words.pitNumber(pit) });
      return;
    }
    await this.reveal(pit, this.task.told, true);
  }

  async reveal(pit, told, isFound = false) {
    this.isDone = true;
    this.board.offer(0, []);
    const sown = sow(this.state, pit, this.rules);
    this.said.textContent = told;
    this.solved(isFound);
    await this.board.sow(this.state, sown, { player: 0, pit }, sown.over);
  }
}

export async function lesson(root) {
  let at = 0;
  const place = h("div");
  const count = h("p", { class: "quiet" });
  const next = button(t("Next board"), () => show(at + 1));
  const again = button(t("Again"), () => show(at));
  const play = link("/play?opponent=level-1", t("Play your first game"));
  function show(number) {
    at = number;
    count.textContent = t("Board {{number}} of {{last}}", { number: at + 1, last: LESSON.length });
    keepFocus(count, () => { next.hidden = play.hidden = true; });
    const isLast = at === LESSON.length - 1;
    place.replaceChildren(new Task(LESSON[at], () => {
      next.hidden = isLast;
      play.hidden = !isLast;
    }).element);
  }
  show(0);
  root.append(h("h1", {}, t("A first lesson")), h("div", { class: "table" }, card(null, count, place, h("p", { class: "controls" }, next, again, play))));
}

// The puzzle of a day, the former ones, and others to practise with.
export async function puzzles(root, { day }, signal) {
  const { puzzles: others, latest, days } = await askPatiently("/puzzles", signal);
  const daily = day && day !== latest?.day ? await ask(`/puzzles/${day}`, signal) : latest;
  const practice = others.map((puzzle) => ({ puzzle }));
  const chosen = daily ?? practice[0];
  if (!chosen) {
    root.append(h("h1", {}, t("Puzzles")), card(null, h("p", { class: "note" }, t("Puzzles are cut from reviewed games; none has one yet.")), h("p", {}, link("/lesson", t("The rules on six boards")))));
    return;
  }
  const place = h("div");
  const streak = h("p", { class: "quiet" });
  const [earlier, list] = [h("ol", { class: "puzzles" }), h("ol", { class: "puzzles" })];
  const show = (shown, isAsked = true) => {
    const { puzzle } = shown;
    const controls = h("p", { class: "controls" });
    const task = new Task(asked(puzzle), (isFound) => {
      remember(shown, isFound);
      draw();
      keepFocus(controls, () => controls.replaceChildren(...after(puzzle)));
    });
    const following = practice[(practice.indexOf(shown) + 1) % practice.length];
    const next = (text) => (following ? [button(text, () => show(following))] : []);
    const after = ({ game, ply }) => [
      ...next(t("Next puzzle")),
      link(gameAddress(game, ply), t("The game")),
      link(`/analysis?board=${encodeURIComponent(puzzle.board)}&rules=${encodeURIComponent(puzzle.rules)}`, t("Analyse this position")),
    ];
    controls.replaceChildren(button(t("Show the answer"), () => task.reveal(puzzle.best, solution(puzzle))), ...next(t("Another puzzle")));
    const head = h("h2", { tabindex: -1 }, headOf(shown));
    place.replaceChildren(head, task.element, controls);
    if (isAsked) head.focus();
  };
  const draw = () => {
    const done = seen();
    const marks = ({ keeps, level }, mark) => h("span", { class: "quiet small" }, listed([KEPT[keeps].brief, LEVELS[level], ...(mark ? [mark] : [])]));
    const row = streakOf(days, done);
    streak.textContent = row > 1 ? t("{{count}} days in a row!", { count: row }) : "";
    update(earlier, ...days.map((each) => h("li", {}, link(`/puzzles/${each.day}`, listed([numbered(each.number), dateOf(each.day)])), " ", marks(each, MARKS[done[each.day]]))));
    update(list, ...practice.map((each) => h("li", {}, button(headOf(each), () => show(each)), " ", marks(each.puzzle, MARKS[done[key(each)]]))));
  };
  root.append(h("h1", {}, t("Puzzles")), h("div", { class: "columns" }, card(null, place, streak),
    h("div", {}, card(t("The puzzles of days"), earlier),
      practice.length > 0 && card(t("To practise"), h("p", { class: "note small" }, t("Positions of games played here, in which one move keeps the result, by proof. They are harder the deeper a plain search must look to find it.")), list))));
  draw();
  show(chosen, false);
}

const numbered = (number) => t("Puzzle {{number}}", { number });

const dateOf = (day) => new Date(day).toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" });

const headOf = ({ day, number, puzzle }) => (day ? `${numbered(number)}: ${t("The puzzle of {{day}}", { day: dateOf(day) })}` : t("Position {{name}}", { name: key({ puzzle }) }));

// On how many days in a row, up to that of the latest puzzle or of the one before it, it was found on this device.
function streakOf(days, done) {
  const isOpen = days.length > 0 && !done[days[0].day];
  const row = days.slice(isOpen ? 1 : 0);
  const end = row.findIndex(({ day }, place) => done[day] !== FOUND || (place > 0 && Date.parse(row[place - 1].day) - Date.parse(day) > DAY_MS));
  return end < 0 ? row.length : end;
}

const asked = (puzzle) => ({
  board: puzzle.board,
  rules: puzzle.rules,
  right: [puzzle.best],
  asked: KEPT[puzzle.keeps].asked({ level: LEVELS[puzzle.level] }),
  told: `${t("Right.")} ${solution(puzzle)}`,
  wrong: (pit) => KEPT[puzzle.keeps].wrong({ pit: words.pitNumber(pit), value: words.signed(valueOf(puzzle, pit)) }),
});

function solution(puzzle) {
  const { best, played, rules, board } = puzzle;
  const state = parse(board);
  const line = words.line(puzzle.line, state, rulesOf(state, rules), NAMES);
  const shown = (pit) => ({ pit: words.pitNumber(pit), value: words.signed(valueOf(puzzle, pit)), line });
  const inGame = played === best ? t("It was played in the game.") : t("In the game pit {{pit}} was played: {{value}}.", shown(played));
  return `${t("Pit {{pit}}: {{value}}, proven. Best play: {{line}}.", shown(best))} ${inGame}`;
}

const valueOf = ({ moves }, wanted) => moves.find(({ pit }) => pit === wanted).value;

/** @param {{day?: string, puzzle: any}} shown */
const key = ({ day, puzzle }) => day ?? `${puzzle.game}/${puzzle.ply}`;

const isDay = (name) => !name.includes("/");

// What became of puzzles on this device, by their days or positions: the latest of them, those of days before others.
const seen = () => JSON.parse(localStorage.getItem(SEEN) ?? "{}");

function remember(shown, isFound) {
  const { [key(shown)]: former, ...others } = seen();
  const kept = [...Object.entries(others), [key(shown), former ?? (isFound ? FOUND : SHOWN)]];
  const inOrder = kept.toSorted(([one], [other]) => Number(isDay(one)) - Number(isDay(other)));
  localStorage.setItem(SEEN, JSON.stringify(Object.fromEntries(inOrder.slice(-REMEMBERED))));
}
