// The levels of the engine as players: each has a name, a face and a temper, by which it is remembered.
//
// A face is a marble of the board. The higher the level, the more leaves it has, and the more sternly it looks.

import { svg } from "./dom.js";
import { listed, t } from "./opened.js";

const KINDS = 6; // colours of seeds
const DRAWN = { fill: "none", stroke: "var(--pit)", "stroke-width": 2, "stroke-linecap": "round" };
const NAMES = [t("Pip"), t("Poppy"), t("Clover"), t("Bean"), t("Hazel"), t("Acorn"), t("Olive"), t("Chestnut"), t("Baobab"), t("Sequoia")];
const TEMPERS = [
  t("Takes what it sees first, and overlooks many captures."),
  t("Thinks of its next moves, and overlooks a capture now and then."),
  t("Thinks of your answer, too, and follows a whim now and then."),
  t("Looks far ahead, and overlooks little."),
  t("Overlooks nothing that can be seen."),
];

// The number of a level of the engine by its name; 0 for any other opponent.
export const levelOf = (name) => Number(/^level-([1-9]|10)$/.exec(name)?.[1] ?? 0);

// How a level is called: "Level 3, Clover".
export const called = (level) => listed([numbered(level), NAMES[level - 1]]);

export const numbered = (level) => t("Level {{level}}", { level });

// An opponent's name as a person reads it.
export const readable = (name) => (levelOf(name) ? called(levelOf(name)) : name);

export const temper = (level) => TEMPERS[Math.ceil(level / 2) - 1];

// The face of a level; what it shows is said beside it.
export function face(level) {
  const sternness = (level - 1) / (NAMES.length - 1);
  const leaves = Array.from({ length: Math.ceil(level / 2) }, (_, at, all = Math.ceil(level / 2)) => svg("ellipse",
    { fill: "var(--good)", cx: 32, cy: 7, rx: 4, ry: 7, transform: `rotate(${(at - (all - 1) / 2) * 24} 32 34)` }));
  const side = (x, turn) => [
    svg("circle", { ...DRAWN, fill: "var(--seed-2)", cx: x, cy: 31, r: 7 - 2 * sternness }),
    svg("circle", { fill: "var(--pit)", cx: x, cy: 32, r: 3 }),
    svg("path", { ...DRAWN, "stroke-width": 3, d: `M${x - 7} ${21 + 2 * sternness}h14`, transform: `rotate(${turn * (sternness * 30 - 10)} ${x} 22)` }),
  ];
  return svg("svg", { viewBox: "0 0 64 64", width: 48, height: 48, "aria-hidden": true }, ...leaves,
    svg("circle", { ...DRAWN, fill: `var(--seed-${level % KINDS})`, cx: 32, cy: 36, r: 24 }),
    ...side(23, 1), ...side(41, -1),
    svg("path", { ...DRAWN, "stroke-width": 3, d: `M22 47Q32 ${56 - 9 * sternness} 42 47` }));
}
