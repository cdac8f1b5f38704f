// Texts for facts, the same on every page.
//
// One numbering: pits are 1 to 6 in each player's direction of sowing, as they are drawn and as the keys
// are; ply N is the Nth sowing of the game, and the address of the position after it. On the wire both
// begin at 0.

import { LEFT, decimal, listed, locale, t } from "./opened.js";
import { SWAP } from "./rules.js";
import { follow } from "./timeline.js";

const REASONS = {
  normal: t("played to the end"),
  majority: t("more than half of all seeds"),
  timeout: t("out of time"),
  illegal: t("an illegal move"),
  resigned: t("resigned"),
  disconnected: t("disconnected"),
  protocol: t("broke the protocol"),
  aborted: t("aborted, does not count"),
  wedged: t("stopped answering"),
};

// How a game ended that was not played to its end: for a spectator, for a reader who won, and for one who lost.
const FORFEITS = {
  timeout: (values) => [t("{{winner}} wins: {{loser}} ran out of time.", values), t("You win: {{loser}} ran out of time.", values), t("You lose: you ran out of time.", values)],
  illegal: (values) => [t("{{winner}} wins: {{loser}} made an illegal move.", values), t("You win: {{loser}} made an illegal move.", values), t("You lose: you made an illegal move.", values)],
  resigned: (values) => [t("{{winner}} wins: {{loser}} resigned.", values), t("You win: {{loser}} resigned.", values), t("You lose: you resigned.", values)],
  disconnected: (values) => [t("{{winner}} wins: {{loser}} lost the connection.", values), t("You win: {{loser}} lost the connection.", values), t("You lose: you lost the connection.", values)],
  protocol: (values) => [t("{{winner}} wins: {{loser}} broke the protocol.", values), t("You win: {{loser}} broke the protocol.", values), t("You lose: you broke the protocol.", values)],
  wedged: (values) => [t("{{winner}} wins: {{loser}} stopped answering.", values), t("You win: {{loser}} stopped answering.", values), t("You lose: you stopped answering.", values)],
};

// How the reader is called where one plays.
export const YOU = t("You");

// The number that is drawn beside a pit, and the key that sows it.
export const pitNumber = (pit) => (pit === SWAP ? t("swap") : pit + 1);

export function rules({ pits, seeds, capture, ...switches }) {
  const marks = [`Kalah(${pits}, ${seeds})`];
  if (capture === "always") marks.push(t("empty capture"));
  const inForce = Object.entries(switches).filter(([, value]) => value);
  marks.push(...inForce.map(([name, value]) => (value === true ? name : `${name}=${value}`)));
  return listed(marks);
}

export function clock({ move_ms, bank_ms, increment_ms }) {
  const parts = [];
  if (bank_ms !== null) parts.push(`${seconds(bank_ms)}${increment_ms ? ` + ${seconds(increment_ms)}` : ""}`);
  if (move_ms !== null) parts.push(t("{{time}} a move", { time: seconds(move_ms) }));
  return listed(parts);
}

export const seconds = (ms) => {
  if (ms < 1000) return t("{{time}} ms", { time: Math.round(ms) });
  if (ms < 60000) return t("{{time}} s", { time: decimal(ms / 1000, ms % 1000 ? 1 : 0) });
  if (ms % 60000 === 0) return t("{{time}} min", { time: ms / 60000 });
  return t("{{time}} min", { time: `${Math.floor(ms / 60000)}:${String(Math.floor((ms % 60000) / 1000)).padStart(2, "0")}` });
};

// A time; without its day if that is today.
export function when(time) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(locale, { ...(isToday ? {} : { day: "numeric", month: "short" }), hour: "2-digit", minute: "2-digit" });
}

export const reason = (word) => REASONS[word] ?? word;

export const score = (stores) => (stores ? `${stores[0]} : ${stores[1]}` : "–");

// How a game ended, as the reader sees it who plays in it, or as a spectator does.
export function verdict(players, { winner, stores, reason: word }, annulled = false) {
  if (word === "aborted") return t("Aborted; the game does not count.");
  if (annulled) return t("Annulled; the game does not count.");
  const why = word === "normal" ? "" : ` (${reason(word)})`;
  if (winner == null) return `${t("A draw, {{score}}", { score: score(stores) })}${why}.`;
  const loser = 1 - winner;
  const isLoss = players[loser] === YOU;
  const first = isLoss ? loser : winner;
  const values = { winner: players[winner], loser: players[loser], score: `${stores[first]} : ${stores[1 - first]}` };
  const who = isLoss ? 2 : players[winner] === YOU ? 1 : 0;
  if (isForfeit(word)) return `${FORFEITS[word](values)[who]} ${t("The stores were {{score}}.", values)}`;
  return `${[t("{{winner}} wins {{score}}", values), t("You win {{score}}", values), t("You lose {{score}}", values)][who]}${why}.`;
}

// Whether a game ended before its time, so that its stores say nothing about who won.
export const isForfeit = (word) => Object.hasOwn(FORFEITS, word);

export const signed = (value) => `${LEFT}${value > 0 ? "+" : ""}${decimal(value + 0).replace("-", "−")}`;

// What a bot said of its move: the value that it expects, and its search, which authors unfold.
export function thought(info, before, variant, names) {
  if (!info) return { told: "", search: "" };
  const value = info.value != null && worth(info.value, info.exact);
  const told = value && (info.exact ? t("expects {{value}} (exact)", { value }) : t("expects {{value}}", { value }));
  const parts = [];
  if (info.depth != null) parts.push(t("depth {{depth}}", { depth: info.depth }));
  if (info.nodes != null) parts.push(t("{{nodes}} nodes", { nodes: info.nodes }));
  if (info.pv?.length) parts.push(t("line {{line}}", { line: line(info.pv, before, variant, names) }));
  if (info.comment) parts.push(info.comment);
  const search = parts.join(" · ");
  return { told: told || (search && t("Its search")), search };
}

// A variation, each pit under its player's name: "ann 3-6, bob 2".
export function line(pits, before, variant, names) {
  return turns(follow(before, pits, variant).map(({ move }) => move), names);
}

/** @param {{player: number, pit: number}[]} moves @param {string[]} names */
export function turns(moves, names) {
  const parts = [];
  for (const { player, pit } of moves) {
    if (parts.at(-1)?.player === player) parts.at(-1).pits.push(pit);
    else parts.push({ player, pits: [pit] });
  }
  return listed(parts.map(({ player, pits }) => `${names[player]} ${pits.map(pitNumber).join("-")}`));
}

/** @param {import("./rules.js").Move} move @param {string[]} players @param {{captured: number, again: boolean}} effect */
export function sowing({ player, pit, forced }, players, { captured, again }) {
  const isReader = players[player] === YOU;
  const values = { player: players[player], pit: pitNumber(pit), seeds: captured };
  if (pit === SWAP) {
    return isReader ? t("You swap: the players change sides, and the board is turned around.")
      : t("{{player}} swaps: the players change sides, and the board is turned around.", values);
  }
  const parts = [isReader ? t("You sow pit {{pit}}", values) : t("{{player}} sows pit {{pit}}", values)];
  if (forced) parts.push(t("chosen by the referee because the time was up"));
  if (captured) parts.push(isReader ? t("capture {{seeds}}", values) : t("captures {{seeds}}", values));
  if (again) parts.push(isReader ? t("move again") : t("moves again"));
  return `${listed(parts)}.`;
}

// The head of how many games there are, where the place with the games is called otherwise.
export const games = () => t("Games", { context: "number" });

// The heads of what a bot's games came to.
export const outcomes = () => [games(), t("Won"), t("Drawn"), t("Lost")].map((head) => `#${head}`);

const EVENT_STATES = {
  draft: t("not begun"), open: t("open"), "check-in": t("check-in"), pairing: t("pairing"), playing: t("playing"),
  closed: t("round over"), paused: t("paused"), finished: t("finished"), published: t("published"), cancelled: t("cancelled"),
};

export const eventState = (word) => EVENT_STATES[word] ?? word;

export const pitOf = (player, pit, count) => t("{{player}}'s pit {{pit}}, {{seeds}}", { player, pit: pitNumber(pit), seeds: seedsOf(count) });

export const seedsOf = (count) => t("{{count}} seeds", { count });

export const gamesOf = (count) => t("{{count}} games", { count });

// A value for a player: one that is estimated counts whole seeds.
export const worth = (value, proven) => signed(proven ? value : Math.round(value));

export const tenth = (value) => Math.round(value * 10) / 10;

export const certainty = (proven) => (proven ? t("proven") : t("estimated"));

// The mark of a move by the seeds that it lost.
export function mark(loss) {
  if (loss >= 6) return { grade: "loss-3", sign: "??" };
  if (loss >= 3) return { grade: "loss-2", sign: "?" };
  if (loss >= 1) return { grade: "loss-1", sign: "?!" };
  return { grade: "", sign: "" };
}

export function lost(loss, proven) {
  if (loss < 0.05) return t("loses nothing");
  if (proven) return t("loses {{count}} seeds", { count: loss });
  const count = Math.round(loss);
  return count ? t("loses about {{count}} seeds", { count }) : t("loses less than a seed");
}

export function accuracy({ proven, estimated }) {
  const share = ({ moves, best, mean_loss: loss }) => ({ best, moves, loss: tenth(loss) });
  const parts = [];
  if (proven.moves) parts.push(t("{{best}} of {{moves}} best moves, {{loss}} seeds lost a move (proven)", share(proven)));
  if (estimated.moves) parts.push(t("{{best}} of {{moves}}, {{loss}} lost (estimated)", share(estimated)));
  return parts.join(t("; ")) || t("no choice in any move");
}
