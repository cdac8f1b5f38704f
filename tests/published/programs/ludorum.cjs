// npm's @creatartis/ludorum-game-mancala, whose North begins: games from stdin, a line each, as
// replay of the others.
"use strict";
const path = require("node:path");
const readline = require("node:readline");

const modules = path.join(process.argv[2], "node_modules");
const { Mancala } = require(path.join(modules, "@creatartis/ludorum-game-mancala"));

function position(game) {
  const result = game.result();
  return [
    game.board.slice(0, 6),
    game.board.slice(7, 13),
    [game.board[6], game.board[13]],
    result ? null : game.players.indexOf(game.activePlayer()),
    result ? Math.sign(result.North) : null,
  ];
}

function replay(moves) {
  let game = new Mancala();
  const shown = [position(game)];
  for (const [player, pit] of moves) {
    const legal = game.moves();
    const hole = pit + 7 * player;
    const name = game.players[player];
    if (!legal || !legal[name] || !legal[name].includes(hole)) break;
    game = game.next({ [name]: hole });
    shown.push(position(game));
  }
  return shown;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(JSON.stringify(replay(JSON.parse(line))));
});
