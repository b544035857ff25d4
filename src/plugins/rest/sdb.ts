/** `rest`: values that a web server gives (salt/sdb/rest.py, 3006.16). */
import { rendererRules, RenderPipe } from '../../runtime/renderers/pipe.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { SdbError, type SdbDriver, type SdbUse } from '../shared/sdb/sdb-driver.ts';

/** The driver. Salt compat: writing asks the same as reading, and the value is not sent. */
export const restDriver: SdbDriver = { name: 'rest', get: ask, set: ask };

async function ask({ ctx, key, profile }: SdbUse): Promise<Value> {
  const [name = '', words = ''] = key.split('?');
  const item = profile.get(name);
  const address = isDict(item) ? item.get('url') : undefined;
  if (!isDict(item) || typeof address !== 'string')
    throw new SdbError(`it has no entry ${name} with a \`url\`.`);
  const url = await rendered(ctx, address, variablesOf(words));
  const kwargs: Dict = new Map([...item].filter(([option]) => option !== 'url' && option !== 'backend'));
  const result = await ctx.query(url, new Map([...kwargs, ...dict({ decode: true })]));
  const value = result.get('dict');
  if (value !== undefined) return value;
  // neither the address nor the answer is told, since both may hold a secret
  const reason = result.get('error');
  throw new SdbError(
    `${hostOf(url)} gave no value for ${name}: ${reason === undefined ? 'its answer is neither JSON, YAML nor XML' : pyStr(reason)}.`,
  );
}

function variablesOf(words: string): Map<string, Value> {
  const out = new Map<string, Value>();
  for (const pair of words.split('&').filter((word) => word !== '')) {
    const [name = '', value = ''] = pair.split('=', 2);
    out.set(name, value);
  }
  return out;
}

async function rendered(
  { opts, clock, random, log }: SdbUse['ctx'],
  text: string,
  variables: ReadonlyMap<string, Value>,
): Promise<string> {
  const opt = (name: string): Value | undefined => opts.get(name);
  const pipe = new RenderPipe({ clock, random, log });
  const value = await pipe.render(text, pyStr(opt('renderer') ?? 'jinja|yaml'), rendererRules(opt), {
    opt,
    saltenv: 'base',
    sls: '',
    path: ':string:',
    variables,
    functions: { has: () => false, call: () => null },
    readTemplate: () => undefined,
  });
  return pyStr(value);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server';
}
