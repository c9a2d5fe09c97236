/* model_rules.h - the rules by which names of objects in models mean something. "names" in the settings of a model, and
 * "names_off" in entc.json, turn them off. */
#ifndef ENTC_MODEL_RULES_H
#define ENTC_MODEL_RULES_H

/* X(F, R, name, text): F and R are for the field table of model_settings.h. */
#define MODEL_NAME_RULES(X, F, R)                                                                  \
    X(F, R, lods,                                                                                  \
      "whether objects with one parent whose names end with _LOD0, _LOD1 and so on are levels of " \
      "detail of one mesh")                                                                        \
    X(F, R, colliders,                                                                             \
      "whether the meshes of objects with _col at the end, or UCX_, UBX_, USP_ or UCP_ at the "    \
      "beginning of their names are colliders")                                                    \
    X(F, R, sockets,                                                                               \
      "whether bones with socket_ at the beginning of their names have entities that follow them") \
    X(F, R, left_out,                                                                              \
      "whether objects with -noimp or _hidden at the end of their names are left out, with what "  \
      "is below them")

#endif
