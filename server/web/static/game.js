// The game page: live while the game runs, then its replay and review, on the same board.

import { ask, askIfThere, askPatiently, isPassing, pause, query } from "./api.js";
import { watch } from "./live.js";
import { GameView } from "./replay.js";

const TICK_MS = 100;
const NEXT_GAME_TRIES = 5;
const REVIEW_EVERY_MS = 5000;
const REVIEW_WITHIN_MS = 15 * 60 * 1000;

export async function game(root, { game: id, ply, follow: goesOn }, signal) {
  const path = `/games/${encodeURIComponent(id)}`;
  const record = await askPatiently(path, signal);
  const view = new GameView(record, goesOn !== undefined);
  root.append(...view.elements);
  document.addEventListener("keydown", (event) => view.press(event), { signal });
  view.surround(await askIfThere(`${path}/neighbours`, signal).catch(() => null));
  if (record.result) {
    view.settle(record);
    view.go(ply === undefined ? 0 : Number(ply));
  } else {
    view.go(ply === undefined ? Infinity : Number(ply));
    await keepUp(id, view, signal);
    view.settle(await askPatiently(path, signal));
    if (await goOn(record.match, view, signal)) return;
  }
  await reviewed(path, view, signal);
}

async function keepUp(id, view, signal) {
  const timer = setInterval(() => view.tick(), TICK_MS);
  try {
    for await (const { live, moved } of watch(id, signal)) {
      if (live) view.live(live);
      else if (moved) view.moved(moved);
    }
  } finally {
    clearInterval(timer);
    view.ended();
  }
}

// After a game of a match, opens the next one if the viewer asked for it.
async function goOn(match, view, signal) {
  for (let tries = 0; match && view.goesOn && tries < NEXT_GAME_TRIES; tries += 1) {
    const { games } = await ask(`/games${query({ match, status: "running", limit: 1 })}`, signal);
    if (games.length && view.goesOn) {
      location.href = `/games/${games[0].game}?follow`;
      return true;
    }
    await pause(TICK_MS * 5, signal);
  }
  return false;
}

// Shows the review once there is one.
async function reviewed(path, view, signal) {
  while (true) {
    try {
      return view.review(await ask(`${path}/review`, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      const isOld = Date.now() - Date.parse(view.record.ended_at) > REVIEW_WITHIN_MS;
      if (isOld || error.code === "not_reviewed" || (error.status !== 404 && !isPassing(error))) return undefined;
      view.awaitReview();
    }
    await pause(REVIEW_EVERY_MS, signal);
  }
}
