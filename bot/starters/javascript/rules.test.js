import assert from "node:assert";
import { readFileSync } from "node:fs";
import test from "node:test";
import { sow } from "./rules.js";

// A line of positions.txt has pit, again (0 or 1), the board before and the board after; a board is
// the mover's pits, the mover's store, the other's pits, and the other's store.
test("sow keeps to the rules", () => {
  for (const line of readFileSync("positions.txt", "utf8").trim().split("\n")) {
    const [pit, again, ...boards] = line.split(" ").map(Number);
    const half = boards.length / 2;
    const sowing = sow({ ...read(boards.slice(0, half)), current_player: 0 }, pit, { capture: "opposite" });
    const { current_player, ...after } = sowing.state;
    assert.deepStrictEqual([after, sowing.again], [read(boards.slice(half)), again === 1], line);
  }
});

function read(board) {
  const side = board.length / 2;
  const sides = [board.slice(0, side), board.slice(side)];
  return { pits: sides.map((each) => each.slice(0, -1)), stores: sides.map((each) => each.at(-1)) };
}
