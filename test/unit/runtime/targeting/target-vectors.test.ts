import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrineError } from '../../../../src/errors/errors.ts';
import { forecast } from '../../../../src/runtime/targeting/forecast.ts';
import { matchMinion } from '../../../../src/runtime/targeting/match-minion.ts';
import { expandNodegroup, expandTargetNodegroups } from '../../../../src/runtime/targeting/nodegroups.ts';
import { parseTarget } from '../../../../src/runtime/targeting/parse-target.ts';
import { TargetError, type CachedMinion, type Fleet } from '../../../../src/runtime/targeting/target.ts';
import { parseEngineWord } from '../../../../src/runtime/targeting/words.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { dictOf, valueOf, vectors } from './vectors.ts';

interface Head {
  minions: { [id: string]: [unknown, unknown] | null };
  nodegroups: unknown;
}

function cachedMinions(head: Head): Map<string, CachedMinion | undefined> {
  return new Map(
    Object.entries(head.minions).map(([id, data]) => [
      id,
      data === null ? undefined : { grains: dictOf(data[0]), pillar: dictOf(data[1]) },
    ]),
  );
}

function matchesOn(
  tgt: Value,
  type: string,
  delimiter: string,
  groups: Dict,
  id: string,
  data: CachedMinion,
): boolean {
  try {
    const target = parseTarget(tgt, type, delimiter, groups);
    return matchMinion(target, { id, grains: data.grains ?? new Map(), pillar: data.pillar ?? new Map() });
  } catch (error) {
    assert.ok(error instanceof TargetError, String(error));
    return false;
  }
}

/** Whom ours means where a Salt minion answers otherwise: blanks beside the commas of a list are no part of an id. */
const OWN_ANSWERS: ReadonlyMap<string, readonly boolean[]> = new Map([
  ['list web1, db1', [true, true, false]],
]);

test('targeting - a minion answers to the targets a Salt minion answers to', () => {
  const [head, ...rows] = vectors<unknown>('minion') as [Head, ...[string, unknown, string, ...boolean[]][]];
  const minions = [...cachedMinions(head)];
  const groups = dictOf(head.nodegroups);
  assert.ok(rows.length > 180);
  for (const [type, tgt, delimiter, ...expected] of rows) {
    const got = minions.map(([id, data]) => matchesOn(valueOf(tgt), type, delimiter, groups, id, data ?? {}));
    const own = OWN_ANSWERS.get(`${type} ${String(tgt)}`) ?? expected;
    assert.deepEqual(got, own, `${type} ${JSON.stringify(tgt)} with ${delimiter}`);
  }
});

test('targeting - the master expects the minions a Salt master expects', () => {
  type Row = [string, unknown, string, [string[], string[]][]];
  const [head, ...rows] = vectors<unknown>('forecast') as [Head, ...Row[]];
  const minions = cachedMinions(head);
  const ids = [...minions.keys()].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const groups = dictOf(head.nodegroups);
  const fleets = [true, false].flatMap((cacheEnabled) =>
    [true, false].map((greedy): [Fleet, boolean] => [
      { ids, data: (id) => minions.get(id), cacheEnabled },
      greedy,
    ]),
  );
  for (const [type, tgt, delimiter, expected] of rows) {
    fleets.forEach(([fleet, greedy], i) => {
      const what = `${type} ${JSON.stringify(tgt)} with ${delimiter}, greedy ${greedy}, cache ${fleet.cacheEnabled}`;
      let got: [readonly string[], readonly string[]] = [[], []];
      let refused = false;
      try {
        const result = forecast(parseTarget(valueOf(tgt), type, delimiter, groups), fleet, { greedy });
        got = [type === 'list' ? [...result.minions].sort() : result.minions, [...result.missing].sort()];
      } catch (error) {
        assert.ok(error instanceof BrineError, String(error));
        refused = true;
      }
      // Salt expects minions without cached data to answer even a target that no minion understands.
      if (refused && REFUSED.has(`${type} ${String(tgt)}`)) return;
      if (refused && fleet.cacheEnabled === false) return;
      assert.deepEqual(got, expected[i], what);
    });
  }
});

/** Targets we refuse where Salt waits for minions that cannot answer. */
const REFUSED = new Set(['grain os', 'grain ', 'grain_pcre os:(', 'pillar_pcre role:(']);

test('targeting - words are taken apart as in Salt', () => {
  type Parts = { engine: string | null; delimiter: string | null; pattern: string };
  for (const [word, parts] of vectors<[string, Parts]>('words')) {
    const got = parseEngineWord(word);
    if (parts.engine === null) assert.equal(got, undefined, word);
    else assert.deepEqual({ ...got, delimiter: got?.delimiter ?? null }, parts, word);
  }
});

test('targeting - node groups expand as in Salt', () => {
  const [groups, ...rows] = vectors<unknown>('nodegroups') as [unknown, ...[string, string[]][]];
  for (const [name, words] of rows) {
    assert.deepEqual([...expandNodegroup(name, dictOf(groups)).words], words, name);
  }
});

test('targeting - the client sends node groups as compound targets', () => {
  const groups = dictOf(vectors<unknown>('nodegroups')[0]);
  assert.deepEqual(expandTargetNodegroups('text', 'nodegroup', groups).tgt, 'L@web1,db1');
  assert.deepEqual(
    expandTargetNodegroups('N@nested and db1', 'compound', groups).tgt,
    '( L@web1,db1 or N@glob ) and db1'.replace('N@glob', '( web* )'),
  );
  assert.deepEqual(expandTargetNodegroups(['N@or', 'and', 'x'], 'compound', groups).tgt, 'web1 or db1 and x');
  assert.deepEqual(expandTargetNodegroups('web*', 'glob', groups), {
    tgt: 'web*',
    tgtType: 'glob',
  });
  assert.throws(() => expandTargetNodegroups('nosuch', 'nodegroup', groups, '/etc/salt/master'), {
    name: 'SaltInvocationError',
    message: 'Node group nosuch unavailable in /etc/salt/master',
  });
});

test('targeting - a node group that cannot be used as it is written is refused, with what is wrong in it', () => {
  const groups = dict({
    webs: 'web*',
    loopa: 'N@loopb',
    loopb: 'N@loopa or x',
    outer: 'N@wbes or x',
    number: 7,
    mapping: dict({ a: 'b' }),
    wrap: ['N@number', 'or', 'x'],
  });
  const refusal = (name: string): string => {
    try {
      expandTargetNodegroups(name, 'nodegroup', groups, '/m');
    } catch (error) {
      return (error as Error).message;
    }
    return 'taken';
  };
  const end = 'Correct nodegroups in /m.';
  const type = 'and must be a compound target as text, or a list of its words.';
  assert.deepEqual(['webs', 'loopa', 'outer', 'number', 'mapping', 'wrap', 'wesb'].map(refusal), [
    'taken',
    `Nodegroup 'loopa' cannot be used: 'loopa' contains itself (loopa, loopb, loopa). ${end}`,
    `Nodegroup 'outer' cannot be used: it names a group that does not exist, 'wbes'. Did you mean 'webs'? ${end}`,
    `Nodegroup 'number' cannot be used: 'number' is 7, ${type} ${end}`,
    `Nodegroup 'mapping' cannot be used: 'mapping' is {'a': 'b'}, ${type} ${end}`,
    `Nodegroup 'wrap' cannot be used: 'number' is 7, ${type} ${end}`,
    "Node group wesb unavailable in /m. Did you mean 'webs'?",
  ]);
});

test('targeting - an item in a list of a node group may be a target of its own, and a value with blanks stays one word', () => {
  const groups = dict({
    webs: 'web*',
    'two words': 'x',
    list: ['N@webs and not web2'],
    more: ['N@webs', 'and', 'not web2 or db1'],
    plain: ['web1 or db1'],
    blanks: ['G@os:Red Hat', 'and', 'G@desc:salt and pepper'],
    named: ['N@two words', 'or', 'y'],
  });
  const words = (name: string): string => expandTargetNodegroups(name, 'nodegroup', groups).tgt as string;
  assert.equal(words('list'), '( ( ( web* ) and not web2 ) )');
  assert.equal(words('more'), '( ( web* ) and ( not web2 or db1 ) )');
  assert.equal(words('plain'), '( web1 or db1 )');
  assert.equal(words('blanks'), 'G@os:Red Hat and G@desc:salt and pepper');
  assert.equal(words('named'), '( L@x or y )');
});
