/* The limit to compare with: perft and the proof search of engine/kernels.py, written in C.
 *
 * The same algorithms on the same arrays, six pits, rules of `kalah`: what a compiler makes of
 * them when no Python is near. Both must count the same nodes as the kernels do. The evaluation
 * that orders a proof's moves is the one part left out: its weights are all 0 in the bench. */
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;
typedef int64_t i64;

enum { PITS = 6, STORE = 48, SLOTS = 4, NO_PIT = 15, PLIES = 2048, RANK_STRIDE = 40 };
static const u64 ONES = 0x0101010101010101ull, ROW = (1ull << 48) - 1;
static const u64 MASK40 = (1ull << 40) - 1, MASK56 = (1ull << 56) - 1;
static const u64 MIX_OWN = 0x9E3779B97F4A7C15ull;
static const u64 MIX_OTHER = 0xC2B2AE3D27D4EB4Full & ((1ull << 56) - 1);
static const u64 MIX_BOTH = 0xD6E8FEB86659FD93ull & ((1ull << 56) - 1);

typedef struct { u64 me, you; int again; } Sown;

static inline Sown sow(const u64 *sowing, u64 me, u64 you, unsigned pit, u64 hand) {
  const u64 *row = sowing + (((hand << 3) | pit) << 2);
  me += row[0];
  you += row[1];
  u64 last = row[2];
  if (last < STORE && ((me >> last) & 255) == 1) {
    u64 opposite = STORE - 8 - last, taken = (you >> opposite) & 255;
    if (taken) {
      me += ((taken + 1) << STORE) - (1ull << last);
      you -= taken << opposite;
    }
  }
  return (Sown){me, you, (int)row[3]};
}

static inline u64 sum(u64 word) { return (word * ONES) >> 56; }

static inline i64 leaves_at_one(u64 me, u64 you) {
  u64 x = me & ROW, sevens = 0x7F7F7F7F7F7F7F7Full;
  if (!x || !(you & ROW)) return 1;
  return (i64)sum(((((x & sevens) + sevens) | x) & ~sevens) >> 7);
}

i64 perft(const u64 *sowing, u64 me, u64 you, int depth) {
  if (depth < 2) return depth ? leaves_at_one(me, you) : 1;
  if (!(me & ROW) || !(you & ROW)) return 1;
  i64 leaves = 0;
  for (unsigned pit = 0; pit < PITS; pit++) {
    u64 hand = (me >> (8 * pit)) & 255;
    if (!hand) continue;
    Sown s = sow(sowing, me, you, pit, hand);
    u64 mover = s.again ? s.me : s.you, waiting = s.again ? s.you : s.me;
    leaves += depth == 2 ? leaves_at_one(mover, waiting) : perft(sowing, mover, waiting, depth - 1);
  }
  return leaves;
}

typedef struct { u64 x, y, place; int gain, again, pit, kind; } Child;
typedef struct {
  u64 me, you, hash;
  int alpha0, alpha, beta, best, pit, seeds, cursor, open, known, order[8];
  i64 began;
  Child child[8];
} Frame;
static Frame stack[PLIES];
static i64 nodes;

static inline u64 hashed(u64 a, u64 b) {
  u64 h = ((b * MIX_OTHER) ^ ((a * MIX_OWN) >> 8)) & MASK56;
  h = ((h ^ (h >> 28)) * MIX_BOTH) & MASK56;
  return h ^ (h >> 28);
}

static inline u64 *bucket(u64 *entries, u64 h, int bits) {
  return entries + (h >> (56 - bits)) * (2 * SLOTS);
}

static inline u64 find(const u64 *b, u64 a, u64 h) {
  for (int i = 0; i < 2 * SLOTS; i += 2) {
    u64 low = b[i + 1], high = b[i] ^ low;
    if ((high & MASK56) == a && (low & MASK40) == (h & MASK40))
      return (high >> 56) | ((low >> 40) << 8);
  }
  return 0;
}

static inline void keep(u64 *b, u64 a, u64 h, u64 data) {
  int at = 0;
  u64 least = 255;
  for (int i = 0; i < 2 * SLOTS; i += 2) {
    u64 low = b[i + 1];
    if (((b[i] ^ low) & MASK56) == a && (low & MASK40) == (h & MASK40)) { at = i; break; }
    u64 work = (low >> 43) & 7;
    if (work < least) { at = i; least = work; }
  }
  u64 low = (h & MASK40) | ((data >> 8) << 40);
  b[at + 1] = low;
  b[at] = (a | (data << 56)) ^ low;
}

static inline int lower_in(u64 data) { return (int)((data >> 14) & 511) - 256; }
static inline int upper_in(u64 data) { return (int)((data >> 23) & 511) - 256; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline int min(int a, int b) { return a < b ? a : b; }

typedef struct {
  const u64 *sowing, *ranks;
  const uint8_t *values;
  const int8_t *mover_part, *waiter_part;
  int reach, bits;
  u64 *entries;
} Tables;

/* The index of a position in the endgame tables, and its floor above bit 56. */
static inline u64 key_of(const Tables *t, u64 x, u64 y) {
  u64 own = x * ONES, other = y * ONES, high = 0, low = 0;
  for (int lane = 0; lane < 6; lane++) {
    high += t->ranks[RANK_STRIDE * lane + ((own >> (8 * lane)) & 255)];
    low += t->ranks[RANK_STRIDE * lane + ((other >> (8 * lane)) & 255)];
  }
  u64 a = own >> 56, b = other >> 56;
  const u64 *starts = t->ranks + 6 * RANK_STRIDE, *rows = t->ranks + 7 * RANK_STRIDE;
  u64 index = t->ranks[(8 + a) * RANK_STRIDE + b] + high * rows[b] + low;
  int level = t->mover_part[starts[a] + high] + t->waiter_part[starts[b] + low];
  return index | (u64)min(max(level >> 2, 0), max((int)(a + b) - 14, 0)) << 56;
}

/* The seeds that the mover collects; code 15 stands for what the children say. */
static int won_at(const Tables *t, u64 key, u64 me, u64 you) {
  u64 index = key & MASK56;
  int code = (t->values[index >> 1] >> ((index & 1) << 2)) & 15, best = 0;
  if (code != 15) return (int)(key >> 56) + code;
  for (int pit = 0; pit < PITS; pit++) {
    u64 hand = (me >> (8 * pit)) & 255;
    if (!hand) continue;
    Sown s = sow(t->sowing, me, you, pit, hand);
    u64 own = s.me & ROW, x = s.again ? own : s.you, y = s.again ? s.you : own;
    int won = own && s.you ? won_at(t, key_of(t, x, y), x, y) : (int)sum(x);
    best = max(best, s.again ? (int)(s.me >> STORE) + won : (int)(sum(me) + sum(you)) - won);
  }
  return best;
}

static inline int pits_of(u64 word) {
  int count = 0;
  for (int lane = 0; lane < PITS; lane++) count += ((word >> (8 * lane)) & 255) != 0;
  return count;
}

/* How promising and how cheap a child's proof seems: see ordering.py, with an evaluation of 0. */
static inline int score_of(const Tables *t, const Frame *f, const Child *c) {
  if (f->seeds < max(t->reach, 8) + 6) return c->again ? 4096 + c->pit : c->gain * 8 + c->pit;
  int gain = c->gain * 64, cost = c->again ? -80 : 12 * pits_of(c->x);
  return gain + ((gain * 5) >> 4) - cost + (1 << 14);
}

static void expand(const Tables *t, Frame *f) {
  f->alpha0 = f->alpha;
  f->best = -(1 << 20);
  f->pit = NO_PIT;
  f->cursor = f->open = f->known = 0;
  f->began = nodes;
  f->hash = hashed(f->me, f->you);
  u64 data = find(bucket(t->entries, f->hash, t->bits), f->me, f->hash);
  int table_pit = data ? (int)((data >> 7) & 15) : NO_PIT;
  if (data) {
    int lower = lower_in(data), upper = upper_in(data);
    if (lower >= f->beta || lower == upper) { f->best = lower; f->known = 1; return; }
    if (upper <= f->alpha) { f->best = upper; f->known = 1; return; }
  }
  int children = 0;
  for (int pit = PITS - 1; pit >= 0; pit--) {
    u64 hand = (f->me >> (8 * pit)) & 255;
    if (!hand) continue;
    Child *c = &f->child[children++];
    Sown s = sow(t->sowing, f->me, f->you, pit, hand);
    u64 own = s.me & ROW;
    *c = (Child){s.again ? own : s.you, s.again ? s.you : own, 0, (int)(s.me >> STORE), s.again, pit, 2};
    if (!own || !s.you) {
      c->kind = 0;
      c->gain += (int)sum(own) - (int)sum(s.you);
    } else if (f->seeds - c->gain <= t->reach) {
      c->kind = 1;
      c->place = key_of(t, c->x, c->y);
      __builtin_prefetch(t->values + ((c->place & MASK56) >> 1));
    } else {
      c->place = hashed(c->x, c->y);
      __builtin_prefetch(bucket(t->entries, c->place, t->bits));
    }
  }
  for (int i = 0; i < children; i++) {
    Child *c = &f->child[i];
    int lower, upper;
    if (c->kind == 0) {
      lower = upper = c->gain;
    } else if (c->kind == 1) {
      int value = 2 * won_at(t, c->place, c->x, c->y) - (f->seeds - c->gain);
      lower = upper = c->again ? c->gain + value : c->gain - value;
    } else {
      u64 found = find(bucket(t->entries, c->place, t->bits), c->x, c->place);
      upper = f->seeds - c->gain;
      lower = -upper;
      if (found) {
        lower = max(lower, lower_in(found));
        upper = min(upper, upper_in(found));
      }
      int low = c->again ? c->gain + lower : c->gain - upper;
      upper = c->again ? c->gain + upper : c->gain - lower;
      lower = low;
    }
    f->best = max(f->best, lower);
    if (lower > f->alpha) {
      f->alpha = lower;
      f->pit = c->pit;
      if (lower >= f->beta) { f->open = 0; return; }
    }
    if (upper <= f->alpha) {
      f->best = max(f->best, upper);
    } else {
      int score = c->pit == table_pit ? 1 << 20 : score_of(t, f, c);
      int item = score * 16 + i, at = f->open++;
      while (at > 0 && f->order[at - 1] < item) { f->order[at] = f->order[at - 1]; at--; }
      f->order[at] = item;
    }
  }
}

static void finish(const Tables *t, Frame *f) {
  if (f->known) return;
  u64 *b = bucket(t->entries, f->hash, t->bits), old = find(b, f->me, f->hash);
  int lower = old ? lower_in(old) : -256, upper = old ? upper_in(old) : 255;
  if (f->best > f->alpha0) lower = max(lower, f->best);
  if (f->best < f->beta) upper = min(upper, f->best);
  u64 work = 0;
  for (i64 n = nodes - f->began; n > 7 && work < 7; n >>= 3) work++;
  keep(b, f->me, f->hash,
       127 | ((u64)f->pit << 7) | (work << 11) | ((u64)(lower + 256) << 14) | ((u64)(upper + 256) << 23));
}

/* Tell the bound that the question "at least beta?" proves of a position; nodes in *count. */
int prove(const u64 *sowing, const u64 *ranks, const uint8_t *values, const int8_t *mover_part,
          const int8_t *waiter_part, int reach, u64 *entries, int bits, u64 me, u64 you, int beta,
          i64 *count) {
  Tables t = {sowing, ranks, values, mover_part, waiter_part, reach, bits, entries};
  Frame *f = stack;
  f->me = me;
  f->you = you;
  f->alpha = beta - 2;
  f->beta = beta;
  f->seeds = (int)(sum(me) + sum(you));
  nodes = 0;
  int entering = 1;
  for (;;) {
    if (entering) {
      nodes++;
      expand(&t, f);
    }
    if (f->cursor < f->open) {
      Child *c = &f->child[f->order[f->cursor] & 15];
      Frame *g = f + 1;
      g->me = c->x;
      g->you = c->y;
      g->seeds = f->seeds - c->gain;
      g->alpha = c->again ? f->alpha - c->gain : c->gain - f->beta;
      g->beta = c->again ? f->beta - c->gain : c->gain - f->alpha;
      f = g;
      entering = 1;
      continue;
    }
    finish(&t, f);
    if (f == stack) break;
    int value = f->best;
    f--;
    Child *c = &f->child[f->order[f->cursor++] & 15];
    value = c->again ? c->gain + value : c->gain - value;
    f->best = max(f->best, value);
    if (value > f->alpha) {
      f->alpha = value;
      f->pit = c->pit;
      if (value >= f->beta) f->open = 0;
    }
    entering = 0;
  }
  *count = nodes;
  return stack[0].best;
}
