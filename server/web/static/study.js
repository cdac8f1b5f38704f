// A study: a position and the moves from it, with variations and notes, as a tree and as a text.
//
// The text is the root's board (behind ~ if the mover is shown at the top), then the moves, as PGN has
// them: pits by their numbers, a point between two, a variation in parentheses behind the move that it
// replaces, a note in braces: <6,0,0,…>3.6{moves again}(2.1).4

import * as notation from "./notation.js";
import * as rules from "./rules.js";
import { pitNumber } from "./words.js";

const WHOLE = /^(~?)(<[^>]*>)(.*)$/s;
const TOKEN = /\s*(?:(\d{1,2})|\{([^}]*)\}|([().]))/y;
const LONGEST_NOTE = 300;

/** @typedef {import("./rules.js").State} State */
/** @typedef {import("./rules.js").Rules} Rules */

class Node {
  /** @type {Node[]} the moves from here, the main one first */ next = [];
  note = "";

  /** @param {Node | null} parent @param {State} state @param {number | null} pit @param {import("./rules.js").Sowing | null} sowing */
  constructor(parent, state, pit = null, sowing = null) {
    this.parent = parent;
    this.state = state;
    this.pit = pit;
    this.sowing = sowing;
  }

  get player() {
    return this.parent?.state.current_player ?? null;
  }

  // The nodes from the first move to this one.
  get path() {
    /** @type {Node[]} */ const found = [];
    for (let node = /** @type {Node} */ (this); node.parent; node = node.parent) found.unshift(node);
    return found;
  }
}

export class Study {
  /** @param {State} state @param {Rules} variant */
  constructor(state, variant) {
    this.variant = variant;
    this.root = new Node(null, state);
    this.at = this.root;
  }

  // Goes to a move from here, which becomes a variation if it is new; false if it is illegal.
  /** @param {number} pit */
  sow(pit) {
    const from = this.at;
    if (!rules.legal(from.state, this.variant).includes(pit)) return false;
    let node = from.next.find((each) => each.pit === pit);
    if (!node) {
      const sowing = rules.sow(from.state, pit, this.variant);
      node = new Node(from, sowing.state, pit, sowing);
      from.next.push(node);
    }
    this.at = node;
    return true;
  }

  back() {
    this.at = this.at.parent ?? this.at;
  }

  // Takes the move that led here, and all that follows, out of the study.
  remove() {
    const { parent } = this.at;
    if (!parent) return;
    parent.next = parent.next.filter((each) => each !== this.at);
    this.at = parent;
  }

  // Makes the way to here the main line.
  promote() {
    for (const node of this.at.path) {
      const { next } = /** @type {Node} */ (node.parent);
      next.sort((one, other) => Number(other === node) - Number(one === node));
    }
  }

  /** @param {string} text */
  annotate(text) {
    this.at.note = text.replace(/[{}]/g, "").slice(0, LONGEST_NOTE).trim();
  }

  get text() {
    const { state } = this.root;
    return `${state.current_player ? "~" : ""}${notation.literal(state)}${note(this.root)}${line(this.root)}`;
  }

  // The pits on the way to here, for the address.
  get place() {
    return this.at.path.map(({ pit }) => pitNumber(pit)).join(".");
  }

  // Goes along pits, as far as they are in the study.
  /** @param {string} text */
  visit(text) {
    this.at = this.root;
    for (const number of text.split(".").filter(Boolean)) {
      const node = this.at.next.find(({ pit }) => pit === Number(number) - 1);
      if (!node) return;
      this.at = node;
    }
  }
}

// Reads a study; null if the text is none, or has a move that is illegal.
/** @param {string} text @param {(state: State) => Rules | null} variantOf */
export function parseStudy(text, variantOf) {
  const [, isTurned, board, moves] = WHOLE.exec(text) ?? [];
  const state = board ? notation.parse(board) : null;
  if (!state) return null;
  const root = isTurned ? turned(state) : state;
  const variant = variantOf(root);
  if (!variant) return null;
  const study = new Study(root, variant);
  return read(study, moves) ? study : null;
}

// The same position, its mover at the top.
/** @param {State} state @returns {State} */
export const turned = ({ pits, stores, current_player: me }) =>
  ({ pits: [pits[1], pits[0]], stores: [stores[1], stores[0]], current_player: 1 - me });

function read(study, moves) {
  /** @type {Node[]} */ const waiting = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < moves.trimEnd().length) {
    const found = TOKEN.exec(moves);
    if (!found) return false;
    const [, number, text, mark] = found;
    if (number && !study.sow(Number(number) - 1)) return false;
    if (text !== undefined) study.annotate(text);
    if (mark === "(") {
      waiting.push(study.at);
      study.back();
    } else if (mark === ")") {
      const node = waiting.pop();
      if (!node) return false;
      study.at = node;
    }
  }
  study.at = study.root;
  return waiting.length === 0;
}

const note = (node) => (node.note ? `{${node.note}}` : "");

function line(from) {
  const [main, ...others] = from.next;
  if (!main) return "";
  const move = (node) => `${pitNumber(node.pit)}${note(node)}`;
  const variations = others.map((node) => `(${joined(move(node), line(node))})`).join("");
  return joined(move(main) + variations, line(main));
}

const joined = (one, other) => (other ? `${one}.${other}` : one);
