/** Top data in MongoDB (3006.16 salt/tops/mongo.py). */
import { dict, isDict, type Value } from '../../python/values/value.ts';
import { pyStr } from '../../python/values/repr.ts';
import { mongoDocument } from '../classes/mongo.ts';
import type { TopSource } from './top-source.ts';

/** The source. */
export const mongoTop: TopSource = async (settings, { minionId, masterOpts, log }) => {
  const given = isDict(settings) ? settings : dict();
  const text = (name: string, otherwise: string): string => pyStr(given.get(name) ?? otherwise);
  const states = text('states_field', 'states');
  const environment = text('environment_field', 'environment');
  const found = await mongoDocument({
    minionId,
    opts: new Map([['mongo.host', 'salt'], ...masterOpts]),
    collection: text('collection', 'tops'),
    idField: text('id_field', '_id'),
    rePattern: given.get('re_pattern') ?? null,
    reReplace: text('re_replace', ''),
    fields: [states, environment],
  });
  const list = found?.get(states);
  if (list === undefined) {
    log.debug(`master_tops mongo has no document for ${minionId}`);
    return new Map();
  }
  return new Map<Value, Value>([[found?.get(environment) ?? 'base', list]]);
};
