using System.Linq;

/// <summary>The rules "kalah". A board is a ring: your pits, your store, the other's pits, the other's store.</summary>
static class Rules
{
    /// <summary>Returns the board after a move; again: whether the same player moves again.</summary>
    public static int[] Sow(int[] before, int pit, out bool again)
    {
        var board = (int[])before.Clone();
        int store = board.Length / 2 - 1, ring = board.Length - 1; // the other's store is not sown
        board[pit] = 0;
        for (int seed = 1; seed <= before[pit]; seed++) board[(pit + seed) % ring]++;
        int last = (pit + before[pit]) % ring;
        if (last < store && board[last] == 1 && board[2 * store - last] > 0)
        {
            board[store] += 1 + board[2 * store - last];
            board[last] = board[2 * store - last] = 0;
        }
        int mine = board.Take(store).Sum(), others = board.Skip(store + 1).Take(store).Sum();
        again = last == store && mine > 0 && others > 0;
        if (mine > 0 && others > 0) return board;
        var over = new int[board.Length];
        over[store] = board[store] + mine;
        over[ring] = board[ring] + others;
        return over;
    }
}
