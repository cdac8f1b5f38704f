#!/usr/bin/env bash
# To add a letter before "kalah" and swap its last two is three edits, not two: Ruby's damerau-levenshtein 1.3.3.
#
# Found with: ruby-damerau-levenshtein 1.3.3+dfsg-1+b5 on ruby3.1 3.1.2 (Debian 12), `DamerauLevenshtein.distance`.
# It needs a Debian 12 whose apt-get has that version: `apt-get download` refuses others.
# A good guess: by default a swap of two neighbours counts as one edit, as the documentation says, wherever it stands,
# beside insertions, deletions and replacements; so "kalah" is two edits from "ukalha": "u" is added, "ah" swapped.
# What happens: the two letters of a swap are looked up in both words with a place that belongs to one of them. While the
# swapped pair stands at the same place in both words, the answer is right. Behind a letter that was added or removed
# the swap is overlooked and counts two, as it does without swaps (block size 0).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q ruby-damerau-levenshtein=1.3.3+dfsg-1+b5 ruby3.1 libruby3.1 >download 2>&1 ||
  { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" root; done
cat >see.rb <<'RUBY'
require "damerau-levenshtein"

def edits(word, letters)
  places = 0..word.size
  found = places.flat_map { |i| letters.map { |letter| word.dup.insert(i, letter) } }
  word.each_char.with_index do |_, i|
    found << word[0...i] + word[i + 1..]
    letters.each { |letter| found << word[0...i] + letter + word[i + 1..] }
    found << word[0...i] + word[i + 1] + word[i] + word[i + 2..] if i + 1 < word.size
  end
  found
end

def steps(from, to)
  letters = (from + to).chars.uniq
  reached = seen = { from => true }
  count = 0
  until seen.key?(to)
    reached = reached.keys.flat_map { |word| edits(word, letters) }.uniq.reject { |word| seen.key?(word) }
    reached = reached.to_h { |word| [word, true] }
    seen = seen.merge(reached)
    count += 1
  end
  count
end

[%w[kalah aklah 1 1], %w[kalah kalha 1 1], %w[kalah ukalah 1 1], %w[kalah ukalha 3 2], %w[anna hanan 3 2],
 %w[acab cba 3 2]].each do |from, to, seen, expected|
  found, fewest = DamerauLevenshtein.distance(from, to), steps(from, to)
  puts "#{from} - #{to}: #{found}, a search of all edits needs #{fewest}"
  exit 1 unless [found, fewest] == [seen.to_i, expected.to_i]
end
RUBY
dpkg-deb -f ruby-damerau-levenshtein_*.deb Package Version
echo "guess: both numbers are the same in each line"
libraries=$(echo root/usr/lib/*-linux-gnu)
path=root/usr/lib/ruby/3.1.0:$libraries/ruby/3.1.0
for gem in "$libraries"/rubygems-integration/3.1.0/{gems,extensions/*/3.1.0}/damerau-levenshtein-1.3.3; do
  path=$path:$gem:$gem/lib
done
LD_LIBRARY_PATH="$libraries" RUBYLIB="$path" root/usr/bin/ruby3.1 --disable-gems see.rb
