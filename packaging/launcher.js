#!/usr/bin/env node
// Runs the program from the package of this system, which npm installed beside this one.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const { platform, arch } = process;
let program;
try {
  program = require.resolve(`staleness-${platform}-${arch}/staleness${platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`@ABSENT@`);
  process.exit(@CODE@);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// A client that ends its server ends this process: the program goes with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`${program}: ${error.message}`);
  process.exit(126);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
