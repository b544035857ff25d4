/** `supervisord`: programs that supervisord keeps alive. Follows 3006.16 salt/modules/supervisord.py. */
import { CommandExecutionError, CommandNotFoundError } from '../../errors/errors.ts';
import { readTextIfExists } from '../../host/files.ts';
import { findProgram } from '../../host/which.ts';
import { isDir, isFile, joinPath, pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, float, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { parseConfig } from '../shared/config-parser.ts';
import { runAll } from '../shared/program.ts';

/** Which supervisord, and who asks it. */
interface Control {
  readonly user: Value;
  readonly conf_file: Value;
  readonly bin_env: Value | undefined;
}

/** @throws CommandNotFoundError where there is no supervisorctl */
function program(binEnv: Value | undefined): string {
  const missing = 'Could not find a `supervisorctl` binary';
  if (binEnv === undefined) {
    const found = findProgram('supervisorctl');
    if (found === undefined) throw new CommandNotFoundError(missing);
    return found;
  }
  const place = pyStr(binEnv);
  if (!isDir(place)) return place;
  const inside = joinPath(place, 'bin', 'supervisorctl');
  if (!isFile(inside)) throw new CommandNotFoundError(missing);
  return inside;
}

/** Runs a command of supervisorctl. @returns what it printed, with `ERROR` before it where it failed */
async function control(
  ctx: ModuleContext,
  { user, conf_file, bin_env }: Control,
  words: readonly string[],
): Promise<string> {
  const all = [program(bin_env), ...(conf_file === null ? [] : ['-c', conf_file]), ...words];
  const { retcode, stdout } = await runAll(ctx, all, { runas: user });
  return retcode === 0 || stdout.includes('ERROR') ? stdout : `ERROR: ${stdout}`;
}

/** A name as `start` and its kin take it: `group:*` is `group:`. */
const processOf = (name: string): string => (name.endsWith(':*') ? name.slice(0, -1) : name);
/** A name as `add` and its kin take it: without the colon of a group. */
const groupOf = (name: string): string => name.replace(/:\*?$/, '');

const wordsOf = (name: string | undefined): string[] => (name === undefined || name === '' ? [] : [name]);

/** The three columns of a line of `status`. */
function columns(line: string): [process: string, state: string, reason: string] {
  const [, process = '', state = '', reason = ''] = /^\s*(\S+)(?:\s+(\S+)(?:\s+(.*))?)?$/.exec(line) ?? [];
  return [process, state, reason];
}

function statusOf(text: string): Dict {
  return new Map(
    splitLines(text)
      .filter((line) => line.trim() !== '')
      .map((line): [Value, Value] => {
        const [process, state, reason] = columns(line);
        return [process, dict({ state, reason: reason.trimEnd() })];
      }),
  );
}

/** A value of the configuration: a number, true, false or a text. */
function valueOf(text: string): Value {
  const value = (text.split(';')[0] ?? '').trim();
  if (/^[-+]?\d+$/.test(value)) return Number(value);
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(value)) return float(Number(value));
  return /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value;
}

function optionsOf(name: string, given: string | undefined): Dict {
  const known = ['/etc/supervisor/supervisord.conf', '/etc/supervisord.conf'];
  const file = given ?? known.find((path) => pathExists(path));
  if (file === undefined) throw new CommandExecutionError('No suitable config file found');
  const section = parseConfig(readTextIfExists(file) ?? '', file, true).get(`program:${name}`);
  if (section === undefined) throw new CommandExecutionError(`Process '${name}' not found`);
  return new Map([...section].map(([key, value]): [Value, Value] => [key, valueOf(value)]));
}

const CONTROL = {
  user: param.value({ default: null, type: 'str', doc: 'Who runs supervisorctl.' }),
  conf_file: param.value({ default: null, type: 'str', doc: 'The file of the configuration.' }),
  bin_env: param.valueIfGiven({
    default: null,
    type: 'str',
    doc: 'A virtual environment with supervisorctl, or the path of it.',
  }),
} as const;
const ONE = { name: param.text({ doc: 'The program; `group:` for all of a group.' }) } as const;
const OPTIONAL = { name: param.textOrNone({ default: null, doc: 'The program; without it all.' }) } as const;
const SAYS = 'what supervisorctl printed';

/** A command for one program, or for all. */
function acting(command: 'start' | 'stop' | 'restart', doc: string) {
  return defineFunction({
    doc,
    params: {
      name: param.text({ default: 'all', doc: 'The program; `group:` for all of a group.' }),
      ...CONTROL,
    },
    returns: SAYS,
    examples: [`salt '*' supervisord.${command} web`, `salt '*' supervisord.${command} group:`],
    run: (ctx, { name, ...which }) => control(ctx, which, [command, ...wordsOf(processOf(name))]),
  });
}

/** A command for one program of the configuration. */
function changing(command: 'add' | 'remove', doc: string) {
  return defineFunction({
    doc,
    params: { ...ONE, ...CONTROL },
    returns: SAYS,
    examples: [`salt '*' supervisord.${command} web`],
    run: (ctx, { name, ...which }) => control(ctx, which, [command, ...wordsOf(groupOf(name))]),
  });
}

/** The module. */
export const supervisordModule = defineModule({
  name: 'supervisord',
  file: 'supervisord',
  doc: 'Programs that supervisord keeps alive.',
  words: {},
  functions: {
    start: acting('start', 'Starts programs.'),
    restart: acting('restart', 'Restarts programs.'),
    stop: acting('stop', 'Stops programs.'),
    add: changing('add', 'Adds a program that the configuration has got.'),
    remove: changing('remove', 'Removes a program that the configuration has no more.'),
    reread: defineFunction({
      doc: 'Lets supervisord read its configuration again, and changes nothing.',
      params: CONTROL,
      returns: SAYS,
      examples: ["salt '*' supervisord.reread"],
      run: (ctx, which) => control(ctx, which, ['reread']),
    }),
    update: defineFunction({
      doc: 'Lets supervisord read its configuration again, and adds, removes and restarts what has changed.',
      params: { ...CONTROL, ...OPTIONAL },
      returns: SAYS,
      examples: ["salt '*' supervisord.update"],
      run: (ctx, { name, ...which }) =>
        control(ctx, which, ['update', ...wordsOf(name === undefined ? name : groupOf(name))]),
    }),
    status: defineFunction({
      doc: 'Returns what programs do.',
      params: { ...OPTIONAL, ...CONTROL },
      returns: 'a mapping of program to state and reason',
      examples: ["salt '*' supervisord.status"],
      run: async (ctx, { name, ...which }) =>
        statusOf(await control(ctx, which, ['status', ...wordsOf(name)])),
    }),
    status_raw: defineFunction({
      doc: 'Returns what programs do, as supervisorctl prints it.',
      params: { ...OPTIONAL, ...CONTROL },
      returns: SAYS,
      examples: ["salt '*' supervisord.status_raw"],
      run: (ctx, { name, ...which }) => control(ctx, which, ['status', ...wordsOf(name)]),
    }),
    status_bool: defineFunction({
      doc: 'Returns whether there is a program, and whether it is in a state.',
      params: {
        ...ONE,
        expected_state: param.value({
          default: null,
          type: 'str',
          doc: 'The state: RUNNING, STOPPED, EXITED …',
        }),
        ...CONTROL,
      },
      returns: 'true or false',
      examples: ["salt '*' supervisord.status_bool web expected_state=RUNNING"],
      run: async (ctx, { name, expected_state, ...which }) => {
        const last = splitLines(await control(ctx, which, [`status ${name}`])).at(-1) ?? '';
        const [process, state, reason] = columns(last);
        if (reason === '(no such process)' || process !== name) return false;
        return expected_state === null || state === expected_state;
      },
    }),
    custom: defineFunction({
      doc: 'Runs any command of supervisorctl.',
      params: { command: param.text({ doc: 'The command: `mstart web*`.' }), ...CONTROL },
      returns: SAYS,
      examples: ["salt '*' supervisord.custom 'mstart web*'"],
      run: (ctx, { command, ...which }) => control(ctx, which, [command]),
    }),
    options: defineFunction({
      doc: 'Returns what the configuration says of a program.',
      params: {
        name: param.text({ doc: 'The program.' }),
        conf_file: param.textOrNone({ default: null, doc: 'The file of the configuration.' }),
      },
      returns: 'a mapping',
      examples: ["salt '*' supervisord.options web"],
      run: (_ctx, { name, conf_file }) => optionsOf(name, conf_file),
    }),
  },
});
