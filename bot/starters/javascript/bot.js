// A mancala bot: change choose; client.js speaks the protocol mancala.v1 and comes back by itself.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Client } from "./client.js";
import { sow } from "./rules.js"; // knows all rules that a server plays

const [url, name, ladder, most] = process.argv.slice(2);
if (!(Number(most) > 0)) {
  console.error("usage: node bot.js URL NAME LADDER MATCHES");
  process.exit(1);
}
const file = `${name}.session`; // lets a bot that was killed take its seats back

// Returns a pit that moves again, or else the last legal one; `offer` sends the best one so far,
// which is played if the time runs out and the clock allows it.
function choose({ state, legal, offer, start }) {
  offer(legal[0]);
  return legal.find((pit) => sow(state, pit, start.rules).again) ?? legal.at(-1);
}

const storage = {
  getItem: () => (existsSync(file) ? readFileSync(file, "utf8") : null),
  setItem: (_, session) => writeFileSync(file, session, { mode: 0o600 }),
  removeItem: () => rmSync(file, { force: true }),
};
const WebSocket = globalThis.WebSocket ?? (await import("ws")).default; // node has one since 22
const token = process.env.MANCALA_TOKEN || undefined;
const bot = new Client(url, { name, token, choose, storage, WebSocket, agent: { name: "my-bot", version: "my-version" } });

bot.on("game_over", ({ game, winner, stores, reason, evidence }) => {
  const { seat, opponent } = bot.games.get(game);
  const result = reason === "aborted" ? "void" : winner === null ? "drawn" : winner === seat ? "won" : "lost";
  const score = `${stores[seat]}:${stores[1 - seat]}`;
  console.log(`${result} ${score} against ${opponent.name} (${reason})`, evidence?.detail ?? "");
});
bot.on("error", ({ code, message }) => {
  console.error(message);
  if (!["unknown_ladder", "forbidden", "quarantined"].includes(code)) return;
  process.exitCode = 1; // the ladder does not take this bot, or no more
  bot.finish();
});
bot.on("status", ({ status, problem = "" }) => console.error(status, problem));
bot.on("left", () => bot.finish()); // after its matches, or because it was put out
bot.join(ladder, { matches: Number(most) });
await bot.run().catch((error) => {
  if (!["RefusedError", "ReplacedError"].includes(error.name)) throw error;
  console.error(error.message);
  process.exitCode = 1;
});
