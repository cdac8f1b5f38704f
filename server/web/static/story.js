// The story of a game from its review: how it was lost, and every move that turned it.
//
// It is told from the values of positions and moves alone, as protocol/review.py tells it; a test
// compares both. A reader who played the game hears it in sentences of their own.

import { t } from "./opened.js";
import { sow } from "./rules.js";
import * as words from "./words.js";

const DRAWN_BELOW = 1;
const LEAST_LOSS = 0.05;
const MUCH = 3;
const RUN = 4;

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
  if (losing) return decisive(review, losing, names);
  const name = names[loser];
  const lost = howLost(review, loser);
  if (lost === "from the start") {
    const [first] = review.plies;
    const ahead = words.seedsOf(Math.round(Math.abs(first.value)));
    const worst = dearest(review, loser);
    return {
      title: first.proven ? t("Lost from the start") : t("Probably lost from the start"),
      text: [t("with best play {{player}} was ahead by {{ahead}} before the first move, {{certainty}}.",
        { player: names[1 - loser], ahead, certainty: words.certainty(first.proven) }), worst && dearestOf(worst, names)].filter(Boolean).join(" "),
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

// The move that lost the game and, where that is another, the loser's most costly one.
function decisive(review, losing, names) {
  const { player, proven, ply, loss } = losing;
  const worst = dearest(review, player);
  const isOther = worst && worst.ply !== ply && worst.loss_proven;
  const turned = changeAndWhy(losing, review, names);
  if (isOther && !proven && worst.loss >= loss) {
    return { title: t("The most costly move"), text: `${dearestOf(worst, names)} ${t("Probably the turning point")}${t(": ")}${turned}`, ply: worst.ply + 1 };
  }
  const title = proven ? t("The losing move") : isOther ? t("Probably the turning point") : t("Probably the losing move");
  return { title, text: isOther && worst.loss > loss ? `${turned} ${dearestOf(worst, names)}` : turned, ply: ply + 1 };
}

// All moves that changed the result, in order, unless the head has told the only one.
export const turningPoints = (review, loser) =>
  (review.changes.length === 1 && losingMove(review, loser) ? [] : review.changes);

const PAST = { win: t("won"), draw: t("drawn"), loss: t("lost") };
const KEPT = {
  win: (values) => t("Pit {{pit}} {{loses}}, pit {{best}} kept the win, {{certainty}}", values),
  draw: (values) => t("Pit {{pit}} {{loses}}, pit {{best}} kept the draw, {{certainty}}", values),
};

// "move 16, ann: drawn → lost. Pit 4 loses 2 seeds, pit 6 kept the draw, proven"
function change({ ply, player, pit, loss, best, before, after, proven }, names) {
  const turned = t("move {{ply}}, {{player}}: {{before}} → {{after}}.", { ply: ply + 1, player: names[player], before: PAST[before], after: PAST[after] });
  const values = { pit: words.pitNumber(pit), best: words.pitNumber(best), loses: words.lost(loss, proven), certainty: words.certainty(proven) };
  return `${turned} ${KEPT[before](values)}`;
}

// The same as a sentence, with the reason where it is known.
export function changeAndWhy(turn, { plies }, names) {
  const why = because(plies[turn.ply], names);
  return `${change(turn, names)}${why && `${t(": ")}${why}`}.`;
}

// Why a move loses, where the review proved it: who captures, sows or is left more or fewer seeds; else "".
const BECAUSE = {
  captured: {
    more: (values) => [t("{{player}} captures {{seeds}} more", values), t("You capture {{seeds}} more", values)],
    fewer: (values) => [t("{{player}} captures {{seeds}} fewer", values), t("You capture {{seeds}} fewer", values)],
  },
  sown: {
    more: (values) => [t("{{player}} sows {{seeds}} more into the store", values), t("You sow {{seeds}} more into your store", values)],
    fewer: (values) => [t("{{player}} sows {{seeds}} fewer into the store", values), t("You sow {{seeds}} fewer into your store", values)],
  },
  left: {
    more: (values) => [t("{{player}} gets {{seeds}} more of those left at the end", values), t("You get {{seeds}} more of those left at the end", values)],
    fewer: (values) => [t("{{player}} gets {{seeds}} fewer of those left at the end", values), t("You get {{seeds}} fewer of those left at the end", values)],
  },
};

export function because({ player, reason }, names) {
  if (!reason) return "";
  const [isOwn, name] = [reason.player === player, names[reason.player]];
  const told = BECAUSE[reason.way][isOwn ? "fewer" : "more"]({ player: name, seeds: words.seedsOf(reason.seeds) })[name === words.YOU ? 1 : 0];
  if (reason.pit === undefined) return told;
  const capture = { pit: words.pitNumber(reason.pit), seeds: words.seedsOf(reason.at_a_time) };
  return `${told}${t("; ")}${isOwn ? t("pit {{pit}} would capture {{seeds}}", capture) : t("pit {{pit}} captures {{seeds}}", capture)}`;
}

function dearestOf(move, names) {
  const { player, ply, pit, loss, loss_proven: proven } = move;
  const why = because(move, names);
  const values = { player: names[player], ply: ply + 1, pit: words.pitNumber(pit), loses: `${words.lost(loss, proven)}${why && ` (${why})`}` };
  return t("{{player}}'s most costly move was move {{ply}}: pit {{pit}} {{loses}}.", values);
}

const GIVEN = {
  win: {
    you: (values) => t("You let the win go at move {{move}}: pit {{pit}} instead of pit {{best}}.", values),
    other: (values) => t("{{opponent}} let the win go at move {{move}}: pit {{pit}} instead of pit {{best}}.", values),
  },
  draw: {
    you: (values) => t("You let the draw go at move {{move}}: pit {{pit}} instead of pit {{best}}.", values),
    other: (values) => t("{{opponent}} let the draw go at move {{move}}: pit {{pit}} instead of pit {{best}}.", values),
  },
};

// The story for the reader who played in a seat, as `headline` tells it to others: {title, text, ply}.
export function toldToYou(review, winner, seat, opponent) {
  const turn = winner === null ? review.changes.findLast(({ before, after }) => before === "win" && after === "draw") : losingMove(review, 1 - winner);
  const costly = winner === 1 - seat ? dearest(review, seat) : undefined;
  const isDearer = costly && Math.round(costly.loss) > 1 && !(turn && turn.loss >= costly.loss);
  const called = seat === 0 ? [words.YOU, opponent] : [opponent, words.YOU];
  const why = (move) => {
    const told = move && because(move, called);
    return told && `${told}.`;
  };
  const head = turn ? {
    title: turn.proven ? t("The turning point") : t("Probably the turning point"),
    text: GIVEN[turn.before][turn.player === seat ? "you" : "other"]({ opponent, ...placeOf(turn) }),
    ply: turn.ply + 1,
  } : ended(review, winner, seat, opponent);
  const text = [head?.text, why(turn && review.plies[turn.ply]), ...(isDearer ? [mostCostly(costly), why(costly)] : []), praise(review, seat)].filter(Boolean).join(" ");
  if (!text) return null;
  return { title: head?.title ?? (winner === seat ? t("Well played") : t("Worth a look")), text, ply: head?.ply ?? (isDearer ? costly.ply + 1 : undefined) };
}

const placeOf = ({ ply, pit, best }) => ({ move: ply + 1, pit: words.pitNumber(pit), best: words.pitNumber(best) });

// How a game went in which no move is known to have turned it.
function ended(review, winner, seat, opponent) {
  if (winner === null) return review.plies.length && !review.changes.length ? { title: t("A draw"), text: t("Neither of you let go of it.") } : null;
  const isYours = winner === seat;
  const lost = howLost(review, 1 - winner);
  if (lost === "from the start") {
    return isYours ? { title: t("Well held"), text: t("You had the better start, and never let it go.") }
      : { title: t("A hard start"), text: t("{{opponent}} had the better start, and never let it go.", { opponent }) };
  }
  if (lost !== "otherwise" || isYours) return null;
  const isWon = meaning(valueAfter(review.plies.at(-1)), seat) === "win";
  return { title: t("Not lost on the board"), text: isWon ? t("You were winning when the game ended.") : t("The game was even when it ended.") };
}

function mostCostly(ply) {
  const count = Math.round(ply.loss);
  const seeds = ply.loss_proven ? words.seedsOf(count) : t("about {{count}} seeds", { count });
  return t("Your most costly move was move {{move}}: pit {{pit}} gave away {{seeds}}, pit {{best}} was better.", { ...placeOf(ply), seeds });
}

// What a player did well: the longest row of moves that are proven to lose nothing, where there was a choice.
function praise({ plies }, player) {
  let [run, longest] = [0, 0];
  for (const ply of plies) {
    if (ply.player !== player || ply.moves.length < 2) continue;
    run = ply.loss_proven && !ply.loss ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest >= RUN && t("You found the best move {{times}} times in a row!", { times: longest });
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
  return parts.join(t("; "));
}
