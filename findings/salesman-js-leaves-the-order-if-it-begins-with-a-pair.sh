#!/usr/bin/env bash
# Two points at one place at the head of the list, and nothing is optimised: npm's salesman.js 2.0.4.
#
# Found with: salesman.js 2.0.4 (npm), Node 20; simulated annealing of a round trip.
# A good guess: the order in which the points are given is a start only: the trip that is found has about the same length
# if the list begins with another point, or is written in metres instead of millimetres.
# What happens: the temperature begins at 100 times the distance between the first two points and ends at 1e-6, whatever the
# unit. If the first two are equal, it is 0: not one step is made, and the list is returned as it came. With coordinates
# below 1e-9 the same happens to any list. Two equal points anywhere else do no harm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit salesman.js@2.0.4 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { Point, solve } = require("salesman.js");

const circle = Array.from({ length: 30 }, (_, index) => {
  const angle = 2 * Math.PI * ((index * 7) % 30) / 30;
  return new Point(Math.cos(angle), Math.sin(angle));
});
const length = (points, order) => order.reduce((sum, at, index) => {
  const [here, next] = [points[at], points[order[(index + 1) % order.length]]];
  return sum + Math.hypot(here.x - next.x, here.y - next.y);
}, 0);
const double = new Point(circle[0].x, circle[0].y);
for (const [name, points, moved] of [
  ["a pair in the middle", [...circle.slice(0, 15), double, ...circle.slice(15), circle[14]], true],
  ["a pair at the head", [double, ...circle], false],
  ["tiny coordinates", circle.map(({ x, y }) => new Point(x * 1e-9, y * 1e-9)), false]]) {
  const order = solve(points);
  const [before, after] = [points.map((_, at) => at), order].map((each) => length(points, each));
  console.log(`${name}: ${(before / after).toFixed(1)} times as short`);
  assert.equal(after < before / 1.5, moved);
  if (!moved) assert.deepEqual(order, points.map((_, at) => at));
}
JS
echo "salesman.js 2.0.4; guess: each trip is some times as short as the list"
node see.cjs
