// A game to step through: the board, its moves, their values and times. A running game grows at its end.

import { botLink, gameAddress, isFile } from "./addresses.js";
import { pause } from "./api.js";
import { Board } from "./board.js";
import { Course } from "./course.js";
import { button, card, facts, h, link, update } from "./dom.js";
import { status } from "./game_table.js";
import { MoveList } from "./moves.js";
import { literal, sow } from "./rules.js";
import { follow, Timeline } from "./timeline.js";
import * as words from "./words.js";

const PLAY_MS = 900;
const LEAST_MS = 400;
const SOW_MS = 600;
const HURRIED_MS = 350;

export class GameView {
  constructor(record, goesOn) {
    this.record = record;
    this.names = record.players.map((player) => player.name);
    this.timeline = new Timeline(record);
    this.at = 0;
    this.isLive = !record.result;
    this.follows = false;
    this.shown = 0;
    this.board = new Board(record.rules.pits, this.names);
    this.course = new Course(this.names, (place) => this.go(place));
    this.list = new MoveList(record.game, this.names, (place) => this.go(place));
    this.lines = this.names.map((name, player) => new PlayerLine(name, player));
    this.#build(goesOn);
    this.course.show(this.timeline, null, null);
    this.list.show(this.timeline, null);
  }

  get goesOn() {
    return this.check.checked;
  }

  // Goes to a position; one step forward is shown seed by seed.
  async go(wanted, isFollowing = false) {
    const at = Math.max(0, Math.min(this.timeline.last, wanted));
    const isStep = at === this.at + 1;
    const isPresent = at === this.timeline.last;
    this.at = at;
    this.follows = this.isLive && (isFollowing || isPresent);
    this.shown = performance.now();
    this.variation.replaceChildren();
    const step = this.timeline.steps[at];
    const isOver = isPresent && this.record.result != null;
    this.#tellOf(step, isOver);
    this.board.point([]);
    if (!isStep) this.board.show(step.state, marked(step), isOver);
    else await this.board.sow(this.timeline.steps[at - 1].state, step, step.move, isOver, isPresent ? SOW_MS : HURRIED_MS);
    if (this.at === at) this.#point();
  }

  play() {
    if (this.timer) return this.stop();
    if (this.at === this.timeline.last) this.go(0);
    this.toggle.textContent = "Pause";
    this.timer = setInterval(() => {
      this.go(this.at + 1);
      if (this.at === this.timeline.last) this.stop();
    }, PLAY_MS);
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.toggle.textContent = "Play";
  }

  press(event) {
    const isElsewhere = event.target.closest?.("input, select, textarea, button, a");
    if (event.altKey || event.ctrlKey || event.metaKey || (isElsewhere && event.key === " ")) return;
    if (event.target === this.slider) return;
    const act = {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.timeline.last),
      " ": () => this.play(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // A running game

  live({ clock, moves, clocks, opening }) {
    this.control = clock;
    if (opening) this.record.opening = opening;
    if (moves.length < this.timeline.last) this.timeline = new Timeline({ ...this.record, moves: [] });
    for (const pit of moves.slice(this.timeline.last)) this.timeline.append(pit);
    this.#grown(clocks);
    if (this.follows) this.go(this.timeline.last);
  }

  moved(moved) {
    if (moved.ply !== this.timeline.last) return;
    this.timeline.append(moved);
    this.#grown(moved.clock);
  }

  // Between two messages the page advances the clocks itself; the server's clocks decide.
  tick() {
    if (this.follows && this.at < this.timeline.last && performance.now() - this.shown >= LEAST_MS) {
      this.go(this.at + 1, true);
    }
    if (this.since == null) return;
    const used = performance.now() - this.since;
    this.lines[this.mover].clock(this.clocks.banks_ms?.[this.mover], used, this.control?.move_ms);
  }

  ended() {
    this.since = null;
    for (const line of this.lines) line.moves(false);
  }

  // A game that is over

  settle(record) {
    for (const line of this.lines) line.mute(!record.moves.some(({ info }) => info));
    const wasAt = this.at;
    const wasLast = this.follows || wasAt === this.timeline.last;
    const wasLive = this.isLive;
    this.record = record;
    this.isLive = false;
    this.timeline = new Timeline(record);
    update(this.pill, "over");
    this.pill.className = "pill over";
    this.verdict.textContent = words.verdict(this.names, record.result);
    update(this.about, ...about(record));
    this.present.hidden = true;
    this.check.parentElement.hidden = true;
    this.#redraw();
    if (wasLive) this.go(wasLast ? this.timeline.last : wasAt);
  }

  review(review) {
    this.judged = review;
    this.#redraw();
    update(this.losing, ...(review.losing ? [h("strong", {}, "The losing move: "), this.#lostBy(review.losing)] : []));
    update(this.accuracies, ...facts(review.players.map((player, seat) => [this.names[seat], words.accuracy(player)])));
    this.accuracies.parentElement.hidden = false;
    this.#point();
    this.#tellOf(this.timeline.steps[this.at], this.at === this.timeline.last);
  }

  awaitReview() {
    this.losing.textContent = "The game waits for its review.";
  }

  surround(neighbours) {
    const to = (id, text) => id && link(gameAddress(id), text);
    update(this.around, to(neighbours?.previous, "← Previous game"), to(neighbours?.next, "Next game →"));
  }

  #redraw() {
    this.list.show(this.timeline, this.judged);
    this.course.show(this.timeline, this.judged, this.record.result);
    this.slider.max = this.timeline.last;
    this.list.mark(this.at);
    this.course.at(this.at);
  }

  #grown(clocks) {
    const { state } = this.timeline.steps.at(-1);
    this.clocks = clocks;
    this.mover = state.current_player;
    this.since = performance.now();
    this.lines.forEach((line, player) => {
      line.moves(player === this.mover);
      line.clock(clocks?.banks_ms?.[player], 0, null);
    });
    this.#redraw();
  }

  #tellOf({ move, captured, again, state }, isOver) {
    const before = this.at ? this.timeline.steps[this.at - 1].state : state;
    const judged = move && this.judged?.plies[this.at - 1];
    const loss = judged ? ` It ${words.lost(judged.loss, judged.loss_proven)}${judged.loss >= 0.05 ? ` (${words.certainty(judged.loss_proven)})` : ""}.` : "";
    this.said.textContent = (move ? words.sowing(move, this.names, { captured, again }) : "The opening.") + loss;
    this.lines.forEach((line, player) => {
      const own = move?.player === player ? move : null;
      if (!this.isLive) line.moves(!isOver && state.current_player === player);
      if (!this.isLive) line.took(own);
      if (own || !this.isLive) line.think(words.thought(own?.info, before, this.timeline.rules, this.names));
    });
    this.slider.max = this.timeline.last;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `position ${this.at} of ${this.timeline.last}`);
    this.present.hidden = !this.isLive || this.follows;
    this.list.mark(this.at);
    this.course.at(this.at);
    this.#name();
  }

  // Each position has an address and a title of its own.
  #name() {
    const { game } = this.record;
    const isPlain = this.follows || (!this.isLive && this.at === 0);
    const address = gameAddress(game, isPlain ? null : this.at);
    if (location[isFile ? "hash" : "pathname"] !== address) history.replaceState(null, "", address + (isFile ? "" : location.search));
    const place = this.at ? `, ply ${this.at}` : "";
    document.title = `${this.names[0]} against ${this.names[1]}${place} · ${document.getElementById("server").textContent}`;
    const board = encodeURIComponent(literal(this.timeline.steps[this.at].state));
    this.analyse.href = `/analysis?board=${board}&rules=${encodeURIComponent(words.rulesText(this.timeline.rules))}`;
    this.picture.href = `${gameAddress(game)}/${this.at}.svg`;
  }

  // An arrow for the best move of the review, and one for the move played if it lost something.
  #point() {
    const judged = this.judged?.plies[this.at];
    if (!judged) return this.board.point([]);
    const { state } = this.timeline.steps[this.at];
    const to = (pit) => sow(state, pit, this.timeline.rules).path.at(-1);
    const arrows = [{ player: judged.player, pit: judged.best, to: to(judged.best), kind: "best" }];
    if (judged.loss >= 0.05 && judged.pit !== judged.best) {
      arrows.unshift({ player: judged.player, pit: judged.pit, to: to(judged.pit), kind: "played" });
    }
    this.board.point(arrows);
    const best = words.line(judged.line, state, this.timeline.rules, this.names);
    update(this.variation,
      h("span", {}, `Best: ${best}, ${words.signed(words.tenth(judged.value))} for ${this.names[0]}, ${words.certainty(judged.proven)}. `),
      button("Play this line", () => this.#playLine(judged.line)));
    return undefined;
  }

  async #playLine(pits) {
    this.stop();
    const from = this.at;
    const steps = follow(this.timeline.steps[from].state, pits, this.timeline.rules);
    update(this.variation, button("Back to the game", () => this.go(from)));
    this.board.point([]);
    for (const step of steps) {
      if (this.at !== from || !this.variation.isConnected) return;
      this.said.textContent = words.sowing(step.move, this.names, step);
      await this.board.sow(step.before, step, step.move, step.over);
      await pause(LEAST_MS);
    }
  }

  #lostBy(losing) {
    const open = (event) => {
      event.preventDefault();
      this.go(losing.ply);
    };
    return h("a", { href: gameAddress(this.record.game, losing.ply), click: open }, words.losing(losing));
  }

  #build(goesOn) {
    const { record, names } = this;
    this.pill = status({ status: record.result ? "over" : "running" });
    this.said = h("p", { class: "note said", role: "status" });
    this.verdict = h("p", { class: "verdict" });
    this.losing = h("p", { class: "losing", role: "status" });
    this.variation = h("p", { class: "variation small" });
    this.around = h("nav", { class: "around", "aria-label": "Games before and after" });
    this.about = h("dl", { class: "facts" }, ...about(record));
    this.accuracies = h("dl", { class: "facts" });
    this.check = h("input", { type: "checkbox", checked: goesOn });
    this.slider = h("input", { type: "range", min: 0, max: this.timeline.last, value: 0, "aria-label": "Position", input: () => this.go(Number(this.slider.value)) });
    this.toggle = button("Play", () => this.play());
    this.present = button("To the present", () => this.go(this.timeline.last));
    this.analyse = link("/analysis", "Analyse this position");
    this.picture = link("#", "Picture");
    const quality = card("Quality of play", this.accuracies);
    quality.hidden = true;
    this.elements = [
      h("h1", {}, botLink(names[0]), " – ", botLink(names[1]), " ", this.pill),
      h("div", { class: "columns" },
        h("div", {},
          card(null, this.lines[1].element, this.board.element, this.lines[0].element, this.#controls(), this.said, this.verdict, this.losing, this.variation, this.#links()),
          card("Course of the game", this.course.element)),
        h("div", {}, card("Moves", this.list.element), quality, card("About the game", this.about))),
      this.around,
    ];
  }

  #controls() {
    return h("div", {},
      h("div", { class: "controls", role: "group", "aria-label": "Replay" },
        button("«", () => this.go(0), "To the opening"),
        button("‹", () => this.go(this.at - 1), "One move back"),
        this.toggle,
        button("›", () => this.go(this.at + 1), "One move forward"),
        button("»", () => this.go(this.timeline.last), "To the end"),
        this.present,
        this.slider),
      h("label", { class: "controls", hidden: Boolean(this.record.result) }, this.check, "Continue with the next game of the match"));
  }

  #links() {
    const path = gameAddress(this.record.game);
    return h("div", {},
      !isFile && h("p", { class: "controls small links" },
        button("Copy link", (event) => copy(event.target)),
        this.analyse,
        link(`/api/v1${path}`, "JSON"),
        link(`${path}.txt`, "Text"),
        this.picture,
        link(`${path}.svg`, "Animation"),
        link(`${path}?embed`, "Embed")),
      h("p", { class: "note small" }, "Keys: ← → step one move, Home and End jump, space plays."));
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

  // Leaves no room for what a bot thinks where none says it.
  mute(isSilent) {
    this.thought.hidden = isSilent;
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

async function copy(place) {
  const text = place.textContent;
  try {
    await navigator.clipboard.writeText(location.href);
    place.textContent = "Copied";
  } catch {
    place.textContent = "Copy it from the address bar";
  }
  setTimeout(() => { place.textContent = text; }, 2000);
}

const marked = ({ move, path, captured }) => (move ? { ...move, landed: path.at(-1), captured } : null);

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
  ["Match", record.match && link(`/matches/${record.match}`, record.match)],
]);
