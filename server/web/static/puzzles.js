// Boards that ask for one move: puzzles cut from reviewed games, and the rules in six boards.

import { gameAddress } from "./addresses.js";
import { askPatiently } from "./api.js";
import { Board } from "./board.js";
import { button, card, h, link, update } from "./dom.js";
import { t } from "./opened.js";
import { parse, rulesOf, sow } from "./rules.js";
import * as words from "./words.js";

/** @typedef {{board: string, rules: string, right: number[], asked: string, told: string, wrong?: (pit: number) => string}} Asked */

const SOLVED = "mancala.puzzles";
const REMEMBERED = 500;
const NAMES = [t("South"), t("North")];
const LEVELS = ["", t("very easy"), t("easy"), t("hard"), t("very hard")];
const KEPT = {
  win: {
    brief: t("keeps the win"),
    asked: (values) => t("You are South. Only one move keeps the win: which one? (Level {{level}} of 4)", values),
    wrong: (values) => t("Pit {{pit}} gives the win away: {{value}}, proven. Try again.", values),
  },
  draw: {
    brief: t("keeps the draw"),
    asked: (values) => t("You are South. Only one move keeps the draw: which one? (Level {{level}} of 4)", values),
    wrong: (values) => t("Pit {{pit}} gives the draw away: {{value}}, proven. Try again.", values),
  },
};

// The seeds of an even board are four in each pit; South has the lower row, and the store on the right.
/** @type {Asked[]} */
const LESSON = /** @type {[string, number[], string, string][]} */ ([
  ["<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>", [0, 1, 2, 3, 4, 5], t("Your pits are the lower row, your store is on the right. Press any of your pits: its seeds are sown one by one to the right."),
    t("One seed fell into each hole on the way.")],
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

  /** @param {Asked} task @param {() => void} solved */
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
    await this.reveal(pit, this.task.told);
  }

  async reveal(pit, told) {
    this.isDone = true;
    this.board.offer(0, []);
    const sown = sow(this.state, pit, this.rules);
    this.said.textContent = told;
    this.solved();
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
    next.hidden = play.hidden = true;
    const isLast = at === LESSON.length - 1;
    place.replaceChildren(new Task(LESSON[at], () => {
      next.hidden = isLast;
      play.hidden = !isLast;
    }).element);
  }
  show(0);
  root.append(h("h1", {}, t("A first lesson")), h("div", { class: "table" }, card(null, count, place, h("p", { class: "controls" }, next, again, play))));
}

export async function puzzles(root, _parameters, signal) {
  const found = (await askPatiently("/puzzles", signal)).puzzles;
  if (!found.length) {
    root.append(h("h1", {}, t("Puzzles")), card(null, h("p", { class: "note" }, t("Puzzles are cut from reviewed games; none has one yet.")), h("p", {}, link("/lesson", t("The rules on six boards")))));
    return;
  }
  const today = new Date().toISOString().slice(0, 10);
  const chosen = ofTheDay(found, today);
  const place = h("div");
  const list = h("ol", { class: "puzzles" });
  const show = (puzzle) => {
    const controls = h("p", { class: "controls" });
    const task = new Task(asked(puzzle), () => {
      remember(puzzle);
      draw();
      controls.replaceChildren(...after(puzzle));
    });
    const following = found[(found.indexOf(puzzle) + 1) % found.length];
    const after = ({ game, ply }) => [
      button(t("Next puzzle"), () => show(following)),
      link(gameAddress(game, ply), t("The game")),
      link(`/analysis?board=${encodeURIComponent(puzzle.board)}&rules=${encodeURIComponent(puzzle.rules)}`, t("Analyse it")),
    ];
    controls.replaceChildren(button(t("Show the answer"), () => task.reveal(puzzle.best, solution(puzzle))), button(t("Another puzzle"), () => show(following)));
    place.replaceChildren(h("h2", {}, puzzle === chosen ? t("The puzzle of {{day}}", { day: today }) : numbered(found.indexOf(puzzle) + 1)), task.element, controls);
  };
  const draw = () => {
    const done = solved();
    update(list, ...found.map((puzzle, index) => h("li", {}, button(numbered(index + 1), () => show(puzzle)), " ",
      h("span", { class: "quiet small" }, [KEPT[puzzle.keeps].brief, LEVELS[puzzle.level], ...(done.includes(key(puzzle)) ? [t("seen")] : [])].join(", ")))));
  };
  root.append(h("h1", {}, t("Puzzles")), h("div", { class: "columns" }, card(null, place),
    card(t("All puzzles"), h("p", { class: "note small" }, t("Positions of games played here, in which one move keeps the result, by proof. They are harder the deeper a plain search must look to find it.")), list)));
  draw();
  show(chosen);
}

const numbered = (number) => t("Puzzle {{number}}", { number });

const asked = (puzzle) => ({
  board: puzzle.board,
  rules: puzzle.rules,
  right: [puzzle.best],
  asked: KEPT[puzzle.keeps].asked({ level: puzzle.level }),
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

const key = ({ game, ply }) => `${game}/${ply}`;

const solved = () => JSON.parse(localStorage.getItem(SOLVED) ?? "[]");

function remember(puzzle) {
  const others = solved().filter((each) => each !== key(puzzle));
  localStorage.setItem(SOLVED, JSON.stringify([...others, key(puzzle)].slice(-REMEMBERED)));
}

// The same puzzle for all visitors of a day: drawn by its date among the games that ended before it.
function ofTheDay(list, day) {
  const earlier = list.filter(({ ended_at: ended }) => ended < day);
  const drawn = (puzzle) => [...`${day}${key(puzzle)}`].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16777619) >>> 0, 2166136261);
  return (earlier.length ? earlier : list).reduce((one, other) => (drawn(other) < drawn(one) ? other : one));
}
