#!/usr/bin/env bash
# Half of all games end before a negative or an imaginary time: Ruby's distribution 0.7.3, `Weibull.p_value`.
#
# Found with: ruby-distribution 0.7.3+dfsg-1.1 on ruby3.1 3.1.2 (Debian 12), its code in Ruby (no GSL).
# It needs a Debian 12 whose apt-get has that version: `apt-get download` refuses others.
# A good guess: `p_value` turns `cdf` round, as it does for the other distributions of the package (the value for a
# chance): `cdf(p_value(0.5, k, l), k, l)` is 0.5. The median is l * log(2) ** (1 / k).
# What happens: the minus stands before the power instead of before the logarithm, which is negative. A shape of 1 comes
# out right. With the shape 2 the square root of a negative number is taken: the answer is a complex number, no error
# says so. With the shape 0.5 the time is below 0, where `cdf` is 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q ruby-distribution=0.7.3+dfsg-1.1 ruby3.1 libruby3.1 >download 2>&1 || { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" root; done
cat >see.rb <<'RUBY'
require "distribution"

def near?(a, b) = (a - b).abs < 1e-9

scale = 3.0
{ 1.0 => 1, 2.0 => -1i, 0.5 => -1 }.each do |shape, factor|
  median = scale * Math.log(2)**(1 / shape)
  found = Distribution::Weibull.p_value(0.5, shape, scale)
  puts "shape #{shape}: p_value(0.5) = #{found}; the median is #{median}"
  exit 1 unless near?(Distribution::Weibull.cdf(median, shape, scale), 0.5) && near?(found, factor * median)
end
[Distribution::Exponential, 2.0, Distribution::Logistic, 1.0, 2.0].slice_before(Module).each do |other, *rest|
  back = other.cdf(other.p_value(0.5, *rest), *rest)
  puts "#{other}: cdf(p_value(0.5)) = #{back}"
  exit 1 unless near?(back, 0.5)
end
RUBY
dpkg-deb -f ruby-distribution_*.deb Package Version
echo "guess: both numbers of each shape are the same"
libraries=$(echo root/usr/lib/*-linux-gnu)
path=root/usr/lib/ruby/vendor_ruby:root/usr/lib/ruby/3.1.0:$libraries/ruby/3.1.0:$(echo root/usr/lib/ruby/gems/3.1.0/gems/{prime,matrix}-*/lib | tr " " :)
LD_LIBRARY_PATH="$libraries" RUBYLIB="$path" root/usr/bin/ruby3.1 --disable-gems see.rb
