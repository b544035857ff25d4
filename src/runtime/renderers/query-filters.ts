/**
 * Filters that ask: `json_query` looks into data, `http_query` asks a web server (3006.16 salt/utils/data.py,
 * salt/utils/http.py).
 */
import { PythonError } from '../../python/exceptions.ts';
import { native, toValue, type NativeBody, type TValue } from '../../formats/jinja/index.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import type { TemplateFunctions } from './renderer.ts';

async function jsonQuery(data: Value, expression: Value): Promise<TValue> {
  const { JmespathError, searchJmespath } = await import('../../formats/jmespath/search.ts');
  try {
    return searchJmespath(pyStr(expression), data);
  } catch (error) {
    if (!(error instanceof JmespathError)) throw error;
    throw new PythonError('ValueError', error.message);
  }
}

/** @param functions those of the template: `http.query` is asked */
export function queryFilters(functions: TemplateFunctions): [string, NativeBody][] {
  return [
    [
      'json_query',
      native('json_query', ['data', 'expr'], ([data, expr]) => jsonQuery(toValue(data), toValue(expr))),
    ],
    [
      'http_query',
      native('query', ['url', ['method', 'GET'], '**'], ([url, method], _scope, _rest, kwargs) => {
        const named = [...kwargs].map(([name, value]) => [name, toValue(value)] as const);
        const all = new Map<string, Value>([['method', toValue(method)], ...named]);
        return Promise.resolve(functions.call('http.query', [toValue(url)], all));
      }),
    ],
  ];
}
