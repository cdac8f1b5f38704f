// The rules of Kalah for what the page must know before the server says it: seeds in flight, variations.
// The home page loads this; rules and positions as texts stand in notation.js, which it does not need.
//
// Under the pie rule, player 1 may answer `SWAP`: the board is turned around. Where that is legal depends on the
// moves before, so callers ask `maySwap` with them.
//
// A test compares this module with protocol/rules.py on random games. `path` lists where each seed
// falls: {side, pit} with `pit` null for a store.

/** @typedef {{pits: number[][], stores: number[], current_player: number}} State a position, as JSON carries it */
/** @typedef {{side: number, pit: number | null}} Place a pit, or with null a store */
/** @typedef {{pits: number, seeds: number, capture: string, relap?: boolean, majority?: boolean, pie?: boolean, first_again?: boolean, relay?: boolean, keep_one?: boolean, even?: boolean, empty_takes?: boolean, oware?: boolean}} Rules */
/** @typedef {{state: State, path: Place[], captured: number, again: boolean, over: boolean}} Sowing */
/** @typedef {{player: number, pit: number, forced?: boolean, info?: any, elapsed_ms?: number, lag_ms?: number}} Move */

// The values of each rule that affects play, besides the pits, the default first; a test compares them, too.
export const RULES = { capture: ["opposite", "always", "none"], relap: [false, true], majority: [false, true] };

/** The number of the move that swaps. */
export const SWAP = 16;
export const OF_THE_BOARD = ["pits", "seeds"];
const OF_THE_START = { pie: [false, true], first_again: [true, false] };
const OF_THE_FAMILY = { relay: [false, true], keep_one: [false, true], even: [false, true], empty_takes: [false, true], oware: [false, true] };
export const KNOWN = { ...RULES, ...OF_THE_START, ...OF_THE_FAMILY };

// The fields of rules that this page does not know and that are in force.
export const unknown = (rules) =>
  Object.keys(rules).filter((name) => !Object.hasOwn(KNOWN, name) && !OF_THE_BOARD.includes(name) && rules[name]);

/** @type {(state: State, rules: Rules) => number[]} */
export const legal = (state, rules) => (isOver(state, rules) ? [] : sowable(state, Boolean(rules.oware)));

// In Oware a move has to leave the opponent a seed.
function sowable({ pits, current_player: me }, feeds) {
  const reach = feeds && sum(pits[1 - me]) === 0 ? pits[me].length : 1;
  return pits[me].flatMap((seeds, pit) => (seeds && seeds >= reach - pit ? [pit] : []));
}

export function isOver(state, rules) {
  if (unknown(rules).length) throw new Error(`This page does not know the rules ${unknown(rules).join(", ")}`);
  const { pits, stores } = state;
  const hasMost = 2 * Math.max(...stores) > sum([...stores, ...pits.flat()]);
  if (rules.oware) {
    const past = PAST.get(state) ?? [];
    return hasMost || past.length >= MOST_IN_VAIN || past.includes(keyOf(state)) || sowable(state, true).length === 0;
  }
  return pits.some((row) => row.every((seeds) => seeds === 0)) || (Boolean(rules.majority) && hasMost);
}

/** @type {(players: number[], state: State, rules: Rules) => boolean} Whether a swap is legal, by who moved so far. */
export const maySwap = (players, state, rules) =>
  Boolean(rules.pie) && state.current_player === 1 && !players.includes(1) && !isOver(state, rules);

/** @type {(state: State, pit: number, rules: Rules) => Sowing} */
export function sow(state, pit, rules) {
  if (pit === SWAP) return swapped(state);
  if (rules.oware) return sowOware(state, pit, rules);
  const me = state.current_player;
  const pits = state.pits.map((row) => [...row]);
  const stores = [...state.stores];
  const size = pits[me].length;
  const path = [];
  let place = pit;
  do {
    const { side, pit: hole } = placeOf(place, me, size);
    let seeds = pits[side][hole];
    pits[side][hole] = 0;
    if (rules.keep_one && seeds > 1) place -= 1;
    for (; seeds > 0; seeds -= 1) {
      place = (place + 1) % (2 * size + 1);
      path.push(placeOf(place, me, size));
      if (place === size) stores[me] += 1;
      else if (place < size) pits[me][place] += 1;
      else pits[1 - me][place - size - 1] += 1;
    }
  } while (rules.relay && place !== size && seedsAt(pits, placeOf(place, me, size)) > 1);
  const captured = capture(pits, stores, me, place, rules);
  let again = place === size || (Boolean(rules.relap) && place === pit);
  if (rules.first_again === false && isStart(state, rules)) again = false;
  const after = { pits, stores, current_player: again ? me : 1 - me };
  const over = isOver(after, rules);
  if (over) {
    again = false;
    if (pits.some((row) => sum(row) === 0)) sweep(after, Boolean(rules.empty_takes));
  }
  return { state: after, path, captured, again, over };
}

// Sowings without a capture after which a game of Oware is over.
const MOST_IN_VAIN = 250;

// In Oware, the positions since the last capture that a position was sown from.
/** @type {WeakMap<State, string[]>} */
const PAST = new WeakMap();
const keyOf = ({ pits, current_player: me }) => `${pits} ${me}`;

// Sows past the stores and the pit itself, as protocol/oware.py does.
/** @type {(state: State, pit: number, rules: Rules) => Sowing} */
function sowOware(state, pit, rules) {
  const { pits, current_player: me } = state;
  const size = pits[me].length;
  const cells = [...pits[me], ...pits[1 - me]];
  const path = [];
  let place = pit;
  for (let seeds = cells.splice(pit, 1, 0)[0]; seeds > 0; seeds -= 1) {
    do place = (place + 1) % (2 * size); while (place === pit);
    cells[place] += 1;
    path.push({ side: place < size ? me : 1 - me, pit: place % size });
  }
  let before = place;
  while (before >= size && [2, 3].includes(cells[before])) before -= 1;
  let captured = sum(cells.slice(before + 1, place + 1));
  if (captured === sum(cells.slice(size))) captured = 0;
  else cells.fill(0, before + 1, place + 1);
  const rows = [cells.slice(0, size), cells.slice(size)];
  const stores = state.stores.map((store, side) => store + (side === me ? captured : 0));
  const after = { pits: me === 0 ? rows : rows.reverse(), stores, current_player: 1 - me };
  if (!captured) PAST.set(after, [...(PAST.get(state) ?? []), keyOf(state)]);
  const over = isOver(after, rules);
  if (over) sweep(after, false);
  return { state: after, path, captured, again: false, over };
}

const isStart = ({ pits, stores }, { seeds }) =>
  stores.every((store) => store === 0) && pits.flat().every((count) => count === seeds);

function placeOf(place, me, size) {
  if (place === size) return { side: me, pit: null };
  return place < size ? { side: me, pit: place } : { side: 1 - me, pit: place - size - 1 };
}

const seedsAt = (pits, { side, pit }) => pits[side][pit];

function capture(pits, stores, me, last, rules) {
  const size = pits[me].length;
  if (rules.even && last > size && pits[1 - me][last - size - 1] % 2 === 0) {
    const taken = pits[1 - me][last - size - 1];
    pits[1 - me][last - size - 1] = 0;
    stores[me] += taken;
    return taken;
  }
  if (last >= size || pits[me][last] !== 1 || rules.capture === "none") return 0;
  const opposite = size - 1 - last;
  const held = pits[1 - me][opposite];
  if (!held && rules.capture !== "always") return 0;
  pits[me][last] = 0;
  pits[1 - me][opposite] = 0;
  stores[me] += held + 1;
  return held + 1;
}

function sweep({ pits, stores }, crossed) {
  for (const side of [0, 1]) {
    stores[crossed ? 1 - side : side] += sum(pits[side]);
    pits[side].fill(0);
  }
}

function swapped({ pits, stores }) {
  const state = { pits: [[...pits[1]], [...pits[0]]], stores: [stores[1], stores[0]], current_player: 0 };
  return { state, path: [], captured: 0, again: false, over: false };
}

export const sum = (row) => row.reduce((total, seeds) => total + seeds, 0);
