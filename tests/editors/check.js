// check.js - a project of `entc init` in VS Code: completions, hover texts and errors.
//
//     node check.js MODULES PROJECT ASSETS SCHEMAS
//
// MODULES is a folder with node_modules/, PROJECT was written by `entc init`, ASSETS is a folder of valid
// sources and SCHEMAS was written by `entc schema` for it. A "|" in a text is the cursor. Ends with `N passed, N failed`.
"use strict";

const fs = require("fs");
const path = require("path");
const { pathToFileURL, fileURLToPath } = require("url");
const { createRequire } = require("module");

const [modules, project, assets, schemas] = process.argv.slice(2).map((name) => path.resolve(name));
const { getLanguageService, TextDocument } =
  createRequire(modules + "/")("vscode-json-languageservice");

const settings = JSON.parse(fs.readFileSync(project + "/.vscode/settings.json", "utf8"));
const root = pathToFileURL(project + "/").href;

function service(associations) {
  const made = getLanguageService({
    schemaRequestService: async (uri) => fs.readFileSync(fileURLToPath(uri), "utf8"),
    workspaceContext: { resolveRelativePath: (relative, from) => new URL(relative, from).href },
  });
  made.configure({ validate: true, allowComments: false, schemas: associations });
  return made;
}

// With the settings, as for a file without "$schema"; and without them.
const led = (folder) => settings["json.schemas"].map((row) => ({
  fileMatch: row.fileMatch,
  uri: folder ? pathToFileURL(path.join(folder, path.basename(row.url))).href
    : new URL(row.url, root).href,
}));
const editor = service(led(null));
const ours = service(led(schemas)); // for ASSETS, which has components of its own
const bare = service([]);

function open(name, text) {
  const at = text.indexOf("|");
  const document = TextDocument.create(new URL(name, root).href, "json", 1, text.replace("|", ""));
  return { document, place: at < 0 ? null : document.positionAt(at) };
}

async function flagged(name, text, by = editor) {
  const { document } = open(name, text);
  const found = await by.doValidation(document, by.parseJSONDocument(document));
  return found.map((one) => `${document.getText(one.range)}: ${one.message}`);
}

async function offered(name, text) {
  const { document, place } = open(name, text);
  const list = await editor.doComplete(document, place, editor.parseJSONDocument(document));
  return new Map(list.items.map((item) => [item.label.replace(/^"|"$/g, ""), item]));
}

async function hover_text(name, text) {
  const { document, place } = open(name, text);
  const hover = await editor.doHover(document, place, editor.parseJSONDocument(document));
  const found = hover ? [hover.contents].flat().map((part) => part.value ?? part).join("\n") : "";
  return found.replace(/\\(.)/g, "$1"); // it is Markdown
}

const tests = [];
const test = (name, run) => tests.push({ name, run });

function same(found, wanted) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${a}, wanted ${b}`);
}

function holds(text, ...parts) {
  for (const part of parts) {
    if (!text.includes(part)) throw new Error(`"${text}" has no "${part}"`);
  }
}

function has(offers, names, not = []) {
  for (const name of names) if (!offers.has(name)) throw new Error(`"${name}" is not offered`);
  for (const name of not) if (offers.has(name)) throw new Error(`"${name}" is offered`);
}

const LEVEL = "assets/x.level.json";
const ENTITY = "assets/x.entity.json";
const DECLARED = "assets/x.component.json";
const MATERIAL = "assets/x.material.json";
const SETTINGS = "assets/entc.json";
const one = (components) => `{"entities":[{"components":{${components}}}]}`;

// --- completions ---

test("components by name", async () => {
  has(await offered(LEVEL, one("|")),
    ["transform", "light", "mesh", "camera", "point_mass", "particle_system"], ["$comment", "entities"]);
});
test("a component's fields, but those that are there", async () => {
  has(await offered(LEVEL, one('"light":{"kind":"spot",|}')), ["color", "range_m", "casts_shadow"],
    ["kind", "light"]);
});
test("fields in an array of components", async () => {
  has(await offered(ENTITY, '{"components":{"light":[{|}]}}'), ["kind", "range_m"]);
});
test("a field comes with its default, a component as an object", async () => {
  const inserted = async (text, label) =>
    (await offered(LEVEL, one(text))).get(label).insertText.replace(/\$\{?\d:?|[}\s]/g, "");
  same(await inserted('"light":{|}', "range_m"), '"range_m":10');
  same(await inserted('"light":{|}', "kind"), '"kind":'); // its texts come next
  same(await inserted('"transform":{|}', "rotation"), '"rotation":[0,0,0,1]');
  same(await inserted("|", "light"), '"light":{');
});
test("texts of an enum", async () => {
  same([...(await offered(LEVEL, one('"light":{"kind":|}'))).keys()].sort(),
    ["directional", "point", "spot"]);
});
test("true and false", async () => {
  has(await offered(LEVEL, one('"light":{"casts_shadow":|}')), ["true", "false"]);
});
test("keys of an entity in a level's list, below it, and of a file", async () => {
  const keys = ["name", "prefab", "components", "children", "overrides"];
  has(await offered(LEVEL, '{"entities":[{|}]}'), [...keys, "parent"]);
  has(await offered(LEVEL, '{"entities":[{"children":[{|}]}]}'), keys, ["parent"]);
  has(await offered(ENTITY, "{|}"), [...keys, "$schema", "$comment"], ["parent", "entities"]);
  has(await offered(LEVEL, "{|}"), ["entities", "$schema", "$comment"], ["name"]);
});
test("components in an override", async () => {
  has(await offered(LEVEL, '{"entities":[{"prefab":"p","overrides":{"a/b":{"components":{|}}}}]}'),
    ["light", "mesh"]);
  has(await offered(LEVEL, '{"entities":[{"prefab":"p","overrides":{"a":{|}}}]}'), ["components"], ["name"]);
});
test("fields of a material", async () => {
  has(await offered(MATERIAL, "{|}"), ["base_color", "alpha_mode"]);
  has(await offered(MATERIAL, '{"alpha_mode":|}'), ["opaque", "mask", "blend"]);
});

test("the project's own component and its fields", async () => {
  has(await offered(LEVEL, one("|")), ["health"]);
  has(await offered(LEVEL, one('"health":{|}')), ["points", "breaks_like"]);
  same([...(await offered(LEVEL, one('"health":{"breaks_like":|}'))).keys()].sort(),
    ["glass", "stone", "wood"]);
});
test("keys of a declared field depend on its type", async () => {
  has(await offered(DECLARED, "{|}"), ["text", "several", "order", "fields"]);
  has(await offered(DECLARED, '{"fields":{"a":{|}}}'), ["type"]);
  has(await offered(DECLARED, '{"fields":{"a":{"type":|}}}'), ["f32", "enum", "resource"]);
  has(await offered(DECLARED, '{"fields":{"a":{"type":"f32",|}}}'), ["count", "min", "unit"], ["enum"]);
  has(await offered(DECLARED, '{"fields":{"a":{"type":"enum",|}}}'), ["enum", "default"], ["min"]);
});

test("keys of the project's settings", async () => {
  has(await offered(SETTINGS, "{|}"), ["languages", "platforms", "$schema"]);
});

// --- hover texts ---

test("a field's meaning, unit, range and default", async () => {
  holds(await hover_text(LEVEL, one('"light":{"range|_m":3}')), "distance beyond which nothing is lit", "Unit: m",
    "0.001 to 1000000", "Default: 10");
});
test("a field of the project's own component", async () => {
  holds(await hover_text(LEVEL, one('"health":{"poi|nts":1}')), "left before it breaks", "Unit: hp",
    "Range: 0 to 10000");
  holds(await hover_text(LEVEL, one('"hea|lth":{}')), "what can be damaged");
});
test("what a reference names", async () => {
  holds(await hover_text(LEVEL, one('"mesh":{"res|ource":"a"}')), "mesh that is drawn", "name of a mesh", "Required");
});
test("a component's fields", async () => {
  holds(await hover_text(LEVEL, one('"lig|ht":{}')), "kind, color, intensity", "multiple instances");
});

// --- errors ---

const wrong = [
  ["an unknown field", LEVEL, one('"light":{"colour":1}'), '"colour": Property colour is not allowed.'],
  ["an unknown component", ENTITY, '{"components":{"lihgt":{}}}', "Property lihgt is not allowed."],
  ["an unknown key of an entity", ENTITY, '{"component":{}}', "Property component is not allowed."],
  ["a number out of range", LEVEL, one('"light":{"range_m":-1}'), "below the minimum"],
  ["a colour that is too bright", LEVEL, one('"light":{"color":[1,2,1]}'), "2: Value is above the maximum"],
  ["a text that an enum has not", LEVEL, one('"light":{"kind":"spto"}'),
    'Value is not accepted. Valid values: "point", "spot", "directional".'],
  ["a number in quotes", LEVEL, one('"light":{"range_m":"1"}'), 'Incorrect type. Expected "number".'],
  ["two numbers for three", LEVEL, one('"transform":{"position":[1,2]}'), "too few items"],
  ["four numbers for three", LEVEL, one('"transform":{"position":[1,2,3,4]}'), "too many items"],
  ["half a layer", LEVEL, one('"mesh":{"resource":"a","layer":0.5}'), 'Expected "integer"'],
  ["a required field", LEVEL, one('"mesh":{}'), 'Missing property "resource"'],
  ["a required field in an array", LEVEL, one('"mesh":[{}]'), 'Missing property "resource"'],
  ["an array for a single component", LEVEL, one('"camera":[{}]'), "Expected one of object, null"],
  ["null without a prefab", LEVEL, one('"light":null'), "null removes a component of a prefab"],
  ["overrides without a prefab", ENTITY, '{"overrides":{"a":{}}}', '"overrides" needs a "prefab"'],
  ["a name with a slash", ENTITY, '{"name":"a/b"}', "A name must not be empty"],
  ["a resource's name in upper case", ENTITY, '{"prefab":"Props/Lamp"}', "The name of a resource contains a-z"],
  ["a parent below the list", LEVEL, '{"entities":[{"children":[{"parent":"a"}]}]}',
    "Property parent is not allowed."],
  ["a level without entities", LEVEL, "{}", 'Missing property "entities"'],
  ["a field of the project's own", LEVEL, one('"health":{"points":-1}'), "below the minimum of 0"],
  ["a key that a type has not", DECLARED, '{"fields":{"a":{"type":"entity","min":1}}}',
    "Property min is not allowed."],
  ["an enum without texts", DECLARED, '{"fields":{"a":{"type":"enum","default":"b"}}}',
    'Missing property "enum"'],
  ["required and a default", DECLARED, '{"fields":{"a":{"type":"bool","required":true,"default":true}}}',
    "A required field cannot have a default"],
  ["a field's name in upper case", DECLARED, '{"fields":{"A":{"type":"bool","default":true}}}',
    "The name of a field must begin with a-z"],
  ["a key of the settings", SETTINGS, '{"langages":[]}', "Property langages is not allowed."],
  ["a language in upper case", SETTINGS, '{"languages":["FR"]}', "The name of a language may contain only a-z"],
  ["a language twice", SETTINGS, '{"languages":["fr","fr"]}', "duplicate"],
  ["a material's field", MATERIAL, '{"roughness":2}', "above the maximum"],
];
for (const [name, file, text, wanted] of wrong) {
  test(`flags ${name}`, async () => {
    const found = await flagged(file, text);
    same(found.length, 1);
    holds(found[0], wanted);
  });
}

test("nothing where prefabs make it right", async () => {
  same(await flagged(LEVEL, '{"entities":[{"prefab":"p","components":{"light":null,"mesh":{"layer":1}},' +
    '"overrides":{"a/b":{"components":{"mesh":{"visible":false},"light":[]}}}}]}'), []);
});
test("nothing in notes", async () => {
  same(await flagged(LEVEL, '{"$comment":1,"entities":[{"$comment":[],"components":{"$comment":0,' +
    '"light":{"$comment":"a"}}}]}'), []);
});

// --- files ---

function sources(folder) {
  return fs.readdirSync(folder, { recursive: true }).filter((name) => /(\.[a-z]+|(^|\/)entc)\.json$/.test(name));
}

for (const [folder, by] of [[path.join(project, "assets"), editor], [assets, ours]]) {
  for (const name of sources(folder)) {
    test(`nothing in ${path.join(path.basename(path.dirname(folder)), name)}`, async () => {
      same(await flagged("assets/" + name, fs.readFileSync(path.join(folder, name), "utf8"), by), []);
    });
  }
}
for (const name of sources(path.join(project, "assets"))) {
  test(`"$schema" alone leads from ${name} to its schema`, async () => {
    const text = fs.readFileSync(path.join(project, "assets", name), "utf8");
    same(await flagged("assets/" + name, text, bare), []);
    const bad = text.replace(/\n\}\s*$/, ',\n  "nosuch": 1\n}\n');
    holds((await flagged("assets/" + name, bad, bare)).join(), "Property nosuch is not allowed.");
  });
}

async function main() {
  let failed = 0;
  for (const { name, run } of tests) {
    try {
      await run();
    } catch (error) {
      failed++;
      console.log(`FAILED ${name}: ${error.message}`);
    }
  }
  console.log(`${tests.length - failed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

main();
