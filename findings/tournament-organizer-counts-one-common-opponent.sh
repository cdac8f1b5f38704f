#!/usr/bin/env bash
# Points against common opponents are those of the last one alone: npm's tournament-organizer 4.1.1.
#
# Found with: tournament-organizer 4.1.1 (npm), Node 20.
# A good guess: of two players with equal points the tie-break "mutual versus" puts that one first who made more
# points against the opponents that both have met.
# What happens: the points are not added up; each match replaces the sum of those before it, unless it was drawn. So
# a player with one win of three stands above one with two, if its win came last. Nothing else breaks the tie
# before, and the standings show no number for it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-fund --no-audit tournament-organizer@4.1.1
cat >see.mjs <<'JAVASCRIPT'
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import TournamentOrganizer from 'tournament-organizer';

const version = JSON.parse(readFileSync('node_modules/tournament-organizer/package.json', 'utf8')).version;
console.log('tournament-organizer', version);

const event = new TournamentOrganizer().createTournament('Everyone meets everyone', {
  stageOne: { format: 'round-robin' },
  scoring: { bestOf: 1, win: 1, draw: 0, loss: 0, tiebreaks: ['mutual versus'] },
});
const others = [...'CDEFG'];
for (const name of ['A', 'B', ...others]) event.createPlayer(name, name);
event.startTournament();

/** Whom of C to G a player meets last. */
function last(player) {
  const met = event.getMatches().sort((one, other) => one.getRoundNumber() - other.getRoundNumber());
  const pairs = met.map((match) => [match.getPlayer1().id, match.getPlayer2().id]).filter((pair) => pair.includes(player));
  return pairs.flat().filter((each) => others.includes(each)).at(-1);
}

// A beats B and whom either of them meets last; B beats as many of those who are left.
const ofA = [...new Set([last('A'), last('B')])];
const ofB = others.filter((each) => !ofA.includes(each)).slice(0, ofA.length + 1);

/** Who wins a match; C to G draw with each other. */
function winner(pair) {
  if (pair.includes('A') && pair.includes('B')) return 'A';
  for (const [player, beaten] of [['A', ofA], ['B', ofB]]) {
    if (!pair.includes(player)) continue;
    const other = pair.find((each) => each !== player);
    return beaten.includes(other) ? player : other;
  }
  return null;
}

for (let round = 1; round <= 7; round++) {
  for (const match of event.getMatches().filter((each) => each.getRoundNumber() === round && each.isActive())) {
    const pair = [match.getPlayer1().id, match.getPlayer2().id];
    const won = winner(pair);
    event.enterResult(match.getId(), won === pair[0] ? 1 : 0, won === pair[1] ? 1 : 0, won === null ? 1 : 0);
  }
  if (round < 7) event.nextRound();
}
const rows = event.getStandings();
const points = Object.fromEntries(rows.map((row) => [row.player.getName(), row.matchPoints]));
console.log(`points: A ${points.A}, B ${points.B}; against C to G: A ${ofA.length} (${ofA}), B ${ofB.length} (${ofB})`);
const order = rows.map((row) => row.player.getName());
console.log('standings:', order.join(' '));
assert.equal(points.A, points.B);
assert.ok(ofB.length > ofA.length);
assert.deepEqual(order.slice(0, 2), ['A', 'B']);
JAVASCRIPT
node see.mjs
