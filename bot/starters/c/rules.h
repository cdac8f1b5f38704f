/* The rules "kalah". */
#ifndef RULES_H
#define RULES_H

enum { MOST_PITS = 16 };

typedef struct {
    int pits;                /* pits in each row */
    int stores[2];           /* of the mover and of the other player */
    int rows[2][MOST_PITS];  /* each in its owner's direction of sowing */
} Board;

/* Sow a pit of the mover; return whether the same player moves again. */
int sow(Board *board, int pit);

#endif
