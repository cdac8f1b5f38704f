import java.nio.file.*;
import java.util.*;

/** A line of positions.txt has pit, again (0 or 1), the board before and the board after. */
final class RulesTest {
    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Path.of("positions.txt"))) {
            int[] numbers = Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray();
            int middle = numbers.length / 2 + 1;
            var sowing = Rules.sow(Arrays.copyOfRange(numbers, 2, middle), numbers[0]);
            int[] after = Arrays.copyOfRange(numbers, middle, numbers.length);
            if (sowing.again() != (numbers[1] == 1) || !Arrays.equals(sowing.board(), after))
                throw new AssertionError(line + ": got " + Arrays.toString(sowing.board()) + ", again " + sowing.again());
        }
        System.out.println("sow keeps to the rules");
    }
}
