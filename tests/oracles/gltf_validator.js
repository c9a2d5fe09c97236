// Compares entc's rules of glTF with Khronos' validator (npm's gltf-validator).
//
//     node gltf_validator.js NODE_MODULES rules FOLDER PAGE   models of gltf_rules.py: each has the fault of its name, the
//                                                            table of the page has every code, and no other
//     node gltf_validator.js NODE_MODULES random ENTC FOLDER  what the validator finds free of errors compiles
"use strict";
const fs = require("fs"), path = require("path"), child = require("child_process");
const [modules, mode, ...rest] = process.argv.slice(2);
const validator = require(path.resolve(modules, "gltf-validator"));

async function validate(folder) {
    const name = fs.readdirSync(folder).find((file) => /\.gl(tf|b)$/.test(file));
    const options = {
        format: name.endsWith("glb") ? "glb" : "gltf", maxIssues: 0,
        externalResourceFunction: (uri) =>
            Promise.resolve(new Uint8Array(fs.readFileSync(path.join(folder, decodeURIComponent(uri))))),
    };
    try {
        return (await validator.validateBytes(new Uint8Array(fs.readFileSync(path.join(folder, name))), options)).issues.messages;
    } catch (error) { // before there is a report
        return [{ code: /JSON/.test(error) ? "INVALID_JSON" : String(error), severity: 0 }];
    }
}

const faults = [];
let passed = 0;
function expect(name, fault) {
    if (fault) faults.push(name + ": " + fault);
    else passed++;
}

async function rules(folder, page) {
    const known = new Set(), table = new Set();
    for (const line of fs.readFileSync(path.join(modules, "gltf-validator", "ISSUES.md"), "utf8").split("\n")) {
        const row = /^\|([A-Z0-9_]+)\|/.exec(line);
        if (row) known.add(row[1]);
    }
    for (const line of fs.readFileSync(page, "utf8").split("\n")) {
        const row = /^\| ([A-Z0-9_]{5,}) \|/.exec(line);
        if (row && !/^(KHR|EXT)_[a-z]/.test(row[1])) table.add(row[1]);
    }
    for (const code of known) expect(code, !table.has(code) && "is not in the table");
    for (const code of table) expect(code, !known.has(code) && "is no code of the validator");
    for (const name of fs.readdirSync(folder).filter((n) => !n.endsWith("-right"))) {
        const messages = await validate(path.join(folder, name, "src")), code = name.split("-")[0];
        const errors = messages.filter((m) => m.severity === 0).map((m) => m.code);
        if (code === "VALID") expect(name, errors.length > 0 && "has errors: " + errors);
        else expect(name, !messages.some((m) => m.code === code) && "the validator reports " + [...new Set(messages.map((m) => m.code))]);
    }
}

async function random(entc, folder) {
    let valid = 0;
    for (const name of fs.readdirSync(folder)) {
        const source = path.join(folder, name, "src"), messages = await validate(source);
        if (messages.some((m) => m.severity === 0)) continue;
        valid++;
        const run = child.spawnSync(entc, ["build", source, "-o", path.join(folder, name, "out"), "-q"], { encoding: "utf8" });
        expect(name, run.status !== 0 && "the validator finds no errors, but entc: " + run.stderr.split("\n")[0]);
    }
    console.log(valid + " of " + fs.readdirSync(folder).length + " random models have no errors");
    if (valid < 20) faults.push("too few random models are valid");
}

(mode === "rules" ? rules(...rest) : random(...rest)).then(() => {
    for (const fault of faults) console.log(fault);
    console.log(passed + " passed, " + faults.length + " failed");
    process.exit(faults.length > 0 || passed === 0 ? 1 : 0);
});
