/* Look positions up in a file of endgame tables: cc -O2 -o endgames endgames.c; ./endgames FILE BOARD ...
 *
 * Prints the seeds that are still to come for the mover less those for the other, under best play.
 * It shares nothing with the arena's own programs; ../endgames.md describes the file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;
static unsigned char head[4096];
static int pits, seeds, always, relap, reach;
static int64_t first[41][41];

static int64_t choose(int n, int k)
{
    int64_t ways = 1;
    for (int i = 1; i <= k; i++) ways = ways * (n - k + i) / i;
    return ways;
}

static int64_t rows(int sum) { return choose(sum + pits - 1, pits - 1); }

static int total(const int *row)
{
    int sum = 0;
    for (int i = 0; i < pits; i++) sum += row[i];
    return sum;
}

static int64_t rank_of(const int *row)
{
    int64_t rank = 0;
    for (int i = 0, sum = 0; i < pits - 1; i++) rank += choose((sum += row[i]) + i, i + 1);
    return rank;
}

static int down(int number, int by) { return number >= 0 ? number / by : -((-number + by - 1) / by); }

/* What a row adds to the floor, in quarters of a seed. */
static int part(int side, const int *row)
{
    int weight = 0;
    for (int i = 0; i < pits; i++) {
        const unsigned char *at = head + 64 + 2 * ((side * pits + i) * reach + row[i]);
        weight += (int16_t)(at[0] | at[1] << 8);
    }
    weight = down(weight, 16);
    return weight < -128 ? -128 : weight > 127 ? 127 : weight;
}

/* The seeds that the mover still collects. */
static int won(const int *me, const int *you)
{
    int own = total(me), other = total(you), best = 0;
    if (!own || !other) return own;
    int64_t index = first[own][other] + rank_of(me) * rows(other) + rank_of(you);
    if (fseek(file, (long)(4096 + index / 2), SEEK_SET)) exit(1);
    int code = getc(file);
    if (code == EOF) {
        fprintf(stderr, "the file is cut short\n");
        exit(1);
    }
    code = code >> 4 * (index % 2) & 15;
    if (code < 15) {
        int floor = down(part(0, me) + part(1, you), 4), most = own + other - 14;
        if (floor > most) floor = most;
        return (floor < 0 ? 0 : floor) + code;
    }
    for (int pit = 0; pit < pits; pit++) {
        if (!me[pit]) continue;
        int ring[32] = {0}, last = pit;
        memcpy(ring, me, sizeof(int) * pits);
        memcpy(ring + pits + 1, you, sizeof(int) * pits);
        ring[pit] = 0;
        for (int hand = me[pit]; hand; hand--) ring[last = (last + 1) % (2 * pits + 1)]++;
        int *facing = &ring[2 * pits - last];
        if (last < pits && ring[last] == 1 && (*facing || always)) {
            ring[pits] += 1 + *facing;
            ring[last] = *facing = 0;
        }
        int again = last == pits || (relap && last == pit), *theirs = ring + pits + 1;
        int value = again ? ring[pits] + won(ring, theirs) : own + other - won(theirs, ring);
        if (value > best) best = value;
    }
    return best;
}

int main(int count, char **arguments)
{
    if (count < 2 || !(file = fopen(arguments[1], "rb"))) return fprintf(stderr, "no file\n"), 2;
    if (fread(head, 1, sizeof head, file) != sizeof head || memcmp(head, "KALAHEND", 8)
        || (head[8] != 2 && head[8] != 3) || !head[13])
        return fprintf(stderr, "no complete endgame tables of version 2 or 3\n"), 2;
    reach = head[8] == 2 ? 32 : 40;
    pits = head[9], seeds = head[10], always = head[11], relap = head[12];
    if (pits < 1 || pits > 7 || seeds > reach)
        return fprintf(stderr, "a file has 1 to 7 pits a row and at most %d seeds\n", reach), 2;
    int64_t at = 0;
    for (int sum = 2; sum <= seeds; sum++)
        for (int own = 1; own <= sum / 2; own++) {
            int64_t block = rows(own) * rows(sum - own);
            first[sum - own][own] = at + block;
            first[own][sum - own] = at;
            at += ((2 * own == sum ? block : 2 * block) + 127) / 128 * 128;
        }
    for (int i = 2; i < count; i++) {
        int all[32] = {0}, number = 0, wrong = 0;
        int64_t sum = 0;
        for (char *each = strtok(arguments[i], "<,>"); each && number < 32; each = strtok(NULL, "<,>"))
            all[number++] = atoi(each);
        for (int j = 3; j < number; j++) sum += all[j], wrong |= all[j] < 0;
        if (wrong || all[0] != pits || number != 3 + 2 * pits || sum < 1 || sum > seeds)
            return fprintf(stderr, "a board has %d pits a row and 1 to %d seeds\n", pits, seeds), 2;
        printf("%+d\n", 2 * won(all + 3, all + 3 + pits) - (int)sum);
    }
    return 0;
}
