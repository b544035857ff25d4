/** `at`: commands that run once, later. Follows 3006.16 salt/modules/at.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { toPyInt } from '../../python/conversions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runStdout, runText } from '../shared/program.ts';

/** A job that waits. */
interface Job {
  readonly job: number;
  readonly date: string;
  readonly time: string;
  readonly queue: string;
  readonly user: string;
  readonly tag: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const twoDigits = (text: string): string => text.padStart(2, '0');

/** A line of atq: `7\tThu Nov 26 23:02:00 2026 a root`; of old versions `7\t2026-11-26 23:02 a root`. */
function readLine(line: string): Omit<Job, 'tag'> {
  const [number = '', about = ''] = line.split('\t');
  const job = Number(number);
  const fields = about.split(/\s+/).filter((word) => word !== '');
  if (/^\d{4}-/.test(fields[0] ?? '')) {
    const [date = '', time = '', queue = '', user = ''] = fields;
    return { job, date, time, queue, user };
  }
  const [, month = '', day = '', time = '', year = '', queue = '', user = ''] = fields;
  const at = MONTHS.indexOf(month) + 1;
  if (!Number.isInteger(job) || at === 0)
    throw new CommandExecutionError(`atq says what is not understood: ${line}`);
  return { job, date: `${year}-${twoDigits(String(at))}-${twoDigits(day)}`, time, queue, user };
}

async function listed(ctx: ModuleContext): Promise<Job[]> {
  const isRedHat = ctx.grains.get('os_family') === 'RedHat';
  const jobs: Job[] = [];
  for (const line of splitLines(await runStdout(ctx, isRedHat ? ['at', '-l'] : ['atq']))) {
    const job = readLine(line);
    const script = await runStdout(ctx, ['at', '-c', String(job.job)]);
    const tags = splitLines(script).flatMap((each) => /^### SALT: (\w+)/.exec(each)?.[1] ?? []);
    jobs.push({ ...job, tag: tags.at(-1) ?? '' });
  }
  return jobs;
}

/** The jobs with a tag or a number; all of them without either. */
async function queue(ctx: ModuleContext, tag: Value): Promise<Job[]> {
  const jobs = await listed(ctx);
  return truthy(tag) ? jobs.filter((each) => each.tag === tag || each.job === tag) : jobs;
}

const asDict = (jobs: readonly Job[]): Value[] => jobs.map((job) => dict({ ...job }));

async function remove(ctx: ModuleContext, given: readonly Value[]): Promise<Dict> {
  const words = given.map(pyStr);
  const isAll = words[0] === 'all';
  const tag = (isAll ? words[1] : undefined) ?? null;
  const jobs = await queue(ctx, tag);
  const removed = jobs.map(({ job }) => String(job)).filter((job) => isAll || words.includes(job));
  // Salt compat: Salt hands at one word with all numbers in it, of which at takes the first, and an empty one without
  // any
  if (removed.length > 0) await runStdout(ctx, ['at', '-d', ...removed]);
  return dict({ jobs: { removed, tag } });
}

async function add(ctx: ModuleContext, given: readonly Value[], kwargs: Dict): Promise<Dict> {
  const [when = null, ...command] = given;
  if (command.length === 0) return dict({ jobs: [] });
  const mark = kwargs.has('tag') ? `### SALT: ${pyStr(kwargs.get('tag') ?? null)}\n` : '';
  const stdin = mark + command.map(pyStr).join(' ');
  const runas = kwargs.has('runas') ? { runas: kwargs.get('runas') ?? null } : {};
  const said = await runText(ctx, ['at', pyStr(when)], { stdin, ...runas });
  if (said.endsWith('Garbled time')) return dict({ jobs: [], error: 'invalid timespec' });
  const lines = splitLines(said);
  const line = /^(?:warning: commands|commands will be executed)/.test(said) ? lines[1] : said;
  const job = toPyInt((line ?? '').split(/\s+/)[1] ?? '');
  if (job === undefined) throw new CommandExecutionError(`at did not take the job: ${said}`);
  return dict({ jobs: asDict(await queue(ctx, job)) });
}

/** What of a job each condition is compared with. */
const CONDITIONS: Readonly<Record<string, (job: Job, wanted: Value) => boolean>> = {
  runas: (job, wanted) => job.user === wanted,
  tag: (job, wanted) => job.tag === wanted,
  hour: (job, wanted) => twoDigits(pyStr(toPyInt(wanted) ?? '')) === job.time.split(':')[0],
  minute: (job, wanted) => twoDigits(pyStr(toPyInt(wanted) ?? '')) === job.time.split(':')[1],
  day: (job, wanted) => twoDigits(pyStr(toPyInt(wanted) ?? '')) === job.date.split('-')[2],
  month: (job, wanted) => twoDigits(pyStr(toPyInt(wanted) ?? '')) === job.date.split('-')[1],
  // Salt compat: Salt compares a year of four digits as a number with a text, and finds nothing
  year: (job, wanted) => {
    const year = pyStr(wanted);
    return (year.length === 2 ? `20${year}` : year) === job.date.split('-')[0];
  },
};

async function matching(ctx: ModuleContext, conditions: Dict): Promise<Dict> {
  const jobs = await listed(ctx);
  if (jobs.length === 0) return dict({ jobs: [] });
  const wanted = Object.entries(CONDITIONS).filter(([name]) => truthy(conditions.get(name)));
  const found = jobs.filter((job) =>
    wanted.every(([name, isMet]) => isMet(job, conditions.get(name) ?? null)),
  );
  return found.length === 0
    ? dict({ jobs: [], note: 'No match jobs or time format error' })
    : dict({ jobs: asDict(found) });
}

const JOBS = 'mapping with jobs: job, date, time, queue, user and tag of each';

/** The module. */
export const atModule = defineModule({
  name: 'at',
  file: 'at',
  doc: 'Commands that run once, later, by at.',
  unavailable: () =>
    findProgram('at') === undefined ? 'The at module could not be loaded: at command not found' : undefined,
  // a command goes to the input of at, and may have lines
  words: { lines: ['*'] },
  failsWith: { error: ['at', 'atc'] },
  functions: {
    atq: defineFunction({
      doc: 'Lists the jobs that wait.',
      params: {
        tag: param.value({
          default: null,
          type: 'str or int',
          doc: 'Only those with a tag, or with a number.',
        }),
      },
      returns: JOBS,
      examples: ["salt '*' at.atq", "salt '*' at.atq nightly"],
      run: async (ctx, { tag }) => dict({ jobs: asDict(await queue(ctx, tag)) }),
    }),
    atrm: defineFunction({
      doc: 'Removes jobs by their numbers, or all, or all with a tag.',
      varargs: 'args',
      returns: 'mapping with jobs: removed and tag',
      examples: ["salt '*' at.atrm 1 2", "salt '*' at.atrm all", "salt '*' at.atrm all nightly"],
      run: (ctx, _args, rest) =>
        rest.length === 0 ? dict({ jobs: { removed: [], tag: null } }) : remove(ctx, rest),
    }),
    at: defineFunction({
      doc: 'Adds a job: when it is to run, the command, and as keywords a tag and who runs it (runas).',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: `${JOBS}; error where at does not understand the time`,
      examples: [
        "salt '*' at.at 12:05am /sbin/reboot tag=reboot",
        "salt '*' at.at '3:05am +3 days' bin/myscript tag=nightly runas=jim",
      ],
      run: (ctx, _args, rest, kwargs) => add(ctx, rest, kwargs),
    }),
    atc: defineFunction({
      doc: 'Prints the script of a job.',
      params: { jobid: param.text({ type: 'int', doc: 'Its number.' }) },
      returns: 'text; a mapping with error where there is no such job',
      examples: ["salt '*' at.atc 7"],
      run: async (ctx, { jobid }) => {
        const script = await runStdout(ctx, ['at', '-c', jobid]);
        return script === '' ? dict({ error: `invalid job id '${jobid}'` }) : script;
      },
    }),
    jobcheck: defineFunction({
      doc: 'Finds jobs by conditions: hour, minute, day, month, year, tag, runas.',
      kwargs: 'kwargs',
      returns: `${JOBS}; note where none is found`,
      examples: ["salt '*' at.jobcheck runas=jam day=13"],
      run: (ctx, _args, _rest, kwargs) =>
        kwargs.size === 0 ? dict({ error: 'You have given a condition' }) : matching(ctx, kwargs),
    }),
  },
});
