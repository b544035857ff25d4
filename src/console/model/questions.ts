/** Which calls are worth a question before they are sent, and what it says. */
import type { FunctionDetail } from './contract.ts';

/** A call as it is about to be sent. */
export interface AskedCall {
  readonly kind: 'local' | 'runner' | 'wheel';
  readonly fun: string;
  /** Arguments in one line. */
  readonly args: string;
  /** Test mode is asked for, of a function that has one (`hasTestMode`). */
  readonly isTest: boolean;
  /** The target as it was typed; nothing for the master's own functions. */
  readonly target: string;
  /** The target is the id of one minion, and not a pattern that happens to reach one. */
  readonly isNamed: boolean;
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
/** Functions that only look, whatever their names are like. */
const THAT_LOOK: ReadonlySet<string> = new Set([
  ...[
    'auth.can',
    'auth.who',
    'auth.token_list',
    'cache.grains',
    'cache.mine',
    'cache.pillar',
    'config.values',
  ],
  ...['cluster.doctor', 'cluster.pending', 'fileserver.empty_dir_list', 'fileserver.symlink_list'],
  ...[
    'jobs.exit_success',
    'jobs.master',
    'jobs.outcomes',
    'key.master_key_str',
    'key.print',
    'minions.connected',
  ],
  ...['firewalld.list_icmp_block', 'out.html_format', 'out.out_format', 'out.string_format', 'pip.freeze'],
  ...['pip.list_freeze_parse', 'pkg.services_need_restart', 'pkg_resource.format_pkg_list'],
  ...['pkg_resource.version_clean', 'service.offline', 'system.get_reboot_required_witnessed'],
]);
/** Functions that change something, although their module or their name says otherwise. */
const THAT_CHANGE: ReadonlySet<string> = new Set([
  ...['consul.event_fire', 'cp.get', 'cp.get_dir', 'cp.get_file', 'cp.get_template', 'cp.get_url'],
  ...['elasticsearch.search_template_create', 'file.check_perms', 'git.fetch', 'grains.get_or_set_hash'],
  'sdb.get_or_set_hash',
  ...['manage.bootstrap', 'manage.bootstrap_psexec', 'manage.key_regen', 'manage.safe_accept'],
  ...['pillar.clear_pillar_cache', 'survey.diff', 'survey.hash'],
]);
/** Arguments with which a function that looks does more: `manage.down removekeys=True`, `file.find / delete=f`. */
const ARGUMENTS_THAT_CHANGE = /(^|\s)(removekeys|delete|exec)=(?!(False|None|0)(\s|$))/;
/** Words of names of what removes, undoes, kills, stops or restarts something, or shuts somebody out. */
const WORDS_THAT_DESTROY: readonly string[] = [
  ...['remove', 'removed', 'autoremove', 'lvremove', 'pvremove', 'vgremove', 'uninstall', 'purge', 'absent'],
  ...['delete', 'del', 'delkey', 'delval', 'hdel', 'deluser', 'userdel', 'delfacl', 'wipefacls', 'unset'],
  ...[
    'rm',
    'rmi',
    'rmdir',
    'atrm',
    'unlink',
    'undefine',
    'deregister',
    'logout',
    'revoke',
    'reject',
    'regen',
  ],
  ...['drop', 'flush', 'flushall', 'flushdb', 'clear', 'labelclear', 'clean', 'prune', 'empty', 'truncate'],
  ...['destroy', 'wipe', 'format', 'mkfs', 'mklabel', 'reset', 'undo'],
  ...['discard', 'revert', 'rollback', 'restore', 'expireat'],
  ...['kill', 'killall', 'pkill', 'term', 'signal', 'stop', 'restart', 'disable', 'off', 'offline', 'down'],
  ...['freeze', 'pause', 'suspend', 'maintenance', 'leave', 'detach', 'disconnect', 'mask', 'lock'],
  ...['umount', 'unmount', 'swapoff', 'reboot', 'shutdown', 'poweroff', 'halt'],
];
const DESTROYS = new RegExp(`(^|_)(${WORDS_THAT_DESTROY.join('|')})(_|$)`);
/** Functions that remove, stop or restart something, although no word of their names says so. */
const THAT_DESTROY: ReadonlySet<string> = new Set([
  ...['apache.a2disconf', 'apache.a2dismod', 'apache.a2dissite', 'data.dump', 'data.pop'],
  ...['elasticsearch.index_close', 'firewalld.block_icmp', 'ip.apply_network_settings'],
  ...['rabbitmq.join_cluster', 'redis.expire', 'service.force_reload', 'shadow.set_expire'],
  ...['supervisord.update', 'system.init'],
  ...['zfs.inherit', 'zfs.release', 'zpool.export', 'zpool.replace'],
]);
const RUNS_STATES =
  /^state\.(?!show_|sls_exists|id_exists|list|check_|get_|running|event|orch_show|orchestrate_show)/;
/** Functions of states that take `test` among any keywords, and do not name it. */
const STATES_WITH_TEST: ReadonlySet<string> = new Set([
  ...[
    'state.apply',
    'state.high',
    'state.highstate',
    'state.low',
    'state.orch',
    'state.orchestrate',
    'state.pkg',
  ],
  ...['state.request', 'state.single', 'state.sls', 'state.sls_id', 'state.template', 'state.template_str'],
  ...['state.test', 'state.top'],
]);

/** Whether a function is known to change nothing. @param args its arguments in one line */
export function onlyLooks(fun: string, args = ''): boolean {
  const [module = '', name = ''] = fun.split('.');
  if (THAT_LOOK.has(fun)) return true;
  if (THAT_CHANGE.has(fun) || ARGUMENTS_THAT_CHANGE.test(args)) return false;
  if (RUNS_STATES.test(fun) || module === 'cmd') return false;
  return MODULES_THAT_LOOK.has(module) || (LOOKS.test(name) && !DESTROYS.test(name)) || module === 'state';
}

/**
 * Whether a function has a test mode. Many take any keyword and would run as ever with `test=True`.
 * @param detail what is known of its parameters
 */
export function hasTestMode(fun: string, detail: FunctionDetail | undefined): boolean {
  return STATES_WITH_TEST.has(fun) || detail?.params.some(({ name }) => name === 'test') === true;
}

/** The question; undefined for a call that changes nothing, or only what one minion that was named has. */
export function questionOf(call: AskedCall): Question | undefined {
  const { kind, fun, args, isTest, count } = call;
  if (isTest || onlyLooks(fun, args)) return undefined;
  const runsStates = RUNS_STATES.test(fun);
  const destroys =
    DESTROYS.test(fun.split('.').at(-1) ?? '') || THAT_DESTROY.has(fun) || ARGUMENTS_THAT_CHANGE.test(args);
  // a function of the master may reach all minions, whatever it is called
  if (kind !== 'local') return ofMaster(call, runsStates || destroys || fun.startsWith('key.'));
  if (!runsStates && !destroys && count === 1 && call.isNamed) return undefined;
  const isDangerous = runsStates || destroys || fun.startsWith('cmd.');
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

function ofMaster(call: AskedCall, isDangerous: boolean): Question {
  return {
    title: `Run ${call.fun} on the master?`,
    text: `${line(call)} is run on the master${
      call.kind === 'runner' && call.fun.startsWith('state.')
        ? ', and on whatever minions it names, without test mode'
        : ''
    }. What it changes is not taken back.`,
    action: 'Run',
    isDangerous,
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
