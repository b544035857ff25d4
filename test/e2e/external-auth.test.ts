/**
 * External authentication on the built programs: for each form of rule calls that are allowed and refused, over the request port and
 * on the command line; nothing that was refused is in the job cache, and no secret is anywhere but where it is kept.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadClientConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { pyRepr } from '../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { JobPublisher } from '../../src/runtime/client/job-publisher.ts';
import { Fleet } from '../support/fleet.ts';

const PASSWORD = 'canary-password';
const REFUSED = 'refused-marker';

/** What alice may, and what she may not: function, arguments, target. */
const JOBS: readonly [fun: Value, arg: Value[], tgt: string, tgtType: string, allowed: boolean][] = [
  ['test.ping', [], '*', 'glob', true],
  ['test.version', [REFUSED], '*', 'glob', false],
  ['test.echo', ['kept'], 'web1', 'glob', true],
  ['test.echo', [REFUSED], 'db1', 'glob', false],
  ['test.echo', [REFUSED], '*', 'glob', false],
  ['cmd.run', ['echo 1'], 'web1', 'glob', true],
  ['cmd.run', ['id', REFUSED], 'web1', 'glob', false],
  ['test.arg', ['a', dict({ __kwarg__: true, who: 'me' })], 'web1', 'glob', true],
  ['test.arg', ['a', dict({ __kwarg__: true, who: REFUSED })], 'web1', 'glob', false],
  ['test.true', [], 'G@id:web1', 'compound', true],
  ['test.true', [REFUSED], 'G@id:db1', 'compound', false],
  [['test.ping', 'test.version'], [[], [REFUSED]], '*', 'glob', false],
  ['test.cross_test', ['cmd.run', REFUSED], 'web1', 'glob', false],
];

const FUNCTIONS: readonly [client: string, fun: string, arg: Value[], allowed: boolean][] = [
  ['runner', 'jobs.list_jobs', [], true],
  ['runner', 'test.arg', ['allowed'], true],
  ['runner', 'test.arg', [REFUSED], false],
  ['runner', 'manage.up', [REFUSED], false],
  ['wheel', 'key.list_all', [], true],
  ['wheel', 'key.delete', [REFUSED], false],
];

test('external authentication - rules, tokens, refusals, and no secret anywhere', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.write(fleet.folder, 'users', [`alice:${PASSWORD}`, `bob:${PASSWORD}2`]);
  fleet.configureMaster([
    'auto_accept: True',
    'log_level_logfile: trace',
    `token_file: ${fleet.path('token')}`,
    'nodegroups: {webs: web*}',
    'external_auth:',
    '  file:',
    `    ^filename: ${fleet.path('users')}`,
    '    alice:',
    '      - test.ping',
    '      - web1: [test.echo, cmd.run: {args: [echo .*]}, test.arg: {kwargs: {who: me}}, test.cross_test]',
    '      - N@webs: [test.true]',
    "      - '@jobs'",
    "      - '@runner': [test.arg: {args: [allowed]}]",
    "      - '@wheel': [key.list_all]",
    '    bob: [test.ping]',
  ]);
  const master = await fleet.startMaster();
  await Promise.all([fleet.joinMinion('web1'), fleet.joinMinion('db1')]);
  const events: string[] = [];
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    () => true,
    ({ tag, data }) => void events.push(`${tag} ${pyRepr(data)}`),
  );
  t.after(() => bus.close());
  const requests = new JobPublisher({
    opts: loadClientConfig({ configDir: fleet.masterDir, env: {} }),
    env: {},
    clock: systemClock,
    random: systemRandom,
  });
  requests.open();
  t.after(() => requests.close());
  const alice = { eauth: 'file', username: 'alice', password: PASSWORD };
  const publish = (kwargs: Dict, [fun, arg, tgt, tgtType]: readonly [Value, Value[], Value, string]) =>
    requests.command(
      dict({ cmd: 'publish', fun, arg, tgt, tgt_type: tgtType, ret: '', jid: '', user: 'root', kwargs }),
    );
  const verdict = (reply: Value): string => {
    const error = isDict(reply) ? reply.get('error') : undefined;
    return isDict(error) ? String(error.get('name')) : 'allowed';
  };

  const token = await requests.command(dict({ cmd: 'mk_token', ...alice }));
  assert.ok(isDict(token));
  assert.deepEqual([...token.keys()], ['start', 'expire', 'name', 'eauth', 'token']);
  const file = fleet.path('m', 'tokens', String(token.get('token')));
  const kept = fleet.path('m', 'cache', 'tokens', String(token.get('token')));
  const path = [file, kept].find((each) => statSync(each, { throwIfNoEntry: false }) !== undefined);
  assert.equal(statSync(path ?? file).mode & 0o777, 0o600);
  for (const credentials of [dict(alice), dict({ token: token.get('token') as Value })]) {
    for (const [fun, arg, tgt, tgtType, allowed] of JOBS)
      assert.equal(
        verdict(await publish(new Map(credentials), [fun, arg, tgt, tgtType])),
        allowed ? 'allowed' : 'AuthorizationError',
        `${pyRepr(fun)} ${pyRepr(arg)} on ${tgt}`,
      );
    for (const [cmd, fun, arg, allowed] of FUNCTIONS) {
      const call = cmd === 'runner' ? { kwarg: dict({ arg, kwarg: new Map() }) } : { arg };
      const reply = await requests.command(new Map([...dict({ cmd, fun, ...call }), ...credentials]));
      const type = credentials.has('token') ? 'Token' : 'Eauth';
      assert.equal(verdict(reply), allowed ? 'allowed' : `${type}AuthenticationError`, `${cmd} ${fun}`);
    }
  }
  const wrong: Dict[] = [
    dict({ ...alice, password: 'canary-wrong' }),
    dict({ ...alice, username: 'nobody' }),
    dict({ ...alice, eauth: 'pam' }),
    dict({ token: 'f'.repeat(64) }),
    dict({ token: '../users' }),
  ];
  const replies = await Promise.all(
    wrong.map((each) => publish(each, ['test.ping', [REFUSED], '*', 'glob'])),
  );
  assert.deepEqual(
    replies.map(verdict),
    wrong.map(() => 'AuthenticationError'),
  );

  const typed = await fleet.run(
    'salt',
    ['-a', 'file', '-T', '--username', 'bob', '--out', 'json', '--static', '*', 'test.ping'],
    undefined,
    `${PASSWORD}2\n`,
  );
  assert.deepEqual(JSON.parse(typed.stdout), { web1: true, db1: true }, typed.stderr);
  const again = await fleet.salt(['-a', 'file', 'web1', 'test.echo', REFUSED]);
  assert.match(again.stdout, /Authorization error occurred/);
  const can = await fleet.run('salt-run', ['auth.can', 'bob', 'test.ping', 'web1', '--out', 'json']);
  assert.equal((JSON.parse(can.stdout) as { allowed: boolean }).allowed, true);

  const refusals = events.filter((event) => event.startsWith('salt/auth/refused'));
  const refusedJobs = JOBS.filter(([, , , , allowed]) => !allowed).length;
  const refusedFunctions = FUNCTIONS.filter(([, , , allowed]) => !allowed).length;
  assert.equal(refusals.length, 2 * (refusedJobs + refusedFunctions) + wrong.length + 1);
  await master.stop();
  const cache = textBelow(fleet.path('m', 'cache'), (name) => name !== 'tokens');
  assert.ok(cache.includes('kept'), 'what was allowed is kept');
  assert.ok(!cache.includes(REFUSED), 'a refused call left a trace in the job cache');
  const bobsToken = readFileSync(fleet.path('token'), 'utf8');
  for (const secret of [PASSWORD, 'canary-wrong', String(token.get('token')), bobsToken])
    for (const [where, text] of [
      ['the job cache', cache],
      ['an event', events.join('\n')],
      ['the log', master.log],
      ['the log file', textBelow(fleet.path('m'), (name) => !['cache', 'tokens'].includes(name))],
      ['what was printed', typed.stdout + typed.stderr + again.stdout + again.stderr],
    ] as const)
      assert.ok(!text.includes(secret), `a secret stands in ${where}`);
});

/** All that stands in the files below a folder. */
function textBelow(folder: string, isWanted: (name: string) => boolean): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => isWanted(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return textBelow(path, isWanted);
      return entry.isFile() ? readFileSync(path, 'latin1') : '';
    })
    .join('\n');
}
