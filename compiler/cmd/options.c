/* options.c - every command and option of entc, in the order in which help tells them. */
#include "options.h"

#include <cjson/cJSON.h>
#include <meshoptimizer.h>
#include <xxhash.h>
#include <zstd.h>

#include "version.h"

/*  {name, arguments, text, manual, least and most arguments, run} */
static const Command commands[] = {
    {"build", "SRC -o OUT", "compile a folder of assets",
     "Compiles every source below the folder and mirrors its tree: SRC/levels/town.level.json "
     "becomes OUT/levels/town.level.\n"
     "All errors of all files are told in one run, and then nothing is written. A blob whose bytes "
     "would not change keeps its time. The bytes are the same on every machine.\n"
     "OUT may not be SRC, nor in it, nor around it: outputs never lie among the sources. Files of "
     "SRC "
     "that nothing reads are counted in a line at the end; -v lists them.\n"
     "--check-variants needs no -o: it compiles what each language and each platform chooses, all "
     "combinations of those that SRC/entc.json lists and that names of files have, and reports the "
     "errors of all of them.\n"
     "Threads keep to the tokens of make's jobserver where make calls it, in a line with `+`.\n"
     "With --watch it tells `watching SRC`, then a line for every build: `rebuilt: ...` or "
     "`failed: ...`. It ends with 0 on an interrupt, with 2 when SRC is gone.\n"
     "The file of --emit-ninja has an `entc compile` for every resource, and brings itself up to "
     "date when files come or go; ninja is to be called where entc was.",
     1, 1, run_build},
    {"compile", "SRC NAME.TYPE -o FILE", "compile one resource of a folder",
     "Compiles one resource, as levels/town.level, into one file: an edge in the graph of make, "
     "ninja or another build system. A depfile tells that system which files were read.\n"
     "A blob whose bytes would not change keeps its time. For ninja that is `restat = 1`, and what "
     "depends on the blob is not built either; in a rule of make, `&& touch $@` behind entc tells "
     "that the blob is up to date.",
     2, 2, run_compile},
    {"why", "SRC [NAME.TYPE] -o OUT", "tell why a resource would be, or was, compiled again",
     "Compares the sources with what the last build of OUT was made of and tells which input has "
     "changed, from what to what, and which line names it; for what is up to date, why it was "
     "compiled the last time. Without a name: of everything that would be compiled. Give the "
     "options "
     "of the build.",
     1, 2, run_why},
    {"cache", "--trim BYTES [--cache DIR]", "keep the cache folder small",
     "Removes what was used longest ago from the cache folder until no more than so many bytes are "
     "left; K, M or G behind the number count thousands, millions or thousands of millions. Other "
     "processes may use the folder meanwhile.",
     0, 0, run_cache},
    {"dump", "BLOB", "show a blob as stable text",
     "Shows everything that a blob holds, by entity path and field, in an order that makes for "
     "readable diffs. A blob that is damaged is refused with the field and the offset. Standard "
     "input is -. A float is the shortest decimal that reads back as the same float; an id is "
     "shown "
     "as the name that it stands for, where the blob has that name.\n"
     "Components that the project declares are shown by declarations in the output folder that the "
     "blob lies in. For a blob that lies elsewhere, such as the temporary files of git, they are "
     "looked for in the folders of --declarations; without that option in the git repository "
     "around "
     "the working directory: in tracked files, compiled ones and sources, in the index, and in all "
     "commits, the newest first, for at most three seconds. Only a declaration with the layout of "
     "the blob is used. The same holds for diff, verify, info, pack and unpack.",
     1, 1, run_dump},
    {"diff", "A B", "compare two blobs or two output folders",
     "Compares by entity path and field. Exits with 0 when there is no difference, with 1 when "
     "there is one, with 2 or more when a blob cannot be read.",
     2, 2, run_diff},
    {"verify", "BLOB...", "tell what is wrong with blobs or bundles",
     "Proves blobs, or all blobs below folders or in bundles, and tells which field at which "
     "offset is wrong.",
     1, UINT32_MAX, run_verify},
    {"info", "PATH", "types, counts and bytes of a blob, folder or bundle",
     "Counts what a blob, or all blobs below a folder or in a bundle, are made of.", 1, 1,
     run_info},
    {"pack", "OUT -o FILE.pak", "put what packages need into one compressed file",
     "Follows the references of the packages' roots through an output folder and writes every "
     "resource that is reached into one bundle, each compressed by itself, so that one is read "
     "without the rest. Without --package: of all packages of the folder, or of everything when it "
     "has none. The same blobs give the same bundle wherever zstd is the same.",
     1, 1, run_pack},
    {"list", "FILE.pak", "show what is in a bundle",
     "Shows the resources of a bundle with their stored and plain sizes.", 1, 1, run_list},
    {"unpack", "FILE.pak -o OUT", "write the blobs of a bundle into a folder",
     "Writes every resource of a bundle as the file that it was packed from.", 1, 1, run_unpack},
    {"codegen", "SRC [-o FILE.h]", "write the C header of the components a folder declares",
     "Writes, for every NAME.component.json below the folder, the record, the column of each "
     "field, "
     "the enums, and the numbers by which a program sees that it was built for this declaration.",
     1, 1, run_codegen},
    {"conform", "OLD NEW", "are blobs of one component's declaration read with another?",
     "Compares two declarations, each a NAME.component.json or a compiled NAME.component, and "
     "tells "
     "every difference and what it means. Exits with 0 when blobs of the old one are read by the "
     "new one as they are, with 1 when they are not, with 2 when either cannot be read.",
     2, 2, run_conform},
    {"deps", "SRC NAME.TYPE", "what a resource is made of, and what it needs",
     "Shows the files that a resource is made of (its own, its prefabs and their models) and the "
     "resources that it needs at runtime. With --all also those of everything that it needs.",
     2, 2, run_deps},
    {"refs", "SRC NAME.TYPE", "every place that names a resource",
     "Shows where prefabs, components, materials, packages and the extras of models name a "
     "resource, as file:line:column, in the files of every language and platform. A resource that "
     "a model needs out of itself is told as `model`.",
     2, 2, run_refs},
    {"unused", "SRC [--root NAME.TYPE]", "sources that no root leads to",
     "Follows every reference from the roots, in the files of every language and platform, and "
     "shows the sources that are not reached: all of them can be removed at once. Without --root, "
     "packages are the roots. Exits with 0 when there is no such source, with 1 when there is one.",
     1, 1, run_unused},
    {"mv", "SRC OLD NEW | SRC --finish|--drop",
     "rename a resource or a folder, and every reference to it",
     "Gives a resource (props/lamp.entity) or a folder (props) another name: moves its files, all "
     "variants included, and rewrites every place that names it, in JSON and in the extras of "
     "models, and nothing else in those files. What comes out of a model moves with the model. "
     "Paths to buffers, images and schemas keep leading to the same files.\n"
     "Either all of it happens or nothing: a change that was interrupted is completed by the next "
     "mv, rm or build of the same user on the same machine. Elsewhere, SRC --finish completes it "
     "and SRC --drop discards it. Only sources are changed, never files or folders whose names "
     "begin with a dot, and no link is followed. "
     "A folder with errors is left alone. --dry-run prints the diff, which `git apply` takes.",
     1, 3, run_mv},
    {"rm", "SRC NAME.TYPE", "remove a resource that nothing refers to",
     "Removes the files of a resource, all variants included. When anything refers to it, or to "
     "what comes out of a model, every such place is told, nothing is removed, and the exit code "
     "is 3; so it is with --dry-run.",
     2, 2, run_rm},
    {"schema", "[SRC] -o DIR", "write JSON Schemas for editors",
     "Writes a schema (draft-07) for every kind of JSON source, TYPE.schema.json, by which an "
     "editor "
     "completes and checks what is written; with SRC, the components that it declares are in them. "
     "What a schema refuses, entc refuses as well. --check writes nothing and exits with 3 when a "
     "file would change.",
     0, 1, run_schema},
    {"init", "DIR", "start a project in a new folder",
     "Writes a level, a prefab, a component of the project's own, settings by which an editor "
     "finds "
     "the schemas, and a workflow that builds them, into a folder that is new or empty.",
     1, 1, run_init},
    {"setup-git", "--print", "tell how git shows blobs as text",
     "Prints lines for .gitattributes and `git config` commands, by which git diff and git log "
     "show the dump of a blob, and git difftool, with and without -d, calls entc diff. Nothing is "
     "changed by itself. Components that the project declares are shown by the declarations that "
     "each side was compiled with, which `entc help dump` describes. Where the repository does not "
     "hold them: git config diff.entc.textconv 'entc dump --textconv --declarations DIR'.",
     0, 0, run_setup_git},
};

#define INTO(member) offsetof(Options, member)
#define COMPILES     "build compile"
#define BUILDS       "build compile why"
#define READS        "deps refs unused mv rm"
#define JOBS_MAX     256

/*  {name, value, text, commands, kind, where it goes, least, most} */
static const Option options[] = {
    {"-o", "PATH", "where to write", BUILDS " codegen schema pack unpack", OPTION_TEXT,
     INTO(build.out), 0, 0},
    {"-j", "N", "threads (as many as there are processors for this process)", BUILDS, OPTION_NUMBER,
     INTO(build.jobs), 1, JOBS_MAX},
    {"--cache", "DIR", "folder of results that builds share", COMPILES " cache", OPTION_TEXT,
     INTO(build.cache), 0, 0},
    {"--report", "FILE", "write bytes and times of every resource, component and prefab, as JSON",
     "build", OPTION_TEXT, INTO(build.report), 0, 0},
    {"--budget", "FILE", "write nothing and exit 3 when anything has more bytes than this allows",
     "build", OPTION_TEXT, INTO(build.budget), 0, 0},
    {"--max-output", "BYTES",
     "refuse what would have more bytes in all, before it is made; with K, M or G (8G)",
     COMPILES " unpack verify info", OPTION_TEXT, INTO(max_output), 0, 0},
    {"--trim", "BYTES", "bytes that may stay", "cache", OPTION_TEXT, INTO(trim), 0, 0},
    {"--watch", NULL, "build, and again whenever a source changes, until it is interrupted",
     "build", OPTION_SWITCH, INTO(build.watch), 0, 0},
    {"--force", NULL, "compile everything, whatever the last build left", "build", OPTION_SWITCH,
     INTO(build.force), 0, 0},
    {"--lang", "L", "take NAME.L.TYPE.json where there is one", BUILDS " deps", OPTION_TEXT,
     INTO(build.lang), 0, 0},
    {"--platform", "P", "take NAME.P.TYPE.json where there is one", BUILDS " deps", OPTION_TEXT,
     INTO(build.platform), 0, 0},
    {"--target", "little|big", "byte order of the blobs (little)", BUILDS, OPTION_CHOICE,
     INTO(build.target), 0, 0},
    {"--plugin", "LIB", "load a library that brings component types; several may be named",
     BUILDS " " READS " dump diff verify info pack unpack codegen schema", OPTION_LIST,
     INTO(build.plugins), 0, 0},
    {"--declarations", "DIR",
     "folder with the declarations of components of blobs that lie elsewhere; several may be named "
     "(the git repository around the working directory)",
     "dump diff verify info pack unpack", OPTION_LIST, INTO(declarations), 0, 0},
    {"--strip", NULL, "leave entity names out of the blobs", BUILDS, OPTION_SWITCH,
     INTO(build.strip), 0, 0},
    {"--source-map", NULL,
     "write BLOB.map beside each blob: where in the sources all of it came from", COMPILES,
     OPTION_SWITCH, INTO(build.source_map), 0, 0},
    {"--check", NULL, "write nothing; exit 3 when something would change", COMPILES " schema",
     OPTION_SWITCH, INTO(build.check), 0, 0},
    {"--dry-run", NULL, "write nothing; tell what would be written", COMPILES " mv rm",
     OPTION_SWITCH, INTO(build.dry_run), 0, 0},
    {"--finish", NULL, "complete a change of SRC that was interrupted elsewhere", "mv",
     OPTION_SWITCH, INTO(finish), 0, 0},
    {"--drop", NULL, "discard a change of SRC that was interrupted: only its record is removed",
     "mv", OPTION_SWITCH, INTO(drop), 0, 0},
    {"--check-variants", NULL,
     "write nothing; compile every variant for a language or a platform, and exit 3 when one has "
     "errors",
     "build", OPTION_SWITCH, INTO(build.variants), 0, 0},
    {"--list-outputs", NULL, "build nothing; tell the paths of what would be there", "build",
     OPTION_SWITCH, INTO(build.list), 0, 0},
    {"--emit-ninja", "FILE", "build nothing; write the graph by which ninja does", "build",
     OPTION_TEXT, INTO(build.graph), 0, 0},
    {"-MD", NULL, "write a depfile beside the blob", "compile", OPTION_SWITCH, INTO(depend), 0, 0},
    {"-MF", "FILE", "write the depfile here", "compile", OPTION_TEXT, INTO(build.depfile), 0, 0},
    {"-MT", "TARGET", "what the depfile calls the blob (as -o does)", "compile", OPTION_TEXT,
     INTO(build.depfile_target), 0, 0},
    {"-MP", NULL, "make each input a target of the depfile, which it always is", "compile",
     OPTION_SWITCH, INTO(phony), 0, 0},
    {"--diag-format", "text|json|sarif|github",
     "form of the diagnostics; each form is written to standard error",
     COMPILES " codegen schema " READS, OPTION_CHOICE, INTO(build.format), 0, 0},
    {"--color", "auto|always|never", "colour in diagnostics", COMPILES " codegen schema " READS,
     OPTION_CHOICE, INTO(color), 0, 0},
    {"--package", "NAME", "pack what it needs; several may be named (all of OUT)", "pack",
     OPTION_LIST, INTO(packages), 0, 0},
    {"--level", "N", "of zstd: how hard it tries (19); 0: not at all", "pack", OPTION_NUMBER,
     INTO(level), 0, PACK_LEVEL_MAX},
    {"--root", "NAME.TYPE", "what is needed; several may be named (all packages)", "unused",
     OPTION_LIST, INTO(roots), 0, 0},
    {"--all", NULL, "also what is needed by what it needs", "deps", OPTION_SWITCH, INTO(all), 0, 0},
    {"--json", NULL, "as JSON", "list deps refs unused", OPTION_SWITCH, INTO(json), 0, 0},
    {"--json", NULL, "as JSON", "dump", OPTION_FLAG, INTO(dump), DUMP_JSON, 0},
    {"--annotate", NULL, "name every byte range", "dump", OPTION_FLAG, INTO(dump), DUMP_ANNOTATE,
     0},
    {"--textconv", NULL, "for git: a blob that is refused is told as text too, with exit code 0",
     "dump", OPTION_FLAG, INTO(dump), DUMP_TEXTCONV, 0},
    {"--json", NULL, "as JSON", "diff", OPTION_FLAG, INTO(diff), DIFF_JSON, 0},
    {"--stat", NULL, "only counts", "diff", OPTION_FLAG, INTO(diff), DIFF_STAT, 0},
    {"--print", NULL, "tell what to do", "setup-git", OPTION_SWITCH, INTO(print), 0, 0},
    {"-q", NULL, "say nothing but errors", COMPILES " verify cache init mv rm", OPTION_SWITCH,
     INTO(build.quiet), 0, 0},
    {"-v", NULL, "say what is written", COMPILES " schema pack unpack", OPTION_SWITCH,
     INTO(build.verbose), 0, 0},
};

static const ManualRow exits[] = {
    {"0", "ok"},
    {"1", "usage, or `diff` and `conform` found a difference, or `unused` something"},
    {"2", "a file cannot be read or written"},
    {"3", "invalid input, or `--check` found files that are not what the sources give"},
    {"4", "out of memory or over a limit"},
    {"5", "a blob of another format version, or a plugin of another version"},
    {NULL, NULL},
};

static const ManualRow variables[] = {
    {"CLICOLOR_FORCE", "colour in diagnostics also where standard error is no terminal"},
    {"NO_COLOR", "no colour"},
    {"CI", "no colour and no progress line: somebody reads a log"},
    {"ENTC_CACHE_DIR", "the cache folder, where --cache names none"},
    {"GIT_DIR", "the git repository in which declarations are looked for, as git itself reads it"},
    {"MAKEFLAGS", "make's jobserver; with -n in it, build and compile do as with --dry-run"},
    {"TERM", "no colour and no progress line when it is dumb or not set"},
    {NULL, NULL},
};

static const ManualRow files[] = {
    {"NAME.entity.json, NAME.level.json, NAME.material.json, NAME.component.json, "
     "NAME.package.json",
     "sources; a resource's name is the path from the asset folder without suffixes"},
    {"NAME.gltf, NAME.glb",
     "models: an entity each, and the meshes, skeletons, clips and materials below its name"},
    {"NAME.entity, NAME.level, NAME.mesh, NAME.skeleton, NAME.clip, NAME.material, "
     "NAME.component, NAME.package",
     "blobs, as FORMAT.md specifies them"},
    {"SRC/entc.json",
     "the project's settings: its languages and its platforms, beside which all others are errors"},
    {"SRC/.entc.move",
     "what an interrupted mv or rm was about to do; completed by the next mv, rm or build"},
    {"NAME.TYPE.map", "with --source-map, beside each blob: dump --annotate, diff and verify name "
                      "places in sources"},
    {".OUT.entc", "beside the output folder: what the last build read and wrote; may be removed"},
    {NULL, NULL},
};

static const ManualRow examples[] = {
    {"entc build assets -o out", "compile everything"},
    {"entc build assets -o out --check", "in a test: is what was committed up to date?"},
    {"entc build assets -o out --watch", "and again whenever somebody saves"},
    {"entc compile assets levels/town.level -o town.level -MD -MF town.d",
     "one edge of a build graph"},
    {"entc diff old/levels/town.level out/levels/town.level", "what did a change of mine change?"},
    {NULL, NULL},
};

static void version_print(FILE* out) {
    fprintf(out,
            "entc %s, blob format %u, cJSON %s, xxHash %u.%u.%u, meshoptimizer %u.%u, zstd %s\n",
            ENT_VERSION, BLOB_VERSION, cJSON_Version(), XXH_VERSION_MAJOR, XXH_VERSION_MINOR,
            XXH_VERSION_RELEASE, MESHOPTIMIZER_VERSION / 1000, MESHOPTIMIZER_VERSION / 10 % 100,
            ZSTD_versionString());
}

const Program entc_program = {
    .name = "entc",
    .text = "compiles JSON entities, levels and glTF models into blobs that are read in place",
    .manual =
        "entc compiles a folder of JSON entities, levels and materials and glTF models into binary "
        "blobs. A blob is used where it lies: it is in the byte order of the target, holds offsets "
        "instead of pointers, and component data grouped by type in the order of spawning. libent "
        "loads and spawns blobs.\n"
        "\n"
        "What is wrong with a source is told as file:line:column with the line and a caret. "
        "Diagnostics are written to standard error in every form of --diag-format; standard output "
        "holds only what a command was asked for. With json and sarif, a line that does not begin "
        "with { is not a diagnostic of a source, but of the command line or the machine.",
    .number = ENT_VERSION,
    .date = ENT_VERSION_DATE,
    .commands = commands,
    .command_count = COUNT_OF(commands),
    .options = options,
    .option_count = COUNT_OF(options),
    .exits = exits,
    .variables = variables,
    .files = files,
    .examples = examples,
    .see_also = "entrun",
    .arguments = offsetof(Options, arguments),
    .nearest = diag_nearest,
    .version_print = version_print,
};
