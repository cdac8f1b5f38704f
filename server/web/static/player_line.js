// The line of a player beside a board: the name, the time and what the bot thinks.

import { botLink } from "./addresses.js";
import { h } from "./dom.js";
import { decimal, listed, t } from "./opened.js";
import * as words from "./words.js";

export class PlayerLine {
  constructor(name, player) {
    this.time = h("span", { class: "time" });
    this.thought = h("details", { class: "thought quiet small" }, (this.told = h("summary", { hidden: true })), (this.search = h("p")));
    const side = player === 0 ? "south" : "north";
    this.element = h("div", { class: `player ${side}` },
      h("strong", {}, botLink(name)),
      h("span", { class: "quiet small" }, player === 0 ? t("first, sows to the right") : t("second, sows to the left")),
      this.time,
      this.thought);
  }

  moves(isMover) {
    this.element.classList.toggle("to-move", isMover);
    if (!isMover) this.time.textContent = "";
  }

  clock(bank, used, limit) {
    const parts = [];
    if (used > 0) parts.push(limit ? t("{{part}} of {{whole}}", { part: tenths(used), whole: words.seconds(limit) }) : tenths(used));
    if (bank != null) parts.push(t("{{time}} left", { time: words.seconds(Math.max(0, bank - used)) }));
    this.time.textContent = parts.join(" · ");
  }

  // Leaves no room for what a bot thinks where none says it.
  mute(isSilent) {
    this.thought.hidden = isSilent;
  }

  think({ told, search }) {
    this.told.textContent = told;
    this.told.hidden = !told; // one without words has no name for a screen reader
    this.search.textContent = search;
    this.thought.classList.toggle("is-empty", !search);
  }

  took(move) {
    const parts = [];
    if (move?.elapsed_ms != null) parts.push(words.seconds(move.elapsed_ms));
    if (move?.lag_ms >= 1) parts.push(t("{{time}} of it network delay", { time: words.seconds(move.lag_ms) }));
    this.time.textContent = listed(parts);
  }
}

const tenths = (ms) => t("{{time}} s", { time: decimal(ms / 1000, 1) });
