// The board: one player at the bottom, who sows to the right, and the other at the top, to the left.
//
// The drawing is an SVG. Pits that can be sown are HTML buttons above it, so that they work with
// mouse, touch, keyboard and screen reader alike.

import { h, svg } from "./dom.js";

const CELL = 100;
const PIT = 41;
const HEIGHT = 404;
const BOTTOM = { y: 294, countY: 226, labelY: 368 };
const TOP = { y: 110, countY: 178, labelY: 36 };
const STORE = { y: 208, countY: 62, tall: 224 };
const MOST_DRAWN = 60;
const GOLDEN = 2.399963;
const SOW_MS = 600;
const SEED_MS = 90;
const CAPTURE_MS = 150;

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  constructor(pits, names, { bottom = 0, sow = null } = {}) {
    Object.assign(this, { pits, names, bottom });
    this.width = (pits + 2) * CELL + 20;
    this.holes = [0, 1].map((player) => this.#row(player));
    this.stores = [0, 1].map((player) => this.#store(player));
    this.arrows = svg("g", { class: "arrows" });
    this.drawing = svg(
      "svg",
      { class: "board", viewBox: `0 0 ${this.width} ${HEIGHT}`, role: "img" },
      svg("rect", { class: "wood", x: 4, y: 4, width: this.width - 8, height: HEIGHT - 8, rx: 60 }),
      ...[...this.holes.flat(), ...this.stores].map((hole) => hole.element),
      this.arrows,
    );
    this.buttons = sow ? [0, 1].map((player) => this.#buttons(player, sow)) : [];
    this.element = h("div", { class: "board-scroll" },
      h("div", { class: "board-frame" }, this.drawing, ...this.buttons.flat()));
    this.element.firstChild.style.minWidth = `${(pits + 2) * 41 + 8}px`;
  }

  // Shows a position; `last` is the move that led to it.
  show(state, last = null, isOver = false) {
    this.#stop();
    this.#fill(state);
    this.#mark(state, last, isOver);
    this.drawing.setAttribute("aria-label", this.#describe(state, isOver));
  }

  // Shows a sowing, seed by seed, then the position after it.
  async sow(before, sowing, move, isOver, limit = SOW_MS) {
    const { path, captured, state } = sowing;
    const done = { ...move, landed: path.at(-1), captured };
    if (stillness.matches || document.hidden) return this.show(state, done, isOver);
    this.show(before, move);
    const running = (this.running = {});
    const frames = this.#frames(before, move, path);
    const pace = Math.min(SEED_MS, (limit - (captured ? CAPTURE_MS : 0)) / path.length);
    const began = performance.now();
    let shown = -1;
    while (shown < frames.length - 1) {
      await new Promise(requestAnimationFrame);
      if (this.running !== running) return undefined;
      const next = Math.min(frames.length - 1, Math.floor((performance.now() - began) / pace));
      if (next === shown) continue;
      shown = next;
      this.#fill(frames[shown]);
      this.#land(path[shown]);
    }
    if (captured) {
      const { side, pit } = path.at(-1);
      for (const hole of [this.holes[side][pit], this.holes[1 - side][this.pits - 1 - pit]]) hole.mark("captured", true);
      await new Promise((resolve) => setTimeout(resolve, CAPTURE_MS));
      if (this.running !== running) return undefined;
    }
    return this.show(state, done, isOver);
  }

  // Draws arrows from pits to where their last seed falls: [{player, pit, to, kind}].
  point(arrows) {
    this.arrows.replaceChildren(...arrows.flatMap(({ player, pit, to, kind }) => {
      const from = this.holes[player][pit];
      const end = to.pit === null ? this.stores[to.side] : this.holes[to.side][to.pit];
      return arrow(from, end, player === this.bottom ? -1 : 1, kind);
    }));
  }

  // Makes the pits that may be sown pressable; `words` says what each would be called.
  offer(player, legal, words = (pit) => `pit ${pit}`) {
    this.buttons.forEach((row, side) => row.forEach((button, pit) => {
      const may = side === player && legal.includes(pit);
      button.disabled = side !== player;
      button.setAttribute("aria-disabled", !may);
      button.setAttribute("aria-label", words(pit, side));
      this.holes[side][pit].mark("legal", may);
    }));
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

  #row(player) {
    const row = player === this.bottom ? BOTTOM : TOP;
    return Array.from({ length: this.pits }, (_, pit) =>
      new Hole({ x: this.#x(player, pit), rx: PIT, ry: PIT, label: pit, ...row }));
  }

  #x(player, pit) {
    const place = player === this.bottom ? pit : this.pits - 1 - pit;
    return 10 + (place + 1.5) * CELL;
  }

  #store(player) {
    const x = player === this.bottom ? this.width - 10 - CELL / 2 : 10 + CELL / 2;
    return new Hole({ x, y: STORE.y, countY: STORE.countY, rx: PIT - 5, ry: STORE.tall / 2, store: true });
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

  #fill(state) {
    for (const player of [0, 1]) {
      this.stores[player].fill(state.stores[player]);
      this.holes[player].forEach((hole, pit) => hole.fill(state.pits[player][pit]));
    }
  }

  #mark(state, last, isOver) {
    for (const player of [0, 1]) {
      this.stores[player].mark("landed", last?.landed?.side === player && last.landed.pit === null);
      this.holes[player].forEach((hole, pit) => {
        hole.mark("last", last?.player === player && last.pit === pit);
        hole.mark("mover", !isOver && state.current_player === player);
        hole.mark("landed", last?.landed?.side === player && last.landed.pit === pit);
        hole.mark("captured", Boolean(last?.captured) && (
          (last.landed?.side === player && last.landed.pit === pit)
          || (last.landed?.side === 1 - player && last.landed.pit === this.pits - 1 - pit)));
      });
    }
  }

  #frames(before, { player, pit }, path) {
    const state = { pits: before.pits.map((row) => [...row]), stores: [...before.stores] };
    state.pits[player][pit] = 0;
    return path.map((place) => {
      if (place.pit === null) state.stores[place.side] += 1;
      else state.pits[place.side][place.pit] += 1;
      return { pits: state.pits.map((row) => [...row]), stores: [...state.stores] };
    });
  }

  #land({ side, pit }) {
    for (const hole of [...this.holes.flat(), ...this.stores]) hole.mark("landed", false);
    (pit === null ? this.stores[side] : this.holes[side][pit]).mark("landed", true);
  }

  #stop() {
    this.running = null;
  }

  #describe(state, isOver) {
    const side = (player) =>
      `${this.names[player]}: pits ${state.pits[player].join(", ")}, store ${state.stores[player]}`;
    const turn = isOver ? "The game is over" : `${this.names[state.current_player]} to move`;
    return `${side(0)}. ${side(1)}. ${turn}.`;
  }
}

class Hole {
  constructor({ x, y, rx, ry, countY, label = null, labelY = 0, store = false }) {
    Object.assign(this, { x, y, rx, ry, held: null });
    const shape = (more) => ({ x: x - rx - more, y: y - ry - more, width: 2 * (rx + more), height: 2 * (ry + more), rx: rx + more });
    this.seeds = svg("g");
    this.count = svg("text", { class: store ? "count store" : "count", x, y: countY });
    this.element = svg(
      "g",
      {},
      svg("rect", { class: "hole", ...shape(0) }),
      svg("rect", { class: "ring", ...shape(5) }),
      this.seeds,
      label !== null && svg("text", { class: "index", x, y: labelY }, label),
      this.count,
    );
  }

  mark(kind, isSo) {
    this.element.classList.toggle(kind, isSo);
  }

  fill(seeds) {
    if (seeds === this.held) return;
    this.held = seeds;
    this.count.textContent = seeds;
    this.seeds.replaceChildren(...scatter(this, Math.min(seeds, MOST_DRAWN)));
  }
}

// Seeds on a spiral that fills an ellipse; the more there are, the closer and smaller.
function scatter({ x, y, rx, ry }, count) {
  const [wide, high] = [rx - 8, ry - 10];
  const room = Math.sqrt((wide * high) / Math.max(1, count));
  const radius = Math.min(8.5, 0.8 * room);
  const scale = Math.min(1, (9.5 * Math.sqrt(count)) / wide);
  return Array.from({ length: count }, (_, place) => {
    const away = Math.sqrt((place + 0.4) / count);
    return svg("circle", {
      class: `seed seed-${(place * 7) % 3}`,
      cx: (x + scale * wide * away * Math.cos(place * GOLDEN)).toFixed(1),
      cy: (y + scale * high * away * Math.sin(place * GOLDEN)).toFixed(1),
      r: radius.toFixed(1),
    });
  });
}

function arrow(from, to, up, kind) {
  const [x1, y1] = [from.x, from.y + up * 20];
  const [x2, y2] = [to.x, to.y + (to.y === from.y ? up * 20 : 0)];
  const middle = [(x1 + x2) / 2, (y1 + y2) / 2 + up * Math.min(90, 30 + Math.abs(x2 - x1) / 5)];
  const angle = Math.atan2(y2 - middle[1], x2 - middle[0]);
  const tip = (turn, away) => `${(x2 + away * Math.cos(angle + turn)).toFixed(1)} ${(y2 + away * Math.sin(angle + turn)).toFixed(1)}`;
  const d = `M${x1} ${y1}Q${middle.map((each) => each.toFixed(1)).join(" ")} ${x2} ${y2}M${tip(2.6, 26)}L${x2} ${y2}L${tip(-2.6, 26)}`;
  return [svg("path", { class: "casing", d }), svg("path", { class: `arrow ${kind}`, d })];
}
