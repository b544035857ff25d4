/** Log-ins and tokens: the real commands at our master's external authentication, ours at a real master's. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { ours, type Fleet, type Programs } from '../support/fleet.ts';
import { createFleet, interop, untilAnswers } from './real-salt.ts';

const LOGIN = ['-a', 'file', '--username', 'alice', '--password', 'alice-word'];
const WRONG = [...LOGIN.slice(0, -1), 'other'];

function configure(fleet: Fleet): void {
  fleet.write(fleet.folder, 'users', ['alice:alice-word']);
  fleet.configureMaster([
    'auto_accept: True',
    'gather_job_timeout: 3',
    `token_file: ${fleet.path('token')}`,
    'external_auth:',
    '  file:',
    `    ^filename: ${fleet.path('users')}`,
    "    alice: [test.ping, {one: [test.echo]}, '@runner': [test.arg], '@wheel': [key.list, key.name_match]]",
  ]);
}

/** What holds of `salt` and `salt-run` of one side at the master of the other. */
async function checkLogins(fleet: Fleet, programs: Programs): Promise<void> {
  const printed = async (program: string, args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await fleet.run(program, args, programs);
    return stdout + stderr;
  };
  assert.match(await printed('salt', [...LOGIN, 'one', 'test.ping']), /^one:\n {4}True$/m);
  assert.match(await printed('salt', [...LOGIN, 'one', 'test.echo', 'hello']), /^one:\n {4}hello$/m);
  assert.match(await printed('salt', [...LOGIN, 'one', 'test.version']), /Authorization error occurred/);
  assert.match(await printed('salt', [...WRONG, 'one', 'test.ping']), /Authentication error occurred/);
  assert.match(await printed('salt-run', [...LOGIN, 'test.arg', 'hello']), /- hello/);
  assert.match(
    await printed('salt-run', [...WRONG, 'test.arg', 'no-word']),
    /Authentication failure of type "eauth"/,
  );
  assert.match(await printed('salt-run', [...LOGIN, 'manage.up']), /Authentication failure of type "eauth"/);
  // the token is kept, and shown by the next command
  assert.match(await printed('salt', [...LOGIN, '-T', 'one', 'test.ping']), /^one:\n {4}True$/m);
  assert.match(
    await printed('salt', ['-a', 'file', 'one', 'test.echo', 'by token']),
    /^one:\n {4}by token$/m,
  );
  rmSync(fleet.path('token'));
}

interop('log-ins of the real commands hold at our master', async (t, real) => {
  const fleet = await createFleet(t);
  configure(fleet);
  const master = await fleet.startMaster();
  await fleet.joinMinion('one');
  await untilAnswers(fleet, 'one', ours);
  await checkLogins(fleet, real);
  assert.match(master.log, /User alice Published command test\.echo/);
});

interop('our log-ins hold at a real master', async (t, real) => {
  const fleet = await createFleet(t);
  configure(fleet);
  await fleet.startMaster(real);
  await fleet.joinMinion('one');
  await untilAnswers(fleet, 'one', real);
  await checkLogins(fleet, ours);
  const keys = await fleet.run('salt-key', ['--auth', ...LOGIN.slice(1), '-L']);
  assert.match(keys.stdout, /^Accepted Keys:\none$/m);
  const refused = await fleet.run('salt-key', ['--auth', ...LOGIN.slice(1), '-y', '-d', 'one']);
  assert.match(refused.stderr, /Authentication failure of type "eauth" occurred for user alice/);
});
