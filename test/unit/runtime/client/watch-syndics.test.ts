import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobListener, LinkListener, PublishedJob } from '../../../../src/runtime/client/local-client.ts';
import { outcomeText } from '../../../../src/runtime/client/outcome.ts';
import { publishAndWatch, type JobClient } from '../../../../src/runtime/client/watch-job.ts';
import type { JobNews } from '../../../../src/runtime/client/watch-state.ts';
import { BusEvent } from '../../../../src/network/events/framing.ts';
import { dict, type DictInit } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { JumpingClock, patience } from './fake-master.ts';

const JID = '20261121000000000001';
const publish = { tgt: '*', tgtType: 'glob', fun: 'test.ping', arg: [], timeoutMs: 5000 };

/** A master with syndics: what it answers, and what happens when. */
class Tree implements JobClient {
  readonly clock = new JumpingClock();
  readonly asked: unknown[] = [];
  #listener: JobListener = () => undefined;
  #link: LinkListener = () => undefined;
  readonly #answer: Partial<PublishedJob>;

  constructor(answer: Partial<PublishedJob>) {
    this.#answer = answer;
  }

  publish(options: { fun: unknown; tgt: unknown }, listener: JobListener): Promise<PublishedJob> {
    if (options.fun === 'saltutil.find_job') {
      this.asked.push(options.tgt);
      return Promise.resolve({ jid: '1', minions: [], missing: [], lost: new Map() });
    }
    this.#listener = listener;
    return Promise.resolve({
      jid: JID,
      minions: [],
      missing: [],
      lost: new Map(),
      strange: [],
      ...this.#answer,
    });
  }

  at(ms: number, tag: string, data: DictInit): this {
    const event = new BusEvent(tag, Buffer.from(encode(dict(data), 'local')));
    this.clock.after(ms, () => this.#listener(event));
    return this;
  }

  loseAt(ms: number, id: string): this {
    this.clock.after(ms, () => this.#link(id, false, '2026-11-21T00:00:09'));
    return this;
  }

  follow(): void {}
  forget(): void {}
  onGap(): () => void {
    return () => undefined;
  }

  onLink(listener: LinkListener): () => void {
    this.#link = listener;
    return () => undefined;
  }

  async news(): Promise<string[]> {
    const parts = {
      client: this,
      clock: this.clock,
      stored: () => Promise.resolve([]),
      keyOutcome: () => Promise.resolve({ kind: 'not known' } as const),
    };
    const { news } = await publishAndWatch(parts, publish, patience);
    const words: string[] = [];
    const word = (item: JobNews): string => (item.kind === 'return' ? 'return' : item.outcome.kind);
    for await (const item of news) words.push(`${word(item)} ${item.id}`);
    return words;
  }
}

const returned = (id: string): [string, DictInit] => [
  `salt/job/${JID}/ret/${id}`,
  { jid: JID, id, return: true, retcode: 0 },
];
const reporting = (...ids: string[]) => ({ reporting: ids, hasOthers: false, waitMs: 5000 });
const told = (id: string, data: DictInit): [string, DictInit] => [
  `syndic/${id}/${JID}`,
  { jid: JID, ...data },
];

test('watch syndics - ends when all have told whom they expect, and all of those have answered', async () => {
  const tree = new Tree({ minions: ['direct'], syndics: reporting('s', 't') });
  tree.at(1, ...returned('direct')).at(2, ...returned('below'));
  tree.at(3, ...told('s', { minions: ['below'], complete: true }));
  tree.at(300, ...told('t', { minions: [], complete: true }));
  assert.deepEqual(await tree.news(), ['return direct', 'return below']);
  assert.equal(tree.clock.nowMs(), 300);
});

test('watch syndics - one that is away, one that is lost under way, and one that does not tell have names', async () => {
  const away = new Tree({ lost: new Map([['syndic/s', 'T']]), syndics: reporting('t', 'mute') });
  away.at(1, ...told('t', { minions: ['a', 'b'], complete: true }));
  away.at(2, ...returned('a')).loseAt(100, 'syndic/t');
  assert.deepEqual(await away.news(), [
    'return a',
    'never received syndic/s',
    'connection lost b',
    'no response syndic/mute',
  ]);
  assert.ok(away.clock.nowMs() <= 5000);
  assert.deepEqual(away.asked, [], 'a syndic is not asked what it runs');
});

test('watch syndics - whom a syndic knows to be away is not waited for, what it refuses is said', async () => {
  const tree = new Tree({ missing: ['a', 'x'], syndics: reporting('s', 't') });
  tree.at(1, ...told('s', { minions: ['a'], complete: true, lost: dict({ a: 'T', 'syndic/deep': 'T' }) }));
  tree.at(2, ...told('t', { minions: [], complete: true, error: dict({ message: 'no' }) }));
  assert.deepEqual((await tree.news()).sort(), [
    'never received a',
    'never received syndic/deep',
    'not known x',
    'refused syndic/t',
  ]);
  assert.ok(tree.clock.nowMs() < 2000);
  assert.match(
    outcomeText('syndic/t', JID, { kind: 'refused', reason: 'no' }),
    /syndic t refused the job: no$/,
  );
});

test('watch syndics - one that names itself among its minions does no harm', async () => {
  const tree = new Tree({ minions: ['direct'], syndics: reporting('s') });
  tree.at(1, ...told('s', { minions: ['syndic/s', 'below'], complete: true })).loseAt(2, 'syndic/s');
  tree.at(3, ...returned('direct'));
  assert.deepEqual(await tree.news(), ['return direct', 'connection lost below']);
});

test('watch syndics - a minion adds nobody to those that are waited for', async () => {
  const tree = new Tree({ minions: ['a', 'b'] });
  tree.at(1, `salt/job/${JID}/prog/a/1`, { id: 'a', minions: ['ghost'] });
  tree.at(2, ...returned('a')).at(3, ...returned('b'));
  assert.deepEqual(await tree.news(), ['return a', 'return b']);
});

test("watch syndics - Salt's, which do not say when they have told all, have syndic_wait", async () => {
  const tree = new Tree({ minions: ['direct'], syndics: { reporting: [], hasOthers: true, waitMs: 5000 } });
  tree.at(1, ...returned('direct')).at(900, `syndic/s/${JID}`, { minions: ['below'] });
  tree.at(1500, ...returned('below'));
  assert.deepEqual(await tree.news(), ['return direct', 'return below']);
  assert.equal(tree.clock.nowMs(), 5000);
});
