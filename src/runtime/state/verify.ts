/** Checks of a low chunk before it runs (salt/state.py `State.verify_data`, 3006.16). */
import type { FunctionSource } from '../loader/module.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { requiredParams } from './bind-state.ts';
import { textIn } from './result.ts';
import { watchBecomesRequire } from './requisites.ts';

/** What is wrong with a chunk, in sentences; a good one is made ready to run: its umask is read. */
export async function verifyLow(low: Dict, states: FunctionSource): Promise<string[]> {
  const errors = formErrors(low);
  if (errors.length > 0) return errors;
  const full = `${textIn(low, 'state')}.${textIn(low, 'fun')}`;
  const { spec, missing } = await states.find(full);
  if (spec === undefined) {
    if (!low.has('__sls__')) errors.push(`Specified state '${full}' was not found`);
    else
      errors.push(`State '${full}' was not found in SLS '${textIn(low, '__sls__')}'`, `Reason: ${missing}`);
  } else {
    const absent = requiredParams(spec).filter((name) => !low.has(name));
    errors.push(...absent.map((name) => `Missing parameter ${name} for state ${full}`));
  }
  let requisite = low.has('require') ? 'require' : undefined;
  if (low.has('watch')) requisite = (await watchBecomesRequire(low, states, 'watch')) ? 'require' : 'watch';
  return requisite === undefined ? errors : [...errors, ...recursions(low, low.get(requisite))];
}

function formErrors(low: Dict): string[] {
  const errors = ['state', 'fun', 'name'].flatMap((key) => (low.has(key) ? [] : [`Missing "${key}" data`]));
  const name = low.get('name');
  if (truthy(name) && typeof name !== 'string') {
    const place = low.has('__sls__') ? `in SLS '${textIn(low, '__sls__')}' ` : '';
    const type = pyTypeName(name ?? null);
    errors.push(`ID '${pyStr(name ?? null)}' ${place}is not formed as a string, but is a ${type}`);
  }
  const umask = low.get('umask');
  if (umask !== undefined) {
    low.delete('umask');
    const octal = /^\s*\+?(?:0o)?([0-7]+)\s*$/i.exec(pyStr(umask))?.[1];
    if (octal === undefined) errors.push(`Invalid umask: ${pyStr(umask)}`);
    else low.set('__umask__', Number.parseInt(octal, 8));
  }
  return errors;
}

/** A chunk that requires itself. */
function recursions(low: Dict, requisites: Value | undefined): string[] {
  const names = ['name', '__id__'].map((key) => textIn(low, key));
  return (Array.isArray(requisites) ? requisites : []).flatMap((requisite) => {
    const [kind, wanted] = isDict(requisite) ? ([...requisite][0] ?? []) : [];
    if (kind !== low.get('state') || typeof wanted !== 'string') return [];
    if (!names.some((name) => fnmatch(name, wanted))) return [];
    return [
      `Recursive require detected in SLS ${textIn(low, '__sls__')} for require ${pyRepr(requisite)} in ID ${textIn(low, '__id__')}`,
    ];
  });
}
