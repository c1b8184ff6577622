#!/usr/bin/env bash
# Runs the Swift tests under sanitizers: sanitize.sh [SANITIZER...] [OPTION OF swift test...]
# Without names of sanitizers all three, each in a build folder of its own; the program that tests run is built with it, too.
set -euo pipefail
cd "$(dirname "$0")/../.."
sanitizers=()
while [ $# -gt 0 ]; do
  case $1 in
    address|undefined|thread) sanitizers+=("$1"); shift ;;
    *) break ;;
  esac
done
[ ${#sanitizers[@]} -gt 0 ] || sanitizers=(address undefined thread)

# Leaks are not looked for: what the runtime keeps to the end of the process reads as one.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:abort_on_error=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=0:exitcode=66:suppressions=$PWD/Tests/Sanitizers/thread.txt
for sanitizer in "${sanitizers[@]}"; do
  echo "== $sanitizer"
  # Optimised, as what users run: pointers are what is looked at, and tests take minutes and not hours.
  swift test -c release -Xswiftc -enable-testing -Xswiftc -DTOLLGATE_FUZZ \
    --scratch-path ".build/sanitize-$sanitizer" --sanitize="$sanitizer" "$@"
done
