// A mancala bot: change Choose. `mancala bot` speaks the protocol of the server and comes back;
// this program reads positions and the time to think, and answers with pits (SPEC.md, 13).
using System;
using System.Linq;

static class Bot
{
    /// <summary>Returns a pit that moves again, or else the last legal one; for the board see Rules.</summary>
    static int Choose(int[] board, int[] legal)
    {
        foreach (int pit in legal)
        {
            Rules.Sow(board, pit, out bool again);
            if (again) return pit;
        }
        return legal.Last();
    }

    static void Main()
    {
        int[] board = null;
        if (Console.ReadLine() != null) Console.WriteLine("ready 2"); // then the lines are those of version 2
        for (string line; (line = Console.ReadLine()) != null && line != "quit";)
        {
            string[] words = line.Split(' ');
            if (words[0] == "position") board = Read(words[1]);
            else if (words[0] == "go") Answer(board, words.Last()); // go MILLISECONDS #NUMBER
        } // also told: rules, newgame, option and stop
    }

    static void Answer(int[] board, string number)
    {
        int[] legal = Enumerable.Range(0, board.Length / 2 - 1).Where(pit => board[pit] > 0).ToArray();
        Console.WriteLine("{0} {1}", legal[0], number); // the best so far: played if the time runs out
        Console.WriteLine("{0} {1}", Choose(board, legal), number);
        Console.WriteLine("done {0}", number);
    }

    /// <summary>Reads a board such as &lt;6,0,0,4,4,4,4,4,4,4,4,4,4,4,4&gt;: pits of a row, stores, rows.</summary>
    static int[] Read(string text)
    {
        int[] numbers = text.Trim('<', '>').Split(',').Select(int.Parse).ToArray();
        var mine = numbers.Skip(3).Take(numbers[0]).Concat(numbers.Skip(1).Take(1));
        return mine.Concat(numbers.Skip(3 + numbers[0])).Concat(numbers.Skip(2).Take(1)).ToArray();
    }
}
