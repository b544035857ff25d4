/** Filters that ask: `json_query` looks into data, `http_query` asks a web server (3006.16 salt/utils/data.py, salt/utils/http.py). */
import { native, PyRaised, toValue, type NativeBody, type TValue } from '../jinja/index.ts';
import { pyStr } from '../values/repr.ts';
import type { Value } from '../values/value.ts';
import type { TemplateFunctions } from './renderer.ts';

async function jsonQuery(data: Value, expression: Value): Promise<TValue> {
  const { JmespathError, searchJmespath } = await import('../data/jmespath.ts');
  try {
    return searchJmespath(pyStr(expression), data);
  } catch (error) {
    if (!(error instanceof JmespathError)) throw error;
    throw new PyRaised('ValueError', error.message);
  }
}

/** @param functions those of the template: `http.query` is asked */
export function queryFilters(functions: TemplateFunctions): [string, NativeBody][] {
  return [
    [
      'json_query',
      native('json_query', ['data', 'expr'], ([data, expr]) =>
        jsonQuery(toValue(data as TValue), toValue(expr as TValue)),
      ),
    ],
    [
      'http_query',
      native('query', ['url', ['method', 'GET'], '**'], ([url, method], _scope, _rest, kwargs) => {
        const named = [...kwargs].map(([name, value]) => [name, toValue(value)] as const);
        const all = new Map<string, Value>([['method', toValue(method as TValue)], ...named]);
        return Promise.resolve(functions.call('http.query', [toValue(url as TValue)], all));
      }),
    ],
  ];
}
