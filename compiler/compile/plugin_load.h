/* plugin_load.h - the plugins that entc was told to load. What they bring joins the registry before
 * anything else is read, and is used like what is built in. */
#ifndef ENTC_PLUGIN_LOAD_H
#define ENTC_PLUGIN_LOAD_H

#include "hash.h"
#include "plugin.h"
#include "registry.h"

/* One that is loaded; opaque to itself. */
typedef struct PluginHost {
    const char* path;    /* as the user typed it */
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
    Plugin* at; /* [count] in the order in which they were named */
    u32     count;
} Plugins;

/* A component type that a plugin reads itself. */
typedef struct PluginType {
    const char*     from;
    PluginCompile1* compile; /* NULL: by its fields */
    PluginCheck1*   check;   /* or NULL */
    void*           user;
} PluginType;

/* Loads libraries and lets each add its components. What is wrong is told, as a sentence or a
 * diagnostic that names the plugin; the others are loaded nevertheless. Returns an exit code; close
 * them in any case, behind everything that holds a type of theirs. */
int  plugins_open(Registry* registry, const Words* paths, bool quiet, Diagnostics* diag);
void plugins_close(Registry* registry);

/* What every plugin is handed as get_ent_api. */
const void* plugin_api(u32 id, u32 version);

/* Between the compiler and a plugin: its errors get its name, and a record that leaves the ranges
 * of its fields is an error. */
void plugin_compile(Instance* instance);
void plugin_check(Instance* instance);

/* In plugin_load.c, for the table. */
extern const ApiCompiler1 plugin_api_compiler;

#endif
