package config

// A document is what can be written in a policy file. The decoder takes the
// names of keys from the json tags, and the schema also their descriptions.
type document struct {
	Preset    presetName        `json:"preset,omitempty" jsonschema:"the way in which calls are judged"`
	Mode      modeName          `json:"mode,omitempty" jsonschema:"what happens with calls that no rule speaks about; of several files the strictest counts"`
	Allow     []entry           `json:"allow,omitempty" jsonschema:"rules for what may run without asking; each must cover the whole of a call"`
	Ask       []entry           `json:"ask,omitempty" jsonschema:"rules for what a person decides; stronger than allow"`
	Deny      []entry           `json:"deny,omitempty" jsonschema:"rules for what never runs; stronger than ask and allow"`
	Workspace *workspace        `json:"workspace,omitempty" jsonschema:"what calls in this workspace can do at all"`
	MCP       map[string]server `json:"mcp,omitempty" jsonschema:"rules for the tools of MCP servers, by the server's name"`
	Sandbox   *sandbox          `json:"sandbox,omitempty" jsonschema:"how commands are confined when they run"`
	Approve   *approve          `json:"approve,omitempty" jsonschema:"how people are asked"`
}

// A longForm is a rule with more than its text.
type longForm struct {
	Rule     ruleText   `json:"rule" jsonschema:"the rule: tool(pattern)"`
	Because  string     `json:"because,omitempty" jsonschema:"why, shown to the person and to the agent"`
	Except   []ruleText `json:"except,omitempty" jsonschema:"rules that take calls out of this one"`
	Match    []string   `json:"match,omitempty" jsonschema:"examples that the rule must match"`
	NotMatch []string   `json:"not_match,omitempty" jsonschema:"examples that the rule must not match"`
	Until    until      `json:"until,omitzero" jsonschema:"the last day, or the moment, until which the rule counts"`
}

type workspace struct {
	Also    []string `json:"also,omitempty" jsonschema:"folders that belong to the workspace besides its root"`
	Read    onOff    `json:"read,omitempty" jsonschema:"reading files"`
	Write   onOff    `json:"write,omitempty" jsonschema:"writing files"`
	Delete  onOff    `json:"delete,omitempty" jsonschema:"deleting files"`
	Shell   onOff    `json:"shell,omitempty" jsonschema:"running commands"`
	Network onOffAsk `json:"network,omitempty" jsonschema:"talking to the network"`
	MCP     onOff    `json:"mcp,omitempty" jsonschema:"calling tools of MCP servers"`
}

type server struct {
	Allow []string `json:"allow,omitempty" jsonschema:"tools that may be called without asking"`
	Ask   []string `json:"ask,omitempty" jsonschema:"tools that a person decides about; * alone means all that no other list names"`
	Deny  []string `json:"deny,omitempty" jsonschema:"tools that are never called; * alone means all that no other list names"`
}

type sandbox struct {
	Files    fileAccess `json:"files,omitempty" jsonschema:"which files a command can write"`
	Hosts    []host     `json:"hosts,omitempty" jsonschema:"hosts that a command can reach"`
	Required *bool      `json:"required,omitempty" jsonschema:"without a sandbox nothing runs"`
	Keep     *bool      `json:"keep,omitempty" jsonschema:"the place that a command runs in is kept for the next one"`
	Programs programs   `json:"programs,omitempty" jsonschema:"what a command starts is open, decided, or decided and asked about also where nothing is known of it"`
}

type approve struct {
	Via     []channel `json:"via,omitempty" jsonschema:"where people may answer"`
	Offer   []offer   `json:"offer,omitempty" jsonschema:"for how long an answer may count"`
	Timeout duration  `json:"timeout,omitempty" jsonschema:"how long a question waits for an answer, such as 5m"`
}

// A worded value is one of a closed list.
type worded interface{ words() []string }

type (
	presetName string
	modeName   string
	onOff      string
	onOffAsk   string
	fileAccess string
	programs   string
	channel    string
	offer      string
)

func (presetName) words() []string {
	return []string{"native", "kosmokrator", "agentscope", "cosmo", "kodacode", "cowork"}
}

func (onOff) words() []string      { return []string{"on", "off"} }
func (onOffAsk) words() []string   { return []string{"on", "off", "ask"} }
func (fileAccess) words() []string { return []string{"read-only", "workspace-write", "unconfined"} }
func (programs) words() []string   { return Programs[:] }
func (channel) words() []string    { return []string{"agent", "tty", "web"} }
func (offer) words() []string      { return []string{"once", "turn", "session", "always"} }
