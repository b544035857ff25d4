/**
 * `wtmp` and `btmp`: tell of log-ins, log-outs and failed log-ins (salt/beacons/wtmp.py, salt/beacons/btmp.py,
 * 3006.16).
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readDate } from '../../python/text/date-text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { param, type TypedArguments } from '../../runtime/loader/params.ts';
import {
  defineBeacon,
  listToDict,
  VALID,
  type BeaconContext,
  type BeaconSpec,
  type Verdict,
} from '../shared/beacon/beacon.ts';

/** Bytes of one record (utmp(5)). */
const RECORD_BYTES = 384;
/** Records that one look reads at most; the next goes on behind them. */
const RECORDS_MAX = 10_000;
const LOGIN_TYPE = 7;
const LOGOUT_TYPE = 8;

/** Which file, and what is seen in it. */
interface RecordsKind {
  readonly name: 'wtmp' | 'btmp';
  readonly doc: string;
  /** Log-ins and log-outs are told apart. */
  readonly hasActions: boolean;
}

const PARAMS = {
  users: param.mapping({
    default: null,
    doc: 'only these, each with a `time_range` of its own or without one',
  }),
  groups: param.mapping({ default: null, doc: 'members of these groups, in the same way' }),
  defaults: param.mapping({
    default: null,
    doc: '`time_range` with `start` and `end` for those without one',
  }),
  // Salt compat: Salt looks for it in the wrong place and never finds it
  ut_type: param.mapping({ default: null, doc: 'other numbers for `login` and `logout` (wtmp)' }),
};

type Options = TypedArguments<typeof PARAMS>;

/** The configuration is a list, and who is named in it a mapping with times. */
function validate(name: string, config: Value): Verdict {
  if (!Array.isArray(config)) return [false, `Configuration for ${name} beacon must be a list.`];
  const options = listToDict(config);
  for (const [key, title] of [
    ['users', 'User'],
    ['groups', 'Group'],
  ] as const) {
    const who = options.get(key);
    if (who === undefined) continue;
    if (!isDict(who)) return [false, `${title} configuration for ${name} beacon must be a dictionary.`];
    const wrong = [...who.values()]
      .map((item) => timeRangeFault(name, item))
      .filter((fault) => fault !== undefined);
    const last = wrong.at(-1);
    if (last !== undefined) return [false, last];
  }
  const defaults = options.get('defaults');
  if (defaults === undefined) return VALID;
  if (!isDict(defaults)) return [false, `Defaults configuration for ${name} beacon must be a dictionary.`];
  const fault = timeRangeFault(name, defaults);
  return fault === undefined ? VALID : [false, fault];
}

/** Salt compat: a user without options (`gareth:`, as Salt's documentation has it) is valid; Salt fails on it. */
function timeRangeFault(name: string, item: Value): string | undefined {
  const range = isDict(item) ? item.get('time_range') : undefined;
  if (range === undefined || !truthy(range)) return undefined;
  const has = (key: string): boolean =>
    isDict(range) ? range.has(key) : Array.isArray(range) ? range.includes(key) : pyStr(range).includes(key);
  if (!has('start') || !has('end'))
    return `The time_range parameter for ${name} beacon must contain start & end options.`;
  return isDict(range) ? undefined : `The time_range parameter for ${name} beacon must be a dictionary.`;
}

/** One record under the names that Salt gives its fields: `session`, `time` and `addr` hold what stands before them. */
function readRecord(bytes: Buffer): Dict {
  const text = (from: number, to: number): string =>
    bytes
      .subarray(from, to)
      .toString('utf8')
      .replace(/^\0+|\0+$/g, '');
  return dict({
    type: bytes.readInt16LE(0),
    PID: bytes.readInt32LE(4),
    line: text(8, 40),
    inittab: text(40, 44),
    user: text(44, 76),
    hostname: text(76, 332),
    exit_status: bytes.readInt16LE(332),
    session: bytes.readInt16LE(334),
    time: bytes.readInt32LE(336),
    addr: bytes.readInt32LE(340),
  });
}

/** Reads on where the look before ended; a file that has become smaller is another one. */
class RecordsReader {
  readonly #path: string;
  #at: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The records that are new since the last time; none the first time. */
  read(): Buffer[] {
    const fd = openSync(this.#path, 'r');
    try {
      const { size } = fstatSync(fd);
      if (this.#at === undefined) this.#at = size;
      if (size < this.#at) this.#at = 0;
      const out: Buffer[] = [];
      while (out.length < RECORDS_MAX && this.#at + RECORD_BYTES <= size) {
        const record = Buffer.alloc(RECORD_BYTES);
        if (readSync(fd, record, 0, RECORD_BYTES, this.#at) < RECORD_BYTES) break;
        this.#at += RECORD_BYTES;
        out.push(record);
      }
      return out;
    } finally {
      closeSync(fd);
    }
  }
}

/** Says whose log-in a log-out ends, which a record of its end does not say. */
function withAction(event: Dict, users: Map<Value, Value>, types: Dict): void {
  const line = event.get('line') ?? '';
  if (event.get('type') === (types.get('login') ?? LOGIN_TYPE)) {
    event.set('action', 'login');
    users.set(line, event.get('user') ?? '');
  } else if (event.get('type') === (types.get('logout') ?? LOGOUT_TYPE)) {
    event.set('action', 'logout');
    const user = users.get(line);
    if (user !== undefined) event.set('user', user);
    users.delete(line);
  }
}

async function withMembers(ctx: BeaconContext, { users, groups }: Options): Promise<Dict> {
  const out: Dict = new Map(users);
  for (const [group, options] of groups) {
    const info = await ctx.call('group.info', [group]);
    const members = isDict(info) ? info.get('members') : undefined;
    if (!Array.isArray(members)) ctx.log.warning(`Group ${pyStr(group)} does not exist, ignoring.`);
    else for (const member of members) if (!out.has(member)) out.set(member, options);
  }
  return out;
}

function isWanted(event: Dict, users: Dict, defaults: Dict, nowMs: number): boolean {
  const user = event.get('user') ?? '';
  if (users.size > 0 && !users.has(user)) return false;
  const own = users.get(user);
  const range = (isDict(own) ? own.get('time_range') : undefined) ?? defaults.get('time_range');
  return !isDict(range) || isWithin(range, nowMs);
}

/** @throws RangeError for a text that is no time */
function isWithin(range: Dict, nowMs: number): boolean {
  const nowLocalMs = nowMs - new Date(nowMs).getTimezoneOffset() * 60_000;
  const read = (key: string): number => {
    const text = pyStr(range.get(key) ?? '');
    const date = readDate(text, nowLocalMs);
    if (date === undefined) throw new RangeError(`time_range: ${text} is no time of day`);
    return date.localMs;
  };
  return read('start') <= nowLocalMs && nowLocalMs <= read('end');
}

/** @param path of the file; another one in tests */
function loginRecordsBeacon({ name, doc, hasActions }: RecordsKind, path = `/var/log/${name}`): BeaconSpec {
  return defineBeacon({
    name,
    doc,
    params: PARAMS,
    validate: (config) => validate(name, config),
    start: (ctx) => {
      const reader = new RecordsReader(path);
      const byLine = new Map<Value, Value>();
      return {
        look: async (options) => {
          const events = reader.read().map(readRecord);
          if (events.length === 0) return [];
          if (hasActions) for (const event of events) withAction(event, byLine, options.ut_type);
          const users = await withMembers(ctx, options);
          return events.filter((event) => isWanted(event, users, options.defaults, ctx.clock.nowMs()));
        },
      };
    },
  });
}

/** Log-ins and log-outs. */
export const wtmpBeacon = (path?: string): BeaconSpec =>
  loginRecordsBeacon({ name: 'wtmp', doc: 'Reports log-ins and log-outs.', hasActions: true }, path);

/** Failed log-ins. */
export const btmpBeacon = (path?: string): BeaconSpec =>
  loginRecordsBeacon({ name: 'btmp', doc: 'Reports log-ins that failed.', hasActions: false }, path);
