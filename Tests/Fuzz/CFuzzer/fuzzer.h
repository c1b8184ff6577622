#include <stddef.h>
#include <stdint.h>

/// libFuzzer's loop; the runtime without its own `main` has it (https://llvm.org/docs/LibFuzzer.html).
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
