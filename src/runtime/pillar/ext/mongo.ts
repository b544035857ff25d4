/** The external pillar mongo: the document of a minion (3006.16 salt/pillar/mongo.py). */
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import { mongoDocument } from '../../classes/mongo.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';

const NAMES = ['collection', 'id_field', 're_pattern', 're_replace', 'fields'];

/** The external pillar. */
export const mongoPillar: ExtPillar = async (settings, { minionId, opts }) => {
  const given: ReadonlyMap<string, Value> = namedSettings(settings, NAMES);
  const text = (name: string, otherwise: string): string => pyStr(given.get(name) ?? otherwise);
  const fields = given.get('fields');
  const found = await mongoDocument({
    minionId,
    opts,
    collection: text('collection', 'pillar'),
    idField: text('id_field', '_id'),
    rePattern: given.get('re_pattern') ?? null,
    reReplace: text('re_replace', ''),
    fields: Array.isArray(fields) && fields.length > 0 ? fields.map(pyStr) : undefined,
  });
  return found ?? new Map();
};
