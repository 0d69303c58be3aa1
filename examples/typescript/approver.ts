// Answers the next question that waits, for a person: node approver.js yes|no, with
// SAYSO_URL and, in SAYSO_ANSWERS, the token of whoever answers.

import { Sayso } from "./sayso.js";

const sayso = new Sayso(process.env.SAYSO_URL!, process.env.SAYSO_ANSWERS!);

for await (const happened of sayso.events()) {
  if (happened.event !== "ask") continue;
  console.log(`answering: ${happened.request.call.input?.command}`);
  await sayso.answer(happened.request.id, process.argv[2] === "yes");
  process.exit(0);
}
