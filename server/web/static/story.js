// The story of a game from its review: how it was lost, and every move that turned it.
//
// It is told from the values of positions and moves alone, as protocol/review.py tells it; a test
// compares both.

import { t } from "./opened.js";
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

const valueAfter = ({ moves, pit }) => moves.find((move) => move.pit === pit).value;

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
  if (loser == null) return review.changes.length ? { title: t("A draw"), text: t("the result changed {{count}} times.", { count: review.changes.length }) } : null;
  const losing = losingMove(review, loser);
  if (losing) return { title: losing.proven ? t("The losing move") : t("Probably the losing move"), text: change(losing, names), ply: losing.ply + 1 };
  const name = names[loser];
  const lost = howLost(review, loser);
  if (lost === "from the start") {
    const [first] = review.plies;
    const ahead = words.seedsOf(Math.abs(words.tenth(first.value)));
    const worst = dearest(review, loser);
    return {
      title: first.proven ? t("Lost from the start") : t("Probably lost from the start"),
      text: [t("with best play {{player}} was ahead by {{ahead}} before the first move, {{certainty}}.",
        { player: names[1 - loser], ahead, certainty: words.certainty(first.proven) }), worst && dearestOf(name, worst)].filter(Boolean).join(" "),
      ply: worst ? worst.ply + 1 : undefined,
    };
  }
  if (lost === "otherwise") {
    const last = review.plies.at(-1);
    const values = { player: name, certainty: words.certainty(last.loss_proven) };
    return {
      title: t("Not lost by a move"),
      text: meaning(valueAfter(last), loser) === "win" ? t("with best play the game was won for {{player}} when it ended, {{certainty}}.", values)
        : t("with best play the game was drawn for {{player}} when it ended, {{certainty}}.", values),
    };
  }
  return { title: t("No losing move is known"), text: t("the values before the end are estimates, and do not show where the game turned.") };
}

// All moves that changed the result, in order, unless the head has told the only one.
export const turningPoints = (review, loser) =>
  (review.changes.length === 1 && losingMove(review, loser) ? [] : review.changes);

const PAST = { win: t("won"), draw: t("drawn"), loss: t("lost") };
const KEPT = {
  win: (values) => t("Pit {{pit}} {{loses}}, pit {{best}} kept the win, {{certainty}}", values),
  draw: (values) => t("Pit {{pit}} {{loses}}, pit {{best}} kept the draw, {{certainty}}", values),
};

// "ply 16, ann: drawn → lost. Pit 4 loses 2 seeds, pit 6 kept the draw, proven"
export function change({ ply, player, pit, loss, best, before, after, proven }, names) {
  const turned = t("ply {{ply}}, {{player}}: {{before}} → {{after}}.", { ply: ply + 1, player: names[player], before: PAST[before], after: PAST[after] });
  const values = { pit: words.pitNumber(pit), best: words.pitNumber(best), loses: words.lost(loss, proven), certainty: words.certainty(proven) };
  return `${turned} ${KEPT[before](values)}`;
}

function dearestOf(player, { ply, pit, loss, loss_proven: proven }) {
  const values = { player, ply: ply + 1, pit: words.pitNumber(pit), loses: words.lost(loss, proven) };
  return player === words.YOU ? t("Your dearest move was ply {{ply}}: pit {{pit}} {{loses}}.", values)
    : t("{{player}}'s dearest move was ply {{ply}}: pit {{pit}} {{loses}}.", values);
}

// What a move gave up and allowed, as far as the position shows it; "" if it shows nothing.
export function missed(state, { player, pit, best }, reply, variant, names) {
  const [played, better] = [sow(state, pit, variant), sow(state, best, variant)];
  const parts = [];
  const right = { pit: words.pitNumber(best), seeds: better.captured };
  if (better.captured > played.captured) parts.push(t("pit {{pit}} captured {{seeds}}", right));
  if (better.again && !played.again) parts.push(t("pit {{pit}} moved again", right));
  if (better.over && !played.over) parts.push(t("pit {{pit}} ended the game", right));
  if (reply && reply.player !== player) {
    const answer = sow(played.state, reply.best, variant);
    if (answer.captured >= MUCH) parts.push(t("now {{player}} can capture {{seeds}}", { player: names[reply.player], seeds: answer.captured }));
  }
  return parts.join("; ");
}
