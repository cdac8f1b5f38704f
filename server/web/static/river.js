// The river: how the games of this server went on from a position, as water that parts.
//
// It flows down, one step a sowing. A stream is as wide as the games that went there, and of the colour of the player
// who wins with best play from there; what is estimated is hatched. From left to right the streams are the pits 1, 2, 3 …,
// so that a way down has one place. A game of the reader's, ?game=…, glows from its source to its last seed: where a
// player let the win or the draw go, its water falls, and the sign there names the pit that would have stayed.
//
// Every stream that is drawn has a stone to press, at least SPACE wide. Where there is not room for all, the widest ones
// are drawn, and the rest runs dry. The stones are a tree to keyboard and screen reader; as it grows downwards, its
// orientation is horizontal: left and right lead to the streams beside, up and down along the water.

import { gameAddress } from "./addresses.js";
import { ask, query } from "./api.js";
import { Board } from "./board.js";
import { button, card, facts, h, link, svg, update } from "./dom.js";
import * as notation from "./notation.js";
import { listed, t } from "./opened.js";
import * as rules from "./rules.js";
import { meaning } from "./story.js";
import { turned } from "./study.js";
import { Timeline } from "./timeline.js";
import * as words from "./words.js";

const NAMES = [t("South"), t("North")];
const SPACE = 26;
const GAP = 8;
const TOP = 46;
const STEP = 58;
const OWN_STEP = 30; // below the last of the other streams
const OWN_WIDE = 12;
const STONE = 11;
const LETTER = 6.8; // pixels for one of a sign
const WIDEST = 0.7; // of the room, at the source
const WATERS = { win: "south-water", draw: "drawn-water", loss: "north-water" };

/**
 * A stream: the games that went one way from the source, and the position that they came to.
 * @typedef {{pit: number | null, player: number | null, state: import("./rules.js").State, sowing: any, games: number, counts: any,
 *   value: number | null, proven: boolean, own: number | null, change: any, parent: Stream | null, next: Stream[], shown: Stream[],
 *   depth: number, room: number, x: number, y: number, wide: number, stone: any}} Stream
 */

export async function river(root, parameters, signal) {
  const view = new RiverView();
  root.append(...view.elements);
  addEventListener("popstate", () => view.reopen(), { signal });
  await view.open(parameters);
  new ResizeObserver(() => view.draw()).observe(view.place);
}

class RiverView {
  /** @type {Stream} */ source;
  /** @type {Stream} */ at;
  /** @type {Board | undefined} */ board;
  /** @type {{timeline: Timeline, review: any, names: string[]} | null} the reader's game */ own = null;
  /** @type {string | undefined} its id */ game;
  /** @type {string} the rules, as the server wrote them */ text = "";
  drawn = 0;

  constructor() {
    this.place = h("div", { class: "river" });
    this.legend = h("ul", { class: "legend small" });
    this.note = h("p", { class: "note", role: "status" });
    this.boardPlace = h("div");
    this.told = h("p");
    this.known = h("dl", { class: "facts" });
    this.playOut = link("/play", t("Play it out"));
    this.analyse = link("/analysis", t("Analyse this position"));
    this.begin = button(t("Let the river begin here"), () => this.#goTo(this.at));
    this.whole = link("/river", t("Back to the source"));
    this.elements = [
      h("h1", {}, t("The Last Seed")),
      h("p", {}, t("Every finished game begins at the top and flows down, a step for each sowing. A stream is as wide as the games that went there, and has the colour of the player who wins from there with best play.")),
      h("div", { class: "columns with-river" },
        card(null, this.legend, this.note, this.place),
        h("div", { class: "beside" }, card(null, this.boardPlace, this.told, this.known,
          h("p", { class: "controls small" }, this.playOut, this.analyse, this.begin, this.whole)))),
    ];
  }

  // Shows what the address says; where that cannot be had, the river stays as it is.
  async reopen() {
    const address = location.search;
    try {
      await this.open(Object.fromEntries(new URLSearchParams(address)));
    } catch (error) {
      if (address === location.search) this.note.textContent = `${error.message}.`;
    }
  }

  // Shows the river of an address, unless the reader has left it meanwhile.
  /** @param {{board?: string, rules?: string, mover?: string, game?: string}} parameters */
  async open({ board, rules: text, mover, game }) {
    const address = location.search;
    const own = game ? await ownGame(game) : null;
    const [opening] = own?.timeline.steps ?? [];
    const from = !board && opening ? { board: notation.literal(opening.state), rules: notation.textOf(own.timeline.rules) } : { board, rules: text };
    const found = await ask(`/river${query(from)}`);
    if (address !== location.search) return;
    const isTurned = board ? mover === "1" : opening?.state.current_player === 1;
    const state = /** @type {import("./rules.js").State} */ (notation.parse(found.board));
    Object.assign(this, { game, own, text: found.rules });
    this.rules = notation.rulesOf(state, found.rules);
    this.source = grown(found.source, isTurned ? turned(state) : state, this.rules);
    const begin = own ? own.timeline.steps.findIndex(({ state: each }) => isSame(each, this.source.state)) : -1;
    if (begin >= 0) flow(this.source, own, begin);
    const { games } = this.source;
    this.note.textContent = own && begin < 0 ? t("The game did not come to this position.")
      : games ? "" : t("No game has been played here yet: the river is dry.");
    this.whole.hidden = !board;
    this.whole.href = `/river${query({ game })}`;
    this.drawn = 0;
    this.at = lastFall(this.source) ?? this.source;
    this.draw();
  }

  draw() {
    const wide = this.place.clientWidth;
    if (!this.source || !wide || wide === this.drawn) return;
    this.drawn = wide;
    choose(this.source, Math.max(1, Math.floor(wide / SPACE)));
    lay(this.source, wide);
    const streams = shownBelow(this.source);
    const high = Math.max(...streams.map(({ y }) => y)) + STEP;
    const own = streams.filter((each) => each.own !== null);
    const hadFocus = this.place.contains(document.activeElement);
    this.place.replaceChildren(svg("svg", { role: "tree", "aria-label": t("The river; the arrow keys follow its streams"), "aria-orientation": "horizontal",
      viewBox: `0 0 ${wide} ${high}`, height: high, keydown: (event) => this.#press(event) },
      textures(),
      svg("g", { "aria-hidden": "true" }, ...streams.filter(({ shown }) => shown.length).map(rest),
        ...streams.map((each) => band(each, () => this.#select(each, true))), ...streams.filter(falls).map(spray), ...ownWay(own)),
      ...streams.map((each) => this.#stone(each)),
      svg("g", { "aria-hidden": "true" }, ...own.filter(({ change }) => change).map((each) => sign(each, this.own, wide, streams)))));
    update(this.legend, ...legendOf(streams, this.own));
    this.#select(streams.includes(this.at) ? this.at : this.source);
    if (hadFocus) this.at.stone.focus();
  }

  #stone(stream) {
    const beside = stream.parent?.shown ?? [stream];
    stream.stone = svg("g", { class: `stone ${stream.player ? "north" : "south"}`, role: "treeitem", tabindex: -1, "aria-level": stream.depth + 1,
      "aria-setsize": beside.length, "aria-posinset": beside.indexOf(stream) + 1, "aria-selected": "false",
      "aria-expanded": stream.shown.length ? "true" : null, "aria-label": this.#label(stream),
      click: () => this.#select(stream, true), transform: `translate(${stream.x.toFixed(1)} ${stream.y})` },
      svg("circle", { r: STONE }),
      svg("text", { y: 4.5 }, stream.pit === null ? "●" : stream.pit === rules.SWAP ? "⇄" : String(words.pitNumber(stream.pit))));
    return stream.stone;
  }

  #label(stream) {
    return [this.#way(stream), this.#games(stream), worth(stream), stream.change && left(stream, this.own)]
      .filter(Boolean).join(" ");
  }

  #way({ pit, player, sowing }) {
    return pit === null ? t("The source.") : words.sowing({ player, pit }, NAMES, sowing);
  }

  #games({ games }) {
    return games && t("{{games}} of {{total}} games.", { games, total: this.source.games });
  }

  #press(event) {
    const { at } = this;
    const beside = at.parent?.shown ?? [at];
    const place = beside.indexOf(at);
    const to = (stream) => this.#select(stream ?? at, true);
    const act = {
      ArrowDown: () => to(at.shown.find(({ own }) => own !== null) ?? [...at.shown].sort((one, other) => other.games - one.games)[0]),
      ArrowUp: () => to(at.parent), ArrowLeft: () => to(beside[place - 1]), ArrowRight: () => to(beside[place + 1]),
      Home: () => to(this.source), End: () => to(shownBelow(this.source).at(-1)), Enter: () => this.#goTo(at),
    }[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  }

  // Makes a position the source, with an address of its own. There the rules of the first turns are used up: `first_again`
  // by the first sowing, the pie rule by player 1's first answer.
  #goTo(stream) {
    const { state } = stream;
    const { first_again: _, ...begun } = this.rules;
    const isAnswered = way(stream).some(({ player }) => player === 1);
    const text = stream.parent ? notation.textOf(isAnswered ? notation.withoutPie(this.rules) : begun) : this.text;
    const address = `/river${query({ board: notation.literal(state), rules: text, mover: state.current_player ? "1" : "", game: this.game })}`;
    history.pushState(null, "", address);
    this.reopen();
  }

  // Shows the position of a stream beside the river.
  #select(stream, isFocused = false) {
    this.#mark(stream);
    if (isFocused) stream.stone.focus();
    const { state, parent, sowing, pit, player } = stream;
    const size = state.pits[0].length;
    if (this.board?.pits !== size) {
      this.board = new Board(size, NAMES, { sow: (side, hole) => this.#follow(side, hole) });
      this.boardPlace.replaceChildren(this.board.element);
    }
    const isOver = rules.isOver(state, this.rules);
    if (parent && isFocused && pit !== rules.SWAP) this.board.sow(parent.state, sowing, { pit, player }, isOver);
    else this.board.show(state, null, isOver);
    this.board.offer(state.current_player, stream.shown.map((each) => each.pit), (hole, side) => words.pitOf(NAMES[side], hole, state.pits[side][hole]));
    this.told.textContent = this.#label(stream);
    const { wins, draws, losses } = stream.counts;
    update(this.known, ...facts([
      [t("Sown"), line(stream, this.rules)],
      [t("Won, drawn, lost"), stream.games > 0 && t("{{counts}} for {{player}}", { counts: listed([wins, draws, losses]), player: NAMES[this.source.state.current_player] })],
      [t("The game"), stream.own !== null && link(gameAddress(this.game, stream.own), t("move {{ply}}", { ply: stream.own }))],
    ].filter(([, value]) => value)));
    const position = query(notation.asked(state, this.rules));
    this.playOut.href = `/play${position}`;
    this.analyse.href = `/analysis${position}`;
    for (const each of [this.playOut, this.analyse]) each.hidden = isOver;
    this.begin.disabled = isOver || stream === this.source;
  }

  #mark(stream) {
    for (const each of [this.at, stream]) {
      each.stone?.setAttribute("aria-selected", String(each === stream));
      each.stone?.setAttribute("tabindex", each === stream ? "0" : "-1");
    }
    this.at = stream;
  }

  #follow(side, pit) {
    const next = this.at.shown.find((each) => each.pit === pit && each.player === side);
    if (next) this.#select(next, true);
  }
}

// The record of a game, and its review if there is one.
async function ownGame(game) {
  const path = `/games/${encodeURIComponent(game)}`;
  const [record, review] = await Promise.all([ask(path), ask(`${path}/review`).catch(() => null)]);
  return { timeline: new Timeline(record), review, names: record.players.map(({ name }) => name) };
}

const isSame = (one, other) => one.current_player === other.current_player && notation.literal(one) === notation.literal(other);

// The streams below a position, from what the server counted; values are South's.
function grown({ pit, counts, value, proven, streams }, state, variant, parent = null, sowing = null, mover = state.current_player) {
  const stream = empty(pit, state, sowing, parent);
  Object.assign(stream, { counts, games: counts.games, proven, value: value === null ? null : value * (mover ? -1 : 1) });
  stream.next = streams.map((each) => {
    const sown = rules.sow(state, each.pit, variant);
    return grown(each, sown.state, variant, stream, sown, mover);
  });
  return stream;
}

/** @returns {Stream} */
const empty = (pit, state, sowing, parent) => ({
  pit, state, sowing, parent, player: parent ? parent.state.current_player : null, depth: parent ? parent.depth + 1 : 0,
  games: 0, counts: { wins: 0, draws: 0, losses: 0 }, value: null, proven: false, own: null, change: null, next: [], shown: [], room: 0, x: 0, y: 0, wide: 0, stone: null,
});

// Lets a game flow down from the source, beside those that went the same way.
function flow(source, { timeline, review }, begin) {
  let stream = source;
  for (let ply = begin; ; ply += 1) {
    stream.own = ply;
    stream.change = review?.changes.find((each) => each.ply === ply - 1 && ply > begin) ?? null;
    const judged = review?.plies[ply];
    if (judged && !(stream.proven && !judged.proven)) Object.assign(stream, { value: judged.value, proven: judged.proven });
    const step = timeline.steps[ply + 1];
    if (!step) {
      if (rules.isOver(stream.state, timeline.rules)) Object.assign(stream, { value: stream.state.stores[0] - stream.state.stores[1], proven: true });
      return;
    }
    let next = stream.next.find(({ pit }) => pit === step.move.pit);
    if (!next) {
      next = empty(step.move.pit, step.state, step, stream);
      stream.next.push(next);
      stream.next.sort((one, other) => one.pit - other.pit);
    }
    stream = next;
  }
}

const below = (stream) => [stream, ...stream.next.flatMap(below)];
const shownBelow = (stream) => [stream, ...stream.shown.flatMap(shownBelow)];

// Chooses which streams are drawn: the reader's own game, and the widest others that end in at most `most` places. The
// one game of a thin stream is drawn one step further only.
const isThin = ({ games, parent }) => games < 2 && parent !== null;

function choose(source, most) {
  const every = below(source);
  for (const each of every) each.shown = [];
  const wanted = every.slice(1).sort((one, other) => Number(other.own !== null) - Number(one.own !== null) || other.games - one.games || one.depth - other.depth);
  const chosen = new Set([source]);
  let ends = 1;
  for (const each of wanted) {
    const { shown } = /** @type {Stream} */ (each.parent);
    if (!chosen.has(/** @type {Stream} */ (each.parent)) || (each.own === null && (isThin(each.parent) || (shown.length && ends >= most)))) continue;
    if (shown.length) ends += 1;
    shown.push(each);
    chosen.add(each);
  }
  for (const each of chosen) each.shown.sort((one, other) => Number(one.pit) - Number(other.pit));
}

// Gives each stream its place: all as wide as their games, on one scale, the largest at which they fit.
function lay(source, wide) {
  let [low, high] = [0, (WIDEST * wide) / Math.max(1, source.games)];
  for (let tries = 0; tries < 24; tries += 1) {
    const scale = (low + high) / 2;
    if (roomOf(source, scale) <= wide) low = scale;
    else high = scale;
  }
  roomOf(source, low);
  const streams = shownBelow(source);
  const common = Math.max(0, ...streams.filter(({ games }) => games > 1).map(({ depth }) => depth));
  put(source, (wide - source.room) / 2, (depth) => TOP + STEP * Math.min(depth, common + 1) + OWN_STEP * Math.max(0, depth - common - 1));
}

function roomOf(stream, scale) {
  stream.wide = Math.max(stream.own === null ? 2 : OWN_WIDE, scale * stream.games);
  const parts = stream.shown.reduce((sum, each) => sum + roomOf(each, scale), 0);
  stream.room = Math.max(SPACE, stream.wide + GAP, parts);
  return stream.room;
}

function put(stream, left, yOf) {
  stream.x = left + stream.room / 2;
  stream.y = yOf(stream.depth);
  let at = left + (stream.room - stream.shown.reduce((sum, { room }) => sum + room, 0)) / 2;
  for (const each of stream.shown) {
    put(each, at, yOf);
    at += each.room;
  }
}

// Where a stream leaves the one above: left and right of its slice.
/** @returns {[number, number]} */
function slice(stream) {
  const { x, shown } = /** @type {Stream} */ (stream.parent);
  const before = shown.slice(0, shown.indexOf(stream)).reduce((sum, { wide }) => sum + wide, 0);
  const begin = x - shown.reduce((sum, { wide }) => sum + wide, 0) / 2 + before;
  return [begin, begin + stream.wide];
}

// The colour of a stream, or the texture.
function look(kind, { value, proven }) {
  if (value === null) return { class: `${kind} dry` };
  const water = WATERS[meaning(value, 0)];
  return proven ? { class: `${kind} ${water}` } : { class: kind, fill: `url(#${water})` };
}

function band(stream, click) {
  const { parent, x, y, wide } = stream;
  const [left, right] = [x - wide / 2, x + wide / 2];
  const ends = stream.shown.length ? `V${y}H${right}` : `V${y}Q${x} ${y + STEP / 3} ${x} ${y + 0.6 * STEP}Q${x} ${y + STEP / 3} ${right} ${y}`;
  if (!parent) return filled(stream, `M${left} 10Q${x} -8 ${right} 10V${y}H${left}Z`, click);
  const [begin, end] = slice(stream);
  const middle = (parent.y + y) / 2;
  return filled(stream, `M${begin} ${parent.y}C${begin} ${middle} ${left} ${middle} ${left} ${y}${ends}C${right} ${middle} ${end} ${middle} ${end} ${parent.y}Z`, click);
}

const filled = (stream, d, click) => svg("path", { ...look("band", stream), d: rounded(d), click });

const rounded = (d) => d.replace(/-?\d+\.\d+/g, (found) => Number(found).toFixed(1));

// The water that goes where no stream is drawn.
const rest = (stream) => svg("path", { ...look("rest", stream), d: rounded(
  `M${stream.x - stream.wide / 2} ${stream.y}Q${stream.x} ${stream.y} ${stream.x} ${stream.y + STEP / 2}Q${stream.x} ${stream.y} ${stream.x + stream.wide / 2} ${stream.y}Z`) });

const RANKS = ["loss", "draw", "win"];

// Whether the move to a stream let the win or the draw go: in the reader's game by its review, elsewhere by the values.
const falls = ({ parent, value, player, own, change }) => (own !== null ? Boolean(change) : parent?.value != null && value !== null
  && RANKS.indexOf(meaning(parent.value, player)) > RANKS.indexOf(meaning(value, player)));

const spray = ({ x, y, wide }) => svg("path", { class: "spray", d: rounded([-6, -2, 2, 6].map((at) =>
  `M${x + at * Math.max(1, wide / 16)} ${y - STONE - 18.0}v13`).join("")) });

// The way of the reader's game, to its last seed: from slice to slice, so that it stays in its water.
function ownWay(own) {
  const leaving = own.map((stream, place) => (own[place + 1] ? middle(slice(own[place + 1])) : stream.x));
  const d = rounded(own.map(({ parent, y }, place) => {
    const [from, to] = [leaving[place - 1], leaving[place]];
    return parent ? `C${from} ${(parent.y + y) / 2} ${to} ${(parent.y + y) / 2} ${to} ${y}` : `M${to} 6V${y}`;
  }).join(""));
  return own.length ? ["edge", "glow"].map((kind) => svg("path", { class: `own ${kind}`, d })) : [];
}

const middle = ([begin, end]) => (begin + end) / 2;

// The pits that would have kept what a fall let go.
const kept = ({ change }, { review }) => review.plies[change.ply].moves
  .filter(({ value }) => meaning(value, change.player) === change.before).map(({ pit }) => words.pitNumber(pit));

// Beside a fall, on the side that has room: in words, as numbers, or not at all where other streams are too near.
function sign(stream, own, wide, streams) {
  const beside = streams.filter(({ y }) => Math.abs(y - stream.y) < STONE);
  const edge = (each) => Math.max(STONE, each.wide / 2);
  const from = STONE + 6;
  const toRight = Math.min(wide, ...beside.filter(({ x }) => x > stream.x).map((each) => each.x - edge(each))) - stream.x - from;
  const toLeft = stream.x - from - Math.max(0, ...beside.filter(({ x }) => x < stream.x).map((each) => each.x + edge(each)));
  const pits = kept(stream, own);
  const text = [stayed(pits), `✓ ${listed(pits)}`].find((each) => LETTER * each.length <= Math.max(toLeft, toRight));
  const isRight = text && LETTER * text.length <= toRight;
  return text && svg("text", { class: "fall", x: stream.x + (isRight ? from : -from), y: stream.y + 4.5, "text-anchor": isRight ? "start" : "end" }, text);
}

const stayed = (pits) => (pits.length === 1 ? t("only pit {{pit}} stayed", { pit: pits[0] }) : t("pits {{pits}} stayed", { pits: listed(pits) }));

// The streams from the source to one.
const way = (stream) => (stream.parent ? [...way(stream.parent), stream] : []);

// The sowings on the way to a stream: "South 3-6, North 2".
function line(stream, variant) {
  const [first] = way(stream);
  return first ? words.line(way(stream).map(({ pit }) => pit), first.parent.state, variant, NAMES) : "";
}

// What a fall of the reader's game let go.
function left(stream, own) {
  const values = { player: own.names[stream.player], stayed: stayed(kept(stream, own)) };
  return stream.change.before === "win" ? t("Here {{player}} let the win go: {{stayed}}.", values)
    : t("Here {{player}} let the draw go: {{stayed}}.", values);
}

// Where the reader's game fell for the last time.
const lastFall = (source) => below(source).findLast(({ change }) => change);

// Who wins from a position with best play.
function worth({ value, proven }) {
  if (value === null) return t("Who wins from here is not known yet.");
  const certainty = words.certainty(proven);
  const result = meaning(value, 0);
  if (result === "draw") return t("With best play a draw, {{certainty}}.", { certainty });
  return t("{{player}} wins with best play by {{seeds}}, {{certainty}}.", { player: NAMES[Number(result === "loss")], seeds: words.seedsOf(Math.round(Math.abs(value))), certainty });
}

function legendOf(streams, own) {
  const [known, estimate] = [streams.filter(({ value }) => value !== null), streams.find(({ value, proven }) => value !== null && !proven)];
  const results = new Set(known.map(({ value }) => meaning(value, 0)));
  const key = (kind, text, fill = null) => h("li", {}, svg("svg", { class: "river-key", viewBox: "0 0 28 14", "aria-hidden": "true" }, ...(
    kind === "own" ? ["edge", "glow"].map((each) => svg("path", { class: `own ${each}`, d: "M4 7H24" })) : [svg("rect", { class: kind, width: 28, height: 14, fill })])), text);
  return [
    results.has("win") && key(WATERS.win, t("{{player}} wins", { player: NAMES[0] })),
    results.has("loss") && key(WATERS.loss, t("{{player}} wins", { player: NAMES[1] })),
    results.has("draw") && key(WATERS.draw, t("a draw")),
    estimate && key("", t("hatched: estimated"), look("", estimate).fill),
    streams.some(({ value }) => value === null) && key("dry", t("not reviewed")),
    streams.some((each) => each.own !== null) && own && key("own", own.names.join(" – ")),
  ].filter(Boolean);
}

// Estimated water is hatched, each player's in a direction of its own.
const textures = () => svg("defs", {}, ...Object.values(WATERS).map((kind, place) =>
  svg("pattern", { id: kind, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${[45, 0, -45][place]})` },
    svg("rect", { class: "ground", width: 8, height: 8 }), svg("path", { class: kind, d: "M2 0V8" }))));
