/* Prove the leaves of a certificate of a value of Kalah again, with nothing in common with the
 * engine that wrote it: own sowing, own endgame tables, own search. check.c and check.py show that
 * the certificate follows from its leaves; this shows the leaves.
 *
 * Build and run:
 *   cc -O3 -march=native -pthread -o prove prove.c
 *   ./prove tables TABLES SEEDS THREADS PITS [single]   build the tables up to SEEDS seeds in play
 *   ./prove probe TABLES COUNT                    compare COUNT random entries with plain recursion
 *   ./prove leaves TABLES LOG THREADS FILE [PART PARTS]
 *   ./prove values TABLES LOG THREADS BOARDS      find what each move of some positions is worth
 * With `single`, a last seed in an empty pit of its own row is captured also where the opposite pit is
 * empty, as in certificates of kalah-empty-capture; tables are of one rule.
 * FILE is a certificate (unpack a .xz or .gz file first). LOG gets a line for each leaf: what it asserts,
 * whether that holds, nodes, seconds. A leaf that LOG has already is not proven again, so a run that
 * was ended goes on; leaves that take few nodes come first. PART of PARTS (from 0) takes each
 * PARTS-th leaf, for several machines.
 * BOARDS has a position a line, as in certificates, but with stores; LOG gets a line for each: the
 * mover's store less the other's at the end of the game under best play of both, by pit.
 * Exit code 0: all leaves of the part hold. 1: one does not, or something else is wrong.
 *
 * Theory. The value of a position is what its mover gains from here, so it depends on the pits
 * alone: seeds in a store never return. A table has the value of every position of up to SEEDS seeds
 * in one byte, at the position's rank among all: the sum over cells i of C(seeds in cells 0..i + i,
 * i + 1). A move that reaches no store keeps the seeds but carries them forward, so a layer of equal
 * seeds is filled by recursion. The search answers "is the value at least v?" and keeps the bounds it
 * proves in a table whose entries hold the whole position: no two positions are ever confused. The
 * order of moves decides only how long that takes; it comes from weights, one a cell and count,
 * fitted to the endgame tables before the search. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { CELLS = 12, MOST = 84, UNKNOWN = -128, LINE = 512, WEIGHED = 16, SLOTS = 4 };
typedef struct { uint8_t cell[CELLS]; } Board; /* the mover's pits, then the other's */
typedef struct { Board board; int gain, again, over, left, score; uint64_t place; } Move;

static int pits = 6, cells = 12, most_seeds, takes_single;
static int8_t *table;
static uint64_t rank_of[CELLS][MOST + CELLS], positions;
static float weight[CELLS][WEIGHED + 1];

static void *fail(const char *why, const char *what) {
  fprintf(stderr, "%s%s%s\n", why, *what ? ": " : "", what);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t choose(int n, int k) {
  uint64_t result = 1;
  for (int i = 1; i <= k; i++) result = result * (uint64_t)(n - k + i) / (uint64_t)i;
  return n < k ? 0 : result;
}

static void *room(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("no memory", "");
  madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

/* ---- rules ---- */

static int total(const Board *b) {
  int sum = 0;
  for (int i = 0; i < cells; i++) sum += b->cell[i];
  return sum;
}

static int row(const Board *b, int first) {
  int sum = 0;
  for (int i = first; i < first + pits; i++) sum += b->cell[i];
  return sum;
}

/* Sow a pit. The board afterwards is that of its mover, with the seeds left on it. */
static void sow(const Board *from, int seeds, int pit, Move *move) {
  Board b = *from;
  int hand = b.cell[pit], at = pit, gain = 0;
  b.cell[pit] = 0;
  while (hand--) {
    at = at == 2 * pits ? 0 : at + 1; /* own pits, own store at place `pits`, the other's pits */
    if (at < pits) b.cell[at]++;
    else if (at > pits) b.cell[at - 1]++;
    else gain++;
  }
  move->again = at == pits;
  if (at < pits && b.cell[at] == 1 && (takes_single || b.cell[cells - 1 - at])) {
    gain += 1 + b.cell[cells - 1 - at];
    b.cell[at] = b.cell[cells - 1 - at] = 0;
  }
  move->left = seeds - gain;
  int own = row(&b, 0);
  move->over = !own || own == move->left;
  move->gain = gain + (move->over ? 2 * own - move->left : 0);
  if (move->again) move->board = b;
  else {
    memcpy(move->board.cell, b.cell + pits, (size_t)pits);
    memcpy(move->board.cell + pits, b.cell, (size_t)pits);
  }
}

static int sow_all(const Board *b, int seeds, Move *moves) {
  int count = 0;
  for (int pit = pits - 1; pit >= 0; pit--)
    if (b->cell[pit]) sow(b, seeds, pit, &moves[count++]);
  return count;
}

/* ---- tables ---- */

static void set_up(int wanted_pits, int seeds) {
  if (wanted_pits < 1 || 2 * wanted_pits > CELLS || seeds < 1 || seeds > 40)
    fail("1 to 6 pits a row, tables of 1 to 40 seeds", "");
  pits = wanted_pits;
  cells = 2 * pits;
  most_seeds = seeds;
  for (int i = 0; i < cells; i++)
    for (int sum = 0; sum < MOST; sum++) rank_of[i][sum] = choose(sum + i, i + 1);
  positions = choose(seeds + cells, cells);
}

static uint64_t rank(const Board *b) {
  uint64_t index = 0;
  int sum = 0;
  for (int i = 0; i < cells; i++) index += rank_of[i][sum += b->cell[i]];
  return index;
}

static int8_t at_rank(uint64_t index) { return __atomic_load_n(&table[index], __ATOMIC_RELAXED); }

/* Return the value of a position of a layer that is being filled, and note it. */
static int fill(const Board *b, int seeds) {
  uint64_t index = rank(b), places[CELLS];
  Move moves[CELLS];
  int best = at_rank(index), count;
  if (best != UNKNOWN) return best;
  count = sow_all(b, seeds, moves);
  for (int i = 0; i < count; i++) {
    places[i] = moves[i].over ? 0 : rank(&moves[i].board);
    __builtin_prefetch(&table[places[i]]);
  }
  for (int i = 0; i < count; i++) {
    int rest = moves[i].over ? 0 : at_rank(places[i]);
    if (rest == UNKNOWN) rest = fill(&moves[i].board, moves[i].left);
    int value = moves[i].gain + (moves[i].again ? rest : -rest);
    if (value > best) best = value;
  }
  __atomic_store_n(&table[index], (int8_t)best, __ATOMIC_RELAXED);
  return best;
}

/* Fill all positions whose cells from `cell` up are set and whose others hold `left` seeds. */
static void fill_cells(Board *b, int cell, int left, int seeds) {
  if (cell) {
    for (int n = 0; n <= left; n++) {
      b->cell[cell] = (uint8_t)n;
      fill_cells(b, cell - 1, left - n, seeds);
    }
    return;
  }
  b->cell[0] = (uint8_t)left;
  int own = row(b, 0);
  if (own && own < seeds) fill(b, seeds);
}

static int layer, next_job;

/* Fill jobs of a layer: a job is what the last two cells hold. */
static void *fill_jobs(void *unused) {
  int job, jobs = (layer + 1) * (layer + 1);
  while ((job = __atomic_fetch_add(&next_job, 1, __ATOMIC_RELAXED)) < jobs) {
    Board b = {{0}};
    int last = job / (layer + 1), before = job % (layer + 1);
    if (last + before > layer) continue;
    b.cell[cells - 1] = (uint8_t)last;
    b.cell[cells - 2] = (uint8_t)before;
    if (cells > 2) fill_cells(&b, cells - 3, layer - last - before, layer);
    else if (last + before == layer && last && before) fill(&b, layer);
  }
  return unused;
}

static void run_threads(int count, void *(*work)(void *)) {
  pthread_t threads[256];
  if (count < 1 || count > 256) fail("1 to 256 threads", "");
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void build_tables(const char *path, int threads) {
  char part[4096];
  double start = now();
  table = room(positions);
  memset(table, UNKNOWN, positions);
  for (layer = 2; layer <= most_seeds; layer++) {
    next_job = 0;
    run_threads(threads, fill_jobs);
    printf("%d seeds after %.0f s\n", layer, now() - start);
    fflush(stdout);
  }
  snprintf(part, sizeof part, "%s.part", path);
  FILE *file = fopen(part, "wb");
  uint8_t head[8] = {'K', 'A', 'L', 'A', 'H', takes_single ? 'S' : '1', (uint8_t)pits, (uint8_t)most_seeds};
  if (!file || fwrite(head, 8, 1, file) != 1 || fwrite(table, positions, 1, file) != 1 || fclose(file) ||
      rename(part, path))
    fail("cannot write", path);
}

static void read_tables(const char *path) {
  uint8_t head[8];
  FILE *file = fopen(path, "rb");
  if (!file || fread(head, 8, 1, file) != 1 || memcmp(head, "KALAH", 5) || (head[5] != '1' && head[5] != 'S'))
    fail("no tables", path);
  takes_single = head[5] == 'S';
  set_up(head[6], head[7]);
  table = room(positions);
  if (fread(table, positions, 1, file) != 1 || fgetc(file) != EOF) fail("tables of another length", path);
  fclose(file);
}

/* Return a position's value by the rules alone. */
static int plain_value(const Board *b, int seeds) {
  Move moves[CELLS];
  int best = -2 * MOST, count = sow_all(b, seeds, moves);
  for (int i = 0; i < count; i++) {
    int rest = moves[i].over ? 0 : plain_value(&moves[i].board, moves[i].left);
    int value = moves[i].gain + (moves[i].again ? rest : -rest);
    if (value > best) best = value;
  }
  return best;
}

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % below;
}

/* Draw a position with both rows filled, uniformly among those with that number of seeds. */
static Board draw_board(int seeds) {
  for (;;) {
    Board b = {{0}};
    int bars = cells - 1, cell = 0;
    for (int place = 0, left = seeds + cells - 1; left; place++, left--) {
      if ((int)draw((uint64_t)left) < bars) bars--, cell++;
      else b.cell[cell]++;
    }
    int own = row(&b, 0);
    if (own && own < seeds) return b;
  }
}

/* Compare entries with what follows one move on; small positions with recursion to the end. */
static void probe(int count) {
  for (int i = 0; i < count; i++) {
    int seeds = 2 + (int)draw((uint64_t)(most_seeds - 1)), value;
    Board b = draw_board(seeds);
    Move moves[CELLS];
    if (seeds <= 7) value = plain_value(&b, seeds);
    else {
      value = -2 * MOST;
      for (int k = 0, n = sow_all(&b, seeds, moves); k < n; k++) {
        int rest = moves[k].over ? 0 : at_rank(rank(&moves[k].board));
        int found = moves[k].gain + (moves[k].again ? rest : -rest);
        if (found > value) value = found;
      }
    }
    if (value != at_rank(rank(&b))) fail("a wrong entry", "");
  }
  printf("%d entries are right\n", count);
}

/* ---- the order of moves ---- */

static float guess(const Board *b) {
  float sum = 0;
  for (int i = 0; i < cells; i++) sum += weight[i][b->cell[i] < WEIGHED ? b->cell[i] : WEIGHED];
  return sum;
}

/* Fit a weight for each cell and count to the values of the largest positions in the tables. */
static void fit_weights(void) {
  int low = most_seeds > 8 ? most_seeds - 6 : 2;
  uint64_t samples = positions < 4000000 ? positions : 4000000;
  for (uint64_t i = 0; i < samples; i++) {
    int seeds = low + (int)draw((uint64_t)(most_seeds - low + 1));
    Board b = draw_board(seeds);
    float error = (float)at_rank(rank(&b)) - guess(&b), rate = i < samples / 2 ? 0.005f : 0.001f;
    for (int k = 0; k < cells; k++) weight[k][b.cell[k] < WEIGHED ? b.cell[k] : WEIGHED] += rate * error;
  }
}

/* ---- search ---- */

typedef struct { uint64_t low_cells, rest; } Slot; /* 9 cells of 7 bits; 3 cells, low, high, work */
typedef struct { Slot *slots; uint64_t buckets, nodes, most_nodes; } Search;

static uint64_t first_cells(const Board *b) {
  uint64_t word = 0;
  for (int i = 0; i < 9 && i < cells; i++) word |= (uint64_t)b->cell[i] << (7 * i);
  return word;
}

static uint64_t last_cells(const Board *b) {
  uint64_t word = 1u << 21; /* so that no slot in use is zero */
  for (int i = 9; i < cells; i++) word |= (uint64_t)b->cell[i] << (7 * (i - 9));
  return word;
}

/* Return the place of the first slot that may hold a position. */
static uint64_t bucket(const Search *s, uint64_t first, uint64_t last) {
  uint64_t hash = (first ^ last * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
  hash ^= hash >> 32;
  hash *= 0xc4ceb9fe1a85ec53u;
  return SLOTS * (uint64_t)(((unsigned __int128)hash * s->buckets) >> 64);
}

static int low_of(const Slot *slot) { return (int8_t)(slot->rest >> 24); }
static int high_of(const Slot *slot) { return (int8_t)(slot->rest >> 32); }
static int work_of(const Slot *slot) { return (int)(slot->rest >> 40 & 63); }

static Slot *find(Slot *slots, uint64_t first, uint64_t last) {
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].low_cells == first && (slots[i].rest & 0x3fffff) == last) return &slots[i];
  return NULL;
}

static void keep(Search *s, const Board *b, int seeds, int value, int holds, uint64_t nodes) {
  uint64_t first = first_cells(b), last = last_cells(b);
  Slot *slots = s->slots + bucket(s, first, last), *slot = find(slots, first, last);
  int low = slot ? low_of(slot) : -seeds, high = slot ? high_of(slot) : seeds;
  int work = 63 - __builtin_clzll(nodes | 1);
  if (!slot) {
    slot = slots;
    for (int i = 1; i < SLOTS; i++) if (work_of(&slots[i]) < work_of(slot)) slot = &slots[i];
  } else if (work_of(slot) > work) work = work_of(slot);
  if (holds && value > low) low = value;
  if (!holds && value - 1 < high) high = value - 1;
  slot->low_cells = first;
  slot->rest = last | (uint64_t)(uint8_t)low << 24 | (uint64_t)(uint8_t)high << 32 | (uint64_t)work << 40;
}

/* Return 1 if a move is known to reach the value, 0 if known not to, -1 if it has to be searched. */
static int look_up(Search *s, const Move *m, int value) {
  int low = -m->left, high = m->left, wanted = value - m->gain;
  if (m->over) return wanted <= 0;
  if (m->left <= most_seeds) low = high = at_rank(m->place);
  else if (wanted > -m->left && wanted <= m->left) {
    Slot *slot = find(s->slots + m->place, first_cells(&m->board), last_cells(&m->board));
    if (slot) low = low_of(slot), high = high_of(slot);
  }
  if (!m->again) {
    int swap = low;
    low = -high;
    high = -swap;
  }
  return low >= wanted ? 1 : high < wanted ? 0 : -1;
}

/* Note where a position after a move is looked up, and ask the memory for it. */
static void prefetch(const Search *s, Move *m) {
  if (m->over) return;
  int in_tables = m->left <= most_seeds;
  m->place = in_tables ? rank(&m->board) : bucket(s, first_cells(&m->board), last_cells(&m->board));
  __builtin_prefetch(in_tables ? (void *)&table[m->place] : (void *)&s->slots[m->place]);
}

static int replies(const Board *b) {
  int count = 0;
  for (int i = 0; i < pits; i++) count += b->cell[i] != 0;
  return count;
}

static void score(Move *m) {
  float later = m->again ? guess(&m->board) : -guess(&m->board);
  float order = (float)m->gain + 0.3f * later + (m->again ? 1.25f : -0.2f * (float)replies(&m->board));
  m->score = (int)(64 * order);
}

/* Return whether the mover gains at least `value`. The answer means nothing, and is not kept, once
 * there were more nodes than wanted. */
static int gains(Search *s, const Board *b, int seeds, int value) {
  Move moves[CELLS];
  uint64_t before = s->nodes++;
  int count = sow_all(b, seeds, moves), open = 0, holds = 0;
  value += (seeds - value) & 1; /* a value has the parity of the seeds */
  for (int i = 0; i < count; i++) prefetch(s, &moves[i]);
  for (int i = 0; i < count && !holds; i++) {
    int known = look_up(s, &moves[i], value);
    if (known == 1) holds = 1;
    else if (known < 0) {
      score(&moves[i]);
      Move move = moves[i];
      int at = open++;
      for (; at && moves[at - 1].score < move.score; at--) moves[at] = moves[at - 1];
      moves[at] = move;
    }
  }
  for (int i = 0; i < open && !holds; i++) {
    const Move *m = &moves[i];
    int wanted = value - m->gain;
    holds = m->again ? gains(s, &m->board, m->left, wanted) : !gains(s, &m->board, m->left, 1 - wanted);
    if (s->nodes > s->most_nodes) return 0;
  }
  keep(s, b, seeds, value, holds, s->nodes - before);
  return holds;
}

/* ---- leaves ---- */

#ifndef FIRST_ROUND
#define FIRST_ROUND ((uint64_t)1 << 20) /* nodes */
#endif
typedef struct { char text[LINE]; Board board; int high, value, taken; } Leaf; /* taken: proven, or being proven */
/* A position whose moves are to be valued is a leaf, too; its value is what the stores differ by. */

static Leaf *leaves;
static int leaf_count, part, parts = 1, refuted;
static uint64_t next_leaf;
static FILE *log_file;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

/* Read a position at its `<`; return by how much the mover's store exceeds the other's. */
static int read_board(const char *line, char *at, Board *board) {
  long lead = 0;
  if (strtol(at + 1, &at, 10) != pits) fail("tables of another number of pits", line);
  for (int i = 0; i < cells + 2; i++) {
    long number = strtol(at + 1, &at, 10);
    if (*at != (i < cells + 1 ? ',' : '>') || number < 0 || number >= MOST) fail("no position", line);
    if (i > 1) board->cell[i - 2] = (uint8_t)number;
    else lead += i ? -number : number;
  }
  if (total(board) >= MOST) fail("too many seeds", line);
  return (int)lead;
}

/* Read what a line of a certificate asserts, up to its value; return 0 if it is no leaf. */
static int read_leaf(char *line, Leaf *leaf) {
  char *board = strstr(line, "\"board\":\"<"), *bound = strstr(line, "\"bound\":\"");
  char *value = strstr(line, "\"value\":"), *end = strstr(line, ",\"leaf\":true");
  if (!board || !bound || !value || !end) return 0;
  if (read_board(line, board + 9, &leaf->board)) fail("a leaf has no stores", line);
  leaf->high = bound[9] == 'h';
  leaf->value = atoi(value + 8);
  leaf->taken = 0;
  *end = 0;
  snprintf(leaf->text, LINE, "%s", line);
  return 1;
}

/* Read a line of a position whose moves are to be valued. */
static int read_position(char *line, Leaf *leaf) {
  line[strcspn(line, "\n")] = 0;
  if (*line != '<') fail("no position", line);
  leaf->value = read_board(line, line, &leaf->board);
  leaf->taken = 0;
  snprintf(leaf->text, LINE, "{\"board\":\"%.*s\"", LINE - 16, line);
  return 1;
}

static void read_lines(FILE *file, int (*read_line)(char *line, Leaf *leaf)) {
  static char line[LINE];
  int space = 0;
  while (fgets(line, LINE, file)) {
    if (leaf_count == space) leaves = realloc(leaves, sizeof *leaves * (size_t)(space = 2 * space + 1024));
    if (!leaves) fail("no memory", "");
    leaf_count += read_line(line, &leaves[leaf_count]);
  }
  fclose(file);
}

/* Whether a certificate's first line names the rules of the tables, on any board. */
static int are_rules(const char *line) {
  const char *name = takes_single ? "\"rules\":\"kalah-empty-capture" : "\"rules\":\"kalah", *rest = strstr(line, name);
  int digits;
  if (!rest) return 0;
  for (rest += strlen(name); *rest == ':' || *rest == ','; rest += digits) {
    if (!strncmp(++rest, "pits=", 5)) rest += 5;
    else if (!strncmp(rest, "seeds=", 6)) rest += 6;
    if (!(digits = (int)strspn(rest, "0123456789"))) return 0;
  }
  return *rest == '"';
}

static void read_leaves(const char *path) {
  static char line[LINE];
  FILE *file = fopen(path, "r");
  if (!file || !fgets(line, LINE, file) || !strstr(line, "\"certificate\"")) fail("no certificate", path);
  if (!are_rules(line)) fail("other rules than the tables'", line);
  read_lines(file, read_leaf);
}

static void read_positions(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail("cannot read", path);
  read_lines(file, read_position);
}

/* Open the log, and take the leaves that it has as done: a line begins with what a leaf asserts, and
 * `result` follows. A line that a kill cut off does not count. */
static void open_log(const char *path, const char *result) {
  static char line[LINE];
  int cut = 0;
  if (!(log_file = fopen(path, "a+"))) fail("cannot write", path);
  rewind(log_file);
  while (fgets(line, LINE, log_file)) {
    char *end = strstr(line, result);
    cut = !strchr(line, '\n');
    if (!end || !strstr(end, "}\n")) continue;
    int holds = strncmp(end, ",\"holds\":false", 14);
    *end = 0;
    for (int i = 0; i < leaf_count; i++)
      if (!strcmp(leaves[i].text, line)) leaves[i].taken = 1, refuted += !holds;
  }
  fseek(log_file, 0, SEEK_END);
  if (cut) fputc('\n', log_file);
}

static void write_down(const Leaf *leaf, const char *result, uint64_t nodes, double seconds) {
  pthread_mutex_lock(&log_lock);
  fprintf(log_file, "%s%s,\"nodes\":%llu,\"seconds\":%.3f}\n", leaf->text, result, (unsigned long long)nodes, seconds);
  fflush(log_file);
  pthread_mutex_unlock(&log_lock);
}

static void prove_leaf(Search *s, Leaf *leaf) {
  int seeds = total(&leaf->board), holds;
  double start = now();
  s->nodes = 0;
  holds = leaf->high ? !gains(s, &leaf->board, seeds, leaf->value + 1) : gains(s, &leaf->board, seeds, leaf->value);
  if (s->nodes > s->most_nodes) {
    __atomic_store_n(&leaf->taken, 0, __ATOMIC_RELAXED);
    return;
  }
  __atomic_fetch_add(&refuted, !holds, __ATOMIC_RELAXED);
  write_down(leaf, holds ? ",\"holds\":true" : ",\"holds\":false", s->nodes, now() - start);
}

static Search new_search(void) {
  Search s = {NULL, positions < 1 << 22 ? 4 * positions : 1 << 24, 0, UINT64_MAX};
  s.slots = room(s.buckets * SLOTS * sizeof(Slot));
  return s;
}

/* Prove leaves in rounds: one that takes more nodes than its round allows is put off to the next,
 * which allows four times as many. What was proven on the way is in the table, if there was room. */
static void *prove_leaves(void *unused) {
  Search s = new_search();
  for (int passed = 0; passed < leaf_count; passed++) {
    uint64_t at = __atomic_fetch_add(&next_leaf, 1, __ATOMIC_RELAXED), round = at / (uint64_t)leaf_count;
    int i = (int)(at % (uint64_t)leaf_count);
    if (i % parts != part || __atomic_exchange_n(&leaves[i].taken, 1, __ATOMIC_RELAXED)) continue;
    s.most_nodes = FIRST_ROUND << 2 * (round < 20 ? round : 20);
    prove_leaf(&s, &leaves[i]);
    passed = -1;
  }
  return unused;
}

/* Return what the mover gains: ask for more in growing steps while it holds, for less while not. */
static int exact(Search *s, const Board *b, int seeds) {
  int low = -seeds, high = seeds, step = 2, value = seeds + 2 * (int)((guess(b) - (float)seeds) / 2);
  if (seeds <= most_seeds) return at_rank(rank(b));
  while (low < high) {
    if (value <= low) value = low + 2;
    if (value > high) value = high;
    if (gains(s, b, seeds, value)) low = value;
    else high = value - 2;
    if (low == -seeds) value = high - (step *= 2);
    else if (high == seeds) value = low + (step *= 2);
    else value = low + 2 * ((high - low + 2) / 4);
  }
  return low;
}

/* Value the moves of one position after the other. */
static void *value_positions(void *unused) {
  Search s = new_search();
  uint64_t at;
  while ((at = __atomic_fetch_add(&next_leaf, 1, __ATOMIC_RELAXED)) < (uint64_t)leaf_count) {
    const Leaf *leaf = &leaves[at];
    char text[LINE] = ",\"moves\":{";
    int length = (int)strlen(text), seeds = total(&leaf->board);
    double start = now();
    if (leaf->taken) continue;
    s.nodes = 0;
    for (int pit = 0; pit < pits; pit++) {
      Move m;
      if (!leaf->board.cell[pit]) continue;
      sow(&leaf->board, seeds, pit, &m);
      int rest = m.over ? 0 : exact(&s, &m.board, m.left);
      length += snprintf(text + length, LINE - (size_t)length, "%s\"%d\":%d", text[length - 1] == '{' ? "" : ",", pit,
                         leaf->value + m.gain + (m.again ? rest : -rest));
    }
    snprintf(text + length, LINE - (size_t)length, "}");
    write_down(leaf, text, s.nodes, now() - start);
  }
  return unused;
}

int main(int count, char **words) {
  const char *act = count > 1 ? words[1] : "";
  if (!strcmp(act, "tables") && (count == 6 || (count == 7 && !strcmp(words[6], "single")))) {
    takes_single = count == 7;
    set_up(atoi(words[5]), atoi(words[3]));
    build_tables(words[2], atoi(words[4]));
  } else if (!strcmp(act, "probe") && count == 4) {
    read_tables(words[2]);
    probe(atoi(words[3]));
  } else if (!strcmp(act, "leaves") && (count == 6 || count == 8)) {
    if (count == 8) part = atoi(words[6]), parts = atoi(words[7]);
    if (parts < 1 || part < 0 || part >= parts) fail("PART is less than PARTS", "");
    read_tables(words[2]);
    fit_weights();
    read_leaves(words[5]);
    open_log(words[3], ",\"holds\":");
    run_threads(atoi(words[4]), prove_leaves);
    if (refuted) fail("refuted leaves are in the log", "");
    printf("all %d leaves%s hold\n", leaf_count, parts > 1 ? " of the part" : "");
  } else if (!strcmp(act, "values") && count == 6) {
    read_tables(words[2]);
    fit_weights();
    read_positions(words[5]);
    open_log(words[3], ",\"moves\":");
    run_threads(atoi(words[4]), value_positions);
  } else fail("see the head of prove.c for how to run it", "");
  return 0;
}
