import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson, type JsonOptions } from '../../../../src/formats/json/text.ts';
import { pformat } from '../../../../src/python/values/pprint.ts';
import { pyRepr, pyStr } from '../../../../src/python/values/repr.ts';
import { readVectors, revive } from './vectors.ts';

/** What Python 3.11 and Salt 3006.16 made of a value; `error` where they raised. */
type Recorded = string | { error: string };
type Vector = { v: unknown } & Record<string, Recorded>;

const vectors = readVectors<Vector>('outputters/values.json');

test('repr - text, literals and layouts of recorded values are Python’s', () => {
  for (const vector of vectors) {
    const value = revive(vector.v);
    assert.equal(pyRepr(value), vector['repr']);
    assert.equal(pyStr(value), vector['str']);
    assert.equal(pformat(value), vector['pformat']);
    assert.equal(pformat(value, { indent: 4 }), vector['pformat4']);
  }
});

const JSON_STYLES: Record<string, JsonOptions> = {
  json: { indent: 4, fallback: pyRepr },
  json1: { fallback: pyRepr },
  json0: { fallback: pyRepr, indent: 0, sortKeys: true },
  jsonA: { fallback: pyRepr, ensureAscii: true },
  jsonN: { ensureAscii: true },
};

test('json - recorded values are written as json.dumps writes them, or refused as there', () => {
  for (const vector of vectors) {
    const value = revive(vector.v);
    for (const [style, options] of Object.entries(JSON_STYLES)) {
      const expected = vector[style] as Recorded;
      if (typeof expected === 'string') assert.equal(toJson(value, options), expected);
      else assert.throws(() => toJson(value, options), TypeError);
    }
  }
});
