// A mancala bot: change choose; the rest speaks the protocol mancala.v1, as SPEC.md describes it.
import java.net.URI;
import java.net.http.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;

public class Bot implements WebSocket.Listener {
    static String ladder, session = ""; // the session takes back the seats after a lost connection
    static int most; // matches to play
    static double back; // seconds to wait before the next connection
    static final Set<String> matches = new HashSet<>();
    String text = "";

    /** Returns a pit that moves again, or else the last legal one; mine are the bot's own pits. */
    static int choose(int[] mine, int[] legal) {
        for (int pit : legal) if (mine[pit] + pit == mine.length) return pit;
        return legal[legal.length - 1];
    }

    public static void main(String[] arguments) throws Exception { // URL NAME LADDER MATCHES
        ladder = arguments[2];
        most = Integer.parseInt(arguments[3]);
        String token = System.getenv("MANCALA_TOKEN"), hello = "{'type':'hello','protocol':'mancala.v1'";
        if (token != null) hello += ",'token':'" + token + "'";
        for (var client = HttpClient.newHttpClient(); most > 0; Thread.sleep((long) (1000 * back))) {
            back = 1;
            try {
                var socket = client.newWebSocketBuilder().buildAsync(URI.create(arguments[0]), new Bot()).join();
                send(socket, hello + ",'name':'%s'%s}", arguments[1], session);
                while (!socket.isInputClosed()) Thread.sleep(100);
            } catch (CompletionException error) {
                System.err.println(error.getMessage());
            }
        }
        System.exit(0); // ends the client's threads
    }

    static void receive(WebSocket socket, String type, String json) {
        if (type.equals("welcome")) session = ",'resume':'" + get(json, "session") + "'";
        if (type.equals("game_start")) matches.add(get(json, "match"));
        if (type.equals("welcome") || type.equals("game_start") && matches.size() == most)
            send(socket, "{'type':'%s','ladder':'%s'}", matches.size() < most ? "join" : "leave", ladder);
        if (type.equals("turn")) answer(socket, json, get(json, "game"), get(json, "ply"));
        if (type.equals("match_over") && matches.size() >= most) send(socket, "{'type':'goodbye'}");
        if (type.equals("match_over") && matches.size() >= most) most = 0;
        if (json.contains("\"reconnect_after\":")) back += Double.parseDouble(get(json, "reconnect_after"));
        if (type.equals("game_over") || type.equals("error")) System.out.println(json);
        if (json.contains("\"bad_resume\"")) session = "";
        else if (get(json, "fatal").equals("true") || get(json, "reason").equals("replaced")) System.exit(1);
    }

    static void answer(WebSocket socket, String json, String game, String ply) {
        String move = "{'type':'move','game':'%s','ply':%s,'pit':%d,'provisional':%b}";
        int[] pits = ints(get(json, "pits")), legal = ints(get(json, "legal"));
        int half = pits.length / 2, from = half * Integer.parseInt(get(json, "current_player"));
        send(socket, move, game, ply, legal[0], true); // played if the time runs out meanwhile
        send(socket, move, game, ply, choose(Arrays.copyOfRange(pits, from, from + half), legal), false);
    }

    static void send(WebSocket socket, String message, Object... values) {
        socket.sendText(String.format(message, values).replace('\'', '"'), true).orTimeout(2, TimeUnit.SECONDS).join();
    }

    static String get(String json, String field) {
        var found = Pattern.compile('"' + field + "\"\\s*:\\s*\"?([\\[\\]\\d,\\s]*\\]|[^\",}]*)").matcher(json);
        return found.find() ? found.group(1) : "";
    }

    static int[] ints(String text) {
        return Pattern.compile("\\d+").matcher(text).results().mapToInt(each -> Integer.parseInt(each.group())).toArray();
    }

    public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
        text += part;
        if (isLast) try { receive(socket, get(text, "type"), text); } catch (CompletionException lost) { socket.abort(); }
        if (isLast) text = "";
        return WebSocket.Listener.super.onText(socket, part, isLast); // asks for the next part
    }
}
