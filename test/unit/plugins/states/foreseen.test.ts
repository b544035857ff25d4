/** Test mode of states that edit a file which an earlier state of the run would make. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

const CASES: Readonly<Record<string, Record<string, Value>>> = {
  'file.blockreplace': { marker_start: '# a', marker_end: '# b', content: 'x' },
  'file.replace': { pattern: 'a', repl: 'b' },
  'file.line': { mode: 'insert', location: 'end', content: 'x' },
  'file.keyvalue': { key: 'a', value: 'b' },
  'file.comment': { regex: '^a' },
  'file.uncomment': { regex: '^a' },
};

for (const [fun, more] of Object.entries(CASES))
  test(`${fun} - in test mode a file that an earlier state would make is no fault`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'brine-foreseen-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const name = join(folder, 'later.conf');
    const args = dict({ name, ...more });
    const made = dict({ result: null, changes: dict({ newfile: name }), comment: '', name });
    const running = new Map<Value, Value>([[`file_|-later_|-${name}_|-managed`, made]]);
    const foretold = await callState(fun, args, { test: true, running });
    assert.equal(foretold.get('result'), null, String(foretold.get('comment')));
    assert.match(String(foretold.get('comment')), /is to be made by an earlier state/);
    assert.ok(!existsSync(name));
    for (const options of [{ test: true }, { test: false, running }])
      assert.equal((await callState(fun, args, options)).get('result'), false);
  });
