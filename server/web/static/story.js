// The story of a game from its review: how it was lost, and every move that turned it.
//
// It is told from the values of positions and moves alone, as protocol/review.py tells it; a test
// compares both.

import { sow } from "./rules.js";
import * as words from "./words.js";

const DRAWN_BELOW = 1;
const LEAST_LOSS = 0.05;
const MUCH = 3;

// What a value for the first player means for a player: "win", "draw" or "loss".
export function meaning(value, player) {
  if (Math.abs(value) < DRAWN_BELOW) return "draw";
  return (value > 0) === (player === 0) ? "win" : "loss";
}

export const valueAfter = ({ moves, pit }) => moves.find((move) => move.pit === pit).value;

// How a player lost: "by a move", "from the start", "otherwise" (not by play), or "unknown".
export function howLost({ plies }, loser) {
  if (!plies.length) return "unknown";
  if (meaning(valueAfter(plies.at(-1)), loser) !== "loss") return "otherwise";
  const last = plies.findLast(({ value }) => meaning(value, loser) !== "loss");
  if (!last) return "from the start";
  return last.player === loser && meaning(valueAfter(last), loser) === "loss" ? "by a move" : "unknown";
}

// The move that lost the game for a player; undefined where none did.
export const losingMove = (review, loser) =>
  (loser != null && howLost(review, loser) === "by a move"
    ? review.changes.findLast(({ player, after }) => player === loser && after === "loss") : undefined);

const dearest = ({ plies }, player) =>
  plies.filter((ply) => ply.player === player && ply.loss >= LEAST_LOSS)
    .reduce((worst, ply) => (worst && (worst.loss_proven - ply.loss_proven || worst.loss - ply.loss) >= 0 ? worst : ply), undefined);

// The head of the story, in a sentence, and the ply that it speaks of, if any: {title, text, ply}.
export function headline(review, loser, names) {
  if (loser == null) return review.changes.length ? { title: "A draw", text: turns(review) } : null;
  const losing = losingMove(review, loser);
  if (losing) return { title: losing.proven ? "The losing move" : "Probably the losing move", text: change(losing, names), ply: losing.ply + 1 };
  const name = names[loser];
  const lost = howLost(review, loser);
  if (lost === "from the start") {
    const [first] = review.plies;
    const ahead = words.seedsOf(Math.abs(words.tenth(first.value)));
    const worst = dearest(review, loser);
    return {
      title: first.proven ? "Lost from the start" : "Probably lost from the start",
      text: `with best play ${names[1 - loser]} was ahead by ${ahead} before the first move, ${words.certainty(first.proven)}.`
        + (worst ? ` ${whose(name)} dearest move was ply ${worst.ply + 1}: pit ${words.pitNumber(worst.pit)} ${words.lost(worst.loss, worst.loss_proven)}.` : ""),
      ply: worst ? worst.ply + 1 : undefined,
    };
  }
  if (lost === "otherwise") {
    const last = review.plies.at(-1);
    const stood = { win: "won", draw: "drawn" }[meaning(valueAfter(last), loser)];
    return { title: "Not lost by a move", text: `with best play the game was ${stood} for ${name} when it ended, ${words.certainty(last.loss_proven)}.` };
  }
  return { title: "No losing move is known", text: "the values before the end are estimates, and do not show where the game turned." };
}

// All moves that changed the result, in order, unless the head has told the only one.
export const turningPoints = (review, loser) =>
  (review.changes.length === 1 && losingMove(review, loser) ? [] : review.changes);

const PAST = { win: "won", draw: "drawn", loss: "lost" };

const turns = ({ changes }) => `the result changed ${changes.length === 1 ? "once" : `${changes.length} times`}.`;

// "ply 16, ann: drawn → lost. Pit 4 loses 2 seeds, pit 6 kept the draw, proven"
export function change({ ply, player, pit, loss, best, before, after, proven }, names) {
  return `ply ${ply + 1}, ${names[player]}: ${PAST[before]} → ${PAST[after]}. Pit ${words.pitNumber(pit)} ${words.lost(loss, proven)}, `
    + `pit ${words.pitNumber(best)} kept the ${before}, ${words.certainty(proven)}`;
}

const whose = (name) => (name === words.YOU ? "Your" : `${name}'s`);

// What a move gave up and allowed, as far as the position shows it; "" if it shows nothing.
export function missed(state, { player, pit, best }, reply, variant, names) {
  const [played, better] = [sow(state, pit, variant), sow(state, best, variant)];
  const parts = [];
  if (better.captured > played.captured) parts.push(`pit ${words.pitNumber(best)} captured ${better.captured}`);
  if (better.again && !played.again) parts.push(`pit ${words.pitNumber(best)} moved again`);
  if (better.over && !played.over) parts.push(`pit ${words.pitNumber(best)} ended the game`);
  if (reply && reply.player !== player) {
    const answer = sow(played.state, reply.best, variant);
    if (answer.captured >= MUCH) parts.push(`now ${names[reply.player]} can capture ${answer.captured}`);
  }
  return parts.join("; ");
}
