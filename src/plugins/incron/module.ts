/** `incron`: commands that run when files change. Follows 3006.16 salt/modules/incron.py. */
import { rmSync } from 'node:fs';
import { CommandExecutionError } from '../../errors/errors.ts';
import { makeTempFile, writeInPlace } from '../../host/file-operations.ts';
import { readTextIfExists } from '../../host/files.ts';
import { isDir } from '../../python/paths.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { ranAll, runAll, runCode, runStdout, runText } from '../shared/program.ts';

/** The user that stands for the table of the whole system. */
const SYSTEM = 'system';
const SYSTEM_FOLDER = '/etc/incron.d';
const SYSTEM_TABLE = `${SYSTEM_FOLDER}/salt`;
const MASKS: ReadonlySet<string> = new Set(
  (
    'IN_ACCESS IN_ATTRIB IN_CLOSE_WRITE IN_CLOSE_NOWRITE IN_CREATE IN_DELETE IN_DELETE_SELF IN_MODIFY ' +
    'IN_MOVE_SELF IN_MOVED_FROM IN_MOVED_TO IN_OPEN IN_ALL_EVENTS IN_MOVE IN_CLOSE IN_DONT_FOLLOW IN_ONESHOT ' +
    'IN_ONLYDIR IN_NO_LOOP'
  ).split(' '),
);

/** One line: a path, the events that are watched for, and what runs then. */
interface Job {
  readonly path: string;
  readonly mask: string;
  readonly cmd: string;
}

interface Table {
  readonly crons: Job[];
  /** Lines that are no jobs. */
  readonly pre: string[];
}

const words = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');

const readSystem = (): string => readTextIfExists(SYSTEM_TABLE) ?? '';
const readUsers = (ctx: ModuleContext, user: string): Promise<string> =>
  runStdout(ctx, ['incrontab', '-l', user], { rstrip: false, runas: user });

async function readTable(ctx: ModuleContext, user: string): Promise<Table> {
  const table: Table = { crons: [], pre: [] };
  for (const line of splitLines(user === SYSTEM ? readSystem() : await readUsers(ctx, user))) {
    const [path = '', mask = '', ...cmd] = words(line);
    // Salt compat: a command of one word is no job, and its line is kept as it is
    if (cmd.length > 1) table.crons.push({ path, mask, cmd: cmd.join(' ') });
    else table.pre.push(line);
  }
  return table;
}

/** @returns what incrontab says against it; empty where it takes it */
async function writeTable(ctx: ModuleContext, user: string, { pre, crons }: Table): Promise<string> {
  const lines = [...pre, ...crons.map(({ path, mask, cmd }) => `${path} ${mask} ${cmd}`)];
  const content = lines.map((line) => `${line}\n`).join('');
  if (user === SYSTEM) {
    if (!isDir(SYSTEM_FOLDER))
      throw new CommandExecutionError(`salt cannot be written. ${SYSTEM_FOLDER}/ does not exist`);
    writeInPlace(SYSTEM_TABLE, content);
    return '';
  }
  const path = makeTempFile(ctx.random, { content });
  try {
    if (user !== 'root') await runText(ctx, ['chown', user, path]);
    const { retcode, stderr } = await runAll(ctx, ['incrontab', path], { runas: user });
    return retcode === 0 ? '' : stderr;
  } finally {
    rmSync(path, { force: true });
  }
}

const sorted = (mask: string): string[] => mask.split(',').sort();
const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);

/** How the events of two masks, in whatever order, compare. */
export function compareMasks(a: string, b: string): 'same' | 'shared' | 'different' {
  const [one, other] = [sorted(a), sorted(b)];
  if (isSame(one, other)) return 'same';
  return other.some((each) => one.includes(each)) ? 'shared' : 'different';
}

/** The mask in capitals, or what is wrong with it. */
function readMask(given: string): { readonly mask: string; readonly wrong: string | undefined } {
  const mask = given.toUpperCase();
  return { mask, wrong: mask.split(',').find((each) => !MASKS.has(each)) };
}

async function setJob(ctx: ModuleContext, user: string, wanted: Job): Promise<string> {
  const { mask, wrong } = readMask(wanted.mask);
  if (wrong !== undefined) return `Invalid mask type: ${wrong}`;
  const { pre, crons } = await readTable(ctx, user);
  const kept: Job[] = [];
  let isUpdated = false;
  for (const job of crons) {
    const isMeant = job.path === wanted.path && job.cmd === wanted.cmd;
    const compared = isMeant ? compareMasks(job.mask, mask) : 'different';
    if (compared === 'same') return 'present';
    if (compared === 'shared') isUpdated = true;
    else kept.push(job);
  }
  const error = await writeTable(ctx, user, { pre, crons: [...kept, { ...wanted, mask }] });
  if (error !== '') return error;
  return isUpdated ? 'updated' : 'new';
}

async function removeJob(ctx: ModuleContext, user: string, unwanted: Job): Promise<string> {
  const { mask, wrong } = readMask(unwanted.mask);
  if (wrong !== undefined) return `Invalid mask type: ${wrong}`;
  const { pre, crons } = await readTable(ctx, user);
  const at = crons.findIndex(
    (job) => job.path === unwanted.path && job.cmd === unwanted.cmd && job.mask === mask,
  );
  if (at < 0) return 'absent';
  const error = await writeTable(ctx, user, { pre, crons: crons.filter((_, i) => i !== at) });
  return error === '' ? 'removed' : error;
}

const USER = { user: param.text({ doc: 'Whose table; system for that of the whole system.' }) } as const;
const FILE = { path: param.text({ doc: 'The file.' }) } as const;
const JOB = {
  ...USER,
  path: param.text({ doc: 'What is watched.' }),
  mask: param.text({ doc: 'The events, with commas between them: IN_MODIFY,IN_CREATE.' }),
  cmd: param.text({ doc: 'What runs then.' }),
} as const;
const LIST = {
  doc: 'Lists the jobs of a user.',
  params: USER,
  returns: 'mapping with crons (path, mask and cmd) and pre, the lines that are no jobs',
  examples: ["salt '*' incron.list_tab root"],
  pythonName: 'list_tab',
  run: async (ctx: ModuleContext, { user }: { readonly user: string }): Promise<Value> => {
    const { crons, pre } = await readTable(ctx, user);
    return dict({ crons: crons.map((job) => dict({ ...job })), pre });
  },
} as const;
const REMOVE = {
  doc: 'Takes a job out of the table of a user.',
  params: JOB,
  returns: 'removed, absent, or what incrontab says',
  examples: ["salt '*' incron.rm_job root /root IN_MODIFY 'echo one'"],
  pythonName: 'rm_job',
  run: (ctx: ModuleContext, { user, ...job }: Job & { readonly user: string }): Promise<string> =>
    removeJob(ctx, user, job),
} as const;

/** The module. */
export const incronModule = defineModule({
  name: 'incron',
  file: 'incron',
  doc: 'Commands that run when files change, by incron.',
  words: {},
  failsWith: { false: ['write_incron_file'] },
  functions: {
    write_incron_file: defineFunction({
      doc: "Makes a file a user's table.",
      params: { ...USER, ...FILE },
      returns: 'true or false',
      examples: ["salt '*' incron.write_incron_file root /tmp/new_incron"],
      run: async (ctx, { user, path }) => (await runCode(ctx, ['incrontab', path], { runas: user })) === 0,
    }),
    write_incron_file_verbose: defineFunction({
      doc: "Makes a file a user's table, and returns what incrontab says.",
      params: { ...USER, ...FILE },
      returns: 'the mapping of cmd.run_all',
      examples: ["salt '*' incron.write_incron_file_verbose root /tmp/new_incron"],
      run: (ctx, { user, path }) => ranAll(ctx, [['incrontab', path]], { runas: user, python_shell: false }),
    }),
    raw_system_incron: defineFunction({
      doc: 'Returns the table of the whole system.',
      returns: 'text',
      examples: ["salt '*' incron.raw_system_incron"],
      run: () => readSystem(),
    }),
    raw_incron: defineFunction({
      doc: 'Returns the table of a user.',
      params: USER,
      returns: 'text',
      examples: ["salt '*' incron.raw_incron root"],
      run: (ctx, { user }) => readUsers(ctx, user),
    }),
    list_tab: defineFunction(LIST),
    ls: defineFunction(LIST),
    set_job: defineFunction({
      doc: 'Makes sure of a job in the table of a user.',
      params: JOB,
      returns: 'new, updated, present, or what incrontab says',
      examples: [`salt '*' incron.set_job root /root IN_MODIFY 'echo "$$ $@ $# $% $&"'`],
      run: (ctx, { user, ...job }) => setJob(ctx, user, job),
    }),
    rm_job: defineFunction(REMOVE),
    rm: defineFunction(REMOVE),
  },
});
