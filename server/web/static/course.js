// The course of a game: its evaluation by the review and by both bots, and the time each move took.

import { h, svg } from "./dom.js";
import { LEFT, t } from "./opened.js";
import * as words from "./words.js";

const WIDTH = 600;
const HEIGHT = 160;
const BARS = 70;
const LEAST = 4;
const FEW = 4;
const ALIKE = 1.5;

export class Course {
  constructor(names, go) {
    this.names = names;
    this.curve = chart(HEIGHT, t("Evaluation"));
    this.times = chart(BARS, t("Time used"));
    this.top = h("span", { class: "top" });
    this.bottom = h("span", { class: "bottom" });
    this.slowest = h("span", { class: "top" });
    this.legend = h("p", { class: "legend small" });
    this.element = h("div", { class: "course" },
      h("div", { class: "chart" }, this.curve, this.top, this.bottom),
      this.legend,
      (this.timing = h("div", {},
        h("div", { class: "chart" }, this.times, this.slowest),
        h("p", { class: "note small" }, t("Above the line is good for {{player}}; the bars are the time of each move, those of {{player}} up.", { player: names[0] })))));
    for (const each of [this.curve, this.times]) {
      each.addEventListener("click", (event) => {
        const box = each.getBoundingClientRect();
        go(Math.floor(((event.clientX - box.left) / box.width) * (this.last + 1)));
      });
    }
  }

  show(timeline, review, outcome) {
    const { steps, last, all = steps } = timeline;
    this.last = Math.max(1, last);
    const lines = [
      { kind: "lead", points: steps.map(({ state: { stores } }, at) => [at, stores[0] - stores[1]]) },
      ...(review ? reviewed(review, steps, outcome) : []),
      ...[0, 1].map((player) => ({ kind: `claim seat-${player}`, points: claims(steps, player) })),
    ].filter(({ points }) => points.length);
    const lost = blunders(review);
    const most = Math.max(LEAST, ...[...lines.flatMap(({ points }) => points.map(([, value]) => value)), ...lost.map(({ value }) => value)].map(Math.abs));
    const y = (value) => HEIGHT / 2 - (value / most) * (HEIGHT / 2 - 6);
    this.curve.replaceChildren(
      svg("line", { class: "zero", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, ...FIXED }),
      ...lines.map(({ kind, points }) => svg("polyline", {
        class: kind, points: points.map(([at, value]) => `${this.#x(at)},${y(value).toFixed(1)}`).join(" "), ...FIXED,
      })),
      ...lost.map(({ ply, value }) => svg("line", {
        class: "blunder", x1: this.#x(ply + 1), x2: this.#x(ply + 1), y1: y(value) - 5, y2: y(value) + 5, ...FIXED,
      })),
      (this.cursors = [cursor(HEIGHT)])[0],
    );
    this.top.textContent = `${LEFT}+${Math.round(most)} ${this.names[0]}`;
    this.bottom.textContent = `${LEFT}+${Math.round(most)} ${this.names[1]}`;
    this.legend.replaceChildren(...legend(lines, this.names));
    this.curve.setAttribute("aria-label", describe(lines, this.names));
    this.#showTimes(steps, all);
  }

  at(place) {
    for (const each of this.cursors ?? []) {
      each.setAttribute("x1", this.#x(place));
      each.setAttribute("x2", this.#x(place));
    }
  }

  #x(at) {
    return (((at + 0.5) / (this.last + 1)) * WIDTH).toFixed(1);
  }

  #showTimes(steps, all) {
    const moves = steps.slice(1).map(({ move }) => move);
    this.timing.hidden = !differ(all.slice(1).map(({ move }) => move.elapsed_ms ?? 0));
    const most = Math.max(1, ...moves.map((move) => move.elapsed_ms ?? 0));
    const width = (0.8 * WIDTH) / (this.last + 1);
    const bars = moves.flatMap((move, ply) => {
      const tall = Math.sqrt((move.elapsed_ms ?? 0) / most) * (BARS / 2 - 3);
      const x = ((ply + 1.1) / (this.last + 1)) * WIDTH;
      const y = move.player === 0 ? BARS / 2 - tall : BARS / 2;
      return svg("rect", { class: `bar seat-${move.player}`, x: x.toFixed(1), y: y.toFixed(1), width: width.toFixed(1), height: tall.toFixed(1) });
    });
    this.times.replaceChildren(
      svg("line", { class: "zero", x1: 0, x2: WIDTH, y1: BARS / 2, y2: BARS / 2, ...FIXED }),
      ...bars,
      (this.cursors[1] = cursor(BARS)),
    );
    this.slowest.textContent = t("longest {{time}}", { time: words.seconds(most) });
    this.times.setAttribute("aria-label", t("Time used; the longest move took {{time}}.", { time: words.seconds(most) }));
  }
}

// Whether times are worth a chart: it says nothing where nearly all moves took about the same.
function differ(times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  return times.length < FEW || at(0.9) > ALIKE * at(0.1);
}

// Stretches of one kind: proven values are drawn solid, estimates dashed.
function reviewed(review, steps, outcome) {
  const values = review.plies.map(({ ply, value, proven }) => ({ at: ply, value, proven }));
  if (outcome) values.push({ at: steps.length - 1, value: outcome.stores[0] - outcome.stores[1], proven: true });
  const lines = [];
  values.slice(1).forEach((value, index) => {
    const before = values[index];
    const kind = before.proven && value.proven ? "review proven" : "review";
    if (lines.at(-1)?.kind !== kind) lines.push({ kind, points: [[before.at, before.value]] });
    lines.at(-1).points.push([value.at, value.value]);
  });
  return lines;
}

const claims = (steps, player) =>
  steps.slice(1).flatMap(({ move }, ply) =>
    move.player === player && move.info?.value != null ? [[ply, player === 0 ? move.info.value : -move.info.value]] : []);

const blunders = (review) =>
  (review?.plies ?? []).filter(({ loss }) => loss >= 1)
    .map(({ ply, player, value, loss }) => ({ ply, value: value + (player === 0 ? -loss : loss) }));

function legend(lines, names) {
  const kinds = new Set(lines.map(({ kind }) => kind));
  const expects = (player) => t("{{player}} expects", { player });
  const texts = [["lead", t("seeds ahead in the stores")], ["review proven", t("review, proven")], ["review", t("review, estimated")],
    ["claim seat-0", expects(names[0])], ["claim seat-1", expects(names[1])]];
  return texts.filter(([kind]) => kinds.has(kind)).map(([kind, text]) => h("span", {},
    svg("svg", { class: "key", viewBox: "0 0 24 10", "aria-hidden": "true" }, svg("polyline", { class: kind, points: "1,5 23,5" })), text));
}

function describe(lines, names) {
  const last = lines.find(({ kind }) => kind !== "lead") ?? lines[0];
  const values = (value) => ({ value: words.worth(value), player: names[0] });
  if (last.kind === "lead") return t("Seeds ahead in the stores by move, {{value}} for {{player}} at last.", values(last.points.at(-1)[1]));
  return t("Evaluation by move, from {{value}} for {{player}} at the start.", values(last.points[0][1]));
}

const FIXED = { "vector-effect": "non-scaling-stroke" };

const cursor = (height) => svg("line", { class: "cursor", x1: 0, x2: 0, y1: 0, y2: height, ...FIXED });

const chart = (height, label) =>
  svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
