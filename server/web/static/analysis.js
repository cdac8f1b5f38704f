// The analysis board: set up a position, sow variations, see what every move is worth.
//
// The address is the position: board=<literal, the mover first>, rules=<text>, and mover=1 if the mover
// is shown at the top. Once something was sown it is the whole study: study=<its text>, at=<the way to
// the position>; see study.js.

import { gameAddress } from "./addresses.js";
import { ask, askIfThere, pause, query } from "./api.js";
import { Board } from "./board.js";
import { button, card, copyLink, h, keepFocus, link, number, table, update } from "./dom.js";
import * as notation from "./notation.js";
import { listed, t } from "./opened.js";
import * as rules from "./rules.js";
import { parseStudy, Study, turned } from "./study.js";
import * as words from "./words.js";

const NAMES = [t("South"), t("North")];
const AGAIN_MS = 2000;
const TRIES = 30;
const VARIANTS = [
  ["kalah", "Kalah"],
  ["kalah-empty-capture", t("captures also from empty pits")],
  ["article", t("relap and majority")],
  ["kalah:capture=none,relay=true", "Avalanche"],
  ["kalah:relay=true", "Congkak"],
  ["kalah:keep_one=true,even=true,empty_takes=true", "Mangala"],
  ["kalah:oware=true", "Oware"],
];

export async function analysis(root, _parameters, signal) {
  const view = new AnalysisView();
  root.append(...view.elements);
  const reopen = () => view.open(Object.fromEntries(new URLSearchParams(location.search)));
  reopen();
  addEventListener("popstate", reopen, { signal });
  document.addEventListener("keydown", (event) => view.press(event), { signal });
}

// What the moves of a position are worth; asks again while the server is busy.
export async function valuesOf(state, variant, isWanted = () => true) {
  const wanted = `/analysis${query(notation.asked(state, variant))}`;
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
  /** @type {Study} */ study;
  /** @type {Board | undefined} */ board;

  constructor() {
    this.place = h("div");
    this.said = h("p", { class: "note said", role: "status" });
    this.values = h("div", { class: "values" });
    this.here = h("div");
    this.played = h("p", { class: "variation small" });
    this.list = h("div", { class: "tree", tabindex: 0, role: "region", "aria-label": t("Moves of the study") });
    this.note = h("input", { name: "note", maxlength: 300, autocomplete: "off", change: () => this.#annotate() });
    this.noted = h("label", { class: "wide" }, t("A note on this position"), this.note);
    this.promote = button(t("Make it the main line"), () => this.#change(() => this.study.promote()));
    this.remove = button(t("Delete from here"), () => this.#change(() => this.study.remove()));
    this.copy = button(t("Copy link to this study"), (event) => copyLink(event.target));
    this.moves = card(t("Moves"), this.list, h("form", { class: "filters", submit: (event) => event.preventDefault() }, this.noted),
      h("p", { class: "controls small" }, this.promote, this.remove, this.copy),
      h("p", { class: "note small keys" }, t("Keys: ← takes back, → follows the main line. The address is the whole study.")));
    this.text = h("input", { name: "board", required: true, "aria-describedby": "board-form", autocomplete: "off", spellcheck: "false" });
    this.variant = h("select", { name: "rules", change: () => this.#begin({ ...this.state }) },
      ...VARIANTS.map(([value, text]) => h("option", { value }, text)));
    this.tool = h("select", { name: "tool", change: () => this.#offer() },
      ...[["sow", t("sows it")], ["add", t("adds a seed")], ["take", t("takes a seed away")]].map(([value, text]) => h("option", { value }, text)));
    this.back = button(t("Take back"), () => this.#change(() => this.study.back()));
    this.playOut = link("/play", t("Play it out"));
    this.other = button(t("The other side moves"), () => this.#begin({ ...this.state, current_player: 1 - this.state.current_player }));
    this.form = h("form", { class: "filters", submit: (event) => this.#submit(event) },
      h("label", { class: "wide" }, t("Board"), this.text),
      h("button", {}, t("Show")));
    this.elements = [
      h("h1", {}, t("Analysis")),
      h("div", { class: "columns" },
        h("div", {}, card(null, this.place, this.said, this.played,
          h("div", { class: "controls" },
            h("label", {}, t("A click on a pit"), " ", this.tool), this.back, this.other, this.playOut),
          this.form,
          h("p", { class: "note small", id: "board-form" }, t("A board is written as the number of pits in a row, the mover's store, the other store, the mover's pits, and the other's.")),
          h("label", { class: "small" }, t("Rules"), " ", this.variant)), this.moves),
        h("div", {}, card(t("What each move is worth"), this.values), card(t("What was played here"), this.here))),
    ];
  }

  // Shows the position or the study of an address.
  /** @param {{board?: string, rules?: string, mover?: string, study?: string, at?: string}} parameters */
  open({ rules: text = "kalah", board = notation.literal(notation.start(notation.rulesIn(text))), mover, study: told, at = "" }) {
    if (!this.#choose(text)) {
      this.said.textContent = t("This page does not know the rules {{rules}}.", { rules: text });
      return;
    }
    const state = notation.parse(board);
    if (told) {
      const study = parseStudy(told, (root) => notation.rulesOf(root, text));
      if (study) {
        study.visit(at);
        this.study = study;
        this.#show();
        return;
      }
    }
    if (state === null || told) {
      this.said.textContent = told ? t("That is no study of this board.") : t("That is no board; the form is explained below.");
      this.text.value = board;
      return;
    }
    this.study = new Study(mover === "1" ? turned(state) : state, notation.rulesOf(state, text));
    this.#show();
  }

  get state() {
    return this.study.at.state;
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea")) return;
    if (event.key === "ArrowLeft" && this.study?.at.parent) this.#change(() => this.study.back());
    else if (event.key === "ArrowRight" && this.study?.at.next.length) this.#sow(this.study.at.next[0].pit);
    else return;
    event.preventDefault();
  }

  // Chooses the rules of a text; false if they are unknown.
  #choose(text) {
    const variant = notation.variantOf(text);
    if (variant === null) return false;
    const isSame = ({ value }) => JSON.stringify(notation.variantOf(value)) === JSON.stringify(variant);
    if (![...this.variant.options].some(isSame)) {
      const changes = Object.keys(variant).filter((name) => variant[name] !== rules.KNOWN[name][0]);
      this.variant.append(h("option", { value: text }, listed(changes.map((name) => `${name}=${variant[name]}`))));
    }
    this.variant.value = [...this.variant.options].find(isSame).value;
    return true;
  }

  // Begins anew with a position.
  #begin(state) {
    this.study = new Study(state, notation.rulesOf(state, this.variant.value));
    this.#change(() => {});
  }

  // Changes the study or the place in it, and the address with it.
  #change(act, step = null) {
    act();
    history.pushState(null, "", this.#address());
    this.#show(step);
  }

  #address() {
    const { study, state } = this;
    const isStudy = study.root.next.length > 0;
    return `/analysis${query({
      board: notation.literal(state), rules: this.variant.value, mover: state.current_player ? "1" : "",
      study: isStudy ? study.text : "", at: isStudy ? study.place : "",
    })}`;
  }

  #annotate() {
    this.study.annotate(this.note.value);
    history.replaceState(null, "", this.#address());
    this.#list();
  }

  #show(step = null) {
    const { state, study } = this;
    const size = state.pits[0].length;
    if (this.board?.pits !== size) {
      this.board = new Board(size, NAMES, { sow: (player, pit) => this.#press(player, pit) });
      this.place.replaceChildren(this.board.element);
    }
    this.board.point([]);
    const isOver = rules.isOver(state, this.rules);
    if (step) this.board.sow(step.before, step, step.move, isOver);
    else this.board.show(state, null, isOver);
    this.text.value = notation.literal(state);
    this.playOut.hidden = isOver;
    this.playOut.href = `/play${query({ board: this.text.value, rules: notation.textOf(this.rules) })}`;
    const { path } = study.at;
    this.played.textContent = path.length ? t("Sown: {{line}}", { line: words.turns(path, NAMES) }) : "";
    keepFocus(this.list, () => {
      this.back.disabled = path.length === 0;
      this.#list();
    });
    this.#offer();
    this.#value(isOver);
    this.#explore(isOver);
  }

  // The tree of moves, each a button that goes there.
  #list() {
    const { study } = this;
    const isMain = study.at.path.every((node) => node.parent?.next[0] === node);
    this.note.value = study.at.note;
    this.promote.disabled = isMain;
    this.remove.disabled = !study.at.parent;
    const hadFocus = this.list.contains(document.activeElement) && document.activeElement !== this.list;
    this.list.replaceChildren(...(study.root.next.length ? this.#line(study.root) : [h("p", { class: "note" }, t("Sow a pit; each other move from the same position becomes a variation."))]));
    const current = /** @type {HTMLElement | null} */ (this.list.querySelector("[aria-current]"));
    if (hadFocus) current?.focus();
    if (current) this.list.scrollTop += current.getBoundingClientRect().top - this.list.getBoundingClientRect().top - this.list.clientHeight / 2;
  }

  // A line from a position on, its variations behind the move that they replace.
  #line(from) {
    const parts = [];
    for (let node = from; node.next.length; [node] = node.next) {
      const [main, ...others] = node.next;
      parts.push(...this.#move(main, node === from || others.length > 0 || main.player !== node.player));
      for (const other of others) {
        parts.push(h("span", { class: "branch" }, ...this.#move(other, true), ...this.#line(other)));
      }
    }
    return parts;
  }

  #move(node, isNamed) {
    const number = words.pitNumber(node.pit);
    const shown = h("button", {
      type: "button", class: "move", "aria-current": node === this.study.at && "step",
      "aria-label": t("{{player}} sows pit {{pit}}", { player: NAMES[node.player], pit: number }),
      click: () => this.#change(() => { this.study.at = node; }),
    }, number);
    return [isNamed && h("span", { class: `turn ${node.player ? "north" : "south"}` }, NAMES[node.player]), shown,
      node.note && h("span", { class: "quiet small" }, node.note)].filter(Boolean);
  }

  get rules() {
    return notation.rulesOf(this.state, this.variant.value);
  }

  #offer() {
    const name = (pit, side) => words.pitOf(NAMES[side], pit, this.state.pits[side][pit]);
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
      this.#begin({ ...this.state, pits });
    }
  }

  #sow(pit) {
    const before = this.state;
    const move = { player: before.current_player, pit };
    const sown = rules.sow(before, pit, this.rules);
    this.#change(() => this.study.sow(pit), { ...sown, before, move });
    this.said.textContent = `${words.sowing(move, NAMES, sown)} ${this.said.textContent}`;
  }

  async #value(isOver) {
    const { state } = this;
    const isWanted = () => this.state === state;
    const mover = NAMES[state.current_player];
    if (isOver) {
      this.said.textContent = t("The game is over, {{score}}.", { score: words.score(state.stores) });
      update(this.values, h("p", { class: "note" }, t("No move is left.")));
      return;
    }
    this.said.textContent = t("{{player}} is to move.", { player: mover });
    update(this.values, h("p", { class: "note" }, t("Being analysed …")));
    try {
      const found = await valuesOf(state, this.rules, isWanted);
      if (isWanted()) this.#judge(found);
    } catch (error) {
      if (isWanted()) update(this.values, h("p", { class: "note" }, `${error.message}.`));
    }
  }

  // What the latest games came to from here, each move with the latest game in which it was played.
  async #explore(isOver) {
    const { state } = this;
    const wanted = notation.asked(state, this.rules);
    const found = isOver ? null : await askIfThere(`/explorer${query(wanted)}`).catch(() => null);
    if (this.state !== state) return;
    if (!found?.moves.length) {
      update(this.here, h("p", { class: "note" }, found ? t("Nothing, in the latest {{count}} games of this server.", { count: found.games }) : t("Nothing is known.")));
      return;
    }
    update(this.here,
      table(t("What was played here"), [t("Move"), ...words.outcomes(), `~${t("Latest")}`], found.moves.map(({ pit, counts, game, ply }) => h("tr", { "data-key": pit },
        h("td", {}, button(t("Pit {{pit}}", { pit: words.pitNumber(pit) }), () => this.#sow(pit), t("Sow pit {{pit}}, as in {{count}} games", { pit: words.pitNumber(pit), count: counts.games }))),
        ...[counts.games, counts.wins, counts.draws, counts.losses].map(number),
        h("td", {}, link(gameAddress(game, ply + 1), t("game"))))), "outcomes"),
      h("p", { class: "note small" }, t("Won, drawn and lost for {{player}}, in the first moves of the latest {{count}} games.", { player: NAMES[state.current_player], count: found.games }), " ",
        link(`/river${query({ ...wanted, mover: state.current_player ? "1" : "" })}`, t("As a river"))));
  }

  #judge({ moves, best, line, proven, value }) {
    const { state } = this;
    const mover = state.current_player;
    const sorted = [...moves].sort((a, b) => b.value - a.value);
    update(this.values,
      table(t("Moves"), [t("Move"), `#${t("For {{player}}", { player: NAMES[mover] })}`, t("Certainty")], sorted.map((move) => h("tr", { "data-key": move.pit },
        h("td", {}, button(t("Pit {{pit}}", { pit: words.pitNumber(move.pit) }), () => this.#sow(move.pit))),
        number(words.worth(move.value, move.proven)),
        h("td", { class: "quiet" }, move.proven ? t("proven") : t("depth {{depth}}", { depth: move.depth }))))),
      h("p", { class: "note small" }, t("Best: {{line}}, {{value}}, {{certainty}}. Values are final differences of stores.",
        { line: words.line(line, state, this.rules, NAMES), value: words.worth(value, proven), certainty: words.certainty(proven) })));
    const to = rules.sow(state, best, this.rules).path.at(-1);
    this.board.point([{ player: mover, pit: best, to, kind: "best" }]);
  }

  #submit(event) {
    event.preventDefault();
    const state = notation.parse(this.text.value);
    if (state === null) this.said.textContent = t("That is no board; the form is explained below.");
    else this.#begin(state);
  }
}
