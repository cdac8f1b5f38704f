/* A line of positions.txt has pit, again (0 or 1), the board before and the board after; a board is
   the mover's pits, the mover's store, the other's pits, and the other's store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rules.h"

enum { MOST_NUMBERS = 2 + 4 * (MOST_PITS + 1) };

static Board board_of(const int *numbers, int pits) {
    Board board = {.pits = pits};
    for (int side = 0; side < 2; side++, numbers += pits + 1) {
        memcpy(board.rows[side], numbers, (size_t)pits * sizeof *numbers);
        board.stores[side] = numbers[pits];
    }
    return board;
}

int main(void) {
    FILE *file = fopen("positions.txt", "r");
    char line[512];
    int failed = 0;
    while (file && fgets(line, sizeof line, file)) {
        int numbers[MOST_NUMBERS], count = 0, read = 0;
        for (char *at = line; count < MOST_NUMBERS && sscanf(at, "%d%n", &numbers[count], &read) == 1; at += read)
            count++;
        int pits = (count - 2) / 4 - 1;
        Board board = board_of(numbers + 2, pits), after = board_of(numbers + 2 + 2 * (pits + 1), pits);
        int again = sow(&board, numbers[0]);
        if (again == numbers[1] && memcmp(&board, &after, sizeof board) == 0) continue;
        printf("sow is wrong in %s", line);
        failed = 1;
    }
    if (!file) perror("positions.txt");
    return !file || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
