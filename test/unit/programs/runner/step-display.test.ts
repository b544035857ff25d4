/** What is shown of an orchestration while it runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepDisplay } from '../../../../src/programs/runner/step-display.ts';

test('step display - the step, its minions, and the step of an orchestration within it', () => {
  const shown: string[] = [];
  const outer = new StepDisplay((text) => shown.push(text));
  outer.begin('a', '[1/2] salt.runner: release');
  const inner = new StepDisplay(outer.within('a'));
  inner.begin('x', '[3/4] salt.state: web');
  inner.returned('x', 2, 10);
  inner.end('x');
  outer.end('a');
  outer.begin('b', '[2/2] salt.function: check');
  outer.returned('b', 0, 3);
  outer.returned('gone', 1, 1);
  assert.deepEqual(shown, [
    '[1/2] salt.runner: release',
    '[1/2] salt.runner: release > [3/4] salt.state: web',
    '[1/2] salt.runner: release > [3/4] salt.state: web > 2 of 10 minions',
    '[2/2] salt.function: check',
    '[2/2] salt.function: check > 0 of 3 minions',
    '1 of 1 minions',
  ]);
});
