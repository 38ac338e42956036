/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <string.h>

ttp_code ttp_shared_library_load(void *out, const char *library, struct ttp_library_entries entries,
                                 const char *hint, struct ttp_err *err)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        (void)ttp_fail(err, TTP_EMISSING, "cannot load '%s'", library);
        ttp_err_hint(err, "%s", hint);
        return TTP_EMISSING;
    }
    for (size_t i = 0; i < entries.count; i++) {
        void *symbol = dlsym(handle, entries.entry[i].name);

        if (!symbol) {
            (void)ttp_fail(err, TTP_EMISSING, "'%s' has no '%s'", library, entries.entry[i].name);
            ttp_err_hint(err, "%s", hint);
            return TTP_EMISSING;
        }
        /* ISO C has no cast from an object's pointer to a function's */
        memcpy((char *)out + entries.entry[i].offset, &symbol, sizeof(symbol));
    }
    return TTP_OK;
}
