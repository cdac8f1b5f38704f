/* The games that sow through the mover's store, played seed by seed: counts of positions and exact
 * values, with nothing in common with the engine: one array of cells, plain recursion.
 *
 *   cc -O2 -o family family.c
 *   ./family avalanche 6 4 perft 7     leaves 7 sowings below the start, a finished game one leaf
 *   ./family mangala 3 2 value         the first player's store less the other's under best play
 *
 * Cells 0..m-1 are the mover's pits, m its store, m+1..2m the other's pits, 2m+1 the other's store,
 * which is never sown. Values are kept by the cells of both rows: seeds in a store never return. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 34, SLOTS = 1 << 24 };
enum { AVALANCHE, CONGKAK, MANGALA, KALAH, GAMES };
typedef struct { uint8_t cell[MOST]; } Board;
typedef struct { uint8_t cell[MOST]; int8_t value, known; } Slot;

static const char *names[GAMES] = {"avalanche", "congkak", "mangala", "kalah"};
static int game, m;
static Slot *slots;

static int sum(const uint8_t *cell) {
  int seeds = 0;
  for (int i = 0; i < m; i++) seeds += cell[i];
  return seeds;
}

static int over(const Board *b) { return !sum(b->cell) || !sum(b->cell + m + 1); }

/* Sow a pit of the mover; return 1 when the mover sows again. A finished game is swept. */
static int sow(Board *b, int at) {
  uint8_t *cell = b->cell;
  for (;;) {
    int hand = cell[at];
    cell[at] = 0;
    if (game == MANGALA && hand > 1) cell[at]++, hand--;
    for (; hand; hand--) cell[at = (at + 1) % (2 * m + 1)]++;
    if (game != AVALANCHE && game != CONGKAK) break;
    if (at == m || cell[at] == 1) break;
  }
  int opposite = 2 * m - at, again = at == m;
  if (at < m && cell[at] == 1 && cell[opposite] && game != AVALANCHE) {
    cell[m] += 1 + cell[opposite];
    cell[at] = cell[opposite] = 0;
  } else if (at > m && cell[at] % 2 == 0 && game == MANGALA) {
    cell[m] += cell[at];
    cell[at] = 0;
  }
  if (!over(b)) return again;
  int mine = sum(cell), theirs = sum(cell + m + 1);
  cell[m] += game == MANGALA ? theirs : mine;
  cell[2 * m + 1] += game == MANGALA ? mine : theirs;
  memset(cell, 0, m);
  memset(cell + m + 1, 0, m);
  return 0;
}

static Board turned(const Board *b) {
  Board t = *b;
  memcpy(t.cell, b->cell + m + 1, m + 1);
  memcpy(t.cell + m + 1, b->cell, m + 1);
  return t;
}

static uint64_t perft(const Board *b, int depth) {
  if (!depth || over(b)) return 1;
  uint64_t leaves = 0;
  for (int pit = 0; pit < m; pit++) {
    if (!b->cell[pit]) continue;
    Board next = *b;
    if (!sow(&next, pit)) next = turned(&next);
    leaves += perft(&next, depth - 1);
  }
  return leaves;
}

static int lead(const Board *b) { return b->cell[m] - b->cell[2 * m + 1]; }

static int value(const Board *b) {
  if (over(b)) return lead(b);
  Board key = *b;
  key.cell[m] = key.cell[2 * m + 1] = 0;
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < 2 * m + 2; i++) hash = (hash ^ key.cell[i]) * 0x100000001b3u;
  Slot *slot = &slots[(hash ^ hash >> 31) % SLOTS];
  if (slot->known && !memcmp(slot->cell, key.cell, MOST)) return slot->value + lead(b);
  int best = -1000;
  for (int pit = 0; pit < m; pit++) {
    if (!b->cell[pit]) continue;
    Board next = *b;
    int again = sow(&next, pit), found;
    if (!again) next = turned(&next);
    found = value(&next);
    if (!again) found = -found;
    if (found > best) best = found;
  }
  memcpy(slot->cell, key.cell, MOST);
  slot->value = (int8_t)(best - lead(b));
  slot->known = 1;
  return best;
}

int main(int count, char **words) {
  for (game = 0; count > 4 && game < GAMES && strcmp(words[1], names[game]); game++) {}
  int seeds = count > 4 ? atoi(words[3]) : 0;
  m = count > 4 ? atoi(words[2]) : 0;
  if (count < 5 || game == GAMES || m < 1 || m > 16 || seeds < 1 || 2 * m * seeds > 127) {
    fprintf(stderr, "usage: family GAME PITS SEEDS perft DEPTH | value; at most 127 seeds\n");
    return 2;
  }
  slots = calloc(SLOTS, sizeof *slots);
  Board start = {{0}};
  memset(start.cell, seeds, m);
  memset(start.cell + m + 1, seeds, m);
  if (!strcmp(words[4], "value")) printf("%d\n", value(&start));
  else printf("%llu\n", (unsigned long long)perft(&start, count > 5 ? atoi(words[5]) : 0));
  return 0;
}
