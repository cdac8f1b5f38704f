// A bot by GNOME's libsoup 3, in gjs: URL NAME LADDER.
imports.gi.versions.Soup = "3.0";
const { GLib, Soup } = imports.gi;
const [url, name, ladder] = ARGV;
const hello = { type: "hello", protocol: "mancala.v1", name, agent: { name, version: "1" } };
const join = { type: "join", ladder, matches: 1 };
const loop = GLib.MainLoop.new(null, false);
const session = new Soup.Session();

function later() {
  GLib.timeout_add(GLib.PRIORITY_DEFAULT, 300, () => {
    play();
    return GLib.SOURCE_REMOVE;
  });
}

function play() {
  const request = Soup.Message.new("GET", url);
  session.websocket_connect_async(request, null, [], GLib.PRIORITY_DEFAULT, null, (_, result) => {
    let socket;
    try {
      socket = session.websocket_connect_finish(result);
    } catch (error) {
      printerr(error.message);
      later();
      return;
    }
    const say = (message) => socket.send_text(JSON.stringify(message));
    socket.connect("closed", later);
    socket.connect("message", (_socket, _type, data) => {
      const message = JSON.parse(new TextDecoder().decode(data.get_data()));
      if (message.type === "welcome") {
        hello.resume = message.session;
        say(join);
      } else if (message.type === "game_start") {
        join.type = "leave"; // after a cut, no further match
      } else if (message.type === "turn") {
        say({ type: "move", game: message.game, ply: message.ply, pit: message.legal.at(-1) });
      } else if (message.type === "match_over") {
        say({ type: "goodbye" });
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, () => loop.quit());
      }
    });
    say(hello);
  });
}

play();
loop.run();
