#include "rules.h"

static int sum(const int *row, int pits) {
    int seeds = 0;
    for (int pit = 0; pit < pits; pit++) seeds += row[pit];
    return seeds;
}

/* Put the seeds that are left into their owners' stores. */
static void sweep(Board *board) {
    for (int side = 0; side < 2; side++) {
        board->stores[side] += sum(board->rows[side], board->pits);
        for (int pit = 0; pit < board->pits; pit++) board->rows[side][pit] = 0;
    }
}

int sow(Board *board, int pit) {
    int pits = board->pits, last = pit, seeds = board->rows[0][pit];
    board->rows[0][pit] = 0;
    while (seeds--) {
        last = (last + 1) % (2 * pits + 1); /* the other's store is not sown */
        if (last < pits) board->rows[0][last]++;
        else if (last == pits) board->stores[0]++;
        else board->rows[1][last - pits - 1]++;
    }
    if (last < pits && board->rows[0][last] == 1 && board->rows[1][pits - 1 - last]) {
        board->stores[0] += 1 + board->rows[1][pits - 1 - last];
        board->rows[0][last] = board->rows[1][pits - 1 - last] = 0;
    }
    if (sum(board->rows[0], pits) && sum(board->rows[1], pits)) return last == pits;
    sweep(board);
    return 0;
}
