/** Definitions for Elasticsearch: given as they are, or as a file (3006.16 salt/modules/elasticsearch.py). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { neededContent } from '../../shared/served-files.ts';
import { defaultEnvironment } from '../../../storage/fileclient/open.ts';

/** A definition, as a parameter. */
export const BODY = {
  body: param.value({ default: null, type: 'dict or str', doc: 'The definition, or its JSON.' }),
} as const;
/** The file of one, as a parameter. */
export const SOURCE = {
  source: param.textIfGiven({
    default: null,
    doc: 'The URL of a file with the definition, in place of it.',
  }),
} as const;

/** A definition. @throws SaltInvocationError when it is given twice */
export async function bodyOf(
  ctx: ModuleContext,
  { body, source }: { readonly body: Value; readonly source: string | undefined },
): Promise<Value> {
  if (source === undefined) return body;
  if (truthy(body)) throw new SaltInvocationError('Either body or source should be specified but not both.');
  return neededContent(ctx, source, defaultEnvironment(ctx.opts));
}

/** @throws SaltInvocationError for what is empty and must not be */
export function filled(value: Value, name: string): Value {
  if (truthy(value)) return value;
  throw new SaltInvocationError(`Empty value passed for a required argument '${name}'.`);
}
