// Rules and positions as texts, for the pages that read or write them; the home page does neither.

import { KNOWN, OF_THE_BOARD, RULES, sum } from "./rules.js";

/** @typedef {import("./rules.js").State} State */
/** @typedef {import("./rules.js").Rules} Rules */

export const PRESETS = {
  kalah: {},
  "kalah-empty-capture": { capture: "always" },
  article: { relap: true, majority: true },
  manchester: { pits: 7, seeds: 7, pie: true, first_again: false },
  avalanche: { capture: "none", relay: true },
  congkak: { pits: 7, seeds: 7, relay: true },
  mangala: { keep_one: true, even: true, empty_takes: true },
  oware: { oware: true },
};

// Reads rules as a text, such as "kalah:relap=true", without pits and seeds; null if they are unknown.
export function variantOf(text) {
  const [, preset, , list] = /^([^:]*)(:(.*))?$/.exec(text);
  const options = (list ? list.split(",") : []).map((option) => option.split("="));
  const changes = options
    .filter(([name]) => !OF_THE_BOARD.includes(name))
    .map(([name, written]) => [name, { true: true, false: false }[written] ?? written]);
  const isKnown = ([name, value]) => Object.hasOwn(KNOWN, name) && KNOWN[name].includes(value);
  if (!Object.hasOwn(PRESETS, preset) || !changes.every(isKnown)) return null;
  const defaults = Object.entries(RULES).map(([name, [value]]) => [name, value]);
  const { pits, seeds, ...own } = PRESETS[preset];
  return { ...Object.fromEntries(defaults), ...own, ...Object.fromEntries(changes) };
}

// Reads rules as a text with the pits and seeds that their games begin with.
export function rulesIn(text) {
  const named = [...text.matchAll(/\b(pits|seeds)=(\d{1,3})\b/g)].map(([, name, value]) => [name, Number(value)]);
  const { pits = 6, seeds = 4 } = { ...PRESETS[text.split(":")[0]], ...Object.fromEntries(named) };
  return { pits, seeds, ...variantOf(text) };
}

// The rules as a text that the server reads: every field that it named.
export const textOf = (rules) => `kalah:${Object.entries(rules).map(([name, value]) => `${name}=${value}`).join(",")}`;

// The rules after a game's first turns, by which positions are valued.
/** @type {(rules: Rules) => Rules} */
export const withoutPie = ({ pie, first_again, ...rules }) => rules;

export const start = ({ pits, seeds }) => ({
  pits: [Array(pits).fill(seeds), Array(pits).fill(seeds)],
  stores: [0, 0],
  current_player: 0,
});

// The rules of a position, from their text; null if it is unknown.
/** @type {(state: State, text: string) => Rules | null} */
export function rulesOf({ pits, stores }, text) {
  const variant = variantOf(text);
  const total = sum([...pits.flat(), ...stores]);
  const size = pits[0].length;
  return variant && /** @type {any} */ ({ pits: size, seeds: Math.max(1, Math.floor(total / (2 * size))), ...variant });
}

// The board literal of the Kalah Game Protocol, the mover first.
/** @type {(state: State) => string} */
export function literal({ pits, stores, current_player: me }) {
  return `<${[pits[me].length, stores[me], stores[1 - me], ...pits[me], ...pits[1 - me]].join(",")}>`;
}

// Reads a board literal, the mover as player 0; null if it is none.
/** @type {(text: string) => State | null} */
export function parse(text) {
  const found = /^\s*<\s*(\d{1,3}(?:\s*,\s*\d{1,3})*)\s*>\s*$/.exec(text);
  const [size, own, other, ...seeds] = found ? found[1].split(",").map(Number) : [0];
  if (size < 1 || size > 16 || seeds.length !== 2 * size || own + other + sum(seeds) > 255) return null;
  return { pits: [seeds.slice(0, size), seeds.slice(size)], stores: [own, other], current_player: 0 };
}

// A position, and the rules by which it is valued, as addresses name them.
/** @type {(state: State, rules: Rules) => {board: string, rules: string}} */
export const asked = (state, rules) => ({ board: literal(state), rules: textOf(withoutPie(rules)) });
