// Written by sayso init. Do not change it: sayso doctor compares it, and
// sayso init --undo opencode removes it.
//
// It asks sayso before each tool call, and throws unless the answer is a whole
// and clear yes: a hook that is missing, killed, slow or unreadable blocks.
import { spawn } from "node:child_process"

const hook = []
const wait = 600000 // milliseconds; sayso answers before

function run(event) {
  return new Promise((resolve) => {
    let out = ""
    let err = ""
    const end = (failed, code) => {
      clearTimeout(timer)
      resolve({ failed, code, out, err })
    }
    const env = { ...process.env, GOMAXPROCS: "1" } // it starts sooner
    const child = spawn(hook[0], hook.slice(1), { env, stdio: ["pipe", "pipe", "pipe"] })
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      end("it gave no answer in time", null)
    }, wait)
    child.stdout.on("data", (data) => (out += data))
    child.stderr.on("data", (data) => (err += data))
    child.stdin.on("error", () => {})
    child.on("error", (error) => end(String(error), null))
    child.on("close", (code) => end("", code))
    child.stdin.end(JSON.stringify(event))
  })
}

function answer(ran) {
  const no = (reason) => ({ decision: "deny", reason: "sayso: the hook gave no answer: " + reason })
  if (ran.failed) return no(ran.failed)
  if (ran.code !== 0) return no((ran.err || "it ended with " + ran.code).trim().slice(0, 500))
  try {
    const said = JSON.parse(ran.out)
    if (said.decision === "allow" || said.decision === "deny") return said
    return no("it is not understood")
  } catch {
    return no("it is not whole")
  }
}

export const Sayso = async ({ client, directory, worktree }) => {
  let servers = []
  const parents = new Map() // of the sessions of subagents
  const agents = new Map() // who answers in a session

  function about(name, session, more) {
    let top = session
    for (let i = 0; i < 16 && parents.has(top); i++) top = parents.get(top)
    const agent = agents.get(session) ?? ""
    const subagent = top === session ? "" : agent
    return { hook_event_name: name, directory, worktree, sessionID: top, agent, subagent, servers, ...more }
  }

  return {
    config: async (config) => {
      servers = Object.keys(config?.mcp ?? {})
    },
    event: async ({ event }) => {
      const session = event?.properties?.info
      if (event?.type === "session.created" && session?.parentID) parents.set(session.id, session.parentID)
      if (event?.type === "session.deleted" && session?.id && !parents.has(session.id)) await run(about("session.deleted", session.id, {}))
    },
    "chat.message": async (input, output) => {
      const message = output?.message
      if (message?.agent) agents.set(input.sessionID, message.agent)
      if (parents.has(input.sessionID)) return // the agent has said it, not its user
      const prompt = (output?.parts ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")
      await run(about("chat.message", input.sessionID, { prompt }))
    },
    "tool.execute.before": async (input, output) => {
      const said = answer(await run(about("tool.execute.before", input.sessionID, { tool: input.tool, callID: input.callID, args: output.args })))
      if (said.decision === "allow") return
      if (said.stop) client?.session?.abort?.({ path: { id: input.sessionID } })?.catch?.(() => {})
      throw new Error(said.reason)
    },
    "tool.execute.after": async (input) => {
      await run(about("tool.execute.after", input.sessionID, { tool: input.tool, callID: input.callID, args: input.args ?? {} }))
    },
  }
}
