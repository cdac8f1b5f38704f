using System;
using System.IO;
using System.Linq;

/// <summary>A line of positions.txt has pit, again (0 or 1), the board before and the board after.</summary>
static class RulesTest
{
    static int Main()
    {
        foreach (string line in File.ReadLines("positions.txt"))
        {
            int[] numbers = line.Split(' ').Select(int.Parse).ToArray();
            int size = numbers.Length / 2 - 1;
            int[] after = Rules.Sow(numbers.Skip(2).Take(size).ToArray(), numbers[0], out bool again);
            if (again == (numbers[1] == 1) && after.SequenceEqual(numbers.Skip(2 + size))) continue;
            Console.WriteLine("Sow is wrong in {0}: {1}, again {2}", line, string.Join(" ", after), again);
            return 1;
        }
        Console.WriteLine("Sow keeps to the rules");
        return 0;
    }
}
