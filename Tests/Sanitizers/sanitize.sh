#!/usr/bin/env bash
# Runs the Swift tests under sanitizers: sanitize.sh [SANITIZER...] [OPTION OF swift test...]
# Without names of sanitizers all three, each in a build folder of its own; the program that tests run is built with it, too.
# What they report of tests and programs is printed at the end, and is a failure.
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

status=0
for sanitizer in "${sanitizers[@]}"; do
  echo "== $sanitizer"
  build=".build/sanitize-$sanitizer"
  reports="$PWD/$build/reports"
  rm -rf "$reports"
  mkdir -p "$reports"
  # Leaks are not looked for: what the runtime keeps to the end of the process reads as one.
  export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:abort_on_error=0:log_path="$reports/report"
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:log_path="$reports/report"
  export TSAN_OPTIONS=halt_on_error=0:exitcode=66:suppressions=$PWD/Tests/Sanitizers/thread.txt:log_path="$reports/report"
  flags=("--sanitize=$sanitizer")
  if [ "$sanitizer" = undefined ]; then
    # Of Swift there is none for Linux: the preconditions of unsafe calls, which optimised code leaves out, stand in for it.
    # That of clang is for the C of libraries.
    flags=(-Xswiftc -assert-config -Xswiftc Debug -Xswiftc -enforce-exclusivity=checked
      -Xcc -fsanitize=undefined -Xcc -fno-sanitize=vptr,function)
    while read -r runtime; do
      flags+=(-Xlinker "$runtime")
    done < <(find "$(dirname "$(clang -print-runtime-dir)")" -name "libclang_rt.ubsan_standalone*$(uname -m)*.a" | sort)
  fi
  # Optimised, as what users run: pointers are what is looked at, and tests take minutes and not hours.
  swift test -c release -Xswiftc -enable-testing -Xswiftc -DTOLLGATE_FUZZ \
    --scratch-path "$build" "${flags[@]}" "$@" || status=1
  if [ -n "$(ls -A "$reports")" ]; then
    cat "$reports"/*
    status=1
  fi
done
exit $status
