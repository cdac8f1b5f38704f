/* A mancala bot: change choose. `mancala bot` speaks the protocol of the server and comes back;
   this program reads positions and the milliseconds to think, and answers with pits (SPEC.md, 13). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rules.h"

/* Read a board such as <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>; return 0 if it is none. */
static int read_board(const char *text, Board *board) {
    int read = 0;
    if (sscanf(text, "<%d,%d,%d%n", &board->pits, &board->stores[0], &board->stores[1], &read) != 3)
        return 0;
    if (board->pits < 1 || board->pits > MOST_PITS) return 0;
    for (int i = 0; i < 2 * board->pits; i++) {
        int length = 0;
        int *pit = &board->rows[i / board->pits][i % board->pits];
        if (sscanf(text + read, ",%d%n", pit, &length) != 1) return 0;
        read += length;
    }
    return 1;
}

/* Return a pit that moves again, or else the last legal one. */
static int choose(const Board *board) {
    int best = 0;
    for (int pit = 0; pit < board->pits; pit++) {
        if (board->rows[0][pit] == 0) continue;
        Board after = *board;
        best = pit;
        if (sow(&after, pit)) break;
    }
    return best;
}

static void answer(const char *word, const char *number) {
    printf("%s%s\n", word, number);
    fflush(stdout);
}

/* Answer go: the first legal pit, then the chosen one. */
static void play(const Board *board, const char *number) {
    char word[16];
    for (int pit = 0; pit < board->pits; pit++) {
        if (board->rows[0][pit] == 0) continue;
        snprintf(word, sizeof word, "%d", pit);
        answer(word, number); /* the best so far: played if the time runs out */
        break;
    }
    snprintf(word, sizeof word, "%d", choose(board));
    answer(word, number);
    answer("done", number);
}

int main(void) {
    char line[1024];
    int is_ready = 0;
    Board board = {0};
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!is_ready) {
            is_ready = 1;
            answer("ready 2", ""); /* from now on the lines are those of version 2 */
        } else if (strncmp(line, "position ", 9) == 0) {
            read_board(line + 9, &board);
        } else if (strncmp(line, "go ", 3) == 0) { /* go MILLISECONDS #NUMBER */
            const char *mark = strchr(line, '#');
            char number[32] = "";
            if (mark) snprintf(number, sizeof number, " %.24s", mark);
            play(&board, number);
        } else if (strcmp(line, "quit") == 0) {
            break;
        } /* also told: rules, newgame, option and stop */
    }
    return 0;
}
