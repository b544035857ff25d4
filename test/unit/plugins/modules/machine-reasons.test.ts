import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeRows } from '../../../support/machine-reasons.ts';

/** How many rows wait for ours to follow Salt; it may only shrink. */
const MOST_OPEN_ROWS = 0;

test('modules on a machine - every recorded difference from Salt has a reason, and every reason stands for one', () => {
  const { reasons, unjudged } = judgeRows();
  assert.deepEqual(
    unjudged,
    [],
    'make ours answer as Salt does, or say why not in the reasons of test/fixtures/machine/subjects',
  );
  const idle = [...reasons].filter(([, count]) => count === 0).map(([{ reason }]) => reason);
  assert.deepEqual(idle, [], 'reasons that stand for nothing any more');
});

test('modules on a machine - what is still to follow Salt does not grow', () => {
  const open = [...judgeRows().reasons].filter(([{ kind }]) => kind === 'open');
  const rows = open.reduce((sum, [, count]) => sum + count, 0);
  assert.ok(rows <= MOST_OPEN_ROWS, `${rows} rows are open, of at most ${MOST_OPEN_ROWS}`);
});
