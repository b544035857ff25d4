/** Which calls are worth a question before they are sent, and what it says. */

/** A call as it is about to be sent. */
export interface AskedCall {
  readonly kind: 'local' | 'runner' | 'wheel';
  readonly fun: string;
  /** Arguments in one line. */
  readonly args: string;
  readonly isTest: boolean;
  /** The target as it was typed; nothing for the master's own functions. */
  readonly target: string;
  /** Minions that are reached; undefined while nobody knows. */
  readonly count: number | undefined;
}

/** A question. */
export interface Question {
  readonly title: string;
  readonly text: string;
  /** What is on the button. */
  readonly action: string;
  readonly isDangerous: boolean;
}

/** Modules of which every function only looks. */
const MODULES_THAT_LOOK: ReadonlySet<string> = new Set([
  'test',
  'status',
  'sys',
  'pillar',
  'match',
  'manage',
  'doc',
]);
/** Names of functions that only look, in any module but `cmd` and those of states that run. */
const LOOKS =
  /^(list|lists|get|gets|show|is|has|info|version|versions|status|available|missing|exists|exist|ls|item|items|keys|key_str|ping|usage|inodeusage|percent|find|stats|check|search|read|readlink|raw|obfuscate|fetch|grep|stat|diff|lookup|running|uptime|verify|valid|contains|name|finger|active|lookup_jid|print_job|last_run|count|event|dir_list|file_list|envs)(_|$)/;
const DESTROYS =
  /(^|_)(remove|removed|purge|delete|delete_match|del|kill|killall|term|term_all|reboot|shutdown|poweroff|halt|absent|destroy|wipe|format|drop|flush|rm|rmdir|clear|clean|reset|unlink|autoremove|reject|reject_match|stop|disable)(_|$)/;
const RUNS_STATES =
  /^state\.(?!show_|sls_exists|id_exists|list|check_|get_|running|event|orch_show|orchestrate_show)/;

/** Whether a function is known to change nothing. */
export function onlyLooks(fun: string): boolean {
  const [module = '', name = ''] = fun.split('.');
  if (RUNS_STATES.test(fun) || module === 'cmd') return false;
  return MODULES_THAT_LOOK.has(module) || (LOOKS.test(name) && !DESTROYS.test(name)) || module === 'state';
}

/** The question; undefined for a call that changes nothing, or only what one minion that was named has. */
export function questionOf(call: AskedCall): Question | undefined {
  const { kind, fun, isTest, count } = call;
  if (isTest || onlyLooks(fun)) return undefined;
  const runsStates = RUNS_STATES.test(fun);
  const name = fun.split('.').at(-1) ?? '';
  const isDangerous = runsStates || DESTROYS.test(name) || fun.startsWith('cmd.');
  if (kind !== 'local')
    return runsStates || DESTROYS.test(name) || fun.startsWith('key.') ? ofMaster(call) : undefined;
  if (!runsStates && !DESTROYS.test(name) && count === 1) return undefined;
  const whom = count === undefined ? `whatever ${call.target} reaches` : minions(count);
  const all = call.target.trim() === '*' ? ', which is every minion whose key is accepted' : '';
  return {
    title: `Run ${fun} on ${whom}?`,
    text: `${line(call)} is run${runsStates ? ' without test mode' : ''} on ${whom}${all}.${
      runsStates ? ' A test run shows what would change before anything does.' : ''
    }`,
    action: `Run on ${whom}`,
    isDangerous,
  };
}

function ofMaster(call: AskedCall): Question {
  return {
    title: `Run ${call.fun} on the master?`,
    text: `${line(call)} is run on the master${
      call.kind === 'runner' && call.fun.startsWith('state.')
        ? ', and on whatever minions it names, without test mode'
        : ''
    }. What it changes is not taken back.`,
    action: 'Run',
    isDangerous: true,
  };
}

function line({ fun, args }: AskedCall): string {
  const text = `${fun} ${args}`.trim();
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** So many minions. */
export function minions(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'minion' : 'minions'}`;
}
