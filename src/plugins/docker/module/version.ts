/** The version of the Docker daemon. */
import { pyStr } from '../../../python/values/repr.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { askForDict } from './daemon.ts';

const numbersIn = (text: Value): number[] | undefined =>
  /^[\d.]+/.exec(pyStr(text))?.[0].replace(/\.+$/, '').split('.').map(Number);

/** `docker.version` */
export async function daemonVersion(ctx: ModuleContext): Promise<Dict> {
  const facts = await askForDict(ctx, { path: ['version'] });
  for (const key of ['Version', 'ApiVersion']) {
    const numbers = facts.has(key) ? numbersIn(facts.get(key) ?? null) : undefined;
    if (numbers !== undefined) facts.set(`${key}Info`, numbers);
  }
  return facts;
}
