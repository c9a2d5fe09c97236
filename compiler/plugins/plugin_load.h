/* plugin_load.h - loads plugins. Their component types are added to the registry before anything
 * else is read, and are used like built-in types. */
#ifndef ENTC_PLUGIN_LOAD_H
#define ENTC_PLUGIN_LOAD_H

#include "hash.h"
#include "plugin.h"
#include "registry.h"

/* A loaded plugin; opaque to the plugin itself. */
typedef struct PluginHost {
    const char* path;    /* as the user specified it */
    const char* from;    /* the plugin "PATH", for messages */
    void*       library; /* */
    Hash128     content; /* of its file */
    void (*close)(PluginHost* host);
    Registry*    registry;
    Arena*       arena;
    Diagnostics* diag; /* while its setup runs, else NULL */
    bool         quiet;
} Plugin;

typedef struct Plugins {
    Arena   arena;
    Plugin* at; /* [count] in the order in which they were specified */
    u32     count;
} Plugins;

/* A component type that a plugin reads itself. */
typedef struct PluginType {
    const char*     from;
    PluginCompile1* compile; /* NULL: by its fields */
    PluginCheck1*   check;   /* or NULL */
    void*           user;
} PluginType;

/* Loads libraries, each of which adds its components. Errors are reported with the name of the
 * plugin, on stderr or as diagnostics; the other plugins are loaded nevertheless. Returns an exit
 * code. Always close the plugins, after everything that uses their types. */
int  plugins_open(Registry* registry, const Words* paths, bool quiet, Diagnostics* diag);
void plugins_close(Registry* registry);

/* Adds the types of the plugins of another registry, which must stay open: a library is set up once,
 * however many registries have its types. Returns false after reporting an error. */
MUST_CHECK bool plugins_share(Registry* registry, const Registry* from, Diagnostics* diag);

/* Calls a plugin: its errors are reported with its name, and a record with a value out of range is
 * an error. */
void plugin_compile(Instance* instance);
void plugin_check(Instance* instance);

/* What a plugin may call while an instance is compiled: plugin_calls.c. */
extern const ApiInstance2 plugin_api_instance;
extern const ApiJson1     plugin_api_json;

#endif
