/**
 * What each form of rule allows and refuses: calls over the request port, in whose name, and whether they are to be
 * allowed. The rules are in {@link ACCESS_RULES}; each refused call carries {@link REFUSED}, which must be found
 * nowhere afterwards.
 */
import { dict, type Value } from '../../src/python/values/value.ts';

/** In the arguments of what is refused. */
export const REFUSED = 'refused-marker';

/** Who calls: users of `file`, of a system of the site's own, of this host, a token, an API token. */
export type Caller = 'alice' | 'alice by token' | 'carl' | 'dora' | 'evil' | 'program' | 'nobody' | 'root';

/** Lines of the master's configuration. */
export const ACCESS_RULES: readonly string[] = [
  'nodegroups: {webs: web*}',
  'publisher_acl: {nob*: [test.ping, {web1: [test.echo]}]}',
  'publisher_acl_blacklist: {users: [evil], modules: [test.kwarg]}',
  'peer: {web1: [test.ping, {db1: [test.echo]}]}',
  'peer_run: {web1: [test.arg]}',
  'roles:',
  "  echoers: {users: [carl, nobody], tokens: [program], rules: [{'db*': [test.arg: {args: [role]}]}, '@jobs']}",
  "  pingers: {groups: [ops], rules: [{'web1 or db1': test.ping}]}",
];

/** The rules of users of `file`. */
export const FILE_RULES: readonly string[] = [
  '    alice:',
  '      - test.ping',
  '      - test.kwarg',
  '      - web1: [test.echo, cmd.run: {args: [echo .*]}, test.arg: {kwargs: {who: me}}, test.cross_test]',
  '      - N@webs: [test.true]',
  "      - '@jobs'",
  "      - '@runner': [test.arg: {args: [allowed]}]",
  "      - '@wheel': [key.list_all]",
  '    carl:',
  "      - 'web*': test.t.*",
  "      - 'G@id:db1': ['test.(echo|true)', test.arg: [{args: [one]}, {args: [null, two]}]]",
  "      - '@runners'",
  "      - '@key': [list: {args: [acc]}]",
  "    evil: ['.*', '@runner', '@wheel']",
  "    '*': [test.version]",
];

/** A job: function or functions, arguments, target, its type. */
type Job = readonly [fun: Value, arg: Value[], tgt: string, tgtType?: string];

/** A call of a function of the master. */
type MasterCall = readonly [client: 'runner' | 'wheel', fun: string, arg: Value[]];

const named = (more: Record<string, Value>): Value => dict({ __kwarg__: true, ...more });

/** Alice's jobs, with her password and by her token. */
const ALICES: readonly (readonly [allowed: boolean, ...job: Job])[] = [
  // a function, on all minions
  [true, 'test.ping', [], '*'],
  [false, 'test.version', [REFUSED], '*'],
  // a target
  [true, 'test.echo', ['kept'], 'web1'],
  [false, 'test.echo', [REFUSED], 'db1'],
  [false, 'test.echo', [REFUSED], '*'],
  [false, 'test.echo', [REFUSED], 'nobody-there'],
  // arguments
  [true, 'cmd.run', ['echo 1'], 'web1'],
  [false, 'cmd.run', ['id', REFUSED], 'web1'],
  [false, 'cmd.run', [`echo=1`, REFUSED], 'web1'],
  [true, 'test.arg', ['a', named({ who: 'me' })], 'web1'],
  [false, 'test.arg', ['a', named({ who: REFUSED })], 'web1'],
  [false, 'test.arg', [REFUSED], 'web1'],
  // node groups
  [true, 'test.true', [], 'G@id:web1', 'compound'],
  [true, 'test.true', [], 'webs', 'nodegroup'],
  [false, 'test.true', [REFUSED], 'G@id:db1', 'compound'],
  // several functions, a function inside another
  [false, ['test.ping', 'test.version'], [[], [REFUSED]], '*'],
  [false, 'test.cross_test', ['cmd.run', REFUSED], 'web1'],
  // the blacklist stands above the rules
  [false, 'test.kwarg', [REFUSED], 'web1'],
];

/** Her calls of functions of the master. */
const ALICES_CALLS: readonly (readonly [allowed: boolean, ...call: MasterCall])[] = [
  [true, 'runner', 'jobs.list_jobs', []],
  [true, 'runner', 'test.arg', ['allowed']],
  [false, 'runner', 'test.arg', [REFUSED]],
  [false, 'runner', 'manage.up', [REFUSED]],
  [true, 'wheel', 'key.list_all', []],
  [false, 'wheel', 'key.delete', [REFUSED]],
];

/** Jobs, by who sends them. */
export const JOBS: readonly (readonly [who: Caller, allowed: boolean, ...job: Job])[] = [
  ...ALICES.map((row) => ['alice', ...row] as const),
  ...ALICES.map((row) => ['alice by token', ...row] as const),
  // patterns of functions, lists of arguments, roles; the entry * is for others
  ['carl', true, 'test.true', [], 'web1'],
  ['carl', false, 'test.false', [REFUSED], 'web1'],
  ['carl', false, 'test.true', [REFUSED], '*'],
  ['carl', true, 'test.echo', ['a'], 'db1'],
  ['carl', true, 'test.arg', ['one'], 'db1'],
  ['carl', true, 'test.arg', ['x', 'two'], 'db1'],
  ['carl', true, 'test.arg', ['role'], 'db1'],
  ['carl', false, 'test.arg', [REFUSED], 'db1'],
  ['carl', false, 'test.arg', ['role', REFUSED], 'web1'],
  ['carl', false, 'test.version', [REFUSED], 'web1'],
  // a group, and a role of a group
  ['dora', true, 'test.echo', ['group'], 'web1'],
  ['dora', true, 'test.ping', [], 'db1'],
  ['dora', true, 'test.ping', [], 'web1,db1', 'list'],
  ['dora', false, 'test.echo', [REFUSED], 'db1'],
  ['dora', false, 'test.version', [REFUSED], 'web1'],
  ['evil', false, 'test.ping', [REFUSED], 'web1'],
  // an API token: rules of its own, and a role
  ['program', true, 'test.ping', [], '*'],
  ['program', true, 'test.arg', ['role'], 'db1'],
  ['program', false, 'test.arg', [REFUSED], 'db1'],
  ['program', false, 'test.echo', [REFUSED], 'web1'],
  // users of this host, by their keys
  ['nobody', true, 'test.ping', [], '*'],
  ['nobody', true, 'test.echo', ['a'], 'web1'],
  ['nobody', true, 'test.arg', ['role'], 'db1'],
  ['nobody', false, 'test.echo', [REFUSED], 'db1'],
  ['nobody', false, 'test.version', [REFUSED], 'web1'],
  ['root', true, 'test.version', [], 'web1'],
  ['root', false, 'test.kwarg', [REFUSED], 'web1'],
];

/** Functions of the master, by who calls them. */
export const MASTER_CALLS: readonly (readonly [who: Caller, allowed: boolean, ...call: MasterCall])[] = [
  ...ALICES_CALLS.map((row) => ['alice', ...row] as const),
  ...ALICES_CALLS.map((row) => ['alice by token', ...row] as const),
  ['carl', true, 'runner', 'test.arg', ['anything']],
  ['carl', true, 'wheel', 'key.list', ['acc']],
  ['carl', false, 'wheel', 'key.list', [REFUSED]],
  ['carl', false, 'wheel', 'key.delete', [REFUSED]],
  ['dora', true, 'wheel', 'key.list', ['acc']],
  ['dora', false, 'runner', 'test.arg', [REFUSED]],
  ['dora', false, 'wheel', 'config.values', [REFUSED]],
  ['evil', false, 'runner', 'test.arg', [REFUSED]],
  ['evil', false, 'wheel', 'key.delete', [REFUSED]],
  ['program', true, 'runner', 'jobs.list_jobs', []],
  ['program', false, 'runner', 'test.arg', [REFUSED]],
  ['program', false, 'wheel', 'key.delete', [REFUSED]],
  ['nobody', true, 'runner', 'jobs.list_jobs', []],
  ['nobody', false, 'runner', 'test.arg', [REFUSED]],
  ['nobody', false, 'wheel', 'key.delete', [REFUSED]],
  ['root', true, 'runner', 'test.arg', ['root']],
];
