// One game: live while it runs, then a replay on the same board, move by move.

import { ask, pause, query } from "./api.js";
import { Board } from "./board.js";
import { card, h, link } from "./dom.js";
import { botLink, facts, status } from "./lists.js";
import { watch } from "./spectator.js";
import * as words from "./words.js";

const PLAY_MS = 700;
const TICK_MS = 100;
const NEXT_GAME_TRIES = 5;

export async function game(root, { game: id }, signal) {
  const record = await ask(`/games/${encodeURIComponent(id)}`, signal);
  const names = record.players.map((player) => player.name);
  const view = new GameView(record, names);
  root.append(...view.elements);
  if (!record.result) {
    await follow(id, view, signal);
    if (await goOn(record.match, view, signal)) return;
  }
  await replay(id, view, signal, record.result === undefined);
}

async function follow(id, view, signal) {
  const timer = setInterval(() => view.tick(), TICK_MS);
  try {
    for await (const { live, moved, over } of watch(id, signal)) {
      if (live) view.live(live);
      else if (moved) view.moved(moved);
      else if (over) view.over(over);
    }
  } finally {
    clearInterval(timer);
  }
}

// After a game of a match, opens the next one if the viewer asked for it.
async function goOn(match, view, signal) {
  for (let tries = 0; match && view.follows && tries < NEXT_GAME_TRIES; tries += 1) {
    const { games } = await ask(`/games${query({ match, status: "running", limit: 1 })}`, signal);
    if (games.length && view.follows) {
      location.hash = `#/games/${games[0].game}?follow=yes`;
      return true;
    }
    await pause(TICK_MS * 5, signal);
  }
  return false;
}

async function replay(id, view, signal, wasLive) {
  const path = encodeURIComponent(id);
  const [record, { positions }] = await Promise.all([
    ask(`/games/${path}`, signal),
    ask(`/games/${path}/positions`, signal),
  ]);
  view.settle(record);
  const steps = new Steps(view, positions, record);
  view.place.replaceChildren(steps.controls);
  view.list.replaceChildren(...steps.moves);
  steps.go(wasLive ? positions.length - 1 : 0);
  document.addEventListener("keydown", (event) => steps.press(event), { signal });
  signal.addEventListener("abort", () => steps.stop());
}

class GameView {
  constructor(record, names) {
    this.names = names;
    this.board = new Board(record.rules.pits, names);
    this.head = h("h1", {}, names[0], " – ", names[1], " ");
    this.pill = status({ status: record.result ? "over" : "running" });
    this.head.append(this.pill);
    this.lines = names.map((name, player) => new PlayerLine(name, player));
    this.said = h("p", { class: "note", role: "status" });
    this.verdict = h("p", { class: "verdict" });
    this.place = h("div");
    this.list = h("div", { class: "moves" });
    this.check = h("input", { type: "checkbox", checked: location.hash.includes("follow=yes") });
    this.place.append(h("label", { class: "controls" }, this.check, "Continue with the next game of the match"));
    this.elements = [
      this.head,
      h("div", { class: "columns" },
        card(null, this.lines[1].element, this.board.element, this.lines[0].element, this.said, this.verdict, this.place),
        h("div", {}, card("Moves", this.list), card("About the game", h("dl", { class: "facts" }, ...about(record))))),
    ];
    this.settle(record);
    this.board.show(record.opening);
  }

  get follows() {
    return this.check.checked;
  }

  settle(record) {
    if (!record.result) return;
    this.pill.replaceWith((this.pill = status({ status: "over" })));
    this.verdict.textContent = words.verdict(this.names, record.result);
  }

  live(start) {
    this.control = start.clock;
    this.listed = start.moves.length;
    this.list.replaceChildren(h("p", { class: "note" }, `${start.moves.length} moves so far`));
    this.#turn(start.state, start.clocks);
    this.board.show(start.state);
  }

  moved(moved) {
    this.board.show(moved.state, moved);
    this.said.textContent = words.sowing(moved, this.names, moved);
    this.lines[moved.player].think(words.thought(moved.info));
    this.listed += 1;
    this.list.replaceChildren(h("p", { class: "note" }, `${this.listed} moves so far`));
    this.#turn(moved.state, moved.clock);
  }

  over({ winner, stores, reason }) {
    this.since = null;
    this.verdict.textContent = words.verdict(this.names, { winner, stores, reason });
    for (const line of this.lines) line.moves(false);
  }

  // Between two messages the page advances the clocks itself; the server's clocks decide.
  tick() {
    if (this.since == null) return;
    const used = performance.now() - this.since;
    this.lines[this.mover].clock(this.clocks.banks_ms?.[this.mover], used, this.control.move_ms);
  }

  at(state, move, isOver) {
    this.board.show(state, move, isOver);
    this.lines.forEach((line, player) => line.moves(!isOver && state.current_player === player));
  }

  #turn(state, clocks) {
    this.clocks = clocks;
    this.mover = state.current_player;
    this.since = performance.now();
    this.lines.forEach((line, player) => {
      line.moves(player === this.mover);
      line.clock(clocks.banks_ms?.[player], 0, null);
    });
  }
}

class PlayerLine {
  constructor(name, player) {
    this.time = h("span", { class: "time" });
    this.thought = h("span", { class: "thought quiet small" });
    const side = player === 0 ? "south" : "north";
    this.element = h("div", { class: `player ${side}` },
      h("strong", {}, botLink(name)),
      h("span", { class: "quiet small" }, player === 0 ? "first, sows to the right" : "second, sows to the left"),
      this.time,
      this.thought);
  }

  moves(isMover) {
    this.element.classList.toggle("to-move", isMover);
    if (!isMover) this.time.textContent = "";
  }

  clock(bank, used, limit) {
    const parts = [];
    if (used > 0) parts.push(limit ? `${tenths(used)} of ${words.seconds(limit)}` : tenths(used));
    if (bank != null) parts.push(`${words.seconds(Math.max(0, bank - used))} left`);
    this.time.textContent = parts.join(" · ");
  }

  think(text) {
    this.thought.textContent = text;
    this.thought.title = text;
  }

  took(move) {
    const parts = [];
    if (move?.elapsed_ms != null) parts.push(words.seconds(move.elapsed_ms));
    if (move?.lag_ms >= 1) parts.push(`${words.seconds(move.lag_ms)} of it network delay`);
    this.time.textContent = parts.join(", ");
  }
}

// A finished game, one position at a time.
class Steps {
  constructor(view, positions, record) {
    Object.assign(this, { view, positions, record, at: 0, timer: null });
    this.last = positions.length - 1;
    this.slider = h("input", {
      type: "range", min: 0, max: this.last, value: 0, "aria-label": "Position",
      input: () => this.go(Number(this.slider.value)),
    });
    this.toggle = this.#button("Play", () => this.play());
    this.controls = h("div", {},
      h("div", { class: "controls", role: "group", "aria-label": "Replay" },
        this.#button("«", () => this.go(0), "To the opening"),
        this.#button("‹", () => this.go(this.at - 1), "One move back"),
        this.toggle,
        this.#button("›", () => this.go(this.at + 1), "One move forward"),
        this.#button("»", () => this.go(this.last), "To the end"),
        this.slider),
      h("p", { class: "note small" }, "Keys: ← → step one move, Home and End jump, space plays."));
    this.marks = [];
    this.moves = this.#turns();
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.last, at));
    const { state, move, captured, again } = this.positions[this.at];
    this.view.at(state, move, this.at === this.last && this.record.result != null);
    this.view.said.textContent = move ? words.sowing(move, this.view.names, { captured, again }) : "The opening.";
    this.view.lines.forEach((line, player) => {
      const own = move?.player === player ? move : null;
      line.took(own);
      line.think(words.thought(own?.info));
    });
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `position ${this.at} of ${this.last}`);
    this.#mark();
    if (this.at === this.last) this.stop();
  }

  play() {
    if (this.timer !== null) return this.stop();
    if (this.at === this.last) this.go(0);
    this.toggle.textContent = "Pause";
    this.timer = setInterval(() => this.go(this.at + 1), PLAY_MS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.toggle.textContent = "Play";
  }

  press(event) {
    const isElsewhere = event.target.closest("input, select, textarea, button, a");
    if (event.altKey || event.ctrlKey || event.metaKey || (isElsewhere && event.key === " ")) return;
    if (event.target === this.slider) return;
    const act = {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      " ": () => this.play(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #turns() {
    const turns = [];
    this.positions.slice(1).forEach(({ move }, ply) => {
      if (turns.at(-1)?.player !== move.player) turns.push({ player: move.player, buttons: [] });
      const button = this.#button(`${move.pit}`, () => this.go(ply + 1), `Position after move ${ply + 1}, pit ${move.pit}`);
      this.marks[ply + 1] = button;
      turns.at(-1).buttons.push(button);
    });
    const cells = [];
    let round = 0;
    for (const { player, buttons } of turns) {
      if (player === 0 || round === 0) {
        if (cells.length % 3 === 2) cells.push(h("span"));
        round += 1;
        cells.push(h("span", { class: "turn" }, `${round}.`));
        if (player === 1) cells.push(h("span"));
      }
      cells.push(h("span", { class: "side" }, ...buttons));
    }
    return cells;
  }

  #mark() {
    for (const mark of this.marks) mark?.removeAttribute("aria-current");
    const mark = this.marks[this.at];
    mark?.setAttribute("aria-current", "step");
    const list = this.view.list;
    if (mark) list.scrollTop += mark.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  }

  #button(text, click, label = null) {
    return h("button", { type: "button", click, "aria-label": label, title: label }, text);
  }
}

const tenths = (ms) => `${(ms / 1000).toFixed(1)} s`;

const program = ({ name, agent }) => (agent ? `${name}: ${agent.name} ${agent.version ?? ""}` : null);

const about = (record) => facts([
  ["Rules", words.rules(record.rules)],
  ["Clock", record.clock && words.clock(record.clock)],
  ["Counts", record.rated ? "for ratings" : "not for ratings"],
  ["Started", record.started_at && words.when(record.started_at)],
  ["First's program", program(record.players[0])],
  ["Second's program", program(record.players[1])],
  ["Evidence", record.result?.evidence?.detail],
  ["Match", record.match && link(`#/matches/${record.match}`, record.match)],
  ["Record", link(`/api/v1/games/${record.game}`, "JSON")],
]);
