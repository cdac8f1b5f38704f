#!/usr/bin/env bash
# Install a Debian package when it is missing and we may; say so, and fail, when we may not.
set -euo pipefail
package=$1

case $package in
  advancecomp) command -v advzip >/dev/null && exit 0 ;;
  python3-venv) python3 -c 'import ensurepip' 2>/dev/null && exit 0 ;;
  bubblewrap) command -v bwrap >/dev/null && exit 0 ;;
  build-essential) command -v gcc >/dev/null && command -v make >/dev/null && exit 0 ;;
  default-jdk-headless) command -v javac >/dev/null && exit 0 ;;
  golang-go) command -v go >/dev/null && exit 0 ;;
  golang-github-gorilla-websocket-dev) [ -d /usr/share/gocode/src/github.com/gorilla/websocket ] && exit 0 ;;
  mono-mcs) command -v mcs >/dev/null && exit 0 ;;
  mono-runtime) command -v mono >/dev/null && exit 0 ;;
  nginx-light) PATH=$PATH:/usr/sbin command -v nginx >/dev/null && exit 0 ;;
  nodejs) command -v node >/dev/null && exit 0 ;;
  postgresql) PATH=$PATH:$(printf '%s:' /usr/lib/postgresql/*/bin) command -v pg_ctl >/dev/null && exit 0 ;;
  *) PATH=$PATH:/usr/sbin command -v "$package" >/dev/null && exit 0 ;;
esac
as_root=()
if [ "$(id -u)" != 0 ]; then
  sudo -n true 2>/dev/null || { echo "$package is missing, and installing it takes: apt-get install $package" >&2; exit 1; }
  as_root=(sudo -n)
fi
command -v apt-get >/dev/null || { echo "$package is missing, and there is no apt-get to install it" >&2; exit 1; }
{ "${as_root[@]}" apt-get update && DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y --no-install-recommends "$package"; } >&2
