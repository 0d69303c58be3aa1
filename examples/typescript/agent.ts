// A very small agent: runs the commands it is given, if sayso lets it.
//
// usage: node agent.js COMMAND…, with SAYSO_URL and SAYSO_TOKEN

import { spawnSync } from "node:child_process";
import { Sayso } from "./sayso.js";

const sayso = new Sayso(process.env.SAYSO_URL!, process.env.SAYSO_TOKEN!);

for (const command of process.argv.slice(2)) {
  const decided = await sayso.authorize({ agent: "example", session: "example", tool: "bash", input: { command }, cwd: process.cwd() }, 120);
  const { effect, reason } = decided.decision;
  if (effect !== "allow") {
    console.log(`${effect}: ${reason}`); // this is what the model should read
    continue;
  }
  const done = spawnSync("sh", ["-c", command], { encoding: "utf8" });
  console.log(`ran: ${done.stdout.trim()}`);
  await sayso.result(decided, { ran: true, exit: done.status ?? 0, output: done.stdout.length });
}
