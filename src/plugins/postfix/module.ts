/** `postfix`: its configuration and its queue. Follows 3006.16 salt/modules/postfix.py. */
import { readFileSync } from 'node:fs';
import { writeInPlace } from '../../host/file-operations.ts';
import { findProgram } from '../../host/which.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, pyTypeName, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { noPath, param, type TypedParam } from '../../runtime/loader/params.ts';
import { runAll, runText } from '../shared/program.ts';

const MAIN = '/etc/postfix/main.cf';
const MASTER = '/etc/postfix/master.cf';

const linesOf = (path: string): string[] => splitLines(readFileSync(path, 'utf8'));
const wordsIn = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');
const isBlank = (line: string): boolean => line.trim() === '';

/** A cell of master.cf. @throws PythonError for a number, as Python's format does */
function cellText(value: Value): string {
  if (typeof value === 'number')
    throw new PythonError('ValueError', "Unknown format code 's' for object of type 'int'");
  return pyStr(value);
}

const noBytes = (value: Value): string =>
  `decoding to str: need a bytes-like object, ${pyTypeName(value)} found`;

function writeLines(path: string, lines: readonly string[]): void {
  writeInPlace(path, lines.map((line) => `${line}\n`).join(''));
}

/** The columns of master.cf in front of the command, and what is the same as a dash there. */
const COLUMNS = [
  ['service', undefined],
  ['conn_type', undefined],
  ['private', 'y'],
  ['unpriv', 'y'],
  ['chroot', 'y'],
  ['wakeup', 'n'],
  ['maxproc', '100'],
] as const;
const WIDTHS = [9, 5, 7, 7, 7, 7, 7] as const;

/** A line of master.cf: an entry with the lines that go on with it, or one that says nothing. */
interface MasterLine {
  readonly text: string;
  readonly entry: Dict | undefined;
  readonly further: string[];
}

/**
 * Salt compat: lines that go on with the one before them belong to it; with Salt nearly all of them end the function.
 */
function masterLines(path: string): MasterLine[] {
  const lines: MasterLine[] = [];
  for (const text of linesOf(path)) {
    const last = lines.at(-1);
    if (isBlank(text) || text.trim().startsWith('#')) lines.push({ text, entry: undefined, further: [] });
    else if (/^\s/.test(text) && last?.entry !== undefined) last.further.push(text);
    else {
      const words = wordsIn(text);
      const entry = dict(Object.fromEntries(COLUMNS.map(([name], i) => [name, words[i] ?? '-'])));
      lines.push({ text, entry: entry.set('command', words.slice(COLUMNS.length).join(' ')), further: [] });
    }
  }
  return lines;
}

function masterText(entry: Dict): string {
  const cells = COLUMNS.map(([name, standard], i) => {
    const value = pyStr(entry.get(name) ?? '');
    return (value === standard ? '-' : value).padEnd(WIDTHS[i] ?? 0);
  });
  return [...cells, pyStr(entry.get('command') ?? '')].join(' ');
}

const keyOf = (entry: Dict): string =>
  `${pyStr(entry.get('service') ?? '')} ${pyStr(entry.get('conn_type') ?? '')}`;

function setMaster(path: string, wanted: Dict, isWritten: boolean): string {
  const known = masterLines(path);
  const lines = known.flatMap(({ text, entry, further }) => {
    if (entry === undefined) return [text];
    return keyOf(entry) === keyOf(wanted) ? [masterText(wanted)] : [masterText(entry), ...further];
  });
  const isThere = known.some(({ entry }) => entry !== undefined && keyOf(entry) === keyOf(wanted));
  if (!isThere) lines.push(masterText(wanted));
  if (isWritten) writeLines(path, lines);
  return lines.join('\n');
}

/** The lines of main.cf, each with those that go on with it. */
function mainLines(path: string): string[] {
  const lines: string[] = [];
  for (const line of linesOf(path)) {
    if (isBlank(line) || !/^\s/.test(line) || lines.length === 0) lines.push(line);
    else lines.push(`${lines.pop() ?? ''}\n${line}`);
  }
  return lines;
}

function mainValues(lines: readonly string[]): Dict {
  const values = dict();
  for (const line of lines) {
    if (isBlank(line) || line.startsWith('#')) continue;
    const [name = '', ...value] = line.split('=');
    values.set(name.trim(), value.join('=').trim());
  }
  return values;
}

function setMain(path: string, key: string, value: string): string[] {
  const lines = mainLines(path);
  const wanted = `${key} = ${value}`;
  const isMeant = (line: string): boolean =>
    line.startsWith(key) && /^(?:[\s=]|$)/.test(line.slice(key.length));
  const after = mainValues(lines).has(key)
    ? lines.map((line) => (isMeant(line) ? wanted : line))
    : [...lines, wanted];
  writeLines(path, after);
  return after;
}

const QUEUED = /^([A-Z0-9]+)[*!]?\s+(\d+)\s(\w{3}\s\w{3}\s+\d{1,2}\s\d{2}:\d{2}:\d{2})\s+(.+)/;

async function queueOf(ctx: ModuleContext): Promise<Dict[]> {
  const queue: Dict[] = [];
  let message: Dict | undefined;
  for (const line of splitLines(await runText(ctx, ['mailq']))) {
    // Salt compat: a message that is being sent, or on hold, has a mark behind its id, and days of one digit two blanks
    // in front; with Salt both are no messages
    const [, queue_id, size, timestamp, sender] = QUEUED.exec(line) ?? [];
    if (queue_id !== undefined && !/^Mail/.test(line)) message = dict({ queue_id, size, timestamp, sender });
    else if (/^\s+[^\s(]/.test(line)) message?.set('recipient', line.trim());
    else if (line === '' && message?.has('recipient') === true) {
      queue.push(message);
      message = undefined;
    }
  }
  if (message?.has('recipient') === true) queue.push(message);
  return queue;
}

/** What is done with messages of the queue: the option of postsuper, and the sentences. */
interface QueueAction {
  readonly doc: string;
  readonly option: string;
  readonly done: string;
  readonly doneAll: string;
  readonly failed: string;
  readonly failedAll: string;
}

const queueFunction = (name: string, action: QueueAction) =>
  defineFunction({
    doc: action.doc,
    params: { queue_id: param.text({ doc: 'The id of the message; ALL for all.' }) },
    returns: 'mapping: message, result',
    examples: [`salt '*' postfix.${name} 5C33CA0DEA`, `salt '*' postfix.${name} ALL`],
    run: async (ctx, { queue_id }) => {
      const isAll = queue_id === 'ALL';
      if (!isAll && !(await queueOf(ctx)).some((each) => each.get('queue_id') === queue_id))
        return dict({ message: `No message in queue with ID ${queue_id}`, result: false });
      const { retcode, stderr } = await runAll(ctx, ['postsuper', action.option, queue_id]);
      if (retcode === 0)
        return dict({ message: isAll ? action.doneAll : `${action.done} ${queue_id}`, result: true });
      // Salt compat: Salt says true here
      return dict({
        message: isAll ? action.failedAll : `${action.failed} ${queue_id}: ${stderr}`,
        result: false,
      });
    },
  });

const column = (standard: string, doc: string): TypedParam<string> =>
  param.by(cellText, { type: 'str', default: standard, doc });
const path = (standard: string): ReturnType<typeof param.text> =>
  param.textOnly(noPath, { default: standard, doc: 'The file.' });

/** The module. */
export const postfixModule = defineModule({
  name: 'postfix',
  file: 'postfix',
  doc: 'The configuration of Postfix and its queue.',
  words: { dashes: ['private', 'unpriv', 'chroot', 'wakeup', 'maxproc', 'command', 'value'] },
  unavailable: () =>
    findProgram('postfix') === undefined
      ? 'The postfix execution module cannot be loaded: postfix is not in the path.'
      : undefined,
  functions: {
    show_master: defineFunction({
      doc: 'Returns the services of master.cf.',
      params: { path: path(MASTER) },
      returns: 'mapping of service and type to a mapping of columns',
      examples: ['salt <minion> postfix.show_master'],
      run: (_ctx, args) =>
        new Map(
          masterLines(args.path).flatMap(({ entry }) => (entry === undefined ? [] : [[keyOf(entry), entry]])),
        ),
    }),
    set_master: defineFunction({
      doc: 'Sets a service of master.cf. A value that is the standard is written as a dash.',
      params: {
        service: param.by(cellText, { type: 'str', doc: 'The service.' }),
        conn_type: param.by(cellText, { type: 'str', doc: 'The type: inet, unix.' }),
        private: column('y', 'Whether it is private.'),
        unpriv: column('y', 'Whether it has no privileges.'),
        chroot: column('y', 'Whether its root is the queue.'),
        wakeup: column('n', 'After how many seconds it is woken.'),
        maxproc: param.text({ default: '100', doc: 'How many processes at most.' }),
        command: param.text({ default: '', doc: 'The command.' }),
        write_conf: param.flag({ default: true, doc: 'Write it; else only return what would be written.' }),
        path: path(MASTER),
      },
      returns: 'the whole file',
      examples: ['salt <minion> postfix.set_master smtp inet n y n n 100 smtpd'],
      run: (_ctx, { write_conf, path: file, ...entry }) => setMaster(file, dict(entry), write_conf),
    }),
    show_main: defineFunction({
      doc: 'Returns the settings of main.cf.',
      params: { path: path(MAIN) },
      returns: 'mapping of names to texts',
      examples: ['salt <minion> postfix.show_main'],
      run: (_ctx, args) => mainValues(mainLines(args.path)),
    }),
    set_main: defineFunction({
      doc: 'Sets a setting of main.cf.',
      params: {
        key: param.textOnly(noBytes, { doc: 'The setting.' }),
        value: param.text({ doc: 'Its value.' }),
        path: path(MAIN),
      },
      returns: 'the lines of the file',
      examples: ['salt <minion> postfix.set_main mailq_path /usr/bin/mailq'],
      run: (_ctx, { key, value, path: file }) => setMain(file, key, value),
    }),
    show_queue: defineFunction({
      doc: 'Lists the messages of the queue.',
      returns: 'list of mappings: queue_id, size, timestamp, sender, recipient',
      examples: ["salt '*' postfix.show_queue"],
      run: queueOf,
    }),
    delete: queueFunction('delete', {
      doc: 'Deletes messages of the queue.',
      option: '-d',
      done: 'Successfully removed message with queue id',
      doneAll: 'Successfully removed all messages',
      failed: 'Unable to remove message with queue id',
      failedAll: 'Unable to removed all messages',
    }),
    hold: queueFunction('hold', {
      doc: 'Puts messages of the queue on hold.',
      option: '-h',
      done: 'Successfully placed message on hold with queue id',
      doneAll: 'Successfully placed all messages on hold',
      failed: 'Unable to place message on hold with queue id',
      failedAll: 'Unable to place all messages on hold',
    }),
    unhold: queueFunction('unhold', {
      doc: 'Lets messages go on that are on hold.',
      option: '-H',
      done: 'Successfully set message as unheld with queue id',
      doneAll: 'Successfully set all message as unheld',
      failed: 'Unable to set message as unheld with queue id',
      failedAll: 'Unable to set all message as unheld.',
    }),
    requeue: queueFunction('requeue', {
      doc: 'Puts messages into the queue anew.',
      option: '-r',
      done: 'Successfully requeued message with queue id',
      doneAll: 'Successfully requeued all messages',
      failed: 'Unable to requeue message with queue id',
      failedAll: 'Unable to requeue all messages',
    }),
  },
});
