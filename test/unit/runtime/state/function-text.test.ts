/** Calls as texts, against Salt 3006.16 `salt.utils.args.parse_function`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { messageOf } from '../../../../src/errors/errors.ts';
import { readFunctionText } from '../../../../src/runtime/state/function-text.ts';
import { STATE_RUNS } from '../../../support/state-runs.ts';

type Recorded = [text: string, result: [string] | [string | null, string[] | null, object | null]];

function outcome(text: string): Recorded[1] {
  try {
    const read = readFunctionText(text);
    if (read === undefined) return [null, null, null];
    return [read.fun, [...read.args], Object.fromEntries(read.kwargs)];
  } catch (error) {
    return [messageOf(error)];
  }
}

test('slots - calls are read as Salt reads them', () => {
  const recorded = JSON.parse(readFileSync(join(STATE_RUNS, 'function-texts.json'), 'utf8')) as Recorded[];
  assert.deepEqual(
    recorded.map(([text]) => [text, outcome(text)]),
    recorded,
  );
});
