#!/usr/bin/env bash
# Three numbers, the sum of two of them, and half of that as the mean: Miller 6.6.0 and a number of twenty digits.
#
# Found with: miller 6.6.0-2+b3 (Debian 12); its source of August 2026 reads numbers in the same way.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: a whole number that does not fit into 64 bits is a floating-point one, as results above that are, and as
# its reference has it ("anything scannable as int is treated as an integer; otherwise, input scannable as float is
# treated as float; everything else is a string").
# What happens: what looks like a whole number is never tried as another one, so that 18446744073709551616 is a text.
# From JSON to JSON it gets quotes, the error of an addition is the field's new value, and `stats1` counts it but leaves
# it out of the sum and of the mean, and has it for the greatest. 18446744073709551616.0 and 2e19 are numbers.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q miller=6.6.0-2+b3 >download 2>&1 || { cat download; exit 1; }
dpkg -x miller_*.deb root
cat >nodes.csv <<'CSV'
search,nodes
kalah,18446744073709551616
oware,5
togyz,7
CSV
mlr() { root/usr/bin/mlr "$@"; }
mlr --version
echo 'guess: count=3,sum=18446744073709551628,mean=6148914691236517209 or about, as with .0'
sed 's/616$/616.0/' nodes.csv | mlr --icsv --odkvp stats1 -a count,sum,mean -f nodes
mlr --icsv --odkvp stats1 -a count,sum,mean,max -f nodes nodes.csv | tee seen
test "$(cat seen)" = "nodes_count=3,nodes_sum=12,nodes_mean=6,nodes_max=18446744073709551616"
echo '{"nodes": 18446744073709551616}' | mlr --json put '$next = $nodes + 1' | tee seen
grep -q '"nodes": "18446744073709551616"' seen
grep -q '"next": (error)' seen
