/** `sysrc`: variables of FreeBSD's rc configuration. Follows 3006.16 salt/modules/sysrc.py. */
import { ArgumentError, CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { noSuffix, param } from '../../runtime/loader/params.ts';
import { runAll, runText } from '../shared/program.ts';

/** Options that say which configuration is meant. */
function placeWords(kwargs: Dict): string[] {
  const said = (name: string): string[] => {
    const value = kwargs.get(name);
    return value === undefined || value === null ? [] : [`-${name.charAt(0)}`, pyStr(value)];
  };
  return [...said('file'), ...said('jail')];
}

/** A value as sysrc takes it: YAML makes truth and numbers of what it writes as words. */
export function sysrcValue(value: Value): string {
  if (typeof value === 'boolean') return value ? 'YES' : 'NO';
  if (value === null || Array.isArray(value)) throw new ArgumentError(noSuffix(value));
  return pyStr(value);
}

/** The lines `file: variable: value` as a mapping of files. @param read what is made of the value */
function byFile(said: string, read: (value: string) => string): Dict {
  const found = dict();
  for (const line of said.split('\n')) {
    const [file = '', name, ...value] = line.split(': ');
    if (name === undefined) continue;
    const variables = found.get(file);
    const known = isDict(variables) ? variables : dict();
    if (value.length === 0) known.set(name.replace(/:+$/, ''), '');
    else known.set(name, read(value.join(': ')));
    found.set(file, known);
  }
  return found;
}

const isUnknown = (said: string): boolean => said.includes('sysrc: unknown variable');

/** The module. */
export const sysrcModule = defineModule({
  name: 'sysrc',
  file: 'sysrc',
  doc: "Variables of FreeBSD's rc configuration, by sysrc. Further keywords: `file` for a file, `jail` for a jail.",
  words: { dashes: ['value'] },
  unavailable: () =>
    findProgram('sysrc') === undefined
      ? 'The sysrc execution module failed to load: the sysrc binary is not in the path.'
      : undefined,
  functions: {
    get: defineFunction({
      doc: 'Returns variables: that of `name`, else all; with `includeDefaults` also those that nobody has set.',
      kwargs: 'kwargs',
      returns: 'mapping of files to mappings of variables; None where there is no such variable',
      examples: ["salt '*' sysrc.get includeDefaults=True"],
      run: async (ctx, _args, _rest, kwargs) => {
        const name = kwargs.get('name') ?? null;
        const all = truthy(kwargs.get('includeDefaults')) ? '-A' : '-a';
        const said = await runText(ctx, [
          'sysrc',
          '-v',
          ...placeWords(kwargs),
          name === null ? all : pyStr(name),
        ]);
        return isUnknown(said) ? null : byFile(said, (value) => value);
      },
    }),
    set: defineFunction({
      doc: 'Sets a variable.',
      params: {
        name: param.textOnly(noSuffix, { doc: 'The variable.' }),
        value: param.by(sysrcValue, { doc: 'Its value; true and false are YES and NO.' }),
      },
      kwargs: 'kwargs',
      returns: 'mapping of the file to a mapping of the variable to its value',
      examples: [`salt '*' sysrc.set name=sshd_flags value="-p 2222"`],
      pythonName: 'set_',
      run: async (ctx, { name, value }, _rest, kwargs) => {
        const words = ['sysrc', '-v', ...placeWords(kwargs), `${name}=${value}`];
        const { retcode, stdout, stderr } = await runAll(ctx, words);
        if (retcode !== 0) throw new CommandExecutionError(`sysrc failed: ${stderr}`);
        return byFile(stdout, (change) => change.slice(change.indexOf('->') + 2));
      },
    }),
    remove: defineFunction({
      doc: 'Removes a variable.',
      params: { name: param.textOnly(noSuffix, { doc: 'The variable.' }) },
      kwargs: 'kwargs',
      returns: 'a sentence',
      examples: ["salt '*' sysrc.remove name=sshd_enable"],
      run: async (ctx, { name }, _rest, kwargs) => {
        const said = await runText(ctx, ['sysrc', '-v', ...placeWords(kwargs), '-x', name]);
        if (isUnknown(said)) throw new CommandExecutionError(said);
        return `${name} removed`;
      },
    }),
  },
});
