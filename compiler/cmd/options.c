/* options.c - every command and option of entc, in the order of the help text. */
#include "options.h"

#include <cjson/cJSON.h>
#include <meshoptimizer.h>
#include <xxhash.h>
#include <zstd.h>

#include "diag.h"
#include "version.h"

CommandRun run_build, run_check, run_compile, run_why, run_cache, run_codegen, run_explain,
    run_conform, run_migrate, run_schema, run_init, run_deps, run_refs, run_unused, run_mv, run_rm,
    run_fix_overrides, run_pack, run_index, run_list, run_unpack, run_dump, run_diff, run_verify,
    run_info, run_verify_determinism, run_setup_git;

/*  {name, arguments, text, manual, least and most arguments, run} */
static const Command commands[] = {
    {"build", "SRC -o OUT", "compile a folder of assets",
     "Compiles every source below the folder and mirrors its tree: SRC/levels/town.level.json "
     "becomes OUT/levels/town.level.\n"
     "All errors of all files are reported in one run; if there is any error, nothing is written. "
     "With -k, the resources that are compiled only from sources without errors are written, the "
     "outputs of the others remain as the last build wrote them, and the exit code is 3. An error "
     "that concerns all resources, such as two sources for one name, invalid settings or an "
     "exceeded --max-output, still means that nothing is written; --report and --budget need a "
     "build without errors. "
     "A blob that would not change keeps its modification time. The bytes are the same on every "
     "machine.\n"
     "OUT must be a folder outside of SRC and must not contain SRC. Files in SRC that no source "
     "refers to are counted in a line at the end; -v lists them.\n"
     "When make runs entc in a recipe line with `+`, the number of threads is limited by make's "
     "jobserver.\n"
     "With --watch it prints `watching SRC`, then a line for every build: `rebuilt: ...` or "
     "`failed: ...`. The exit code is 0 after an interrupt and 2 when SRC no longer exists.\n"
     "The file that --emit-ninja writes contains an `entc compile` for every resource, and a rule "
     "that updates the file itself when files are added or removed; run ninja in the folder in "
     "which entc was run. With --batch, one command compiles several resources. Only the rule of "
     "the file itself lists folders; the others read FILE.inputs, which it writes.",
     1, 1, run_build},
    {"check", "SRC", "report what a build would report, and write nothing",
     "Compiles everything, with the messages and the exit code of a build with the same options. "
     "There is no output folder; only a cache that was specified is written.\n"
     "With --variants, every variant is compiled, that is, all combinations of the languages and "
     "platforms that are listed in SRC/entc.json and occur in file names, and the errors of all of "
     "them are reported.",
     1, 1, run_check},
    {"compile", "SRC NAME.TYPE... -o PATH", "compile single resources of a folder",
     "Compiles one resource, such as levels/town.level, into the file PATH, as one step of make, "
     "ninja or another build system. Several resources are compiled into the folder PATH, each to "
     "PATH/NAME.TYPE; one with errors leaves the others written, and the exit code is 3. A depfile "
     "lists the files that were read, and stays as it was after an error; of several resources, "
     "-MF "
     "states its path.\n"
     "With --inputs, no folder of sources is listed, and no source is read that FILE does not "
     "list. Each line of FILE is `file PATH`, a file below SRC, `resource NAME.TYPE`, a resource "
     "that has to exist and is not read, or `part NAME.TYPE`, such a resource in a model. `deps` "
     "writes the list of one resource. What concerns the complete "
     "project, such as two sources of one name, is reported by `check` and `build`.\n"
     "A blob that would not change keeps its modification time. With `restat = 1`, ninja then does "
     "not rebuild what depends on the blob; in a make rule, add `&& touch $@` after the entc "
     "command to mark the blob as up to date.",
     2, UINT32_MAX, run_compile},
    {"why", "SRC [NAME.TYPE] -o OUT", "explain why a resource would be, or was, compiled again",
     "Compares the sources with those of the last build of OUT and reports which input has "
     "changed, the old and the new state, and which line refers to it; for a resource that is up "
     "to date, it reports why it was last compiled. Without a name, it reports this for every "
     "resource that would be compiled. Specify the same options as for the build.",
     1, 2, run_why},
    {"cache", "--trim BYTES [--cache DIR]", "limit the size of the cache folder",
     "Removes the least recently used entries of the cache folder until at most the specified "
     "number of bytes remains; the suffixes K, M and G stand for 10^3, 10^6 and 10^9. Other "
     "processes may use the folder at the same time.",
     0, 0, run_cache},
    {"dump", "BLOB", "show a blob as stable text",
     "Shows the complete content of a blob, by entity path and field, in a stable order that is "
     "suitable for diffs. For a damaged blob, the invalid field and its offset are reported. - "
     "reads standard input. A float is printed as the shortest decimal that converts back to the "
     "same float; an id is printed as its name if the blob contains that name.\n"
     "Components that the project declares are decoded with the declarations in the output folder "
     "that contains the blob. For a blob in another place, such as a temporary file of git, the "
     "declarations are searched in the folders of --declarations; without that option, in the git "
     "repository that contains the working directory: in tracked files (compiled declarations and "
     "sources), in the index, and in all commits, newest first, for at most three seconds. A "
     "declaration is used only if its layout matches that of the blob. The same applies to diff, "
     "verify, info, pack and unpack.",
     1, 1, run_dump},
    {"diff", "A B", "compare two blobs or two output folders",
     "Compares by entity path and field. The exit code is 0 when there is no difference, 1 when "
     "there is one, and 2 or greater when a blob cannot be read.",
     2, 2, run_diff},
    {"verify", "BLOB...", "validate blobs or bundles",
     "Validates blobs, or all blobs in folders or bundles, and reports which field at which offset "
     "is invalid. The index of an output folder is compared with its blobs.",
     1, UINT32_MAX, run_verify},
    {"verify-determinism", "SRC [-o DIR]", "check that builds of a folder give the same bytes",
     "Builds the folder three times and compares all outputs. The second build has the same "
     "sources "
     "in another folder, which it reads and compiles in the reverse order, another number of "
     "threads, an empty cache, another time zone, and memory that is not zero; the third one uses "
     "the cache of the second. The exit code is 0 when the bytes are the same. When they differ, "
     "which a plugin can cause, the first different byte is printed with its meaning, as dump "
     "--annotate prints it, and the exit code is 3.\n"
     "Without -o, a folder in $TMPDIR or /tmp is used and removed; with it, the outputs remain in "
     "DIR/1, DIR/2 and DIR/3.",
     1, 1, run_verify_determinism},
    {"info", "PATH", "show types, counts and bytes of a blob, folder or bundle",
     "Shows the number and size of the sections of a blob, or of all blobs in a folder or bundle. "
     "With --json, one object: the arrays `types`, `sections` and, for a blob with groups, "
     "`groups`; the total of `blobs` and `bytes`; for a single blob also `type`, `id` and "
     "`byte_order`.",
     1, 1, run_info},
    {"pack", "OUT -o FILE.pak", "pack the resources that packages need into one compressed file",
     "Follows the references from the roots of the packages in an output folder and writes every "
     "resource that is reached into one bundle. Each resource is compressed separately, so that it "
     "can be read without the others. Without --package, all packages of the folder are packed, or "
     "all resources when there is no package. With the same version of zstd, the same blobs give "
     "the same bundle.\n"
     "In patterns, `*` stands for any characters of one part of a path, `?` for one of them, and "
     "`**` for any number of folders: 'levels/*.level', 'props/**/lamp.*'. A pattern without '/' "
     "is "
     "compared with the last part of each name. Write patterns in quotes, so that the shell does "
     "not replace them.",
     1, 1, run_pack},
    {"list", "FILE.pak", "list the resources in a bundle",
     "Lists the resources of a bundle with their compressed and uncompressed sizes.", 1, 1,
     run_list},
    {"index", "OUT [BLOB...]", "write the index of an output folder",
     "Writes OUT/.entc.index, which states the hash of each blob in the folder, as build and "
     "unpack "
     "do in their last step; a program that follows the folder reads it. It is for a graph of "
     "`entc "
     "compile`s, whose last step it is. Each BLOB is the path of a file in OUT, beginning with "
     "OUT; "
     "without any, all blobs in the folder are listed. A path without a file is left out, because "
     "compile writes none for an image that cannot be decoded and that nothing uses. A file that "
     "would not change keeps its modification time. Without any blob, --target states the byte "
     "order "
     "of the index.",
     1, UINT32_MAX, run_index},
    {"unpack", "FILE.pak -o OUT", "extract the blobs of a bundle into a folder",
     "Writes every resource of a bundle as the file from which it was packed, and the index of the "
     "folder.",
     1, 1, run_unpack},
    {"codegen", "SRC [-o FILE.h]", "write a C header for the components that a folder declares",
     "Writes, for every NAME.component.json in the folder, the record, the rows of a world, the "
     "column of each field, "
     "the enums, and the constants with which a program checks that it was built for this "
     "declaration.",
     1, 1, run_codegen},
    {"explain", "[CODE]", "explain an error or a warning by its code",
     "Prints what the code at the end of a diagnostic means, what causes it, and what repairs it; "
     "without a code, it lists all codes. ERRORS.md contains the same.",
     0, 1, run_explain},
    {"conform", "OLD NEW", "check whether two declarations of a component are compatible",
     "Compares two declarations, each a NAME.component.json or a compiled NAME.component, and "
     "reports every difference and its effect on blobs and saves of the old declaration: harmless; "
     "converted when a world spawns them, without loss; lossy: converted, and values are dropped "
     "or changed; refused. The exit code is 0 when they can be read with the new one, 1 when they "
     "cannot, and 2 when either file cannot be read.",
     2, 2, run_conform},
    {"migrate", "OUT SAVE...", "rewrite saves with the declarations of a build",
     "Converts the instances of declared component types in saves (or other entities and levels) "
     "to the declarations in the output folder OUT, as libent does when it spawns them, and "
     "replaces the files. Every value that is dropped or changed is reported; --dry-run only "
     "reports.",
     2, UINT32_MAX, run_migrate},
    {"deps", "SRC NAME.TYPE", "list the files and the resources that a resource depends on",
     "Lists the files from which a resource is compiled (its own, its prefabs and their models) "
     "and the resources that it needs at runtime. With --all, it also lists the dependencies of "
     "these resources.\n"
     "With --inputs, the resource is compiled in memory, and FILE lists its inputs for `compile`: "
     "the files from which it is compiled, the settings of the project, all declarations of "
     "components, and the resources that it refers to.",
     2, 2, run_deps},
    {"refs", "SRC NAME.TYPE", "list all references to a resource",
     "Lists the places where prefabs, components, materials, packages and the extras of models "
     "refer to a resource, as file:line:column, in the files of every language and platform. A "
     "reference from a model to one of its own resources is listed as `model`.\n"
     "With -o, the output folder of a build, the references are stored in its build database, "
     "mostly by the build already; the next call only compiles sources that have changed, and "
     "those "
     "that refer to them.",
     2, 2, run_refs},
    {"unused", "SRC [--root NAME.TYPE]", "list sources that no root refers to",
     "Follows all references from the roots, in the files of every language and platform, and "
     "lists the sources that are not reached; all of them can be removed together. Without --root, "
     "the packages are the roots. A root may be a pattern as of pack, such as 'levels/*.level'. "
     "The "
     "exit code is 0 when there is no such source and 1 when there is one.\n"
     "--why prints, after an empty line, every other source with a shortest chain of references: "
     "the root, then each reference as file:line:column with its kind and the resource to which it "
     "refers. With --json, the two lists are `unused` and `kept` of one object.\n"
     "With -o, the output folder of a build, the references are stored in its build database, "
     "mostly by the build already; the next call only compiles sources that have changed, and "
     "those "
     "that refer to them.",
     1, 1, run_unused},
    {"mv", "SRC [--references] OLD NEW | SRC --canonical|--finish|--drop",
     "rename a resource, a folder or an entity, and every reference to it",
     "Renames a resource (props/lamp.entity) or a folder (props): moves its files, including all "
     "variants, and rewrites every reference to it, in JSON and in the extras of models, and "
     "nothing else in those files. The resources of a model are renamed with the model. Paths to "
     "buffers, images and schemas still refer to the same files.\n"
     "An entity of an entity or level is written as the resource, a colon and its path, and NEW is "
     "a "
     "name (units/soldier.entity:body/hand grip): overrides, references and \"parent\" that "
     "contain "
     "its name are rewritten, in every source. It is renamed where it is defined, not in an "
     "instance "
     "of the prefab.\n"
     "With --references, OLD was renamed already, such as an object of a model in the program that "
     "exports it, and NEW exists: only the references are rewritten, and the folder may have "
     "references that lead nowhere. Both are names of resources, or names without a type, for the "
     "resources of all types with this name or below it. References in custom properties of models "
     "are listed; they are changed where the model is exported.\n"
     "With --canonical, models, images, raw data and the files to which models refer get the names "
     "that their resources have: "
     "lower case, and `_` for what a name cannot contain. Paths in models are rewritten; other "
     "files beside them move with "
     "their folder. No resource is renamed.\n"
     "The change is atomic: a change that was interrupted is completed by the next mv, rm or build "
     "of the same user on the same machine. For another user or machine, SRC --finish completes it "
     "and SRC --drop discards it. Only sources are changed, never files or folders with names that "
     "begin with a dot, and symbolic links are not followed. A folder with errors is not changed. "
     "--dry-run prints the diff in a form that `git apply` accepts.\n"
     "With -o, the output folder of a build, the references that the build, refs, unused or mv "
     "stored in its build database are used, and are stored as they are after the change. To "
     "rename an entity, its resource and those that refer to it are compiled.",
     1, 3, run_mv},
    {"rm", "SRC NAME.TYPE", "remove a resource that nothing refers to",
     "Removes the files of a resource, including all variants. When anything refers to the "
     "resource, or to a resource of the same model, all these references are reported, nothing is "
     "removed, and the exit code is 3, also with --dry-run.",
     2, 2, run_rm},
    {"fix-overrides", "SRC", "record in overrides the values that they replace",
     "Writes `was` into each override: the values of the prefab that it replaces. When such a "
     "value changes later, builds report a warning with both values; fix-overrides records the new "
     "value. --dry-run prints the diff.",
     1, 1, run_fix_overrides},
    {"schema", "[SRC] -o DIR", "write JSON Schemas for editors",
     "Writes a JSON Schema (draft-07) for every type of JSON source, TYPE.schema.json, with which "
     "an editor completes and validates sources; with SRC, the schemas include the components that "
     "it declares. Everything that a schema rejects, entc rejects as well. --check writes nothing "
     "and the exit code is 3 when a file would change.",
     0, 1, run_schema},
    {"init", "DIR", "create a project in a new folder",
     "Writes a level that entrun draws, prefabs, a model, a declared component, settings with "
     "which "
     "an editor finds the schemas, and a workflow that builds them, into a new or empty folder.",
     1, 1, run_init},
    {"setup-git", "--print", "print the settings with which git shows blobs as text",
     "Prints lines for .gitattributes and `git config` commands with which git diff and git log "
     "show the dump of a blob, and git difftool, with and without -d, runs entc diff. The command "
     "itself changes nothing. Components that the project declares are decoded with the "
     "declarations with which each side was compiled, as `entc help dump` describes. If the "
     "repository does not contain them: git config diff.entc.textconv 'entc dump --textconv "
     "--declarations DIR'.",
     0, 0, run_setup_git},
};

#define INTO(member) offsetof(Options, member)
#define COMPILES     "build compile"
#define CHECKS       "build check compile"
#define BUILDS       "build check compile why verify-determinism"
#define READS        "deps refs unused mv rm fix-overrides"
#define JOBS_MAX     256

/* {name, value, text, commands, kind, target variable, least, most} */
static const Option options[] = {
    {"-o", "PATH", "where to write",
     COMPILES " why verify-determinism codegen schema pack unpack refs unused mv", OPTION_PATH,
     INTO(build.out), 0, 0},
    {"-j", "N", "number of threads (the number of processors that this process may use)",
     BUILDS " pack unpack", OPTION_NUMBER, INTO(build.jobs), 1, JOBS_MAX},
    {"--inputs", "FILE", "read only the files in this list, and list no folder", "compile",
     OPTION_TEXT, INTO(build.inputs), 0, 0},
    {"--inputs", "FILE", "write the list with which compile --inputs compiles the resource", "deps",
     OPTION_PATH, INTO(inputs), 0, 0},
    {"--cache", "DIR", "cache folder that builds share", CHECKS " cache", OPTION_PATH,
     INTO(build.cache), 0, 0},
    {"--cache-min", "BYTES",
     "with a cache: compile entities and levels from smaller JSON files without prefabs each time, "
     "which takes less time than reading a stored result; with K, M or G (all results are stored)",
     CHECKS, OPTION_TEXT, INTO(cache_min), 0, 0},
    {"--report", "FILE",
     "write the sizes and times of every resource, component and prefab as JSON", "build",
     OPTION_PATH, INTO(build.report), 0, 0},
    {"--budget", "FILE",
     "exit with 3 and write nothing when a size, or a number of entities, draw calls or triangles, "
     "exceeds this budget file",
     "build check", OPTION_TEXT, INTO(build.budget), 0, 0},
    {"--manifest", "FILE",
     "write all outputs as JSON, with size, hash and the inputs of each, and all inputs", "build",
     OPTION_PATH, INTO(build.manifest), 0, 0},
    {"--max-output", "BYTES",
     "report an error when all outputs together would have more bytes; with K, M or G (8G)",
     CHECKS " unpack verify info", OPTION_TEXT, INTO(max_output), 0, 0},
    {"--memory", "BYTES",
     "memory for large resources that are compiled at the same time; one that needs more is "
     "compiled "
     "alone; with K, M or G (half of what the process may use)",
     "build check", OPTION_TEXT, INTO(memory), 0, 0},
    {"--trim", "BYTES", "number of bytes to keep", "cache", OPTION_TEXT, INTO(trim), 0, 0},
    {"--watch", NULL, "build, and build again whenever a source changes, until interrupted",
     "build", OPTION_MODE, INTO(build.mode), BUILD_WATCH, 0},
    {"-k", NULL, "write the resources that do not depend on a source with errors", "build",
     OPTION_SWITCH, INTO(build.keep_going), 0, 0},
    {"--backwards", NULL,
     "list the sources and compile in the reverse order, which changes no output", "build",
     OPTION_SWITCH, INTO(build.backwards), 0, 0},
    {"--force", NULL, "compile everything, even what is up to date", "build", OPTION_SWITCH,
     INTO(build.force), 0, 0},
    {"--take-over", NULL,
     "replace the outputs of another source folder, which are in the output folder", "build",
     OPTION_SWITCH, INTO(build.take_over), 0, 0},
    {"--lang", "L", "use NAME.L.TYPE.json where it exists", BUILDS " deps", OPTION_TEXT,
     INTO(build.variant.lang), 0, 0},
    {"--platform", "P", "use NAME.P.TYPE.json where it exists", BUILDS " deps", OPTION_TEXT,
     INTO(build.variant.platform), 0, 0},
    {"--target", "little|big", "byte order of the blobs (little)", BUILDS " index", OPTION_CHOICE,
     INTO(build.compile.target), 0, 0},
    {"--plugin", "LIB", "load a plugin library that provides component types; may be repeated",
     BUILDS " " READS " dump diff verify info pack unpack codegen schema", OPTION_LIST,
     INTO(build.plugins), 0, 0},
    {"--declarations", "DIR",
     "folder with component declarations, for blobs outside of an output folder; may be repeated "
     "(the git repository that contains the working directory)",
     "dump diff verify info pack unpack migrate", OPTION_LIST, INTO(declarations), 0, 0},
    {"--clip-error", "SHARE",
     "how far packing the values of clips may move a joint, as a share of the largest extent of "
     "its skeleton (0.0001); 0: values are not packed",
     BUILDS, OPTION_TEXT, INTO(clip_error), 0, 0},
    {"--strip", NULL, "omit entity names and declarations from the blobs", BUILDS, OPTION_SWITCH,
     INTO(build.compile.strip), 0, 0},
    {"--strict-models", NULL,
     "report an error for everything in a model that is not compiled, unless SRC/entc.json accepts "
     "it",
     BUILDS, OPTION_SWITCH, INTO(build.strict_models), 0, 0},
    {"--source-map", NULL,
     "write BLOB.map beside each blob, which maps its content to positions in the sources",
     COMPILES " why", OPTION_SWITCH, INTO(build.compile.source_map), 0, 0},
    {"--check", NULL, "write nothing; exit with 3 when something would change", COMPILES " schema",
     OPTION_MODE, INTO(build.mode), BUILD_CHECK, 0},
    {"--dry-run", NULL, "write nothing; list what would be written",
     COMPILES " mv rm fix-overrides migrate", OPTION_MODE, INTO(build.mode), BUILD_DRY_RUN,
     BUILD_CHECK},
    {"--canonical", NULL,
     "give models, images and raw data of SRC, and the files beside models, their canonical names",
     "mv", OPTION_SWITCH, INTO(canonical), 0, 0},
    {"--references", NULL,
     "rewrite only the references: OLD was renamed already, in the program that exports it", "mv",
     OPTION_SWITCH, INTO(references), 0, 0},
    {"--finish", NULL, "complete an interrupted change of SRC by another user or machine", "mv",
     OPTION_SWITCH, INTO(finish), 0, 0},
    {"--drop", NULL, "discard an interrupted change of SRC: only its journal is removed", "mv",
     OPTION_SWITCH, INTO(drop), 0, 0},
    {"--variants", NULL,
     "compile every variant for a language or a platform, and exit with 3 when one has errors",
     "check", OPTION_MODE, INTO(build.mode), BUILD_VARIANTS, 0},
    {"--list-outputs", NULL, "build nothing; list the paths of all outputs", "build", OPTION_MODE,
     INTO(build.mode), BUILD_LIST, 0},
    {"--emit-ninja", "FILE", "build nothing; write a ninja file", "build", OPTION_PATH,
     INTO(build.graph), 0, 0},
    {"--batch", "N", "number of resources that one command of the ninja file compiles, at most (1)",
     "build", OPTION_NUMBER, INTO(build.batch), 1, BATCH_MAX},
    {"-MD", NULL, "write a depfile beside the blob", "compile", OPTION_SWITCH, INTO(depend), 0, 0},
    {"-MF", "FILE", "write the depfile here", "compile", OPTION_PATH, INTO(build.depfile.path), 0,
     0},
    {"-MT", "TARGET", "target name of the blob in the depfile (the path of -o)", "compile",
     OPTION_TEXT, INTO(build.depfile.target), 0, 0},
    {"--depfile-format", "both|make|ninja",
     "which programs read the depfile (both); a path that they cannot read is an error", "compile",
     OPTION_CHOICE, INTO(build.depfile.format), 0, 0},
    {"-MP", NULL, "accepted for compatibility: each input is always a target of the depfile",
     "compile", OPTION_SWITCH, INTO(phony), 0, 0},
    {"--diag-format", "text|json|sarif|github|msvc",
     "format of the diagnostics, which are always written to standard error",
     CHECKS " codegen schema verify-determinism " READS, OPTION_CHOICE, INTO(build.messages.format),
     0, 0},
    {"--color", "auto|always|never", "use colour in diagnostics",
     CHECKS " codegen schema verify-determinism " READS, OPTION_CHOICE, INTO(color), 0, 0},
    {"--package", "NAME",
     "pack the resources that it needs; may be a pattern, and repeated (all of OUT)", "pack",
     OPTION_LIST, INTO(packages), 0, 0},
    {"--level", "N", "zstd compression level (3, 9, 18 or 19, chosen by size); 0: no compression",
     "pack", OPTION_NUMBER, INTO(level), 0, PACK_LEVEL_MAX},
    {"--root", "NAME.TYPE", "root of the references; may be a pattern, and repeated (all packages)",
     "unused", OPTION_LIST, INTO(roots), 0, 0},
    {"--root", "NAME.TYPE",
     "also pack this resource with all that it needs; may be a pattern, and repeated", "pack",
     OPTION_LIST, INTO(roots), 0, 0},
    {"--why", NULL,
     "also list every source that is used, with the references that lead to it from a root",
     "unused", OPTION_SWITCH, INTO(why), 0, 0},
    {"--all", NULL, "also list the dependencies of dependencies", "deps", OPTION_SWITCH, INTO(all),
     0, 0},
    {"--json", NULL, "as JSON", "list deps refs unused info", OPTION_SWITCH, INTO(json), 0, 0},
    {"--json", NULL, "as JSON", "dump", OPTION_FLAG, INTO(dump), DUMP_JSON, 0},
    {"--annotate", NULL, "describe every byte range", "dump", OPTION_FLAG, INTO(dump),
     DUMP_ANNOTATE, 0},
    {"--png", "FILE", "of a texture: write a level as a picture, and no text", "dump", OPTION_PATH,
     INTO(picture), 0, 0},
    {"--level", "N", "the level for --png (0, the largest)", "dump", OPTION_NUMBER,
     INTO(picture_level), 0, 14},
    {"--textconv", NULL, "for git: describe an invalid blob as text too, with exit code 0", "dump",
     OPTION_FLAG, INTO(dump), DUMP_TEXTCONV, 0},
    {"--json", NULL, "as JSON", "diff", OPTION_FLAG, INTO(diff), DIFF_JSON, 0},
    {"--stat", NULL, "print only counts", "diff", OPTION_FLAG, INTO(diff), DIFF_STAT, 0},
    {"--print", NULL, "print the instructions", "setup-git", OPTION_SWITCH, INTO(print), 0, 0},
    {"-q", NULL, "print only errors",
     CHECKS " verify verify-determinism cache init mv rm fix-overrides", OPTION_SWITCH,
     INTO(build.messages.quiet), 0, 0},
    {"-v", NULL, "print counts, and list the files that are not read", "check", OPTION_SWITCH,
     INTO(build.messages.verbose), 0, 0},
    {"-v", NULL, "list the files that are written", COMPILES " schema pack unpack index",
     OPTION_SWITCH, INTO(build.messages.verbose), 0, 0},
};

static const ManualRow exits[] = {
    {"0", "ok"},
    {"1", "invalid usage, or `diff` or `conform` found a difference, or `unused` found a source"},
    {"2", "a file could not be read or written"},
    {"3", "invalid input, or `--check` found files that are not up to date, or "
          "`verify-determinism` found a difference"},
    {"4", "out of memory, or a limit was exceeded"},
    {"5", "unsupported version of the blob format or of a plugin"},
    {NULL, NULL},
};

static const ManualRow variables[] = {
    {"CLICOLOR_FORCE", "use colour in diagnostics even if standard error is not a terminal"},
    {"NO_COLOR", "no colour"},
    {"CI", "no colour and no progress line, for logs"},
    {"ENTC_CACHE_DIR", "the cache folder, if --cache is not specified"},
    {"GIT_DIR", "the git repository in which declarations are searched, as for git itself"},
    {"MAKEFLAGS",
     "make's jobserver; if it contains -n, build and compile behave as with --dry-run"},
    {"TERM", "no colour and no progress line if it is dumb or not set"},
    {"TMPDIR", "the folder for the builds of verify-determinism without -o (/tmp)"},
    {NULL, NULL},
};

static const ManualRow files[] = {
    {"NAME.entity.json, NAME.level.json, NAME.material.json, NAME.texture.json, "
     "NAME.component.json, NAME.package.json",
     "sources; the name of a resource is its path from the asset folder without suffixes"},
    {"NAME.gltf, NAME.glb", "models: an entity, and its meshes, skeletons, clips and materials "
                            "under the name of the entity"},
    {"NAME.model.json", "the settings of the model of the same name: levels of detail, textures, "
                        "lights, and what names of its objects mean"},
    {"NAME.EXT.data.json", "makes the file NAME.EXT, of any format, a resource of the type data"},
    {"NAME.png, NAME.jpg, NAME.jpeg", "images: a texture each, unless a model refers to it"},
    {"NAME.entity, NAME.level, NAME.mesh, NAME.skeleton, NAME.clip, NAME.material, "
     "NAME.texture, NAME.data, NAME.component, NAME.package",
     "blobs, as FORMAT.md specifies them"},
    {"SRC/entc.json",
     "the settings of the project: its languages and platforms, all other tags being errors, the "
     "kinds of remarks about models that it accepts, the severities of warnings, and patterns of "
     "the files that are of the type data"},
    {"SRC/.entc.move",
     "the journal of an interrupted mv or rm; completed by the next mv, rm or build"},
    {"NAME.TYPE.map", "with --source-map, beside each blob: dump --annotate, diff and verify use "
                      "it to report positions in sources"},
    {".OUT.entc", "beside the output folder: the build database of the last build, and the "
                  "places of references that refs, unused and mv store; may be removed"},
    {NULL, NULL},
};

static const ManualRow examples[] = {
    {"entc build assets -o out", "compile everything"},
    {"entc build assets -o out --check",
     "in a test: check that the committed outputs are up to date"},
    {"entc build assets -o out --watch", "compile again whenever a source is saved"},
    {"entc compile assets levels/town.level -o town.level -MD -MF town.d",
     "compile one resource for another build system"},
    {"entc diff old/levels/town.level out/levels/town.level", "show the effect of a change"},
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
    .text = "compile JSON entities, levels and glTF models into blobs that are read in place",
    .manual =
        "entc compiles a folder of JSON entities, levels and materials and glTF models into binary "
        "blobs. A blob is used in place: it has the byte order of the target, contains offsets "
        "instead of pointers, and stores component data by type in the order of spawning. libent "
        "loads and spawns blobs.\n"
        "\n"
        "Errors in sources are reported as file:line:column with the source line and a caret. "
        "Diagnostics are written to standard error in every format of --diag-format; standard "
        "output contains only the result of a command. With json and sarif, a line that does not "
        "begin with { does not refer to a source, but to the command line or the system.",
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
