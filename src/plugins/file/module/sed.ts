/** Editing with the program `sed`, and Salt's older imitation of it. Follows 3006.16 salt/modules/file.py. */
import { copyWithFacts, writeInPlace } from '../../../host/file-operations.ts';
import { pathExists } from '../../../python/paths.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../../python/values/value.ts';
import { opt, P } from '../../shared/file-params.ts';
import { replaceAll, textPattern } from '../../shared/regex.ts';
import { readText } from '../../shared/file-text.ts';
import { param } from '../../../runtime/loader/params.ts';
import { ranAll, runText } from '../../shared/program.ts';

/** Escapes what would end sed's expression; Salt also writes quotes as for a shell, though none takes part. */
function sedEscape(text: string, all: boolean): string {
  const escaped = text.replaceAll("'", `'"'"'`).replaceAll('/', '\\/');
  return all ? [...'^.[$()|*+?{'].reduce((out, char) => out.replaceAll(char, `\\${char}`), escaped) : escaped;
}

const NO_SHELL = dict({ python_shell: false });

async function sed(
  ctx: ModuleContext,
  path: string,
  words: {
    readonly before: string;
    readonly after: string;
    readonly limit: string;
    readonly backup: Value;
    readonly options: string;
    readonly flags: string;
    readonly negate: boolean;
  },
): Promise<Value> {
  if (!pathExists(path)) return false;
  const limit = words.limit === '' ? '' : `/${words.limit}/ `;
  const script = `${limit}${words.negate ? '!' : ''}s/${words.before}/${words.after}/${words.flags}`;
  const inPlace = truthy(words.backup) ? `-i${pyStr(words.backup)}` : '-i';
  const argv = ['sed', inPlace, ...splitWords(words.options), script, path];
  return ranAll(ctx, [argv], NO_SHELL);
}

const FLAG_BITS: ReadonlyMap<string, number> = new Map([
  ['I', 2],
  ['L', 4],
  ['M', 8],
  ['S', 16],
  ['U', 32],
  ['X', 64],
]);

/** Salt's `psed`: Python's expressions on the whole file. */
function pythonSed(
  path: string,
  words: { readonly before: string; readonly after: string; readonly backup: string; readonly flags: string },
): null {
  copyWithFacts(path, `${path}${words.backup}`);
  const isAll = words.flags.includes('g');
  const bits = [...words.flags.replaceAll('g', '')].reduce((sum, flag) => {
    const bit = FLAG_BITS.get(flag);
    if (bit === undefined) throw new PythonError('KeyError', pyRepr(flag));
    return sum | bit;
  }, 0);
  const text = readText(`${path}${words.backup}`);
  const pattern = textPattern(words.before, bits);
  writeInPlace(path, replaceAll(pattern, words.after, text, isAll ? 0 : 1).text);
  return null;
}

const BEFORE = param.text({
  doc: 'What is replaced: an expression of sed, `/` need not be escaped.',
});
const AFTER = param.text({ doc: 'What takes its place.' });
const ESCAPE_ALL = opt(param.value({ type: 'bool', doc: 'Take before and after literally.' }), false);

/** Functions around sed. */
export const sedFunctions = {
  sed: defineFunction({
    doc: 'Edits a file with the program sed. For new work there is file.replace.',
    params: {
      path: P.path,
      before: BEFORE,
      after: AFTER,
      limit: opt(P.limit, ''),
      backup: opt(P.backup, '.bak'),
      options: opt(param.text({ doc: 'Options of the program.' }), '-r -e'),
      flags: opt(param.text({ doc: 'Flags of the substitution.' }), 'g'),
      escape_all: ESCAPE_ALL,
      negate_match: opt(param.flag({ doc: 'Choose the lines that the limit does not match.' }), false),
    },
    returns: 'the mapping of cmd.run_all; false for a missing file',
    examples: [`salt '*' file.sed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'`],
    run: (ctx, args) => {
      const all = args.escape_all === true;
      return sed(ctx, args.path, {
        before: sedEscape(args.before, all),
        after: sedEscape(args.after, all),
        limit: sedEscape(args.limit, all),
        backup: args.backup,
        options: args.options,
        flags: args.flags,
        negate: args.negate_match,
      });
    },
  }),
  sed_contains: defineFunction({
    doc: 'Returns whether an expression of sed matches anywhere in a file. For new work there is file.search.',
    params: {
      path: P.path,
      text: param.text({ doc: 'The expression.' }),
      limit: opt(P.limit, ''),
      flags: opt(param.text({ doc: 'Flags of the substitution.' }), 'g'),
    },
    returns: 'true or false',
    examples: ["salt '*' file.sed_contains /etc/crontab 'mymaintenance.sh'"],
    run: async (ctx, { path, text, limit, flags }) => {
      const file = path;
      if (!pathExists(file)) return false;
      const chosen = sedEscape(limit, false);
      const script = `${chosen === '' ? '' : `/${chosen}/ `}s/${sedEscape(text, false)}/$/p${flags}`;
      const argv = ['sed', '-n', '-r', '-e', script, file];
      return (await runText(ctx, argv)) !== '';
    },
  }),
  psed: defineFunction({
    doc: 'Edits a file with a regular expression of Python. For new work there is file.replace.',
    params: {
      path: P.path,
      before: param.text({ doc: 'What is replaced: a regular expression in Python syntax.' }),
      after: AFTER,
      limit: opt(P.limit, ''),
      backup: opt(param.text(P.backup), '.bak'),
      flags: opt(param.text({ doc: 'Letters: g for all matches, I L M S U X as in Python.' }), 'gMS'),
      escape_all: ESCAPE_ALL,
      multi: opt(param.value({ type: 'bool', doc: 'Without effect.' }), false),
    },
    returns: 'nothing',
    examples: [`salt '*' file.psed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'`],
    run: (_ctx, args) =>
      pythonSed(args.path, {
        before: sedEscape(args.before, args.escape_all === true),
        after: sedEscape(args.after, args.escape_all === true),
        backup: args.backup,
        flags: args.flags,
      }),
  }),
};
