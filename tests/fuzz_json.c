/* make fuzz target=json seconds=60
 *
 * Any text through the scanner and the reader of levels; what the scanner takes, cJSON takes too.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "doc.h"

int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
    static Registry registry;
    char*           text = calloc(1, size + 1);
    Diagnostics*    diag = diag_create();
    Arena           arena = {0};
    Doc             doc;
    if (registry.count == 0 && !registry_init(&registry, diag)) abort();
    memcpy(text, data, size);
    const Source source = {"fuzz.level.json", text, (u32)size};
    Json         json = json_open(&source, 0, diag);
    if (json_skip(&json) && json_end(&json)) {
        cJSON*      tree = cJSON_ParseWithLength(text, size);
        const char* at = text + (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
        if (!tree && !(tree = cJSON_Parse(at))) abort();
        cJSON_Delete(tree);
    }
    doc_read(&doc, &source, true, &registry, &arena, diag);
    doc_drop(&doc);
    arena_drop(&arena);
    diag_destroy(diag);
    free(text);
    return 0;
}
