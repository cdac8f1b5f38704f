import java.util.*;
import java.util.regex.*;

/** Reads single members of messages; for more, take a library for JSON. */
class Message {
    /** Returns a member as its text, without the quotes of a string; "" if there is none. */
    static String get(String json, String member) {
        String text = "\"((?:[^\"\\\\]|\\\\.)*)\"", other = "([\\[\\]\\d,\\s]*\\]|\\[[^\\[\\]]*\\]|[^\",}]*)";
        var found = Pattern.compile('"' + member + "\"\\s*:\\s*(?:" + text + "|" + other + ")").matcher(json);
        if (!found.find()) return "";
        return found.group(1) == null ? found.group(2) : found.group(1);
    }

    static int[] ints(String json, String member) {
        String list = get(json, member);
        return Pattern.compile("\\d+").matcher(list).results().mapToInt(each -> Integer.parseInt(each.group())).toArray();
    }

    static List<String> texts(String json, String member) {
        String list = get(json, member);
        return Pattern.compile("[^\\[\\]\",\\s]+").matcher(list).results().map(MatchResult::group).toList();
    }

    /** Says how a game ended for its bot, from its game_start and game_over. */
    static String result(String start, String over) {
        int seat = Integer.parseInt(get(start, "seat"));
        int[] stores = ints(over, "stores");
        String opponent = texts(start, "names").get(1 - seat), reason = get(over, "reason"), winner = get(over, "winner");
        String won = winner.equals("null") ? "drawn" : winner.equals("" + seat) ? "won" : "lost";
        if (reason.equals("aborted")) won = "void";
        return String.format("%s %d:%d against %s (%s) %s", won, stores[seat], stores[1 - seat], opponent, reason, get(over, "detail"));
    }
}
