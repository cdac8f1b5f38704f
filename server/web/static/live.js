// Watches one game: over a stream of events, or by polling where that is cut off.

import { ask, isPassing, pause } from "./api.js";

const ASK_EVERY_MS = 1000;
const QUIET_MS = 20000;

// Yields {live} for each full state, {moved} for each move, and {over} at the end.
export async function* watch(game, signal) {
  try {
    yield* overEvents(game, signal);
    return;
  } catch (error) {
    if (signal.aborted) throw error;
  }
  yield* byAsking(game, signal);
}

async function* overEvents(game, signal) {
  const waiting = [];
  let wake = () => {};
  let problem = null;
  const fail = () => {
    problem = new Error("the stream was cut off");
    wake();
  };
  let quiet = setTimeout(fail, QUIET_MS);
  const source = new EventSource(`/api/v1/games/${encodeURIComponent(game)}/events`);
  const push = ({ type, data }) => {
    waiting.push({ type, message: JSON.parse(data) });
    wake();
  };
  for (const type of ["live", "moved", "over"]) source.addEventListener(type, push);
  source.onopen = () => {
    clearTimeout(quiet);
    quiet = setTimeout(fail, QUIET_MS);
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) fail();
  };
  const close = () => wake();
  signal.addEventListener("abort", close);
  try {
    while (true) {
      while (waiting.length) {
        const { type, message } = waiting.shift();
        if (type === "live") yield { live: { ...message, names: message.players.map(named) } };
        else if (type === "moved") yield { moved: message };
        else {
          yield { over: message };
          return;
        }
      }
      signal.throwIfAborted();
      if (problem) throw problem;
      await new Promise((resolve) => { wake = () => resolve(undefined); });
    }
  } finally {
    clearTimeout(quiet);
    signal.removeEventListener("abort", close);
    source.close();
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
