/* diag_codes.h - the codes of all diagnostics, and the severities that a project sets for them. */
#ifndef ENTC_DIAG_CODES_H
#define ENTC_DIAG_CODES_H

#include "base.h"

/* Codes never change meaning; gaps are retired codes. E: an error, W: a warning, unless the project
 * sets another severity for it. */
#define DIAG_LIST(X)                                                                               \
    X(E0101, "the text is not valid JSON (RFC 8259)")                                              \
    X(E0102, "the text is not valid UTF-8")                                                        \
    X(E0103, "duplicate key in an object")                                                         \
    X(E0104, "the nesting exceeds the limit")                                                      \
    X(E0105, "a number is not finite or not exact")                                                \
    X(E0106, "a file is too large")                                                                \
    X(E0107, "a file cannot be read")                                                              \
    X(E0108, "a file cannot be read because memory or file descriptors are exhausted")             \
    X(E0109, "a string contains the character U+0000, which is not supported")                     \
    X(E0110, "a file is a pointer of git lfs, whose content was not fetched")                      \
    X(E0201, "unknown key")                                                                        \
    X(E0202, "a value has the wrong type")                                                         \
    X(E0203, "a number is out of range")                                                           \
    X(E0204, "a required key or value is missing")                                                 \
    X(E0205, "invalid value for an enum")                                                          \
    X(E0206, "the fields of a component are inconsistent")                                         \
    X(E0207, "unknown component type")                                                             \
    X(E0208, "multiple instances of a component that allows only one")                             \
    X(E0209, "duplicate item in a list")                                                           \
    X(E0210, "an invalid pattern of paths")                                                        \
    X(E0301, "the name of a resource is not canonical")                                            \
    X(E0302, "unresolved reference to a resource")                                                 \
    X(E0303, "multiple sources for one resource")                                                  \
    X(E0304, "invalid entity name")                                                                \
    X(E0305, "duplicate name among siblings")                                                      \
    X(E0306, "unresolved reference to an entity")                                                  \
    X(E0307, "the target of an override does not exist")                                           \
    X(E0308, "cyclic reference of prefabs or parents")                                             \
    X(E0309, "a limit of entities, depth or size is exceeded")                                     \
    X(E0310, "two names have the same id")                                                         \
    X(E0311, "nested groups")                                                                      \
    X(E0312, "a reference crosses the boundary of a group")                                        \
    X(E0313, "duplicate persistent id")                                                            \
    X(E0314, "a persistent reference to an entity without a persistent id")                        \
    X(E0315, "a variant that no build can select")                                                 \
    X(E0317, "a line of a list of inputs is invalid")                                              \
    X(W0316, "a value that an override replaces has changed since it was recorded")                \
    X(W0318, "files whose names their resources cannot have")                                      \
    X(E0401, "the file is not glTF 2.0")                                                           \
    X(E0402, "a required glTF extension is not supported")                                         \
    X(E0403, "a glTF property is missing, has the wrong type or is out of range")                  \
    X(E0404, "glTF data is out of range of its buffer")                                            \
    X(E0405, "a glTF buffer cannot be read")                                                       \
    X(E0406, "glTF data is not finite or not normalised")                                          \
    X(E0407, "a glTF feature is not supported")                                                    \
    X(E0410, "--strict-models: a model contains data that is not compiled")                        \
    X(E0411, "--strict-models: a model violates glTF 2.0")                                         \
    X(E0414, "--strict-models: nothing says whether the lights of models cast shadows")            \
    X(E0415, "--strict-models: objects of a model mean something because of their names")          \
    X(E0412, "an image cannot be used as a texture")                                               \
    X(E0501, "a plugin reports an error in its component")                                         \
    X(E0502, "a plugin violates the plugin interface")                                             \
    X(E0601, "a size exceeds its budget")                                                          \
    X(W0408, "a glTF mesh contains degenerate triangles")                                          \
    X(W0410, "a model contains data that is not compiled")                                         \
    X(W0411, "a model violates glTF 2.0 in a way that does not change its meaning")                \
    X(W0412, "an image that cannot be used as a texture, and to which nothing refers")             \
    X(W0413, "an image states colours other than sRGB, which is ignored")                          \
    X(W0414, "nothing says whether the lights of models cast shadows")                             \
    X(W0415, "objects of a model mean something because of their names")                           \
    X(W0701, "the time step of a fluid exceeds its stability limit")                               \
    X(W0702, "a scale of zero")                                                                    \
    X(W0703, "an integer cannot be represented exactly as a 32-bit float")                         \
    X(W0704, "the depth range of a camera is nearly empty: far_m is too close to near_m")          \
    X(W0705, "a settings file that is not in the root of the source folder")                       \
    X(W0706, "an older name of a component type")                                                  \
    X(W0707, "a fluid that starts inside a collider")                                              \
    X(W0708, "fluids that overlap at the start")                                                   \
    X(W0709, "emitters for whose particles there is no room")                                      \
    X(W0710, "an emitter or a sink that acts on nothing")                                          \
    X(W0711, "fluids of a level that do not meet")                                                 \
    X(W0712, "a body whose point_mass is not where its entity is")                                 \
    X(W0713, "an object that instances a prefab whose root is rotated or scaled")

#define DIAG_ENUM(code, text) code,
typedef enum DiagCode { DIAG_LIST(DIAG_ENUM) DIAG_CODE_COUNT } DiagCode;
#undef DIAG_ENUM

/* "W0316"; what a code means; and the code with a name, or DIAG_CODE_COUNT. */
const char* diag_code_name(DiagCode code);
const char* diag_code_text(DiagCode code);
DiagCode    diag_code_named(Text name);

/* Complete sentences: what causes a diagnostic, and what repairs it. */
typedef struct DiagExplanation {
    const char *cause, *repair;
} DiagExplanation;
DiagExplanation diag_explanation(DiagCode code);

/* Is it the code of a warning, whose severity a project may change? */
bool diag_code_is_warning(DiagCode code);

/* The severity that a project sets for the code of a warning. An error is always one. */
#define DIAG_SEVERITIES(X)                                                                         \
    X(DIAG_USUAL, "")                                                                              \
    X(DIAG_OFF, "off")                                                                             \
    X(DIAG_WARNING, "warning")                                                                     \
    X(DIAG_ERROR, "error")

#define DIAG_ENUM(severity, text) severity,
typedef enum DiagSeverity { DIAG_SEVERITIES(DIAG_ENUM) DIAG_SEVERITY_COUNT } DiagSeverity;
#undef DIAG_ENUM

typedef struct DiagSeverities {
    u8 of[DIAG_CODE_COUNT]; /* DiagSeverity */
} DiagSeverities;

#endif
