/**
 * External authentication on the built programs: for each form of rule calls that are allowed and refused, over the
 * request port, on the command line and from a minion; nothing that was refused is in the job cache, and no secret is
 * anywhere but where it is kept.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadClientConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { pyRepr } from '../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { JobPublisher } from '../../src/runtime/client/job-publisher.ts';
import {
  ACCESS_RULES,
  FILE_RULES,
  JOBS,
  MASTER_CALLS,
  REFUSED,
  type Caller,
} from '../support/access-table.ts';
import { Fleet, ours, until } from '../support/fleet.ts';
import { startLdapStandIn } from '../support/ldap-stand-in.ts';

/** Each of them is searched for in everything that is written or shown. */
const SECRETS = {
  password: 'canary-password',
  wrong: 'canary-wrong',
  day: 'canary-day',
  ldap: 'canary-ldap',
  bindpw: 'canary-bindpw',
  sdb: 'canary-sdb',
} as const;
const BASE = 'dc=example,dc=com';
/** Folders and files in which secrets are kept. */
const KEPT_IN = ['tokens', 'token', 'token2', 'users', 'secrets.yaml', 'auth', '.root_key'];
const IS_ROOT = userInfo().uid === 0;

test('external authentication - rules, tokens, refusals, and no secret anywhere', async (t) => {
  const fleet = await configuredFleet(t);
  const seen = watchProcesses(t);
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
  const replies: string[] = [];
  const send = async (load: Dict): Promise<string> => {
    const reply = await requests.command(load);
    replies.push(pyRepr(reply));
    const error = isDict(reply) ? reply.get('error') : undefined;
    return isDict(error) ? String(error.get('name')) : 'allowed';
  };

  const alice = { eauth: 'file', username: 'alice', password: SECRETS.password };
  const made = await requests.command(dict({ cmd: 'mk_token', ...alice }));
  assert.ok(isDict(made));
  assert.deepEqual([...made.keys()], ['start', 'expire', 'name', 'eauth', 'token']);
  const token = String(made.get('token'));
  const kept = [fleet.path('m', 'tokens', token), fleet.path('m', 'cache', 'tokens', token)];
  const path = kept.find((each) => statSync(each, { throwIfNoEntry: false }) !== undefined) ?? '';
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const creating = ['auth.token_create', 'program', "rules=['test.ping']", 'expire=1h', '--out', 'json'];
  const [created, sdb] = await Promise.all([
    fleet.run('salt-run', creating),
    fleet.run('salt-run', ['sdb.get', 'sdb://secrets/other']),
  ]);
  const program = (JSON.parse(created.stdout) as { token: string }).token;
  assert.match(sdb.stdout, /canary-sdb/);

  const keyOf = (user: string): Dict =>
    dict({ user, key: readFileSync(fleet.path('m', 'cache', `.${user}_key`), 'utf8') });
  const credentials: Readonly<Record<Caller, Dict>> = {
    alice: dict(alice),
    'alice by token': dict({ token }),
    carl: dict({ ...alice, username: 'carl' }),
    dora: dict({ eauth: 'day', username: 'dora', password: SECRETS.day }),
    evil: dict({ ...alice, username: 'evil' }),
    program: dict({ token: program }),
    nobody: IS_ROOT ? keyOf('nobody') : new Map(),
    root: keyOf(userInfo().username),
  };
  const publish = (
    who: Dict,
    [fun, arg, tgt, tgtType]: readonly [Value, Value[], string, string],
  ): Promise<string> =>
    send(
      new Map([
        ...dict({ cmd: 'publish', fun, arg, tgt, tgt_type: tgtType, ret: '', jid: '' }),
        ...(who.has('key') ? who : dict({ user: 'root', kwargs: who })),
      ]),
    );
  let refused = 0;
  for (const [who, allowed, fun, arg, tgt, tgtType = 'glob'] of JOBS) {
    if (who === 'nobody' && !IS_ROOT) continue;
    const verdict = await publish(credentials[who], [fun, arg, tgt, tgtType]);
    assert.equal(
      verdict === 'allowed',
      allowed,
      `${who}: ${pyRepr(fun)} ${pyRepr(arg)} on ${tgt}: ${verdict}`,
    );
    if (!allowed) refused++;
  }
  for (const [who, allowed, cmd, fun, arg] of MASTER_CALLS) {
    if (who === 'nobody' && !IS_ROOT) continue;
    const call = cmd === 'runner' ? { kwarg: dict({ arg, kwarg: new Map() }) } : { arg, kwarg: new Map() };
    const verdict = await send(new Map([...dict({ cmd, fun, ...call }), ...credentials[who]]));
    assert.equal(verdict === 'allowed', allowed, `${who}: ${cmd} ${fun} ${pyRepr(arg)}: ${verdict}`);
    if (!allowed) refused++;
  }
  const wrong: Dict[] = [
    dict({ ...alice, password: SECRETS.wrong }),
    dict({ ...alice, username: 'nobody-there' }),
    dict({ ...alice, eauth: 'pam' }),
    dict({ eauth: 'ldap', username: 'lena', password: SECRETS.wrong }),
    dict({ eauth: 'day', username: 'dora', password: SECRETS.wrong }),
    dict({ token: 'f'.repeat(64) }),
    dict({ token: '../users' }),
    dict({ token: `brine.program.${'0'.repeat(64)}` }),
  ];
  const lena = dict({ eauth: 'ldap', username: 'lena', password: SECRETS.ldap });
  const [verdicts, byLdap, lines] = await Promise.all([
    Promise.all(wrong.map((each) => publish(each, ['test.ping', [REFUSED], '*', 'glob']))),
    publish(lena, ['test.ping', [], 'web1', 'glob']),
    onCommandLine(fleet),
  ]);
  assert.deepEqual(
    verdicts,
    wrong.map(() => 'AuthenticationError'),
  );
  assert.equal(byLdap, 'allowed');
  refused += wrong.length + lines.refused;

  const revoked = await fleet.run('salt-run', ['auth.token_revoke', 'program', '--out', 'json']);
  assert.equal(JSON.parse(revoked.stdout), true);
  for (let worker = 0; worker < 4; worker++)
    assert.equal(
      await publish(credentials.program, ['test.ping', [REFUSED], '*', 'glob']),
      'AuthenticationError',
    );
  refused += 4;

  const refusals = (): string[] => events.filter((event) => event.startsWith('salt/auth/refused'));
  await until('each refusal is told of', () => refusals().length >= refused);
  assert.equal(refusals().length, refused);
  await master.stop();
  const cache = textBelow(fleet.path('m', 'cache'));
  assert.ok(cache.includes('kept'), 'what was allowed is kept');
  assert.ok(!cache.includes(REFUSED), 'a refused call left a trace in the job cache');
  const bobsToken = readFileSync(fleet.path('token'), 'utf8').trim();
  const places = {
    'a file of the master or of a minion': textBelow(fleet.folder),
    'an event': events.join('\n'),
    'the log': fleet.daemons.map(({ log }) => log).join('\n'),
    'an answer': replies.join('\n'),
    'what was printed': lines.printed,
    'the list of processes': seen(),
  };
  for (const secret of [...Object.values(SECRETS), token, bobsToken, program])
    for (const [where, text] of Object.entries(places))
      assert.ok(!text.includes(secret), `the secret ${secret.slice(0, 13)} stands in ${where}`);
});

async function configuredFleet(t: TestContext): Promise<Fleet> {
  const fleet = await Fleet.create(t);
  const ldap = await startLdapStandIn(t, [
    { dn: `cn=salt,${BASE}`, password: SECRETS.bindpw, attributes: {} },
    { dn: `uid=lena,${BASE}`, password: SECRETS.ldap, attributes: { uid: ['lena'] } },
  ]);
  const { password, day } = SECRETS;
  fleet.write(fleet.folder, 'users', [
    ...['alice', 'carl', 'evil'].map((name) => `${name}:${password}`),
    `bob:${password}2`,
  ]);
  fleet.write(fleet.folder, 'secrets.yaml', [`bindpw: ${SECRETS.bindpw}`, `other: ${SECRETS.sdb}`]);
  fleet.write(fleet.path('auth'), 'day.ts', [
    "import { defineAuth } from 'brine';",
    'export default defineAuth({',
    '  auth: ({ password }) => {',
    `    if (password !== '${day}') throw new Error('this is no word: ' + password);`,
    '    return true;',
    '  },',
    "  groups: () => ['ops'],",
    '});',
  ]);
  fleet.configureMaster([
    'auto_accept: True',
    'log_level_logfile: all',
    `token_file: ${fleet.path('token')}`,
    `auth_dirs: [${fleet.path('auth')}]`,
    `secrets: {driver: yaml, files: [${fleet.path('secrets.yaml')}]}`,
    ...ACCESS_RULES,
    'auth.ldap.server: 127.0.0.1',
    `auth.ldap.port: ${ldap.port}`,
    `auth.ldap.basedn: ${BASE}`,
    `auth.ldap.binddn: cn=salt,${BASE}`,
    'auth.ldap.bindpw: sdb://secrets/bindpw',
    'auth.ldap.filter: uid={{ username }}',
    'external_auth:',
    '  ldap: {lena: [test.ping]}',
    '  day: {ops%: [web1: [test.echo], "@wheel": [key.list]]}',
    '  file:',
    `    ^filename: ${fleet.path('users')}`,
    ...FILE_RULES,
    '    bob: [test.ping]',
  ]);
  return fleet;
}

/** What is typed, and what a minion asks for. */
async function onCommandLine(fleet: Fleet): Promise<{ printed: string; refused: number }> {
  const password = `${SECRETS.password}2\n`;
  const login = ['-a', 'file', '--username', 'bob'];
  const run = (program: string, words: readonly string[], input = ''): ReturnType<Fleet['run']> =>
    fleet.run(program, words, ours, input);
  const typed = await run('salt', [...login, '-T', '--out', 'json', '--static', '*', 'test.ping'], password);
  assert.deepEqual(JSON.parse(typed.stdout), { web1: true, db1: true }, typed.stderr);
  const calls = 'publish.publish,publish.full_data,publish.runner';
  const peers = ['web1', calls, 'db1', 'test.ping', ',', 'db1', 'test.echo', 'peer', ',', 'test.arg', 'peer'];
  const others = ['web1', calls, 'db1', 'test.outputter', ',', 'web1', 'test.echo', 'no', ',', 'manage.down'];
  const json = ['--out', 'json', '--static'];
  const all = await Promise.all([
    run('salt', ['-a', 'file', 'web1', 'test.echo', REFUSED]),
    run('salt-run', ['-a', 'file', 'jobs.list_jobs', REFUSED]),
    run('salt-key', ['--auth', 'file', '-y', '-d', REFUSED]),
    run('salt', [...json, ...peers]),
    run('salt', [...json, ...others]),
    run('salt-run', ['auth.can', 'bob', 'test.ping', 'web1', '--out', 'json']),
  ]);
  const [refused, runner, key, allowedPeers, otherPeers, can] = all.map(({ stdout }) => stdout) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  assert.match(refused, /Authorization error occurred/);
  assert.match(runner, /Authentication failure of type "token" occurred for user bob/);
  assert.match(all[2].stderr, /Authentication failure of type "token" occurred for user bob/);
  assert.equal(key, '');
  assert.equal((JSON.parse(can) as { allowed: boolean }).allowed, true);
  assert.deepEqual(JSON.parse(allowedPeers), {
    web1: {
      'publish.publish': { db1: true },
      'publish.full_data': { db1: { ret: 'peer' } },
      'publish.runner': { args: ['peer'], kwargs: {} },
    },
  });
  const refusals = (JSON.parse(otherPeers) as { web1: Record<string, string> }).web1;
  assert.match(String(refusals['publish.publish']), /web1 may not publish test\.outputter; the option peer/);
  assert.match(String(refusals['publish.full_data']), /web1 may not publish test\.echo; the option peer/);
  assert.match(String(refusals['publish.runner']), /web1 may not run manage\.down; the option peer_run/);
  const listed = await run('salt-run', ['jobs.list_jobs', '--out', 'json']);
  const jobs = Object.values(
    JSON.parse(listed.stdout) as Record<string, { Function: string; Arguments: unknown }>,
  );
  const isKept = (fun: string, argument: string): boolean =>
    jobs.some((job) => job.Function === fun && JSON.stringify(job.Arguments).includes(argument));
  assert.ok(isKept('test.echo', 'peer'), listed.stdout.slice(0, 2000));
  assert.ok(!isKept('test.outputter', '') && !isKept('test.echo', 'no') && !isKept('runner.manage.down', ''));
  return { printed: [typed, ...all].map(({ stdout, stderr }) => stdout + stderr).join('\n'), refused: 3 };
}

/** Keeps the command lines and the surroundings of all processes that are started meanwhile. */
function watchProcesses(t: TestContext): () => string {
  const seen = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      for (const name of ['cmdline', 'environ'])
        try {
          seen.add(readFileSync(join('/proc', pid, name), 'latin1'));
        } catch {
          // gone, or another user's
        }
  };
  const timer = systemClock.every(100, look);
  t.after(() => timer.cancel());
  return () => {
    timer.cancel();
    return [...seen].join('\n');
  };
}

/** All that stands in the files below a folder, but where secrets are kept. */
function textBelow(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !KEPT_IN.includes(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return textBelow(path);
      return entry.isFile() ? readFileSync(path, 'latin1') : '';
    })
    .join('\n');
}
