/**
 * `mod_aggregate` and `mod_init` of a site's own state modules in Python: what they change in the chunks of the run
 * holds, as with 3006.16.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { localMinion } from '../../../support/local-minion.ts';

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';

const PRESENT = `
def present(name, items=None, seen=None, **kwargs):
    return {"name": name, "result": True, "changes": {}, "comment": "%r %r" % (items, seen)}
`;
/** Takes the items of all others, marks them, and changes its own chunk. */
const MARKS = `
def mod_aggregate(low, chunks, running):
    names = []
    for chunk in chunks:
        if chunk.get("state") == "marks" and not chunk.get("__agg__"):
            names.extend(chunk.get("items", []))
            chunk["__agg__"] = True
    low["items"] = sorted(set(names + low.get("items", [])))
    return low
${PRESENT}`;
/** Takes the items away from the others, and gives a chunk of its own; has been told of the first in \`mod_init\`. */
const TAKES = `
def mod_init(low):
    low["seen"] = "init"
    return True

def mod_aggregate(low, chunks, running):
    new = dict(low)
    new["items"] = list(low.get("items", []))
    for chunk in chunks:
        if chunk.get("state") == "takes" and chunk["__id__"] != low["__id__"] and not chunk.get("__agg__"):
            new["items"] += chunk.pop("items", [])
            chunk["__agg__"] = True
    return new
${PRESENT}`;

test('python state modules - what mod_aggregate changes in other chunks holds', { skip }, async (t) => {
  const minion = localMinion(t);
  minion.write('srv/_states/marks.py', MARKS);
  minion.write('srv/_states/takes.py', TAKES);
  const sls = (module: string, more = ''): string =>
    ['a', 'b', 'c']
      .map((id) => `${id}: {${module}.present: [{items: [${id}]}, {aggregate: True}${more}]}\n`)
      .join('');
  minion.write('srv/marks.sls', sls('marks'));
  minion.write('srv/takes.sls', sls('takes', ', {order: 1}'));
  await minion.call('saltutil.sync_states');
  const comments = async (name: string): Promise<string[]> => {
    const { ret, stderr } = await minion.run('state.apply', name);
    assert.equal(stderr, '');
    return Object.values(ret as Record<string, { comment: string }>).map(({ comment }) => comment);
  };
  assert.deepEqual(await comments('marks'), ["['a', 'b', 'c'] None", "['b'] None", "['c'] None"]);
  assert.deepEqual(await comments('takes'), ["['a', 'b', 'c'] 'init'", 'None None', 'None None']);
});
