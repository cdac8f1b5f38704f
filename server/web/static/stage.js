// The stage: a board that is always moving. It shows the best game that runs, a few plies behind it at
// most where the viewer wishes so, else the best of the latest ones; at a pace that eyes can follow.

import { botLink, gameAddress } from "./addresses.js";
import { ask, askPatiently, isPassing, pause } from "./api.js";
import { Board } from "./board.js";
import { Course } from "./course.js";
import { button, card, h, link, update } from "./dom.js";
import { speedChoice } from "./motion.js";
import { opened, rich, t } from "./opened.js";
import { PlayerLine } from "./player_line.js";
import { soundChoice } from "./sound.js";
import { Timeline } from "./timeline.js";
import * as words from "./words.js";

const PACE_MS = 1300;
const TURNING_MS = 3500;
const BEHIND = 3;
const PATIENCE_MS = 15000;
const HOLD_S = 8;
const LOOK_MS = 3000;
const REMEMBERED = 12;
const OTHERS = 4;
const OTHERS_MS = 6000;
const NO_OTHERS_MS = 300;

// The home page: the stage, other games on small boards, and lists of games and ladders.
export async function home(root, parameters, signal) {
  const show = new Show();
  const others = h("ul", { class: "openings others", "aria-label": t("Other games") });
  const below = h("div");
  const ways = h("p", { class: "note" }, link("/stage", t("For a projector")));
  root.append(h("h1", {}, t("What is being played")), ...show.elements, ways, others, below);
  await Promise.all([
    perform(show, signal),
    show.begun.then(() => Promise.all([showOthers(others, show, signal), list(below, parameters, signal)])),
  ]);
}

// The lists, the other boards and the story of the game are loaded after the first move: on a slow
// connection the board is not to wait for them.
async function list(place, parameters, signal) {
  const { now } = await import("./lists.js");
  await now(place, parameters, signal);
}

// The stage for a projector: large type, and nothing to press. With `?game=` it shows that game, again and again.
export async function stage(root, { game }, signal) {
  const show = new Show({ isPlain: true, isRepeated: Boolean(game) });
  root.append(h("h1", { class: "visually-hidden" }, t("The stage")), ...show.elements);
  await (game ? repeat(show, `/games/${encodeURIComponent(game)}`, signal) : perform(show, signal));
}

async function repeat(show, path, signal) {
  while (true) await show.play(await askPatiently(path, signal), () => reviewOf(path, signal), signal);
}

async function perform(show, signal) {
  const seen = [];
  while (true) {
    const { games, record: first, reviewed } = await askPatiently("/stage", signal);
    const next = games.find(({ game }) => !seen.includes(game)) ?? games[0];
    show.others = games.filter((game) => game !== next);
    if (!next) {
      show.wait();
      await pause(LOOK_MS, signal);
      continue;
    }
    seen.splice(0, Math.max(0, seen.length - REMEMBERED + 1));
    seen.push(next.game);
    const path = `/games/${encodeURIComponent(next.game)}`;
    const record = first?.game === next.game ? first : await askPatiently(path, signal);
    await show.play(record, reviewed.includes(next.game) ? () => reviewOf(path, signal) : null, signal);
  }
}

// A game's review, and the module that tells its story.
async function reviewOf(path, signal) {
  try {
    const [review, story] = await Promise.all([ask(`${path}/review`, signal), import("./story.js")]);
    return review.plies ? { review, story } : null;
  } catch (error) {
    if (!isPassing(error)) throw error;
    return null;
  }
}

// A few other games: where they stand, or ended.
async function showOthers(place, show, signal) {
  const { small } = await import("./small_board.js");
  const records = new Map();
  while (true) {
    for (const game of (show.others ?? []).slice(0, OTHERS)) {
      try {
        if (game.status === "over" && records.has(game.game)) continue;
        records.set(game.game, await ask(`/games/${encodeURIComponent(game.game)}`, signal));
      } catch (error) {
        if (signal.aborted) throw error;
      }
    }
    const wanted = (show.others ?? []).slice(0, OTHERS).map(({ game }) => records.get(game)).filter(Boolean);
    update(place, ...wanted.map((record) => small(record)));
    for (const [game, record] of records) if (!wanted.includes(record)) records.delete(game);
    await pause(wanted.length ? OTHERS_MS : NO_OTHERS_MS, signal);
  }
}

class Show {
  /** @type {any[]} games that are not on the stage */ others = [];
  /** @type {any} */ record;
  /** @type {any} */ review;
  /** @type {any} the module that tells it */ story;
  /** @type {string[]} */ names = [];
  /** @type {Timeline} */ timeline;
  at = 0;
  /** @type {(value?: any) => void} */ begin;
  /** @type {Promise<any>} until the first move was shown */ begun = new Promise((resolve) => { this.begin = resolve; });

  constructor({ isPlain = false, isRepeated = false } = {}) {
    this.isPaused = false;
    this.isRepeated = isRepeated;
    this.place = h("div");
    this.heading = h("p", { class: "small quiet bill" });
    this.said = h("p", { class: "said" });
    this.verdict = h("p", { class: "verdict" });
    this.curve = h("div");
    this.toggle = button(t("Pause"), () => this.#pause());
    this.present = button(t("Live"), () => this.#toPresent());
    this.more = link("/games", t("Open this game"));
    this.present.hidden = true;
    this.controls = h("p", { class: "controls", hidden: isPlain }, this.toggle, this.present, speedChoice(), soundChoice(), this.more);
    this.elements = [h("section", { class: "card stage", "aria-label": t("The stage") },
      h("div", { class: "stage-board" }, this.heading, this.place, this.controls),
      h("div", { class: "stage-side" }, this.said, this.verdict, this.curve))];
    if (!opened.answers["/stage"]) this.#lay();
  }

  // A board to keep the place of those to come; a slow phone takes a while to draw one more.
  #lay() {
    const board = new Board(6, [t("First"), t("Second")]);
    board.show({ pits: [Array(6).fill(4), Array(6).fill(4)], stores: [0, 0], current_player: 0 });
    this.place.replaceChildren(h("div", { class: "player" }, "\u00a0"), board.element, h("div", { class: "player" }, "\u00a0"));
  }

  wait() {
    if (!this.record) this.#lay();
    this.begin();
    this.said.textContent = t("None of known bots; all are under Games.");
  }

  // Plays a game from its opening, or from a little before the present if it runs, to its end; with
  // the story of its review, where there is one to ask for.
  async play(record, askForReview, signal) {
    this.#open(record);
    if (askForReview) this.begun.then(askForReview).then((told) => { if (this.record === record) Object.assign(this, told); }, () => {});
    const ended = new AbortController();
    const both = AbortSignal.any([signal, ended.signal]);
    if (!record.result) this.#follow(record, both);
    try {
      for (let quiet = 0; !this.isOver || this.at < this.timeline.last;) {
        if (this.isPaused || document.hidden || this.at >= this.timeline.last) {
          this.begin();
          quiet = this.isPaused ? 0 : quiet + 100;
          if (quiet > PATIENCE_MS && this.others.length) return;
          await pause(100, both);
          continue;
        }
        quiet = 0;
        await this.#step(both);
      }
      await this.#end(both);
    } finally {
      ended.abort();
    }
  }

  #open(record) {
    const names = record.players.map(({ name }) => name);
    Object.assign(this, { record, review: null, names, isOver: Boolean(record.result) });
    this.timeline = new Timeline(record);
    this.at = this.isOver ? 0 : Math.max(0, this.timeline.last - BEHIND);
    this.board = new Board(record.rules.pits, names);
    this.lines = names.map((name, player) => new PlayerLine(name, player));
    for (const line of this.lines) line.mute(!record.moves.some(({ info }) => info));
    this.place.replaceChildren(this.lines[1].element, this.board.element, this.lines[0].element);
    this.board.show(this.timeline.steps[this.at].state);
    this.course = new Course(names, (place) => this.#jump(place));
    update(this.heading, ...bill(record));
    this.curve.replaceChildren(this.course.element);
    this.verdict.textContent = "";
    this.said.textContent = this.at ? t("Move {{ply}}.", { ply: this.at }) : t("The opening.");
    this.more.href = gameAddress(record.game);
    this.present.hidden = true;
    this.#draw();
  }

  async #follow(record, signal) {
    try {
      const { watch } = await import("./live.js");
      for await (const { live, moved, over } of watch(record.game, signal)) {
        if (live) for (const pit of live.moves.slice(this.timeline.last)) this.timeline.append(pit);
        else if (moved && moved.ply === this.timeline.last) this.timeline.append(moved);
        if (over !== undefined) break;
      }
      const record_ = await askPatiently(`/games/${encodeURIComponent(record.game)}`, signal);
      if (record_.result) Object.assign(this, { record: record_, timeline: new Timeline(record_) });
      this.isOver = true;
    } catch (error) {
      if (!signal.aborted) this.isOver = true;
    }
  }

  async #step(signal) {
    const began = performance.now();
    this.at += 1;
    const { at } = this;
    const step = this.timeline.steps[at];
    const before = this.timeline.steps[at - 1].state;
    const { move } = step;
    const turning = this.review?.changes.find(({ ply }) => ply === at - 1);
    this.said.textContent = t("Move {{ply}}: {{move}}", { ply: at, move: words.sowing(move, this.names, step) });
    this.lines.forEach((line, player) => {
      line.moves(player === step.state.current_player);
      if (player === move.player) line.think(words.thought(move.info, before, this.timeline.rules, this.names));
    });
    this.#draw();
    this.begin();
    const isLast = this.isOver && at === this.timeline.last;
    await this.board.sow(before, step, move, isLast, PACE_MS - 100);
    if (turning) update(this.said, h("strong", {}, this.story.changeAndWhy(turning, this.review, this.names)));
    await pause(Math.max(100, (turning ? TURNING_MS : PACE_MS) - (performance.now() - began)), signal);
  }

  async #end(signal) {
    const { winner = null } = this.record.result ?? {};
    if (this.record.result) this.verdict.textContent = words.verdict(this.names, this.record.result, this.record.annulled);
    const head = this.review && this.story.headline(this.review, winner === null ? null : 1 - winner, this.names);
    if (head) update(this.said, h("strong", {}, `${head.title}${t(": ")}`), head.text);
    for (const line of this.lines) line.moves(false);
    for (let left = HOLD_S; left > 0; left -= 1) {
      update(this.heading, ...bill(this.record), " · ", this.isRepeated ? t("again in {{seconds}} s", { seconds: left }) : t("the next game in {{seconds}} s", { seconds: left }));
      await pause(1000, signal);
      while (this.isPaused) await pause(100, signal);
    }
  }

  // What has been shown of the game; the curve does not tell what is still to come.
  #draw() {
    const { steps, rules } = this.timeline;
    const shown = { steps: steps.slice(0, this.at + 1), last: this.timeline.last, rules, all: steps };
    const review = this.review && { ...this.review, plies: this.review.plies.slice(0, this.at + 1).map((ply) => (ply.ply < this.at ? ply : { ...ply, loss: 0 })) };
    this.course.show(shown, review, null);
    this.course.at(this.at);
    this.present.hidden = this.isOver || this.at >= this.timeline.last - 1;
  }

  #jump(place) {
    this.at = Math.min(place, this.timeline.last);
    this.board.show(this.timeline.steps[this.at].state);
    this.#draw();
  }

  #toPresent() {
    this.isPaused = false;
    this.#jump(this.timeline.last);
  }

  #pause() {
    this.isPaused = !this.isPaused;
    this.toggle.textContent = this.isPaused ? t("Play", { context: "replay" }) : t("Pause");
  }
}

const bill = ({ players: [one, other], result, started_at: began, rules }) => [
  ...rich("{{one}} against {{two}}", { one: botLink(one.name), two: botLink(other.name) }), ` · ${words.rules(rules)} · `,
  result ? (began ? t("played {{time}}", { time: words.when(began) }) : t("over")) : t("live"),
];
