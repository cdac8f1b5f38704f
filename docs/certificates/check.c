/* Check a certificate of a value of Kalah, as check.py does, with nothing in common with it.
 * Build and run:  cc -O2 -o check check.c && ./check FILE   (unpack a .xz or .gz file first)
 * Exit code 0: all claims follow from the leaves, which are not proven here. 1: they do not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PITS = 16, LINE = 512 };
typedef struct { int board[2 * MOST_PITS], high, value, best, leaf, state, needed; } Claim;

static int pits, seeds, claims, used, leaves, takes_single;
static Claim *all;
static Claim **sorted;

static void refuse(const char *why, const char *what) {
  printf("refused: %s%s%s\n", why, *what ? ": " : "", what);
  exit(1);
}

static int total(const int *board) {
  int sum = 0;
  for (int i = 0; i < 2 * pits; i++) sum += board[i];
  return sum;
}

static int is_empty(const int *row) {
  for (int i = 0; i < pits; i++) if (row[i]) return 0;
  return 1;
}

/* Read a board after its "<"; return what follows its ">". */
static const char *read_board(const char *text, int *stores, int *board) {
  char *end;
  int size = (int)strtol(text, &end, 10);
  if (!pits) pits = size;
  if (size != pits || pits < 1 || pits > MOST_PITS) refuse("a board of another size", text);
  for (int i = 0; i < 2 * pits + 2; i++) {
    if (*end != ',') refuse("no board", text);
    long number = strtol(end + 1, &end, 10);
    if (number < 0 || number > 255) refuse("no seeds", text);
    *(i < 2 ? stores + i : board + i - 2) = (int)number;
  }
  if (*end != '>' || is_empty(board) || is_empty(board + pits)) refuse("no position of a game", text);
  return end + 1;
}

/* Write a claim in its one form, to be compared with the line that it was read from. */
static void write_claim(const Claim *c, char *out) {
  out += sprintf(out, "{\"board\":\"<%d,0,0", pits);
  for (int i = 0; i < 2 * pits; i++) out += sprintf(out, ",%d", c->board[i]);
  out += sprintf(out, ">\",\"bound\":\"%s\",\"value\":%d", c->high ? "high" : "low", c->value);
  if (c->leaf) out += sprintf(out, ",\"leaf\":true");
  else if (!c->high) out += sprintf(out, ",\"best\":%d", c->best);
  sprintf(out, "}");
}

/* Whether a claim holds of any position: nobody gains more than all seeds. */
static int says_nothing(const Claim *c) {
  return c->high ? c->value >= total(c->board) : c->value <= -total(c->board);
}

static long number_after(const char *line, const char *name) {
  const char *at = strstr(line, name);
  return at ? strtol(at + strlen(name), NULL, 10) : 0;
}

static void read_claim(const char *line, Claim *c) {
  int stores[2], sum;
  char again[LINE];
  memset(c, 0, sizeof *c);
  if (strncmp(line, "{\"board\":\"<", 11)) refuse("no claim", line);
  const char *rest = read_board(line + 11, stores, c->board);
  c->high = strstr(rest, "\"high\"") != NULL;
  c->value = (int)number_after(rest, "\"value\":");
  c->best = (int)number_after(rest, "\"best\":");
  c->leaf = strstr(rest, "\"leaf\":true") != NULL;
  write_claim(c, again);
  if (strcmp(line, again)) refuse("not in the one form", line);
  sum = total(c->board);
  if (sum > seeds || c->value > sum || c->value < -sum || says_nothing(c)) refuse("says nothing, or too much", line);
}

static int compare(const Claim *a, const Claim *b) {
  int order = memcmp(a->board, b->board, sizeof a->board);
  return order ? order : a->high - b->high;
}

static int compare_places(const void *a, const void *b) {
  return compare(*(Claim *const *)a, *(Claim *const *)b);
}

/* Sow a pit; return the mover's gain. The position after it is of its mover; over if none. */
static int sow(const int *from, int pit, int *after, int *again, int *over) {
  int me[MOST_PITS], you[MOST_PITS], gain = 0, hand = from[pit], at = pit;
  memcpy(me, from, sizeof(int) * pits);
  memcpy(you, from + pits, sizeof(int) * pits);
  for (me[pit] = 0; hand; hand--) {
    at = at == 2 * pits ? 0 : at + 1;
    if (at < pits) me[at]++;
    else if (at == pits) gain++;
    else you[at - pits - 1]++;
  }
  *again = at == pits;
  if (at < pits && me[at] == 1 && (you[pits - 1 - at] || takes_single)) {
    gain += 1 + you[pits - 1 - at];
    me[at] = you[pits - 1 - at] = 0;
  }
  *over = is_empty(me) || is_empty(you);
  if (*over) for (int i = 0; i < pits; i++) gain += me[i] - you[i];
  memset(after, 0, sizeof(int) * 2 * MOST_PITS);
  memcpy(after, *again ? me : you, sizeof(int) * pits);
  memcpy(after + pits, *again ? you : me, sizeof(int) * pits);
  return gain;
}

static void follow(const Claim *wanted);

static void follow_moves(const Claim *c) {
  int first = c->high ? 0 : c->best, last = c->high ? pits - 1 : c->best;
  if (first < 0 || last >= pits || (!c->high && !c->board[first])) refuse("best is no move", "");
  for (int pit = first; pit <= last; pit++) {
    Claim next = {{0}, 0, 0, -1, 0, 0, 0};
    int again, over;
    if (!c->board[pit]) continue;
    int gain = sow(c->board, pit, next.board, &again, &over);
    next.high = again ? c->high : !c->high;
    next.value = again ? c->value - gain : gain - c->value;
    if (over && (c->high ? gain > c->value : gain < c->value)) refuse("a claim does not follow", "");
    if (!over && !says_nothing(&next)) follow(&next);
  }
}

static void follow(const Claim *wanted) {
  Claim **found = bsearch(&wanted, sorted, claims, sizeof *sorted, compare_places);
  char text[LINE];
  write_claim(wanted, text);
  Claim *c = found ? *found : NULL;
  if (!c || (c->high ? c->value > wanted->value : c->value < wanted->value)) refuse("no line says", text);
  if (c->value == wanted->value && !c->needed) c->needed = 1, used++;
  if (c->state == 1) refuse("a circle at", text);
  if (c->state == 2) return;
  c->state = 1;
  leaves += c->leaf;
  if (!c->leaf) follow_moves(c);
  c->state = 2;
}

/* Read the header, written again to see that it says what it should and no more. */
static void read_header(const char *line, Claim *root, int *ahead, int *low, int *high) {
  char again[LINE], *out = again;
  int stores[2];
  if (strncmp(line, "{\"type\":\"certificate\",\"board\":\"<", 32)) refuse("no certificate", line);
  const char *rest = read_board(line + 32, stores, root->board);
  long size = number_after(rest, "pits="), each = number_after(rest, "seeds="), nodes = number_after(rest, "\"nodes\":");
  takes_single = strstr(rest, "\"kalah-empty-capture") != NULL;
  *low = (int)number_after(rest, "\"low\":"), *high = (int)number_after(rest, "\"high\":");
  *ahead = stores[0] - stores[1];
  out += sprintf(out, "{\"type\":\"certificate\",\"board\":\"<%d,%d,%d", pits, stores[0], stores[1]);
  for (int i = 0; i < 2 * pits; i++) out += sprintf(out, ",%d", root->board[i]);
  out += sprintf(out, ">\",\"rules\":\"kalah%s", takes_single ? "-empty-capture" : "");
  if (size) out += sprintf(out, ":pits=%ld", size);
  if (each) out += sprintf(out, "%cseeds=%ld", size ? ',' : ':', each);
  sprintf(out, "\",\"low\":%d,\"high\":%d,\"nodes\":%ld,\"format\":1}\n", *low, *high, nodes);
  if (strcmp(line, again) || nodes < 0 || (size ? size : 6) != pits) refuse("no header for these rules", line);
}

int main(int count, char **arguments) {
  static char line[LINE];
  FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
  int room = 0, low, high, ahead;
  Claim root = {{0}, 0, 0, -1, 0, 0, 0};
  if (!file || !fgets(line, LINE, file)) refuse("no file", "");
  read_header(line, &root, &ahead, &low, &high);
  seeds = total(root.board);
  while (fgets(line, LINE, file)) {
    size_t length = strlen(line);
    if (!length || line[--length] != '\n') refuse("a line without an end", line);
    line[length] = 0;
    if (claims == room) all = realloc(all, sizeof *all * (size_t)(room = 2 * room + 1024));
    if (!all) refuse("no memory", "");
    read_claim(line, &all[claims++]);
  }
  sorted = malloc(sizeof *sorted * (size_t)(claims + 1));
  if (!sorted) refuse("no memory", "");
  for (int i = 0; i < claims; i++) sorted[i] = &all[i];
  qsort(sorted, claims, sizeof *sorted, compare_places);
  for (int i = 1; i < claims; i++) { /* of a board "at most" follows "at least" */
    const Claim *a = sorted[i - 1], *b = sorted[i];
    int alike = !memcmp(a->board, b->board, sizeof a->board);
    if (alike && (a->high == b->high || a->value > b->value)) refuse("two lines for a bound, or contrary", "");
  }
  if (low > high || (low - ahead <= -seeds && high - ahead >= seeds)) refuse("claims nothing", "");
  for (root.high = 0; root.high < 2; root.high++) {
    root.value = (root.high ? high : low) - ahead;
    if (!says_nothing(&root)) follow(&root);
  }
  if (used != claims) refuse("lines that say more than any bound needs, or are not used", "");
  printf("worth %+d to %+d if %d leaves hold\n", low, high, leaves);
  return 0;
}
