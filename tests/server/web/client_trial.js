// Runs the client as a test asks, and prints each event, and how it ended, as a line of JSON.
import * as kit from "./client.js";

const { url, options, calls, on = {}, mood } = JSON.parse(process.argv[2]);
const { WebSocket = (await import("ws")).default, setTimeout: later } = globalThis;
const print = (event) => console.log(JSON.stringify(event));

const moods = {
  first: (turn) => turn.legal[0],
  offers: (turn) => {
    for (const pit of turn.legal) turn.offer(pit, { depth: pit });
    return new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve(turn.legal[0])));
  },
  fails: () => {
    throw new Error("no idea");
  },
};
// The time for the first welcome is over once its connection has said hello, or before it is open.
let giveUp = null;
class Impatient extends WebSocket {
  send(message) {
    super.send(message);
    giveUp?.();
    giveUp = () => {};
  }
}
const isEarly = mood === "impatient" || mood === "hasty";
const endWait = (act) => {
  giveUp = mood === "impatient" ? act : () => {};
  if (mood === "hasty") queueMicrotask(act);
  return () => {};
};
if (isEarly) globalThis.setTimeout = (act, ms) => later(ms === 20_000 && !giveUp ? endWait(act) : act, ms);
const storage = kit.memory();
const client = new kit.Client(url, { ...options, WebSocket: isEarly ? Impatient : WebSocket, storage, choose: moods[mood], random: () => 0.9 });
const call = ([method, ...given]) => {
  if (method !== "list") return client[method](...given);
  client.list(...given).then(
    (found) => print({ type: "listed", found }),
    (error) => print({ type: "not listed", message: error.message }),
  );
};
for (const type of ["welcome", "seeking", "joined", "left", "challenged", "game_start", "turn", "moved", "game_over", "match_over", "error", "goodbye", "status"]) {
  client.on(type, (event) => {
    print(event);
    for (const each of on[type] ?? []) call(each.map((word) => (word === "$challenge" ? event.challenge : word)));
  });
}
for (const each of calls ?? []) call(each);
try {
  await client.run();
  print({ type: "ended" });
} catch (error) {
  print({ type: "failed", name: error.name, code: error.code, message: error.message });
}
