import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BusEvent } from '../../../../src/network/events/framing.ts';
import { JobReports } from '../../../../src/programs/syndic/job-reports.ts';
import { dict, isDict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { JumpingClock } from '../../runtime/client/fake-master.ts';

const JID = '20261121000000000001';
const job = { jid: JID, minions: ['a'], missing: [], lost: new Map<string, string>(), strange: [] };

function reports() {
  const clock = new JumpingClock();
  const told: Dict[] = [];
  const made = new JobReports({ tell: (_upper, _jid, data) => told.push(data), clock });
  made.begin(JID, 'top:4506');
  const summary = (): unknown[] => told.map((data) => [data.get('minions'), data.get('complete')]);
  return { clock, told, made, summary };
}

function report(syndic: string, data: DictInit): BusEvent {
  return new BusEvent(`syndic/${syndic}/${JID}`, Buffer.from(encode(dict({ jid: JID, ...data }), 'local')));
}

test('job reports - without syndics below, one report says all', () => {
  const { made, summary, told } = reports();
  made.published(JID, { ...job, lost: new Map([['a', 'T']]) });
  assert.deepEqual(summary(), [[['a'], true]]);
  assert.deepEqual(told[0]?.get('lost'), dict({ a: 'T' }));
  assert.equal(made.hear(report('other', { minions: ['z'] })), true);
});

test('job reports - with syndics below, the last one completes it, also one that was early', () => {
  const { made, summary } = reports();
  made.hear(report('early', { minions: ['e'], complete: true }));
  const syndics = { reporting: ['early', 'late'], hasOthers: false, waitMs: 5000 };
  made.published(JID, { ...job, syndics });
  made.hear(report('late', { minions: ['l'], complete: true }));
  assert.deepEqual(summary(), [
    [['a', 'e'], false],
    [['a', 'e', 'l'], true],
  ]);
});

test('job reports - a syndic below that does not tell in time counts as away', async () => {
  const { made, clock, told } = reports();
  made.published(JID, { ...job, syndics: { reporting: ['mute'], hasOthers: false, waitMs: 5000 } });
  await clock.sleep(6000);
  const last = told.at(-1);
  assert.equal(last?.get('complete'), true);
  const lost = last?.get('lost');
  assert.ok(isDict(lost) && lost.has('syndic/mute'));
});

test('job reports - a refusal is told, a job that concerns nobody is not one', () => {
  const { made, told } = reports();
  made.refused(JID, 'Authorization error occurred.');
  made.begin('20261121000000000002', 'top:4506');
  made.refused('20261121000000000002', undefined);
  assert.deepEqual(
    told.map((data) => [data.get('complete'), data.has('error')]),
    [
      [true, true],
      [true, false],
    ],
  );
});
