// Watches one game: over the bots' websocket as a guest, or by polling where guests are not admitted.

import { ask, askPatiently, isPassing, pause } from "./api.js";

const ASK_EVERY_MS = 1000;

// Yields {live} for each full state, {moved} for each move, and {over} at the end.
export async function* watch(game, signal) {
  const about = await askPatiently("", signal);
  if (about.guests) {
    try {
      yield* overWebsocket(about, game, signal);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
  yield* byAsking(game, signal);
}

async function* overWebsocket(about, game, signal) {
  const messages = receive(address(about), game, signal);
  for await (const message of messages) {
    if (message.type === "game_start") yield { live: message };
    else if (message.type === "moved") yield { moved: message };
    else if (message.type === "game_over") {
      yield { over: message };
      return;
    } else if (message.type === "error" && message.code === "unknown_game") {
      yield { over: null };
      return;
    } else if (message.type === "error") throw new Error(message.message);
  }
}

async function* byAsking(game, signal) {
  let known = -1;
  while (true) {
    let live;
    try {
      live = await ask(`/games/${encodeURIComponent(game)}/live`, signal);
    } catch (error) {
      if (isPassing(error) && !signal.aborted) {
        await pause(ASK_EVERY_MS, signal);
        continue;
      }
      if (error.code !== "not_live") throw error;
      yield { over: null };
      return;
    }
    if (live.moves.length !== known) yield { live: { ...live, names: live.players.map(named) } };
    known = live.moves.length;
    await pause(ASK_EVERY_MS, signal);
  }
}

const named = (player) => player.name;

export function address(about) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return about.websocket ?? `${scheme}://${location.hostname}:${about.websocket_port}`;
}

async function* receive(url, game, signal) {
  const waiting = [];
  let wake = () => {};
  let problem = null;
  const push = (message) => {
    waiting.push(message);
    wake();
  };
  const socket = new WebSocket(url, "mancala.v1");
  const close = () => socket.close();
  socket.onopen = () => socket.send(JSON.stringify(hello()));
  socket.onmessage = ({ data }) => push(JSON.parse(data));
  socket.onclose = () => {
    problem = new Error("the connection was closed");
    wake();
  };
  signal.addEventListener("abort", close);
  try {
    while (true) {
      while (waiting.length) {
        const message = waiting.shift();
        if (message.type === "welcome") socket.send(JSON.stringify({ type: "watch", game }));
        else yield message;
      }
      signal.throwIfAborted();
      if (problem) throw problem;
      await new Promise((resolve) => { wake = resolve; });
    }
  } finally {
    signal.removeEventListener("abort", close);
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "goodbye" }));
    socket.close();
  }
}

const hello = () => ({
  type: "hello",
  protocol: "mancala.v1",
  name: `viewer-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`,
  agent: { name: "page" },
});
