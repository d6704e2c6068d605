#include "cmd/version.h"

const char version_text[] = PATTN_VERSION;
const char version_commit[] = PATTN_COMMIT;
