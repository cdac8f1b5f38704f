import java.util.Arrays;

/** The rules "kalah". A board is a ring: your pits, your store, the other's pits, the other's store. */
final class Rules {
    /** The board after a move, and whether the same player moves again. */
    record Sowing(int[] board, boolean again) {}

    static Sowing sow(int[] before, int pit) {
        int[] board = before.clone();
        int store = board.length / 2 - 1, ring = board.length - 1; // the other's store is not sown
        int last = (pit + board[pit]) % ring;
        board[pit] = 0;
        for (int seed = 1; seed <= before[pit]; seed++) board[(pit + seed) % ring]++;
        if (last < store && board[last] == 1 && board[2 * store - last] > 0) {
            board[store] += 1 + board[2 * store - last];
            board[last] = board[2 * store - last] = 0;
        }
        int mine = Arrays.stream(board, 0, store).sum(), others = Arrays.stream(board, store + 1, ring).sum();
        if (mine > 0 && others > 0) return new Sowing(board, last == store);
        board[store] += mine; // the game is over
        board[ring] += others;
        Arrays.fill(board, 0, store, 0);
        Arrays.fill(board, store + 1, ring, 0);
        return new Sowing(board, false);
    }

    /** The board of a position on the wire: pits and stores of player 0 first, and whose turn it is. */
    static int[] board(int[] pits, int[] stores, int me) {
        int half = pits.length / 2;
        int[] board = new int[pits.length + 2];
        for (int player = 0; player < 2; player++) {
            int at = player == me ? 0 : half + 1;
            System.arraycopy(pits, half * player, board, at, half);
            board[at + half] = stores[player];
        }
        return board;
    }
}
