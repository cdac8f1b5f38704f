// A mancala bot: change choose; the rest speaks the protocol mancala.v1, as SPEC.md describes it.
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;

public class Bot implements WebSocket.Listener {
    static String ladder, session = ""; // the session takes back the seats after a lost connection
    static Path file; // keeps the session for a bot that was killed
    static int most; // matches to play
    static double back; // seconds to wait before the next connection
    static final Set<String> matches = new HashSet<>(), playing = new HashSet<>(); // all, and those under way
    static final Map<String, String> games = new HashMap<>(); // the game_start of each under way
    static boolean isRefused; // whether the ladder takes this bot no more
    static CompletableFuture<WebSocket> sent; // completes when all messages so far have left
    String text = "";

    /** Returns a pit that moves again, or else the last legal one; for the board see Rules. */
    static int choose(int[] board, int[] legal) {
        for (int pit : legal) if (Rules.sow(board, pit).again()) return pit;
        return legal[legal.length - 1];
    }

    public static void main(String[] arguments) throws Exception {
        boolean isComplete = arguments.length == 4 && arguments[3].matches("[1-9][0-9]*");
        if (!isComplete) { System.err.println("usage: java Bot URL NAME LADDER MATCHES"); System.exit(1); }
        ladder = arguments[2];
        file = Path.of(arguments[1] + ".session");
        if (Files.exists(file)) session = ",'resume':'" + Files.readString(file) + "'";
        String agent = ",'agent':{'name':'my-bot','version':'my-version'}"; // each version has a rating of its own
        String token = System.getenv("MANCALA_TOKEN"), secret = token == null ? "" : ",'token':'" + token + "'";
        most = Integer.parseInt(arguments[3]);
        for (var client = HttpClient.newHttpClient(); most > 0; Thread.sleep((long) (1000 * back))) {
            back = 1;
            sent = client.newWebSocketBuilder().buildAsync(URI.create(arguments[0]), new Bot());
            send("{'type':'hello','protocol':'mancala.v1','name':'%s'%s%s%s}", arguments[1], agent, secret, session);
            while (!sent.isCompletedExceptionally() && !(sent.isDone() && sent.join().isInputClosed())) {
                Thread.sleep(500);
                send(""); // a ping, which fails when the connection is lost
            }
            if (most > 0) sent.whenComplete((it, error) -> System.err.println("the connection ended: " + error));
        }
        Files.deleteIfExists(file);
        System.exit(isRefused ? 1 : 0); // ends the client's threads
    }

    static void receive(String type, String json) {
        if (type.equals("welcome")) welcome(json);
        if (type.equals("game_start")) {
            matches.add(Message.get(json, "match"));
            playing.add(Message.get(json, "match"));
            games.put(Message.get(json, "game"), json);
        }
        if (type.equals("welcome") || type.equals("game_start") && matches.size() == most)
            send("{'type':'%s','ladder':'%s'}", matches.size() < most ? "join" : "leave", ladder);
        if (type.equals("turn")) answer(json, Message.get(json, "game"), Message.get(json, "ply"));
        if (type.equals("match_over")) playing.remove(Message.get(json, "match"));
        if (json.contains("\"reconnect_after\":")) back += Double.parseDouble(Message.get(json, "reconnect_after"));
        if (type.equals("game_over")) System.out.println(Message.result(games.remove(Message.get(json, "game")), json));
        if (type.equals("error")) System.err.println(Message.get(json, "message"));
        if (List.of("unknown_ladder", "forbidden", "quarantined").contains(Message.get(json, "code"))) isRefused = true;
        if (json.contains("\"bad_resume\"")) session = ""; // the next connection begins anew
        else if (Message.get(json, "fatal").equals("true") || Message.get(json, "reason").equals("replaced")) System.exit(1);
        if (playing.isEmpty() && (isRefused || matches.size() >= most)) { send("{'type':'goodbye'}"); most = 0; }
    }

    static void welcome(String json) {
        String secret = Message.get(json, "session");
        playing.clear(); // of those that it does not name here, the server knows nothing more
        playing.addAll(Message.texts(json, "matches"));
        session = ",'resume':'" + secret + "'";
        try { Files.writeString(file, secret); } catch (java.io.IOException error) { System.err.println(error); }
    }

    static void answer(String json, String game, String ply) {
        String move = "{'type':'move','game':'%s','ply':%s,'pit':%d,'provisional':%b}";
        int me = Integer.parseInt(Message.get(json, "current_player")), legal[] = Message.ints(json, "legal");
        int[] board = Rules.board(Message.ints(json, "pits"), Message.ints(json, "stores"), me);
        send(move, game, ply, legal[0], true); // played if the time runs out meanwhile
        send(move, game, ply, choose(board, legal), false);
    }

    static synchronized void send(String message, Object... values) { // in turn: one may be under way at a time
        String json = String.format(message, values).replace('\'', '"');
        sent = sent.thenCompose(it -> json.isEmpty() ? it.sendPing(java.nio.ByteBuffer.allocate(0)) : it.sendText(json, true));
    }

    public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
        text += part;
        if (isLast) { receive(Message.get(text, "type"), text); text = ""; }
        return WebSocket.Listener.super.onText(socket, part, isLast); // asks for the next part
    }
}
