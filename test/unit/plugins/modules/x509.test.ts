import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadList } from '../../../../src/plugins/x509/module/load.ts';
import { isBytes, isDict, type Value } from '../../../../src/python/values/value.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { fakeClock, fakeContext } from '../../../support/module-context.ts';

/** A call that a real Salt has made, with what it gave; long texts are `@n`, bytes `{bytes: base64}`. */
interface Vector {
  readonly fun: string;
  readonly kwargs: Record<string, unknown>;
  readonly returns?: unknown;
  readonly error?: string;
  readonly type?: string;
}

const recorded = JSON.parse(
  readFileSync(join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/x509/vectors.json'), 'utf8'),
) as { texts: string[]; policies: unknown; vectors: Vector[] };

function valueOf(given: unknown): Value {
  if (typeof given === 'string')
    return /^@\d+$/.test(given) ? (recorded.texts[Number(given.slice(1))] ?? '') : given;
  if (Array.isArray(given)) return given.map(valueOf);
  if (typeof given !== 'object' || given === null) return given as Value;
  const entries = Object.entries(given);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === 'bytes')
    return new Uint8Array(Buffer.from(valueOf(first[1]) as string, 'base64'));
  return new Map(entries.map(([key, value]): [Value, Value] => [key, valueOf(value)]));
}

const plain = (value: Value): unknown => {
  if (isBytes(value)) return { bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(plain);
  return isDict(value) ? [...value].map(([key, item]) => [plain(key), plain(item)]) : value;
};

/** What ours does on purpose where Salt ends with an error: part of the call, and what comes of it. */
const MEANT: readonly (readonly [error: RegExp, ours: 'works' | RegExp])[] = [
  [/internal API that the issuer:copy/, 'works'],
  [/^too many values to unpack/, 'works'],
  [/^Failed parsing rfc4514 dirName string$/, /^Failed parsing rfc4514 dirName string: nonsense$/],
  [
    /^Could not deserialize binary data, neither as DER nor PKCS#12/,
    /^Bad decrypt|^Could not deserialize binary/,
  ],
  [/^Expected instance of hashes|^Expecting one of DSAPublicKey/, 'works'],
];

/** Errors of Python itself, for which ours has a sentence. */
const PYTHONS = new Set([
  'ValueError',
  'TypeError',
  'AttributeError',
  'UnsupportedAlgorithm',
  'RuntimeError',
  'IDNAError',
  'KeyError',
]);

recorded.vectors.forEach((vector, i) => {
  test(`x509 - ${i} ${vector.fun} ${JSON.stringify(vector.kwargs).slice(0, 120)}`, async () => {
    const returns = vector.returns === undefined ? undefined : valueOf(vector.returns);
    const at =
      vector.fun === 'create_crl' && typeof returns === 'string'
        ? loadList(returns).loaded.lastUpdate
        : undefined;
    const context = fakeContext({
      pillar: dict({ x509_signing_policies: valueOf(recorded.policies) }),
      ...(at === undefined ? {} : { clock: fakeClock(at) }),
    });
    const kwargs = valueOf(vector.kwargs);
    const call = context.functions.call(`x509.${vector.fun}`, [], isDict(kwargs) ? kwargs : dict());
    const meant = MEANT.find(([error]) => error.test(vector.error ?? ''))?.[1];
    if (meant === 'works') assert.notEqual(await call, undefined);
    else if (meant !== undefined) await assert.rejects(call, { message: meant });
    else if (returns !== undefined) assert.deepEqual(plain(await call), plain(returns));
    else if (PYTHONS.has(vector.type ?? '')) await assert.rejects(call);
    else await assert.rejects(call, { message: String(valueOf(vector.error)) });
  });
});
