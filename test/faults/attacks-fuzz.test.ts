/**
 * An accepted minion and a limited user who send everything that fits into a field, to every command of the built
 * master.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import { dict, isDict, type Value } from '../../src/python/values/value.ts';
import { decode, type Encodable } from '../../src/formats/wire/msgpack.ts';
import { Attacker, clearBytes, rawRequester } from '../support/attacker.ts';
import { Fleet, type Daemon } from '../support/fleet.ts';

/** What AESFuncs of Salt 3006 and 3007 serve, and what is ours. */
const COMMANDS = [
  ...[
    'verify_minion',
    '_master_tops',
    '_ext_nodes',
    '_master_opts',
    '_mine_get',
    '_mine',
    '_mine_delete',
    '_mine_flush',
  ],
  ...[
    '_file_recv',
    '_pillar',
    '_minion_event',
    '_handle_minion_event',
    '_return',
    '_syndic_return',
    'minion_runner',
  ],
  ...[
    'pub_ret',
    'minion_pub',
    'minion_publish',
    'revoke_auth',
    '_serve_file',
    '_file_find',
    '_file_hash',
    '_file_hash_and_stat',
    '_brine_files',
  ],
  ...[
    '_file_list',
    '_file_list_emptydirs',
    '_dir_list',
    '_symlink_list',
    '_file_envs',
    '_auth',
    'publish',
    'ping',
    '__init__',
    '',
  ],
];
const FIELDS = [
  ...[
    'fun',
    'arg',
    'tgt',
    'tgt_type',
    'ret',
    'jid',
    'path',
    'loc',
    'data',
    'saltenv',
    'pillarenv',
    'grains',
    'ext',
    'events',
    'tag',
  ],
  ...[
    'pretag',
    'return',
    'retcode',
    'success',
    'out',
    'load',
    'id',
    'kwargs',
    'clear',
    'pillar_override',
    'gzip',
    'size',
    'timeout',
  ],
  ...[
    'tmo',
    'form',
    'no_parse',
    'user',
    'metadata',
    'fun_args',
    'syndic_id',
    'prefix',
    'nodegroup',
    'delimiter',
    'min_version',
    'tok',
  ],
];
const ROUNDS = 3000;
const AT_ONCE = 24;

/** The same numbers in every run, so that what is found can be found again. */
class Dice {
  #state = 20261122;

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Values that a field was not made for. */
function hostile(secret: string): Value[] {
  let deep: Value = 'x';
  for (let i = 0; i < 60; i++) deep = i % 2 ? [deep] : new Map<Value, Value>([['a', deep]]);
  return [
    ...[
      null,
      true,
      false,
      0,
      -1,
      1.5,
      2 ** 40,
      -(2 ** 40),
      '',
      ' ',
      '.',
      '..',
      '*',
      'x'.repeat(70_000),
      '\0',
      '\n',
      '\u001b[2J',
    ],
    ...[
      [],
      [[]],
      [null],
      dict({}),
      dict({ '': '' }),
      deep,
      Buffer.alloc(0),
      Buffer.from([0xff, 0xfe]),
      Buffer.alloc(2000, 1),
    ],
    ...[
      '../../../../etc/passwd',
      '/etc/passwd',
      secret,
      `../../../..${secret}`,
      '|../x',
      'a/../../x',
      'salt://../x',
      'file:///etc/passwd',
    ],
    ...[
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'toString',
      dict({ __proto__: 1, constructor: dict({ prototype: 1 }) }),
    ],
    ...[
      'test.ping',
      'cmd.run',
      ['cmd.run'],
      ['test.ping', 'cmd.run'],
      [`touch ${secret}.touched`],
      'publish.publish',
      'jobs.list_jobs',
    ],
    ...[
      'G@os:*',
      'E@(a+)+$',
      'I@secret:*',
      'L@good,rogue',
      'S@0.0.0.0/0',
      'R@%x',
      'N@x',
      '( ( (',
      'not not not *',
      'J@x:(.*)*y',
    ],
    ...[
      'glob',
      'pcre',
      'grain',
      'grain_pcre',
      'pillar',
      'pillar_pcre',
      'compound',
      'ipcidr',
      'node',
      'range',
      'list',
      'nodegroup',
    ],
    ...[
      '20261122000000000001',
      '99999999999999999999',
      'req',
      '../../x',
      '1_2',
      20261122000000000001n % 2n ** 63n,
    ],
    ...[
      'good',
      ['good'],
      'rogue',
      'salt/auth',
      'salt/job/1/new',
      'salt/key',
      'minion_start',
      'base',
      '__env__',
      'x'.repeat(300),
    ],
  ];
}

function rssMiB(daemon: Daemon): number {
  let total = 0;
  for (const pid of daemon.children().values())
    total += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  return total;
}

test('fuzz - a minion and a limited user send anything to every command', { timeout: 300_000 }, async (t) => {
  const isRoot = userInfo().uid === 0;
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    'file_recv: True',
    'minion_data_cache: True',
    `file_roots: {base: [${fleet.path('base')}]}`,
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
    'peer: {rogue: [test.ping]}',
    'peer_run: {rogue: [test.arg]}',
    ...(isRoot ? ['publisher_acl: {nobody: [test.ping, test.arg]}'] : []),
  ]);
  fleet.write(fleet.path('base'), 'f', ['served']);
  fleet.write(fleet.path('pillar'), 'top.sls', ["base: {'*': [p]}"]);
  fleet.write(fleet.path('pillar'), 'p.sls', ['secret: {{ grains.id }}']);
  mkdirSync(fleet.path('outside'));
  const secret = fleet.path('outside', 'secret');
  writeFileSync(secret, 'CANARY-4711', { mode: 0o600 });
  const master = await fleet.startMaster();
  await fleet.joinMinion('good');
  const children = master.children();
  const rogue = new Attacker(t, 'rogue', fleet.retPort);
  assert.equal((await rogue.authenticate()).kind, 'accepted');
  const goodKey = readFileSync(fleet.path('m/pki/minions/good'), 'utf8');
  const dice = new Dice();
  const values = hostile(secret);
  const load = (fields: number): Record<string, Encodable> => {
    const out: Record<string, Encodable> = {};
    for (let i = 0; i < fields; i++) out[dice.of(FIELDS)] = dice.of(values);
    return out;
  };
  const stillWell = async (): Promise<void> => {
    assert.deepEqual(await fleet.json(['good', 'test.ping']), { good: true });
    assert.deepEqual(master.childrenAmong(children), children, 'every part is the same process');
    assert.doesNotMatch(master.log, /^ +at .*\(.*:\d+:\d+\)$/m, 'no stack trace');
    assert.doesNotMatch(master.log, /unhandled|TypeError|RangeError|is not a function|Cannot read/i);
    assert.ok(!existsSync(`${secret}.touched`));
    assert.equal(readFileSync(fleet.path('m/pki/minions/good'), 'utf8'), goodKey);
    assert.deepEqual(readdirSync(fleet.path('outside')), ['secret']);
    assert.deepEqual(readdirSync(fleet.path('m/pki/minions')).sort(), ['good', 'rogue']);
    assert.ok(rssMiB(master) < 1200, `${Math.round(rssMiB(master))} MiB`);
  };
  const flood = async (one: () => Promise<void>): Promise<void> => {
    let left = ROUNDS;
    const lane = async (): Promise<void> => {
      while (left-- > 0) await one();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  };
  const told = (reply: unknown): string =>
    JSON.stringify(reply, (_key, value: unknown) =>
      value instanceof Map
        ? [...value]
        : typeof value === 'bigint'
          ? String(value)
          : value instanceof Uint8Array
            ? Buffer.from(value).toString('latin1')
            : value,
    ) ?? '';

  await t.test('an accepted minion, in its own name', async () => {
    await flood(async () => {
      const { tok: _tok, id: _id, ...fields } = load(1 + dice.below(8));
      const cmd = dice.below(20) === 0 ? dice.of(values) : dice.of(COMMANDS);
      // its key would be revoked, rightly
      if (cmd === 'revoke_auth') return;
      const bytes = rogue.request({ ...fields, cmd: cmd });
      const reply = await rogue.send(bytes, 30_000);
      assert.doesNotMatch(told(reply), /CANARY-4711|PRIVATE KEY/);
    });
    await stillWell();
    assert.equal((await rogue.authenticate()).kind, 'accepted');
  });

  await t.test('a stranger, in the clear', async () => {
    const requester = rawRequester(t, fleet.retPort);
    await flood(async () => {
      const bytes = clearBytes({ cmd: dice.of(COMMANDS), ...load(1 + dice.below(8)) });
      const reply = decode(await requester.request(bytes, 30_000), 'network');
      assert.doesNotMatch(told(reply), /CANARY-4711|PRIVATE KEY/);
    });
    await stillWell();
  });

  await t.test(
    'a user with limited rights',
    { skip: !isRoot && 'key files of other users need root' },
    async () => {
      const requester = rawRequester(t, fleet.retPort);
      const key = readFileSync(fleet.path('m/cache/.nobody_key'), 'utf8');
      let published = 0;
      await flood(async () => {
        const fields = {
          tgt: 'good',
          tgt_type: 'glob',
          fun: 'test.ping',
          arg: [],
          ret: '',
          jid: '',
          ...load(1 + dice.below(3)),
        };
        const reply = decode(
          await requester.request(clearBytes({ ...fields, cmd: 'publish', user: 'nobody', key }), 30_000),
          'network',
        );
        const answer = isDict(reply) ? reply.get('load') : undefined;
        if (isDict(answer) && answer.get('jid')) published++;
      });
      assert.ok(published > 0 && published < ROUNDS);
      assert.doesNotMatch(
        master.log,
        /User nobody Published command (?!test\.(ping|arg)[ ,])(?!saltutil\.find_job )/,
      );
      await stillWell();
    },
  );

  await t.test('nothing of it lies about', () => {
    for (const name of readdirSync(fleet.path('m/cache/minions')))
      assert.ok(['good', 'rogue'].includes(name), name);
    assert.equal(statSync(secret).mode & 0o777, 0o600);
  });
});
