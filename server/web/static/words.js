// Texts for facts, the same on every page.

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

export function rules({ pits, seeds, capture, relap, majority }) {
  const marks = [`Kalah(${pits}, ${seeds})`];
  if (capture === "always") marks.push("empty capture");
  if (relap) marks.push("relap");
  if (majority) marks.push("majority");
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
  return `${Math.floor(ms / 60000)}:${String(Math.floor((ms % 60000) / 1000)).padStart(2, "0")} min`;
};

export const when = (time) =>
  new Date(time).toLocaleString(undefined, {
    day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
  });

export const reason = (word) => REASONS[word] ?? word;

export const score = (stores) => (stores ? `${stores[0]} : ${stores[1]}` : "–");

export function verdict(players, { winner, stores, reason: word }) {
  if (word === "aborted") return "Aborted; the game does not count.";
  const end = word === "normal" ? "" : ` (${reason(word)})`;
  if (winner == null) return `A draw, ${score(stores)}${end}.`;
  return `${players[winner]} wins ${stores[winner]} : ${stores[1 - winner]}${end}.`;
}

export const signed = (value) => (value > 0 ? `+${value}` : `${value}`.replace("-", "−"));

export function thought(info) {
  if (!info) return "";
  const parts = [];
  if (info.value != null) parts.push(`expects ${signed(Math.round(info.value * 100) / 100)}${info.exact ? " (exact)" : ""}`);
  if (info.depth != null) parts.push(`depth ${info.depth}`);
  if (info.nodes != null) parts.push(`${info.nodes.toLocaleString()} nodes`);
  if (info.pv?.length) parts.push(`variation ${info.pv.join(" ")}`);
  if (info.comment) parts.push(info.comment);
  return parts.join(" · ");
}

export function sowing({ player, pit, forced }, players, { captured, again }) {
  const parts = [`${players[player]} sows pit ${pit}`];
  if (forced) parts.push("chosen by the referee because the time was up");
  if (captured) parts.push(`captures ${captured}`);
  if (again) parts.push("moves again");
  return `${parts.join(", ")}.`;
}
