/* The textbook player that strength on wide boards is measured against: alpha-beta with iterative
 * deepening, a transposition table, re-turns first, and the difference of stores as evaluation.
 * Rules of `kalah` (no capture where the opposite pit is empty), any width up to 16.
 *
 * Values are what the mover still gains over the other, as stores never come back into play. */
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, BITS = 20, DEEPEST = 60, INFINITE = 1000 };
enum { NONE, LOWER, UPPER, EXACT };

typedef struct { uint8_t pits[2][MOST]; } Rows; /* the mover's first */
typedef struct { uint64_t key; int16_t value; int8_t depth, bound, pit; } Entry;
typedef struct { Rows rows; int gain, again, pit; } Move;

static Entry table[1 << BITS];
static uint64_t codes[2][MOST][256];
static int pits, stopped;
static int64_t nodes, most, deadline;

static int64_t now(void) { /* processor time of this thread, ns */
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static uint64_t key_of(const Rows *r) {
  uint64_t key = 0;
  for (int i = 0; i < pits; i++) key ^= codes[0][i][r->pits[0][i]] ^ codes[1][i][r->pits[1][i]];
  return key;
}

static Move sow(const Rows *from, int pit) {
  Move m = {*from, 0, 0, pit};
  int hand = m.rows.pits[0][pit], at = pit;
  m.rows.pits[0][pit] = 0;
  while (hand--) { /* places 0..m-1 are the mover's, m its store, m+1..2m the other's */
    at = at == 2 * pits ? 0 : at + 1;
    if (at == pits) m.gain++;
    else m.rows.pits[at > pits][at > pits ? at - pits - 1 : at]++;
  }
  m.again = at == pits;
  if (at < pits && m.rows.pits[0][at] == 1 && m.rows.pits[1][pits - 1 - at]) {
    m.gain += 1 + m.rows.pits[1][pits - 1 - at];
    m.rows.pits[0][at] = m.rows.pits[1][pits - 1 - at] = 0;
  }
  if (!m.again) {
    Rows turned = m.rows;
    memcpy(m.rows.pits[0], turned.pits[1], MOST);
    memcpy(m.rows.pits[1], turned.pits[0], MOST);
  }
  return m;
}

static int moves_of(const Rows *r, int first, Move *moves) {
  int count = 0, scores[MOST];
  for (int pit = pits - 1; pit >= 0; pit--) {
    if (!r->pits[0][pit]) continue;
    Move m = sow(r, pit);
    int score = pit == first ? INFINITE : (m.again ? 500 : 0) + m.gain, at = count++;
    for (; at && scores[at - 1] < score; at--) moves[at] = moves[at - 1], scores[at] = scores[at - 1];
    moves[at] = m, scores[at] = score;
  }
  return count;
}

static int search(const Rows *r, int depth, int alpha, int beta) {
  int mine = 0, theirs = 0, best = -INFINITE, given = alpha, chosen = -1;
  for (int i = 0; i < pits; i++) mine += r->pits[0][i], theirs += r->pits[1][i];
  if (!mine || !theirs) return mine - theirs;
  if (depth == 0) return 0;
  if (++nodes >= most || (!(nodes & 1023) && now() >= deadline)) stopped = 1;
  if (stopped) return 0;
  uint64_t key = key_of(r);
  Entry *e = &table[key >> (64 - BITS)];
  if (e->bound && e->key == key) {
    if (e->depth >= depth && (e->bound == EXACT || (e->bound == LOWER && e->value >= beta) ||
                              (e->bound == UPPER && e->value <= alpha)))
      return e->value;
    chosen = e->pit;
  }
  Move moves[MOST];
  int count = moves_of(r, chosen, moves);
  for (int i = 0; i < count && alpha < beta; i++) {
    Move *m = &moves[i];
    int value = m->again ? m->gain + search(&m->rows, depth - 1, alpha - m->gain, beta - m->gain)
                         : m->gain - search(&m->rows, depth - 1, m->gain - beta, m->gain - alpha);
    if (stopped) return 0;
    if (value > best) best = value, chosen = m->pit;
    if (best > alpha) alpha = best;
  }
  *e = (Entry){key, (int16_t)best, (int8_t)depth,
               best >= beta ? LOWER : best > given ? EXACT : UPPER, (int8_t)chosen};
  return best;
}

/* Return the pit to sow after `ns` nanoseconds of processor time or `limit` nodes; `rows` are
 * 2 * width counts. `found` becomes the nodes, the plies searched, and what the rows are worth. */
int choose(const uint8_t *rows, int width, int64_t ns, int64_t limit, int64_t *found) {
  Rows r = {0};
  uint64_t seed = 88172645463325252ull;
  deadline = now() + ns, most = limit, pits = width, nodes = 0, stopped = 0;
  if (!codes[0][0][0])
    for (uint64_t *c = codes[0][0]; c < codes[0][0] + 2 * MOST * 256; c++)
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17, *c = seed;
  memcpy(r.pits[0], rows, (size_t)width), memcpy(r.pits[1], rows + width, (size_t)width);
  Move moves[MOST];
  int best = (moves_of(&r, -1, moves), moves[0].pit);
  for (int depth = 0; depth < DEEPEST; depth++) {
    int alpha = -INFINITE, chosen = best, count = moves_of(&r, best, moves);
    for (int i = 0; i < count && !stopped; i++) {
      Move *m = &moves[i];
      int value = m->again ? m->gain + search(&m->rows, depth, alpha - m->gain, INFINITE)
                           : m->gain - search(&m->rows, depth, -INFINITE, m->gain - alpha);
      if (!stopped && value > alpha) alpha = value, chosen = m->pit;
    }
    if (stopped) break; /* an iteration that was cut off counts for nothing */
    best = chosen, found[1] = depth + 1, found[2] = alpha;
  }
  found[0] = nodes;
  return best;
}

/* Forget what an earlier game has left. */
void forget(void) { memset(table, 0, sizeof table); }
