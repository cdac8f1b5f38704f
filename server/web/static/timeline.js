// A game as a list of positions, each with the move that led to it.

import * as rules from "./rules.js";

export class Timeline {
  constructor(record) {
    this.rules = record.rules;
    this.steps = [{ state: record.opening, move: null, path: [], captured: 0, again: false, over: false }];
    for (const move of record.moves) this.append(move);
  }

  get last() {
    return this.steps.length - 1;
  }

  // Adds a move: a pit, or an object with the pit and whatever else is known of it.
  append(move) {
    const { state } = this.steps.at(-1);
    const known = typeof move === "number" ? { pit: move } : move;
    this.steps.push({
      ...rules.sow(state, known.pit, this.rules),
      move: { ...known, player: state.current_player },
    });
  }
}

// The positions along a variation; it ends where a move can't be played.
export function follow(state, pits, variant) {
  const steps = [];
  for (const pit of pits) {
    const maySwap = pit === rules.SWAP && rules.maySwap(steps.map(({ move }) => move.player), state, variant);
    if (!maySwap && !rules.legal(state, variant).includes(pit)) break;
    const step = { ...rules.sow(state, pit, variant), before: state, move: { pit, player: state.current_player } };
    steps.push(step);
    state = step.state;
  }
  return steps;
}
