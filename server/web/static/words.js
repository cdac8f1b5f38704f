// Texts for facts, the same on every page.
//
// One numbering: pits are 1 to 6 in each player's direction of sowing, as they are drawn and as the keys
// are; ply N is the Nth sowing of the game, and the address of the position after it. On the wire both
// begin at 0.

import { SWAP } from "./rules.js";
import { follow } from "./timeline.js";

const REASONS = {
  normal: "played to the end",
  majority: "more than half of all seeds",
  timeout: "out of time",
  illegal: "an illegal move",
  resigned: "resigned",
  disconnected: "disconnected",
  protocol: "broke the protocol",
  aborted: "aborted, does not count",
  wedged: "stopped answering",
};

// What a loser did where the game was not played to its end.
const FORFEITS = {
  timeout: "ran out of time",
  illegal: "made an illegal move",
  resigned: "resigned",
  disconnected: "lost the connection",
  protocol: "broke the protocol",
  wedged: "stopped answering",
};

// How the reader is called where one plays.
export const YOU = "You";

// The number that is drawn beside a pit, and the key that sows it.
export const pitNumber = (pit) => (pit === SWAP ? "swap" : pit + 1);

export function rules({ pits, seeds, capture, ...switches }) {
  const marks = [`Kalah(${pits}, ${seeds})`];
  if (capture === "always") marks.push("empty capture");
  const inForce = Object.entries(switches).filter(([, value]) => value);
  marks.push(...inForce.map(([name, value]) => (value === true ? name : `${name}=${value}`)));
  return marks.join(", ");
}

export function clock({ move_ms, bank_ms, increment_ms }) {
  const parts = [];
  if (bank_ms !== null) parts.push(`${seconds(bank_ms)}${increment_ms ? ` + ${seconds(increment_ms)}` : ""}`);
  if (move_ms !== null) parts.push(`${seconds(move_ms)} a move`);
  return parts.join(", ");
}

export const seconds = (ms) => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms % 1000 ? 1 : 0)} s`;
  if (ms % 60000 === 0) return `${ms / 60000} min`;
  return `${Math.floor(ms / 60000)}:${String(Math.floor((ms % 60000) / 1000)).padStart(2, "0")} min`;
};

// A time; without its day if that is today.
export function when(time) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(undefined, { ...(isToday ? {} : { day: "numeric", month: "short" }), hour: "2-digit", minute: "2-digit" });
}

export const reason = (word) => REASONS[word] ?? word;

export const score = (stores) => (stores ? `${stores[0]} : ${stores[1]}` : "–");

// How a game ended, as the reader sees it who plays in it, or as a spectator does.
export function verdict(players, { winner, stores, reason: word }) {
  if (word === "aborted") return "Aborted; the game does not count.";
  const why = word === "normal" ? "" : ` (${reason(word)})`;
  if (winner == null) return `A draw, ${score(stores)}${why}.`;
  const loser = 1 - winner;
  const isLoss = players[loser] === YOU;
  const head = isLoss ? "You lose" : players[winner] === YOU ? "You win" : `${players[winner]} wins`;
  const first = isLoss ? loser : winner;
  const shown = `${stores[first]} : ${stores[1 - first]}`;
  if (!isForfeit(word)) return `${head} ${shown}${why}.`;
  return `${head}: ${isLoss ? "you" : players[loser]} ${FORFEITS[word]}. The stores were ${shown}.`;
}

// Whether a game ended before its time, so that its stores say nothing about who won.
export const isForfeit = (word) => Object.hasOwn(FORFEITS, word);

export const signed = (value) => (value > 0 ? `+${value}` : `${value + 0}`.replace("-", "−"));

export function thought(info, before, variant, names) {
  if (!info) return "";
  const parts = [];
  if (info.value != null) parts.push(`expects ${signed(tenth(info.value))}${info.exact ? " (exact)" : ""}`);
  if (info.depth != null) parts.push(`depth ${info.depth}`);
  if (info.nodes != null) parts.push(`${info.nodes.toLocaleString()} nodes`);
  if (info.pv?.length) parts.push(`line ${line(info.pv, before, variant, names)}`);
  if (info.comment) parts.push(info.comment);
  return parts.join(" · ");
}

// A variation, each pit under its player's name: "ann 3-6, bob 2".
export function line(pits, before, variant, names) {
  const turns = [];
  for (const { move } of follow(before, pits, variant)) {
    if (turns.at(-1)?.player === move.player) turns.at(-1).pits.push(move.pit);
    else turns.push({ player: move.player, pits: [move.pit] });
  }
  return turns.map((turn) => `${names[turn.player]} ${turn.pits.map(pitNumber).join("-")}`).join(", ");
}

/** @param {import("./rules.js").Move} move @param {string[]} players @param {{captured: number, again: boolean}} effect */
export function sowing({ player, pit, forced }, players, { captured, again }) {
  const isReader = players[player] === YOU;
  const verb = (word) => (isReader ? word : `${word}s`);
  if (pit === SWAP) return `${players[player]} ${verb("swap")}: the players change sides, and the board is turned around.`;
  const parts = [`${players[player]} ${verb("sow")} pit ${pitNumber(pit)}`];
  if (forced) parts.push("chosen by the referee because the time was up");
  if (captured) parts.push(`${verb("capture")} ${captured}`);
  if (again) parts.push(`${verb("move")} again`);
  return `${parts.join(", ")}.`;
}

export const seedsOf = (count) => `${count} ${count === 1 ? "seed" : "seeds"}`;

export const gamesOf = (count) => `${count} ${count === 1 ? "game" : "games"}`;

export const tenth = (value) => Math.round(value * 10) / 10;

export const certainty = (proven) => (proven ? "proven" : "estimated");

// The mark of a move by the seeds that it lost.
export function mark(loss) {
  if (loss >= 6) return { grade: "loss-3", sign: "??" };
  if (loss >= 3) return { grade: "loss-2", sign: "?" };
  if (loss >= 1) return { grade: "loss-1", sign: "?!" };
  return { grade: "", sign: "" };
}

export const lost = (loss, proven) =>
  loss >= 0.05 ? `loses ${proven ? seedsOf(loss) : `about ${seedsOf(tenth(loss))}`}` : "loses nothing";

export function accuracy({ proven, estimated }) {
  const share = ({ moves, best }) => `${best} of ${moves}`;
  const parts = [];
  if (proven.moves) parts.push(`${share(proven)} best moves, ${tenth(proven.mean_loss)} seeds lost a move (proven)`);
  if (estimated.moves) parts.push(`${share(estimated)}, ${tenth(estimated.mean_loss)} lost (estimated)`);
  return parts.join("; ") || "no choice in any move";
}
