// Charts of figures, as SVG that is as wide as its place: marks are stretched, labels keep their size.

import { h, svg } from "./dom.js";
import { decimal, percent } from "./opened.js";

const WIDTH = 600;
const TOP = 10;
const BELOW = 20;
const SERIES = 8;
const FEWEST_TICKS = 4;
const FIXED = { "vector-effect": "non-scaling-stroke" };

// A value and its interval, on a scale from `least` to `most`, for a cell of a table.
export function whisker(text, { value, low, high }, least, most) {
  const at = (each) => `${5 + (90 * (each - least)) / Math.max(1e-9, most - least)}%`;
  return svg("svg", { class: "interval", role: "img", "aria-label": text },
    svg("title", {}, text),
    svg("line", { x1: at(low), x2: at(high), y1: "50%", y2: "50%" }),
    svg("circle", { cx: at(value), cy: "50%", r: 4.5 }));
}

// A share, 0 to 1, as a bar for a cell of a table.
export const bar = (text, share) =>
  svg("svg", { class: "share", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": text },
    svg("title", {}, text),
    svg("rect", { class: "whole", x: 0, y: 0, width: 100, height: 10 }),
    svg("rect", { class: "part", x: 0, y: 0, width: (100 * share).toFixed(1), height: 10 }));

// Shares, 0 to 1, as columns above and below one half: [{name, share, note}], from left to right.
export function columns(label, list) {
  const height = 200;
  const y = scale(0, 1, height, 0);
  const wide = WIDTH / Math.max(1, list.length);
  return plot(label, height, [0, 0.25, 0.5, 0.75, 1].map((share) => [y(share), percent(share)]), [],
    ...list.map(({ name, share, note }, place) => svg("rect", {
      class: share >= 0.5 ? "good" : "bad",
      x: (wide * (place + 0.1)).toFixed(2),
      y: Math.min(y(share), y(0.5)) - 1,
      width: (0.8 * wide).toFixed(2),
      height: Math.abs(y(share) - y(0.5)) + 2,
    }, svg("title", {}, `${name}: ${percent(share)}${note ? `, ${note}` : ""}`))));
}

// Positive values by number, one line a name, on a logarithmic scale: {name: [value or null, …]}.
export function lines(label, series, unit) {
  const height = 220;
  const values = Object.values(series).flat().filter((value) => value != null).map(Math.log10);
  const low = Math.floor(Math.min(...values));
  const high = Math.max(low + 1, Math.ceil(Math.max(...values)));
  const longest = Math.max(2, ...Object.values(series).map((line) => line.length));
  const [x, y] = [scale(0, longest - 1, 0, WIDTH), scale(low, high, height, 0)];
  const decades = Array.from({ length: high - low + 1 }, (_, step) => low + step);
  const names = Object.keys(series);
  return h("div", {},
    plot(label, height,
      decades.map((power) => [y(power), `${decimal(10 ** power, Math.max(0, -power))} ${unit}`]),
      ticks(1, longest).filter(Number.isInteger).map((move) => [x(move - 1) / WIDTH, String(move)]),
      ...names.map((name, place) => curve(place, name,
        series[name].flatMap((value, at) => (value == null ? [] : [[x(at), y(Math.log10(value))]]))))),
    legend(names));
}

// Values by number, one line a name, with levels to compare with: {name: [value, …]}.
export function progress(label, series, { levels = [], height = 220 } = {}) {
  const names = Object.keys(series);
  const values = [...levels, ...Object.values(series).flat()];
  const marks = ticks(Math.min(...values), Math.max(...values));
  const longest = Math.max(2, ...Object.values(series).map((line) => line.length));
  const [x, y] = [scale(0, longest - 1, 0, WIDTH), scale(Math.min(...values, marks[0]), Math.max(...values, marks.at(-1)), height, 0)];
  const shown = levels.length ? [] : ticks(1, longest).filter(Number.isInteger);
  return h("div", {},
    plot(label, height, marks.map((mark) => [y(mark), mark.toFixed(decimals(marks))]), shown.map((count) => [x(count - 1) / WIDTH, String(count)]),
      ...levels.map((level) => levelAt(y(level))),
      ...names.map((name, place) => curve(place, name, series[name].map((value, at) => [x(at), y(value)])))),
    names.length > 1 && legend(names));
}

// Values over time with their intervals, and a level to compare with: [{name, value, error}].
export function course(list, { level, height = 120 }) {
  const ends = list.flatMap(({ value, error }) => [value - error, value + error]);
  const [low, high] = [Math.min(level, ...ends), Math.max(level, ...ends)];
  const marks = ticks(low, high);
  const x = scale(0, Math.max(1, list.length - 1), 0, WIDTH);
  const y = scale(Math.min(low, marks[0]), Math.max(high, marks.at(-1)), height, 0);
  const digits = decimals(marks);
  const last = list.at(-1);
  const label = `${last.name}: ${decimal(last.value, digits + 1)} ± ${decimal(last.error, digits + 1)}`;
  const edge = (sign) => list.map(({ value, error }, at) => [x(at), y(value + sign * error)]);
  return plot(label, height, marks.map((mark) => [y(mark), decimal(mark, digits)]), [],
    svg("polygon", { class: "band", points: points([...edge(1), ...edge(-1).reverse()]) }),
    levelAt(y(level)),
    curve(0, label, edge(0)));
}

// Values by day with their intervals, one line a name: [{name, points: [{day, value, low, high}]}], days as YYYY-MM-DD.
export function overTime(label, series, height = 240) {
  const all = series.flatMap(({ points: marks }) => marks);
  const days = all.map(({ day }) => dayNumber(day));
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const marks = ticks(Math.min(...all.map(({ low }) => low)), Math.max(...all.map(({ high }) => high)));
  const ends = [...marks, ...all.flatMap(({ low, high }) => [low, high])];
  const y = scale(Math.min(...ends), Math.max(...ends), height, 0);
  const x = first === last ? () => WIDTH / 2 : scale(first, last, 0, WIDTH);
  const at = ({ day }) => x(dayNumber(day));
  const shown = ticks(first, Math.max(last, first + 1)).filter((day) => Number.isInteger(day) && day <= last);
  return h("div", {},
    plot(label, height, marks.map((mark) => [y(mark), String(mark)]), shown.map((day) => [x(day) / WIDTH, dayText(day)]),
      ...series.flatMap(({ name, points: line }, place) => [
        svg("polygon", { class: `band s${colour(place)}`, points: points([
          ...widened(line.map((point) => [at(point), y(point.low)])),
          ...widened(line.map((point) => [at(point), y(point.high)])).reverse()]) }),
        curve(place, name, widened(line.map((point) => [at(point), y(point.value)]))),
      ])),
    legend(series.map(({ name }) => name)));
}

// A single point is drawn as a short line, so that it is seen.
const widened = (line) => (line.length > 1 ? line : line.flatMap(([x, y]) => [[x - 4, y], [x + 4, y]]));

const DAY_MS = 86400000;
const dayNumber = (day) => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
const dayText = (number) => new Date(number * DAY_MS).toISOString().slice(0, 10);

const legend = (names) => h("ul", { class: "legend small" }, ...names.map((name, place) =>
  h("li", {}, svg("svg", { class: `key s${colour(place)}`, viewBox: "0 0 24 10", "aria-hidden": "true" },
    svg("polyline", { class: `line s${colour(place)}`, points: "1,5 23,5" })), name)));

// Round numbers within a range, four to nine of them.
export function ticks(low, high) {
  const span = Math.max(high - low, 1e-9);
  let step = 10 ** Math.floor(Math.log10(span / FEWEST_TICKS));
  while (span / step > 2 * FEWEST_TICKS + 1) step *= span / step > 5 * FEWEST_TICKS ? 5 : 2;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, place) => Number(((first + place) * step).toPrecision(12)));
}

const decimals = (marks) => Math.max(0, ...marks.map((mark) => (String(mark).split(".")[1] ?? "").length));

const colour = (place) => Math.min(place, SERIES - 1);

const scale = (low, high, start, end) => (value) => start + ((value - low) / (high - low || 1)) * (end - start);

const curve = (place, name, list) =>
  svg("polyline", { class: `line s${colour(place)}`, points: points(list), ...FIXED }, svg("title", {}, name));

const levelAt = (y) => svg("line", { class: "level", x1: 0, x2: WIDTH, y1: y, y2: y, ...FIXED });

const points = (list) => list.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

// Marks above a grid; `ys` are [height, text], `xs` are [share of the width, text].
function plot(label, height, ys, xs, ...marks) {
  return svg("svg", { class: "plot", width: "100%", height: TOP + height + BELOW, role: "img", "aria-label": label },
    ...ys.flatMap(([y, text]) => [
      svg("line", { class: "grid", x1: 0, x2: "100%", y1: TOP + y, y2: TOP + y }),
      svg("text", { class: "y", x: -8, y: TOP + y + 4 }, text),
    ]),
    ...xs.map(([share, text]) => svg("text", {
      x: `${(100 * share).toFixed(2)}%`, y: TOP + height + 15, "text-anchor": ["start", "middle", "end"][share < 0.02 ? 0 : share > 0.98 ? 2 : 1],
    }, text)),
    svg("svg", { y: TOP, width: "100%", height, viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: "none", overflow: "visible" }, ...marks));
}
