// What a device keeps of its reader's games, without a login: levels that were beaten, and moves that cost much.

import { gameAddress } from "./addresses.js";
import { card, h, link } from "./dom.js";
import { called, face, levelOf, readable } from "./faces.js";
import { t } from "./opened.js";
import * as words from "./words.js";

const KEPT = "mancala.own";
const WEEK_MS = 7 * 24 * 3600 * 1000;
const SHOWN = 3;
const MOST = 30;
const LEAST_LOSS = 1;

/** @typedef {{game: string, ply: number, pit: number, best: number, loss: number, proven: boolean, opponent: string, at: number}} Costly */
/** @returns {{levels: number[], costly: Costly[]}} */
const kept = () => ({ levels: [], costly: [], ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") });

const keep = (changes) => localStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...changes }));

export const isBeaten = (name) => kept().levels.includes(levelOf(name));

// Keeps that an opponent was beaten; says so where it is a level that never was, else "".
export function beat(opponent) {
  const level = levelOf(opponent);
  if (!level || isBeaten(opponent)) return "";
  keep({ levels: [...kept().levels, level].sort((a, b) => a - b) });
  return t("{{level}} beaten for the first time!", { level: called(level) });
}

// Keeps what a reviewed game's moves from a seat cost, beside those of the last week.
export function learn(game, { plies }, seat, opponent) {
  const found = plies.filter(({ player, loss }) => player === seat && loss >= LEAST_LOSS)
    .map(({ ply, pit, best, loss, loss_proven: proven }) => ({ game, ply, pit, best, loss, proven, opponent, at: Date.now() }));
  const others = recent().filter((each) => each.game !== game);
  keep({ costly: [...others, ...found].sort((one, other) => other.loss - one.loss).slice(0, MOST) });
}

const recent = () => kept().costly.filter(({ at }) => Date.now() - at < WEEK_MS);

// The card with both; nothing while there is neither.
export function ownCard() {
  const [{ levels }, costly] = [kept(), recent().slice(0, SHOWN)];
  return (levels.length > 0 || costly.length > 0) && card(t("Yours, kept on this device"),
    levels.length > 0 && h("p", {}, t("Beaten without a hint:")),
    levels.length > 0 && h("ul", { class: "legend" }, ...levels.map((level) => h("li", { class: "controls" }, face(level), called(level)))),
    costly.length > 0 && h("p", {}, t("Your most costly moves of the last seven days:")),
    costly.length > 0 && h("ol", { class: "dearest" }, ...costly.map((each) => h("li", {}, link(gameAddress(each.game, each.ply + 1), told(each))))));
}

const told = ({ ply, opponent, pit, best, loss, proven }) => t("Move {{ply}} against {{opponent}}: pit {{pit}} {{loses}}, pit {{best}} was better", {
  ply: ply + 1, opponent: readable(opponent), pit: words.pitNumber(pit), loses: words.lost(loss, proven), best: words.pitNumber(best),
});
