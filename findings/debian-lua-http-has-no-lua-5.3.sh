#!/usr/bin/env bash
# "Lua-Versions: 5.1 5.2 5.3", and in 5.3 it cannot be loaded: Debian's lua-http 0.4.
#
# Found with: lua-http 0.4-1, lua5.3 5.3.6-2, lua5.2 5.2.4-3 and the packages on which lua-http depends (Debian 12).
# A good guess: a package whose field names three versions of Lua, and which has its modules in the folders of all three,
# works in each of them once what it depends on is installed. Version 5.3 is the newest of the three, so that one is taken.
# What happens: the packages below it have files for 5.1 and 5.2 alone, among them lua-basexx, lua-fifo and
# lua-lpeg-patterns. In 5.3 `require "http.websocket"`, "http.request" and "http.server" end with "module 'basexx' not
# found" or another's name, although that package is installed; nothing says that an older Lua is what is missing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q lua-http=0.4-1 lua5.2=5.2.4-3 lua5.3=5.3.6-2 lua-basexx=0.3-2.1 lua-binaryheap=0.4-2 lua-bit32=5.3.0-4 \
  lua-compat53=0.7-2 lua-cqueues=20200726-1+b1 lua-fifo=0.2-3.1 lua-lpeg=1.0.2-2 lua-lpeg-patterns=0.4-1.1 \
  lua-luaossl=20220711-1 >download 2>&1 || { cat download; exit 1; }
for package in *.deb; do dpkg -x "$package" root; done
library=$(echo root/usr/lib/*-linux-gnu/lua)
grep -h "^Version\|^Lua-Versions" <(dpkg-deb -f lua-http_*.deb)
echo "guess: each module in both versions"
for lua in 5.2 5.3; do
  for module in websocket request server; do
    told=$(LUA_PATH="root/usr/share/lua/$lua/?.lua;root/usr/share/lua/$lua/?/init.lua" LUA_CPATH="$library/$lua/?.so" \
      "root/usr/bin/lua$lua" -e "require 'http.$module' print 'loaded'" 2>&1 |
      grep -o "^loaded\|module '.*' not found" | head -1)
    echo "Lua $lua, http.$module: $told"
  done
done | tee seen
test "$(grep -c "^Lua 5.2.*: loaded" seen)" = 3
test "$(grep -c "^Lua 5.3.*: module '.*' not found" seen)" = 3
