// The list of a game's moves, each row with the ply that it begins with: one link for each position, marked by the seeds that the move lost.

import { gameAddress } from "./addresses.js";
import { h, update } from "./dom.js";
import { listed, t } from "./opened.js";
import * as words from "./words.js";

export class MoveList {
  /** @type {string} */ game;
  /** @type {string[]} */ names;
  /** @type {(ply: number) => void} */ go;

  constructor(game, names, go) {
    Object.assign(this, { game, names, go });
    this.element = h("div", { class: "moves", tabindex: 0, role: "region", "aria-label": t("Moves"), click: (event) => this.#open(event) });
  }

  show(timeline, review) {
    const cells = [];
    let isFirst = true;
    let cell = null;
    timeline.steps.slice(1).forEach(({ move }, index) => {
      const before = timeline.steps[index].move;
      if (before?.player !== move.player) {
        if (move.player === 0 || isFirst) {
          while (cells.length % 3) cells.push(h("span"));
          isFirst = false;
          cells.push(h("span", { class: "turn" }, `${index + 1}.`));
          if (move.player === 1) cells.push(h("span"));
        }
        cell = h("span", { class: "side" });
        cells.push(cell);
      }
      cell.append(this.#move(index, move, review?.plies[index]));
    });
    update(this.element, ...(cells.length ? cells : [h("p", { class: "note" }, t("No move yet."))]));
  }

  mark(at) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const mark = this.element.querySelector(`[data-ply="${at}"]`);
    if (!mark) return;
    mark.setAttribute("aria-current", "step");
    const list = this.element;
    list.scrollTop += mark.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  }

  #move(ply, { player, pit }, judged) {
    const { grade, sign } = words.mark(judged?.loss ?? 0);
    const number = words.pitNumber(pit);
    const told = t("Move {{ply}}: {{player}} sows pit {{pit}}", { ply: ply + 1, player: this.names[player], pit: number });
    const label = judged ? listed([told, words.lost(judged.loss, judged.loss_proven)]) : told;
    return h("a", {
      class: `move ${grade}`, href: gameAddress(this.game, ply + 1), "data-ply": ply + 1, "aria-label": label, title: label,
    }, `${number}${sign}`);
  }

  #open(event) {
    const move = event.target.closest("[data-ply]");
    if (!move || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.go(Number(move.dataset.ply));
  }
}
