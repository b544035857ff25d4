import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { Fleet, namesIn, until } from '../support/fleet.ts';

test('main job - keys are accepted and minions answer every kind of call', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.makesKeys = true;
  await fleet.startMaster();
  const minions = ['web1', 'web2', 'db1'].map((id) => fleet.startMinion(id));
  await until('the keys have arrived', () => namesIn(fleet.path('m', 'pki', 'minions_pre')).length === 3);
  const accepted = await fleet.run('salt-key', ['-A', '-y']);
  assert.match(accepted.stdout, /Key for minion web1 accepted\./);
  await Promise.all(minions.map((minion) => minion.logged('Minion is ready')));

  await t.test('cmd.run, targets and outputters', async () => {
    const listing = await fleet.json(['*', 'cmd.run', 'ls /']);
    assert.deepEqual(Object.keys(listing).sort(), ['db1', 'web1', 'web2']);
    assert.match(String(listing['web1']), /^bin$/m);
    assert.deepEqual(Object.keys(await fleet.json(['web*', 'test.ping'])).sort(), ['web1', 'web2']);
    assert.deepEqual(Object.keys(await fleet.json(['-E', 'web1|db.', 'test.ping'])).sort(), ['db1', 'web1']);
    assert.deepEqual(Object.keys(await fleet.json(['-L', 'web2,db1', 'test.ping'])).sort(), ['db1', 'web2']);
    const nested = await fleet.salt(['db1', 'test.arg', '1', 'two', 'three=3.0', 'four=[1, 2]']);
    assert.match(nested.stdout, /^db1:\n {4}----------\n {4}args:\n {8}- 1\n {8}- two\n {4}kwargs:\n/);
    assert.match(nested.stdout, /three:\n {12}3\.0\n/);
    assert.equal((await fleet.salt(['db1', 'test.ping', '--out', 'txt'])).stdout, 'db1: True\n');
    assert.equal((await fleet.salt(['db1', 'test.ping', '--out', 'raw'])).stdout, "{'db1': True}\n");
    assert.equal((await fleet.salt(['db1', 'test.ping', '--out', 'yaml'])).stdout, 'db1: true\n');
    assert.equal((await fleet.salt(['db1', 'test.ping', '--out', 'quiet'])).stdout, '');
  });

  await t.test('a second master on the same ports is refused, and disturbs nothing', async () => {
    const second = fleet.start('salt-master', ['-c', fleet.masterDir]);
    assert.equal(await second.exited, 4, second.log);
    assert.match(second.log, /another salt-master/);
    assert.deepEqual(await fleet.json(['db1', 'test.ping']), { db1: true });
  });

  await t.test('cmd.run_all, grains.items, sys.doc and several functions at once', async () => {
    const all = (await fleet.json(['db1', 'cmd.run_all', 'echo hi'])) as Record<
      string,
      { retcode: number; stdout: string }
    >;
    assert.equal(all['db1']?.stdout, 'hi');
    const grains = (await fleet.json(['db1', 'grains.items'])) as Record<string, Record<string, unknown>>;
    assert.equal(grains['db1']?.['id'], 'db1');
    const docs = await fleet.salt(['db1', 'sys.doc', 'test.ping']);
    assert.match(docs.stdout, /^test\.ping:\n/);
    assert.match((await fleet.salt(['-d', '*', 'test.echo'])).stdout, /^test\.echo:\n/);
    const several = await fleet.json(['db1', 'test.ping,cmd.run,test.echo', ',', 'echo there', ',', 'hello']);
    assert.deepEqual(several['db1'], { 'test.ping': true, 'cmd.run': 'there', 'test.echo': 'hello' });
  });

  await t.test('values keep their types', async () => {
    const odd = '{1: one, "10": ten, f: 8.0, big: 123456789012345678901, n: null, u: grün}';
    const { stdout } = await fleet.salt(['db1', 'test.echo', odd, '--out', 'raw']);
    assert.equal(
      stdout,
      "{'db1': {1: 'one', '10': 'ten', 'f': 8.0, 'big': '123456789012345678901', 'n': None, 'u': 'grün'}}\n",
    );
  });

  await t.test('failures end with the right words and exit codes', async () => {
    const unknown = await fleet.salt(['db1', 'no.such']);
    assert.match(unknown.stdout, /'no\.such' is not available\./);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /ERROR: Minions returned with non-zero exit code/);
    const wrong = await fleet.salt(['db1', 'test.echo']);
    assert.match(
      wrong.stdout,
      /Passed invalid arguments to test\.echo: echo\(\) missing 1 required positional argument: 'text'/,
    );
    const failing = await fleet.salt(['db1', 'cmd.run', 'exit 3', 'python_shell=True']);
    assert.equal(failing.code, 1);
    const nobody = await fleet.salt(['nope*', 'test.ping']);
    assert.equal(nobody.code, 2);
    assert.match(nobody.stdout, /No minions matched the target\. No command was sent, no jid was assigned\./);
    const incomplete = await fleet.salt(['db1']);
    assert.equal(incomplete.code, 42);
    const option = await fleet.salt(['--nope', 'db1', 'test.ping']);
    assert.equal(option.code, 64);
    assert.match(option.stderr, /salt: error: no such option: --nope/);
  });

  await t.test('a running job is found, listed and killed', async () => {
    const { stdout } = await fleet.salt(['--async', 'db1', 'cmd.run', 'sleep 600']);
    const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
    let running: unknown;
    await until('the job runs', () => namesIn(fleet.path('db1', 'cache', 'proc')).includes(jid));
    running = (await fleet.json(['db1', 'saltutil.find_job', jid]))['db1'];
    assert.equal((running as { jid: string }).jid, jid);
    assert.match(
      String((await fleet.json(['db1', 'saltutil.kill_job', jid]))['db1']),
      /Signal 9 sent to job/,
    );
    await until('the job has gone', () => !namesIn(fleet.path('db1', 'cache', 'proc')).includes(jid));
    running = (await fleet.json(['db1', 'saltutil.find_job', jid]))['db1'];
    assert.deepEqual(running, {});
  });

  await t.test('a function in a process of its own answers, and can be killed', async () => {
    const fib = (await fleet.json(['db1', 'test.fib', '12']))['db1'] as [number, number];
    assert.equal(fib[0], 144);
  });

  await t.test('key files and sockets are protected as Salt protects them', () => {
    const mode = (...parts: string[]): string => (statSync(fleet.path(...parts)).mode & 0o777).toString(8);
    assert.equal(mode('m', 'pki'), '700');
    assert.equal(mode('m', 'pki', 'master.pem'), '400');
    assert.equal(mode('m', 'pki', 'minions', 'db1'), '644');
    assert.equal(mode('m', 'cache', 'sessions', 'db1'), '600');
    assert.equal(mode('m', 'run', 'publish_pull.ipc'), '600');
    assert.equal(mode('db1', 'pki', 'minion.pem'), '400');
    assert.match(
      readFileSync(fleet.path('m', 'pki', 'master.pem'), 'utf8'),
      /^-----BEGIN RSA PRIVATE KEY-----/,
    );
  });
});
