/** What a broken source of pillar writes to the log while minions ask for their pillar again and again. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { createLogger, LOG_LEVELS } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { PillarService } from '../../../../src/runtime/pillar/service.ts';

function service(opts: Record<string, Value>) {
  const at = { ms: 0 };
  const lines: string[] = [];
  const log = createLogger('test', [
    { level: LOG_LEVELS.warning, write: ({ level, message }) => void lines.push(`${level} ${message}`) },
  ]);
  const clock: Clock = Object.assign(Object.create(systemClock) as Clock, { monotonicMs: () => at.ms });
  const made = new PillarService({
    opts: dict({ renderer: 'jinja|yaml', pillar_roots: dict(), ...opts }),
    clock,
    random: systemRandom,
    log,
    functions: () => ({ has: () => false, call: () => null }),
  });
  const pillar = (minionId: string): Promise<Dict> =>
    made.pillar({ minionId, grains: dict(), saltenv: null, pillarenv: null, override: dict() });
  return { at, lines, pillar };
}

test('pillar - a broken external source is named once a minute, whoever asks, and when it works again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-repeated-'));
  try {
    const data = join(folder, 'data.csv');
    const source = dict({ csv: dict({ path: data, idkey: 'id', namespace: 'c' }) });
    const { at, lines, pillar } = service({ ext_pillar: [source, dict({ nodegroups: dict() })] });
    for (const id of ['web1', 'web2', 'web1', 'web3']) assert.ok((await pillar(id)).has('_errors'));
    const named = (): string[] => lines.filter((line) => line.includes("loading ext_pillar 'csv'"));
    assert.equal(named().length, 1, lines.join('\n'));
    assert.equal(lines.length, 2, lines.join('\n'));
    at.ms += 61_000;
    await pillar('web1');
    assert.match(named()[1] ?? '', /\(5 times so far\)$/);
    writeFileSync(data, 'id,x\nweb1,1\n');
    at.ms += 61_000;
    assert.ok(!(await pillar('web1')).has('_errors'));
    assert.match(lines.at(-1) ?? '', /^warning The ext_pillar 'csv' works again, for web1; before, 5 /);
    await pillar('web1');
    assert.equal(lines.filter((line) => line.includes('works again')).length, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('pillar - of two sources of one kind, the one that works does not end what is told of the other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-repeated-'));
  try {
    writeFileSync(join(folder, 'there.csv'), 'id,x\nweb1,1\n');
    const csv = (name: string): Dict => dict({ csv: dict({ path: join(folder, name), idkey: 'id' }) });
    const { at, lines, pillar } = service({ ext_pillar: [csv('there.csv'), csv('none.csv')] });
    await pillar('web1');
    at.ms += 61_000;
    await pillar('web1');
    assert.deepEqual(
      lines.filter((line) => line.includes('works again')),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('pillar - an SLS that cannot be rendered is one line for all minions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-repeated-'));
  try {
    writeFileSync(join(folder, 'top.sls'), "base:\n  '*': [broken]\n");
    writeFileSync(join(folder, 'broken.sls'), '{{ none.there() }}\n');
    const { lines, pillar } = service({ pillar_roots: dict({ base: [folder] }) });
    await pillar('web1');
    const first = lines.length;
    for (const id of ['web2', 'web3', 'web1']) await pillar(id);
    assert.equal(lines.length, first, lines.join('\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
