import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPyInt } from '../../../../src/python/conversions.ts';
import { IntDigitsError, intOfText } from '../../../../src/python/values/int-text.ts';

test('python - int of a text takes blanks, signs, prefixes and underscores as Python does', () => {
  const cases: readonly (readonly [text: string, base: number, wanted: number | bigint | undefined])[] = [
    [' +1_000\n', 10, 1000],
    ['-12', 10, -12],
    ['_5', 10, undefined],
    ['1__0', 10, undefined],
    ['0x1f', 16, 31],
    ['0X_1f', 16, 31],
    ['0x1f', 10, undefined],
    ['0b1', 16, 177],
    ['0b101', 0, 5],
    ['0o17', 0, 15],
    ['010', 0, undefined],
    ['00', 0, 0],
    ['zz', 36, 1295],
    ['9', 8, undefined],
    ['', 10, undefined],
    ['9007199254740993', 10, 9007199254740993n],
  ];
  for (const [text, base, wanted] of cases) assert.equal(intOfText(text, base), wanted, `${text} ${base}`);
  assert.throws(() => intOfText('1'.repeat(4301)), IntDigitsError);
  assert.equal(toPyInt('1'.repeat(4301)), undefined);
  assert.equal(toPyInt(-1.5), -1);
  assert.equal(toPyInt(NaN), undefined);
  assert.equal(toPyInt(true), 1);
  assert.equal(toPyInt(null), undefined);
});
