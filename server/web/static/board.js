// The board: one player at the bottom, who sows to the right, and the other at the top, to the left.
//
// The drawing is an SVG. Pits that can be sown are HTML buttons above it, so that they work with
// mouse, touch, keyboard and screen reader alike. Each seed is one element for as long as the board
// is shown: a sowing carries the pit's seeds around the board and drops one in each hole, a capture
// and the end carry seeds to the stores. The longer the way, the longer it takes.

import { h, svg } from "./dom.js";
import { motion } from "./motion.js";
import { listed, t } from "./opened.js";
import { knock, rattle } from "./sound.js";
import { pitNumber } from "./words.js";

const CELL = 100;
const PIT = 41;
const HEIGHT = 404;
const BOTTOM = { y: 294, countY: 226, labelY: 368 };
const TOP = { y: 110, countY: 178, labelY: 36 };
const STORE = { y: 208, countY: 62, tall: 224 };
const ASIDE = 9; // of an arrow from the middle of a row
const MOST_DRAWN = 60;
const KINDS = 6;
const GOLDEN = 2.399963;
const HOLE_MS = 130;
const LIFT_MS = 140;
const CARRY_MS = 420;
const LONGEST_MS = 2600;
const LIFTED = 1.25;
// A seed is a ball with its shadow, one gradient: light falls from above on the left, so the shadow, the
// part beyond the body, is thickest below on the right.
const LIGHT = { cx: 0.5, cy: 0.5, r: 0.5, fx: 0.36, fy: 0.3 };
const BODY = "0.8";
const WITH_SHADOW = 1.22;

// What rings mean, and how each is drawn. Two kinds are shown at a time, the first of these that are there.
const RINGS = [
  ["legal", t("can be sown"), { stroke: "var(--best)" }],
  ["last", t("sown last"), { stroke: "var(--ring)", "stroke-dasharray": "12 8" }],
  ["captured", t("captured"), { stroke: "var(--captured)", "stroke-dasharray": "4 5", "stroke-width": 8 }],
  ["again", t("moves again"), { stroke: "var(--best)", "stroke-width": 9 }],
  ["landed", t("the last seed"), { stroke: "var(--ring)" }],
];

let boards = 0;

/** @typedef {import("./rules.js").State} State */
/** @typedef {import("./rules.js").Sowing} Sowing */
/** @typedef {import("./rules.js").Place} Place */
/** @typedef {{player: number, pit: number, landed?: Place, captured?: number}} Last the move that led to a position */

export class Board {
  /** @type {number} */ pits;
  /** @type {string[]} */ names;
  /** @type {number} */ bottom;
  /** @type {{rate: number} | null} the motion under way */ running = null;
  made = 0;

  /**
   * @param {number} pits a row
   * @param {string[]} names
   * @param {{bottom?: number, sow?: ((player: number, pit: number) => void) | null}} [options]
   */
  constructor(pits, names, { bottom = 0, sow = null } = {}) {
    Object.assign(this, { pits, names, bottom });
    this.width = (pits + 2) * CELL + 20;
    this.holes = [0, 1].map((player) => this.#row(player));
    this.stores = [0, 1].map((player) => this.#store(player));
    this.arrows = svg("g", { class: "arrows" });
    this.seeds = svg("g", { class: "seeds" });
    this.pool = [];
    const all = [...this.holes.flat(), ...this.stores];
    boards += 1;
    this.drawing = svg(
      "svg",
      { class: "board", viewBox: `0 0 ${this.width} ${HEIGHT}`, role: "img" },
      ...this.#wood(`board-${boards}`),
      ...all.map((hole) => hole.element),
      this.seeds,
      this.arrows,
      svg("g", { class: "texts" }, ...all.flatMap((hole) => hole.texts)),
    );
    this.buttons = sow ? [0, 1].map((player) => this.#buttons(player, sow)) : [];
    this.legend = h("p", { class: "rings small", "aria-hidden": true });
    this.element = h("div", { class: "board-scroll" },
      h("div", { class: "board-frame" }, this.drawing, ...this.buttons.flat()));
    this.element.firstChild.style.minWidth = `${(pits + 2) * 41 + 8}px`;
  }

  // Shows a position; `last` is the move that led to it.
  /** @param {State} state @param {Last | null} last */
  show(state, last = null, isOver = false) {
    this.#stop();
    this.#fill(state);
    this.#mark(state, last, isOver);
    this.#tellRings();
    this.drawing.setAttribute("aria-label", this.#describe(state, isOver));
  }

  // Shows a sowing, seed by seed, then the position after it; in at most `limit` ms where one is given.
  /** @param {State} before @param {Sowing} sowing @param {Last} move @param {boolean} isOver */
  async sow(before, sowing, move, isOver, limit = LONGEST_MS) {
    const { path, captured, state } = sowing;
    const done = { ...move, landed: path.at(-1), captured };
    if (motion.isOff() || document.hidden || !path.length) {
      knock(path.length);
      return this.show(state, done, isOver);
    }
    this.show(before, move);
    const swept = sweptAway(before, move, sowing);
    const wanted = LIFT_MS + HOLE_MS * path.length + (captured ? CARRY_MS : 0) + (swept.length ? CARRY_MS : 0);
    const running = (this.running = { rate: motion.rate() * Math.max(1, wanted / motion.rate() / limit) });
    const from = this.holes[move.player][move.pit];
    if (!await this.#lap(running, from, path.map((place) => this.#hole(place)))) return undefined;
    if (captured) {
      const { side, pit } = path.at(-1);
      const emptied = [this.holes[side][pit], this.holes[1 - side][this.pits - 1 - pit]];
      for (const hole of emptied) hole.mark("captured", true);
      if (!await this.#carry(running, emptied, this.stores[move.player])) return undefined;
    }
    for (const side of swept) {
      if (!await this.#carry(running, this.holes[side], this.stores[side])) return undefined;
    }
    return this.show(state, done, isOver);
  }

  // Draws arrows from pits to where their last seed falls: [{player, pit, to, kind}].
  point(arrows) {
    this.arrows.replaceChildren(...arrows.flatMap(({ player, pit, to, kind }) =>
      arrow(this.holes[player][pit], this.#hole(to), kind)));
  }

  // Makes the pits that may be sown pressable; `words` says what each would be called.
  // A focus on the row that may not be sown any more goes to the pit opposite.
  offer(player, legal, words = (pit, _side) => t("pit {{pit}}", { pit: pitNumber(pit) })) {
    const held = this.buttons[1 - player]?.indexOf(document.activeElement);
    this.buttons.forEach((row, side) => row.forEach((button, pit) => {
      const may = side === player && legal.includes(pit);
      button.disabled = side !== player;
      button.setAttribute("aria-disabled", !may);
      button.setAttribute("aria-label", words(pit, side));
      this.holes[side][pit].mark("legal", may);
    }));
    if (held >= 0) this.buttons[player][this.pits - 1 - held].focus();
    this.#tellRings();
  }

  // Makes every pit pressable, to set up a position.
  offerAll(words) {
    this.buttons.forEach((row, side) => row.forEach((button, pit) => {
      button.disabled = false;
      button.setAttribute("aria-disabled", false);
      button.setAttribute("aria-label", words(pit, side));
      this.holes[side][pit].mark("legal", true);
    }));
  }

  // Building

  #wood(id) {
    const paint = (name, kind, attributes, stops) => svg(kind, { id: `${id}-${name}`, ...attributes },
      ...stops.map(([offset, stop]) => svg("stop", { offset, class: stop })));
    for (const hole of [...this.holes.flat(), ...this.stores]) hole.paint(`url(#${id}-hole)`, (kind) => `url(#${id}-seed-${kind})`);
    return [
      svg("defs", {},
        paint("wood", "linearGradient", { x1: 0, y1: 0, x2: 0, y2: 1 }, [["0", "wood-light"], ["0.5", "wood-plain"], ["1", "wood-dark"]]),
        paint("hole", "linearGradient", { x1: 0.3, y1: 0, x2: 0.7, y2: 1 }, [["0", "pit-shade"], ["0.3", "pit-deep"], ["0.75", "pit-plain"], ["1", "pit-lip"]]),
        ...Array.from({ length: KINDS }, (_, kind) => paint(`seed-${kind}`, "radialGradient", LIGHT,
          [["0", "seed-shine"], ["0.22", `seed-stop-${kind}`], [BODY, `seed-edge-${kind}`], [BODY, "seed-shadow"], ["1", "seed-nothing"]]))),
      svg("rect", { class: "wood", x: 4, y: 4, width: this.width - 8, height: HEIGHT - 8, rx: 60, fill: `url(#${id}-wood)` }),
      svg("g", { class: "grain" }, ...grain(this.width)),
      svg("rect", { class: "bevel", x: 10, y: 10, width: this.width - 20, height: HEIGHT - 20, rx: 54 }),
      svg("rect", { class: "bevel low", x: 7, y: 7, width: this.width - 14, height: HEIGHT - 14, rx: 57 }),
    ];
  }

  #row(player) {
    const row = player === this.bottom ? BOTTOM : TOP;
    return Array.from({ length: this.pits }, (_, pit) =>
      new Hole({ x: this.#x(player, pit), rx: PIT, ry: PIT, label: pitNumber(pit), side: player, ...row }));
  }

  #x(player, pit) {
    const place = player === this.bottom ? pit : this.pits - 1 - pit;
    return 10 + (place + 1.5) * CELL;
  }

  #store(player) {
    const x = player === this.bottom ? this.width - 10 - CELL / 2 : 10 + CELL / 2;
    return new Hole({ x, y: STORE.y, countY: STORE.countY, rx: PIT - 5, ry: STORE.tall / 2, side: player, store: true });
  }

  #buttons(player, sow) {
    return this.holes[player].map((hole, pit) => {
      const button = h("button", { type: "button", class: "pit", disabled: true, click: () => sow(player, pit) });
      button.style.left = `${(100 * (hole.x - CELL / 2)) / this.width}%`;
      button.style.width = `${(100 * CELL) / this.width}%`;
      button.style.top = player === this.bottom ? "50%" : "2%";
      return button;
    });
  }

  // Positions

  #hole({ side, pit }) {
    return pit === null ? this.stores[side] : this.holes[side][pit];
  }

  // Moves seeds between the holes, and from or to the pool, until each hole holds what it should.
  #fill(state) {
    const wanted = [0, 1].flatMap((player) => [
      [this.stores[player], state.stores[player]],
      ...this.holes[player].map((hole, pit) => [hole, state.pits[player][pit]]),
    ]);
    for (const [hole, count] of wanted) this.pool.push(...hole.held.splice(Math.min(count, MOST_DRAWN)));
    for (const [hole, count] of wanted) {
      while (hole.held.length < Math.min(count, MOST_DRAWN)) hole.held.push(this.pool.pop() ?? this.#newSeed());
      hole.settle();
      hole.say(count);
    }
    for (const seed of this.pool.splice(0)) seed.element.remove();
  }

  #newSeed() {
    this.made += 1;
    const seed = new Seed((this.made * this.made + this.made * 7) % 31 % KINDS);
    this.seeds.append(seed.element);
    seed.element.setAttribute("fill", this.stores[0].seedPaint(seed.kind));
    return seed;
  }

  #mark(state, last, isOver) {
    for (const player of [0, 1]) {
      const isLanded = (pit) => last?.landed?.side === player && last.landed.pit === pit;
      this.stores[player].mark("landed", isLanded(null));
      this.stores[player].mark("again", isLanded(null) && !isOver && state.current_player === player);
      this.holes[player].forEach((hole, pit) => {
        hole.mark("last", last?.player === player && last.pit === pit);
        hole.mark("mover", !isOver && state.current_player === player);
        hole.mark("landed", isLanded(pit));
        hole.mark("captured", Boolean(last?.captured) && (isLanded(pit)
          || (last.landed?.side === 1 - player && last.landed.pit === this.pits - 1 - pit)));
      });
    }
  }

  #tellRings() {
    const shown = RINGS.filter(([kind]) => this.drawing.querySelector(`.${kind}`)).slice(0, 2);
    this.legend.replaceChildren(...shown.map(([, text, look]) => h("span", {},
      svg("svg", { class: "key", viewBox: "0 0 96 40" }, svg("rect", { fill: "none", "stroke-width": 6, x: 6, y: 6, width: 84, height: 28, rx: 14, ...look })), text)));
  }

  // Motion: each of these resolves to false if another position was shown meanwhile.

  // Lifts the seeds of a hole and drops one in each hole of the way.
  async #lap(running, from, way) {
    const hand = from.held.splice(0);
    while (hand.length > way.length) from.held.push(hand.pop());
    const origins = hand.map(({ x, y }) => ({ x: x - from.x, y: y - from.y }));
    const counts = from.count - way.length;
    for (const seed of hand) this.seeds.append(seed.element); // above all others
    from.say(Math.max(0, counts));
    const stops = [from, ...way];
    let dropped = 0;
    return this.#frames(running, LIFT_MS + HOLE_MS * way.length, (ms) => {
      const lifted = Math.min(1, ms / LIFT_MS);
      const at = Math.max(0, (ms - LIFT_MS) / HOLE_MS);
      const near = Math.min(way.length - 1, Math.floor(at));
      const share = ease(Math.min(1, at - near));
      const [here, there] = [stops[near], stops[near + 1]];
      const hop = Math.sin(Math.PI * share) * 16;
      const x = here.x + (there.x - here.x) * share;
      const y = here.y + (there.y - here.y) * share - hop - 6 * lifted;
      hand.forEach((seed, order) => {
        if (order < dropped) return;
        const spread = 1 - 0.35 * lifted;
        seed.place(x + origins[order].x * spread, y + origins[order].y * spread, 1 + (LIFTED - 1) * lifted);
      });
      const due = Math.min(way.length, Math.floor(at));
      for (; dropped < due; dropped += 1) {
        if (hand[dropped]) way[dropped].take(hand[dropped]);
        way[dropped].say(way[dropped].count + 1);
        knock(way[dropped].count);
        for (const hole of stops) hole.mark("landed", false);
        way[dropped].mark("landed", true);
      }
    });
  }

  // Carries all seeds of some holes to a store.
  async #carry(running, holes, store) {
    const moving = holes.flatMap((hole) => hole.held.splice(0));
    const gained = holes.reduce((sum, hole) => sum + hole.count, 0);
    const origins = moving.map(({ x, y }) => ({ x, y }));
    for (const seed of moving) this.seeds.append(seed.element);
    for (const hole of holes) hole.say(0);
    const goals = store.slots(store.held.length + moving.length).slice(store.held.length);
    const isWhole = await this.#frames(running, CARRY_MS, (ms) => {
      const share = ease(Math.min(1, ms / CARRY_MS));
      const hop = Math.sin(Math.PI * share) * 40;
      moving.forEach((seed, order) => {
        const [from, to] = [origins[order], goals[order] ?? store];
        seed.place(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share - hop, 1 + 0.2 * Math.sin(Math.PI * share));
      });
    });
    if (!isWhole) return false;
    store.held.push(...moving);
    store.settle();
    store.say(store.count + gained);
    rattle();
    return true;
  }

  async #frames(running, ms, draw) {
    const began = performance.now();
    for (let now = began; ; now = await new Promise(requestAnimationFrame)) {
      if (this.running !== running) return false;
      const spent = Math.max(0, now - began) * running.rate;
      draw(Math.min(ms, spent));
      if (spent >= ms) return true;
    }
  }

  // Ends a motion; seeds that were in the air are gone, and come anew where they belong.
  #stop() {
    this.running = null;
    const held = new Set([...this.holes.flat(), ...this.stores].flatMap((hole) => hole.held.map(({ element }) => element)));
    for (const element of [...this.seeds.children]) if (!held.has(element)) element.remove();
  }

  #describe(state, isOver) {
    const side = (player) => t("{{player}}: pits {{pits}}, store {{store}}.",
      { player: this.names[player], pits: listed(state.pits[player]), store: state.stores[player] });
    const turn = isOver ? t("The game is over.") : t("{{player}} to move.", { player: this.names[state.current_player] });
    return `${side(0)} ${side(1)} ${turn}`;
  }
}

// A pit or a store: what it looks like, the seeds in it, and its count beside it.
class Hole {
  /** @type {number} */ x;
  /** @type {number} */ y;
  /** @type {number} */ rx;
  /** @type {number} */ ry;
  /** @type {Seed[]} */ held = [];
  count = 0;

  constructor({ x, y, rx, ry, countY, side, label = null, labelY = 0, store = false }) {
    Object.assign(this, { x, y, rx, ry });
    const shape = (more) => ({ x: x - rx - more, y: y - ry - more, width: 2 * (rx + more), height: 2 * (ry + more), rx: rx + more });
    this.bowl = svg("rect", { class: "hole", ...shape(0) });
    this.element = svg("g", { class: `place ${side === 0 ? "south" : "north"}` },
      svg("rect", { class: "lip", ...shape(5), y: y - ry - 2.5 }), svg("rect", { class: "rim", ...shape(2.5) }), this.bowl, svg("rect", { class: "ring", ...shape(5) }));
    this.number = svg("text", { class: store ? "count store" : "count", x, y: countY }, "0");
    this.index = label === null ? null : svg("text", { class: "index", x, y: labelY }, label);
    this.texts = [this.index, this.number].filter(Boolean);
  }

  paint(bowl, seedPaint) {
    this.bowl.setAttribute("fill", bowl);
    this.seedPaint = seedPaint;
  }

  mark(kind, isSo) {
    this.element.classList.toggle(kind, isSo);
    if (kind === "mover") this.index?.classList.toggle(kind, isSo);
  }

  say(count) {
    this.count = count;
    if (this.number.textContent !== String(count)) this.number.textContent = count;
  }

  take(seed) {
    if (this.held.length >= MOST_DRAWN) seed.element.remove();
    else this.held.push(seed);
    this.settle();
  }

  settle() {
    const places = this.slots(this.held.length);
    this.held.forEach((seed, order) => seed.rest(places[order]));
  }

  // Places on a spiral that fills an ellipse; the more there are, the closer and smaller.
  slots(count) {
    const [wide, high] = [this.rx - 9, this.ry - 11];
    const room = Math.sqrt((wide * high) / Math.max(1, count));
    const radius = Math.min(9.5, 0.8 * room);
    const scale = Math.min(1, (10.5 * Math.sqrt(count)) / wide);
    return Array.from({ length: count }, (_, place) => {
      const away = Math.sqrt((place + 0.4) / count);
      return {
        x: this.x + scale * wide * away * Math.cos(place * GOLDEN + this.x),
        y: this.y + scale * high * away * Math.sin(place * GOLDEN + this.x),
        r: radius,
      };
    });
  }
}

class Seed {
  x = 0;
  y = 0;
  r = 0;

  /** @param {number} kind of its colour and size */
  constructor(kind) {
    this.kind = kind;
    this.size = 0.9 + 0.04 * ((kind * 5) % KINDS);
    this.element = svg("circle", { class: "seed" });
  }

  rest({ x, y, r }) {
    this.r = r * this.size;
    this.place(x, y, 1);
  }

  place(x, y, scale) {
    this.x = x;
    this.y = y;
    this.element.setAttribute("cx", x.toFixed(1));
    this.element.setAttribute("cy", y.toFixed(1));
    this.element.setAttribute("r", (this.r * scale * WITH_SHADOW).toFixed(1));
  }
}

// The sides whose seeds are taken home at the end of the game that a sowing ends.
function sweptAway(before, { player }, { state, path, captured, over }) {
  if (!over || state.pits.some((row) => row.some(Boolean))) return [];
  const fell = [0, 1].map((side) => path.filter((place) => place.side === side && place.pit === null).length);
  fell[player] += captured;
  return [0, 1].filter((side) => state.stores[side] > before.stores[side] + fell[side]);
}

// Lines of the wood, the same on every board of a size: close and far apart in turns, as years are.
function grain(width) {
  return Array.from({ length: 22 }, (_, line) => {
    const y = 18 + line * 17 + 6 * Math.sin(line * 1.7);
    const bend = 12 * Math.sin(line * 0.9);
    return svg("path", { class: line % 3 ? "" : "late", d: `M30 ${y.toFixed(1)}C${width * 0.3} ${(y + bend).toFixed(1)} ${width * 0.6} ${(y - bend).toFixed(1)} ${width - 30} ${(y + bend / 2).toFixed(1)}` });
  });
}

const ease = (share) => (share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) * (1 - share));

// A way that crosses no count: along the row of the pit, and to the other row between two columns.
function arrow(from, to, kind) {
  const aside = kind === "best" ? -ASIDE : ASIDE;
  const y1 = from.y + aside;
  const turns = from.x < to.x ? -CELL / 2 : CELL / 2;
  const isAcross = to.y !== from.y && to.y !== STORE.y;
  const y2 = isAcross ? to.y + aside : y1;
  const corners = isAcross ? `L${to.x + turns} ${y1}L${to.x + turns} ${y2}` : "";
  const back = from === to ? `M${from.x} ${y1}L${from.x + CELL / 3} ${y1}` : `M${from.x} ${y1}${corners}`;
  const tip = Math.sign(isAcross ? turns : from.x - to.x || 1) * 22;
  const d = `${back}L${to.x} ${y2}M${to.x + tip} ${y2 - 14}L${to.x} ${y2}L${to.x + tip} ${y2 + 14}`;
  return [svg("path", { class: "casing", d }), svg("path", { class: `arrow ${kind}`, d })];
}
