// A game to step through: the board, its moves, their values and times. A running game grows at its end.

import { botLink, gameAddress, isFile } from "./addresses.js";
import { pause, query } from "./api.js";
import { Board } from "./board.js";
import { Course } from "./course.js";
import { button, card, copyLink, facts, h, keepFocus, link, parted, update } from "./dom.js";
import { status } from "./game_table.js";
import { speedChoice } from "./motion.js";
import { MoveList } from "./moves.js";
import { asked, literal } from "./notation.js";
import { t } from "./opened.js";
import { PlayerLine } from "./player_line.js";
import { sow, SWAP } from "./rules.js";
import { soundChoice } from "./sound.js";
import { because, changeAndWhy, headline, missed, turningPoints } from "./story.js";
import { follow, Timeline } from "./timeline.js";
import * as words from "./words.js";

const PLAY_MS = 900;
const LEAST_MS = 400;
const REST_MS = 300;
const SOW_MS = 1600;
const PLAY_SOW_MS = 2600;
const HURRIED_MS = 350;
const LEAST_LOSS = 0.05;

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
  async go(wanted, isFollowing = false, limit = isFollowing ? HURRIED_MS : SOW_MS) {
    const at = Math.max(0, Math.min(this.timeline.last, wanted));
    const isStep = at === this.at + 1;
    const isPresent = at === this.timeline.last;
    this.at = at;
    this.follows = this.isLive && (isFollowing || isPresent);
    this.shown = performance.now();
    keepFocus(this.toggle, () => this.variation.replaceChildren());
    const step = this.timeline.steps[at];
    const isOver = isPresent && this.record.result != null;
    this.#tellOf(step, isOver);
    this.board.point([]);
    if (!isStep) this.board.show(step.state, marked(step), isOver);
    else await this.board.sow(this.timeline.steps[at - 1].state, step, step.move, isOver, limit);
    if (this.at === at) this.#point();
  }

  async play() {
    if (this.isPlaying) return this.stop();
    if (this.at === this.timeline.last) await this.go(0);
    this.toggle.textContent = t("Pause");
    const playing = (this.isPlaying = {});
    while (this.isPlaying === playing && this.at < this.timeline.last) {
      const began = performance.now();
      await this.go(this.at + 1, false, PLAY_SOW_MS);
      await pause(Math.max(REST_MS, PLAY_MS - (performance.now() - began)));
    }
    if (this.isPlaying === playing) this.stop();
    return undefined;
  }

  stop() {
    this.isPlaying = null;
    this.toggle.textContent = t("Play", { context: "replay" });
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
    update(this.pill, t("over"));
    this.pill.className = "pill over";
    this.verdict.textContent = words.verdict(this.names, record.result, record.annulled);
    update(this.about, ...about(record));
    this.present.hidden = true;
    this.check.parentElement.hidden = true;
    this.#redraw();
    if (wasLive) this.go(wasLast ? this.timeline.last : wasAt);
  }

  review(review) {
    this.judged = review;
    this.#redraw();
    this.#tellStory(review);
    update(this.accuracies, ...facts(review.players.map((player, seat) => [parted(this.names[seat]), words.accuracy(player)])));
    this.accuracies.parentElement.hidden = false;
    this.#point();
    this.#tellOf(this.timeline.steps[this.at], this.at === this.timeline.last);
  }

  awaitReview() {
    this.losing.textContent = t("The game waits for its review.");
  }

  surround(neighbours) {
    const to = (id, text) => id && link(gameAddress(id), text);
    update(this.around, to(neighbours?.previous, t("← Previous game")), to(neighbours?.next, t("Next game →")));
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
    const told = move ? t("Move {{ply}}: {{move}}", { ply: this.at, move: words.sowing(move, this.names, { captured, again }) }) : t("The opening.");
    this.said.textContent = told + (judged ? this.#judgement(judged, before) : "");
    this.lines.forEach((line, player) => {
      const own = move?.player === player ? move : null;
      if (!this.isLive) line.moves(!isOver && state.current_player === player);
      if (!this.isLive) line.took(own);
      if (own || !this.isLive) line.think(words.thought(own?.info, before, this.timeline.rules, this.names));
    });
    this.slider.max = this.timeline.last;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", t("position {{ply}} of {{last}}", { ply: this.at, last: this.timeline.last }));
    keepFocus(this.toggle, () => { this.present.hidden = !this.isLive || this.follows; });
    this.list.mark(this.at);
    this.course.at(this.at);
    this.#name();
  }

  #judgement(judged, before) {
    const lost = ` ${t("It {{loses}}", { loses: words.lost(judged.loss, judged.loss_proven) })}`;
    if (judged.loss < LEAST_LOSS) return `${lost}.`;
    const cost = because(judged, this.names) || missed(before, judged, this.judged.plies[this.at], this.timeline.rules, this.names);
    return `${lost}${cost ? `: ${cost}` : ""} (${words.certainty(judged.loss_proven)}).`;
  }

  // Each position has an address and a title of its own.
  #name() {
    const { game } = this.record;
    const isPlain = this.follows || (!this.isLive && this.at === 0);
    const address = gameAddress(game, isPlain ? null : this.at);
    if (location[isFile ? "hash" : "pathname"] !== address) history.replaceState(null, "", address + (isFile ? "" : location.search));
    const players = t("{{one}} against {{two}}", { one: this.names[0], two: this.names[1] });
    const title = this.at ? t("{{players}}, move {{ply}}", { players, ply: this.at }) : players;
    document.title = `${title} · ${document.getElementById("server").textContent}`;
    this.analyse.href = `/analysis${this.#position(this.at)}${this.#study()}`;
    this.picture.href = `${gameAddress(game)}/${this.at}.svg`;
  }

  // A position as the query of an address, the mover first.
  #position(at) {
    return query(asked(this.timeline.steps[at].state, this.timeline.rules));
  }

  // The game as a study, for the analysis board; nothing where the players changed sides.
  #study() {
    const [{ state: opening }, ...steps] = this.timeline.steps;
    const pits = steps.map(({ move }) => words.pitNumber(move.pit));
    if (!pits.length || pits.includes(words.pitNumber(SWAP))) return "";
    const text = `${opening.current_player ? "~" : ""}${literal(opening)}${pits.join(".")}`;
    return `&study=${encodeURIComponent(text)}&at=${pits.slice(0, this.at).join(".")}`;
  }

  // What the review says at a position: of the move that led here if that lost something, else of the
  // best move from here. Arrows show the move meant, and the one played instead.
  #point() {
    const made = this.at ? this.judged?.plies[this.at - 1] : null;
    const isBad = made && made.loss >= LEAST_LOSS && made.pit !== made.best;
    const judged = isBad ? made : this.judged?.plies[this.at];
    if (!judged) return this.board.point([]);
    const from = isBad ? this.at - 1 : this.at;
    const { state } = this.timeline.steps[from];
    const to = (pit) => sow(state, pit, this.timeline.rules).path.at(-1);
    const arrows = [{ player: judged.player, pit: judged.best, to: to(judged.best), kind: "best" }];
    if (isBad) arrows.unshift({ player: judged.player, pit: judged.pit, to: to(judged.pit), kind: "played" });
    this.board.point(arrows);
    const best = words.line(judged.line, state, this.timeline.rules, this.names);
    const values = { line: best, value: words.worth(judged.value, judged.proven), player: this.names[0], certainty: words.certainty(judged.proven) };
    update(this.variation,
      h("span", {}, isBad ? t("Better: {{line}}, {{value}} for {{player}}, {{certainty}}.", values) : t("Best from here: {{line}}, {{value}} for {{player}}, {{certainty}}.", values), " "),
      button(t("Play this line"), () => this.#playLine(judged.line, from)),
      ...(isBad && !isFile ? [" ", link(`/play${this.#position(from)}`, t("Play again from here"))] : []));
    return undefined;
  }

  async #playLine(pits, from) {
    this.stop();
    const { at } = this;
    const steps = follow(this.timeline.steps[from].state, pits, this.timeline.rules);
    update(this.variation, button(t("Back to the game"), () => this.go(at)));
    this.board.point([]);
    for (const step of steps) {
      if (this.at !== at || !this.variation.isConnected) return;
      this.said.textContent = words.sowing(step.move, this.names, step);
      await this.board.sow(step.before, step, step.move, step.over);
      await pause(LEAST_MS);
    }
  }

  // How the game was lost, and each move that changed its result, with the way to it.
  #tellStory(review) {
    const { winner = null } = this.record.result ?? {};
    const loser = winner === null ? null : 1 - winner;
    const head = headline(review, loser, this.names);
    update(this.losing, ...(head ? [h("strong", {}, `${head.title}${t(": ")}`), head.ply ? this.#to(head.ply, head.text) : head.text] : []));
    update(this.turns, ...turningPoints(review, loser).map((each) => h("li", {}, this.#to(each.ply + 1, changeAndWhy(each, review, this.names)))));
  }

  #to(place, text) {
    const open = (event) => {
      event.preventDefault();
      this.go(place);
    };
    return h("a", { href: gameAddress(this.record.game, place), click: open }, text);
  }

  #build(goesOn) {
    const { record, names } = this;
    this.pill = status({ status: record.result ? "over" : "running" });
    this.said = h("p", { class: "note said", role: "status" });
    this.verdict = h("p", { class: "verdict" });
    this.losing = h("p", { class: "losing", role: "status" });
    this.turns = h("ol", { class: "turns", "aria-label": t("Turning points") });
    this.variation = h("p", { class: "variation small" });
    this.around = h("nav", { class: "around", "aria-label": t("Games before and after") });
    this.about = h("dl", { class: "facts" }, ...about(record));
    this.accuracies = h("dl", { class: "facts" });
    this.check = h("input", { type: "checkbox", checked: goesOn });
    this.slider = h("input", { type: "range", min: 0, max: this.timeline.last, value: 0, "aria-label": t("Position"), input: () => this.go(Number(this.slider.value)) });
    this.toggle = button(t("Play", { context: "replay" }), () => this.play());
    this.present = button(t("To the present"), () => this.go(this.timeline.last));
    this.analyse = link("/analysis", t("Analyse this position"));
    this.picture = link("#", t("Picture"));
    const quality = card(t("Quality of play"), this.accuracies);
    quality.hidden = true;
    this.elements = [
      h("h1", {}, botLink(names[0]), " – ", botLink(names[1]), " ", this.pill),
      h("div", { class: "columns" },
        h("div", {},
          card(null, this.lines[1].element, this.board.element, this.lines[0].element, this.board.legend, this.#controls(), this.said, this.verdict, this.losing, this.turns, this.variation, this.#links()),
          card(t("Course of the game"), this.course.element)),
        h("div", {}, card(t("Moves"), this.list.element), quality, card(t("About the game"), this.about))),
      this.around,
    ];
  }

  #controls() {
    return h("div", {},
      h("div", { class: "controls", role: "group", "aria-label": t("Replay") },
        button("«", () => this.go(0), t("To the opening")),
        button("‹", () => this.go(this.at - 1), t("One move back")),
        this.toggle,
        button("›", () => this.go(this.at + 1), t("One move forward")),
        button("»", () => this.go(this.timeline.last), t("To the end")),
        this.present,
        this.slider,
        speedChoice(),
        soundChoice()),
      h("label", { class: "controls", hidden: Boolean(this.record.result) }, this.check, t("Continue with the next game of the match")));
  }

  #links() {
    const path = gameAddress(this.record.game);
    return h("div", {},
      !isFile && h("p", { class: "controls small links" },
        button(t("Copy link"), (event) => copyLink(event.target)),
        this.analyse,
        link(`/river?game=${encodeURIComponent(this.record.game)}`, t("In the river")),
        link(`/api/v1${path}`, "JSON"),
        link(`${path}.txt`, t("Text")),
        this.picture,
        link(`${path}.svg`, t("Animation")),
        link(`${path}.gif`, "GIF"),
        link(`${path}.gif?last=10`, t("GIF of the last moves")),
        link(`${path}?embed`, t("Embed")),
        link(`/stage?game=${encodeURIComponent(this.record.game)}`, t("For a projector"))),
      h("p", { class: "note small keys" }, t("Keys: ← → step one move, Home and End jump, space plays.")));
  }
}

const marked = ({ move, path, captured }) => (move ? { ...move, landed: path.at(-1), captured } : null);

const program = ({ name, agent }) => (agent ? `${name}: ${agent.name} ${agent.version ?? ""}` : null);

// What the verdict tells of a result; whatever else one holds is listed by its name.
const TOLD = ["winner", "stores", "reason", "evidence"];

export const about = (record) => facts([
  [t("Rules"), words.rules(record.rules)],
  [t("Clock"), record.clock && words.clock(record.clock)],
  [t("Counts"), record.annulled ? t("annulled") : record.rated ? t("for ratings") : t("not for ratings")],
  [t("Started"), record.started_at && words.when(record.started_at)],
  [t("First's program"), program(record.players[0])],
  [t("Second's program"), program(record.players[1])],
  [t("Evidence"), record.result?.evidence?.detail],
  ...Object.entries(record.result ?? {}).filter(([name]) => !TOLD.includes(name)),
  [t("Match"), record.match && link(`/matches/${record.match}`, record.match)],
]);
