// The board: player 0 at the bottom, sowing to the right; player 1 at the top, sowing to the left.

import { svg } from "./dom.js";

const CELL = 100;
const PIT = 42;
const HEIGHT = 320;
const ROWS = [
  { y: 211, countY: 270, labelY: 296 },
  { y: 109, countY: 50, labelY: 24 },
];
const MOST_DRAWN = 40;
const GOLDEN = 2.399963;

export class Board {
  constructor(pits, names) {
    this.pits = pits;
    this.names = names;
    this.width = (pits + 2) * CELL + 20;
    this.holes = [0, 1].map((player) => this.#row(player));
    this.stores = [0, 1].map((player) => this.#store(player));
    const places = [...this.holes.flat(), ...this.stores].map((hole) => hole.element);
    this.element = svg(
      "svg",
      { class: "board", viewBox: `0 0 ${this.width} ${HEIGHT}`, role: "img" },
      svg("rect", { class: "wood", x: 4, y: 4, width: this.width - 8, height: HEIGHT - 8, rx: 60 }),
      ...places,
    );
  }

  show(state, last = null, isOver = false) {
    for (const player of [0, 1]) {
      this.stores[player].fill(state.stores[player]);
      this.holes[player].forEach((hole, pit) => {
        hole.fill(state.pits[player][pit]);
        hole.element.classList.toggle("last", last?.player === player && last.pit === pit);
        hole.element.classList.toggle("mover", !isOver && state.current_player === player);
      });
    }
    this.element.setAttribute("aria-label", this.#describe(state, isOver));
  }

  #row(player) {
    return Array.from({ length: this.pits }, (_, pit) => {
      const place = player === 0 ? pit : this.pits - 1 - pit;
      const x = 10 + (place + 1.5) * CELL;
      return new Hole({ x, radius: PIT, label: pit, ...ROWS[player] });
    });
  }

  #store(player) {
    const x = player === 0 ? this.width - 10 - CELL / 2 : 10 + CELL / 2;
    return new Hole({ x, y: HEIGHT / 2, countY: 50, radius: PIT - 6, tall: 186 });
  }

  #describe(state, isOver) {
    const side = (player) =>
      `${this.names[player]}: pits ${state.pits[player].join(", ")}, store ${state.stores[player]}`;
    const turn = isOver ? "The game is over" : `${this.names[state.current_player]} to move`;
    return `${side(0)}. ${side(1)}. ${turn}.`;
  }
}

class Hole {
  constructor({ x, y, radius, countY, tall = 2 * radius, label = null, labelY = 0 }) {
    Object.assign(this, { x, y, radius, tall, held: null });
    const shape = { x: x - radius, y: y - tall / 2, width: 2 * radius, height: tall, rx: radius };
    this.seeds = svg("g");
    this.count = svg("text", { class: "count", x, y: countY });
    this.element = svg(
      "g",
      {},
      svg("rect", { class: "hole", ...shape }),
      svg("rect", { class: "ring", ...shape }),
      this.seeds,
      label !== null && svg("text", { class: "index", x, y: labelY }, label),
      this.count,
    );
  }

  fill(seeds) {
    if (seeds === this.held) return;
    this.held = seeds;
    this.count.textContent = seeds;
    this.seeds.replaceChildren(...this.#scatter(Math.min(seeds, MOST_DRAWN)));
  }

  #scatter(count) {
    const stretch = this.tall / (2 * this.radius);
    const room = this.radius - 9;
    const step = Math.min(9.5, room / Math.sqrt(Math.max(1, count / stretch)));
    return Array.from({ length: count }, (_, place) => {
      const away = step * Math.sqrt(place + 0.4);
      const x = this.x + away * Math.cos(place * GOLDEN);
      const y = this.y + away * Math.sin(place * GOLDEN);
      return svg("circle", { class: `seed seed-${(place * 7) % 3}`, cx: x, cy: y, r: Math.min(8, step * 0.8) });
    });
  }
}
