// Have tool calls decided by sayso, with nothing but what Node has.
//
//   const sayso = new Sayso(url, token);
//   const decided = await sayso.authorize({ tool: "bash", input: { command }, cwd: process.cwd() });
//   if (decided.decision.effect === "allow") { … }
//
// It speaks HTTP with `sayso serve --api --addr 127.0.0.1:0`. docs/api.md has the
// protocol. Whatever fails throws: only an answer that says "allow" allows.

export interface Call {
  session?: string;
  agent?: string;
  subagent?: string;
  tool: string;
  input?: Record<string, unknown>;
  cwd: string;
  server?: { name: string; readOnly?: boolean; destructive?: boolean };
}

export interface Decision {
  effect: "allow" | "ask" | "deny";
  code: string;
  reason: string;
  risk: string;
  explanation: string;
  stop?: boolean;
}

export interface Decided {
  call: string;
  decision: Decision;
}

export interface Request {
  id: string;
  call: { tool: string; input?: Record<string, unknown>; agent?: string };
  decision: Decision;
}

export type Event =
  | { event: "ask"; request: Request }
  | { event: "closed"; id: string }
  | { event: "decided"; call: string; decision: Decision };

export class SaysoError extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

export class Sayso {
  constructor(private readonly url: string, private readonly token: string) {}

  /** What would be decided; nobody is asked, and nothing is recorded. */
  decide(call: Call): Promise<Decided> {
    return this.post<Decided>("decide", { call });
  }

  /** Decide, ask a person if need be, and record it. Waits for the answer. */
  authorize(call: Call, wait = 0): Promise<Decided> {
    return this.post<Decided>("authorize", { call, wait });
  }

  /** Record how a call ended that was allowed. */
  async result(decided: Decided, how: { ran: boolean; exit?: number; error?: string; output?: number }): Promise<void> {
    await this.post("result", { call: decided.call, ...how });
  }

  /** Answer for a person: only with their token. */
  async answer(request: string, yes: boolean): Promise<void> {
    await this.post("answer", { request, yes });
  }

  /** What happens, for a person: only with their token. */
  async *events(): AsyncGenerator<Event> {
    const response = await this.send("events", { method: "GET" });
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const one = text.slice(0, end);
        text = text.slice(end + 2);
        if (one.startsWith("data: ")) yield JSON.parse(one.slice("data: ".length)) as Event;
      }
    }
  }

  private async post<T>(method: string, params: unknown): Promise<T> {
    const response = await this.send(method, { method: "POST", body: JSON.stringify(params) });
    return (await response.json()) as T;
  }

  private async send(method: string, init: RequestInit): Promise<Response> {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.url}/v1/${method}`, { ...init, headers });
    if (response.status !== 200) {
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      throw new SaysoError(error.code, error.message);
    }
    return response;
  }
}
