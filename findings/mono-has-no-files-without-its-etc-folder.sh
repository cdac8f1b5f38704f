#!/usr/bin/env bash
# A C# program that reads a file, in a sandbox that shows it /usr but not /etc: Mono 6.8.
#
# Found with: mono-runtime 6.8.0.105+dfsg-3.3+deb12u1 (Debian 12).
# A good guess: /etc/mono holds an administrator's settings, so Mono has defaults where it is missing, as it has
# for a missing machine.config, and a program that uses no native library of its own does not notice.
# What happens: /etc/mono/config is what leads the runtime's own "System.Native" to libmono-native.so. Without it
# the class library can't ask whether a file exists: a TypeInitializationException about a DLL that is installed.
# "Hello world" still runs, so a compiler and a first program look well.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in mono-runtime-common mono-runtime-sgen mono-mcs libmono-corlib4.5-cil libmono-corlib4.5-dll \
  libmono-system4.0-cil libmono-system-core4.0-cil libmono-system-xml4.0-cil libmono-security4.0-cil \
  libmono-system-configuration4.0-cil libmono-system-security4.0-cil; do
  apt-get download -q "$package=6.8.0.105+dfsg-3.3+deb12u1" >/dev/null
  dpkg -x "$package"_*.deb root
done
cat >program.cs <<'CSHARP'
class Program {
    static void Main(string[] arguments) {
        System.Console.WriteLine("hello");
        System.Console.WriteLine("exists: " + System.IO.File.Exists(arguments[0]));
    }
}
CSHARP
export LD_LIBRARY_PATH="$folder/root/usr/lib" MONO_PATH="$folder/root/usr/lib/mono/4.5"
mono=root/usr/bin/mono-sgen
with() { MONO_CFG_DIR=$1 "$mono" program.exe program.cs 2>&1 | sed "/^$/d" | head -3 || true; }
MONO_CFG_DIR=root/etc "$mono" root/usr/lib/mono/4.5/mcs.exe program.cs
"$mono" --version | head -1
mkdir nothing
echo "with its folder:"
with "$folder/root/etc" | tee there
echo "without:"
with "$folder/nothing" | tee missing
grep -q "exists: True" there
grep -q "^hello$" missing
grep -q "System.Native" missing
