// A bot by npm's ws: URL NAME LADDER.
const WebSocket = require("ws");
const [url, name, ladder] = process.argv.slice(2);
const hello = { type: "hello", protocol: "mancala.v1", name, agent: { name, version: "1" } };
const join = { type: "join", ladder, matches: 1 };

function play() {
  const socket = new WebSocket(url);
  const say = (message) => socket.send(JSON.stringify(message));
  socket.on("open", () => say(hello));
  socket.on("message", (frame) => {
    const message = JSON.parse(frame);
    if (message.type === "welcome") {
      hello.resume = message.session;
      say(join);
    } else if (message.type === "game_start") {
      join.type = "leave"; // after a cut, no further match
    } else if (message.type === "turn") {
      say({ type: "move", game: message.game, ply: message.ply, pit: message.legal.at(-1) });
    } else if (message.type === "match_over") {
      say({ type: "goodbye" });
      socket.on("close", () => process.exit());
    }
  });
  socket.on("error", (error) => console.error(error.message));
  socket.on("close", () => setTimeout(play, 300));
}

play();
