#!/usr/bin/env bash
# A match at noon has nothing in common with the day on which it is played: Ruby's iso8601 0.13.0, `intersect?`.
#
# Found with: ruby-iso8601 0.13.0-1 on ruby3.1 3.1.2 (Debian 12), `ISO8601::TimeInterval`; its documentation says that
# `intersect?` checks whether two intervals intersect, and that `disjoint?` is true if no element is in both.
# It needs a Debian 12 whose apt-get has ruby-iso8601 0.13.0-1: `apt-get download` refuses other versions.
# A good guess: both questions have the same answer from either side, and two intervals intersect as soon as one moment
# is in both: the later beginning is not after the earlier end.
# What happens: `intersect?` asks only whether an end of the other interval is inside its own. An interval that lies
# within the other without reaching its ends hears that they do not intersect and that they are disjoint, while the
# other, asked the other way round, says the opposite. `subset?` of the same pair is true. Of all pairs among ten
# intervals between five moments, 5 of 100 answers are wrong.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q ruby-iso8601=0.13.0-1 ruby3.1 libruby3.1 >download 2>&1 || { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" root; done
cat >see.rb <<'RUBY'
require "iso8601"

def interval(first, last)
  ISO8601::TimeInterval.parse(format("2026-05-01T%02d:00:00Z/2026-05-01T%02d:00:00Z", first, last))
end

day, game = interval(8, 20), interval(12, 13)
answers = [game.intersect?(day), day.intersect?(game), game.disjoint?(day), day.disjoint?(game), game.subset?(day)]
puts "game meets day: %s, day meets game: %s; disjoint: %s, %s; the game is a part of the day: %s" % answers
exit 1 unless answers == [false, true, true, false, true]

hours = [8, 10, 12, 14, 16].combination(2).to_a
wrong = hours.product(hours).reject do |(a, b), (c, d)|
  interval(a, b).intersect?(interval(c, d)) == ([a, c].max <= [b, d].min)
end
puts "#{wrong.size} of #{hours.size**2} answers are wrong"
exit 1 unless wrong.size == 5 && wrong.all? { |(a, b), (c, d)| c < a && b < d }
RUBY
dpkg-deb -f ruby-iso8601_*.deb Package Version
echo "guess: true, true; disjoint: false, false; no answer is wrong"
libraries=$(echo root/usr/lib/*-linux-gnu)
path=root/usr/lib/ruby/vendor_ruby:root/usr/lib/ruby/3.1.0:$libraries/ruby/3.1.0
LD_LIBRARY_PATH="$libraries" RUBYLIB="$path" root/usr/bin/ruby3.1 --disable-gems see.rb
