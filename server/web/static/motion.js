// How fast seeds travel: kept for the browser, and off where the system wishes less motion.

import { h } from "./dom.js";
import { t } from "./opened.js";

const KEPT = "mancala.motion";
const RATES = { slow: 0.5, normal: 1, fast: 2.2, off: Infinity };
const NAMES = { slow: t("slow"), normal: t("normal"), fast: t("fast"), off: t("off") };

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

let speed = "normal";
try {
  if (Object.hasOwn(RATES, localStorage.getItem(KEPT) ?? "")) speed = localStorage.getItem(KEPT);
} catch {
  // a report opened from a file may have no storage
}

export const motion = {
  isOff: () => stillness.matches || speed === "off",
  rate: () => RATES[speed],
};

// A choice of the speed; where the system wishes less motion, there is none.
export function speedChoice() {
  const choice = h("select", { name: "speed", change: () => {
    speed = choice.value;
    try {
      localStorage.setItem(KEPT, speed);
    } catch {
      // it holds for this page
    }
  } }, ...Object.keys(RATES).map((name) => h("option", { value: name, selected: name === speed }, NAMES[name])));
  return h("label", { class: "speed small", hidden: stillness.matches }, t("Seeds"), " ", choice);
}
