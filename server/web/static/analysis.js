// The analysis board: set up a position, sow variations, see what every move is worth.
//
// The address is the position: board=<literal, the mover first>, rules=<text>, and mover=1 if the mover
// is shown at the top.

import { ask, pause, query } from "./api.js";
import { Board } from "./board.js";
import { button, card, h, number, table, update } from "./dom.js";
import * as rules from "./rules.js";
import * as words from "./words.js";

const NAMES = ["South", "North"];
const AGAIN_MS = 2000;
const TRIES = 30;
const START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>";
const VARIANTS = [
  ["kalah", "Kalah"],
  ["kalah-empty-capture", "captures also from empty pits"],
  ["article", "relap and majority"],
];

export async function analysis(root, parameters, signal) {
  const view = new AnalysisView();
  root.append(...view.elements);
  view.open(parameters);
  addEventListener("popstate", () => view.open(Object.fromEntries(new URLSearchParams(location.search))), { signal });
}

// What the moves of a position are worth; asks again while the server is busy.
export async function valuesOf(state, variant, isWanted = () => true) {
  const wanted = `/analysis${query({ board: rules.literal(state), rules: rules.textOf(variant) })}`;
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask(wanted);
    } catch (error) {
      if (error.status !== 503 || tries >= TRIES || !isWanted()) throw error;
      await pause(AGAIN_MS);
    }
  }
}

class AnalysisView {
  /** @type {import("./rules.js").State} */ state;
  /** @type {import("./rules.js").Move[]} */ path = [];
  /** @type {Board | undefined} */ board;

  constructor() {
    this.place = h("div");
    this.said = h("p", { class: "note said", role: "status" });
    this.values = h("div");
    this.played = h("p", { class: "variation small" });
    this.text = h("input", { name: "board", required: true, "aria-describedby": "board-form", autocomplete: "off", spellcheck: "false" });
    this.variant = h("select", { name: "rules", change: () => this.#go({ ...this.state }, this.path) },
      ...VARIANTS.map(([value, text]) => h("option", { value }, text)));
    this.tool = h("select", { name: "tool", change: () => this.#offer() },
      ...[["sow", "sows it"], ["add", "adds a seed"], ["take", "takes a seed away"]].map(([value, text]) => h("option", { value }, text)));
    this.back = button("Take back", () => history.back());
    this.other = button("The other side moves", () => this.#go({ ...this.state, current_player: 1 - this.state.current_player }, []));
    this.form = h("form", { class: "filters", submit: (event) => this.#submit(event) },
      h("label", { class: "wide" }, "Board", this.text),
      h("button", {}, "Show"));
    this.elements = [
      h("h1", {}, "Analysis"),
      h("div", { class: "columns" },
        card(null, this.place, this.said, this.played,
          h("div", { class: "controls" },
            h("label", {}, "A click on a pit ", this.tool), this.back, this.other),
          this.form,
          h("p", { class: "note small", id: "board-form" }, "A board is written as the number of pits in a row, the mover's store, the other store, the mover's pits, and the other's."),
          h("label", { class: "small" }, "Rules ", this.variant)),
        card("What each move is worth", this.values)),
    ];
  }

  // Shows the position of an address.
  /** @param {{board?: string, rules?: string, mover?: string}} parameters */
  open({ board = START, rules: text = "kalah", mover }) {
    const state = rules.parse(board);
    if (!this.#choose(text)) {
      this.said.textContent = `This page does not know the rules ${text}.`;
      return;
    }
    if (state === null) {
      this.said.textContent = "That is no board; the form is explained below.";
      this.text.value = board;
      return;
    }
    this.#show(mover === "1" ? swapped(state) : state, history.state?.path ?? []);
  }

  // Chooses the rules of a text; false if they are unknown.
  #choose(text) {
    const variant = rules.variantOf(text);
    if (variant === null) return false;
    const isSame = ({ value }) => JSON.stringify(rules.variantOf(value)) === JSON.stringify(variant);
    if (![...this.variant.options].some(isSame)) {
      const changes = Object.keys(variant).filter((name) => variant[name] !== rules.RULES[name][0]);
      this.variant.append(h("option", { value: text }, changes.map((name) => `${name}=${variant[name]}`).join(", ")));
    }
    this.variant.value = [...this.variant.options].find(isSame).value;
    return true;
  }

  #go(state, path) {
    const board = rules.literal(state);
    const mover = state.current_player ? "1" : "";
    history.pushState({ path }, "", `/analysis${query({ board, rules: this.variant.value, mover })}`);
    this.#show(state, path);
  }

  #show(state, path, step = null) {
    const size = state.pits[0].length;
    if (this.board?.pits !== size) {
      this.board = new Board(size, NAMES, { sow: (player, pit) => this.#press(player, pit) });
      this.place.replaceChildren(this.board.element);
    }
    Object.assign(this, { state, path });
    this.board.point([]);
    const isOver = rules.isOver(state, this.rules);
    if (step) this.board.sow(step.before, step, step.move, isOver);
    else this.board.show(state, null, isOver);
    this.text.value = rules.literal(state);
    this.played.textContent = path.length ? `Sown: ${turns(path)}` : "";
    this.back.disabled = path.length === 0;
    this.#offer();
    this.#value(isOver);
  }

  get rules() {
    const { pits, stores } = this.state;
    const size = pits[0].length;
    const total = [...pits.flat(), ...stores].reduce((sum, each) => sum + each, 0);
    return { pits: size, seeds: Math.max(1, Math.floor(total / (2 * size))), ...rules.variantOf(this.variant.value) };
  }

  #offer() {
    const name = (pit, side) => `${NAMES[side]}'s pit ${words.pitNumber(pit)}, ${words.seedsOf(this.state.pits[side][pit])}`;
    if (this.tool.value === "sow") this.board.offer(this.state.current_player, rules.legal(this.state, this.rules), name);
    else this.board.offerAll(name);
  }

  #press(player, pit) {
    if (this.tool.value === "sow") {
      if (player !== this.state.current_player || !rules.legal(this.state, this.rules).includes(pit)) return;
      this.#sow(pit);
    } else {
      const pits = this.state.pits.map((row) => [...row]);
      pits[player][pit] = Math.max(0, pits[player][pit] + (this.tool.value === "add" ? 1 : -1));
      this.#go({ ...this.state, pits }, []);
    }
  }

  #sow(pit) {
    const before = this.state;
    const sown = rules.sow(before, pit, this.rules);
    const move = { player: before.current_player, pit };
    const path = [...this.path, move];
    const mover = sown.state.current_player ? "1" : "";
    history.pushState({ path }, "", `/analysis${query({ board: rules.literal(sown.state), rules: this.variant.value, mover })}`);
    this.#show(sown.state, path, { ...sown, before, move });
    this.said.textContent = `${words.sowing(move, NAMES, sown)} ${this.said.textContent}`;
  }

  async #value(isOver) {
    const { state } = this;
    const isWanted = () => this.state === state;
    const mover = NAMES[state.current_player];
    if (isOver) {
      this.said.textContent = `The game is over, ${words.score(state.stores)}.`;
      update(this.values, h("p", { class: "note" }, "No move is left."));
      return;
    }
    this.said.textContent = `${mover} is to move.`;
    update(this.values, h("p", { class: "note" }, "Being analysed …"));
    try {
      const found = await valuesOf(state, this.rules, isWanted);
      if (isWanted()) this.#judge(found);
    } catch (error) {
      if (isWanted()) update(this.values, h("p", { class: "note" }, `${error.message}.`));
    }
  }

  #judge({ moves, best, line, proven, value }) {
    const { state } = this;
    const mover = state.current_player;
    const sorted = [...moves].sort((a, b) => b.value - a.value);
    update(this.values,
      table("Moves", ["Move", `#For ${NAMES[mover]}`, "Certainty"], sorted.map((move) => h("tr", { "data-key": move.pit },
        h("td", {}, button(`Pit ${words.pitNumber(move.pit)}`, () => this.#sow(move.pit))),
        number(words.signed(move.value)),
        h("td", { class: "quiet" }, move.proven ? "proven" : `depth ${move.depth}`)))),
      h("p", { class: "note small" }, `Best: ${words.line(line, state, this.rules, NAMES)}, ${words.signed(value)}, ${words.certainty(proven)}. Values are final differences of stores.`));
    const to = rules.sow(state, best, this.rules).path.at(-1);
    this.board.point([{ player: mover, pit: best, to, kind: "best" }]);
  }

  #submit(event) {
    event.preventDefault();
    const state = rules.parse(this.text.value);
    if (state === null) this.said.textContent = "That is no board; the form is explained below.";
    else this.#go(state, []);
  }
}

const swapped = ({ pits, stores }) => ({ pits: [pits[1], pits[0]], stores: [stores[1], stores[0]], current_player: 1 });

function turns(path) {
  const parts = [];
  for (const { player, pit } of path) {
    if (parts.at(-1)?.player === player) parts.at(-1).pits.push(pit);
    else parts.push({ player, pits: [pit] });
  }
  return parts.map(({ player, pits }) => `${NAMES[player]} ${pits.map(words.pitNumber).join("-")}`).join(", ");
}
